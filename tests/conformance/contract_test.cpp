// SPDX-License-Identifier: Apache-2.0
// The promises of plugin_abi.h about memory, errors and threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "subject.h"

namespace dycl::conformance {
namespace {

using test::f32;
using test::i64;
using test::OnnxGraph;

OnnxGraph sum_graph() {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n", 2}).input("y", DType::F32, {"n", 2});
  graph.node("Add", {"x", "y"}, {"sum"}).output("sum", DType::F32, {"n", 2});
  return graph;
}

std::shared_ptr<const BackendExecutable> load(const OnnxGraph& graph) {
  const BackendGraph bytes = graph_of(graph);
  auto executable = subject().load(bytes, subject().compile(bytes).value());
  if (!executable) ADD_FAILURE() << to_string(executable.error());
  return executable.value();
}

class SumTest : public testing::Test {
 protected:
  std::shared_ptr<const BackendExecutable> executable_ = load(sum_graph());
  BackendCall call_ = executable_->create_call().value();
  TensorData x_ = f32({1, 2}, {1, 2});
  TensorData y_ = f32({1, 2}, {10, 20});
  std::array<DyclTensor, 2> inputs_{view_of(x_), view_of(y_)};
  std::array<float, 4> memory_{-1, -1, -1, -1};

  DyclOutput offer(std::int64_t rows, std::size_t capacity) {
    DyclOutput output{};
    output.buffer = memory_.data();
    output.capacity = capacity;
    output.dtype = 1;
    output.rank = 2;
    output.dims[0] = rows;
    output.dims[1] = 2;
    return output;
  }
  void expect_still_works() {
    DyclOutput output{};
    const Status ran = call_.run(inputs_, {&output, 1});
    ASSERT_TRUE(ran) << to_string(ran.error());
    EXPECT_TRUE(take(output) == f32({1, 2}, {11, 22}));
  }
};

TEST_F(SumTest, ResultIsWrittenIntoOfferedMemory) {
  DyclOutput output = offer(1, 8);
  const Status ran = call_.run(inputs_, {&output, 1});
  ASSERT_TRUE(ran) << to_string(ran.error());
  EXPECT_EQ(output.owner, nullptr);
  EXPECT_EQ(output.data, memory_.data());
  EXPECT_EQ(output.byte_size, 8U);
  EXPECT_THAT(memory_, testing::ElementsAre(11, 22, -1, -1));
}

TEST_F(SumTest, OfferedMemoryIsUsedAgainAndAgain) {
  for (int run = 0; run < 100; ++run) {
    DyclOutput output = offer(1, 16);
    ASSERT_TRUE(call_.run(inputs_, {&output, 1}));
    ASSERT_EQ(output.data, memory_.data());
  }
}

TEST_F(SumTest, BackendProvidesMemoryWhenNoneIsOffered) {
  DyclOutput output{};
  ASSERT_TRUE(call_.run(inputs_, {&output, 1}));
  ASSERT_NE(output.owner, nullptr);
  ASSERT_NE(output.release, nullptr);
  EXPECT_EQ(output.rank, 2);
  EXPECT_TRUE(take(output) == f32({1, 2}, {11, 22}));
}

TEST_F(SumTest, BackendMemoryOutlivesTheNextRun) {
  DyclOutput first{};
  DyclOutput second{};
  ASSERT_TRUE(call_.run(inputs_, {&first, 1}));
  const TensorData other = f32({1, 2}, {5, 5});
  ASSERT_TRUE(call_.run(std::array{view_of(other), view_of(other)}, {&second, 1}));
  EXPECT_TRUE(take(first) == f32({1, 2}, {11, 22}));
  EXPECT_TRUE(take(second) == f32({1, 2}, {10, 10}));
}

TEST_F(SumTest, ResultOfAnotherShapeThanOfferedIsHandedBack) {
  DyclOutput output = offer(2, 16);
  const Status ran = call_.run(inputs_, {&output, 1});
  ASSERT_TRUE(ran) << to_string(ran.error());
  EXPECT_NE(output.data, memory_.data());
  EXPECT_TRUE(take(output) == f32({1, 2}, {11, 22}));
}

TEST_F(SumTest, ResultOfAnotherDtypeThanOfferedIsHandedBack) {
  DyclOutput output = offer(1, 16);
  output.dtype = 7;
  const Status ran = call_.run(inputs_, {&output, 1});
  ASSERT_TRUE(ran) << to_string(ran.error());
  EXPECT_NE(output.data, memory_.data());
  EXPECT_TRUE(take(output) == f32({1, 2}, {11, 22}));
}

TEST_F(SumTest, NothingIsWrittenPastTheOfferedCapacity) {
  DyclOutput output = offer(1, 4);
  const Status ran = call_.run(inputs_, {&output, 1});
  ASSERT_TRUE(ran) << to_string(ran.error());
  EXPECT_NE(output.data, memory_.data());
  EXPECT_EQ(memory_[1], -1);
  EXPECT_TRUE(take(output) == f32({1, 2}, {11, 22}));
}

TEST_F(SumTest, SizesMayChangeBetweenRuns) {
  const TensorData large = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  DyclOutput output{};
  ASSERT_TRUE(call_.run(std::array{view_of(large), view_of(large)}, {&output, 1}));
  EXPECT_TRUE(take(output) == f32({3, 2}, {2, 4, 6, 8, 10, 12}));
  expect_still_works();
}

TEST_F(SumTest, OneTensorMayBeBothInputs) {
  DyclOutput output{};
  ASSERT_TRUE(call_.run(std::array{inputs_[0], inputs_[0]}, {&output, 1}));
  EXPECT_TRUE(take(output) == f32({1, 2}, {2, 4}));
}

TEST_F(SumTest, WrongInputsAreErrorsThatSayWhatWasGiven) {
  const TensorData rank3 = f32({1, 1, 2}, {1, 2});
  const TensorData integers = i64({1, 2}, {1, 2});
  const TensorData wide = f32({1, 3}, {1, 2, 3});
  for (const TensorData& wrong : {rank3, integers, wide}) {
    DyclOutput output{};
    const Status ran = call_.run(std::array{view_of(wrong), inputs_[1]}, {&output, 1});
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().blame, Blame::Backend);
    EXPECT_FALSE(ran.error().message.empty());
    EXPECT_EQ(output.owner, nullptr);
  }
  expect_still_works();
}

TEST_F(SumTest, WrongCountsAreErrors) {
  DyclOutput output{};
  EXPECT_FALSE(call_.run({inputs_.data(), 1}, {&output, 1}));
  const std::array<DyclTensor, 3> three{inputs_[0], inputs_[1], inputs_[1]};
  EXPECT_FALSE(call_.run(three, {&output, 1}));
  std::array<DyclOutput, 2> two{};
  EXPECT_FALSE(call_.run(inputs_, two));
  EXPECT_FALSE(call_.run(inputs_, {}));
  expect_still_works();
}

TEST_F(SumTest, UnsafeTensorsAreErrors) {
  DyclOutput output{};
  DyclTensor small = inputs_[0];
  small.byte_size = 4;
  EXPECT_FALSE(call_.run(std::array{small, inputs_[1]}, {&output, 1}));
  DyclTensor foreign = inputs_[0];
  foreign.device_kind = 2;
  EXPECT_FALSE(call_.run(std::array{foreign, inputs_[1]}, {&output, 1}));
  DyclTensor deep = inputs_[0];
  deep.rank = 17;
  EXPECT_FALSE(call_.run(std::array{deep, inputs_[1]}, {&output, 1}));
  expect_still_works();
}

TEST_F(SumTest, FourThreadsMayRunOneExecutable) {
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t id = 0; id < wrong.size(); ++id)
    threads.emplace_back([this, id, &wrong] {
      BackendCall call = executable_->create_call().value();
      const auto base = static_cast<float>(id);
      const TensorData x = f32({1, 2}, {base, base + 1});
      for (int run = 0; run < 300; ++run) {
        DyclOutput output{};
        const Status ran = call.run(std::array{view_of(x), inputs_[1]}, {&output, 1});
        if (!ran || !(take(output) == f32({1, 2}, {base + 10, base + 21}))) ++wrong[id];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(Graphs, MayHandAnInputThrough) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("Add", {"x", "x"}, {"y"});
  graph.output("x", DType::F32, {2}).output("y", DType::F32, {2});
  const Answer answer = ask_plugin(graph_of(graph), std::array{f32({2}, {1, 2})});
  if (answer.kind == Answer::Kind::Refused) return;
  expect_right(answer, {f32({2}, {1, 2}), f32({2}, {2, 4})});
}

TEST(Graphs, FillOfferedMemoryWithWhateverAnOutputIs) {
  OnnxGraph graph;  // a constant, an input handed through, a copy of an input
  graph.input("x", DType::F32, {2}).initializer("c", f32({2}, {5, 6})).node("Identity", {"x"}, {"y"});
  graph.node("Identity", {"c"}, {"k"});
  graph.output("x", DType::F32, {2}).output("y", DType::F32, {2}).output("k", DType::F32, {2});
  if (subject().check(graph_of(graph)).value()) return;
  const auto executable = load(graph);
  BackendCall call = executable->create_call().value();
  const TensorData x = f32({2}, {1, 2});
  std::array<std::array<float, 2>, 3> memory{};
  std::array<DyclOutput, 3> outputs{};
  for (std::size_t index = 0; index < outputs.size(); ++index) {
    outputs[index].buffer = memory[index].data();
    outputs[index].capacity = 8;
    outputs[index].dtype = 1;
    outputs[index].rank = 1;
    outputs[index].dims[0] = 2;
  }
  const Status ran = call.run(std::array{view_of(x)}, outputs);
  ASSERT_TRUE(ran) << to_string(ran.error());
  for (const DyclOutput& output : outputs) EXPECT_EQ(output.data, output.buffer);
  EXPECT_THAT(memory[0], testing::ElementsAre(1, 2));
  EXPECT_THAT(memory[1], testing::ElementsAre(1, 2));
  EXPECT_THAT(memory[2], testing::ElementsAre(5, 6));
}

TEST(Graphs, CompileToABlobOfTheKindThatThePluginSays) {
  const BackendGraph graph = graph_of(sum_graph());
  ASSERT_FALSE(subject().check(graph).value());
  EXPECT_EQ(subject().compile(graph).value().empty(), subject().traits().blob == BlobKind::None);
}

TEST(Graphs, OfOneIdentityCopyTheirInput) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {"n"}).node("Identity", {"x"}, {"y"}).output("y", DType::F32, {"n"});
  expect_right(ask(graph, {f32({2}, {1, 2})}), {f32({2}, {1, 2})});
}

TEST(Graphs, MayHaveNoOutputs) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("Identity", {"x"}, {"y"});
  const Answer answer = ask_plugin(graph_of(graph), std::array{f32({2}, {1, 2})});
  EXPECT_NE(answer.kind, Answer::Kind::Failed) << answer.reason;
  EXPECT_TRUE(answer.outputs.empty());
}

TEST(Graphs, MayHaveNoInputs) {
  OnnxGraph graph;
  graph.initializer("c", f32({2}, {1, 2})).node("Add", {"c", "c"}, {"y"}).output("y", DType::F32, {2});
  expect_right(ask(graph, {}), {f32({2}, {2, 4})});
}

void expect_error_everywhere(const std::string& bytes) {
  const BackendGraph graph{bytes, {}};
  const auto checked = subject().check(graph);
  EXPECT_TRUE(!checked || *checked);
  EXPECT_FALSE(subject().infer_types(graph));
  EXPECT_FALSE(subject().load(graph, ""));
}

TEST(MalformedGraphs, AreErrorsNotCrashes) {
  const std::string good = test::model_bytes(sum_graph());
  expect_error_everywhere("");
  expect_error_everywhere("not a model");
  expect_error_everywhere(good.substr(0, good.size() / 2));
  expect_error_everywhere(std::string(1000, '\xff'));
}

TEST(MalformedGraphs, WithUnknownValuesAreErrors) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("Add", {"x", "nobody"}, {"y"}).output("y", DType::F32, {2});
  expect_error_everywhere(test::model_bytes(graph));
}

TEST(MalformedGraphs, WithUnknownOperatorsAreRefused) {
  OnnxGraph graph;
  graph.input("x", DType::F32, {2}).node("NoSuchOperator", {"x"}, {"y"}).output("y", DType::F32, {2});
  expect_error_everywhere(test::model_bytes(graph));
}

TEST(MalformedGraphs, WithDamagedBytesNeverCrash) {
  const std::string good = test::model_bytes(sum_graph());
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x15);
    const BackendGraph graph{bytes, {}};
    const auto refusal = subject().check(graph);
    if (refusal && !*refusal) (void)subject().load(graph, "");
  }
}

TEST(ControlFlow, IsNeverTaken) {
  OnnxGraph branch("branch");
  branch.node("Identity", {"x"}, {"r"}).output("r", DType::F32, {2});
  OnnxGraph graph;
  graph.input("c", DType::Bool, {}).input("x", DType::F32, {2});
  graph.node("If", {"c"}, {"y"},
             {test::attribute("then_branch", branch), test::attribute("else_branch", branch)});
  graph.output("y", DType::F32, {2});
  expect_error_everywhere(test::model_bytes(graph));
}

}  // namespace
}  // namespace dycl::conformance
