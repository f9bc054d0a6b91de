// SPDX-License-Identifier: Apache-2.0
// dycl_bench ROUNDS REPEATS TRIPS VENDOR_FOLDER PACKAGE…: our executor against the backend's own calls, one
// thread. Prints a JSON list. In each package every sub-DNN must run exactly TRIPS times when all inputs
// are 1.
#include <iostream>
#include <nlohmann/json.hpp>

#include "backend/registry.h"
#include "direct_calls.h"
#include "package/package_file.h"
#include "rounds.h"
#include "runtime/session.h"

namespace dycl::bench {
namespace {

struct Settings {
  std::size_t rounds = 0;
  std::size_t repeats = 0;
  std::size_t trips = 1;  // how often a run calls each sub-DNN
  SearchPaths search;
};

nlohmann::json to_json(const Quantiles& quantiles) {
  return {{"p10", quantiles.p10}, {"p50", quantiles.p50}, {"p90", quantiles.p90}};
}

TensorPtr ones(const TensorType& type, const StaticShape& shape) {
  std::vector<std::byte> bytes(shape.byte_size);
  if (type.dtype == DType::F32) {
    const std::vector<float> values(shape.byte_size / sizeof(float), 1.0F);
    return std::make_shared<TensorData>(make_tensor_of<float>(type.dtype, shape.dims, values));
  }
  std::ranges::fill(bytes, std::byte{1});
  return std::make_shared<TensorData>(make_tensor(type.dtype, shape.dims, std::move(bytes)));
}

Result<std::vector<runtime::RuntimeValue>> inputs_of(const runtime::LoadedProgram& program) {
  std::vector<runtime::RuntimeValue> inputs;
  for (const PlanPort& port : program.inputs()) {
    auto shape = static_shape(port.type);
    if (!shape) return failure_of(std::move(shape));
    auto tensor = runtime::RuntimeTensor::share(ones(*port.type.tensor(), *shape));
    if (!tensor) return failure_of(std::move(tensor));
    inputs.emplace_back(std::move(*tensor));
  }
  return inputs;
}

Result<nlohmann::json> measure(const std::string& path, const Settings& settings) {
  auto artifact = read_package(path);
  if (!artifact) return failure_of(std::move(artifact));
  BackendRegistry registry(settings.search);
  auto backend = registry.open({.name = "onnxruntime", .plugin = {}, .library = {}, .threads = 1});
  if (!backend) return failure_of(std::move(backend));
  auto program = runtime::LoadedProgram::load(*artifact, {{"onnxruntime", *backend}});
  if (!program) return failure_of(std::move(program));
  auto direct = DirectCalls::bind(**program);
  if (!direct) return failure_of(std::move(direct));
  auto inputs = inputs_of(**program);
  if (!inputs) return failure_of(std::move(inputs));

  runtime::RunSession session(*program);
  std::vector<runtime::RuntimeValue> outputs;
  const auto ours = [&] {
    if (Status ran = session.run(*inputs, outputs); !ran) internal_error(ran.error().message);
  };
  ours();
  const std::size_t called = session.stats().subnet_calls;
  if (called != settings.trips * direct->size())
    return fail(Blame::Usage, "bench.path",
                "not every sub-DNN of " + path + " ran exactly " + std::to_string(settings.trips) + " times");
  const auto backend_alone = [&] {
    for (std::size_t trip = 0; trip < settings.trips; ++trip) direct->run();
  };
  const Comparison result = take_turns(ours, backend_alone, settings.rounds, settings.repeats);
  const auto calls = static_cast<double>(called);
  return nlohmann::json{{"package", path},
                        {"subnet_calls", called},
                        {"ours_us", to_json(result.first_us)},
                        {"direct_us", to_json(result.second_us)},
                        {"ratio", to_json(result.ratio)},
                        {"dispatch_us_per_subnet", result.difference_us.p50 / calls}};
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) {
    std::cerr << "usage: dycl_bench ROUNDS REPEATS TRIPS VENDOR_FOLDER PACKAGE...\n";
    return 2;
  }
  const Settings settings{std::stoul(arguments[0]),
                          std::stoul(arguments[1]),
                          std::stoul(arguments[2]),
                          {default_plugin_folders(), {arguments[3]}}};
  nlohmann::json results = nlohmann::json::array();
  for (std::size_t i = 4; i < arguments.size(); ++i) {
    const auto result = measure(arguments[i], settings);
    if (!result) {
      std::cerr << to_string(result.error()) << "\n";
      return exit_code(result.error().blame);
    }
    results.push_back(*result);
  }
  std::cout << results.dump(2) << "\n";
  return 0;
}

}  // namespace
}  // namespace dycl::bench

int main(int count, char** arguments) { return dycl::bench::run({arguments + 1, arguments + count}); }
