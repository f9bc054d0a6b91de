// SPDX-License-Identifier: Apache-2.0
#include "subnet/guards.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>

namespace dycl {
namespace {

class GuardBuilder {
 public:
  GuardBuilder(Hcfg& graph, const std::set<std::string>& wanted) : graph_(graph), wanted_(wanted) {
    for (const Constant& constant : graph.constants) constants_.emplace(constant.value, constant.data);
  }

  GuardedOps run(const std::vector<TensorOp>& ops) {
    for (const TensorOp& op : ops) add(op);
    return std::move(result_);
  }

 private:
  void add(const TensorOp& op) {
    source_ = op.source;
    if (op.domain.empty() && wanted_.contains(kIntegerDivisionByZero) && divides_integers(op))
      return guard_division(op);
    if (op.domain.empty() && wanted_.contains(kGatherOutOfRange) && gathers(op)) guard_indices(op);
    result_.ops.push_back(op);
  }

  [[nodiscard]] bool divides_integers(const TensorOp& op) const {
    if ((op.name != "Div" && op.name != "Mod") || op.inputs.size() != 2) return false;
    const TensorType* divisor = graph_.type_of(op.inputs[1]).tensor();
    return is_integer(divisor->dtype) && bit_width(divisor->dtype) >= 8 && !harmless_divisor(op.inputs[1]);
  }

  // A constant without 0 and without -1 (the smallest integer divided by -1 does not fit).
  [[nodiscard]] bool harmless_divisor(ValueId value) const {
    const auto constant = constants_.find(value);
    if (constant == constants_.end()) return false;
    const TensorData& data = *constant->second;
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
    ValueId bad = node("Equal", 7, {divisor, integer(dtype, 0)}, DType::Bool);
    if (is_signed(dtype)) {
      const ValueId negative = node("Equal", 7, {divisor, integer(dtype, -1)}, DType::Bool);
      const ValueId smallest = node("Equal", 7, {dividend, smallest_integer(dtype)}, DType::Bool);
      bad = node("Or", 7, {bad, node("And", 7, {negative, smallest}, DType::Bool)}, DType::Bool);
    }
    TensorOp safe = op;
    safe.inputs[1] = node("Where", 9, {bad, integer(dtype, 1), divisor}, dtype);
    result_.ops.push_back(std::move(safe));
    raise_if_any(bad, "ZeroDivisionError", "integer division by zero, or of the smallest integer by -1");
  }

  static bool gathers(const TensorOp& op) {
    static const std::set<std::string> kNames{"Gather", "GatherElements", "ScatterElements"};
    return kNames.contains(op.name) && op.inputs.size() >= 2;
  }

  // bad = index < -n or index >= n, n the size of the gathered axis; the backend reads nothing bad
  // before the check is looked at, it only returns a wrong value.
  void guard_indices(const TensorOp& op) {
    const ValueId data = op.inputs[0];
    const DType dtype = graph_.type_of(op.inputs[1]).tensor()->dtype;
    const std::int64_t axis = attribute_or<std::int64_t>(op.attributes, "axis", 0);
    if (known_in_range(op.inputs[1], data, axis)) return;
    const ValueId index =
        dtype == DType::I64 ? op.inputs[1] : node("Cast", 9, {op.inputs[1]}, DType::I64, to_i64());
    const ValueId shape = node("Shape", 1, {data}, DType::I64);
    const ValueId size =
        node("Gather", 1, {shape, integer(DType::I64, axis)}, DType::I64, {{"axis", std::int64_t{0}}});
    const ValueId lowest = node("Neg", 6, {size}, DType::I64);
    const ValueId below = node("Less", 9, {index, lowest}, DType::Bool);
    const ValueId fits = node("Less", 9, {index, size}, DType::Bool);
    const ValueId bad = node("Or", 7, {below, node("Not", 1, {fits}, DType::Bool)}, DType::Bool);
    raise_if_any(bad, "IndexError", op.name + ": index out of range");
  }

  static Attributes to_i64() { return {{"to", static_cast<std::int64_t>(DType::I64)}}; }

  [[nodiscard]] bool known_in_range(ValueId indices, ValueId data, std::int64_t axis) const {
    const auto constant = constants_.find(indices);
    const TensorType* type = graph_.type_of(data).tensor();
    if (constant == constants_.end() || constant->second->dtype != DType::I64 || !type->dims) return false;
    const auto rank = static_cast<std::int64_t>(type->dims->size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || !(*type->dims)[static_cast<std::size_t>(axis)].is_static()) return false;
    const std::int64_t size = (*type->dims)[static_cast<std::size_t>(axis)].constant;
    for (std::size_t offset = 0; offset < constant->second->bytes.size(); offset += sizeof(std::int64_t)) {
      std::int64_t index = 0;
      std::memcpy(&index, constant->second->bytes.data() + offset, sizeof index);
      if (index < -size || index >= size) return false;
    }
    return true;
  }

  // How many elements of `bad` are true is read off the size of NonZero's result, because that is
  // written the same way in every operator set (reductions are not).
  void raise_if_any(ValueId bad, std::string type, std::string message) {
    const std::int64_t minus_one = -1;
    const ValueId flat_shape =
        graph_.add_constant(make_tensor_of<std::int64_t>(DType::I64, {1}, std::span(&minus_one, 1)), "flat");
    const ValueId flat = node("Reshape", 5, {bad, flat_shape}, DType::Bool);
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

  ValueId smallest_integer(DType dtype) {
    const std::size_t bits = bit_width(dtype);
    return integer(dtype, std::numeric_limits<std::int64_t>::min() >> (64 - bits));
  }

  Hcfg& graph_;
  const std::set<std::string>& wanted_;
  std::unordered_map<ValueId, TensorPtr> constants_;
  GuardedOps result_;
  SourceId source_;
};

}  // namespace

GuardedOps add_guards(Hcfg& graph, const std::vector<TensorOp>& ops, const std::set<std::string>& wanted) {
  return GuardBuilder(graph, wanted).run(ops);
}

}  // namespace dycl
