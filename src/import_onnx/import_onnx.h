// SPDX-License-Identifier: Apache-2.0
// Turns an ONNX file into a graph: If, Loop, Scan and SequenceMap become blocks and edges, sequences and
// optionals become host operations, everything else becomes tensor operations.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/dim_range.h"
#include "base/result.h"
#include "base/tensor_spec.h"
#include "hcfg/hcfg.h"
#include "hcfg/type_inference.h"
#include "onnx_ml.pb.h"

namespace dycl::import_onnx {

struct OnnxImportOptions {
  std::string file;                          // for messages
  std::filesystem::path folder;              // holds external data; if empty, it is refused
  std::map<std::string, TensorSpec> inputs;  // sizes that replace the declared ones
  std::map<std::string, DimRange> dims;      // dim_param → its size, or the sizes that it may take
};

Result<Hcfg> import_onnx(const onnx::ModelProto& model, TypeInference& inference,
                         const OnnxImportOptions& options);

}  // namespace dycl::import_onnx
