// SPDX-License-Identifier: Apache-2.0
// What every plugin does with the graph that it is given.
#include "common/onnx_model.h"

#include <gtest/gtest.h>

#include "backend/backend.h"
#include "common/inline_weights.h"
#include "onnx_wire/write_model.h"
#include "support/onnx_builder.h"

namespace dycl::plugin {
namespace {

using test::OnnxGraph;

DyclGraph bare(const std::string& bytes) {
  return {{bytes.data(), bytes.size()}, nullptr, nullptr, 0, {}, nullptr};
}

TEST(GivenGraph, ThatIsNoModelIsRefused) {
  const auto model = read_model(bare("not a model"));
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, "backend.bad_graph");
  EXPECT_EQ(model.error().message, "the graph is not an ONNX model: its bytes are damaged");
}

TEST(GivenGraph, WithControlFlowIsRefused) {
  for (const std::string op : {"If", "Loop", "Scan", "SequenceMap"}) {
    const std::string bytes = test::model_bytes(OnnxGraph().node(op, {}, {"y"}));
    const auto model = read_model(bare(bytes));
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().message, "a sub-DNN contains " + op + ", which no backend may be given");
  }
}

TEST(GivenGraph, WithFunctionsIsRefused) {
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
  auto model = read_model(given);
  ASSERT_TRUE(model) << to_string(model.error());
  inline_weights(*model, given, 1024);
  onnx::ModelProto rewritten;
  ASSERT_TRUE(rewritten.ParseFromString(write_model(*model)));
  ASSERT_EQ(rewritten.graph().initializer_size(), 2);
  EXPECT_EQ(rewritten.graph().initializer(0).raw_data().size(), 16U);
  EXPECT_FALSE(rewritten.graph().initializer(0).has_data_location());
  EXPECT_EQ(rewritten.graph().initializer(1).data_location(), onnx::TensorProto::EXTERNAL);
}

}  // namespace
}  // namespace dycl::plugin
