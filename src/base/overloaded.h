// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dycl {

// Builds a visitor from lambdas; without a catch-all, a new alternative fails to compile.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace dycl
