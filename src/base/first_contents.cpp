// SPDX-License-Identifier: Apache-2.0
#include "base/first_contents.h"

#include <algorithm>

namespace dycl {
namespace {

bool fits(const TensorData& data, const TensorType& type) {
  if (data.dtype != type.dtype || !type.dims || type.dims->size() != data.dims.size()) return false;
  for (std::size_t axis = 0; axis < data.dims.size(); ++axis) {
    const Dim& dim = (*type.dims)[axis];
    if (dim.is_static() && dim.constant != data.dims[axis]) return false;
  }
  const auto count = element_count(data.dims);
  return count && (data.dtype == DType::String || byte_size(data.dtype, *count) == data.bytes.size());
}

TensorType tensor_of_number(ScalarKind kind) {
  const DType dtype = kind == ScalarKind::Bool  ? DType::Bool
                      : kind == ScalarKind::I64 ? DType::I64
                                                : DType::F64;
  return {dtype, std::vector<Dim>{}, {}};
}

}  // namespace

bool can_begin_with(const Type& type, const FirstContents& contents) {
  if (type.optional() != nullptr) return contents.empty();
  const SeqType* sequence = type.seq();
  const Type& element = sequence == nullptr ? type : *sequence->element;
  if (sequence == nullptr && (contents.size() != 1 || type.tensor() == nullptr)) return false;
  if (element.tensor() == nullptr && element.scalar() == nullptr) return false;
  const TensorType wanted =
      element.tensor() != nullptr ? *element.tensor() : tensor_of_number(element.scalar()->kind);
  return std::ranges::all_of(contents,
                             [&](const TensorPtr& data) { return data != nullptr && fits(*data, wanted); });
}

}  // namespace dycl
