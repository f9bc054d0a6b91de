// SPDX-License-Identifier: Apache-2.0
// Converts ONNX messages to values of DyCL.
#pragma once

#include <functional>

#include "base/attribute.h"
#include "base/result.h"
#include "base/type.h"
#include "import_onnx/external_data.h"
#include "onnx_ml.pb.h"

namespace dycl::import_onnx {

// `files` are those that may hold external data; null if there are none.
Result<TensorData> from_onnx(const onnx::TensorProto& proto, ExternalFiles* files);
Result<TensorData> from_onnx(const onnx::SparseTensorProto& proto, ExternalFiles* files);

// Attributes that hold graphs are not converted here: control flow is the importer's own work.
Result<Attribute> from_onnx(const onnx::AttributeProto& proto, ExternalFiles* files);

// `symbol_of` gives the symbol of a dim_param, or a fresh one for the empty name.
Result<Type> from_onnx(const onnx::TypeProto& proto,
                       const std::function<SymbolId(const std::string&)>& symbol_of);

}  // namespace dycl::import_onnx
