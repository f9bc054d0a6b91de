// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/live_object.h"

#include <algorithm>
#include <array>

#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

nb::object or_null(PyObject* borrowed) {
  if (borrowed == nullptr) PyErr_Clear();
  return borrowed == nullptr ? nb::object() : nb::borrow(borrowed);
}

}  // namespace

nb::object type_attribute(nb::handle type, const std::string& name) {
  const nb::str key(name.c_str());
  return or_null(_PyType_Lookup(as_type(type), key.ptr()));
}

nb::object python_method(nb::handle type, const char* name) {
  nb::object method = type_attribute(type, name);
  return method.is_valid() && PyFunction_Check(method.ptr()) ? method : nb::object();
}

bool is_data_descriptor(nb::handle descriptor) { return Py_TYPE(descriptor.ptr())->tp_descr_set != nullptr; }

bool is_subtype(nb::handle type, nb::handle base) {
  return PyType_Check(type.ptr()) && PyType_IsSubtype(as_type(type), as_type(base)) == 1;
}

bool is_exception_type(nb::handle type) {
  return PyType_Check(type.ptr()) && PyExceptionClass_Check(type.ptr());
}

std::string class_name(nb::handle type) { return as_type(type)->tp_name; }

std::int64_t storage_key(nb::handle tensor) {
  return nb::cast<std::int64_t>(tensor.attr("untyped_storage")().attr("_cdata"));
}

bool stands_for_numpy(nb::handle type) { return module_name_of(type) == "dycl.prelude.arrays"; }

bool stands_for_another(nb::handle type) {
  return module_name_of(type).starts_with("dycl.prelude.") && has_attribute(type, "SHOWN");
}

nb::object shown_type(nb::handle type) {
  return stands_for_another(type) ? nb::object(type.attr("SHOWN")) : nb::borrow(type);
}

nb::object type_of_live(nb::handle object) {
  return nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
}

std::string module_name_of(nb::handle object) { return text_or_empty(object, "__module__"); }

std::string root_of(const std::string& module) { return module.substr(0, module.find('.')); }

bool is_library(nb::handle object) {
  const std::string root = root_of(module_name_of(object));
  if (root.empty() || root == "__main__") return false;
  if (root == "torch" || root == "numpy") return true;
  const nb::object names = library_object("sys", "stdlib_module_names");
  return PySequence_Contains(names.ptr(), nb::str(root.c_str()).ptr()) == 1;
}

std::string full_name_of(nb::handle object) {
  std::string name = text_or_empty(object, "__qualname__");
  if (name.empty()) name = text_or_empty(object, "__name__");
  if (name.empty()) return "a " + class_name(type_of_live(object));
  const std::string module = module_name_of(object);
  return module.empty() || module == "builtins" ? name : module + "." + name;
}

bool has_code(nb::handle function, const char* name, const nb::object& file) {
  if (!PyFunction_Check(function.ptr())) return false;
  const nb::object code = function.attr("__code__");
  return nb::cast<std::string>(code.attr("co_name")) == name && code.attr("co_filename").equal(file);
}

bool is_generated(nb::handle function) {
  const nb::object code = attribute_or_null(function, "__code__");
  return code.is_valid() && text_or_empty(code, "co_filename").starts_with('<');
}

namespace {

// Reading the attribute would run a __getattr__, a property or another descriptor of the user's.
bool is_computed_by_user(nb::handle object, const char* name) {
  const auto is_own = [](const nb::object& method) { return method.is_valid() && !is_library(method); };
  const nb::object type = type_of_live(object);
  if (is_own(python_method(type, "__getattribute__")) || is_borrowed(type, "__getattribute__")) return true;
  const nb::object found = type_attribute(type, name);
  if (!found.is_valid()) {
    const bool is_there = entry_or_null(instance_dict(object), name).is_valid();
    return !is_there && (is_own(python_method(type, "__getattr__")) || is_borrowed(type, "__getattr__"));
  }
  if (PyObject_TypeCheck(found.ptr(), &PyProperty_Type) != 0) return !is_library(found.attr("fget"));
  return is_own(python_method(type_of_live(found), "__get__"));
}

}  // namespace

bool has_attribute(nb::handle object, const char* name) { return attribute_or_null(object, name).is_valid(); }

nb::object attribute_or_null(nb::handle object, const char* name) {
  if (!PyType_Check(object.ptr()) && is_computed_by_user(object, name)) return {};
  PyObject* found = PyObject_GetAttrString(object.ptr(), name);
  if (found == nullptr) PyErr_Clear();
  return nb::steal(found);
}

std::string text_or_empty(nb::handle object, const char* name) {
  const nb::object text = attribute_or_null(object, name);
  return text.is_valid() && PyUnicode_Check(text.ptr()) ? nb::cast<std::string>(text) : std::string();
}

nb::object instance_dict(nb::handle object) {
  // A partial without one is taken apart by another partial, so none may be made.
  static PyTypeObject* const kPartial = as_type(library_object("functools", "partial").release());
  if (PyObject_TypeCheck(object.ptr(), kPartial) != 0)
    if (PyObject* const* place = _PyObject_GetDictPtr(object.ptr()); place == nullptr || *place == nullptr)
      return {};
  // A __dict__ that a class defines by itself (a property, say) is not meant.
  PyObject* dict = PyObject_GenericGetDict(object.ptr(), nullptr);
  if (dict == nullptr) PyErr_Clear();
  return nb::steal(dict);
}

nb::object entry_or_null(nb::handle dict, const std::string& key) {
  return dict.is_valid() && PyDict_Check(dict.ptr()) ? or_null(PyDict_GetItemString(dict.ptr(), key.c_str()))
                                                     : nb::object();
}

nb::object class_entry(nb::handle type, const std::string& name) {
  const nb::object proxy = type.attr("__dict__");  // a mappingproxy, no dict
  PyObject* found = PyMapping_GetItemString(proxy.ptr(), name.c_str());
  if (found == nullptr) PyErr_Clear();
  return nb::steal(found);
}

nb::dict class_entries(nb::handle type) {
  nb::dict entries;
  if (PyDict_Update(entries.ptr(), nb::object(type.attr("__dict__")).ptr()) != 0) throw nb::python_error();
  return entries;
}

nb::object library_object(const char* module, const char* name) {
  return nb::module_::import_(module).attr(name);
}

bool all_live(const Arguments& arguments) {
  const auto live = [](const AbstractValue& value) { return value.constant() != nullptr; };
  return std::ranges::all_of(arguments.positional, live) &&
         std::ranges::all_of(arguments.keywords, [&](const auto& keyword) { return live(keyword.second); });
}

nb::tuple live_positional(const Arguments& arguments) {
  nb::list items;
  for (const AbstractValue& value : arguments.positional) items.append(*value.constant());
  return nb::tuple(items);
}

nb::dict live_keywords(const Arguments& arguments) {
  nb::dict keywords;
  for (const auto& [name, value] : arguments.keywords) keywords[name.c_str()] = *value.constant();
  return keywords;
}

std::string described(nb::handle live) {
  const std::string full = Py_TYPE(live.ptr())->tp_name, name = full.substr(full.rfind('.') + 1);
  const bool vowel =
      std::string_view("aeiouAEIOU").find(name[0]) != std::string_view::npos || name == "ndarray";
  return (vowel ? "an " : "a ") + name;
}

std::vector<AbstractValue> live_elements(nb::handle live) {
  std::vector<AbstractValue> elements;
  for (const nb::handle element : nb::object(owned(PySequence_Tuple(live.ptr()))))
    elements.push_back(known(nb::borrow(element)));
  return elements;
}

bool is_borrowed(nb::handle type, const std::string& name) {
  const nb::object found = type_attribute(type, name);
  if (!found.is_valid() || !is_of_c(found)) return false;
  bool is_of_user = false;
  for (const nb::handle base : nb::borrow<nb::tuple>(as_type(type)->tp_mro)) {
    const nb::object entry = entry_or_null(as_type(base)->tp_dict, name);
    if (!entry.is_valid()) continue;
    const bool is_made_by_class = (as_type(base)->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
    if (!is_made_by_class) return is_of_user && !entry.is(found);
    if (is_of_user) continue;
    is_of_user = !is_library(base) && !nb::handle(base).is(attribute_or_null(found, "__objclass__"));
    if (!is_of_user) return false;
  }
  return is_of_user;
}

bool is_user_method(nb::handle type, const char* name) {
  if (!PyObject_HasAttrString(type.ptr(), name)) return false;
  const nb::object method = type.attr(name);
  if (PyFunction_Check(method.ptr()) == 0) return is_borrowed(type, name);
  const std::string module = nb::cast<std::string>(nb::str(method.attr("__module__")));
  static constexpr std::array kOwn{"torch", "collections", "enum", "typing", "types", "_collections_abc"};
  const std::string root = module.substr(0, module.find('.'));
  return std::find(kOwn.begin(), kOwn.end(), root) == kOwn.end();
}

}  // namespace dycl::partial_eval
