// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/machine/torch_bridge.h"

#include <nanobind/stl/string.h>

#include "base/result.h"
#include "base/type_text.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

bool is_instance(nb::handle object, nb::handle type) {
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr())) != 0;
}

// Methods bound to an object are made anew at every access: a cache would only keep them alive.
bool is_bound(nb::handle callable) {
  if (PyMethod_Check(callable.ptr())) return true;
  if (!PyCFunction_Check(callable.ptr())) return false;
  PyObject* self = PyCFunction_GetSelf(callable.ptr());
  return self != nullptr && !PyModule_Check(self) && !PyType_Check(self);
}

// Asking a dict for it runs no code of the user's.
bool hashes_plainly(nb::handle callable) {
  const PyTypeObject* type = Py_TYPE(callable.ptr());
  if (PyType_Check(callable.ptr())) return type->tp_hash == PyType_Type.tp_hash;
  return PyFunction_Check(callable.ptr()) || PyCFunction_Check(callable.ptr()) ||
         type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type || type == &PyClassMethodDescr_Type;
}

// Other callables are objects of the user's, which must not be asked.
bool may_be_of_torch(nb::handle callable) {
  if (hashes_plainly(callable) || PyMethod_Check(callable.ptr())) return true;
  const auto module = nb::cast<std::string>(nb::str(nb::handle(callable.type()).attr("__module__")));
  return module.starts_with("torch") || module.starts_with("dycl") || module == "builtins";
}

nb::object lookup(const nb::object& dict, const nb::object& key) {
  PyObject* found = PyDict_GetItemWithError(dict.ptr(), key.ptr());
  if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  return found == nullptr ? nb::object() : nb::borrow(found);
}

nb::object script_classes() {
  const nb::object core = nb::module_::import_("torch._C");
  return nb::make_tuple(nb::module_::import_("torch.jit").attr("ScriptModule"), core.attr("ScriptFunction"),
                        core.attr("ScriptMethod"));
}

bool has_code(nb::handle function, const char* name, const nb::object& file) {
  if (!PyFunction_Check(function.ptr())) return false;
  const nb::object code = function.attr("__code__");
  return nb::cast<std::string>(code.attr("co_name")) == name && code.attr("co_filename").equal(file);
}

}  // namespace

TorchBridge::TorchBridge(nb::object capture_object)
    : capture(std::move(capture_object)),
      slots(nb::module_::import_("dycl.frontend.sizes.values")),
      tensor_class_(nb::module_::import_("torch").attr("Tensor")),
      module_class_(nb::module_::import_("torch.nn").attr("Module")),
      module_file_(nb::module_::import_("torch.nn.modules.module").attr("__file__")),
      script_classes_(script_classes()),
      partial_class_(nb::module_::import_("functools").attr("partial")),
      prelude_(nb::module_::import_("dycl.prelude")),
      prelude_folder_(nb::cast<std::string>(prelude_.attr("__path__")[0]) + "/"),
      own_folders_(nb::cast<std::string>(nb::module_::import_("dycl").attr("__path__")[0])) {}

bool TorchBridge::is_own_failure(const nb::python_error& error) const {
  nb::object trace = nb::borrow(error.traceback());
  for (; trace.is_valid() && !trace.is_none(); trace = trace.attr("tb_next")) {
    const auto file = nb::cast<std::string>(trace.attr("tb_frame").attr("f_code").attr("co_filename"));
    if (file.starts_with(own_folders_) && !is_prelude(file)) return true;
  }
  return false;
}

bool TorchBridge::is_tensor(nb::handle object) const { return is_instance(object, tensor_class_); }

bool TorchBridge::is_module(nb::handle object) const { return is_instance(object, module_class_); }

bool TorchBridge::is_script(nb::handle object) const {
  for (const nb::handle type : nb::borrow<nb::tuple>(script_classes_))
    if (is_instance(object, type)) return true;
  return false;
}

bool TorchBridge::is_standard_call(nb::handle function) const {
  return has_code(function, "_wrapped_call_impl", module_file_) ||
         has_code(function, "_call_impl", module_file_);
}

nb::object TorchBridge::own_call(nb::handle module) const {
  for (const char* name : {"__call__", "_call_impl"}) {
    nb::object method = module.type().attr(name);
    if (!is_standard_call(method)) return method;
  }
  return {};
}

bool TorchBridge::is_partial(nb::handle object) const { return is_instance(object, partial_class_); }

bool TorchBridge::is_module_class(nb::handle type) const {
  return PyType_Check(type.ptr()) &&
         PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()),
                          reinterpret_cast<PyTypeObject*>(module_class_.ptr())) != 0;
}

nb::object TorchBridge::spec_of(nb::handle tensor) { return slots.attr("spec_of")(tensor); }

Type TorchBridge::type_of_spec(nb::handle spec) {
  const auto found = types_.find(spec.ptr());
  if (found != types_.end()) return found->second.second;
  const auto text = nb::cast<std::string>(spec.attr("type_text"));
  auto type = parse_type(text, [](std::string_view) { return SymbolId(); });  // as of open_dim()
  if (!type) internal_error("capture gave a type that does not parse: " + text);
  types_.emplace(spec.ptr(), std::pair(nb::borrow(spec), *type));
  return std::move(*type);
}

std::string TorchBridge::classify(nb::handle function) {
  if (!may_be_of_torch(function)) return "inline";
  if (is_bound(function)) return nb::cast<std::string>(capture.attr("classify")(function));
  const auto found = classes_.find(function.ptr());
  if (found != classes_.end()) return found->second.second;
  auto kind = nb::cast<std::string>(capture.attr("classify")(function));
  classes_.emplace(function.ptr(), std::pair(nb::borrow(function), kind));
  return kind;
}

std::string TorchBridge::classify_layer(nb::handle module) {
  return nb::cast<std::string>(capture.attr("layer")(module));
}

bool TorchBridge::reads_plainly(nb::handle module, bool whole) {
  return nb::cast<bool>(nb::module_::import_("dycl.prelude.pure").attr("reads_plainly")(module, whole));
}

nb::object TorchBridge::hooks_of(nb::handle module) { return capture.attr("hooks")(module); }

TorchBridge::Attribute TorchBridge::attribute(nb::handle spec, const std::string& name) {
  const nb::object answer = capture.attr("attribute")(spec, name.c_str());
  return {nb::cast<std::string>(answer[0]), nb::object(answer[1])};
}

nb::object TorchBridge::model_of(nb::handle callable) {
  if (!hashes_plainly(callable)) return {};
  return lookup(prelude_.attr("MODELS"), nb::borrow(callable));
}

nb::object TorchBridge::method_model(nb::handle type, const std::string& name) {
  const nb::object methods = prelude_.attr("METHODS");
  for (const nb::handle base : nb::borrow<nb::tuple>(type.attr("__mro__"))) {
    nb::object model = lookup(methods, nb::make_tuple(base, name.c_str()));
    if (model.is_valid()) return model;
  }
  return {};
}

nb::object TorchBridge::prelude_function(const char* name) {
  if (!has_attribute(prelude_, name)) internal_error("the prelude has no " + std::string(name));
  return prelude_.attr(name);
}

}  // namespace dycl::partial_eval
