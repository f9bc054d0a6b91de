// SPDX-License-Identifier: Apache-2.0
// Our values as ONNX messages.
#pragma once

#include <functional>
#include <string>

#include "base/attribute.h"
#include "base/type.h"
#include "onnx_ml.pb.h"

namespace dycl::subnet {

onnx::TensorProto to_onnx(const TensorData& tensor, const std::string& name);
onnx::AttributeProto to_onnx(const Attribute& attribute, const std::string& name);
// A size that is an expression of symbols has no ONNX form and is left open.
onnx::ValueInfoProto to_onnx(const TensorType& type, const std::string& name,
                             const std::function<std::string(SymbolId)>& name_of_symbol);

// Deterministic: the same model gives the same bytes.
std::string bytes_of(const onnx::ModelProto& model);

}  // namespace dycl::subnet
