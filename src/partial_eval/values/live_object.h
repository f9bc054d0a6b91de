// SPDX-License-Identifier: Apache-2.0
// Questions about live Python objects that run no code of the user's.
#pragma once

#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partial_eval/values/outcome.h"

namespace dycl::partial_eval {

// builtin(PyList_Type)
inline nb::object builtin(PyTypeObject& type) { return nb::borrow(reinterpret_cast<PyObject*>(&type)); }
inline PyTypeObject* as_type(nb::handle type) { return reinterpret_cast<PyTypeObject*>(type.ptr()); }

// Looks a name up along the method resolution order; null: no class has it.
nb::object type_attribute(nb::handle type, const std::string& name);
// The type's method of that name if it is written in Python, else null.
nb::object python_method(nb::handle type, const char* name);
bool is_data_descriptor(nb::handle descriptor);
bool is_subtype(nb::handle type, nb::handle base);
bool is_exception_type(nb::handle type);

// The type's name as CPython's messages spell it.
std::string class_name(nb::handle type);
nb::object type_of_live(nb::handle object);
// The same number for all live tensors that lie in one storage, and for no others while they live.
std::int64_t storage_key(nb::handle tensor);
// A class of the prelude may stand for one of a library: its instances are of that class to programs.
bool stands_for_another(nb::handle type);
bool stands_for_numpy(nb::handle type);
// The class that programs see: of any other class itself.
nb::object shown_type(nb::handle type);

// "torch.nn.functional", or "" when there is none; and the part before the first dot.
std::string module_name_of(nb::handle object);
std::string root_of(const std::string& module);
// A class or function of the standard library, torch or numpy.
bool is_library(nb::handle object);
// "torch.nn.Linear": for messages.
std::string full_name_of(nb::handle object);
// A Python function of this name, written in this file, whatever it is called now.
bool has_code(nb::handle function, const char* name, const nb::object& file);
// Says whether code that the standard library generated (dataclass, namedtuple) made the function, which has
// no file then.
bool is_generated(nb::handle function);

// Null when it is missing, or when only code of the user's could tell.
bool has_attribute(nb::handle object, const char* name);
nb::object attribute_or_null(nb::handle object, const char* name);
std::string text_or_empty(nb::handle object, const char* name);
// The object's __dict__, or null.
nb::object instance_dict(nb::handle object);
nb::object entry_or_null(nb::handle dict, const std::string& key);
// What the class itself defines, without its bases.
nb::object class_entry(nb::handle type, const std::string& name);
nb::dict class_entries(nb::handle type);

// library_object("dataclasses", "MISSING")
nb::object library_object(const char* module, const char* name);

bool all_live(const Arguments& arguments);
nb::tuple live_positional(const Arguments& arguments);  // all_live only
nb::dict live_keywords(const Arguments& arguments);     // all_live only

// "a list", "a ModuleList": for messages.
std::string described(nb::handle live);

// The elements of a live sequence.
std::vector<AbstractValue> live_elements(nb::handle live);

// A class of the user's took it from C, where it does not inherit it: `__getattr__ = dict.__getitem__`.
bool is_borrowed(nb::handle type, const std::string& name);

// The type's method of that name is Python code of the user's, not of Python's or torch's own libraries, or
// the user's class borrowed it.
bool is_user_method(nb::handle type, const char* name);

}  // namespace dycl::partial_eval
