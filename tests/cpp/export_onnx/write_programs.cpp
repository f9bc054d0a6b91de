// SPDX-License-Identifier: Apache-2.0
// write_programs FOLDER: exported programs, each with inputs and the outputs that the reference interpreter
// gives, for judge_programs.py.
#include <fmt/format.h>

#include <fstream>

#include "export_onnx/export_onnx.h"
#include "export_onnx/programs.h"
#include "optimize/simple_evaluator.h"

namespace dycl::test {
namespace {

// "i64 2,3 00ff…": type, sizes, bytes
std::string line_of(const TensorData& tensor) {
  std::string sizes;
  for (const std::int64_t size : tensor.dims) sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", size);
  std::string bytes;
  for (const std::byte byte : tensor.bytes) bytes += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return fmt::format("{} [{}] [{}]\n", name_of(tensor.dtype), sizes, bytes);
}

void write(const TestProgram& program, const std::string& folder) {
  std::ofstream(fmt::format("{}/{}.onnx", folder, program.name), std::ios::binary)
      << export_onnx::export_onnx(program.graph).value()->SerializeAsString();
  std::ofstream calls(fmt::format("{}/{}.txt", folder, program.name));
  testing::SimpleEvaluator evaluator;
  for (const auto& inputs : program.inputs) {
    const auto run = interpret(program.graph, inputs, evaluator);
    if (!run && !has_checks(program)) throw std::runtime_error(program.name + ": " + to_string(run.error()));
    calls << "call\n";
    for (const InterpreterValue& input : inputs) calls << "in " << line_of(tensor_of(input));
    if (!run) {
      calls << "fails\n";
      continue;
    }
    for (const InterpreterValue& output : run->outputs) calls << "out " << line_of(tensor_of(output));
  }
}

}  // namespace
}  // namespace dycl::test

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::size_t refused = 0;
  for (const auto& program : dycl::test::written_programs()) dycl::test::write(program, arguments[1]);
  for (const auto& program : dycl::test::random_programs(400, refused))
    dycl::test::write(program, arguments[1]);
  return 0;
}
