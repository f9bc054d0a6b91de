// SPDX-License-Identifier: Apache-2.0
#include "hcfg/known_result.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "base/overloaded.h"
#include "hcfg/fragment.h"

namespace dycl {
namespace {

constexpr std::int64_t kMost = 1 << 16;  // elements

using Dims = std::vector<std::int64_t>;

// Bools are 0 and 1.
struct Integers {
  DType dtype = DType::I64;
  Dims dims;
  std::vector<std::int64_t> values;
};

using Operands = std::vector<Integers>;
using Rule = std::function<std::optional<Integers>(const OnnxOp&, const Operands&)>;

template <class T>
void append(const TensorData& tensor, std::vector<std::int64_t>& values) {
  for (std::size_t at = 0; at + sizeof(T) <= tensor.bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, tensor.bytes.data() + at, sizeof value);
    values.push_back(static_cast<std::int64_t>(value));
  }
}

std::optional<Integers> read(const TensorData& tensor) {
  if (element_count(tensor.dims).value_or(kMost + 1) > kMost) return std::nullopt;
  Integers read{tensor.dtype, tensor.dims, {}};
  if (tensor.dtype == DType::I64)
    append<std::int64_t>(tensor, read.values);
  else if (tensor.dtype == DType::I32)
    append<std::int32_t>(tensor, read.values);
  else if (tensor.dtype == DType::Bool)
    append<std::uint8_t>(tensor, read.values);
  else
    return std::nullopt;
  return read;
}

template <class T>
TensorData written_as(const Integers& integers) {
  const std::vector<T> values(integers.values.begin(), integers.values.end());
  return make_tensor_of<T>(integers.dtype, integers.dims, values);
}

TensorData write(const Integers& integers) {
  if (integers.dtype == DType::I64) return written_as<std::int64_t>(integers);
  if (integers.dtype == DType::I32) return written_as<std::int32_t>(integers);
  return written_as<std::uint8_t>(integers);
}

std::optional<Dims> broadcast(const Operands& operands) {
  Dims dims;
  for (const Integers& operand : operands) {
    if (operand.dims.size() > dims.size()) dims.insert(dims.begin(), operand.dims.size() - dims.size(), 1);
    const std::size_t lead = dims.size() - operand.dims.size();
    for (std::size_t axis = 0; axis < operand.dims.size(); ++axis) {
      std::int64_t& dim = dims[lead + axis];
      if (dim == 1) dim = operand.dims[axis];
      if (operand.dims[axis] != 1 && operand.dims[axis] != dim) return std::nullopt;
    }
  }
  return dims;
}

// The element of `operand` that stands at a place of the broadcast result.
std::int64_t element_at(const Integers& operand, const Dims& dims, std::int64_t place) {
  std::int64_t index = 0;
  std::int64_t stride = 1;
  for (std::size_t back = 1; back <= dims.size(); ++back) {
    const std::int64_t coordinate = place % dims[dims.size() - back];
    place /= dims[dims.size() - back];
    if (back > operand.dims.size()) continue;
    const std::int64_t size = operand.dims[operand.dims.size() - back];
    if (size != 1) index += coordinate * stride;
    stride *= size;
  }
  return operand.values[static_cast<std::size_t>(index)];
}

template <class Function>
std::optional<Integers> elementwise(const Operands& operands, DType dtype, Function function) {
  const std::optional<Dims> dims = broadcast(operands);
  const std::int64_t count = dims ? element_count(*dims).value_or(kMost + 1) : kMost + 1;
  if (count > kMost) return std::nullopt;
  Integers result{dtype, *dims, {}};
  std::vector<std::int64_t> elements(operands.size());
  for (std::int64_t place = 0; place < count; ++place) {
    for (std::size_t index = 0; index < operands.size(); ++index)
      elements[index] = element_at(operands[index], *dims, place);
    result.values.push_back(function(elements));
  }
  return result;
}

using Elements = std::vector<std::int64_t>;

template <class Compare>
Rule comparison(Compare compare) {
  return [compare](const OnnxOp&, const Operands& operands) -> std::optional<Integers> {
    if (operands.size() != 2 || operands[0].dtype != operands[1].dtype) return std::nullopt;
    return elementwise(operands, DType::Bool, [&](const Elements& e) { return compare(e[0], e[1]) ? 1 : 0; });
  };
}

template <class Combine>
Rule connective(Combine combine) {
  return [combine](const OnnxOp&, const Operands& operands) -> std::optional<Integers> {
    if (operands.size() != 2 || operands[0].dtype != DType::Bool || operands[1].dtype != DType::Bool)
      return std::nullopt;
    return elementwise(operands, DType::Bool, [&](const Elements& e) { return combine(e[0], e[1]); });
  };
}

// As two's complement does it, without overflow in C++.
template <class Combine>
Rule arithmetic(Combine combine) {
  return [combine](const OnnxOp&, const Operands& operands) -> std::optional<Integers> {
    if (operands.size() != 2 || operands[0].dtype != DType::I64 || operands[1].dtype != DType::I64)
      return std::nullopt;
    return elementwise(operands, DType::I64, [&](const Elements& e) {
      return static_cast<std::int64_t>(
          combine(static_cast<std::uint64_t>(e[0]), static_cast<std::uint64_t>(e[1])));
    });
  };
}

std::optional<Integers> negation(const OnnxOp&, const Operands& operands) {
  if (operands.size() != 1 || operands[0].dtype != DType::Bool) return std::nullopt;
  return elementwise(operands, DType::Bool, [](const Elements& e) { return 1 - e[0]; });
}

std::optional<Integers> choice(const OnnxOp&, const Operands& operands) {
  if (operands.size() != 3 || operands[0].dtype != DType::Bool || operands[1].dtype != operands[2].dtype)
    return std::nullopt;
  return elementwise(operands, operands[1].dtype, [](const Elements& e) { return e[0] != 0 ? e[1] : e[2]; });
}

DType cast_target(const OnnxOp& op) {
  return static_cast<DType>(attribute_or(op.attributes, "to", std::int64_t{0}));
}

std::optional<Integers> cast(const OnnxOp& op, const Operands& operands) {
  const DType to = cast_target(op);
  if (operands.size() != 1 || (to != DType::I64 && to != DType::I32 && to != DType::Bool))
    return std::nullopt;
  const auto fits = [&](std::int64_t value) {
    return to != DType::I32 || (value >= std::numeric_limits<std::int32_t>::min() &&
                                value <= std::numeric_limits<std::int32_t>::max());
  };
  if (!std::ranges::all_of(operands[0].values, fits)) return std::nullopt;
  return elementwise(operands, to,
                     [&](const Elements& e) { return to == DType::Bool ? std::int64_t{e[0] != 0} : e[0]; });
}

std::optional<Integers> reshape(const OnnxOp& op, const Operands& operands) {
  if (operands.size() != 2 || operands[1].dims.size() != 1) return std::nullopt;
  Integers result = operands[0];
  Dims dims = operands[1].values;
  const bool zero_is_zero = attribute_or(op.attributes, "allowzero", std::int64_t{0}) != 0;
  std::int64_t product = 1;
  std::optional<std::size_t> open;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 0 && !zero_is_zero && axis < result.dims.size()) dims[axis] = result.dims[axis];
    if (dims[axis] > kMost) return std::nullopt;
    if (dims[axis] < 0)
      open = axis;
    else
      product *= dims[axis];
  }
  const auto count = static_cast<std::int64_t>(result.values.size());
  if (open && product > 0) dims[*open] = count / product;
  if (element_count(dims) != count) return std::nullopt;
  result.dims = std::move(dims);
  return result;
}

// Of all elements.
std::optional<Integers> largest(const OnnxOp& op, const Operands& operands) {
  if (operands.size() != 1 || operands[0].values.empty() || op.attributes.contains("axes"))
    return std::nullopt;
  if (attribute_or(op.attributes, "noop_with_empty_axes", std::int64_t{0}) != 0) return std::nullopt;
  const bool keeps = attribute_or(op.attributes, "keepdims", std::int64_t{1}) != 0;
  return Integers{operands[0].dtype,
                  Dims(keeps ? operands[0].dims.size() : 0, 1),
                  {std::ranges::max(operands[0].values)}};
}

const std::map<std::string, Rule, std::less<>>& rules() {
  static const std::map<std::string, Rule, std::less<>> kRules{
      {"Add", arithmetic(std::plus<>())},
      {"And", connective(std::bit_and<>())},
      {"Cast", cast},
      {"Equal", comparison(std::equal_to<>())},
      {"Greater", comparison(std::greater<>())},
      {"GreaterOrEqual", comparison(std::greater_equal<>())},
      {"Less", comparison(std::less<>())},
      {"LessOrEqual", comparison(std::less_equal<>())},
      {"Mul", arithmetic(std::multiplies<>())},
      {"Not", negation},
      {"Or", connective(std::bit_or<>())},
      {"ReduceMax", largest},
      {"Reshape", reshape},
      {"Sub", arithmetic(std::minus<>())},
      {"Where", choice},
  };
  return kRules;
}

std::optional<TensorData> integer_result(const OnnxOp& op, std::span<const TensorData* const> operands) {
  const auto rule = rules().find(op.name);
  if (rule == rules().end()) return std::nullopt;
  Operands integers;
  for (const TensorData* operand : operands) {
    std::optional<Integers> given = read(*operand);
    if (!given) return std::nullopt;
    integers.push_back(std::move(*given));
  }
  const std::optional<Integers> result = rule->second(op, integers);
  return result ? std::optional(write(*result)) : std::nullopt;
}

template <class To, class From>
TensorData converted(const TensorData& tensor, DType dtype) {
  From from;
  std::memcpy(&from, tensor.bytes.data(), sizeof from);
  const To to = static_cast<To>(from);
  return make_tensor_of<To>(dtype, tensor.dims, std::span<const To>(&to, 1));
}

template <class From>
std::optional<TensorData> float_from(const TensorData& tensor, DType dtype) {
  if (dtype == DType::F32) return converted<float, From>(tensor, dtype);
  if (dtype == DType::F64) return converted<double, From>(tensor, dtype);
  return std::nullopt;
}

// A Python number beside a tensor is a constant of 64 bits that is cast. C++ rounds it as every backend does.
std::optional<TensorData> number_as_float(const OnnxOp& op, std::span<const TensorData* const> operands) {
  if (op.name != "Cast" || operands.size() != 1 || element_count(operands[0]->dims) != 1) return std::nullopt;
  const DType to = cast_target(op);
  if (operands[0]->dtype == DType::F64) return float_from<double>(*operands[0], to);
  if (operands[0]->dtype == DType::I64) return float_from<std::int64_t>(*operands[0], to);
  return std::nullopt;
}

TensorPtr find_in(const KnownTensors& known, ValueId value) {
  const auto found = known.find(value);
  return found == known.end() ? nullptr : found->second;
}

}  // namespace

std::optional<TensorData> known_result(const OnnxOp& op, std::span<const TensorData* const> operands) {
  if (!op.domain.empty() || std::ranges::find(operands, nullptr) != operands.end()) return std::nullopt;
  std::optional<TensorData> number = number_as_float(op, operands);
  return number ? std::move(number) : integer_result(op, operands);
}

KnownTensors known_results(std::span<const OnnxOp> ops,
                           const std::function<TensorPtr(ValueId value)>& contents_of) {
  KnownTensors known;
  for (const OnnxOp& op : ops) {
    std::vector<TensorPtr> kept;
    std::vector<const TensorData*> operands;
    for (const ValueId input : op.inputs) {
      const TensorPtr earlier = find_in(known, input);
      kept.push_back(earlier != nullptr || !input.valid() ? earlier : contents_of(input));
      operands.push_back(kept.back().get());
    }
    if (op.outputs.size() != 1 || !op.outputs[0].valid()) continue;
    if (std::optional<TensorData> result = known_result(op, operands))
      known.emplace(op.outputs[0], std::make_shared<const TensorData>(std::move(*result)));
  }
  return known;
}

std::vector<TensorPtr> known_results(const Fragment& fragment, std::span<const TensorPtr> inputs) {
  KnownTensors given;
  for (const Constant& constant : fragment.constants) given.emplace(constant.value, constant.data);
  for (std::size_t index = 0; index < inputs.size(); ++index)
    given.emplace(fragment.inputs[index], inputs[index]);
  const KnownTensors known =
      known_results(fragment.ops, [&](ValueId value) { return find_in(given, value); });
  std::vector<TensorPtr> results;
  for (const ValueId output : fragment.outputs) results.push_back(find_in(known, output));
  return results;
}

std::vector<TensorPtr> known_results(const TensorOp& op, std::span<const TensorPtr> inputs) {
  return std::visit(Overloaded{
                        [&](const OnnxOp& plain) {
                          std::vector<const TensorData*> operands;
                          for (const TensorPtr& input : inputs) operands.push_back(input.get());
                          std::vector<TensorPtr> results(plain.outputs.size());
                          std::optional<TensorData> result = known_result(plain, operands);
                          if (result && results.size() == 1)
                            results[0] = std::make_shared<const TensorData>(std::move(*result));
                          return results;
                        },
                        [&](const FragmentCall& call) { return known_results(*call.fragment, inputs); },
                    },
                    op);
}

}  // namespace dycl
