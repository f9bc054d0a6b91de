// SPDX-License-Identifier: Apache-2.0
#include "export_onnx/integer_bits.h"

#include <algorithm>
#include <bit>

namespace dycl::export_onnx {
namespace {

constexpr int kUnknown = 64;
constexpr int kSizeBits = 48;  // no tensor and no sequence has more elements
constexpr int kStepBits = 16;  // a loop that counts in steps this small ends before it leaves 62 bits

int bits_of(std::int64_t value) {
  const auto magnitude =
      value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  return static_cast<int>(std::bit_width(magnitude));
}

int bits_of(DType dtype) {
  if (dtype == DType::Bool) return 1;
  return is_integer(dtype) && bit_width(dtype) <= 32 ? static_cast<int>(bit_width(dtype)) : kUnknown;
}

}  // namespace

IntegerBits::IntegerBits(const Hcfg& graph, const UseTable& uses)
    : graph_(graph), uses_(uses), flow_(control_flow(graph)), known_(graph.values.size(), 0) {}

const HostStep* IntegerBits::step_of(ValueId value) const {
  const Definition& definition = uses_.definition(value);
  if (definition.kind != DefinitionKind::Step) return nullptr;
  return std::get_if<HostStep>(&graph_.blocks[definition.place.block.index()].steps[definition.place.step]);
}

std::optional<std::int64_t> IntegerBits::constant(ValueId value) const {
  const HostStep* step = step_of(value);
  if (step == nullptr || step->op != HostOp::Const) return std::nullopt;
  return attribute_or<std::int64_t>(step->attributes, "value", 0);
}

int IntegerBits::bits(ValueId value) {
  int& known = known_[value.index()];
  if (known == -1) return kUnknown;
  if (known != 0) return known;
  known = -1;
  int found = kUnknown;
  const Definition& definition = uses_.definition(value);
  if (const HostStep* step = step_of(value))
    found = of_step(*step);
  else if (definition.kind == DefinitionKind::Parameter)
    found = of_parameter(value, definition);
  return known_[value.index()] = std::clamp(found, 1, kUnknown);
}

int IntegerBits::of_step(const HostStep& step) {
  const auto input = [&](std::size_t index) { return bits(step.inputs[index]); };
  switch (step.op) {
    case HostOp::Const: return bits_of(attribute_or<std::int64_t>(step.attributes, "value", 0));
    case HostOp::Item: {
      return bits_of(graph_.type_of(step.inputs[0]).tensor()->dtype);
    }
    case HostOp::Dim:
    case HostOp::Numel:
    case HostOp::SeqLen: return kSizeBits;
    case HostOp::Add:
    case HostOp::Sub: return std::max(input(0), input(1)) + 1;
    case HostOp::Mul: return input(0) + input(1);
    case HostOp::FloorDiv: return input(0) + 1;
    case HostOp::Mod: return input(1);
    case HostOp::BitLength: return 7;  // at most 64
    case HostOp::Neg:
    case HostOp::Abs: return input(0);
    case HostOp::Select: return std::max(input(1), input(2));
    case HostOp::ToInt: {
      const ScalarKind kind = graph_.type_of(step.inputs[0]).scalar()->kind;
      return kind == ScalarKind::Bool ? 1 : kind == ScalarKind::I64 ? input(0) : kUnknown;
    }
    default: return kUnknown;
  }
}

// argument = parameter ± a small constant
bool IntegerBits::counts_on(ValueId argument, ValueId parameter) {
  const HostStep* step = step_of(argument);
  if (step == nullptr || (step->op != HostOp::Add && step->op != HostOp::Sub)) return false;
  const auto is_small = [&](ValueId value) {
    const auto known = constant(value);
    return known && bits_of(*known) <= kStepBits;
  };
  return (step->inputs[0] == parameter && is_small(step->inputs[1])) ||
         (step->op == HostOp::Add && step->inputs[1] == parameter && is_small(step->inputs[0]));
}

int IntegerBits::of_parameter(ValueId value, const Definition& definition) {
  int most = 1;
  bool counts = false;
  for (const EdgeId& edge : flow_.predecessors[definition.place.block.index()]) {
    const ValueId argument = edge_of(graph_, edge).arguments[definition.index];
    if (argument == value) continue;
    if (counts_on(argument, value))
      counts = true;
    else
      most = std::max(most, bits(argument));
  }
  return counts ? std::max(most, kSizeBits) + 1 : most;
}

}  // namespace dycl::export_onnx
