// SPDX-License-Identifier: Apache-2.0
// Graphs of every structure, with inputs.
#pragma once

#include <string>
#include <vector>

#include "hcfg/interpreter.h"

namespace dycl::test {

struct TestProgram {
  std::string name;
  Hcfg graph;
  std::vector<std::vector<InterpreterValue>> inputs;
};

// Those of tests/golden/export_onnx, called with an i64 from -3 to 12.
std::vector<TestProgram> written_programs();
// Those that export; `refused` counts the others, all of which raise.
std::vector<TestProgram> random_programs(std::uint32_t count, std::size_t& refused);

// Some of its calls raise.
bool has_checks(const TestProgram& program);

TensorData tensor_of(const InterpreterValue& value);

}  // namespace dycl::test
