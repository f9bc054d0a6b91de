// SPDX-License-Identifier: Apache-2.0
// The attributes of an object, in the order in which Python's `__dict__` has them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "partial_eval/values/abstract_value.h"

namespace dycl::partial_eval {

class AttributeTable {
 public:
  using Entry = std::pair<std::string, AbstractValue>;  // Unbound: deleted

  AttributeTable() = default;
  AttributeTable(std::initializer_list<Entry> entries) : entries_(entries) {}

  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] const AbstractValue* find(std::string_view name) const {
    const auto found = place_of(name);
    return found == entries_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const AbstractValue& at(std::string_view name) const {
    return place_of(name)->second;  // it is there
  }
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }

  // A name that was deleted comes last when it is set again.
  void set(std::string name, AbstractValue value) {
    const auto found = place_of(name);
    if (found != entries_.end() && found->second.bound()) {
      entries_[static_cast<std::size_t>(found - entries_.begin())].second = std::move(value);
    } else {
      if (found != entries_.end()) entries_.erase(found);
      entries_.emplace_back(std::move(name), std::move(value));
    }
  }
  void erase(std::string_view name) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.first == name; });
  }

 private:
  [[nodiscard]] std::vector<Entry>::const_iterator place_of(std::string_view name) const {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const Entry& entry) { return entry.first == name; });
  }

  std::vector<Entry> entries_;
};

}  // namespace dycl::partial_eval
