// SPDX-License-Identifier: Apache-2.0
// ONNX messages as our values.
#pragma once

#include <filesystem>
#include <functional>

#include "base/attribute.h"
#include "base/result.h"
#include "base/type.h"
#include "onnx_ml.pb.h"

namespace dycl {

// `folder` is where external data may lie (never outside it, never through a link); empty: refused.
Result<TensorData> from_onnx(const onnx::TensorProto& proto, const std::filesystem::path& folder);
Result<TensorData> from_onnx(const onnx::SparseTensorProto& proto, const std::filesystem::path& folder);

// Attributes that hold graphs are not converted here: control flow is the importer's own work.
Result<Attribute> from_onnx(const onnx::AttributeProto& proto, const std::filesystem::path& folder);

// `symbol_of` gives the symbol of a dim_param, or a fresh one for the empty name.
Result<Type> from_onnx(const onnx::TypeProto& proto,
                       const std::function<SymbolId(const std::string&)>& symbol_of);

}  // namespace dycl
