// SPDX-License-Identifier: Apache-2.0
// Writes a small package on the skeleton backend, and a model that does the same: while (x < limit) { x +=
// step; history.append(x) }. And a package that returns structures.
#include <cstdio>
#include <fstream>

#include "package/package_file.h"
#include "support/onnx_builder.h"

namespace {

using namespace dycl;

TensorType elements(DType dtype) {
  TensorType type;
  type.dtype = dtype;
  type.dims = std::vector<Dim>{Dim(1)};
  return type;
}

std::string binary_graph(const std::string& op, DType result) {
  test::OnnxGraph graph("subnet");
  graph.input("i0", DType::I64, {1}).input("i1", DType::I64, {1});
  graph.node(op, {"i0", "i1"}, {"o0"}).output("o0", result, {1});
  return test::model_bytes(graph);
}

enum Slot : SlotIndex { X, Step, Limit, Below, GoOn, NextX, History, LongerHistory };

Artifact make_artifact() {
  const Type integer = elements(DType::I64);
  Artifact artifact;
  artifact.producer = "dycl";
  artifact.origin = "count.onnx";
  artifact.target = "x86_64-linux";
  artifact.backends["skeleton"] = {"1", true};
  artifact.hcfg = "\n";
  artifact.subnets["aaaa"] = {binary_graph("Less", DType::Bool), {}, {}};
  artifact.subnets["bbbb"] = {binary_graph("Add", DType::I64), {}, {}};
  HostPlan& plan = artifact.plan;
  plan.slots = {integer, integer,         integer,        elements(DType::Bool), ScalarType{ScalarKind::Bool},
                integer, seq_of(integer), seq_of(integer)};
  plan.inputs = {{"x", integer, X, false}, {"step", integer, Step, false}, {"limit", integer, Limit, false}};
  plan.outputs = {{"y", integer, 0, false}, {"history", seq_of(integer), 0, false}};
  plan.subnets = {{"s0", "aaaa", "skeleton", {}}, {"s1", "bbbb", "skeleton", {}}};
  plan.code = {
      {PlanHost{HostOp::SeqEmpty, {}, {}, {History}}, {}, {}},
      {PlanJump{{2, {}, {}}}, {}, {}},
      {PlanCall{0, {X, Limit}, {Below}}, {}, {}},
      {PlanHost{HostOp::Item, {}, {Below}, {GoOn}}, {Below}, {}},
      {PlanBranch{GoOn, {5, {}, {}}, {8, {}, {}}}, {GoOn}, {}},
      {PlanCall{1, {X, Step}, {NextX}}, {X}, {}},
      {PlanHost{HostOp::SeqInsert, {}, {History, NextX}, {LongerHistory}}, {History}, {}},
      {PlanJump{{2, {{NextX, X}, {LongerHistory, History}}, {NextX, LongerHistory}}}, {}, {}},
      {PlanReturn{{X, History}}, {}, {}},
  };
  return artifact;
}

// The same program as a model, for the compiler: the loop's condition is known before its body runs.
std::string make_model() {
  test::OnnxGraph body("body");
  body.input("trip", DType::I64, {}).input("go_in", DType::Bool, {1}).input("now", DType::I64, {1});
  body.input("history_in", test::sequence_type(test::tensor_type(DType::I64, {1})));
  body.node("Add", {"now", "step"}, {"next"}).node("Less", {"next", "limit"}, {"go_out"});
  body.node("SequenceInsert", {"history_in", "next"}, {"history_out"});
  body.output("go_out").output("next").output("history_out");
  test::OnnxGraph graph("main");
  graph.input("x", DType::I64, {1}).input("step", DType::I64, {1}).input("limit", DType::I64, {1});
  graph.node("Less", {"x", "limit"}, {"go"});
  graph.node("SequenceEmpty", {}, {"none"}, {test::attribute("dtype", 7)});
  graph.node("Loop", {"", "go", "x", "none"}, {"y", "history"}, {test::attribute("body", body)});
  graph.output("y", DType::I64, {1});
  graph.output("history", test::sequence_type(test::tensor_type(DType::I64, {1})));
  return test::model_bytes(graph);
}

// return {"x": x, "deep": (5, flag)} if flag else x
Artifact make_structured() {
  Artifact artifact;
  artifact.producer = "dycl";
  artifact.origin = "choose.py";
  artifact.target = "x86_64-linux";
  artifact.hcfg = "\n";
  HostPlan& plan = artifact.plan;
  plan.slots = {elements(DType::I64), ScalarType{ScalarKind::Bool}};
  plan.inputs = {{"x", plan.slots[0], 0, false}, {"flag", plan.slots[1], 1, false}};
  const ResultList deep{ResultListKind::Tuple, {ResultConstant(std::int64_t{5}), ResultValue{1}}};
  const ResultDict dict{{{ResultConstant("x"), ResultValue{0}}, {ResultConstant("deep"), deep}}};
  plan.code = {
      {PlanBranch{1, {1, {}, {}}, {2, {}, {}}}, {}, {}},
      {PlanReturn{{0, 1}, std::make_shared<const ResultNode>(dict)}, {}, {}},
      {PlanReturn{{0}, std::make_shared<const ResultNode>(ResultValue{0})}, {}, {}},
  };
  return artifact;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ofstream(argv[2], std::ios::binary) << make_model();
  Status written = write_package(make_artifact(), argv[1]);
  if (written) written = write_package(make_structured(), argv[3]);
  if (!written) std::fprintf(stderr, "%s\n", to_string(written.error()).c_str());
  return written ? 0 : 1;
}
