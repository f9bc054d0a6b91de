// SPDX-License-Identifier: Apache-2.0
// Every answer of CPython in tests/golden/scalar/python.txt (generate_scalar_cases.py) is ours too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <vector>

#include "base/scalar.h"
#include "base/scalar_format.h"
#include "base/scalar_math.h"

namespace dycl {
namespace {

Scalar read_scalar(const std::string& text) {
  if (text == "True" || text == "False") return text == "True";
  if (text == "fnan") return std::numeric_limits<double>::quiet_NaN();
  if (text[0] == 'f') return std::bit_cast<double>(std::stoull(text.substr(1), nullptr, 16));
  return static_cast<std::int64_t>(std::stoll(text));
}

std::string hex_text(std::uint64_t bits) { return fmt::format("f{:016x}", bits); }

std::string answer_text(const Result<Scalar>& answer) {
  if (!answer) return "!" + answer.error().exception_type + ": " + answer.error().message;
  if (const auto* number = std::get_if<double>(&*answer))
    return std::isnan(*number) ? "fnan" : hex_text(std::bit_cast<std::uint64_t>(*number));
  return repr(*answer);
}

bool agrees(const std::string& ours, const std::string& wanted) {
  // Beyond 64 bits Python goes on and we raise; complex powers are left out of the list.
  if (wanted == "!OverflowError") return ours.starts_with("!OverflowError");
  return ours == wanted;
}

std::string run(const std::string& name, const std::vector<Scalar>& operands) {
  if (name.starts_with("math."))
    return answer_text(scalar_math(*math_function_from_name(name.substr(5)), operands));
  return answer_text(scalar_operation(*host_op_from_name(name), operands));
}

std::string run_format(const std::string& spec, const Scalar& scalar) {
  if (spec.empty()) return repr(scalar);
  const auto parsed = parse_format_spec(spec, kind_of(scalar));
  return parsed ? format_scalar(*parsed, scalar) : "!refused";
}

TEST(ScalarPython, AnswersAsCPythonDoes) {
  std::ifstream file(std::string(DYCL_GOLDEN_FOLDER) + "/python.txt");
  std::map<std::string, std::size_t> wrong;
  std::size_t cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    std::vector<std::string> fields;
    std::stringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    std::string ours;
    if (fields[0] == "format") {
      ours = run_format(fields[1], read_scalar(fields[2]));
    } else {
      std::vector<Scalar> operands;
      for (std::size_t index = 1; index + 1 < fields.size(); ++index)
        operands.push_back(read_scalar(fields[index]));
      ours = run(fields[0], operands);
    }
    if (!agrees(ours, fields.back()) && ++wrong[fields[0]] <= 5)
      ADD_FAILURE() << line << "\n  ours: " << ours;
  }
  EXPECT_GT(cases, 5000U);
}

}  // namespace
}  // namespace dycl
