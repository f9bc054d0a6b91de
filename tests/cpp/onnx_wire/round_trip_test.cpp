// SPDX-License-Identifier: Apache-2.0
// Models that protobuf wrote are read and written back; protobuf is the judge.
#include <gtest/gtest.h>

#include "onnx_wire/read_model.h"
#include "onnx_wire/write_model.h"
#include "support/onnx_builder.h"

namespace dycl::onnx_wire {
namespace {

using test::attribute;
using test::OnnxGraph;

Model read(const std::string& bytes) {
  auto model = read_model(bytes);
  EXPECT_TRUE(model) << model.error();
  return model ? std::move(*model) : Model();
}

// A model without texts that are there and empty, which mean what a missing one means.
onnx::ModelProto model_of(const OnnxGraph& graph) {
  onnx::ModelProto model = test::make_model(graph);
  for (auto& import : *model.mutable_opset_import())
    if (import.domain().empty()) import.clear_domain();
  for (auto& node : *model.mutable_graph()->mutable_node())
    if (node.domain().empty()) node.clear_domain();
  return model;
}

// The same message with its fields in protobuf's order.
std::string in_order(const std::string& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model.SerializeAsString();
}

OnnxGraph graph_of_everything() {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n", 300, test::OnnxDim::unknown()})
      .input("u", test::unranked_type(DType::I64))
      .input("q", test::sequence_type(test::tensor_type(DType::F32, {1})));
  graph.initializer("w", test::f32({2}, {1, 2})).initializer("e", test::i64({0}, {}));
  graph.external_initializer("far", test::f32({2}, {1, 2}));
  graph.node("Softmax", {"x"}, {"y"}, {attribute("axis", -1)});
  graph.node("Constant", {}, {"c"}, {attribute("value", test::i64({2}, {3, -4}))});
  graph.node("Mine", {"y", "", "c"}, {"z", ""},
             {attribute("f", 0.5F), attribute("s", "text"), attribute("is", std::vector<std::int64_t>{1, -1}),
              attribute("fs", std::vector<float>{1, 2}), attribute("body", OnnxGraph("inner"))},
             "my");
  graph.value("y", test::unranked_type(DType::F32));
  graph.output("z").output("y", DType::F32, {"n", 300, 4});
  return graph;
}

TEST(OnnxModel, IsReadAsProtobufWroteIt) {
  const Model model = read(test::model_bytes(graph_of_everything(), {21, 10}));
  EXPECT_EQ(model.ir_version, 10);
  EXPECT_EQ(model.opset, 21);
  EXPECT_EQ(model.graph_name, "main");
  ASSERT_EQ(model.inputs.size(), 3U);
  EXPECT_EQ(model.inputs[0].sizes->at(0).symbol, "n");
  EXPECT_EQ(model.inputs[0].sizes->at(1).fixed, 300);
  EXPECT_EQ(model.inputs[0].sizes->at(2).fixed, -1);
  EXPECT_FALSE(model.inputs[1].sizes);
  EXPECT_EQ(model.inputs[2].dtype, 0);
  EXPECT_FALSE(model.inputs[2].other_of_type.empty());
  ASSERT_EQ(model.nodes.size(), 3U);
  EXPECT_EQ(model.nodes[0].op, "Softmax");
  EXPECT_EQ(model.nodes[0].integer("axis", 7), -1);
  EXPECT_EQ(model.nodes[0].integer("other", 7), 7);
  EXPECT_EQ(integer_elements(*model.nodes[1].find("value")->tensor), (std::vector<std::int64_t>{3, -4}));
  EXPECT_EQ(model.nodes[2].domain, "my");
  EXPECT_FALSE(model.nodes[2].has_input(1));
  EXPECT_FALSE(model.nodes[2].has_output(1));
  EXPECT_EQ(model.nodes[2].real("f", 0), 0.5F);
  EXPECT_EQ(model.nodes[2].text("s", ""), "text");
  EXPECT_EQ(model.nodes[2].find("is")->ints, (std::vector<std::int64_t>{1, -1}));
  ASSERT_EQ(model.initializers.size(), 3U);
  EXPECT_EQ(f32_elements(model.initializers[0]), (std::vector<float>{1, 2}));
  EXPECT_TRUE(find_initializer(model, "far")->is_external);
  EXPECT_EQ(find_initializer(model, "far")->place.at(0).value, "weights");
  EXPECT_EQ(find_initializer(model, "near"), nullptr);
  EXPECT_EQ(declared_dtype(model, "u"), static_cast<std::int32_t>(DType::I64));
  EXPECT_EQ(declared_dtype(model, "e"), static_cast<std::int32_t>(DType::I64));
  EXPECT_EQ(declared_dtype(model, "y"), static_cast<std::int32_t>(DType::F32));
  EXPECT_EQ(declared_dtype(model, "z"), 0);
  EXPECT_EQ(declared_dtype(model, "nowhere"), 0);
}

// Not only the same model: the same bytes, since known fields come in protobuf's own order.
TEST(OnnxModel, IsWrittenBackByteForByte) {
  const std::string bytes = model_of(graph_of_everything()).SerializeAsString();
  EXPECT_EQ(write_model(read(bytes)), bytes);
}

TEST(OnnxModel, TypedElementsComeBack) {
  OnnxGraph graph;
  const auto add = [&](DType dtype) {
    auto* tensor = graph.proto().add_initializer();
    tensor->set_name("t" + std::to_string(graph.proto().initializer_size()));
    tensor->set_data_type(static_cast<std::int32_t>(dtype));
    tensor->add_dims(2);
    return tensor;
  };
  for (const std::int64_t value : {-1, 7}) add(DType::I32)->add_int32_data(static_cast<std::int32_t>(value));
  add(DType::I64)->add_int64_data(std::int64_t{-1} << 40);
  add(DType::U64)->add_uint64_data(~std::uint64_t{0});
  add(DType::F32)->add_float_data(0.25F);
  add(DType::F64)->add_double_data(0.125);
  add(DType::String)->add_string_data("text");
  const std::string bytes = model_of(graph).SerializeAsString();
  const Model model = read(bytes);
  EXPECT_EQ(integer_elements(model.initializers[0]), std::vector<std::int64_t>{-1});
  EXPECT_EQ(integer_elements(model.initializers[2]), std::vector<std::int64_t>{std::int64_t{-1} << 40});
  EXPECT_EQ(f32_elements(model.initializers[4]), std::vector<float>{0.25F});
  EXPECT_FALSE(integer_elements(model.initializers[5]));
  EXPECT_EQ(in_order(write_model(model)), bytes);
}

TEST(OnnxModel, TooFewBytesAreNoElement) {
  Tensor tensor;
  tensor.dtype = static_cast<std::int32_t>(DType::F32);
  tensor.raw = "ab";
  EXPECT_EQ(f32_elements(tensor), std::vector<float>());
}

TEST(OnnxModel, NoTextsAreNotRaw) {
  OnnxGraph graph;
  auto* tensor = graph.proto().add_initializer();
  tensor->set_name("none");
  tensor->set_data_type(static_cast<std::int32_t>(DType::String));
  tensor->add_dims(0);
  const std::string bytes = model_of(graph).SerializeAsString();
  EXPECT_EQ(in_order(write_model(read(bytes))), bytes);
}

TEST(OnnxModel, FieldsThatAreNotKnownAreKept) {
  onnx::ModelProto proto = model_of(graph_of_everything());
  proto.set_producer_name("somebody");
  proto.add_metadata_props()->set_key("key");
  proto.add_opset_import()->set_domain("my");
  proto.mutable_opset_import(1)->set_version(3);
  proto.mutable_graph()->set_doc_string("graph");
  proto.mutable_graph()->mutable_node(0)->set_doc_string("node");
  proto.mutable_graph()->mutable_initializer(0)->set_doc_string("tensor");
  auto* input = proto.mutable_graph()->mutable_input(0);
  input->set_doc_string("value");
  input->mutable_type()->set_denotation("type");
  input->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_denotation("size");
  proto.mutable_graph()->mutable_node(0)->mutable_attribute(0)->set_doc_string("attribute");
  const std::string bytes = proto.SerializeAsString();
  EXPECT_EQ(in_order(write_model(read(bytes))), bytes);
}

TEST(OnnxModel, CanBeChangedAndWritten) {
  Model model = read(test::model_bytes(graph_of_everything()));
  const Tensor* first = &model.initializers.front();
  for (int index = 0; index < 100; ++index) model.initializers.emplace_back().name = "more";
  EXPECT_EQ(first, &model.initializers.front());
  model.nodes[0].attributes = {int_valued("axis", 1), ints_valued("axes", {2, -3})};
  model.opset = 18;
  model.outputs.push_back({"c"});
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(write_model(model)));
  EXPECT_EQ(proto.opset_import(0).version(), 18);
  EXPECT_EQ(proto.graph().initializer_size(), 103);
  EXPECT_EQ(proto.graph().node(0).attribute(0).i(), 1);
  EXPECT_EQ(proto.graph().node(0).attribute(0).type(), onnx::AttributeProto::INT);
  EXPECT_EQ(proto.graph().node(0).attribute(1).ints(1), -3);
  EXPECT_EQ(proto.graph().output(2).name(), "c");
  EXPECT_FALSE(proto.graph().output(2).has_type());
}

}  // namespace
}  // namespace dycl::onnx_wire
