// SPDX-License-Identifier: Apache-2.0
// Attributes of operations. No alternative holds a graph: control flow cannot hide in an attribute.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/tensor_data.h"

namespace dycl {

using Attribute = std::variant<std::int64_t, float, double, std::string, std::vector<std::int64_t>,
                               std::vector<float>, std::vector<std::string>, TensorPtr>;

// Compares tensors by contents and floats by bits.
bool equal(const Attribute& left, const Attribute& right);

using Attributes = std::map<std::string, Attribute>;  // is ordered, so that printing is deterministic

bool equal(const Attributes& left, const Attributes& right);

// Returns the attribute as T, or `fallback` if it is absent or of another kind.
template <class T>
T attribute_or(const Attributes& attributes, const std::string& name, T fallback) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return fallback;
  const T* value = std::get_if<T>(&found->second);
  return value == nullptr ? fallback : *value;
}

}  // namespace dycl
