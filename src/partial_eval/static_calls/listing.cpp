// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/static_calls/listing.h"

#include <set>
#include <string_view>

#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

using ListedNames = std::set<std::string_view>;

// ---- the list

Takes takes_from_name(const std::string& name) {
  if (name == "data") return Takes::Data;
  if (name == "layers") return Takes::Layers;
  if (name == "trees") return Takes::Trees;
  return name == "descriptions" ? Takes::Descriptions : Takes::Anything;
}

// What a builtin method or a method of a slot was looked up as.
nb::object descriptor_of(nb::handle self, const std::string& name) {
  if (PyType_Check(self.ptr())) {
    nb::object own = type_attribute(self, name);
    if (own.is_valid()) return own;
  }
  return type_attribute(self.type(), name);
}

// ---- why not

// Of the standard library: what works on the outside world.
const ListedNames kImpureRoots{"_io",          "_random",    "_socket",     "_thread",
                               "asyncio",      "atexit",     "ctypes",      "datetime",
                               "faulthandler", "gc",         "genericpath", "glob",
                               "http",         "io",         "logging",     "multiprocessing",
                               "os",           "pathlib",    "pickle",      "platform",
                               "posix",        "posixpath",  "queue",       "random",
                               "secrets",      "select",     "shutil",      "signal",
                               "socket",       "subprocess", "sys",         "tempfile",
                               "threading",    "time",       "tracemalloc", "urllib",
                               "uuid",         "warnings",   "weakref",     "zipfile"};

const ListedNames kMutatingMethods{"add",
                                   "append",
                                   "appendleft",
                                   "clear",
                                   "difference_update",
                                   "discard",
                                   "extend",
                                   "extendleft",
                                   "insert",
                                   "intersection_update",
                                   "move_to_end",
                                   "pop",
                                   "popitem",
                                   "popleft",
                                   "remove",
                                   "reverse",
                                   "rotate",
                                   "setdefault",
                                   "sort",
                                   "subtract",
                                   "symmetric_difference_update",
                                   "update",
                                   "__setitem__",
                                   "__delitem__",
                                   "__setattr__",
                                   "__delattr__",
                                   "__iadd__",
                                   "__imul__",
                                   "__ior__",
                                   "__iand__",
                                   "__isub__",
                                   "__ixor__",
                                   "__next__",
                                   "send",
                                   "throw",
                                   "close",
                                   "__init__",
                                   "__setstate__",
                                   "release",
                                   "acquire",
                                   "write",
                                   "read",
                                   "readline",
                                   "seek",
                                   "flush",
                                   "__enter__",
                                   "__exit__",
                                   "cache_clear",
                                   "seed",
                                   "shuffle",
                                   "fill",
                                   "itemset",
                                   "put",
                                   "partition",
                                   "resize",
                                   "setflags",
                                   "setfield",
                                   "byteswap"};

// Of torch.nn.Module: what changes a layer.
const ListedNames kModuleWrites{"train",
                                "eval",
                                "to",
                                "half",
                                "float",
                                "double",
                                "bfloat16",
                                "cpu",
                                "cuda",
                                "type",
                                "zero_grad",
                                "requires_grad_",
                                "load_state_dict",
                                "register_buffer",
                                "register_parameter",
                                "register_module",
                                "add_module",
                                "share_memory",
                                "apply",
                                "_apply",
                                "to_empty",
                                "set_submodule",
                                "set_extra_state"};

// Of torch: what has effects, or a result that is not in the arguments.
const ListedNames kImpureTorch{
    "manual_seed", "seed",       "initial_seed", "get_rng_state", "set_rng_state",
    "save",        "load",       "fork_rng",     "compile",       "use_deterministic_algorithms",
    "checkpoint",  "synchronize"};

struct Description {
  std::string module;  // where it, or its class, is defined
  std::string owner;   // the class of a method
  std::string name;
  bool of_instance = false;      // bound to an object that is neither module nor class
  std::string function_of = {};  // the class that a plain function was defined in
};

Description describe(nb::handle callable) {
  Description result{module_name_of(callable), {}, text_or_empty(callable, "__name__"), false};
  const std::string path = PyFunction_Check(callable.ptr()) ? text_or_empty(callable, "__qualname__") : "";
  if (const auto dot = path.find('.'); dot != std::string::npos && path.find('<') == std::string::npos)
    result.function_of = path.substr(0, dot);
  nb::object owner = attribute_or_null(callable, "__objclass__");
  const nb::object self = attribute_or_null(callable, "__self__");
  if (!PyFunction_Check(callable.ptr()) && self.is_valid() && !self.is_none() &&
      !PyModule_Check(self.ptr())) {
    result.of_instance = !PyType_Check(self.ptr());
    if (!owner.is_valid()) owner = PyType_Check(self.ptr()) ? self : type_of_live(self);
  }
  if (owner.is_valid()) {
    result.owner = text_or_empty(owner, "__name__");
    if (!PyMethod_Check(callable.ptr())) result.module = module_name_of(owner);
  }
  if (result.name.empty()) {  // an instance with __call__
    const nb::object type = type_of_live(callable);
    result.module = module_name_of(type);
    result.owner = text_or_empty(type, "__name__");
    result.name = "__call__";
  }
  if (result.module.empty() && self.is_valid() && PyModule_Check(self.ptr()))
    result.module = text_or_empty(self, "__name__");
  return result;
}

bool is_inplace_name(const std::string& name) {
  return name.size() > 1 && name.ends_with('_') && !name.ends_with("__");
}

bool is_operation_of_torch(const std::string& kind) {
  return kind == "leaf" || kind == "metadata" || kind == "reads";
}

}  // namespace

Named named(const nb::object& callable) {
  if (PyMethod_Check(callable.ptr()))
    return {nb::borrow(PyMethod_GET_FUNCTION(callable.ptr())), nb::borrow(PyMethod_GET_SELF(callable.ptr()))};
  const bool of_slot = Py_TYPE(callable.ptr()) == &_PyMethodWrapper_Type;
  if (!of_slot && !PyCFunction_Check(callable.ptr())) return {callable, {}};
  const nb::object self = attribute_or_null(callable, "__self__");
  if (!self.is_valid() || self.is_none() || PyModule_Check(self.ptr())) return {callable, {}};
  nb::object function = descriptor_of(self, text_or_empty(callable, "__name__"));
  const bool is_method = function.is_valid() && (Py_IS_TYPE(function.ptr(), &PyMethodDescr_Type) ||
                                                 Py_IS_TYPE(function.ptr(), &PyWrapperDescr_Type) ||
                                                 Py_IS_TYPE(function.ptr(), &PyClassMethodDescr_Type));
  return is_method ? Named{std::move(function), self} : Named{callable, {}};
}

std::optional<Takes> listed(TorchBridge& torch, nb::handle function) {
  if (const auto takes = torch.listed_as(function)) return takes_from_name(*takes);
  if (torch.is_module(function))
    return torch.classify_layer(function) == "leaf" ? std::optional(Takes::Data) : std::nullopt;
  // Python's operators are torch's on tensors only.
  if (PyType_Check(function.ptr()) || module_name_of(function) == "_operator") return std::nullopt;
  return is_operation_of_torch(torch.classify(function)) ? std::optional(Takes::Data) : std::nullopt;
}

Unlisted why_unlisted(TorchBridge& torch, nb::handle callable) {
  const Description what = describe(callable);
  const std::string root = root_of(what.module);
  if (root == "torch" && !PyType_Check(callable.ptr()) && !torch.is_module(callable)) {
    const std::string kind = torch.classify(callable);
    if (kind == "random" || kind == "impure" || kind == "refused") return Unlisted::OutsideWorld;
    if (kImpureTorch.contains(what.name) || what.name.starts_with("set_") ||
        what.module.starts_with("torch.distributed") || what.module.starts_with("torch.random"))
      return Unlisted::OutsideWorld;
    if (is_inplace_name(what.name)) return Unlisted::Mutating;
    if (what.module == "torch.nn.modules.module" && kModuleWrites.contains(what.name))
      return Unlisted::Mutating;
  }
  if (what.module.starts_with("numpy.random") || kImpureRoots.contains(root)) return Unlisted::OutsideWorld;
  const bool is_method = !what.owner.empty();
  return is_method && kMutatingMethods.contains(what.name) ? Unlisted::Mutating : Unlisted::Unknown;
}

std::string callable_name(nb::handle callable) {
  const Description what = describe(callable);
  const std::string& owner = what.owner.empty() ? what.function_of : what.owner;
  std::string name = owner.empty() ? what.name : owner + "." + what.name;
  if (what.module.empty() || what.module == "builtins") return name;
  return what.module + "." + name;
}

}  // namespace dycl::partial_eval
