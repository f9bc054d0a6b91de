// SPDX-License-Identifier: Apache-2.0
#include "package/sample_artifact.h"

#include <algorithm>
#include <array>

#include "package/host_plan_json.h"
#include "support/onnx_builder.h"

namespace dycl::test {
namespace {

TensorPtr share(TensorData tensor) { return std::make_shared<const TensorData>(std::move(tensor)); }

TensorType tensor_type_of(DType dtype, std::vector<Dim> dims) {
  TensorType type;
  type.dtype = dtype;
  type.dims = std::move(dims);
  return type;
}

std::string first_graph() {
  OnnxGraph graph("subnet");
  graph.input("i0", DType::F32, {"d0", 4})
      .external_initializer("w0", make_tensor(DType::F32, {4, 4}, std::vector<std::byte>(64)))
      .initializer("c0", f32({}, {0.5F}))
      .node("MatMul", {"i0", "w0"}, {"v0"})
      .node("ReduceMax", {"v0"}, {"v1"}, {attribute("keepdims", 0)})
      .node("Greater", {"v1", "c0"}, {"v2"})
      .output("v0")
      .output("v2");
  graph.proto().mutable_initializer(0)->clear_external_data();
  auto* location = graph.proto().mutable_initializer(0)->add_external_data();
  location->set_key("location");
  location->set_value("weights");
  return model_bytes(graph);
}

std::string second_graph() {
  OnnxGraph graph("subnet");
  graph.input("i0", DType::F32, {"d0", 4})
      .input("i1", DType::F32, {4})
      .node("Mul", {"i0", "i1"}, {"v0"})
      .node("Greater", {"i0", "i1"}, {"v1"})
      .node("ReduceMax", {"v1"}, {"v2"})
      .output("v0")
      .output("v2", DType::Bool, {});
  return model_bytes(graph);
}

std::vector<PlanInstruction> sample_code() {
  const SourceSpan here{"model.onnx", 0, 0, "main/if_0 (If)"};
  Attributes one{{"value", std::int64_t{1}}};
  Attributes half{{"value", -0.5}};
  return {
      {PlanCall{0, {0}, {1, 2}}, {0}, here},
      {PlanHost{HostOp::Item, {}, {2}, {3}}, {2}, here},
      {PlanBranch{3, {3, {{1, 5}}, {1, 3}}, {4, {}, {3}}}, {}, {}},
      {PlanReturn{{5}}, {}, {}},
      {PlanCall{1, {1, 4}, {5}}, {1}, SourceSpan{"model.py", 12, 7, ""}},
      {PlanHost{HostOp::Const, one, {}, {6}}, {}, {}},
      {PlanHost{HostOp::Const, half, {}, {7}}, {}, {}},
      {PlanHost{HostOp::SeqOf, {}, {5, 5}, {8}}, {}, {}},
      {PlanHost{HostOp::SeqAt, {}, {8, 6}, {5}}, {8}, {}},
      {PlanSwitch{6, {{3, {}, {6, 7}}, {10, {}, {5}}}, {10, {}, {5}}}, {}, {}},
      {PlanRaise{"ValueError", "bad size {} or {}", {6, 7}}, {}, here},
      {PlanJump{{3, {}, {}}}, {}, {}},
  };
}

HostPlan sample_plan() {
  HostPlan plan;
  plan.symbols = {{"batch size", {}}, {"n", {}}};
  const Dim batch{SymbolId(0)};
  const Type rows = tensor_type_of(DType::F32, {batch, 4});
  plan.slots = {rows,
                rows,
                tensor_type_of(DType::Bool, {}),
                ScalarType{ScalarKind::Bool},
                tensor_type_of(DType::F32, {4}),
                rows,
                ScalarType{ScalarKind::I64},
                ScalarType{ScalarKind::F64},
                seq_of(tensor_type_of(DType::F32, {Dim(SymbolId(1)) * 2 + Dim(1), 4})),
                optional_of(TensorType{})};
  plan.inputs = {{"x", rows, 0, false}, {"mask", optional_of(TensorType{}), 9, true}};
  plan.outputs = {{"y:0", rows, 0, false}};
  plan.constants = {{4, "scale"}};
  plan.subnets = {
      {"s0", "aaaa1111", "onnxruntime", {}},
      {"s1", "bbbb2222", "openvino", {{"IndexError", "index out of range", {"model.py", 3, 1, ""}}}}};
  plan.code = sample_code();
  return plan;
}

std::map<std::string, TensorPtr> sample_weights() {
  std::array<float, 16> matrix{};
  std::ranges::generate(matrix, [value = 0.0F]() mutable { return value += 0.25F; });
  const std::array<std::string, 3> words{"", "one", "naïve"};
  return {
      {"matrix", share(make_tensor_of<float>(DType::F32, {4, 4}, matrix))},
      {"scale", share(f32({4}, {1, 2, 3, 4}))},
      {"bits", share(boolean({3}, {1, 0, 1}))},
      {"words", share(make_string_tensor({3}, words))},
      {"nibbles", share(make_tensor(DType::U4, {3}, {std::byte{0x21}, std::byte{0x03}}))},
      {"half", share(make_tensor(DType::BF16, {2}, std::vector<std::byte>(4, std::byte{0x3f})))},
      {"nothing", share(make_tensor(DType::I64, {0, 7}, {}))},
      {"größe", share(i64({}, {-5}))},
  };
}

}  // namespace

Artifact sample_artifact() {
  Artifact artifact;
  artifact.producer = "dycl 0.1.0";
  artifact.origin = "model.onnx";
  artifact.model_sha256 = std::string(64, 'a');
  artifact.target = "x86_64-linux";
  artifact.backends = {{"onnxruntime", {"1.31.1", true}}, {"openvino", {"2026.4.1", false}}};
  artifact.plan = sample_plan();
  artifact.hcfg = "graph main {\n}\n";
  artifact.subnets["aaaa1111"] = {first_graph(), {"matrix"}, {}};
  artifact.subnets["bbbb2222"] = {second_graph(), {}, {{"openvino", "blob\0bytes"}}};
  artifact.weights = sample_weights();
  return artifact;
}

bool same_plan(const HostPlan& left, const HostPlan& right) {
  // The text is canonical and complete: every field is written, nothing is rounded.
  return write_host_plan(left).value() == write_host_plan(right).value();
}

}  // namespace dycl::test
