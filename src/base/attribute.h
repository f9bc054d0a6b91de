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

bool equal(const Attribute& left, const Attribute& right);  // tensors by contents, floats by bits

using Attributes = std::map<std::string, Attribute>;  // ordered: printing is deterministic

bool equal(const Attributes& left, const Attributes& right);

// The attribute as T, or `fallback` when it is absent or of another kind.
template <class T>
T attribute_or(const Attributes& attributes, const std::string& name, T fallback) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return fallback;
  const T* value = std::get_if<T>(&found->second);
  return value == nullptr ? fallback : *value;
}

}  // namespace dycl
