// SPDX-License-Identifier: Apache-2.0
// Sizes as Python sees them: a known one is an int, any other an object of dycl._core.SizeExpr.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "base/size_expr.h"

namespace dycl::partial_eval {

// What dycl._core.SizeExpr holds: a size that is not known.
struct OpenSize {
  SizeExpr expr;
};

}  // namespace dycl::partial_eval

template <>
struct nanobind::detail::type_caster<dycl::SizeExpr> {
  NB_TYPE_CASTER(dycl::SizeExpr, const_name("int | SizeExpr"))

  bool from_python(handle object, std::uint8_t, cleanup_list*) noexcept {
    if (!PyLong_Check(object.ptr())) return from_open(object);
    int overflow = 0;
    const auto number = static_cast<std::int64_t>(PyLong_AsLongLongAndOverflow(object.ptr(), &overflow));
    value = dycl::SizeExpr(number);
    return overflow == 0;
  }

  static handle from_cpp(const dycl::SizeExpr& size, rv_policy, cleanup_list* cleanup) noexcept {
    if (size.is_known()) return PyLong_FromLongLong(size.constant());
    return make_caster<dycl::partial_eval::OpenSize>::from_cpp(dycl::partial_eval::OpenSize{size},
                                                               rv_policy::move, cleanup);
  }

 private:
  bool from_open(handle object) noexcept {
    if (!isinstance<dycl::partial_eval::OpenSize>(object)) return false;
    value = inst_ptr<dycl::partial_eval::OpenSize>(object)->expr;
    return true;
  }
};
