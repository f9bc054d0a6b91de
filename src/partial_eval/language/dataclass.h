// SPDX-License-Identifier: Apache-2.0
// The __init__ that dataclasses generate: it has no source, so it is modelled.
#pragma once

#include <optional>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// Makes an instance, or gives nullopt if the type is no dataclass, or one whose __init__ is the user's.
std::optional<Outcome> make_dataclass(Machine& machine, State& state, const nb::object& type,
                                      const Arguments& arguments);

bool is_dataclass(nb::handle type);

struct DataclassField {
  std::string name;
  nb::object default_value;    // null: none
  nb::object default_factory;  // null: none
  bool in_init = true;
  bool keyword_only = false;
  bool init_var = false;  // passed to __post_init__, not kept
};
// Returns the fields in order, without class variables.
std::vector<DataclassField> dataclass_fields(nb::handle type);

}  // namespace dycl::partial_eval
