// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/callables.h"

namespace dycl::partial_eval {

std::string name_of_callable(const nb::object& callee) {
  const nb::object name = nb::getattr(callee, "__name__", nb::object(callee.type().attr("__name__")));
  return nb::cast<std::string>(nb::str(name));
}

std::string short_name(const nb::object& callee) {
  std::string name = name_of_callable(callee);
  if (name.starts_with("__") && name.ends_with("__") && name.size() > 4)
    name = name.substr(2, name.size() - 4);
  return name;
}

bool writes_in_place(const nb::object& callee, const Arguments& arguments) {
  for (const auto& [name, value] : arguments.keywords)
    if ((name == "out" && !value.is_none()) ||
        (name == "inplace" && value.constant() != nullptr && value.constant()->is(Py_True)))
      return true;
  const std::string name = name_of_callable(callee);
  if (name == "__setitem__" || name == "setitem" || name == "__delitem__") return true;
  const bool special = name.starts_with("__") && name.ends_with("__");
  if (special)
    return name.starts_with("__i") && name != "__invert__" && name != "__index__" && name != "__int__";
  if (name.ends_with("_")) return name != "and_" && name != "or_" && name != "not_" && name != "is_";
  const nb::object module = nb::getattr(callee, "__module__", nb::none());
  const bool is_operator = nb::cast<std::string>(nb::str(module)) == "_operator";
  return is_operator && name.starts_with("i") && name != "invert" && name != "inv" && name != "index" &&
         name != "indexOf" && name != "is_not" && name != "itemgetter";
}

}  // namespace dycl::partial_eval
