// SPDX-License-Identifier: Apache-2.0
// The threads of the vendors' real pools, counted in /proc.
#include <gtest/gtest.h>

#include <filesystem>

#include "backend/registry.h"
#include "support/onnx_builder.h"

namespace dycl {
namespace {

int threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

SearchPaths search_paths() { return {{DYCL_TEST_PLUGINS}, {DYCL_TEST_VENDORS}}; }

BackendOptions options(const std::string& name, int threads = 0) {
  BackendOptions result;
  result.name = name;
  result.threads = threads;
  return result;
}

// Sub-DNNs of a size that a pool shares, each run once.
std::vector<std::shared_ptr<const BackendExecutable>> run_some(const Backend& backend, int count) {
  std::vector<std::shared_ptr<const BackendExecutable>> loaded;
  for (int index = 0; index < count; ++index) {
    test::OnnxGraph graph;
    graph.input("x", DType::F32, {256, 256 + index}).input("w", DType::F32, {256 + index, 64});
    graph.node("MatMul", {"x", "w"}, {"y"}).output("y", DType::F32, {256, 64});
    loaded.push_back(backend.load({model_bytes(graph), {}}, "").value());
    const auto zeros = [](std::int64_t rows, std::int64_t columns) {
      return make_tensor(DType::F32, {rows, columns},
                         std::vector<std::byte>(static_cast<std::size_t>(rows * columns) * sizeof(float)));
    };
    const TensorData x = zeros(256, 256 + index);
    const TensorData w = zeros(256 + index, 64);
    const DyclTensor inputs[] = {view_of(x), view_of(w)};
    DyclOutput output{};
    BackendCall call = loaded.back()->create_call().value();
    EXPECT_TRUE(call.run(inputs, {&output, 1}));
    if (output.owner != nullptr) output.release(output.owner);
  }
  return loaded;
}

// Loading a library may start threads that are no pool, once per process: they are here before we count.
int threads_before() {
  BackendRegistry registry(search_paths(), {}, 1);
  for (const char* name : {"onnxruntime", "openvino"}) {
    const auto backend = registry.open(options(name)).value();
    run_some(*backend, 1);
  }
  return threads_of_process();
}

TEST(ThreadPools, OnnxruntimeHasOnePoolHoweverManyExecutables) {
  const int before = threads_before();
  BackendRegistry registry(search_paths(), {}, 4);
  {
    const auto backend = registry.open(options("onnxruntime")).value();
    const auto loaded = run_some(*backend, 5);
    EXPECT_EQ(threads_of_process() - before, 3);
  }
  // Idle now: another number of threads is given.
  const auto smaller = registry.open(options("onnxruntime", 2)).value();
  const auto loaded = run_some(*smaller, 2);
  EXPECT_EQ(threads_of_process() - before, 1);
}

TEST(ThreadPools, AskingForTypesDoesNotDecideThePoolOfPrograms) {
  const int before = threads_before();
  BackendRegistry registry(search_paths(), {}, 3);
  {
    const auto typing = registry.open(options("onnxruntime"), BackendRegistry::Purpose::Questions).value();
    run_some(*typing, 1);
    EXPECT_EQ(threads_of_process(), before);
  }
  const auto running = registry.open(options("onnxruntime")).value();
  const auto loaded = run_some(*running, 1);
  EXPECT_EQ(threads_of_process() - before, 2);
}

TEST(ThreadPools, OfTwoBackendsStayWithinTheCapTogether) {
  constexpr int kCap = 4;
  const int before = threads_before();
  BackendRegistry registry(search_paths(), {}, kCap);
  const auto first = registry.open(options("onnxruntime")).value();
  const auto on_first = run_some(*first, 3);
  const auto second = registry.open(options("openvino")).value();
  const auto on_second = run_some(*second, 3);
  EXPECT_EQ(second->threads(), 1);
  EXPECT_LE(threads_of_process() - before, kCap - 1);
}

}  // namespace
}  // namespace dycl
