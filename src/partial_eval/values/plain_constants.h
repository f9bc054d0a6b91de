// SPDX-License-Identifier: Apache-2.0
// Strings, numbers and None that lists of constants hold. Such a list, when its length or order depends on
// the path, is a sequence of places in this table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "partial_eval/values/abstract_value.h"

namespace dycl::partial_eval {

// Says whether a value is None, a bool, an int of 64 bits, a float or a str, of exactly that type.
bool is_plain_constant(const AbstractValue& value);

class PlainConstants {
 public:
  std::int64_t place_of(const nb::object& constant);
  [[nodiscard]] const std::vector<nb::object>& all() const { return all_; }

 private:
  std::vector<nb::object> all_;
  std::map<std::string, std::int64_t> places_;  // by type and repr: 1, 1.0, True and '1' are four
};

}  // namespace dycl::partial_eval
