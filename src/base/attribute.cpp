// SPDX-License-Identifier: Apache-2.0
#include "base/attribute.h"

#include <algorithm>
#include <bit>

#include "base/overloaded.h"

namespace dycl {
namespace {

bool same_bits(float left, float right) {
  return std::bit_cast<std::uint32_t>(left) == std::bit_cast<std::uint32_t>(right);
}

}  // namespace

bool equal(const Attribute& left, const Attribute& right) {
  if (left.index() != right.index()) return false;
  return std::visit(
      Overloaded{
          [&](float value) { return same_bits(value, std::get<float>(right)); },
          [&](double value) {
            return std::bit_cast<std::uint64_t>(value) ==
                   std::bit_cast<std::uint64_t>(std::get<double>(right));
          },
          [&](const std::vector<float>& values) {
            return std::ranges::equal(values, std::get<std::vector<float>>(right), same_bits);
          },
          [&](const TensorPtr& tensor) { return *tensor == *std::get<TensorPtr>(right); },
          [&](const auto& value) { return value == std::get<std::decay_t<decltype(value)>>(right); },
      },
      left);
}

bool equal(const Attributes& left, const Attributes& right) {
  return std::ranges::equal(left, right, [](const auto& one, const auto& other) {
    return one.first == other.first && equal(one.second, other.second);
  });
}

}  // namespace dycl
