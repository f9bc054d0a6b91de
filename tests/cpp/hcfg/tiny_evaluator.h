// SPDX-License-Identifier: Apache-2.0
// A handful of element-wise operators on f32 and i64, enough to run test graphs.
#pragma once

#include <cstring>
#include <functional>

#include "hcfg/evaluator.h"

namespace dycl::testing_support {

template <class T>
std::vector<T> elements(const TensorData& tensor) {
  std::vector<T> values(static_cast<std::size_t>(tensor.count()));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

inline TensorPtr f32(std::vector<std::int64_t> dims, std::vector<float> values) {
  return std::make_shared<const TensorData>(make_tensor_of<float>(DType::F32, std::move(dims), values));
}
inline TensorPtr i64(std::vector<std::int64_t> dims, std::vector<std::int64_t> values) {
  return std::make_shared<const TensorData>(
      make_tensor_of<std::int64_t>(DType::I64, std::move(dims), values));
}
inline TensorPtr boolean(bool value) {
  const std::uint8_t byte = value ? 1 : 0;
  return std::make_shared<const TensorData>(
      make_tensor_of<std::uint8_t>(DType::Bool, {}, std::span(&byte, 1)));
}

class TinyEvaluator : public TensorOpEvaluator {
 public:
  Result<std::vector<TensorPtr>> evaluate(const TensorOp& any, std::span<const TensorPtr> inputs) override {
    const auto& op = std::get<OnnxOp>(any);
    if (op.name == "Concat") {
      auto values = elements<float>(*inputs[0]);
      const auto more = elements<float>(*inputs[1]);
      values.insert(values.end(), more.begin(), more.end());
      return std::vector{f32({static_cast<std::int64_t>(values.size())}, values)};
    }
    if (inputs[0]->dtype == DType::I64) return apply<std::int64_t>(op, *inputs[0], *inputs[1]);
    return apply<float>(op, *inputs[0], *inputs[1]);
  }

 private:
  // The second operand may be a single element.
  template <class T>
  static Result<std::vector<TensorPtr>> apply(const OnnxOp& op, const TensorData& left,
                                              const TensorData& right) {
    auto values = elements<T>(left);
    const auto others = elements<T>(right);
    if (op.name == "Less") return std::vector{boolean(values[0] < others[0])};
    for (std::size_t index = 0; index < values.size(); ++index) {
      const T other = others[others.size() == 1 ? 0 : index];
      if (op.name == "Add")
        values[index] += other;
      else if (op.name == "Mul")
        values[index] *= other;
      else
        return fail(Blame::Unsupported, "test.operator", "no operator " + op.name);
    }
    const DType dtype = left.dtype;
    return std::vector<TensorPtr>{
        std::make_shared<const TensorData>(make_tensor_of<T>(dtype, left.dims, std::span<const T>(values)))};
  }
};

}  // namespace dycl::testing_support
