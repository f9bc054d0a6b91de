// SPDX-License-Identifier: Apache-2.0
#include "aten_form.h"

#include <map>
#include <nlohmann/json.hpp>

namespace dycl::conformance {
namespace {

using Json = nlohmann::json;

const std::map<std::string, std::string>& operators() {
  static const std::map<std::string, std::string> names{
      {"Add", "aten::add.Tensor"}, {"Mul", "aten::mul.Tensor"}, {"Identity", "aten::clone"}};
  return names;
}

Json fragment_of(const onnx::NodeProto& node) {
  Json inputs = Json::array();
  Json arguments = Json::array();
  for (int index = 0; index < node.input_size(); ++index) {
    inputs.push_back("x" + std::to_string(index));
    arguments.push_back({{"value", inputs.back()}});
  }
  const Json call{{"name", "v0"},
                  {"op", operators().at(node.op_type())},
                  {"args", std::move(arguments)},
                  {"kwargs", Json::object()}};
  return {{"inputs", std::move(inputs)}, {"nodes", Json::array({call})}, {"outputs", {{{"value", "v0"}}}}};
}

template <class Ports>
Json names_of(const Ports& ports) {
  Json names = Json::array();
  for (const auto& port : ports) names.push_back(port.name());
  return names;
}

}  // namespace

std::string aten_form(const onnx::ModelProto& model) {
  if (model.graph().initializer_size() > 0) return "";
  Json fragments = Json::array();
  Json calls = Json::array();
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (!operators().contains(node.op_type()) || node.attribute_size() > 0) return "";
    calls.push_back({{"fragment", fragments.size()}, {"in", node.input()}, {"out", node.output()}});
    fragments.push_back(fragment_of(node));
  }
  const Json form{{"inputs", names_of(model.graph().input())},
                  {"outputs", names_of(model.graph().output())},
                  {"weights", Json::array()},
                  {"constants", Json::object()},
                  {"fragments", std::move(fragments)},
                  {"calls", std::move(calls)}};
  return form.dump();
}

}  // namespace dycl::conformance
