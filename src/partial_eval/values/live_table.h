// SPDX-License-Identifier: Apache-2.0
// What is known of live Python objects, by their identity. They are walked in the order in which they came,
// since an order of addresses would give other graphs in every process.
#pragma once

#include <nanobind/nanobind.h>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace dycl::partial_eval {

namespace nb = nanobind;

template <class Value>
class LiveTable {
 public:
  struct Entry {
    nb::object object;  // its address stays taken
    Value value;
  };

  [[nodiscard]] const Value* find(nb::handle object) const {
    const auto found = places_.find(object.ptr());
    return found == places_.end() ? nullptr : &entries_[found->second].value;
  }
  [[nodiscard]] bool contains(nb::handle object) const { return places_.contains(object.ptr()); }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  void set(nb::object object, Value value) {
    const auto [place, is_new] = places_.try_emplace(object.ptr(), entries_.size());
    if (is_new)
      entries_.push_back({std::move(object), std::move(value)});
    else
      entries_[place->second].value = std::move(value);
  }

  void erase(nb::handle object) {
    const auto found = places_.find(object.ptr());
    if (found == places_.end()) return;
    const std::size_t gone = found->second;
    places_.erase(found);
    for (auto& [address, place] : places_)
      if (place > gone) --place;
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(gone));
  }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<PyObject*, std::size_t> places_;
};

class LiveSet : public LiveTable<std::monostate> {
 public:
  void insert(nb::object object) { set(std::move(object), {}); }
};

}  // namespace dycl::partial_eval
