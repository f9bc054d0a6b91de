// SPDX-License-Identifier: Apache-2.0
#include "subnet/beginning.h"

#include "base/result.h"
#include "onnx_wire/read_model.h"
#include "onnx_wire/write_model.h"

namespace dycl::subnet {

std::string graph_up_to(const std::string& onnx, std::size_t node) {
  auto model = onnx_wire::read_model(onnx);
  if (!model) internal_error("a stamped graph cannot be read back");
  model->nodes.resize(node + 1);
  model->outputs.clear();
  for (const std::string& name : model->nodes.back().outputs)
    if (!name.empty()) model->outputs.push_back({.name = name});
  return write_model(*model);
}

}  // namespace dycl::subnet
