// SPDX-License-Identifier: Apache-2.0
#include "subject.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "aten_form.h"
#include "backend/registry.h"
#include "known_refusals.h"
#include "legal_form.h"

namespace dycl::conformance {
namespace {

std::vector<std::string>& arguments() {
  static std::vector<std::string> texts;
  return texts;
}

std::string argument(std::string_view name) {
  const std::string prefix = fmt::format("--{}=", name);
  for (const std::string& text : arguments())
    if (text.starts_with(prefix)) return text.substr(prefix.size());
  return "";
}

std::shared_ptr<const Backend> open_subject() {
  BackendRegistry registry(SearchPaths{{argument("plugins")}, {argument("vendors")}});
  BackendOptions options;
  options.name = argument("backend");
  options.threads = 2;
  auto backend = registry.open(options);
  if (backend) return *backend;
  fmt::print(stderr, "cannot open the backend under test: {}\n", to_string(backend.error()));
  std::exit(1);
}

// DyCL's types come from the reference backend; where its library is not there, from the one under test.
std::shared_ptr<const Backend> open_typing() {
  BackendRegistry registry(SearchPaths{{argument("plugins")}, {argument("vendors")}});
  auto backend = registry.open_reference();
  return backend ? *backend : open_subject();
}

Answer refused(std::string reason) { return Answer{Answer::Kind::Refused, "", std::move(reason), {}}; }
Answer failed(const Diagnostic& error) { return Answer{Answer::Kind::Failed, "", to_string(error), {}}; }

Answer failed_to_run(const Diagnostic& error) {
  Answer answer = failed(error);
  if (refuses_value(subject().description().name, answer.reason)) answer.kind = Answer::Kind::RefusedByValue;
  return answer;
}

Answer run_once(const BackendExecutable& executable, std::span<const TensorData* const> inputs,
                std::size_t count) {
  auto call = executable.create_call();
  if (!call) return failed(call.error());
  std::vector<DyclTensor> views;
  for (const TensorData* input : inputs) views.push_back(view_of(*input));
  std::vector<DyclOutput> outputs(count, DyclOutput{});
  if (const Status ran = call->run(views, outputs); !ran) return failed_to_run(ran.error());
  Answer answer{Answer::Kind::Computed, "", "", {}};
  for (DyclOutput& output : outputs) answer.outputs.push_back(take(output));
  return answer;
}

Answer answer_to(const BackendGraph& graph, std::span<const TensorData* const> inputs, std::size_t outputs) {
  auto refusal = subject().check(graph);
  if (!refusal) return failed(refusal.error());
  if (*refusal) return refused((*refusal)->reason);
  auto blob = subject().compile(graph);
  if (!blob) return failed(blob.error());
  auto executable = subject().load(graph, *blob);
  if (!executable) return failed(executable.error());
  return run_once(**executable, inputs, outputs);
}

// The model's outputs, or what a guard raised.
Answer without_guards(Answer answer, const LegalForm& form) {
  if (answer.kind != Answer::Kind::Computed) return answer;
  const std::size_t first = answer.outputs.size() - form.guards.size();
  for (std::size_t index = 0; index < form.guards.size(); ++index)
    if (answer.outputs[first + index].bytes[0] != std::byte{0})
      return {Answer::Kind::Raised, "", form.guards[index].message, {}};
  std::vector<TensorData> outputs;
  for (const std::size_t place : form.outputs) outputs.push_back(answer.outputs[place]);
  answer.outputs = std::move(outputs);
  return answer;
}

Answer legal_answer_to(const LegalForm& form, std::span<const TensorData> inputs) {
  std::vector<const TensorData*> given;
  for (const std::size_t place : form.inputs) given.push_back(&inputs[place]);
  return without_guards(answer_to(form.graph, given, form.outputs.size() + form.guards.size()), form);
}

bool declares_hazards() {
  const BackendDescription& backend = subject().description();
  return !backend.rewrites.empty() || !backend.checks.empty();
}

std::string question_of(const onnx::ModelProto& model, std::span<const TensorData> inputs) {
  std::string question;
  for (const auto& node : model.graph().node()) question += node.op_type() + " ";
  return question + std::string(inputs.empty() ? "" : name_of(inputs.front().dtype));
}

std::string this_test() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}.{}", info->test_suite_name(), info->name());
}

bool equal_or_both_nan(float got, float wanted, float tolerance) {
  if (std::isnan(got) || std::isnan(wanted)) return std::isnan(got) && std::isnan(wanted);
  return got == wanted || std::abs(got - wanted) <= tolerance;
}

void expect_equal(const TensorData& got, const TensorData& wanted, float tolerance, std::size_t index) {
  ASSERT_EQ(got.dtype, wanted.dtype) << "output " << index;
  ASSERT_EQ(got.dims, wanted.dims) << "output " << index;
  ASSERT_EQ(got.bytes.size(), wanted.bytes.size()) << "output " << index;
  if (wanted.dtype != DType::F32) {
    EXPECT_TRUE(got == wanted) << "output " << index << " differs";
    return;
  }
  for (std::size_t at = 0; at < wanted.bytes.size(); at += sizeof(float)) {
    float a = 0;
    float b = 0;
    std::memcpy(&a, got.bytes.data() + at, sizeof a);
    std::memcpy(&b, wanted.bytes.data() + at, sizeof b);
    EXPECT_TRUE(equal_or_both_nan(a, b, tolerance))
        << "output " << index << ", element " << at / sizeof(float) << ": " << a << " instead of " << b;
  }
}

bool is_declared(const std::string& hazard) {
  const BackendDescription& backend = subject().description();
  return std::ranges::count(backend.rewrites, hazard) + std::ranges::count(backend.checks, hazard) > 0;
}

}  // namespace

void set_arguments(std::vector<std::string> texts) { arguments() = std::move(texts); }

const Backend& subject() {
  static const std::shared_ptr<const Backend> backend = open_subject();
  return *backend;
}

BackendGraph graph_of(const test::OnnxGraph& graph, test::OnnxModelOptions options) {
  BackendGraph made{test::model_bytes(graph, options), {}};
  onnx::ModelProto model;
  if (model.ParseFromString(made.onnx)) made.aten = aten_form(model);
  return made;
}

Answer ask_plugin(const BackendGraph& graph, std::span<const TensorData> inputs) {
  onnx::ModelProto model;
  if (!model.ParseFromString(graph.onnx)) return failed({});
  std::vector<const TensorData*> given;
  for (const TensorData& input : inputs) given.push_back(&input);
  Answer answer = answer_to(graph, given, static_cast<std::size_t>(model.graph().output_size()));
  answer.question = question_of(model, inputs);
  return answer;
}

Answer ask(const BackendGraph& graph, std::span<const TensorData> inputs) {
  onnx::ModelProto model;
  const bool is_mended = declares_hazards() && graph.weights.empty() && model.ParseFromString(graph.onnx);
  if (!is_mended) return ask_plugin(graph, inputs);
  static const std::shared_ptr<const Backend> typing = open_typing();
  const auto form = legal_form(model, subject().description(), typing);
  // What has no type never becomes a sub-DNN: the plugin is asked about it as it is.
  if (!form && form.error().code == "backend.infer_failed") return ask_plugin(graph, inputs);
  Answer answer = form ? legal_answer_to(*form, inputs) : failed(form.error());
  answer.question = question_of(model, inputs);
  return answer;
}

Answer ask(const test::OnnxGraph& graph, std::vector<TensorData> inputs, test::OnnxModelOptions options) {
  return ask(graph_of(graph, options), inputs);
}

test::OnnxGraph node_graph(std::string_view op, std::span<const TensorData> inputs,
                           const std::vector<test::OnnxAttribute>& attributes, std::size_t outputs) {
  test::OnnxGraph graph;
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  for (const TensorData& input : inputs) {
    input_names.push_back(fmt::format("i{}", input_names.size()));
    const std::vector<test::OnnxDim> dims(input.dims.begin(), input.dims.end());
    graph.input(input_names.back(), input.dtype, dims);
  }
  for (std::size_t index = 0; index < outputs; ++index) {
    output_names.push_back(fmt::format("o{}", index));
    graph.output(output_names.back());
  }
  graph.node(op, std::move(input_names), std::move(output_names), attributes);
  return graph;
}

Answer ask_node(std::string_view op, std::vector<TensorData> inputs,
                const std::vector<test::OnnxAttribute>& attributes, std::size_t outputs,
                test::OnnxModelOptions options) {
  return ask(node_graph(op, inputs, attributes, outputs), inputs, options);
}

TensorData take(DyclOutput& output) {
  const auto* bytes = static_cast<const std::byte*>(output.data);
  std::vector<std::byte> copy;
  if (output.byte_size > 0) copy.assign(bytes, bytes + output.byte_size);
  TensorData tensor = make_tensor(dtype_from_number(output.dtype).value(),
                                  {output.dims, output.dims + output.rank}, std::move(copy));
  if (output.owner != nullptr) output.release(output.owner);
  output.owner = nullptr;
  return tensor;
}

void expect_known_refusal(const Answer& answer) {
  const Refusal how = answer.kind == Answer::Kind::Refused ? Refusal::ByCheck : Refusal::ByValue;
  EXPECT_TRUE(may_refuse(subject().description().name, how, this_test(), answer.question))
      << "a refusal that is not written down in known_refusals.cpp: {"
      << (how == Refusal::ByCheck ? "ByCheck" : "ByValue") << ", \"" << this_test() << "\", \""
      << answer.question << "\"}: " << answer.reason;
}

void expect_right(const Answer& answer, const std::vector<TensorData>& expected, float tolerance) {
  ASSERT_NE(answer.kind, Answer::Kind::Failed) << answer.reason;
  ASSERT_NE(answer.kind, Answer::Kind::Raised) << answer.reason;
  if (answer.kind != Answer::Kind::Computed) {
    expect_known_refusal(answer);
    return;
  }
  ASSERT_EQ(answer.outputs.size(), expected.size());
  for (std::size_t index = 0; index < expected.size(); ++index)
    expect_equal(answer.outputs[index], expected[index], tolerance, index);
}

void expect_error_or_hazard(const std::string& hazard, const Answer& answer) {
  ASSERT_NE(answer.kind, Answer::Kind::Computed) << "an answer was given";
  const bool is_asked = answer.kind != Answer::Kind::Refused;
  EXPECT_TRUE(!is_declared(hazard) || !is_asked || answer.kind == Answer::Kind::Raised) << answer.reason;
  EXPECT_FALSE(answer.reason.empty());
}

void expect_right_or_hazard(const std::string& hazard, const std::function<Answer()>& question,
                            const std::vector<TensorData>& expected) {
  if (std::ranges::count(subject().description().rewrites, hazard) > 0) return;
  const Answer answer = question();
  if (answer.kind == Answer::Kind::Raised) {
    EXPECT_TRUE(is_declared(hazard)) << answer.reason;
    return;
  }
  expect_right(answer, expected);
}

void expect_right_unless_left_open(const std::function<Answer()>& question,
                                   const std::vector<TensorData>& expected) {
  if (!may_answer_otherwise(subject().description().name, this_test())) expect_right(question(), expected);
}

}  // namespace dycl::conformance
