// SPDX-License-Identifier: Apache-2.0
// What OpenVINO alone gets wrong, seen right, refused or reported through the plugin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "backend/registry.h"
#include "support/onnx_builder.h"

namespace dycl {
namespace {

using test::attribute;
using test::f32;
using test::i64;
using test::OnnxGraph;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const Backend& openvino() {
  static BackendRegistry registry(SearchPaths{{DYCL_TEST_PLUGINS}, {DYCL_TEST_VENDORS}});
  static const std::shared_ptr<const Backend> backend = [] {
    BackendOptions options;
    options.name = "openvino";
    options.threads = 1;
    return registry.open(options).value();
  }();
  return *backend;
}

BackendGraph graph_of(const OnnxGraph& graph, std::int64_t opset = 21) {
  return {model_bytes(graph, {opset, 10}), {}};
}

std::string reason(const OnnxGraph& graph) {
  const std::optional<Refusal> refusal = openvino().check(graph_of(graph)).value();
  return refusal ? refusal->reason : "";
}

std::vector<float> floats(DyclOutput& output) {
  std::vector<float> values(output.byte_size / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), output.data, output.byte_size);
  if (output.owner != nullptr) output.release(output.owner);
  return values;
}

// A loaded graph with one output.
class Loaded {
 public:
  explicit Loaded(const OnnxGraph& graph, std::int64_t opset = 21, std::string_view blob = "")
      : executable_(openvino().load(graph_of(graph, opset), blob).value()),
        call_(executable_->create_call().value()) {}

  Result<DyclOutput> run(std::initializer_list<TensorData> inputs, DyclOutput output = {}) {
    std::vector<DyclTensor> views;
    for (const TensorData& input : inputs) views.push_back(view_of(input));
    Status status = call_.run(views, {&output, 1});
    if (!status) return failure_of(std::move(status));
    return output;
  }
  std::string error(std::initializer_list<TensorData> inputs) {
    Result<DyclOutput> output = run(inputs);
    return output ? "no error" : to_string(output.error());
  }

 private:
  std::shared_ptr<const BackendExecutable> executable_;
  BackendCall call_;
};

OnnxGraph relu() {
  OnnxGraph graph;
  graph.input("x", DType::F32, {3}).node("Relu", {"x"}, {"y"}).output("y", DType::F32, {3});
  return graph;
}

OnnxGraph binary(const char* op, DType in, DType out) {
  OnnxGraph graph;
  graph.input("a", in, {"n"}).input("b", in, {"n"}).node(op, {"a", "b"}, {"y"}).output("y", out, {"n"});
  return graph;
}

TEST(OpenvinoPlugin, ResultsOfOneRunSurviveTheNextRun) {
  Loaded loaded(relu());
  DyclOutput first = loaded.run({f32({3}, {1, 2, 3})}).value();
  DyclOutput second = loaded.run({f32({3}, {7, 8, 9})}).value();
  EXPECT_THAT(floats(first), testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(floats(second), testing::ElementsAre(7, 8, 9));
}

TEST(OpenvinoPlugin, OfferedMemoryIsWrittenInPlaceAndNotAfterwards) {
  Loaded loaded(relu());
  std::array<float, 3> memory{};
  const DyclOutput offer{memory.data(), sizeof memory, 1, 1, {3}, nullptr, 0, nullptr, nullptr};
  const DyclOutput output = loaded.run({f32({3}, {1, -2, 3})}, offer).value();
  EXPECT_EQ(output.data, memory.data());
  EXPECT_EQ(output.owner, nullptr);
  EXPECT_THAT(memory, testing::ElementsAre(1, 0, 3));
  DyclOutput later = loaded.run({f32({3}, {5, 5, 5})}).value();
  EXPECT_THAT(memory, testing::ElementsAre(1, 0, 3));
  EXPECT_THAT(floats(later), testing::ElementsAre(5, 5, 5));
}

TEST(OpenvinoPlugin, TheCallersInputIsNeverWritten) {
  Loaded loaded(relu());
  const TensorData input = f32({3}, {-1, -2, 3});
  const TensorData before = f32({3}, {-1, -2, 3});
  DyclOutput output = loaded.run({input}).value();
  EXPECT_THAT(floats(output), testing::ElementsAre(0, 0, 3));
  EXPECT_TRUE(input == before);
}

TEST(OpenvinoPlugin, InputsThatAreNotUsedDoNotShiftTheOthers) {
  OnnxGraph graph;
  graph.input("unused", DType::F32, {2}).input("x", DType::F32, {2}).input("y", DType::F32, {2});
  graph.node("Sub", {"x", "y"}, {"z"}).output("z", DType::F32, {2});
  Loaded loaded(graph);
  DyclOutput output = loaded.run({f32({2}, {100, 100}), f32({2}, {5, 7}), f32({2}, {1, 2})}).value();
  EXPECT_THAT(floats(output), testing::ElementsAre(4, 5));
}

TEST(OpenvinoPlugin, ABlobGivesTheAnswersOfTheGraph) {
  const std::string blob = openvino().compile(graph_of(relu())).value();
  EXPECT_FALSE(blob.empty());
  Loaded loaded(relu(), 21, blob);
  DyclOutput output = loaded.run({f32({3}, {kNan, -1, 2})}).value();
  const std::vector<float> values = floats(output);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], 0);
  EXPECT_EQ(values[2], 2);
}

TEST(OpenvinoPlugin, ReluKeepsNanInEveryOpset) {
  for (const std::int64_t opset : {7, 9, 13, 21, 28}) {
    Loaded loaded(relu(), opset);
    DyclOutput output = loaded.run({f32({3}, {kNan, -1, 2})}).value();
    EXPECT_TRUE(std::isnan(floats(output)[0])) << "opset " << opset;
  }
}

TEST(OpenvinoPlugin, ASoftmaxRowWithNanIsNanInEveryOpset) {
  for (const std::int64_t opset : {11, 13, 21}) {
    OnnxGraph graph;
    graph.input("x", DType::F32, {2, 2}).node("Softmax", {"x"}, {"y"}, {attribute("axis", 1)});
    graph.output("y", DType::F32, {2, 2});
    Loaded loaded(graph, opset);
    DyclOutput output = loaded.run({f32({2, 2}, {1, kNan, 0, 0})}).value();
    const std::vector<float> values = floats(output);
    EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[1])) << "opset " << opset;
    EXPECT_EQ(values[2], 0.5F);
  }
}

TEST(OpenvinoPlugin, IntegersAreComparedExactlyBeyondTheRangeOfF32) {
  Loaded loaded(binary("Equal", DType::I64, DType::Bool));
  const DyclOutput output = loaded.run({i64({2}, {16777217, 5}), i64({2}, {16777216, 5})}).value();
  const auto* flags = static_cast<const std::uint8_t*>(output.data);
  EXPECT_EQ(flags[0], 0);
  EXPECT_EQ(flags[1], 1);
  output.release(output.owner);
}

TEST(OpenvinoPlugin, AnIntegerBeyondTheLimitIsAnErrorThatNamesValueAndInput) {
  Loaded loaded(binary("Add", DType::I64, DType::I64));
  const std::string error = loaded.error({i64({1}, {3000000000}), i64({1}, {1})});
  EXPECT_THAT(error, HasSubstr("i64 value 3000000000 at input 'a' is beyond what openvino computes exactly"));
  EXPECT_THAT(error, HasSubstr("compile for onnxruntime"));
}

TEST(OpenvinoPlugin, AProductThatLeaves32BitsIsAnError) {
  Loaded loaded(binary("Mul", DType::I64, DType::I64));
  EXPECT_THAT(loaded.error({i64({1}, {1 << 20}), i64({1}, {1 << 20})}), HasSubstr("Mul"));
  const DyclOutput output = loaded.run({i64({1}, {1 << 20}), i64({1}, {-1000})}).value();
  EXPECT_EQ(*static_cast<const std::int64_t*>(output.data), -1000LL * (1 << 20));
  output.release(output.owner);
}

TEST(OpenvinoPlugin, AnIntegerDividedByZeroIsAnError) {
  Loaded loaded(binary("Div", DType::I64, DType::I64));
  EXPECT_THAT(loaded.error({i64({1}, {4}), i64({1}, {0})}), HasSubstr("an integer is divided by zero"));
}

TEST(OpenvinoPlugin, AnIndexOutOfRangeIsAnErrorAndTouchesNothing) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {3}).input("i", DType::I64, {1, 1}).input("u", DType::F32, {1});
  graph.node("ScatterND", {"x", "i", "u"}, {"y"}).output("y", DType::F32, {3});
  Loaded loaded(graph);
  const TensorData data = f32({3}, {1, 2, 3});
  EXPECT_THAT(loaded.error({data, i64({1, 1}, {1 << 23}), f32({1}, {9})}),
              HasSubstr("an index is out of range"));
  DyclOutput output = loaded.run({data, i64({1, 1}, {-1}), f32({1}, {9})}).value();
  EXPECT_THAT(floats(output), testing::ElementsAre(1, 2, 9));
}

TEST(OpenvinoPlugin, RefusalsNameOperatorAndReason) {
  EXPECT_THAT(reason(binary("Add", DType::F64, DType::F64)),
              HasSubstr("Add on f64: openvino computes f64 as f32"));
  OnnxGraph top_k;
  top_k.input("x", DType::F32, {4}).initializer("k", i64({1}, {2})).node("TopK", {"x", "k"}, {"v", "i"});
  top_k.output("i", DType::I64, {2});
  EXPECT_THAT(reason(top_k), HasSubstr("TopK: the order of equal elements is not kept"));
  OnnxGraph tile;
  tile.input("x", DType::F32, {4}).input("r", DType::I64, {1}).node("Tile", {"x", "r"}, {"y"});
  tile.output("y", DType::F32, {"n"});
  EXPECT_THAT(reason(tile), HasSubstr("Tile: repeats that are not constant"));
}

OnnxGraph dropout(const TensorData& training) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n"}).initializer("ratio", f32({}, {0.5F})).initializer("mode", training);
  graph.node("Dropout", {"x", "ratio", "mode"}, {"y", "mask"});
  graph.node("Cast", {"mask"}, {"kept"}, {attribute("to", 1)}).node("Add", {"y", "kept"}, {"z"});
  graph.output("z", DType::F32, {"n"});
  return graph;
}

TEST(OpenvinoPlugin, DropoutWithoutTrainingKeepsEverythingAndItsMaskSaysSo) {
  Loaded loaded(dropout(test::boolean({}, {0})));
  DyclOutput output = loaded.run({f32({3}, {1, 2, 3})}).value();
  EXPECT_THAT(floats(output), testing::ElementsAre(2, 3, 4));
  OnnxGraph plain;
  plain.input("x", DType::F32, {"n"}).node("Dropout", {"x"}, {"y"}).output("y", DType::F32, {"n"});
  for (const std::int64_t opset : {7, 10, 13, 22}) {
    Loaded again(plain, opset);
    DyclOutput kept = again.run({f32({2}, {5, 6})}).value();
    EXPECT_THAT(floats(kept), testing::ElementsAre(5, 6)) << "opset " << opset;
  }
}

TEST(OpenvinoPlugin, DropoutInTrainingIsRefused) {
  EXPECT_THAT(reason(dropout(test::boolean({}, {1}))), HasSubstr("Dropout: randomness is not reproduced"));
}

TEST(OpenvinoPlugin, ComputingWithAnUnroundedHalfIsRefusedAndMovingItIsNot) {
  OnnxGraph chain;
  chain.input("x", DType::BF16, {2}).node("Mul", {"x", "x"}, {"s"}).node("Add", {"s", "x"}, {"y"});
  chain.output("y", DType::BF16, {2});
  EXPECT_THAT(reason(chain), HasSubstr("Add on bf16: openvino would not round the intermediate result 's'"));
  OnnxGraph moved;
  moved.input("x", DType::BF16, {2}).node("Mul", {"x", "x"}, {"s"}).node("Relu", {"s"}, {"r"});
  moved.node("Concat", {"r", "x"}, {"y"}, {attribute("axis", 0)}).output("y", DType::BF16, {4});
  EXPECT_EQ(reason(moved), "");
}

TEST(OpenvinoPlugin, IndicesShapesAndCountersAreNotRefused) {
  OnnxGraph graph;
  graph.input("table", DType::F32, {"rows", 4}).input("ids", DType::I64, {"n"}).input("step", DType::I64, {});
  graph.initializer("one", i64({}, {1})).initializer("first", i64({1}, {0}));
  graph.initializer("end", i64({1}, {std::numeric_limits<std::int64_t>::max()}));
  graph.node("Gather", {"table", "ids"}, {"rows_of"}).node("Slice", {"rows_of", "first", "end"}, {"y"});
  graph.node("Add", {"step", "one"}, {"next"}).node("Shape", {"table"}, {"shape"});
  graph.output("y", DType::F32, {"n", 4}).output("next", DType::I64, {}).output("shape", DType::I64, {2});
  EXPECT_EQ(reason(graph), "");
}

}  // namespace
}  // namespace dycl
