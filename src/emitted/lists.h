// SPDX-License-Identifier: Apache-2.0
// Lists of the model, and values that may be missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "emitted/tensor.h"
#include "host_rules/indices.h"

namespace dycl::emitted {

// A list of the model. Copies share the elements; a list that nobody else sees is changed in place.
template <class T>
class List {
 public:
  using Item = T;

  const std::vector<T>& items() const {
    static const std::vector<T> none;
    return items_ ? *items_ : none;
  }
  // The elements, which no other list shares.
  std::vector<T>& own_items() {
    if (!items_) items_ = std::make_shared<std::vector<T>>();
    if (items_.use_count() > 1) items_ = std::make_shared<std::vector<T>>(*items_);
    return *items_;
  }

 private:
  std::shared_ptr<std::vector<T>> items_;
};

template <class T>
List<T> inserted(List<T> list, typename List<T>::Item item) {
  list.own_items().push_back(std::move(item));
  return list;
}

template <class T>
List<T> inserted(List<T> list, typename List<T>::Item item, std::int64_t index) {
  const std::size_t place = host_rules::insertion_place(index, list.items().size());
  std::vector<T>& items = list.own_items();
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(place), std::move(item));
  return list;
}

template <class T>
List<T> erased(List<T> list, std::int64_t index = -1) {
  const std::size_t place = host_rules::element_place(index, list.items().size());
  std::vector<T>& items = list.own_items();
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(place));
  return list;
}

template <class T>
T item_at(const List<T>& list, std::int64_t index) {
  return list.items()[host_rules::element_place(index, list.items().size())];
}

template <class T>
std::int64_t length(const List<T>& list) {
  return static_cast<std::int64_t>(list.items().size());
}

// A value that may be missing: None.
template <class T>
class Maybe {
 public:
  Maybe() = default;
  Maybe(T value) : has_value_(true), value_(std::move(value)) {}

  bool has_value() const { return has_value_; }
  const T& value() const { return value_; }

 private:
  bool has_value_ = false;
  T value_{};
};

// The value, or a copy of it where it lies in memory of the caller.
inline Tensor owned(Pool& pool, Tensor tensor) { return tensor.is_borrowed ? copied(pool, tensor) : tensor; }
template <class T>
List<T> owned(Pool& pool, List<T> list);
template <class T>
Maybe<T> owned(Pool& pool, Maybe<T> maybe) {
  return maybe.has_value() ? Maybe<T>(owned(pool, maybe.value())) : maybe;
}
inline std::int64_t owned(Pool&, std::int64_t number) { return number; }
inline double owned(Pool&, double number) { return number; }
inline std::uint8_t owned(Pool&, std::uint8_t truth) { return truth; }
template <class T>
List<T> owned(Pool& pool, List<T> list) {
  for (T& item : list.own_items()) item = owned(pool, std::move(item));
  return list;
}

template <class T>
constexpr bool is_maybe(const T&) {
  return false;
}
template <class T>
constexpr bool is_maybe(const Maybe<T>&) {
  return true;
}

template <class T>
T unwrapped(const Maybe<T>& maybe) {
  if (!maybe.has_value()) raise_exception("ValueError", "the optional holds no value");
  return maybe.value();
}

}  // namespace dycl::emitted
