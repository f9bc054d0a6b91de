// SPDX-License-Identifier: Apache-2.0
// Python's comparisons of bools, ints and floats, which are exact.
#pragma once

#include <cmath>
#include <cstdint>

#include "host_rules/floats.h"

namespace dycl::host_rules {

enum class Order { Less, Equal, Greater, None };

inline Order reversed(Order order) {
  if (order == Order::Less) return Order::Greater;
  return order == Order::Greater ? Order::Less : order;
}

inline Order order_of(std::int64_t left, std::int64_t right) {
  if (left == right) return Order::Equal;
  return left < right ? Order::Less : Order::Greater;
}

inline Order order_of(double left, double right) {
  if (std::isnan(left) || std::isnan(right)) return Order::None;
  if (left == right) return Order::Equal;
  return left < right ? Order::Less : Order::Greater;
}

// The int is not rounded to a float.
inline Order order_of(std::int64_t left, double right) {
  if (std::isnan(right)) return Order::None;
  if (right >= kTwoTo63) return Order::Less;
  if (right < -kTwoTo63) return Order::Greater;
  const double whole = std::floor(right);
  const auto below = static_cast<std::int64_t>(whole);
  if (left != below) return order_of(left, below);
  return right > whole ? Order::Less : Order::Equal;
}

inline Order order_of(double left, std::int64_t right) { return reversed(order_of(right, left)); }

// A bool counts as an int.
inline std::int64_t comparable(bool truth) { return truth ? 1 : 0; }
inline std::int64_t comparable(std::int64_t integer) { return integer; }
inline double comparable(double number) { return number; }

template <class A, class B>
Order compare(A left, B right) {
  return order_of(comparable(left), comparable(right));
}

template <class A, class B>
bool lt(A left, B right) {
  return compare(left, right) == Order::Less;
}
template <class A, class B>
bool gt(A left, B right) {
  return compare(left, right) == Order::Greater;
}
template <class A, class B>
bool le(A left, B right) {
  const Order order = compare(left, right);
  return order == Order::Less || order == Order::Equal;
}
template <class A, class B>
bool ge(A left, B right) {
  const Order order = compare(left, right);
  return order == Order::Greater || order == Order::Equal;
}
template <class A, class B>
bool eq(A left, B right) {
  return compare(left, right) == Order::Equal;
}
template <class A, class B>
bool ne(A left, B right) {
  return compare(left, right) != Order::Equal;
}

}  // namespace dycl::host_rules
