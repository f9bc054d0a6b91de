// SPDX-License-Identifier: Apache-2.0
#include "cli/sample_inputs.h"

#include <algorithm>
#include <random>

#include "base/element.h"
#include "base/tensor_data.h"

namespace dycl::cli {
namespace {

using runtime::RuntimeTensor;
using runtime::RuntimeValue;

constexpr std::int64_t kUsualSize = 3;

class Sampler {
 public:
  Sampler(const HostPlan& plan, std::uint32_t seed) : plan_(plan), random_(seed) {}

  Result<RuntimeValue> value_of(const Type& type) {
    if (const OptionalType* optional = type.optional()) return value_of(*optional->element);
    if (const ScalarType* scalar = type.scalar()) return RuntimeValue(number_of(scalar->kind));
    if (const SeqType* sequence = type.seq()) return list_of(*sequence->element);
    if (const TensorType* tensor = type.tensor()) return tensor_of(*tensor);
    return RuntimeValue(std::string("text"));
  }

 private:
  Scalar number_of(ScalarKind kind) {
    switch (kind) {
      case ScalarKind::Bool: return next(2) == 1;
      case ScalarKind::I64: return static_cast<std::int64_t>(next(4));
      case ScalarKind::F64: return real();
    }
    return false;
  }

  Result<RuntimeValue> list_of(const Type& element) {
    std::vector<RuntimeValue> items;
    for (std::int64_t index = 0; index < kUsualSize; ++index) {
      auto item = value_of(element);
      if (!item) return item;
      items.push_back(std::move(*item));
    }
    return RuntimeValue::sequence(std::move(items));
  }

  Result<RuntimeValue> tensor_of(const TensorType& type) {
    std::vector<std::int64_t> sizes(type.dims ? type.dims->size() : 1, kUsualSize);
    for (std::size_t axis = 0; type.dims && axis < sizes.size(); ++axis)
      sizes[axis] = size_of((*type.dims)[axis]);
    const std::int64_t count = element_count(sizes).value_or(0);
    std::vector<std::byte> bytes(byte_size(type.dtype, count).value_or(0));
    const std::size_t width = bit_width(type.dtype) / 8;
    for (std::size_t offset = 0; width > 0 && offset < bytes.size(); offset += width)
      if (Status written = write_element(element_of(type.dtype), type.dtype, bytes.data() + offset); !written)
        return failure_of(std::move(written));
    auto tensor = RuntimeTensor::share(
        std::make_shared<const TensorData>(make_tensor(type.dtype, std::move(sizes), std::move(bytes))));
    if (!tensor) return failure_of(std::move(tensor));
    return RuntimeValue(std::move(*tensor));
  }

  [[nodiscard]] std::int64_t size_of(const Dim& dim) const {
    std::int64_t size = dim.constant;
    for (const auto& [symbol, factor] : dim.terms) {
      const DimRange& range = plan_.symbols[symbol.index()].range;
      size += factor * std::clamp(kUsualSize, range.smallest, range.largest);
    }
    return std::max<std::int64_t>(size, 0);
  }

  Scalar element_of(DType dtype) {
    if (dtype == DType::Bool) return next(2) == 1;
    if (is_integer(dtype)) return static_cast<std::int64_t>(next(4));
    return real();
  }

  std::uint32_t next(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  double real() { return static_cast<double>(next(2001)) / 1000 - 1; }

  const HostPlan& plan_;
  std::mt19937 random_;
};

}  // namespace

Result<std::vector<RuntimeValue>> sample_inputs(const HostPlan& plan, std::uint32_t seed) {
  Sampler sampler(plan, seed);
  std::vector<RuntimeValue> values;
  for (const PlanPort& port : plan.inputs) {
    if (port.is_state()) continue;
    auto value = sampler.value_of(port.type);
    if (!value) return failure_of(std::move(value));
    values.push_back(std::move(*value));
  }
  return values;
}

}  // namespace dycl::cli
