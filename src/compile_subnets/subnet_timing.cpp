// SPDX-License-Identifier: Apache-2.0
#include "compile_subnets/subnet_timing.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace dycl::compile_subnets {
namespace {

constexpr std::int64_t kUnknownSize = 16;  // taken for a size that only a run knows
constexpr int kWarmUps = 3;
constexpr int kRounds = 25;
constexpr double kLongEnough = 0.5;  // seconds of one contender

// Halves for floats, zeros for all else: valid as indices, conditions and sizes.
TensorData made_up(const TensorType& type) {
  std::vector<std::int64_t> dims;
  if (type.dims)
    for (const Dim& dim : *type.dims)
      dims.push_back(
          std::max<std::int64_t>(1, evaluate(dim, [](SymbolId) { return kUnknownSize; }).value_or(1)));
  const auto count = static_cast<std::size_t>(element_count(dims).value_or(0));
  if (type.dtype == DType::F32)
    return make_tensor_of<float>(type.dtype, dims, std::vector<float>(count, 0.5F));
  if (type.dtype == DType::F64)
    return make_tensor_of<double>(type.dtype, dims, std::vector<double>(count, 0.5));
  std::vector<std::byte> zeros(byte_size(type.dtype, static_cast<std::int64_t>(count)).value_or(0));
  return make_tensor(type.dtype, dims, std::move(zeros));
}

class Runner {
 public:
  static Result<Runner> make(const Hcfg& graph, const Contender& contender) {
    Result<BackendCall> call = contender.executable->create_call();
    if (!call) return failure_of(std::move(call));
    Runner runner(std::move(*call));
    for (const ValueId input : contender.graph->inputs) {
      const TensorType* type = graph.type_of(input).tensor();
      if (type == nullptr || !type->dims)
        return fail(Blame::Backend, "backend.not_timed", "an input has unknown rank");
      runner.inputs_.push_back(made_up(*type));
    }
    runner.outputs_.resize(contender.graph->outputs.size());
    return runner;
  }

  Result<double> run() {
    std::vector<DyclTensor> inputs;
    for (const TensorData& input : inputs_) inputs.push_back(view_of(input));
    for (DyclOutput& output : outputs_) output = DyclOutput{};
    const auto start = std::chrono::steady_clock::now();
    Status status = call_.run(inputs, outputs_);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    for (const DyclOutput& output : outputs_)
      if (output.owner != nullptr) output.release(output.owner);
    if (!status) return failure_of(std::move(status));
    return seconds.count();
  }

 private:
  explicit Runner(BackendCall call) : call_(std::move(call)) {}

  BackendCall call_;
  std::vector<TensorData> inputs_;
  std::vector<DyclOutput> outputs_;
};

struct Turn {
  std::string backend;
  Runner runner;
  std::vector<double> seconds;
  double total = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

std::map<std::string, double> time_contenders(const Hcfg& graph, const std::vector<Contender>& contenders) {
  std::vector<Turn> turns;
  for (const Contender& contender : contenders) {
    Result<Runner> runner = Runner::make(graph, contender);
    if (!runner) continue;
    bool runs = true;
    for (int round = 0; runs && round < kWarmUps; ++round) runs = runner->run().has_value();
    if (runs) turns.push_back({contender.backend, std::move(*runner), {}, 0});
  }
  for (int round = 0; round < kRounds; ++round)
    for (Turn& turn : turns) {
      if (turn.total > kLongEnough) continue;
      if (const Result<double> seconds = turn.runner.run()) {
        turn.seconds.push_back(*seconds);
        turn.total += *seconds;
      }
    }
  std::map<std::string, double> times;
  for (const Turn& turn : turns)
    if (!turn.seconds.empty()) times.emplace(turn.backend, median(turn.seconds));
  return times;
}

}  // namespace dycl::compile_subnets
