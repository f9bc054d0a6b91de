// SPDX-License-Identifier: Apache-2.0
#include "subnet/guards.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

namespace dycl {
namespace {

using Sizes = std::vector<std::int64_t>;

class GuardBuilder {
 public:
  GuardBuilder(Hcfg& graph, const ConstantTable& constants, const std::set<std::string>& wanted)
      : graph_(graph), constants_(constants), wanted_(wanted) {}

  GuardedOps run(const std::vector<TensorOp>& ops) {
    for (const TensorOp& op : ops) add(op);
    return std::move(result_);
  }

 private:
  void add(const TensorOp& op) {
    source_ = op.source;
    if (!op.domain.empty()) return keep(op);
    if (divides_integers(op)) return guard_division(op);
    if (indexes(op)) guard_indices(op);
    keep(op);
    if (raises_integers(op)) guard_power(op);
  }

  void keep(const TensorOp& op) { result_.ops.push_back(op); }

  [[nodiscard]] bool wants(const char* name) const { return wanted_.contains(name); }

  [[nodiscard]] bool divides_integers(const TensorOp& op) const {
    if (!wants(kIntegerDivisionByZero) && !wants(kIntegerDivisionOverflow)) return false;
    if ((op.name != "Div" && op.name != "Mod") || op.inputs.size() != 2) return false;
    const TensorType* divisor = graph_.type_of(op.inputs[1]).tensor();
    return is_integer(divisor->dtype) && bit_width(divisor->dtype) >= 8 && !harmless_divisor(op.inputs[1]);
  }

  // A constant without 0 and without -1 (the smallest integer divided by -1 does not fit).
  [[nodiscard]] bool harmless_divisor(ValueId value) const {
    const TensorPtr* constant = constants_.find(graph_, value);
    if (constant == nullptr) return false;
    const TensorData& data = **constant;
    const std::size_t width = bit_width(data.dtype) / 8;
    for (std::size_t offset = 0; offset < data.bytes.size(); offset += width) {
      const auto element = data.bytes.subspan(offset, width);
      if (std::ranges::all_of(element, [](std::byte byte) { return byte == std::byte{0}; })) return false;
      if (std::ranges::all_of(element, [](std::byte byte) { return byte == std::byte{0xFF}; })) return false;
    }
    return true;
  }

  // bad = b == 0 or (b == -1 and a == smallest); the division itself gets 1 where bad.
  void guard_division(const TensorOp& op) {
    const DType dtype = graph_.type_of(op.inputs[1]).tensor()->dtype;
    const ValueId dividend = op.inputs[0];
    const ValueId divisor = op.inputs[1];
    std::optional<ValueId> bad;
    const bool wide = dtype == DType::I32 || dtype == DType::I64;
    // Some backends answer a zero with an error of their own; a wide division is checked anyway, and then
    // the message is the same everywhere.
    if (wants(kIntegerDivisionByZero) || wide)
      bad = node("Equal", 7, {divisor, integer(dtype, 0)}, DType::Bool);
    if (wide) {  // narrower ones are computed in 32 bits
      const ValueId negative = node("Equal", 7, {divisor, integer(dtype, -1)}, DType::Bool);
      const ValueId smallest = node("Equal", 7, {dividend, smallest_integer(dtype)}, DType::Bool);
      const ValueId overflow = node("And", 7, {negative, smallest}, DType::Bool);
      bad = bad ? node("Or", 7, {*bad, overflow}, DType::Bool) : overflow;
    }
    if (!bad) return keep(op);
    TensorOp safe = op;
    safe.inputs[1] = node("Where", 9, {*bad, integer(dtype, 1), divisor}, dtype);
    keep(safe);
    raise_if_any(*bad, "ZeroDivisionError", "integer division by zero, or of the smallest integer by -1");
  }

  [[nodiscard]] bool raises_integers(const TensorOp& op) const {
    if (op.name != "Pow" || !wants(kIntegerPowInexact)) return false;
    const DType dtype = graph_.type_of(op.inputs[0]).tensor()->dtype;
    return dtype == DType::I64 || dtype == DType::U64;
  }

  // The backend computes in f64, which holds integers up to 2^53; what does not fit comes out beyond.
  void guard_power(const TensorOp& op) {
    constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;
    const DType dtype = graph_.type_of(op.inputs[0]).tensor()->dtype;
    ValueId bad = node("Greater", 9, {op.outputs[0], integer(dtype, kLargestExact)}, DType::Bool);
    if (is_signed(dtype)) {
      const ValueId below = node("Less", 9, {op.outputs[0], integer(dtype, -kLargestExact)}, DType::Bool);
      bad = node("Or", 7, {bad, below}, DType::Bool);
    }
    raise_if_any(bad, "OverflowError", "an integer power beyond 2^53 is not exact on this backend");
  }

  [[nodiscard]] bool indexes(const TensorOp& op) const {
    static const std::set<std::string> kGather{"Gather", "GatherElements", "GatherND"};
    static const std::set<std::string> kScatter{"ScatterElements", "ScatterND"};
    return op.inputs.size() >= 2 && ((wants(kGatherOutOfRange) && kGather.contains(op.name)) ||
                                     (wants(kScatterOutOfRange) && kScatter.contains(op.name)));
  }

  // bad = index < -n or index >= n. n is the size of the indexed axis or, for the ND operators, the
  // sizes of the axes that an index tuple names.
  void guard_indices(const TensorOp& op) {
    const DType dtype = graph_.type_of(op.inputs[1]).tensor()->dtype;
    const std::optional<Sizes> fixed = fixed_sizes(op);
    if (fixed && known_in_range(op.inputs[1], *fixed)) return;
    const ValueId index =
        dtype == DType::I64 ? op.inputs[1] : node("Cast", 9, {op.inputs[1]}, DType::I64, to_i64());
    const ValueId size = fixed ? integers(*fixed) : computed_sizes(op, index);
    const ValueId below = node("Less", 9, {index, node("Neg", 6, {size}, DType::I64)}, DType::Bool);
    const ValueId fits = node("Less", 9, {index, size}, DType::Bool);
    const ValueId bad = node("Or", 7, {below, node("Not", 1, {fits}, DType::Bool)}, DType::Bool);
    raise_if_any(bad, "IndexError", op.name + ": index out of range");
  }

  static bool names_tuples(const TensorOp& op) { return op.name.ends_with("ND"); }

  static std::int64_t axis_of(const TensorOp& op) {
    return attribute_or<std::int64_t>(op.attributes, "axis", 0);
  }

  static std::int64_t batch_of(const TensorOp& op) {
    return attribute_or<std::int64_t>(op.attributes, "batch_dims", 0);
  }

  // Those that are compared with indices, if all of them are known.
  [[nodiscard]] std::optional<Sizes> fixed_sizes(const TensorOp& op) const {
    const auto& data = graph_.type_of(op.inputs[0]).tensor()->dims;
    const auto& index = graph_.type_of(op.inputs[1]).tensor()->dims;
    if (!data) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(data->size());
    std::int64_t first = axis_of(op) < 0 ? axis_of(op) + rank : axis_of(op);
    std::int64_t count = 1;
    if (names_tuples(op)) {
      if (!index || index->empty() || !index->back().is_static()) return std::nullopt;
      first = batch_of(op);
      count = index->back().constant;
    }
    if (first < 0 || count < 1 || first + count > rank) return std::nullopt;
    Sizes sizes;
    for (std::int64_t axis = first; axis < first + count; ++axis) {
      const Dim& dim = (*data)[static_cast<std::size_t>(axis)];
      if (!dim.is_static()) return std::nullopt;
      sizes.push_back(dim.constant);
    }
    return sizes;
  }

  ValueId computed_sizes(const TensorOp& op, ValueId index) {
    const ValueId shape = node("Shape", 1, {op.inputs[0]}, DType::I64);
    return names_tuples(op) ? tuple_sizes(op, shape, index) : axis_size(shape, axis_of(op));
  }

  ValueId axis_size(ValueId shape, std::int64_t axis) {
    return node("Gather", 1, {shape, integer(DType::I64, axis)}, DType::I64, {{"axis", std::int64_t{0}}});
  }

  // shape[batch_dims : batch_dims + last size of index]
  ValueId tuple_sizes(const TensorOp& op, ValueId shape, ValueId index) {
    const ValueId start = integers({batch_of(op)});
    const ValueId index_shape = node("Shape", 1, {index}, DType::I64);
    const ValueId length =
        node("Gather", 1, {index_shape, integers({-1})}, DType::I64, {{"axis", std::int64_t{0}}});
    const ValueId end = node("Add", 7, {start, length}, DType::I64);
    return node("Slice", 10, {shape, start, end}, DType::I64);
  }

  static Attributes to_i64() { return {{"to", static_cast<std::int64_t>(DType::I64)}}; }

  // Indices that are constants lie tuple by tuple.
  [[nodiscard]] bool known_in_range(ValueId indices, const Sizes& sizes) const {
    const TensorPtr* constant = constants_.find(graph_, indices);
    if (constant == nullptr || (*constant)->dtype != DType::I64) return false;
    for (std::size_t place = 0; place * sizeof(std::int64_t) < (*constant)->bytes.size(); ++place) {
      std::int64_t index = 0;
      std::memcpy(&index, (*constant)->bytes.data() + place * sizeof index, sizeof index);
      const std::int64_t size = sizes[place % sizes.size()];
      if (index < -size || index >= size) return false;
    }
    return true;
  }

  // How many elements of `bad` are true is read off the size of NonZero's result, because that is
  // written the same way in every operator set (reductions are not).
  void raise_if_any(ValueId bad, std::string type, std::string message) {
    const ValueId flat = node("Reshape", 5, {bad, integers({-1})}, DType::Bool);
    const ValueId places = node("NonZero", 9, {flat}, DType::I64);
    const ValueId count = node("Size", 1, {places}, DType::I64);
    const ValueId raised = node("Greater", 9, {count, integer(DType::I64, 0)}, DType::Bool);
    result_.guards.push_back({raised, std::move(type), std::move(message), source_});
  }

  ValueId node(std::string name, std::int64_t version, std::vector<ValueId> inputs, DType dtype,
               Attributes attributes = {}) {
    const ValueId output = graph_.add_value(TensorType{dtype, std::nullopt, {}, {}}, "guard");
    result_.ops.push_back(
        {"", std::move(name), version, std::move(attributes), std::move(inputs), {output}, source_});
    return output;
  }

  static bool is_signed(DType dtype) {
    return dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
  }

  // Two's complement, low bytes first: the same code serves every width.
  ValueId integer(DType dtype, std::int64_t value) {
    const std::size_t width = bit_width(dtype) / 8;
    std::vector<std::byte> bytes(width);
    std::memcpy(bytes.data(), &value, width);
    return graph_.add_constant(make_tensor(dtype, {}, std::move(bytes)), "k");
  }

  ValueId integers(std::vector<std::int64_t> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return graph_.add_constant(make_tensor_of<std::int64_t>(DType::I64, {count}, values), "k");
  }

  ValueId smallest_integer(DType dtype) {
    const std::size_t bits = bit_width(dtype);
    return integer(dtype, std::numeric_limits<std::int64_t>::min() >> (64 - bits));
  }

  Hcfg& graph_;
  const ConstantTable& constants_;
  const std::set<std::string>& wanted_;
  GuardedOps result_;
  SourceId source_;
};

}  // namespace

GuardedOps add_guards(Hcfg& graph, const ConstantTable& constants, const std::vector<TensorOp>& ops,
                      const std::set<std::string>& wanted) {
  return GuardBuilder(graph, constants, wanted).run(ops);
}

}  // namespace dycl
