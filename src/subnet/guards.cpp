// SPDX-License-Identifier: Apache-2.0
#include "subnet/guards.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <span>

namespace dycl::subnet {
namespace {

using Sizes = std::vector<std::int64_t>;

class GuardBuilder {
 public:
  GuardBuilder(Hcfg& graph, const ConstantTable& constants, const std::set<std::string>& wanted)
      : graph_(graph), constants_(constants), wanted_(wanted) {}

  GuardedOps run(const std::vector<TensorOp>& ops, const std::vector<ValueId>& results) {
    if (wants(kSigmoidUnderflow)) silus_ = sigmoids_of_silus(ops, results);
    for (const TensorOp& op : ops) {
      add(op);
      remember(op);
    }
    return std::move(result_);
  }

 private:
  void add(const TensorOp& op) {
    source_ = op.source;
    if (!op.domain.empty()) return keep(op);
    if (divides_integers(op)) return guard_division(op);
    if (pools_maxima(op)) return guard_pooling(op);
    if (loses_small_sigmoids(op)) return write_out_sigmoid(op);
    if (divide_silu(op)) return;
    if (indexes(op)) guard_indices(op);
    keep(op);
    if (raises_integers(op)) guard_power(op);
    if (reduces_integers(op)) guard_reduction(op);
  }

  void remember(const TensorOp& op) {
    for (const ValueId output : op.outputs)
      if (output.valid()) producers_.emplace(output, &op);
    if (op.domain.empty() && !op.outputs.empty() && never_minus_infinity(op)) bounded_.insert(op.outputs[0]);
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

  [[nodiscard]] bool reduces_integers(const TensorOp& op) const {
    if ((op.name != "ReduceSum" && op.name != "ReduceProd") || !wants(kIntegerReductionInexact)) return false;
    const DType dtype = graph_.type_of(op.inputs[0]).tensor()->dtype;
    return (dtype == DType::I32 || dtype == DType::I64) && !(op.name == "ReduceSum" && adds_small(op));
  }

  // Sums of casts from narrower types stay below 2^53: of bools and 16 bits always, of 32 bits if there are
  // not millions of them.
  [[nodiscard]] bool adds_small(const TensorOp& op) const {
    const TensorType* type = graph_.type_of(op.inputs[0]).tensor();
    const auto producer = producers_.find(op.inputs[0]);
    if (type->dtype != DType::I64 || producer == producers_.end() || producer->second->name != "Cast")
      return false;
    const TensorType* from = graph_.type_of(producer->second->inputs[0]).tensor();
    if (from->dtype == DType::Bool) return true;
    if (!is_integer(from->dtype)) return false;
    return bit_width(from->dtype) <= 16 || (bit_width(from->dtype) == 32 && has_at_most(*type, 1 << 20));
  }

  static bool has_at_most(const TensorType& type, std::int64_t most) {
    if (!type.dims) return false;
    std::int64_t count = 1;
    for (const Dim& dim : *type.dims) {
      if (!dim.is_static() || dim.constant > most) return false;
      count *= dim.constant;
      if (count > most) return false;
    }
    return true;
  }

  // The backend computes in f64 and saturates. A product that is exact shows in the result; a sum is exact
  // while that of the absolute values is.
  void guard_reduction(const TensorOp& op) {
    const DType dtype = graph_.type_of(op.inputs[0]).tensor()->dtype;
    ValueId result = op.outputs[0];
    std::int64_t least = -(std::int64_t{1} << 53);
    if (dtype == DType::I32) {
      least = -std::int64_t{std::numeric_limits<std::int32_t>::max()};
    } else if (op.name == "ReduceSum") {
      TensorOp sum = op;
      sum.inputs[0] = node("Abs", 6, {op.inputs[0]}, dtype);
      result = sum.outputs[0] = graph_.add_value(graph_.type_of(op.outputs[0]), "guard");
      keep(sum);
      least = 0;  // the smallest integer has no absolute value
    }
    const std::int64_t most = least < 0 ? -least : std::int64_t{1} << 53;
    const ValueId fits = node("Less", 9, {result, integer(dtype, most)}, DType::Bool);
    const ValueId below = node("Less", 9, {result, integer(dtype, least)}, DType::Bool);
    const ValueId bad = node("Or", 7, {below, node("Not", 1, {fits}, DType::Bool)}, DType::Bool);
    const char* limit = dtype == DType::I32 ? "2^31" : "2^53";
    raise_if_any(bad, "OverflowError",
                 std::string(op.name == "ReduceSum" ? "an integer sum" : "an integer product") + " beyond " +
                     limit + " is not exact on this backend");
  }

  [[nodiscard]] bool pools_maxima(const TensorOp& op) const {
    if ((op.name != "MaxPool" && op.name != "GlobalMaxPool") || !wants(kMaxPoolNotFinite)) return false;
    return is_float(graph_.type_of(op.inputs[0]).tensor()->dtype);
  }

  // Operators whose results have a lower bound, and those that only choose among results.
  [[nodiscard]] bool never_minus_infinity(const TensorOp& op) const {
    static const std::set<std::string> kBounded{"Relu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh",
                                                "Exp",  "Abs",     "Softmax",     "Elu",       "Sqrt"};
    static const std::set<std::string> kChoose{"Concat",      "MaxPool", "GlobalMaxPool",
                                               "AveragePool", "Reshape", "Transpose"};
    if (kBounded.contains(op.name)) return true;
    const std::size_t data = op.name == "Reshape" ? 1 : op.inputs.size();
    return kChoose.contains(op.name) &&
           std::ranges::all_of(std::span(op.inputs).first(data),
                               [&](ValueId value) { return bounded_.contains(value); });
  }

  // The backend skips NaN and begins with the lowest finite number. A sum shows NaN (and infinities of both
  // signs, which are rare enough) at the price of one pass; halving and doubling turn that number to -inf.
  void guard_pooling(const TensorOp& op) {
    const DType dtype = graph_.type_of(op.inputs[0]).tensor()->dtype;
    raise_if_nan(op.inputs[0], dtype);
    if (bounded_.contains(op.inputs[0])) return keep(op);
    TensorOp halved = op;
    halved.inputs[0] = node("Mul", 7, {op.inputs[0], number(dtype, 0.5)}, dtype);
    halved.outputs[0] = graph_.add_value(graph_.type_of(op.outputs[0]), "guard");
    keep(halved);
    keep({"", "Mul", 7, {}, {halved.outputs[0], number(dtype, 2)}, {op.outputs[0]}, source_});
    if (op.outputs.size() < 2 || !op.outputs[1].valid()) return;
    const ValueId lowest = number(dtype, -std::numeric_limits<float>::infinity());
    const ValueId infinite = node("Equal", 11, {op.outputs[0], lowest}, DType::Bool);
    raise_if_any(infinite, "FloatingPointError",
                 "the place of a maximum over -inf alone is not known on this backend");
  }

  // Results of Sigmoid that nobody reads but x * sigmoid(x).
  std::set<ValueId> sigmoids_of_silus(const std::vector<TensorOp>& ops,
                                      const std::vector<ValueId>& results) const {
    std::map<ValueId, ValueId> of_sigmoid;  // to what it is of
    for (const TensorOp& op : ops)
      if (loses_small_sigmoids(op)) of_sigmoid.emplace(op.outputs[0], op.inputs[0]);
    for (const ValueId result : results) of_sigmoid.erase(result);
    for (const TensorOp& op : ops)
      for (std::size_t place = 0; place < op.inputs.size(); ++place) {
        const auto found = of_sigmoid.find(op.inputs[place]);
        if (found == of_sigmoid.end()) continue;
        const bool is_silu = op.domain.empty() && op.name == "Mul" && op.inputs[1 - place] == found->second;
        if (!is_silu) of_sigmoid.erase(found);
      }
    std::set<ValueId> silus;
    for (const auto& [sigmoid, x] : of_sigmoid) silus.insert(sigmoid);
    return silus;
  }

  [[nodiscard]] bool loses_small_sigmoids(const TensorOp& op) const {
    return op.name == "Sigmoid" && op.domain.empty() && wants(kSigmoidUnderflow);
  }

  // 1 / (1 + exp(-x)), in f32 or f64, is what PyTorch computes.
  void write_out_sigmoid(const TensorOp& op) {
    const DType dtype = graph_.type_of(op.inputs[0]).tensor()->dtype;
    const DType wide = dtype == DType::F64 ? DType::F64 : DType::F32;
    const bool is_narrow = dtype != wide;
    const ValueId x = is_narrow ? node("Cast", 13, {op.inputs[0]}, wide, to(wide)) : op.inputs[0];
    const ValueId power = node("Exp", 13, {node("Neg", 13, {x}, wide)}, wide);
    const ValueId below = node("Add", 14, {power, number(wide, 1)}, wide);
    if (!is_narrow && silus_.contains(op.outputs[0])) {
      divisors_.emplace(op.outputs[0], below);
      return;
    }
    if (!is_narrow) return keep({"", "Reciprocal", 13, {}, {below}, op.outputs, source_});
    keep({"", "Cast", 13, to(dtype), {node("Reciprocal", 13, {below}, wide)}, op.outputs, source_});
  }

  // x * sigmoid(x) as x / (1 + exp(-x)), which is PyTorch's SiLU.
  bool divide_silu(const TensorOp& op) {
    for (std::size_t place = 0; place < op.inputs.size(); ++place) {
      const auto divisor = divisors_.find(op.inputs[place]);
      if (divisor == divisors_.end()) continue;
      keep({"", "Div", 14, {}, {op.inputs[1 - place], divisor->second}, op.outputs, source_});
      return true;
    }
    return false;
  }

  void raise_if_nan(ValueId value, DType dtype) {
    if (bit_width(dtype) < 32) value = node("Cast", 13, {value}, DType::F32, to(DType::F32));
    const DType wide = bit_width(dtype) < 32 ? DType::F32 : dtype;
    const ValueId sum = node("ReduceSum", 13, {value}, wide, {{"keepdims", std::int64_t{0}}});
    result_.guards.push_back({node("IsNaN", 9, {sum}, DType::Bool), "FloatingPointError",
                              "a maximum over NaN, or over infinities of both signs, is not right on this "
                              "backend",
                              source_});
  }

  ValueId number(DType dtype, float value) {
    const ValueId constant =
        graph_.add_constant(make_tensor_of<float>(DType::F32, {}, std::span(&value, 1)), "k");
    return dtype == DType::F32 ? constant : node("Cast", 13, {constant}, dtype, to(dtype));
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
        dtype == DType::I64 ? op.inputs[1] : node("Cast", 9, {op.inputs[1]}, DType::I64, to(DType::I64));
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

  static Attributes to(DType dtype) { return {{"to", static_cast<std::int64_t>(dtype)}}; }

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
    const ValueId output = graph_.add_value(TensorType{dtype, std::nullopt, {}}, "guard");
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
  std::map<ValueId, const TensorOp*> producers_;
  std::set<ValueId> bounded_;            // values that are never -inf
  std::set<ValueId> silus_;              // sigmoids that nothing but a SiLU reads
  std::map<ValueId, ValueId> divisors_;  // of these, 1 + exp(-x)
};

}  // namespace

GuardedOps add_guards(Hcfg& graph, const ConstantTable& constants, const std::vector<TensorOp>& ops,
                      const std::vector<ValueId>& results, const std::set<std::string>& wanted) {
  return GuardBuilder(graph, constants, wanted).run(ops, results);
}

}  // namespace dycl::subnet
