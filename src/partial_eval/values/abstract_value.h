// SPDX-License-Identifier: Apache-2.0
// What the machine knows of one Python value.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>  // here, or a std::string would be cast as an unknown class in some file

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <variant>

#include "base/ids.h"
#include "base/type.h"

namespace dycl::partial_eval {

namespace nb = nanobind;

using HeapId = Id<struct HeapTag>;

// An origin is a meeting of states that gave a static value up for a dynamic one. Whatever is computed from
// the value carries the origin along: should something need it static, that meeting keeps its states apart
// and the program is evaluated again.
using OriginId = Id<struct OriginTag>;
using Origins = std::shared_ptr<const std::set<OriginId>>;  // null: none
Origins united(const Origins& left, const Origins& right);
bool have_common(const Origins& left, const Origins& right);

struct Unbound {};

// A live Python object. Never written to: writes go to a twin on the heap (see Overlay).
struct StaticValue {
  nb::object object;
};

// A Python number that depends on the input.
struct ScalarValue {
  ValueId id;
  ScalarKind kind = ScalarKind::Bool;
  Origins origins;
};

// An object made or written during the run.
struct ObjectRef {
  HeapId id;
  bool operator==(const ObjectRef&) const = default;
};

struct AbstractValue : std::variant<Unbound, StaticValue, ScalarValue, ObjectRef> {
  using variant::variant;

  [[nodiscard]] bool bound() const { return index() != 0; }
  [[nodiscard]] const nb::object* constant() const {
    const auto* known = std::get_if<StaticValue>(this);
    return known == nullptr ? nullptr : &known->object;
  }
  [[nodiscard]] const ScalarValue* scalar() const { return std::get_if<ScalarValue>(this); }
  [[nodiscard]] const ObjectRef* object() const { return std::get_if<ObjectRef>(this); }
  [[nodiscard]] bool is_none() const { return constant() != nullptr && constant()->is_none(); }
};

inline AbstractValue known(nb::object object) { return StaticValue{std::move(object)}; }
inline AbstractValue known_none() { return StaticValue{nb::none()}; }
inline AbstractValue known_int(std::int64_t number) { return known(nb::int_(number)); }
inline AbstractValue known_text(const std::string& text) { return known(nb::str(text.c_str())); }
inline AbstractValue known_bool(bool truth) { return StaticValue{nb::bool_(truth)}; }

}  // namespace dycl::partial_eval
