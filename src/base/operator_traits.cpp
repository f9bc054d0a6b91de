// SPDX-License-Identifier: Apache-2.0
#include "base/operator_traits.h"

#include <algorithm>
#include <array>

namespace dycl {
namespace {

class Traits {
 public:
  constexpr Traits() = default;
  constexpr Traits(Trait trait) : bits_(static_cast<std::uint32_t>(trait)) {}
  [[nodiscard]] constexpr bool contains(Trait trait) const {
    return (bits_ & static_cast<std::uint32_t>(trait)) != 0;
  }
  [[nodiscard]] constexpr Traits with(Trait trait) const {
    Traits more = *this;
    more.bits_ |= static_cast<std::uint32_t>(trait);
    return more;
  }

 private:
  std::uint32_t bits_ = 0;
};

constexpr Traits operator|(Traits traits, Trait another) { return traits.with(another); }
constexpr Traits operator|(Trait one, Trait another) { return Traits(one).with(another); }

struct OperatorRow {
  std::string_view name;
  std::size_t fewest_operands;
  Traits traits;
};

constexpr Traits kNone;
using enum Trait;

constexpr std::array kOperators{
    OperatorRow{"Abs", 1, BoundedBelow},
    OperatorRow{"Add", 2, kNone},
    OperatorRow{"And", 2, GivesBool},
    OperatorRow{"ArgMax", 1, GivesPlaces},
    OperatorRow{"ArgMin", 1, GivesPlaces},
    OperatorRow{"AveragePool", 1, KeepsBounds},
    OperatorRow{"Bernoulli", 1, Random},
    OperatorRow{"CastLike", 2, kNone},
    OperatorRow{"Compress", 2, Moves},
    OperatorRow{"Concat", 1, KeepsBounds},
    OperatorRow{"Constant", 0, kNone},
    OperatorRow{"CumSum", 2, kNone},
    OperatorRow{"DepthToSpace", 1, Moves},
    OperatorRow{"DequantizeLinear", 1, Quantizes},
    OperatorRow{"Div", 2, kNone},
    OperatorRow{"Dropout", 1, Random},
    OperatorRow{"DynamicQuantizeLinear", 1, Quantizes},
    OperatorRow{"Elu", 1, BoundedBelow},
    OperatorRow{"Equal", 2, Compares | GivesBool},
    OperatorRow{"Exp", 1, BoundedBelow},
    OperatorRow{"Expand", 2, Grows | Resizes | Moves},
    OperatorRow{"Flatten", 1, Resizes | Moves},
    OperatorRow{"Gather", 2, Moves | Gathers},
    OperatorRow{"GatherElements", 2, Moves | Gathers},
    OperatorRow{"GatherND", 2, Moves | Gathers | NamesTuples},
    OperatorRow{"GlobalMaxPool", 1, KeepsBounds},
    OperatorRow{"Greater", 2, Compares | GivesBool},
    OperatorRow{"GreaterOrEqual", 2, Compares | GivesBool},
    OperatorRow{"HardSigmoid", 1, BoundedBelow},
    OperatorRow{"HardSwish", 1, BoundedBelow},
    OperatorRow{"Identity", 1, Moves},
    OperatorRow{"If", 1, ControlFlow},
    OperatorRow{"IsInf", 1, GivesBool},
    OperatorRow{"IsNaN", 1, GivesBool},
    OperatorRow{"Less", 2, Compares | GivesBool},
    OperatorRow{"LessOrEqual", 2, Compares | GivesBool},
    OperatorRow{"Loop", 1, ControlFlow},
    OperatorRow{"MatMul", 2, kNone},
    OperatorRow{"MaxPool", 1, KeepsBounds},
    OperatorRow{"Mod", 2, kNone},
    OperatorRow{"Mul", 2, kNone},
    OperatorRow{"Multinomial", 1, Random},
    OperatorRow{"NonMaxSuppression", 1, GivesPlaces},
    OperatorRow{"NonZero", 1, GivesPlaces},
    OperatorRow{"Not", 1, GivesBool},
    OperatorRow{"OneHot", 3, Grows},
    OperatorRow{"Or", 2, GivesBool},
    OperatorRow{"PRelu", 2, kNone},
    OperatorRow{"Pad", 1, Grows},
    OperatorRow{"Pow", 2, kNone},
    OperatorRow{"QuantizeLinear", 1, Quantizes},
    OperatorRow{"RandomNormal", 0, Random},
    OperatorRow{"RandomNormalLike", 1, Random},
    OperatorRow{"RandomUniform", 0, Random},
    OperatorRow{"RandomUniformLike", 1, Random},
    OperatorRow{"Range", 3, Grows},
    OperatorRow{"Relu", 1, BoundedBelow},
    OperatorRow{"Reshape", 2, Resizes | Moves | KeepsBounds},
    OperatorRow{"Resize", 1, Grows},
    OperatorRow{"ReverseSequence", 1, Moves},
    OperatorRow{"Scan", 1, ControlFlow},
    OperatorRow{"Scatter", 3, Scatters},
    OperatorRow{"ScatterElements", 3, Scatters},
    OperatorRow{"ScatterND", 3, Scatters | NamesTuples},
    OperatorRow{"SequenceMap", 1, ControlFlow},
    OperatorRow{"Shape", 1, GivesPlaces},
    OperatorRow{"Sigmoid", 1, BoundedBelow},
    OperatorRow{"Size", 1, GivesPlaces},
    OperatorRow{"Slice", 1, Moves},
    OperatorRow{"Softmax", 1, BoundedBelow},
    OperatorRow{"SpaceToDepth", 1, Moves},
    OperatorRow{"Split", 1, Moves},
    OperatorRow{"Sqrt", 1, BoundedBelow},
    OperatorRow{"Squeeze", 1, Resizes | Moves},
    OperatorRow{"Sub", 2, kNone},
    OperatorRow{"Tanh", 1, BoundedBelow},
    OperatorRow{"Tile", 2, Grows | Moves},
    OperatorRow{"TopK", 2, kNone},
    OperatorRow{"Transpose", 1, Moves | KeepsBounds},
    OperatorRow{"Unsqueeze", 1, Resizes | Moves},
    OperatorRow{"Upsample", 1, Grows},
    OperatorRow{"Where", 3, kNone},
    OperatorRow{"Xor", 2, GivesBool},
};
static_assert(std::ranges::is_sorted(kOperators, {}, &OperatorRow::name));

const OperatorRow* find_row(std::string_view op) {
  const auto found = std::ranges::lower_bound(kOperators, op, {}, &OperatorRow::name);
  return found != kOperators.end() && found->name == op ? &*found : nullptr;
}

}  // namespace

bool has_trait(std::string_view op, Trait trait) {
  const OperatorRow* row = find_row(op);
  return row != nullptr && row->traits.contains(trait);
}

std::size_t fewest_operands(std::string_view op) {
  const OperatorRow* row = find_row(op);
  return row == nullptr ? 1 : row->fewest_operands;
}

}  // namespace dycl
