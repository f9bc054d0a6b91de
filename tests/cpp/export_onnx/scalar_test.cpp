// SPDX-License-Identifier: Apache-2.0
// Every answer of CPython in tests/golden/scalar/python.txt is the exported file's too. Where Python raises,
// the file fails; where it fails although Python answers, the operation is in kMayFail.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/element.h"
#include "base/scalar.h"
#include "export_onnx/whole_file.h"
#include "hcfg/text.h"

namespace dycl::test {
namespace {

// Operations that may refuse large numbers at run time, because ONNX computes them in floats.
const std::set<std::string> kMayFail{"mul", "pow", "true_div", "shl"};
// Functions that runtimes compute to a few units in the last place.
const std::set<std::string> kApproximate{"math.exp", "math.log", "math.sin", "math.cos", "math.tanh", "pow"};

Scalar read_scalar(const std::string& text) {
  if (text == "True" || text == "False") return text == "True";
  if (text == "fnan") return std::numeric_limits<double>::quiet_NaN();
  if (text[0] == 'f') return std::bit_cast<double>(std::stoull(text.substr(1), nullptr, 16));
  return static_cast<std::int64_t>(std::stoll(text));
}

std::string_view kind_text(const Scalar& scalar) {
  constexpr std::string_view kTexts[] = {"bool", "int", "float"};
  return kTexts[scalar.index()];
}
std::string_view dtype_text(const Scalar& scalar) {
  constexpr std::string_view kTexts[] = {"bool", "i64", "f64"};
  return kTexts[scalar.index()];
}

// A graph that reads its inputs, does one operation and gives its result.
std::string graph_text(const std::string& name, const std::vector<Scalar>& operands, const Scalar& result) {
  std::string inputs, items, names;
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const char* comma = index == 0 ? "" : ", ";
    inputs += fmt::format("{}%x{}: {}[]", comma, index, dtype_text(operands[index]));
    items += fmt::format("    %s{}: {} = item(%x{})\n", index, kind_text(operands[index]), index);
    names += fmt::format("{}%s{}", comma, index);
  }
  const bool is_math = name.starts_with("math.");
  const std::string attributes = is_math ? fmt::format(" {{function=\"{}\"}}", name.substr(5)) : "";
  return fmt::format("hcfg main({}) -> (y: {}) {{\n  b0:\n{}    %y: {} = {}({}){}\n    return %y\n}}\n",
                     inputs, kind_text(result), items, kind_text(result), is_math ? "math" : name, names,
                     attributes);
}

class Files {
 public:
  // Null: the operation is refused.
  const WholeFile* of(const std::string& text) {
    const auto [known, added] = files_.try_emplace(text);
    if (!added) return known->second ? &*known->second : nullptr;
    Result<WholeFile> file = WholeFile::make(parse_hcfg(text).value());
    if (file)
      known->second = std::move(*file);
    else if (file.error().code != "export.host_operation")
      ADD_FAILURE() << text << to_string(file.error());
    return known->second ? &*known->second : nullptr;
  }

 private:
  std::map<std::string, std::optional<WholeFile>> files_;
};

bool same(const std::string& name, const Scalar& ours, const Scalar& wanted) {
  const auto* left = std::get_if<double>(&ours);
  const auto* right = std::get_if<double>(&wanted);
  if (left == nullptr || right == nullptr) return ours == wanted;
  if (std::isnan(*left) || std::isnan(*right)) return std::isnan(*left) && std::isnan(*right);
  if (kApproximate.contains(name) && std::isfinite(*right))
    return std::abs(*left - *right) <= 4e-16 * std::abs(*right) + 1e-300;
  return std::bit_cast<std::uint64_t>(*left) == std::bit_cast<std::uint64_t>(*right);
}

struct Tally {
  std::map<std::string, std::size_t> answered, failed, refused;
  std::map<std::string, std::size_t> wrong;
};

void judge(const std::vector<std::string>& fields, Files& files, Tally& tally) {
  const std::string& name = fields[0];
  std::vector<Scalar> operands;
  std::vector<TensorData> inputs;
  for (std::size_t index = 1; index + 1 < fields.size(); ++index) {
    operands.push_back(read_scalar(fields[index]));
    inputs.push_back(
        tensor_of_scalar(operands.back(), *dtype_from_name(dtype_text(operands.back())), {}).value());
  }
  const bool raises = fields.back().starts_with("!");
  // The kind of a result that is not there follows from the operands.
  const Scalar wanted =
      raises ? (name == "true_div" || name.starts_with("math.") ? Scalar(0.0)
                : name == "floor" || name == "ceil" || name == "trunc" || name == "round" || name == "to_int"
                    ? Scalar(std::int64_t{0})
                    : operands[0])
             : read_scalar(fields.back());
  const WholeFile* file = files.of(graph_text(name, operands, wanted));
  if (file == nullptr) {
    ++tally.refused[name];
    return;
  }
  const auto outputs = file->run(inputs);
  if (!outputs) {
    ++tally.failed[name];
    if (!raises && !kMayFail.contains(name) && ++tally.wrong[name] <= 3)
      ADD_FAILURE() << fmt::format("{}: the file fails", fmt::join(fields, " "));
    return;
  }
  ++tally.answered[name];
  const Scalar ours = element_at(outputs->at(0), 0).value();
  if ((raises || !same(name, ours, wanted)) && ++tally.wrong[name] <= 3)
    ADD_FAILURE() << fmt::format("{}: the file gives {}", fmt::join(fields, " "), repr(ours));
}

TEST(ExportedScalars, AnswerAsCPythonDoes) {
  std::ifstream golden(std::string(DYCL_GOLDEN_FOLDER) + "/python.txt");
  Files files;
  Tally tally;
  for (std::string line; std::getline(golden, line);) {
    std::vector<std::string> fields;
    std::stringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    if (fields[0] != "format") judge(fields, files, tally);
  }
  std::size_t answered = 0;
  for (const auto& [name, count] : tally.answered) answered += count;
  EXPECT_GT(answered, 10000U);
  for (const std::string& name : kMayFail) EXPECT_GT(tally.answered[name], 50U) << name;
  std::string refused;
  for (const auto& [name, count] : tally.refused) refused += name + " ";
  EXPECT_EQ(
      refused,
      "math.acos math.acosh math.asin math.asinh math.atan math.atan2 math.atanh math.cbrt math.copysign "
      "math.cosh math.erf math.erfc math.exp2 math.expm1 math.fmod math.hypot math.log math.log10 "
      "math.log1p math.log2 math.nextafter math.pow math.remainder math.sinh math.tan round ");
}

}  // namespace
}  // namespace dycl::test
