// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/programs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/element.h"
#include "export_onnx/export_onnx.h"
#include "hcfg/text.h"
#include "optimize/random_program.h"

namespace dycl::test {

std::vector<TestProgram> written_programs() {
  std::vector<TestProgram> programs;
  for (const auto& entry : std::filesystem::directory_iterator(DYCL_GOLDEN_PROGRAMS)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    TestProgram program{entry.path().stem().string(), parse_hcfg(text.str()).value(), {}};
    for (std::int64_t number = -3; number <= 12; ++number)
      program.inputs.push_back(
          {std::make_shared<const TensorData>(tensor_of_scalar(number, DType::I64, {}).value())});
    programs.push_back(std::move(program));
  }
  std::ranges::sort(programs, {}, &TestProgram::name);
  return programs;
}

std::vector<TestProgram> random_programs(std::uint32_t count, std::size_t& refused) {
  constexpr std::uint32_t kInputsEach = 5;
  std::vector<TestProgram> programs;
  for (std::uint32_t seed = 0; seed < count; ++seed) {
    TestProgram program{"random_" + std::to_string(seed), testing::random_program(seed), {}};
    if (const auto model = export_onnx::export_onnx(program.graph); !model) {
      if (model.error().code != "export.raise") throw std::runtime_error(to_string(model.error()));
      ++refused;
      continue;
    }
    for (std::uint32_t index = 0; index < kInputsEach; ++index)
      program.inputs.push_back(testing::random_inputs(seed * kInputsEach + index));
    programs.push_back(std::move(program));
  }
  return programs;
}

bool has_checks(const TestProgram& program) { return program.name.starts_with("check_"); }

TensorData tensor_of(const InterpreterValue& value) {
  if (const auto* tensor = std::get_if<TensorPtr>(&value)) return **tensor;
  constexpr DType kTypes[] = {DType::Bool, DType::I64, DType::F64};
  const auto& scalar = std::get<Scalar>(value);
  return tensor_of_scalar(scalar, kTypes[scalar.index()], {}).value();
}

}  // namespace dycl::test
