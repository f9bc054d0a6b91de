// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/live_kinds.h"

#include <algorithm>
#include <array>

#include <set>
#include <unordered_map>

#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

using Types = std::set<PyTypeObject*>;

// Kept for the life of the process, so that an address names one type.
PyTypeObject* kept_type(const char* module, const char* name) {
  return as_type(library_object(module, name).release());
}

Types atom_types() {
  Types types{&PyBool_Type,  &PyLong_Type,  &PyFloat_Type,    &PyComplex_Type,  &PyUnicode_Type,
              &PyBytes_Type, &PyRange_Type, &PyEllipsis_Type, Py_TYPE(Py_None), Py_TYPE(Py_NotImplemented)};
  for (const char* name : {"dtype", "device", "layout", "memory_format", "finfo", "iinfo", "Size"})
    types.insert(kept_type("torch", name));
  for (const char* name : {"date", "time", "datetime", "timedelta", "timezone"})
    types.insert(kept_type("datetime", name));
  for (const char* name : {"Pattern", "Match"}) types.insert(kept_type("re", name));
  for (const char* name : {"finfo", "iinfo"}) types.insert(kept_type("numpy", name));
  types.insert(kept_type("fractions", "Fraction"));
  types.insert(kept_type("struct", "Struct"));
  for (const char* name : {"Signature", "Parameter"}) types.insert(kept_type("inspect", name));
  return types;
}

Types container_types() {
  Types types{&PyList_Type,     &PyTuple_Type,     &PyDict_Type,       &PySet_Type,       &PyFrozenSet_Type,
              &PyDictKeys_Type, &PyDictItems_Type, &PyDictValues_Type, &PyByteArray_Type, &PyDictProxy_Type,
              &PyUnicode_Type,  &PyBytes_Type,     &PyRange_Type};
  types.insert(kept_type("collections", "deque"));
  types.insert(kept_type("collections", "OrderedDict"));
  return types;
}

bool is_instance(nb::handle live, PyTypeObject* type) { return PyObject_TypeCheck(live.ptr(), type) != 0; }

// Special methods that make or describe objects; all others are asked when an object is read.
bool is_harmless(const std::string& name) {
  static const std::set<std::string> kHarmless{
      "__new__",      "__init__",          "__init_subclass__", "__class_getitem__", "__reduce__",
      "__set_name__", "__reduce_ex__",     "__getnewargs__",    "__getstate__",      "__setstate__",
      "__copy__",     "__deepcopy__",      "__dir__",           "__subclasshook__",  "__post_init__",
      "__del__",      "__getnewargs_ex__", "__setattr__",       "__delattr__",       "__sizeof__"};
  return kHarmless.contains(name);
}

// A function, or anything else that is called or bound, unless it is of C or of a library.
bool is_code_of_the_user(nb::handle entry) {
  if (PyFunction_Check(entry.ptr())) return !is_library(entry);
  if (is_of_c(entry) || PyType_Check(entry.ptr())) return false;
  return PyCallable_Check(entry.ptr()) != 0 || Py_TYPE(entry.ptr())->tp_descr_get != nullptr;
}

bool defines_specials(nb::handle type) {
  for (const auto& [key, entry] : class_entries(type)) {
    const auto name = nb::cast<std::string>(nb::str(key));
    const bool special = name.size() > 4 && name.starts_with("__") && name.ends_with("__");
    if (special && !is_harmless(name) && is_code_of_the_user(entry)) return true;
  }
  return false;
}

bool find_plain_specials(nb::handle type) {
  for (const nb::handle base : nb::borrow<nb::tuple>(type.attr("__mro__"))) {
    if ((as_type(base)->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) continue;  // of C
    if (defines_specials(base)) return false;
  }
  return true;
}

// A datetime asks its tzinfo, which may be of a class of the user's.
bool has_zone_of_the_user(nb::handle live) {
  static const Types kZoned{kept_type("datetime", "datetime"), kept_type("datetime", "time")};
  static PyTypeObject* const kZone = kept_type("datetime", "timezone");
  if (!kZoned.contains(Py_TYPE(live.ptr()))) return false;
  const nb::object zone = live.attr("tzinfo");
  return !zone.is_none() && !Py_IS_TYPE(zone.ptr(), kZone);
}

bool is_value_of_subclass(nb::handle live) {
  const bool of_value = PyLong_Check(live.ptr()) || PyFloat_Check(live.ptr()) ||
                        PyUnicode_Check(live.ptr()) || PyBytes_Check(live.ptr()) ||
                        PyComplex_Check(live.ptr());
  return of_value && has_plain_specials(live.type());
}

bool all_plain_keys(nb::handle items) {
  for (const nb::handle item : nb::borrow(items))
    if (!is_plain_key(item)) return false;
  return true;
}

// An instance of a dataclass that is hashed and compared by its fields, as the decorator writes it.
bool is_key_of_fields(nb::handle live) {
  for (const char* name : {"__hash__", "__eq__"}) {
    const nb::object method = python_method(live.type(), name);
    if (!method.is_valid() || !is_generated(method)) return false;
  }
  const nb::object fields = attribute_or_null(live.type(), "__dataclass_fields__");
  if (!fields.is_valid()) return false;
  for (const auto& [name, field] : nb::cast<nb::dict>(fields)) {
    const nb::object value = attribute_or_null(live, nb::cast<std::string>(name).c_str());
    if (!value.is_valid() || !is_plain_key(value)) return false;
  }
  return true;
}

}  // namespace

bool is_of_c(nb::handle entry) {
  static const Types kKinds{&PyWrapperDescr_Type,     &PyMethodDescr_Type, &PyCFunction_Type,
                            &PyClassMethodDescr_Type, &PyGetSetDescr_Type, &PyMemberDescr_Type};
  return kKinds.contains(Py_TYPE(entry.ptr()));
}

bool has_plain_specials(nb::handle type) {
  static std::unordered_map<PyObject*, bool> known;  // under the GIL
  const auto found = known.find(type.ptr());
  if (found != known.end()) return found->second;
  const bool plain = find_plain_specials(type);
  known.emplace(nb::borrow(type).release().ptr(), plain);
  return plain;
}

bool is_member_of_enumeration(nb::handle live) {
  static PyTypeObject* const kEnum = kept_type("enum", "Enum");
  return is_instance(live, kEnum) && has_plain_specials(live.type());
}

bool is_array(nb::handle live) {
  static PyTypeObject* const kArray = kept_type("numpy", "ndarray");
  return is_instance(live, kArray);
}

bool is_plain_array(nb::handle live) {
  static PyTypeObject* const kArray = kept_type("numpy", "ndarray");
  return Py_IS_TYPE(live.ptr(), kArray) && !nb::cast<bool>(nb::object(live.attr("dtype").attr("hasobject")));
}

bool is_number_of_numpy(nb::handle live) {
  static PyTypeObject* const kScalar = kept_type("numpy", "generic");
  return is_instance(live, kScalar) && text_or_empty(live.type(), "__name__") != "void";
}

bool is_live_tensor(nb::handle live) {
  static PyTypeObject* const kTensor = kept_type("torch", "Tensor");
  return is_instance(live, kTensor);
}

bool is_plain_tensor(nb::handle live) {
  static const Types kTensors{kept_type("torch", "Tensor"), kept_type("torch.nn", "Parameter"),
                              kept_type("torch.nn", "Buffer")};
  return kTensors.contains(Py_TYPE(live.ptr()));
}

bool is_atom(nb::handle live) {
  static const Types kAtoms = atom_types();
  static PyTypeObject* const kDType = kept_type("numpy", "dtype");
  if (has_zone_of_the_user(live)) return false;
  if (kAtoms.contains(Py_TYPE(live.ptr()))) return true;
  if (is_instance(live, kDType) || is_number_of_numpy(live)) return true;
  return is_value_of_subclass(live) || is_member_of_enumeration(live);
}

bool is_readable_container(nb::handle live) {
  static const Types kContainers = container_types();
  if (kContainers.contains(Py_TYPE(live.ptr()))) return true;
  for (PyTypeObject* type : kContainers)
    if (is_instance(live, type)) return has_plain_specials(live.type());
  return is_plain_array(live);
}

bool is_of_derived_container(nb::handle live) {
  PyObject* object = live.ptr();
  const bool is_container = PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object) ||
                            PyAnySet_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object);
  return is_container && (Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
}

bool redefines_reading(nb::handle live) {
  if (!is_of_derived_container(live)) return false;
  const auto is_redefined = [&](const char* name) { return is_user_method(live.type(), name); };
  constexpr std::array kReading{"__len__",  "__iter__", "__getitem__",  "__contains__", "__eq__",
                                "__ne__",   "__lt__",   "__le__",       "__gt__",       "__ge__",
                                "__hash__", "__bool__", "__reversed__", "__missing__"};
  return std::ranges::any_of(kReading, is_redefined);
}

bool redefines_items(nb::handle type) {
  if (PyType_FastSubclass(as_type(type), Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS) == 0)
    return false;
  constexpr std::array kItems{"__iter__", "__getitem__", "__len__"};
  return std::ranges::any_of(kItems, [&](const char* name) { return is_user_method(type, name); });
}

bool is_copied_past_methods(nb::handle type) { return as_type(type)->tp_iter == PyDict_Type.tp_iter; }

bool is_copied_as_it_is(nb::handle live) {
  if (PyDict_Check(live.ptr()) == 0) return false;
  constexpr std::array kAsked{"__iter__", "keys", "__getitem__", "__missing__"};
  return std::ranges::none_of(kAsked, [&](const char* name) { return is_user_method(live.type(), name); });
}

bool is_told_by_identity(nb::handle live) {
  const PyTypeObject* type = Py_TYPE(live.ptr());
  if (PyFunction_Check(live.ptr()) || PyMethod_Check(live.ptr()) || PyCFunction_Check(live.ptr()))
    return true;
  const bool compares =
      type->tp_richcompare != nullptr && type->tp_richcompare != PyBaseObject_Type.tp_richcompare;
  return !compares && type->tp_hash == PyBaseObject_Type.tp_hash;
}

bool is_plain_key(nb::handle live) {
  const bool holds = PyTuple_Check(live.ptr()) || PyFrozenSet_CheckExact(live.ptr());
  if (holds && has_plain_specials(live.type())) return all_plain_keys(live);
  return is_atom(live) || is_told_by_identity(live) || is_plain_tensor(live) || is_key_of_fields(live);
}

// collections.namedtuple evaluates a lambda, whose module bears the name of the class.
bool makes_named_tuples(nb::handle creator) {
  if (!PyFunction_Check(creator.ptr()) || !is_generated(creator)) return false;
  return text_or_empty(creator.attr("__code__"), "co_name") == "<lambda>" &&
         module_name_of(creator).starts_with("namedtuple_");
}

nb::tuple fields_it_makes(nb::handle creator) {
  const nb::object code = creator.attr("__code__");
  return nb::tuple(code.attr("co_varnames")[nb::slice(nb::int_(1), code.attr("co_argcount"), nb::none())]);
}

namespace {

// The names of the fields, of the class that collections.namedtuple made; null: there is none.
nb::object generated_fields(nb::handle type) {
  for (const nb::handle base : nb::borrow<nb::tuple>(as_type(type)->tp_mro)) {
    const nb::object entry = entry_or_null(as_type(base)->tp_dict, "__new__");
    const nb::object creator = entry.is_valid() ? attribute_or_null(entry, "__func__") : nb::object();
    if (creator.is_valid() && makes_named_tuples(creator)) return fields_it_makes(creator);
  }
  return {};
}

bool is_field(nb::handle type, nb::handle name, std::size_t index) {
  const nb::object getter = type_attribute(type, nb::cast<std::string>(name));
  return getter.is_valid() && text_or_empty(type_of_live(getter), "__name__") == "_tuplegetter" &&
         nb::cast<std::size_t>(getter.attr("__reduce__")()[1][0]) == index;
}

}  // namespace

std::string odd_member_of_named_tuple(nb::handle type) {
  for (const char* name : {"__init__", "__getattribute__", "__getattr__", "__setattr__", "__delattr__",
                           "__call__", "__len__", "__reversed__", "__getitem__"})
    if (const nb::object member = type_attribute(type, name); member.is_valid() && !is_of_c(member))
      return name;
  const nb::object fields = generated_fields(type);
  if (!fields.is_valid() || !fields.equal(type.attr("_fields"))) return "_fields";
  std::size_t index = 0;
  for (const nb::handle name : nb::borrow<nb::tuple>(fields))
    if (!is_field(type, name, index++)) return nb::cast<std::string>(name);
  const nb::object make = type_attribute(type, "_make");
  const nb::object function = make.is_valid() ? attribute_or_null(make, "__func__") : nb::object();
  return function.is_valid() && module_name_of(function) == "collections" ? "" : "_make";
}

}  // namespace dycl::partial_eval
