// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/machine/torch_bridge.h"

#include <nanobind/stl/variant.h>

#include "base/result.h"
#include "partial_eval/values/layouts.h"
#include "partial_eval/values/live_kinds.h"
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

// As id() names it.
nb::object address_of(nb::handle object) { return nb::steal(PyLong_FromVoidPtr(object.ptr())); }

nb::object script_classes() {
  const nb::object core = nb::module_::import_("torch._C");
  return nb::make_tuple(nb::module_::import_("torch.jit").attr("ScriptModule"), core.attr("ScriptFunction"),
                        core.attr("ScriptMethod"));
}

template <class Kind>
constexpr bool kMayBeNone = requires(Kind kind) { kind.has_value(); };

// What Border.question answered, which must be of the class that the protocol has for it.
template <class Kind>
Kind read(nb::handle answer, const char* question) {
  Kind read;
  if ((answer.is_none() && !kMayBeNone<Kind>) || !nb::try_cast(answer, read))
    internal_error(std::string("Border.") + question + " answered with a '" + Py_TYPE(answer.ptr())->tp_name +
                   "', which is not what the protocol says");
  return read;
}

template <class... Arguments>
nb::object ask(const nb::object& border, const char* question, Arguments&&... arguments) {
  return border.attr(question)(std::forward<Arguments>(arguments)...);
}

template <class Kind, class... Arguments>
Kind answer(const nb::object& border, const char* question, Arguments&&... arguments) {
  return read<Kind>(ask(border, question, std::forward<Arguments>(arguments)...), question);
}

}  // namespace

TorchBridge::TorchBridge(const nb::object& capture, bool draws)
    : border_(nb::module_::import_("dycl.frontend.capture.border").attr("Border")(capture)),
      torch_(nb::module_::import_("torch")),
      size_class_(torch_.attr("Size")),
      tensor_class_(torch_.attr("Tensor")),
      module_class_(nb::module_::import_("torch.nn").attr("Module")),
      blank_module_(module_class_()),
      module_file_(nb::module_::import_("torch.nn.modules.module").attr("__file__")),
      script_classes_(script_classes()),
      partial_class_(nb::module_::import_("functools").attr("partial")),
      open_shape_class_(border_.attr("open_shape_class")),
      size_symbols_(nb::cast<SizeSymbols*>(border_.attr("size_symbols"))),
      dtype_names_(nb::cast<nb::dict>(border_.attr("dtype_names"))),
      prelude_(nb::module_::import_("dycl.prelude")),
      pure_(nb::module_::import_("dycl.prelude.pure")),
      prelude_folder_(nb::cast<std::string>(prelude_.attr("__path__")[0]) + "/"),
      torch_folder_(nb::cast<std::string>(torch_.attr("__path__")[0]) + "/"),
      draws_(draws),
      drawing_(nb::module_::import_("dycl.prelude.draws")),
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

void TorchBridge::collect_tensors(nb::handle value, std::vector<nb::object>& tensors, int depth) const {
  if (is_tensor(value)) {
    tensors.push_back(nb::borrow(value));
  } else if ((PyTuple_Check(value.ptr()) || PyList_Check(value.ptr())) && depth < 8) {
    for (const nb::handle item : nb::borrow(value)) collect_tensors(item, tensors, depth + 1);
  }
}

bool TorchBridge::is_module(nb::handle object) const { return is_instance(object, module_class_); }

bool TorchBridge::is_script(nb::handle object) const {
  for (const nb::handle type : nb::borrow<nb::tuple>(script_classes_))
    if (is_instance(object, type)) return true;
  return false;
}

bool TorchBridge::is_of_tensors(nb::handle scripted, nb::handle written) const {
  return nb::cast<bool>(prelude_.attr("is_of_tensors")(scripted, written));
}

bool TorchBridge::is_standard_call(nb::handle function) const {
  return has_code(function, "_wrapped_call_impl", module_file_) ||
         has_code(function, "_call_impl", module_file_);
}

nb::object TorchBridge::own_call(nb::handle module_class) const {
  for (const char* name : {"__call__", "_call_impl"}) {
    nb::object method = module_class.attr(name);
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

bool TorchBridge::is_open_shape(nb::handle object) const { return object.type().is(open_shape_class_); }

DType TorchBridge::dtype_of(nb::handle tensor) const {
  return *dtype_from_name(nb::cast<std::string>(dtype_names_[tensor.attr("dtype")]));
}

SpecPtr TorchBridge::spec_of(nb::handle tensor) { return answer<SpecPtr>(border_, "spec_of", tensor); }

std::variant<SpecPtr, protocol::LeafRefused> TorchBridge::input_spec(nb::handle tensor,
                                                                     const std::string& path) {
  return answer<std::variant<SpecPtr, protocol::LeafRefused>>(border_, "input_spec", tensor, path);
}

protocol::DeclaredSize TorchBridge::declared(const SizeExpr& size) {
  return answer<protocol::DeclaredSize>(border_, "declared", size);
}

nb::object TorchBridge::dtype_named(const std::string& name) const {
  return torch_.attr(name.substr(name.find('.') + 1).c_str());
}

nb::object TorchBridge::stack_function() const { return torch_.attr("stack"); }

nb::object TorchBridge::zeros(const Sizes& shape, const nb::object& dtype) const {
  return torch_.attr("zeros")(tuple_of(shape), nb::arg("dtype") = dtype);
}

nb::object TorchBridge::plain_copy(const nb::object& tensor) const {
  const nb::object plain = tensor.attr("detach")().attr("resolve_conj")().attr("resolve_neg")();
  return plain.attr("clone")(nb::arg("memory_format") = torch_.attr("contiguous_format"));
}

std::size_t TorchBridge::storage_uses(const nb::object& tensor) const {
  const nb::object count = nb::module_::import_("torch._C").attr("_storage_Use_Count");
  const nb::object storage = tensor.attr("untyped_storage")();
  return nb::cast<std::size_t>(count(storage.attr("_cdata")));
}

SpecPtr TorchBridge::contiguous_spec(const nb::object& dtype, const Sizes& shape) {
  const nb::object cpu = torch_.attr("device")("cpu");
  return answer<SpecPtr>(border_, "spec", dtype, tuple_of(shape), tuple_of(contiguous_stride(shape)), cpu);
}

SpecPtr TorchBridge::with_layout(const protocol::TensorSpec& spec, const protocol::Layout& layout) {
  return answer<SpecPtr>(border_, "spec", spec.dtype, tuple_of(layout.shape), tuple_of(layout.stride),
                         spec.device);
}

void TorchBridge::note_call(std::size_t ended_paths, const std::string& place) {
  border_.attr("note_call")(ended_paths, place);
}

TorchBridge::CallAnswer TorchBridge::call(const nb::object& callee, const nb::tuple& positional,
                                          const nb::dict& keywords) {
  return answer<CallAnswer>(border_, "call", callee, positional, keywords);
}

TorchBridge::MetadataAnswer TorchBridge::metadata(const nb::object& callee, const nb::tuple& positional,
                                                  const nb::dict& keywords) {
  return answer<MetadataAnswer>(border_, "metadata", callee, positional, keywords);
}

protocol::Requirement TorchBridge::misread(const std::string& method, const SpecPtr& spec) {
  return answer<protocol::Requirement>(border_, "misread", method, spec);
}

protocol::ViewUpdate TorchBridge::update_of_view(const SpecPtr& written, std::int64_t at, const SpecPtr& seen,
                                                 std::int64_t seen_at) {
  return answer<protocol::ViewUpdate>(border_, "update_of_view", written, at, seen, seen_at);
}

// Python says False where this side has no object.
nb::object to_python(const nb::object& mask) { return mask.is_valid() ? mask : nb::object(nb::bool_(false)); }
nb::object from_python(nb::object mask) { return mask.is(Py_False) ? nb::object() : std::move(mask); }

nb::object TorchBridge::fresh_mask(const SpecPtr& spec) {
  return from_python(ask(border_, "fresh_mask", spec));
}

nb::object TorchBridge::seen_mask(const nb::object& mask, const SpecPtr& spec,
                                  std::optional<std::int64_t> at) {
  return mask.is_valid() ? from_python(ask(border_, "seen_mask", mask, spec, at)) : mask;
}

nb::object TorchBridge::mask_after_write(const nb::object& mask, const SpecPtr& written,
                                         std::optional<std::int64_t> at, const nb::object& index) {
  return mask.is_valid() ? from_python(ask(border_, "mask_after_write", mask, written, at, index)) : mask;
}

nb::object TorchBridge::united_masks(const nb::object& left, const nb::object& right) {
  return from_python(ask(border_, "united_masks", to_python(left), to_python(right)));
}

bool TorchBridge::same_masks(const nb::object& left, const nb::object& right) {
  return answer<bool>(border_, "same_masks", to_python(left), to_python(right));
}

bool TorchBridge::is_whole_index(const nb::object& index) {
  return answer<bool>(border_, "is_whole_index", index);
}

std::optional<std::pair<std::string, nb::object>> TorchBridge::holder_of(nb::handle model,
                                                                         nb::handle tensor) {
  return answer<std::optional<std::pair<std::string, nb::object>>>(border_, "holder_of", model, tensor);
}

std::optional<std::string> TorchBridge::path_of(nb::handle model, nb::handle object) {
  return answer<std::optional<std::string>>(border_, "path_of", model, object);
}

std::string TorchBridge::classify(nb::handle function) {
  if (!may_be_of_torch(function)) return "inline";
  if (is_bound(function)) return answer<std::string>(border_, "classify", function);
  const auto found = classes_.find(function.ptr());
  if (found != classes_.end()) return found->second.second;
  auto kind = answer<std::string>(border_, "classify", function);
  classes_.emplace(function.ptr(), std::pair(nb::borrow(function), kind));
  return kind;
}

std::string TorchBridge::classify_layer(nb::handle module) {
  return answer<std::string>(border_, "layer", module, draws_);
}

nb::object TorchBridge::hooks_of(nb::handle module) { return ask(border_, "hooks", module); }

TorchBridge::Attribute TorchBridge::attribute(const SpecPtr& spec, const std::string& name) {
  auto [kind, value] = answer<std::pair<std::string, nb::object>>(border_, "attribute", spec, name);
  return {std::move(kind), std::move(value)};
}

nb::object TorchBridge::model_of(nb::handle callable) {
  if (!hashes_plainly(callable) && !is_told_by_identity(callable)) return {};
  nb::object model = lookup(prelude_.attr("MODELS"), nb::borrow(callable));
  if (model.is_valid() || !(PyFunction_Check(callable.ptr()) || PyType_Check(callable.ptr()))) return model;
  model = prelude_.attr("model_by_name")(text_or_empty(callable, "__module__"),
                                         text_or_empty(callable, "__qualname__"));
  return model.is_none() ? nb::object() : model;
}

nb::object TorchBridge::drawing_model_of(nb::handle callable) {
  if (!draws_ || !hashes_plainly(callable)) return {};
  return lookup(drawing_.attr("MODELS"), nb::borrow(callable));
}

bool TorchBridge::has_formula(nb::handle callable) const {
  if (!hashes_plainly(callable)) return false;
  return PySequence_Contains(drawing_.attr("MODELS").ptr(), callable.ptr()) == 1 ||
         PySequence_Contains(drawing_.attr("FOLLOWED").ptr(), callable.ptr()) == 1;
}

bool TorchBridge::is_dropout(nb::handle module) {
  return answer<std::string>(border_, "layer", module, true) == "inline";
}

bool TorchBridge::is_followed(nb::handle function) const {
  return draws_ && PyFunction_Check(function.ptr()) &&
         PySequence_Contains(drawing_.attr("FOLLOWED").ptr(), function.ptr()) == 1;
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

std::optional<std::string> TorchBridge::listed_as(nb::handle function) const {
  const nb::object entry = lookup(pure_.attr("LISTED"), address_of(function));
  return entry.is_valid() ? std::optional(nb::cast<std::string>(entry.attr("takes"))) : std::nullopt;
}

std::optional<std::string> TorchBridge::process_question(nb::handle function) const {
  const nb::object name = lookup(pure_.attr("ASKED"), address_of(function));
  return name.is_valid() ? std::optional(nb::cast<std::string>(name)) : std::nullopt;
}

std::optional<std::size_t> TorchBridge::listed_write(nb::handle function) const {
  const nb::object place = lookup(pure_.attr("WRITES"), address_of(function));
  return place.is_valid() ? std::optional(nb::cast<std::size_t>(place)) : std::nullopt;
}

bool TorchBridge::reads_plainly(nb::handle module, bool whole) {
  return nb::cast<bool>(pure_.attr("reads_plainly")(module, whole));
}

nb::object TorchBridge::plain_copier(nb::handle object) {
  const bool is_plain = nb::cast<bool>(pure_.attr("copies_plainly")(object));
  return is_plain ? nb::object(pure_.attr("copied")) : nb::object();
}

}  // namespace dycl::partial_eval
