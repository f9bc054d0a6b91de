// SPDX-License-Identifier: Apache-2.0
// The backend under test, and the ways to ask it something.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "support/onnx_builder.h"

namespace dycl::conformance {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

// --backend=NAME --plugins=FOLDER --vendors=FOLDER
void set_arguments(std::vector<std::string> arguments);

// The backend that the arguments name, opened once.
const Backend& subject();

// What became of a graph and its inputs.
struct Answer {
  // RefusedByValue: check() agreed to the graph, and `run` refused these inputs with a code that
  // known_refusals.cpp names, instead of giving a wrong answer.
  // Raised: by a check that a rule wrote into the graph, because the backend declares the hazard.
  enum class Kind { Computed, Refused, RefusedByValue, Raised, Failed };
  Kind kind = Kind::Failed;
  std::string question;  // the operators and the first input's dtype: "Add i64"
  std::string reason;    // why it was refused or failed
  std::vector<TensorData> outputs;
};

BackendGraph graph_of(const test::OnnxGraph& graph, test::OnnxModelOptions options = {});

// check, load, create_call, run; the backend provides the outputs' memory.
Answer ask_plugin(const BackendGraph& graph, std::span<const TensorData> inputs);
// The same of the graph as DyCL would hand it over: legalized, where the backend declares hazards.
Answer ask(const BackendGraph& graph, std::span<const TensorData> inputs);
Answer ask(const test::OnnxGraph& graph, std::vector<TensorData> inputs, test::OnnxModelOptions options = {});
// One node over the inputs i0, i1, … with `outputs` results; a size in `inputs` is declared as it is.
test::OnnxGraph node_graph(std::string_view op, std::span<const TensorData> inputs,
                           const std::vector<test::OnnxAttribute>& attributes = {}, std::size_t outputs = 1);
Answer ask_node(std::string_view op, std::vector<TensorData> inputs,
                const std::vector<test::OnnxAttribute>& attributes = {}, std::size_t outputs = 1,
                test::OnnxModelOptions options = {});

// Copies a finished output and releases the backend's memory.
TensorData take(DyclOutput& output);

// The rule of this suite: right (bit for bit, NaN equal to NaN), or refused, by check() or by value, where
// this backend is known to refuse (known_refusals.cpp). Any other error after check() agreed is a failure.
void expect_known_refusal(const Answer& answer);
void expect_right(const Answer& answer, const std::vector<TensorData>& expected, float tolerance = 0);
// The value must not give an answer: an error, a refusal or, if the hazard is declared, the check of a rule.
void expect_error_or_hazard(const std::string& hazard, const Answer& answer);
// The value must be computed rightly or, if the hazard is declared, raised about. A hazard that a rewriting
// mends for PyTorch's programs only is not asked about: these graphs are ONNX's.
void expect_right_or_hazard(const std::string& hazard, const std::function<Answer()>& question,
                            const std::vector<TensorData>& expected);
// The value must be computed rightly unless ONNX leaves the answer open and this backend is known to give
// another (known_refusals.cpp).
void expect_right_unless_left_open(const std::function<Answer()>& question,
                                   const std::vector<TensorData>& expected);

}  // namespace dycl::conformance
