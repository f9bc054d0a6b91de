// SPDX-License-Identifier: Apache-2.0
#include "common/tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/dtype.h"
#include "base/tensor_data.h"

namespace dycl::plugin {

std::string describe_tensor(std::int32_t dtype, std::span<const std::int64_t> dims) {
  const auto known = dtype_from_number(dtype);
  const std::string name = known ? std::string(name_of(*known)) : fmt::format("dtype {}", dtype);
  return fmt::format("{}[{}]", name, fmt::join(dims, ","));
}

Status check_tensor(const DyclTensor& tensor, const std::string& role) {
  const auto bad = [&](std::string_view what) {
    return fail(Blame::Usage, "backend.bad_tensor", fmt::format("{} {}", role, what));
  };
  const auto dtype = dtype_from_number(tensor.dtype);
  if (!dtype) return bad("has an unknown dtype");
  if (tensor.rank < 0 || tensor.rank > DYCL_MAX_RANK) return bad("has a rank outside 0..16");
  if (tensor.device_kind != cpu_device) return bad("does not lie in CPU memory");
  const auto count = element_count(dims_of(tensor));
  if (!count) return bad("has a negative or absurd size");
  if (*dtype == DType::String) return {};  // read_strings checks the rest
  const auto bytes = byte_size(*dtype, *count);
  if (!bytes || *bytes > tensor.byte_size) return bad("is larger than its memory");
  if (*bytes > 0 && tensor.data == nullptr) return bad("has no memory");
  return {};
}

bool offers(const DyclOutput& output, std::int32_t dtype, std::span<const std::int64_t> dims,
            std::size_t byte_size) {
  return output.buffer != nullptr && output.dtype == dtype && output.capacity >= byte_size &&
         output.rank == static_cast<std::int32_t>(dims.size()) &&
         std::equal(dims.begin(), dims.end(), output.dims);
}

void give_back(std::span<DyclOutput> outputs) {
  for (DyclOutput& output : outputs)
    if (output.owner != nullptr) output.release(std::exchange(output.owner, nullptr));
}

}  // namespace dycl::plugin
