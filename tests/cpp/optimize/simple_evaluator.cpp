// SPDX-License-Identifier: Apache-2.0
#include "optimize/simple_evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace dycl::testing {
namespace {

Failure refuse(const OnnxOp& op) {
  return fail(Blame::Unsupported, "test.operator", "the test evaluator does not know " + op.name);
}

template <class T>
std::vector<T> elements(const TensorData& tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

template <class T>
Result<T> combine(const OnnxOp& op, T left, T right) {
  if (op.name == "Add") return static_cast<T>(left + right);
  if (op.name == "Sub") return static_cast<T>(left - right);
  if (op.name == "Mul") return static_cast<T>(left * right);
  if (op.name != "Div") return refuse(op);
  if constexpr (std::is_integral_v<T>)
    if (right == 0) return raised("ZeroDivisionError", "integer division by zero");
  return static_cast<T>(left / right);
}

template <class T>
Result<T> apply(const OnnxOp& op, T value) {
  if (op.name == "Neg") return static_cast<T>(-value);
  if (op.name == "Relu") return value < 0 ? T{0} : value;
  if (op.name == "Identity") return value;
  return refuse(op);
}

template <class T>
Result<std::vector<TensorPtr>> on_elements(const OnnxOp& op, std::span<const TensorPtr> inputs) {
  const std::vector<T> first = elements<T>(*inputs[0]);
  const std::vector<T> second = inputs.size() > 1 ? elements<T>(*inputs[1]) : first;
  const TensorData& larger = inputs.size() > 1 && second.size() > first.size() ? *inputs[1] : *inputs[0];
  if (first.size() != second.size() && first.size() != 1 && second.size() != 1) return refuse(op);
  const std::size_t count = std::max(first.size(), second.size());
  std::vector<T> values;
  for (std::size_t index = 0; index < count; ++index) {
    const T left = first[first.size() == 1 ? 0 : index];
    const T right = second[second.size() == 1 ? 0 : index];
    const Result<T> value = inputs.size() > 1 ? combine(op, left, right) : apply(op, left);
    if (!value) return Failure(value.error());
    values.push_back(*value);
  }
  TensorData result = make_tensor_of<T>(larger.dtype, larger.dims, std::span<const T>(values));
  return std::vector<TensorPtr>{std::make_shared<const TensorData>(std::move(result))};
}

Result<std::vector<TensorPtr>> zeros(const TensorData& shape) {
  std::vector<std::int64_t> dims = elements<std::int64_t>(shape);
  const std::vector<float> values(static_cast<std::size_t>(element_count(dims).value_or(0)));
  TensorData result = make_tensor_of<float>(DType::F32, std::move(dims), std::span<const float>(values));
  return std::vector<TensorPtr>{std::make_shared<const TensorData>(std::move(result))};
}

TensorPtr integers(std::vector<std::int64_t> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return std::make_shared<const TensorData>(
      make_tensor_of<std::int64_t>(DType::I64, {size}, std::span<const std::int64_t>(values)));
}

Result<std::vector<TensorPtr>> reshape(TensorData data, const TensorData& shape) {
  data.dims = elements<std::int64_t>(shape);
  return std::vector<TensorPtr>{std::make_shared<const TensorData>(std::move(data))};
}

// Along the first axis of vectors.
Result<std::vector<TensorPtr>> concat(const TensorData& left, const TensorData& right) {
  std::vector<std::byte> bytes(left.bytes.begin(), left.bytes.end());
  bytes.insert(bytes.end(), right.bytes.begin(), right.bytes.end());
  TensorData result = make_tensor(left.dtype, {left.dims[0] + right.dims[0]}, std::move(bytes));
  return std::vector<TensorPtr>{std::make_shared<const TensorData>(std::move(result))};
}

}  // namespace

Result<std::vector<TensorPtr>> SimpleEvaluator::evaluate(const TensorOp& any,
                                                         std::span<const TensorPtr> inputs) {
  if (!std::holds_alternative<OnnxOp>(any))
    return fail(Blame::Unsupported, "test.operator", "the test evaluator knows no fragments");
  const auto& op = std::get<OnnxOp>(any);
  if (inputs.empty() || inputs.size() > 2 || std::ranges::count(inputs, nullptr) != 0) return refuse(op);
  if (op.name == "ConstantOfShape") return zeros(*inputs[0]);
  if (op.name == "Shape") return std::vector{integers(inputs[0]->dims)};
  if (op.name == "Reshape") return reshape(*inputs[0], *inputs[1]);
  if (op.name == "Concat") return concat(*inputs[0], *inputs[1]);
  if (inputs[0]->dtype == DType::F32) return on_elements<float>(op, inputs);
  if (inputs[0]->dtype == DType::I64) return on_elements<std::int64_t>(op, inputs);
  return refuse(op);
}

}  // namespace dycl::testing
