// SPDX-License-Identifier: Apache-2.0
// Makes a fragment's body from the serialized onnx.FunctionProto that lowering made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hcfg/fragment.h"
#include "hcfg/type_inference.h"

namespace dycl::import_onnx {

// The types of the function's inputs and outputs, over symbols of their own.
struct FragmentTypes {
  std::vector<Symbol> symbols;
  std::vector<Type> inputs;
  std::vector<Type> outputs;
};

// Reads texts like "f32[n,16]"; equal names are one symbol.
Result<FragmentTypes> fragment_types(std::span<const std::string> inputs,
                                     std::span<const std::string> outputs);

struct FragmentLabels {
  std::string name;
  std::string key;
  std::string aten;  // JSON, opaque
};

// Takes the types of inner values from the function's value_info, or else from `inference`. Without either it
// refuses the fragment, because guards depend on element types. It also refuses control flow, calls of other
// functions, attributes of the function and external data.
Result<FragmentPtr> fragment_from_onnx(std::string_view function_proto, FragmentTypes types,
                                       FragmentLabels labels, TypeInference* inference = nullptr);

}  // namespace dycl::import_onnx
