// SPDX-License-Identifier: Apache-2.0
// An exported graph that is imported again computes what it computed before: the reference interpreter runs
// both.
#include <gtest/gtest.h>

#include "export_onnx/export_onnx.h"
#include "export_onnx/programs.h"
#include "export_onnx/whole_file.h"
#include "hcfg/text.h"
#include "import_onnx/import_onnx.h"
#include "subnet/backend_evaluator.h"
#include "subnet/backend_inference.h"

namespace dycl::test {
namespace {

std::string text_of(const TensorData& tensor) {
  std::string text(name_of(tensor.dtype));
  for (const std::int64_t size : tensor.dims) text += "," + std::to_string(size);
  for (const std::byte byte : tensor.bytes) text += " " + std::to_string(std::to_integer<int>(byte));
  return text + ";";
}

std::string outcome(const Hcfg& graph, std::span<const InterpreterValue> inputs,
                    subnet::BackendEvaluator& evaluator) {
  const auto run = interpret(graph, inputs, evaluator);
  if (!run) return "fails";
  std::string text;
  for (const InterpreterValue& output : run->outputs) text += text_of(tensor_of(output));
  return text;
}

void expect_same_again(const TestProgram& program) {
  auto model = export_onnx::export_onnx(program.graph);
  ASSERT_TRUE(model) << program.name << ": " << to_string(model.error());
  subnet::BackendTypeInference inference(onnxruntime());
  const Result<Hcfg> again = import_onnx::import_onnx(**model, inference, {});
  ASSERT_TRUE(again) << program.name << ": " << to_string(again.error());
  subnet::BackendEvaluator evaluator(onnxruntime());
  std::size_t failures = 0;
  for (const auto& inputs : program.inputs) {
    const std::string expected = outcome(program.graph, inputs, evaluator);
    failures += expected == "fails" ? 1 : 0;
    ASSERT_EQ(expected, outcome(*again, inputs, evaluator)) << program.name << "\n"
                                                            << print(program.graph) << "\n"
                                                            << print(*again);
  }
  EXPECT_EQ(failures > 0, has_checks(program)) << program.name;
}

TEST(ExportedPrograms, ThatPeopleWroteComputeTheSameWhenImportedAgain) {
  const std::vector<TestProgram> programs = written_programs();
  EXPECT_GE(programs.size(), 8U);
  for (const TestProgram& program : programs) expect_same_again(program);
}

TEST(ExportedPrograms, OfRandomStructureComputeTheSameWhenImportedAgain) {
  std::size_t refused = 0;
  const std::vector<TestProgram> programs = random_programs(150, refused);
  EXPECT_GT(programs.size(), 50U) << refused << " raise";
  for (const TestProgram& program : programs) {
    expect_same_again(program);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace dycl::test
