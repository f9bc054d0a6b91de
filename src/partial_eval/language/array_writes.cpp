// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/array_writes.h"

#include "partial_eval/data/structures.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/call.h"
#include "partial_eval/static_calls/arrays.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {

Outcome write_to_array(Machine& machine, State& state, const std::string& method,
                       const Arguments& arguments) {
  if (is_any_abstract(machine, state, arguments)) {
    Arguments all = arguments;
    all.positional.insert(all.positional.begin(), known_text(method));
    return call_prelude(machine, state, "write_to_array", std::move(all));
  }
  const nb::object type = type_of(machine, state, arguments.positional[0]);
  return write_array(machine, state, type_attribute(type, method), arguments, 0);
}

}  // namespace dycl::partial_eval
