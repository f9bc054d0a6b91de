// SPDX-License-Identifier: Apache-2.0
// What a run returns, as C sees it.
#pragma once

#include <dycl/dycl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "emitted/lists.h"
#include "emitted/tables.h"
#include "emitted/views.h"

namespace dycl::emitted {

// Fills the views of a result's fields; `View` is the struct of the emitted header.
template <class View>
void list_fields(const void* result, const NamedField* fields, std::size_t count, const TensorType* types,
                 View* views, std::size_t room) {
  for (std::size_t index = 0; index < std::min(count, room); ++index) {
    const NamedField& field = fields[index];
    if (field.kind == FieldKind::View) {
      std::memcpy(&views[index], static_cast<const std::byte*>(result) + field.offset, sizeof(View));
      views[index].name = field.name;
      continue;
    }
    const TensorType& type = types[field.type];
    const void* data = static_cast<const std::byte*>(result) + field.offset;
    if (field.kind == FieldKind::Address) std::memcpy(&data, data, sizeof data);
    const std::size_t bytes =
        type.dtype == DYCL_STRING ? std::strlen(static_cast<const char*>(data)) : type.bytes;
    views[index] = {field.name, type.dtype, type.rank, type.dims, data, bytes, nullptr, 0};
  }
}

// Keeps what a run returns until the next one: values, and the views through which C sees them.
template <class View>
class Results {
 public:
  // Begins anew; `former` holds what was returned last, which may be an input of this run.
  void begin(Results& former) {
    std::swap(*this, former);
    clear();
  }

  void clear() {
    tensors_.clear();
    numbers_.clear();
    sizes_.clear();
    lists_.clear();
  }

  // The address of a tensor that is kept.
  template <class T>
  const T* data(Pool& pool, const Tensor& tensor) {
    return reinterpret_cast<const T*>(keep(pool, tensor).data);
  }

  View view(Pool& pool, const Tensor& tensor) {
    const Tensor& kept = keep(pool, tensor);
    const auto rank = static_cast<std::int32_t>(kept.dims.size());
    return {"", kept.dtype, rank, kept.dims.data(), kept.data, kept.bytes, nullptr, 0};
  }
  View view(Pool&, const List<std::int64_t>& list) { return numbers(list.items(), DYCL_I64); }
  View view(Pool&, const List<double>& list) { return numbers(list.items(), DYCL_F64); }
  View view(Pool&, const List<std::uint8_t>& list) { return numbers(list.items(), DYCL_BOOL); }
  View view(Pool&, std::int64_t number) { return numbers(std::vector<std::int64_t>{number}, DYCL_I64, 0); }
  View view(Pool&, double number) { return numbers(std::vector<double>{number}, DYCL_F64, 0); }
  View view(Pool&, bool truth) {
    return numbers(std::vector<std::uint8_t>{static_cast<std::uint8_t>(truth)}, DYCL_BOOL, 0);
  }
  template <class T>
  View view(Pool& pool, const List<T>& list) {
    std::vector<View> items;
    for (const T& item : list.items()) items.push_back(view(pool, item));
    lists_.push_back(std::move(items));
    return {"", kListView, 0, nullptr, nullptr, 0, lists_.back().data(), lists_.back().size()};
  }
  template <class T>
  View view(Pool& pool, const Maybe<T>& maybe) {
    if (maybe.has_value()) return view(pool, maybe.value());
    return {"", kNoView, 0, nullptr, nullptr, 0, nullptr, 0};
  }

 private:
  const Tensor& keep(Pool& pool, const Tensor& tensor) {
    tensors_.push_back(owned(pool, tensor));
    return tensors_.back();
  }

  template <class T>
  View numbers(const std::vector<T>& items, std::int32_t dtype, std::int32_t rank = 1) {
    const auto* bytes = reinterpret_cast<const std::byte*>(items.data());
    numbers_.emplace_back(bytes, bytes + items.size() * sizeof(T));
    numbers_.back().reserve(1);  // an address, also without elements
    sizes_.push_back(static_cast<std::int64_t>(items.size()));
    return {"", dtype, rank, &sizes_.back(), numbers_.back().data(), items.size() * sizeof(T), nullptr, 0};
  }

  std::deque<Tensor> tensors_;
  std::deque<std::vector<std::byte>> numbers_;
  std::deque<std::int64_t> sizes_;
  std::deque<std::vector<View>> lists_;
};

}  // namespace dycl::emitted
