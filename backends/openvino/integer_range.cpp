// SPDX-License-Identifier: Apache-2.0
#include "integer_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "base/operator_traits.h"
#include "element_type.h"

namespace dycl::openvino {
namespace {

using Wide = __int128;  // products of two 64-bit bounds
using Names = std::set<std::string, std::less<>>;

constexpr std::int64_t kI32Max = std::numeric_limits<std::int32_t>::max();

// What a number was computed from; combining two gives the greater.
enum class Origin : std::uint8_t { Constants, Sizes, Data };

struct Range {
  Wide low = 0;
  Wide high = 0;
  Origin origin = Origin::Constants;
};

Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), std::max(a.origin, b.origin)};
}
bool within(const Range& range, Wide low, Wide high) { return range.low >= low && range.high <= high; }
Wide magnitude(const Range& range) { return std::max(-range.low, range.high); }

// The elements of input 0 come out, some of them, like those of an operator that moves them.
const Names kPicks = {"MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin", "TopK", "Dropout", "Trilu"};
const Names kHulls = {"Concat", "Max", "Min", "Clip", "Pad", "ScatterND", "ScatterElements", "Scatter"};
// Computed in f32 inside OpenVINO.
const Names kInF32 = {"Div",  "Mod",     "Pow",           "ReduceSum", "ReduceMax", "ReduceMin", "MatMul",
                      "Clip", "MaxPool", "GlobalMaxPool", "TopK",      "ArgMax",    "ArgMin",    "PRelu"};

// Whether the result fits can be seen from an f32 computation of the same thing.
bool is_checkable(const Node& node) { return node.op == "Mul" || node.op == "ReduceSum"; }

Range whole(DType dtype) {
  const auto bits = static_cast<unsigned>(bit_width(dtype));
  const bool is_signed =
      dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
  const Wide size = Wide{1} << (is_signed ? bits - 1 : bits);
  return {is_signed ? -size : 0, size - 1, Origin::Data};
}

class Analysis {
 public:
  Analysis(const GraphFacts& facts, std::int64_t limit) : facts_(&facts), limit_(limit) {}

  // The first node that could give another answer; empty when none.
  std::string run(const Model& model);
  [[nodiscard]] std::set<std::string> take_checked() { return std::move(checked_); }

 private:
  [[nodiscard]] Range given(DType dtype) const;
  [[nodiscard]] Range of(const std::string& value) const;
  [[nodiscard]] bool is_integer_value(const std::string& value) const;
  [[nodiscard]] std::optional<Range> result(const Node& node) const;
  [[nodiscard]] std::optional<Range> arithmetic(const Node& node) const;
  [[nodiscard]] std::optional<Range> source(const Node& node) const;
  [[nodiscard]] std::optional<Range> counted(const Node& node) const;
  [[nodiscard]] Range cast(const Node& node) const;
  [[nodiscard]] Range hull_of(const Node& node, std::size_t first) const;
  [[nodiscard]] std::string check_inputs(const Node& node) const;
  std::string add_outputs(const Node& node);

  const GraphFacts* facts_;
  std::int64_t limit_;
  std::map<std::string, Range> ranges_;
  std::set<std::string> checked_;
};

Range Analysis::given(DType dtype) const {
  const Range all = whole(dtype);
  return {std::max<Wide>(all.low, -limit_), std::min<Wide>(all.high, limit_), Origin::Data};
}

Range Analysis::of(const std::string& value) const {
  if (const auto found = ranges_.find(value); found != ranges_.end()) return found->second;
  const ValueFacts& facts = facts_->of(value);
  if (facts.constant != nullptr) {
    const auto elements = integer_elements(*facts.constant);
    if (elements && elements->empty()) return {0, 0};
    if (elements) {
      const auto [low, high] = std::ranges::minmax(*elements);
      const bool is_small = low >= -largest_size && high <= largest_size;
      return {low, high, is_small ? Origin::Constants : Origin::Data};
    }
  }
  return facts.dtype && *facts.dtype == DType::Bool ? Range{0, 1, Origin::Data}
                                                    : whole(facts.dtype.value_or(DType::I64));
}

bool Analysis::is_integer_value(const std::string& value) const {
  const auto dtype = facts_->dtype(value);
  return dtype && is_integer(*dtype);
}

Range Analysis::hull_of(const Node& node, std::size_t first) const {
  Range all;
  bool seen = false;
  for (std::size_t i = first; i < node.inputs.size(); ++i) {
    if (node.inputs[i].empty() || !is_integer_value(node.inputs[i])) continue;
    all = seen ? hull(all, of(node.inputs[i])) : of(node.inputs[i]);
    seen = true;
  }
  return all;
}

Range Analysis::cast(const Node& node) const {
  const DType from = facts_->dtype(node.inputs[0]).value_or(DType::F64);
  const DType to = facts_->dtype(node.outputs[0]).value_or(DType::I64);
  if (from == DType::Bool) return {0, 1, Origin::Data};
  if (is_float(from)) return given(to);
  const Range value = of(node.inputs[0]);
  const Range all = whole(to);
  return within(value, all.low, all.high) ? value : all;
}

// A sum of `count` elements, where count is known or taken to be below largest_size.
std::optional<Range> Analysis::counted(const Node& node) const {
  const Range value = of(node.inputs[0]);
  Wide count = largest_size;
  if (const auto& dims = facts_->of(node.inputs[0]).dims;
      dims && std::ranges::all_of(*dims, [](auto d) { return d >= 0; })) {
    count = 1;
    for (const std::int64_t dim : *dims)
      count = std::min<Wide>(count * std::max<std::int64_t>(dim, 1), Wide{1} << 62U);
  }
  return Range{std::min<Wide>(value.low * count, 0), std::max<Wide>(value.high * count, 0), Origin::Data};
}

std::optional<Range> Analysis::arithmetic(const Node& node) const {
  const std::string& op = node.op;
  const Range a = of(node.inputs[0]);
  const Range b = node.inputs.size() > 1 && !node.inputs[1].empty() ? of(node.inputs[1]) : Range{};
  const Origin origin = std::max(a.origin, b.origin);
  const bool negative = a.low < 0 || b.low < 0;
  if (op == "Add") return Range{a.low + b.low, a.high + b.high, origin};
  if (op == "Sub") return Range{a.low - b.high, a.high - b.low, origin};
  if (op == "Neg") return Range{-a.high, -a.low, a.origin};
  if (op == "Abs") return Range{0, magnitude(a), a.origin};
  if (op == "Relu") return Range{0, std::max<Wide>(a.high, 0), a.origin};
  if (op == "Mod") return Range{negative ? -magnitude(b) : 0, magnitude(b), origin};
  if (op == "Div") return Range{negative ? -magnitude(a) : 0, magnitude(a), origin};
  if (op == "Mul") {
    const auto products = std::array{a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return Range{std::ranges::min(products), std::ranges::max(products), origin};
  }
  if (op == "Pow") {
    if (b.low < 0 || b.high > 62) return std::nullopt;
    Wide power = 1;
    for (Wide i = 0; i < b.high && power <= (Wide{1} << 62U); ++i) power *= std::max<Wide>(magnitude(a), 1);
    return Range{negative ? -power : 0, power, origin};
  }
  return std::nullopt;
}

std::optional<Range> Analysis::source(const Node& node) const {
  const std::string& op = node.op;
  if (has_trait(op, Trait::GivesPlaces)) return Range{0, largest_size, Origin::Sizes};
  if (op == "Constant") return of(node.outputs[0]);
  if (op == "ConstantOfShape") {
    const auto* value = node.find("value");
    const auto elements =
        value == nullptr || value->tensor == nullptr ? std::nullopt : integer_elements(*value->tensor);
    if (!elements || elements->size() != 1) return std::nullopt;
    return Range{elements->front(), elements->front()};
  }
  if (op == "Range") return hull(of(node.inputs[0]), of(node.inputs[1]));
  if (op == "OneHot" || op == "Where") return hull_of(node, op == "Where" ? 1 : 2);
  if (op == "EyeLike") return Range{0, 1};
  if (op == "Cast" || op == "CastLike") return cast(node);
  if (op == "BitwiseAnd" || op == "BitwiseOr" || op == "BitwiseXor" || op == "BitwiseNot") {
    const Range all = hull_of(node, 0);
    Wide size = 1;
    while (size <= magnitude(all)) size *= 2;
    return Range{all.low < 0 || op == "BitwiseNot" ? -size : 0, size - 1, Origin::Data};
  }
  return std::nullopt;
}

std::optional<Range> Analysis::result(const Node& node) const {
  const std::string& op = node.op;
  if (auto range = source(node)) return range;
  if (node.inputs.size() == 0) return std::nullopt;
  if (op == "Sign") return Range{-1, 1, Origin::Data};
  if (has_trait(op, Trait::Moves) || kPicks.contains(op)) return of(node.inputs[0]);
  if (kHulls.contains(op)) {
    Range all = hull_of(node, 0);
    return op == "Pad" ? hull(all, Range{}) : all;
  }
  if (op == "Sum") {
    Range sum;
    for (const std::string& input : node.inputs) {
      const Range part = of(input);
      sum = {sum.low + part.low, sum.high + part.high, std::max(sum.origin, part.origin)};
    }
    return sum;
  }
  if (op == "ReduceSum" || op == "CumSum") return counted(node);
  if (op == "MatMul") {
    const auto part = counted(node);
    const Range other = of(node.inputs[1]);
    return Range{-magnitude(*part) * magnitude(other), magnitude(*part) * magnitude(other), Origin::Data};
  }
  return arithmetic(node);
}

// Comparisons are rewritten to look at the sign of a difference, which must fit.
std::string Analysis::check_inputs(const Node& node) const {
  if (node.inputs.size() == 0 || !is_integer_value(node.inputs[0])) return {};
  if (has_trait(node.op, Trait::Compares)) {
    const Range a = of(node.inputs[0]);
    const Range b = of(node.inputs[1]);
    const bool fits = a.low - b.high >= -kI32Max && a.high - b.low <= kI32Max;
    return fits ? "" : node.op;
  }
  if (!kInF32.contains(node.op)) return {};
  const std::size_t data_inputs =
      node.op == "Div" || node.op == "Mod" || node.op == "Clip" ? node.inputs.size() : 1;
  for (std::size_t i = 0; i < data_inputs; ++i)
    if (!node.inputs[i].empty() && magnitude(of(node.inputs[i])) > exact_in_f32) return node.op;
  return {};
}

std::string Analysis::add_outputs(const Node& node) {
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const auto dtype = facts_->dtype(node.outputs[i]);
    if (node.outputs[i].empty() || !dtype || !is_wide_integer(*dtype)) continue;
    std::optional<Range> range =
        i == 0 || node.op == "Split" ? result(node) : Range{0, largest_size, Origin::Sizes};
    if (!range) return node.op;
    if (range->origin == Origin::Sizes) {
      range->low = std::max<Wide>(range->low, -largest_size);
      range->high = std::min<Wide>(range->high, largest_size);
    }
    const bool in_f32 = kInF32.contains(node.op);
    const Wide bound = in_f32 ? exact_in_f32 : kI32Max;
    const bool is_unsigned = *dtype == DType::U32 || *dtype == DType::U64;
    const bool wraps_alike = *dtype == DType::I32 && !in_f32;  // 32-bit arithmetic is done in 32 bits
    if (!within(*range, is_unsigned ? 0 : -bound - 1, bound) && node.op != "Constant") {
      if (is_checkable(node) && !wraps_alike) {
        checked_.insert(node.outputs[i]);
        const Wide most = node.op == "Mul" ? Wide{limit_} : Wide{exact_in_f32};
        ranges_[node.outputs[i]] = {is_unsigned ? 0 : -most, most, Origin::Data};
        continue;
      }
      if (!wraps_alike) return node.op;
      *range = whole(DType::I32);
    }
    ranges_[node.outputs[i]] = *range;
  }
  return {};
}

std::string Analysis::run(const Model& model) {
  for (const auto& input : model.inputs) {
    const auto dtype = facts_->dtype(input.name);
    if (dtype && is_wide_integer(*dtype) && facts_->of(input.name).constant == nullptr)
      ranges_[input.name] = given(*dtype);
  }
  for (const auto& node : model.nodes) {
    if (std::string blamed = check_inputs(node); !blamed.empty()) return blamed;
    if (std::string blamed = add_outputs(node); !blamed.empty()) return blamed;
  }
  for (const auto& output : model.outputs)
    if (is_integer_value(output.name) && !within(of(output.name), -kI32Max - 1, kI32Max)) {
      const bool small_unsigned =
          facts_->dtype(output.name) == DType::U32 || facts_->dtype(output.name) == DType::U64;
      if (!small_unsigned || !within(of(output.name), 0, kI32Max)) return "constant output";
    }
  return {};
}

}  // namespace

IntegerLimit find_integer_limit(const Model& model, const GraphFacts& facts) {
  constexpr std::array<int, 14> bits{31, 30, 29, 28, 26, 24, 23, 22, 20, 16, 12, 11, 10, 8};
  std::string blamed;
  for (const int exponent : bits) {
    const std::int64_t largest = (std::int64_t{1} << exponent) - 1;
    Analysis analysis(facts, largest);
    blamed = analysis.run(model);
    if (blamed.empty()) return {largest, {}, analysis.take_checked()};
  }
  return {
      0,
      fmt::format("{} on integers: openvino computes them in 32 bits (some operators in f32) and no bound "
                  "keeps the answer exact",
                  blamed),
      {}};
}

}  // namespace dycl::openvino
