// SPDX-License-Identifier: Apache-2.0
#include "subnet/stamp.h"

#include <gtest/gtest.h>
#include <onnx_ml.pb.h>

#include "subnet/subnets.h"

namespace dycl::subnet {
namespace {

TensorType f32(std::vector<Dim> dims) { return {DType::F32, std::move(dims), {}}; }

TensorData floats(std::size_t count, float value) {
  const std::vector<float> values(count, value);
  return make_tensor_of<float>(DType::F32, {static_cast<std::int64_t>(count)}, values);
}

// x + w, then Relu; names and ids as somebody else might have chosen them.
struct StampExample {
  Hcfg graph;
  ValueId x, w, sum, y;
  std::vector<OnnxOp> ops;

  StampExample(std::string name, std::size_t padding, float weight) {
    for (std::size_t index = 0; index < padding; ++index) graph.add_value(f32({1}), "unrelated");
    const SymbolId n = graph.add_symbol(name + "_n");
    x = graph.add_value(f32({Dim(n)}), name + "_x");
    w = graph.add_constant(floats(1000, weight), name + "_w");
    sum = graph.add_value(f32({Dim(n)}), name);
    y = graph.add_value(f32({Dim(n)}), name);
    ops = {{"", "Add", 14, {}, {x, w}, {sum}, {}}, {"", "Relu", 14, {}, {sum}, {y}, {}}};
  }

  StampedGraph stamped(bool declare_types = false) {
    ConstantTable constants;
    constants.update(graph);
    auto result = stamp(graph, constants, ops, std::vector{y}, {21, 10, 1024, false, declare_types});
    EXPECT_TRUE(result);
    return std::move(*result);
  }
};

TEST(Stamp, EqualSubnetsAreEqualBytesWhateverTheirNames) {
  EXPECT_EQ(StampExample("a", 0, 1).stamped().onnx, StampExample("other", 5, 1).stamped().onnx);
}

TEST(Stamp, LargeConstantsStayOutsideAsWeights) {
  StampExample example("a", 0, 1);
  const StampedGraph stamped = example.stamped();
  EXPECT_EQ(stamped.inputs, std::vector{example.x});
  EXPECT_EQ(stamped.weights, std::vector{example.w});
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(stamped.onnx));
  ASSERT_EQ(model.graph().initializer_size(), 1);
  EXPECT_EQ(model.graph().initializer(0).data_location(), onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(0).dim_param(), "d0");
}

onnx::GraphProto graph_of(const StampedGraph& stamped) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(stamped.onnx));
  return model.graph();
}

TEST(Stamp, ResultsSayTheirElementTypesAndNoSizes) {
  const onnx::GraphProto graph = graph_of(StampExample("a", 0, 1).stamped(true));
  ASSERT_EQ(graph.value_info_size(), 1);
  EXPECT_EQ(graph.value_info(0).name(), graph.node(0).output(0));
  for (const onnx::ValueInfoProto& declared : {graph.value_info(0), graph.output(0)}) {
    EXPECT_EQ(declared.type().tensor_type().elem_type(), onnx::TensorProto::FLOAT);
    EXPECT_FALSE(declared.type().tensor_type().has_shape());
  }
}

TEST(Stamp, ResultsAreLeftOpenForWhoInfersThem) {
  const onnx::GraphProto graph = graph_of(StampExample("a", 0, 1).stamped());
  EXPECT_EQ(graph.value_info_size(), 0);
  EXPECT_FALSE(graph.output(0).has_type());
}

TEST(Stamp, WeightsWithOtherContentsGiveAnotherName) {
  EXPECT_EQ(weight_name(floats(8, 1)), weight_name(floats(8, 1)));
  EXPECT_NE(weight_name(floats(8, 1)), weight_name(floats(8, 2)));
}

TEST(Stamp, TheTableOfConstantsFollowsAGraphThatIsCutBack) {
  Hcfg graph;
  const ValueId first = graph.add_constant(floats(1, 1), "first");
  ConstantTable constants;
  constants.update(graph);
  const ValueId second = graph.add_constant(floats(1, 2), "second");
  constants.update(graph);
  EXPECT_NE(constants.find(graph, second), nullptr);
  graph.values.pop_back();
  graph.constants.pop_back();
  const ValueId plain = graph.add_value(f32({1}), "plain");
  constants.update(graph);
  EXPECT_EQ(plain, second);
  EXPECT_EQ(constants.find(graph, plain), nullptr);
  EXPECT_NE(constants.find(graph, first), nullptr);
}

TEST(Stamp, RangeIsGivenScalarsWhereTheModelHasOneElement) {
  Hcfg graph;
  OnnxOp range{"", "Range", 11, {}, {}, {}, {}};
  for (int index = 0; index < 3; ++index) range.inputs.push_back(graph.add_value(f32({1}), "bound"));
  range.outputs = {graph.add_value(TensorType{}, "r")};
  auto stamped =
      stamp(graph, ConstantTable{}, std::span(&range, 1), range.outputs, {21, 10, 1024, false, true});
  ASSERT_TRUE(stamped);
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(stamped->onnx));
  EXPECT_EQ(model.graph().node_size(), 4);
  EXPECT_EQ(model.graph().node(0).op_type(), "Reshape");
  ASSERT_EQ(model.graph().value_info_size(), 3);
  EXPECT_EQ(model.graph().value_info(0).name(), model.graph().node(0).output(0));
}

}  // namespace
}  // namespace dycl::subnet
