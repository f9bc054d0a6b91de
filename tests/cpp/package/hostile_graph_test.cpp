// SPDX-License-Identifier: Apache-2.0
// Graphs that may not be in a package: control flow, cycles, files named from inside.
#include <gmock/gmock.h>

#include "package/graph_outline.h"
#include "package/package_editor.h"
#include "support/onnx_builder.h"

namespace dycl::test {
namespace {

void expect_bad_graph(const std::string& onnx, const std::string& words) {
  PackageEditor editor;
  editor.entry("subnets/bbbb2222/graph.onnx") = onnx;
  editor.rehash();
  expect_refused(editor.bytes(), "package.bad_subnet", words);
}

OnnxGraph simple() {
  OnnxGraph graph;
  graph.input("i0", DType::F32, {4}).input("i1", DType::F32, {4});
  return graph;
}

TEST(HostileGraph, ControlFlowInASubDnnIsRefused) {
  for (const std::string op : {"If", "Loop", "Scan", "SequenceMap"})
    expect_bad_graph(model_bytes(simple().node(op, {"i0"}, {"v0"}).output("v0")),
                     "sub-DNN bbbb2222: a sub-DNN contains the control-flow operator " + op);
}

TEST(HostileGraph, ASubgraphInAnyAttributeIsRefused) {
  const auto body = attribute("body", OnnxGraph("inner"));
  expect_bad_graph(model_bytes(simple().node("Relu", {"i0"}, {"v0"}, {body}).output("v0")),
                   "contains a subgraph");
}

TEST(HostileGraph, ModelLocalFunctionsAreRefused) {
  onnx::ModelProto model = make_model(simple().node("f", {"i0"}, {"v0"}, {}, "mine").output("v0"));
  model.add_functions()->set_name("f");
  expect_bad_graph(model.SerializeAsString(), "model-local functions");
}

TEST(HostileGraph, ACycleIsRefused) {
  expect_bad_graph(
      model_bytes(simple().node("Relu", {"v1"}, {"v0"}).node("Relu", {"v0"}, {"v1"}).output("v1")),
      "uses 'v1' before it is computed");
}

TEST(HostileGraph, ANameDefinedTwiceIsRefused) {
  expect_bad_graph(model_bytes(simple().node("Relu", {"i0"}, {"i1"}).output("i1")), "'i1' is defined twice");
}

TEST(HostileGraph, AnOutputThatNothingComputesIsRefused) {
  expect_bad_graph(model_bytes(simple().output("ghost")), "output 'ghost' is computed by no node");
}

TEST(HostileGraph, ExternalDataInAnyOtherFileIsRefused) {
  OnnxGraph graph = simple();
  graph.external_initializer("w0", f32({1}, {0}), "/etc/passwd").node("Relu", {"w0"}, {"v0"}).output("v0");
  expect_bad_graph(model_bytes(graph), "a graph's external data names location '/etc/passwd'");
}

TEST(HostileGraph, AnAttributeThatNamesAFileIsRefused) {
  OnnxAttribute value = attribute("value", f32({1}, {0}));
  value.mutable_t()->set_data_location(onnx::TensorProto::EXTERNAL);
  expect_bad_graph(model_bytes(simple().node("Constant", {}, {"v0"}, {value}).output("v0")),
                   "names an external file");
}

TEST(HostileGraph, ASparseAttributeIsRefused) {
  OnnxAttribute value;
  value.set_name("sparse_value");
  value.mutable_sparse_tensor()->mutable_values()->set_data_location(onnx::TensorProto::EXTERNAL);
  expect_bad_graph(model_bytes(simple().node("Constant", {}, {"v0"}, {value}).output("v0")),
                   "is a sparse tensor, which could name an external file");
}

TEST(HostileGraph, ListsOfTensorsCannotNameAFile) {
  OnnxAttribute value;
  value.set_name("values");
  value.add_tensors()->add_external_data()->set_key("location");
  expect_bad_graph(model_bytes(simple().node("Constant", {}, {"v0"}, {value}).output("v0")),
                   "names an external file");
}

TEST(HostileGraph, MoreWeightsThanThePackageNamesAreRefused) {
  PackageEditor editor;
  editor.edit_json("manifest.json", [](nlohmann::json& manifest) {
    manifest["subnets"]["aaaa1111"]["weights"] = nlohmann::json::array();
  });
  expect_refused(editor.bytes(), "package.bad_subnet", "its graph needs 1 weights, 0 are named");
}

TEST(HostileGraph, BytesThatAreNoModelAreRefused) {
  expect_bad_graph("not a model", "is not an ONNX model: its bytes are damaged");
  expect_bad_graph("", "is not an ONNX model: it has 0 graphs");
}

TEST(HostileGraph, SequencePortsAreRefused) {
  OnnxGraph graph;
  graph.input("i0", sequence_type(tensor_type(DType::F32, {1}))).output("i0");
  expect_bad_graph(model_bytes(graph), "inputs and outputs must be tensors");
}

TEST(HostileGraph, AFieldOfTheWrongKindCannotHideAnOperator) {
  // A library skips op_type when it is a number; so must we, or the operator before it is not seen.
  onnx::ModelProto model = make_model(simple().node("If", {"i0"}, {"v0"}).output("v0"));
  std::string node = model.graph().node(0).SerializeAsString();
  node += std::string(
      "\x21"
      "Relu\0\0\0\0",
      9);  // field 4 as eight fixed bytes
  onnx::ModelProto hidden = model;
  hidden.mutable_graph()->clear_node();
  std::string graph = hidden.graph().SerializeAsString();
  graph += "\x0a";
  graph += static_cast<char>(node.size());
  graph += node;
  std::string bytes = "\x3a";
  bytes += static_cast<char>(graph.size());
  bytes += graph;
  expect_bad_graph(bytes, "control-flow operator If");
}

TEST(GraphOutline, NamesPortsAndWeightsInOrder) {
  OnnxGraph graph;
  graph.input("a", DType::F32, {4})
      .input("b", DType::I64, {})
      .initializer("c", f32({1}, {0}))
      .node("Relu", {"a"}, {"v0"})
      .output("v0", DType::F32, {4})
      .output("b");
  const auto outline = outline_graph(model_bytes(graph));
  ASSERT_TRUE(outline) << to_string(outline.error());
  ASSERT_EQ(outline->inputs.size(), 2U);
  EXPECT_EQ(outline->inputs[1].name, "b");
  EXPECT_EQ(outline->inputs[1].dtype, 7);
  ASSERT_EQ(outline->outputs.size(), 2U);
  EXPECT_EQ(outline->outputs[0].dtype, 1);
  EXPECT_EQ(outline->outputs[1].dtype, 0);
  EXPECT_TRUE(outline->weights.empty());
}

}  // namespace
}  // namespace dycl::test
