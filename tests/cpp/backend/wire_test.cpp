// SPDX-License-Identifier: Apache-2.0
// The plugins' own reader of ONNX bytes, judged by protobuf.
#include "common/wire.h"

#include <gtest/gtest.h>

#include "backend/backend.h"
#include "common/inline_weights.h"
#include "common/onnx_model.h"
#include "support/onnx_builder.h"

namespace dycl::plugin {
namespace {

using test::OnnxGraph;

DyclGraph bare(const std::string& bytes) {
  return {{bytes.data(), bytes.size()}, nullptr, nullptr, 0, {}, nullptr};
}

TEST(OnnxBytes, AreReadAsProtobufWroteThem) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n", 300, test::OnnxDim::unknown()})
      .input("u", test::unranked_type(DType::I64));
  graph.node("Softmax", {"x"}, {"y"}, {test::attribute("axis", -1)}, "").output("y");
  graph.initializer("w", test::f32({2}, {1, 2}));
  const std::string bytes = test::model_bytes(graph, {21, 10});
  const auto model = read_model(bare(bytes));
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_EQ(model->ir_version, 10);
  EXPECT_EQ(model->opset, 21);
  ASSERT_EQ(model->inputs.size(), 2U);
  EXPECT_EQ(model->inputs[0].sizes->at(0).symbol, "n");
  EXPECT_EQ(model->inputs[0].sizes->at(1).fixed, 300);
  EXPECT_EQ(model->inputs[0].sizes->at(2).fixed, -1);
  EXPECT_FALSE(model->inputs[1].sizes);
  ASSERT_EQ(model->nodes.size(), 1U);
  EXPECT_EQ(model->nodes[0].op, "Softmax");
  EXPECT_EQ(model->nodes[0].integer("axis", 7), -1);
  EXPECT_EQ(model->nodes[0].integer("other", 7), 7);
  EXPECT_EQ(model->initializers.at(0).raw.size(), 8U);
}

TEST(OnnxBytes, CutAnywhereNeverCrash) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n"}).node("Relu", {"x"}, {"y"}).output("y");
  const std::string bytes = test::model_bytes(graph);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    (void)read_model(bare(cut));
  }
}

TEST(OnnxBytes, OfControlFlowAreRefusedInFunctionsToo) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n"}).node("Mine", {"x"}, {"y"}, {}, "my").output("y");
  auto model = test::make_model(graph);
  model.add_functions()->add_node()->set_op_type("Loop");
  const std::string bytes = model.SerializeAsString();
  EXPECT_FALSE(read_model(bare(bytes)));
}

TEST(SmallWeights, MoveIntoTheModelAndLargeOnesStay) {
  const TensorData small = test::i64({2}, {3, 4});
  const TensorData large = make_tensor(DType::F32, {1000}, std::vector<std::byte>(4000));
  OnnxGraph graph;
  graph.external_initializer("small", small).external_initializer("large", large);
  const std::string bytes = test::model_bytes(graph);
  const std::vector<const char*> names{"small", "large"};
  const std::vector<DyclTensor> weights{view_of(small), view_of(large)};
  const DyclGraph given{{bytes.data(), bytes.size()}, names.data(), weights.data(), 2, {}, nullptr};
  onnx::ModelProto rewritten;
  ASSERT_TRUE(rewritten.ParseFromString(inline_weights(given, 1024)));
  ASSERT_EQ(rewritten.graph().initializer_size(), 2);
  EXPECT_EQ(rewritten.graph().initializer(0).raw_data().size(), 16U);
  EXPECT_FALSE(rewritten.graph().initializer(0).has_data_location());
  EXPECT_EQ(rewritten.graph().initializer(1).data_location(), onnx::TensorProto::EXTERNAL);
}

TEST(Wire, NumbersOfEveryLengthComeBack) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, ~std::uint64_t{0}}) {
    std::string message;
    append_number(message, 3, value);
    WireReader reader(message);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.number(), value);
    EXPECT_EQ(reader.raw(), message);
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.ok());
  }
}

}  // namespace
}  // namespace dycl::plugin
