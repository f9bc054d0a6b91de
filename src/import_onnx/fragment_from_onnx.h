// SPDX-License-Identifier: Apache-2.0
// A fragment's body from the serialized onnx.FunctionProto that lowering made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hcfg/fragment.h"
#include "hcfg/type_inference.h"

namespace dycl::import_onnx {

// What the function's inputs and outputs are, over symbols of their own.
struct FragmentTypes {
  std::vector<Symbol> symbols;
  std::vector<Type> inputs;
  std::vector<Type> outputs;
};

// From texts like "f32[n,16]"; one name is one symbol.
Result<FragmentTypes> fragment_types(std::span<const std::string> inputs,
                                     std::span<const std::string> outputs);

struct FragmentLabels {
  std::string name;
  std::string key;
  std::string aten;  // JSON, opaque
};

// Types of inner values come from the function's value_info, and where that is silent from `inference`;
// without either the fragment is refused, because guards depend on element types. Control flow, calls of
// other functions, attributes of the function and external data are refused.
Result<FragmentPtr> fragment_from_onnx(std::string_view function_proto, FragmentTypes types,
                                       FragmentLabels labels, TypeInference* inference = nullptr);

}  // namespace dycl::import_onnx
