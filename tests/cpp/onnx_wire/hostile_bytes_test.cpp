// SPDX-License-Identifier: Apache-2.0
// Bytes that are no model, and bytes on which two readers could disagree.
#include <gtest/gtest.h>

#include "onnx_wire/fields.h"
#include "onnx_wire/read_model.h"
#include "onnx_wire/wire.h"
#include "support/onnx_builder.h"

namespace dycl::onnx_wire {
namespace {

using test::OnnxGraph;

std::string problem_of(const std::string& bytes) {
  const auto model = read_model(bytes);
  return model ? "none" : model.error();
}

// A model whose graph is these fields.
std::string model_of(const std::string& graph) {
  std::string bytes;
  append_bytes(bytes, field::kModelGraph, graph);
  return bytes;
}

std::string message_of(std::uint32_t number, const std::string& contents) {
  std::string bytes;
  append_bytes(bytes, number, contents);
  return bytes;
}

TEST(HostileBytes, ThatAreNoModelAreRefused) {
  EXPECT_EQ(problem_of(""), "it has 0 graphs");
  EXPECT_EQ(problem_of("not a model"), "its bytes are damaged");
  EXPECT_EQ(problem_of(model_of("") + model_of("")), "it has 2 graphs");
  EXPECT_EQ(problem_of(model_of("")), "none");
}

// At every depth that is read: damage inside a message is found, not skipped.
TEST(HostileBytes, DamagedInsideAreRefused) {
  const std::string cut = "\x0a\x05x";
  const auto in_node = [](const std::string& field) {
    return model_of(message_of(field::kGraphNode, field));
  };
  const auto in_value = [](const std::string& type) {
    return model_of(message_of(field::kGraphInput, message_of(field::kValueType, type)));
  };
  const std::string shape = message_of(field::kTensorTypeShape, message_of(field::kShapeDim, cut));
  for (const std::string& bytes : {
           cut,
           model_of(cut),
           message_of(field::kModelOpset, cut) + model_of(""),
           in_node(cut),
           in_node(message_of(field::kNodeAttribute, cut)),
           in_node(message_of(field::kNodeAttribute, message_of(field::kAttributeTensor, cut))),
           in_node(message_of(field::kNodeAttribute, message_of(field::kAttributeTensors, cut))),
           in_node(message_of(field::kNodeAttribute, message_of(field::kAttributeInts, "\xff"))),
           model_of(message_of(field::kGraphInitializer, message_of(field::kTensorDims, "\xff"))),
           model_of(message_of(field::kGraphInitializer, message_of(field::kTensorFloats, "123"))),
           model_of(message_of(field::kGraphInitializer, message_of(field::kTensorPlace, cut))),
           in_value(cut),
           in_value(message_of(field::kTypeTensor, cut)),
           in_value(message_of(field::kTypeTensor, shape)),
       })
    EXPECT_EQ(problem_of(bytes), "its bytes are damaged") << testing::PrintToString(bytes);
}

TEST(HostileBytes, CutAnywhereNeverCrash) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n"}).node("Relu", {"x"}, {"y"}).output("y");
  graph.initializer("w", test::f32({2}, {1, 2}));
  const std::string bytes = test::model_bytes(graph);
  for (std::size_t size = 0; size < bytes.size(); ++size) (void)read_model(bytes.substr(0, size));
}

TEST(HostileBytes, OfTooManyPartsAreRefused) {
  const std::string numbers = message_of(field::kTensorDims, std::string(kMostParts, '\1'));
  EXPECT_EQ(problem_of(model_of(message_of(field::kGraphInitializer, numbers))),
            "it has more than 4000000 parts");
}

// What a protobuf library makes of the same bytes is written beside each.
TEST(HostileBytes, AreReadAsALibraryReadsThem) {
  std::string tensor;
  append_number(tensor, field::kTensorLocation, (std::uint64_t{1} << 32U) | kExternalLocation);  // cut
  append_number(tensor, field::kTensorLocation, 7);  // passed over
  append_bytes(tensor, field::kTensorType, "f32");   // passed over
  std::string dim;
  append_bytes(dim, field::kDimSymbol, "n");
  append_number(dim, field::kDimSize, 3);  // the last one counts
  const std::string shape = message_of(field::kTensorTypeShape, message_of(field::kShapeDim, dim));
  const std::string type = message_of(field::kValueType, message_of(field::kTypeTensor, shape));
  const std::string bytes = model_of(message_of(field::kGraphInitializer, tensor) +
                                     message_of(field::kGraphInput, type + type));  // merged
  const auto model = read_model(bytes);
  ASSERT_TRUE(model) << model.error();
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParsePartialFromString(bytes));
  const auto& initializer = proto.graph().initializer(0);
  const auto& dims = proto.graph().input(0).type().tensor_type().shape().dim();
  EXPECT_EQ(initializer.data_location(), onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(initializer.data_type(), 0);
  ASSERT_EQ(dims.size(), 2);
  EXPECT_FALSE(dims[0].has_dim_param());
  EXPECT_TRUE(model->initializers[0].is_external);
  EXPECT_EQ(model->initializers[0].dtype, 0);
  ASSERT_EQ(model->inputs[0].sizes->size(), 2U);
  EXPECT_EQ(model->inputs[0].sizes->at(0).fixed, 3);
  EXPECT_EQ(model->inputs[0].sizes->at(0).symbol, "");
}

}  // namespace
}  // namespace dycl::onnx_wire
