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

struct Row {
  std::string_view name;
  std::size_t fewest_operands;
  Traits traits;
};

constexpr Traits kNone;
using enum Trait;

constexpr std::array kRows{
    Row{"Abs", 1, BoundedBelow},
    Row{"Add", 2, kNone},
    Row{"And", 2, GivesBool},
    Row{"ArgMax", 1, GivesPlaces},
    Row{"ArgMin", 1, GivesPlaces},
    Row{"AveragePool", 1, KeepsBounds},
    Row{"Bernoulli", 1, Random},
    Row{"CastLike", 2, kNone},
    Row{"Compress", 2, Moves},
    Row{"Concat", 1, KeepsBounds},
    Row{"Constant", 0, kNone},
    Row{"CumSum", 2, kNone},
    Row{"DepthToSpace", 1, Moves},
    Row{"DequantizeLinear", 1, Quantizes},
    Row{"Div", 2, kNone},
    Row{"Dropout", 1, Random},
    Row{"DynamicQuantizeLinear", 1, Quantizes},
    Row{"Elu", 1, BoundedBelow},
    Row{"Equal", 2, Compares | GivesBool},
    Row{"Exp", 1, BoundedBelow},
    Row{"Expand", 2, Grows | Resizes | Moves},
    Row{"Flatten", 1, Resizes | Moves},
    Row{"Gather", 2, Moves | Gathers},
    Row{"GatherElements", 2, Moves | Gathers},
    Row{"GatherND", 2, Moves | Gathers | NamesTuples},
    Row{"GlobalMaxPool", 1, KeepsBounds},
    Row{"Greater", 2, Compares | GivesBool},
    Row{"GreaterOrEqual", 2, Compares | GivesBool},
    Row{"HardSigmoid", 1, BoundedBelow},
    Row{"HardSwish", 1, BoundedBelow},
    Row{"Identity", 1, Moves},
    Row{"If", 1, ControlFlow},
    Row{"IsInf", 1, GivesBool},
    Row{"IsNaN", 1, GivesBool},
    Row{"Less", 2, Compares | GivesBool},
    Row{"LessOrEqual", 2, Compares | GivesBool},
    Row{"Loop", 1, ControlFlow},
    Row{"MatMul", 2, kNone},
    Row{"MaxPool", 1, KeepsBounds},
    Row{"Mod", 2, kNone},
    Row{"Mul", 2, kNone},
    Row{"Multinomial", 1, Random},
    Row{"NonMaxSuppression", 1, GivesPlaces},
    Row{"NonZero", 1, GivesPlaces},
    Row{"Not", 1, GivesBool},
    Row{"OneHot", 3, Grows},
    Row{"Or", 2, GivesBool},
    Row{"PRelu", 2, kNone},
    Row{"Pad", 1, Grows},
    Row{"Pow", 2, kNone},
    Row{"QuantizeLinear", 1, Quantizes},
    Row{"RandomNormal", 0, Random},
    Row{"RandomNormalLike", 1, Random},
    Row{"RandomUniform", 0, Random},
    Row{"RandomUniformLike", 1, Random},
    Row{"Range", 3, Grows},
    Row{"Relu", 1, BoundedBelow},
    Row{"Reshape", 2, Resizes | Moves | KeepsBounds},
    Row{"Resize", 1, Grows},
    Row{"ReverseSequence", 1, Moves},
    Row{"Scan", 1, ControlFlow},
    Row{"Scatter", 3, Scatters},
    Row{"ScatterElements", 3, Scatters},
    Row{"ScatterND", 3, Scatters | NamesTuples},
    Row{"SequenceMap", 1, ControlFlow},
    Row{"Shape", 1, GivesPlaces},
    Row{"Sigmoid", 1, BoundedBelow},
    Row{"Size", 1, GivesPlaces},
    Row{"Slice", 1, Moves},
    Row{"Softmax", 1, BoundedBelow},
    Row{"SpaceToDepth", 1, Moves},
    Row{"Split", 1, Moves},
    Row{"Sqrt", 1, BoundedBelow},
    Row{"Squeeze", 1, Resizes | Moves},
    Row{"Sub", 2, kNone},
    Row{"Tanh", 1, BoundedBelow},
    Row{"Tile", 2, Grows | Moves},
    Row{"TopK", 2, kNone},
    Row{"Transpose", 1, Moves | KeepsBounds},
    Row{"Unsqueeze", 1, Resizes | Moves},
    Row{"Upsample", 1, Grows},
    Row{"Where", 3, kNone},
    Row{"Xor", 2, GivesBool},
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::name));

const Row* find_row(std::string_view op) {
  const auto found = std::ranges::lower_bound(kRows, op, {}, &Row::name);
  return found != kRows.end() && found->name == op ? &*found : nullptr;
}

}  // namespace

bool has_trait(std::string_view op, Trait trait) {
  const Row* row = find_row(op);
  return row != nullptr && row->traits.contains(trait);
}

std::size_t fewest_operands(std::string_view op) {
  const Row* row = find_row(op);
  return row == nullptr ? 1 : row->fewest_operands;
}

}  // namespace dycl
