// SPDX-License-Identifier: Apache-2.0
// dycl-probe NAME PLUGIN LIBRARY PRECISION: opens a backend, runs a first inference of the two kernels
// on which vendor libraries choose instructions by CPU, and prints {"usable": …, "message": …}.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/backend.h"
#include "backend/probe_graphs.h"
#include "base/tensor_data.h"

namespace {

using namespace dycl;

TensorData ones(std::vector<std::int64_t> dims) {
  const std::vector<float> values(static_cast<std::size_t>(element_count(dims).value()), 1.0F);
  return make_tensor_of<float>(DType::F32, std::move(dims), values);
}

// Every element of the result must be `expected`.
Status run_graph(const Backend& backend, const std::string& onnx, const TensorData& left,
                 const TensorData& right, float expected) {
  const BackendGraph graph{onnx, {}};
  auto refusal = backend.check(graph);
  if (!refusal) return failure_of(std::move(refusal));
  if (*refusal) return {};  // a backend without this operator cannot stumble over it
  auto blob = backend.compile(graph);
  if (!blob) return failure_of(std::move(blob));
  auto executable = backend.load(graph, *blob);
  if (!executable) return failure_of(std::move(executable));
  auto call = (*executable)->create_call();
  if (!call) return failure_of(std::move(call));
  DyclOutput output{};
  if (Status ran = call->run(std::array{view_of(left), view_of(right)}, {&output, 1}); !ran) return ran;
  const auto* values = static_cast<const float*>(output.data);
  bool right_answer = output.dtype == static_cast<std::int32_t>(DType::F32);
  for (std::size_t index = 0; index < output.byte_size / sizeof(float); ++index)
    right_answer = right_answer && std::abs(values[index] - expected) < 1e-3F;
  if (output.owner != nullptr) output.release(output.owner);
  if (!right_answer)
    return fail(Blame::Backend, "probe.wrong_answer", "the first inference gave a wrong answer");
  return {};
}

Result<std::string> probe(const BackendOptions& options) {
  auto backend = Backend::open(options);
  if (!backend) return failure_of(std::move(backend));
  Status done = run_graph(**backend, convolution_graph(), ones({1, 16, 16, 16}), ones({16, 16, 3, 3}), 144);
  if (done) done = run_graph(**backend, product_graph(), ones({32, 64}), ones({64, 32}), 64);
  if (!done) return failure_of(std::move(done));
  return fmt::format("{} {}", options.name, (*backend)->description().version);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: dycl-probe NAME PLUGIN LIBRARY PRECISION\n");
    return 2;
  }
  BackendOptions options;
  options.name = argv[1];
  options.plugin = argv[2];
  options.library = argv[3];
  options.precision = argv[4];
  options.threads = 1;
  const auto answer = probe(options);
  const nlohmann::json json{{"usable", answer.has_value()},
                            {"message", answer ? *answer : to_string(answer.error())}};
  fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return 0;
}
