// SPDX-License-Identifier: Apache-2.0
#include "runtime/structured_package.h"

#include "package/package_file.h"

namespace dycl::runtime::testing {
namespace {

Artifact structured_artifact() {
  Artifact artifact;
  artifact.producer = "dycl";
  artifact.origin = "model.py";
  artifact.target = "x86_64-linux";
  artifact.hcfg = "\n";
  HostPlan& plan = artifact.plan;
  plan.symbols = {{"batch", {}}};
  plan.slots = {TensorType{DType::F32, std::vector<Dim>{Dim(SymbolId(0))}, {}}, ScalarType{ScalarKind::Bool}};
  plan.inputs = {{"x", plan.slots[0], 0, false}, {"flag", plan.slots[1], 1, false}};
  const ResultList deep{ResultListKind::Tuple, {ResultValue{1}, ResultValue{0}, ResultConstant()}};
  const ResultDict dict{{{ResultConstant("logits"), ResultValue{0}}, {ResultConstant("deep"), deep}}};
  plan.code = {
      {PlanBranch{1, {1, {}, {}}, {2, {}, {}}}, {}, {}},
      {PlanReturn{{0, 1}, std::make_shared<const ResultNode>(dict)}, {}, {}},
      {PlanReturn{{0}, std::make_shared<const ResultNode>(ResultValue{0})}, {}, {}},
  };
  return artifact;
}

Artifact remembering_artifact() {
  Artifact artifact = structured_artifact();
  const std::vector<float> first{5, 6};
  artifact.weights["first"] =
      std::make_shared<const TensorData>(make_tensor_of<float>(DType::F32, {2}, std::span(first)));
  HostPlan& plan = artifact.plan;
  plan.symbols.clear();
  plan.slots.assign(2, TensorType{DType::F32, std::vector<Dim>{Dim(2)}, {}});
  plan.inputs = {{"x", plan.slots[0], 0, false}, {"last", plan.slots[1], 1, false, {{"first"}}}};
  const auto tree = std::make_shared<const ResultNode>(ResultValue{0});
  plan.code = {{PlanReturn{{1, 1, 0}, tree, {0, 1}}, {}, {}}};
  return artifact;
}

}  // namespace

std::string write_remembering_package(const std::string& path) {
  const Status written = write_package(remembering_artifact(), path);
  return written ? "" : to_string(written.error());
}

std::string write_structured_package(const std::string& path) {
  const Status written = write_package(structured_artifact(), path);
  return written ? "" : to_string(written.error());
}

}  // namespace dycl::runtime::testing
