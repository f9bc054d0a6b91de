// SPDX-License-Identifier: Apache-2.0
#include "base/element.h"

#include <fmt/format.h>

#include "base/by_rule.h"
#include "host_rules/elements.h"

namespace dycl {

Result<Scalar> read_element(DType dtype, const std::byte* source) {
  const auto other = [&]() -> Result<Scalar> {
    return fail(Blame::Unsupported, "scalar.dtype",
                fmt::format("an element of type {} cannot become a host scalar", name_of(dtype)));
  };
  const auto give = [](auto number) -> Result<Scalar> { return Scalar(number); };
  auto element = by_rule(
      [&] { return host_rules::visit_element(static_cast<std::int32_t>(dtype), source, give, other); });
  return element ? std::move(*element) : Result<Scalar>(failure_of(std::move(element)));
}

Result<Scalar> element_at(const TensorData& tensor, std::size_t index) {
  const std::size_t first_bit = index * bit_width(tensor.dtype);  // strings have no width, and are refused
  if (first_bit % 8 == 0) return read_element(tensor.dtype, tensor.bytes.data() + first_bit / 8);
  const std::byte element = tensor.bytes[first_bit / 8] >> (first_bit % 8);
  return read_element(tensor.dtype, &element);
}

Result<Scalar> convert_scalar(const Scalar& scalar, ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Bool: return Scalar(scalar_to_bool(scalar));
    case ScalarKind::F64: return Scalar(scalar_to_float(scalar));
    case ScalarKind::I64: break;
  }
  auto integer = scalar_to_int(scalar);
  if (!integer) return failure_of(std::move(integer));
  return Scalar(*integer);
}

Status write_element(const Scalar& scalar, DType dtype, std::byte* target) {
  const auto write = [&](auto number) {
    return host_rules::write_number(number, static_cast<std::int32_t>(dtype), target);
  };
  const auto written = by_rule([&] { return std::visit(write, scalar); });
  if (!written) return Failure(written.error());
  if (*written) return {};
  return fail(Blame::Unsupported, "scalar.dtype",
              fmt::format("a host scalar cannot become an element of type {}", name_of(dtype)));
}

Result<TensorData> tensor_of_scalar(const Scalar& scalar, DType dtype, std::vector<std::int64_t> dims) {
  std::vector<std::byte> bytes(byte_size(dtype, 1).value_or(0));
  if (Status written = write_element(scalar, dtype, bytes.data()); !written)
    return failure_of(std::move(written));
  return make_tensor(dtype, std::move(dims), std::move(bytes));
}

}  // namespace dycl
