// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/builtins/native_call.h"

#include <algorithm>
#include <sstream>

#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {

bool NativeCall::all_known() const {
  const auto unknown = [&](const AbstractValue& value) { return value.constant() == nullptr; };
  return std::none_of(arguments.positional.begin(), arguments.positional.end(), unknown) &&
         std::none_of(arguments.keywords.begin(), arguments.keywords.end(),
                      [&](const auto& keyword) { return unknown(keyword.second); });
}

void NativeTable::add(const char* module, std::string_view names, Native native) {
  nb::object holder;
  try {
    holder = nb::module_::import_(module);
  } catch (nb::python_error&) {
    return;
  }
  std::istringstream words{std::string(names)};
  for (std::string name; words >> name;) {
    if (!has_attribute(holder, name.c_str())) continue;
    // The reference is kept for the life of the process, so that the address names this object alone.
    natives_.emplace(nb::object(holder.attr(name.c_str())).release().ptr(), native);
  }
}

Native NativeTable::find(nb::handle callable) const {
  const auto found = natives_.find(callable.ptr());
  return found == natives_.end() ? nullptr : found->second;
}

}  // namespace dycl::partial_eval
