// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/purity.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "partial_eval/live_object.h"

namespace dycl::partial_eval {
namespace {

using Names = std::set<std::string_view>;

const Names kPureRoots{"_abc",
                       "_bisect",
                       "_collections",
                       "_collections_abc",
                       "_decimal",
                       "_functools",
                       "_json",
                       "_operator",
                       "_sre",
                       "_string",
                       "_struct",
                       "_weakrefset",
                       "abc",
                       "binascii",
                       "bisect",
                       "builtins",
                       "calendar",
                       "cmath",
                       "collections",
                       "contextlib",
                       "copy",
                       "copyreg",
                       "dataclasses",
                       "decimal",
                       "enum",
                       "fractions",
                       "functools",
                       "inspect",
                       "itertools",
                       "json",
                       "keyword",
                       "math",
                       "numbers",
                       "numpy",
                       "operator",
                       "opt_einsum",
                       "re",
                       "statistics",
                       "string",
                       "struct",
                       "textwrap",
                       "torch",
                       "types",
                       "typing",
                       "typing_extensions",
                       "unicodedata"};

const Names kImpureRoots{"_io",       "_random",   "_socket",  "_thread",      "asyncio",
                         "atexit",    "ctypes",    "datetime", "faulthandler", "gc",
                         "glob",      "http",      "io",       "logging",      "multiprocessing",
                         "os",        "pathlib",   "pickle",   "platform",     "posix",
                         "posixpath", "queue",     "random",   "secrets",      "select",
                         "shutil",    "signal",    "socket",   "subprocess",   "sys",
                         "tempfile",  "threading", "time",     "tracemalloc",  "urllib",
                         "uuid",      "warnings",  "weakref",  "zipfile"};

// Builtins that look outside, change something, or step a live iterator.
const Names kImpureBuiltins{
    "__build_class__", "__import__", "breakpoint", "compile", "delattr", "eval", "exec", "globals", "id",
    "input",           "locals",     "next",       "open",    "setattr", "vars"};

const Names kShallowBuiltins{"callable", "isinstance", "issubclass", "type", "object"};

const Names kMutatingMethods{"add",
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

// What torch.nn.Module and its containers offer for reading.
const Names kModuleReads{"parameters",
                         "named_parameters",
                         "buffers",
                         "named_buffers",
                         "children",
                         "named_children",
                         "modules",
                         "named_modules",
                         "get_parameter",
                         "get_buffer",
                         "get_submodule",
                         "state_dict",
                         "extra_repr",
                         "_get_name",
                         "__repr__",
                         "__len__",
                         "__getitem__",
                         "__iter__",
                         "__contains__",
                         "keys",
                         "values",
                         "items",
                         "__dir__",
                         "_named_members",
                         "_get_abs_string_index",
                         "get",
                         "__getattr__",
                         "__reversed__"};

// Functions of torch whose effect or result is not in their arguments.
const Names kImpureTorch{
    "manual_seed", "seed",      "initial_seed", "get_rng_state",     "set_rng_state",
    "save",        "load",      "fork_rng",     "compile",           "use_deterministic_algorithms",
    "randperm",    "rand",      "randn",        "randint",           "bernoulli",
    "multinomial", "normal",    "poisson",      "_set_grad_enabled", "init_process_group",
    "synchronize", "checkpoint"};

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

Purity torch_purity(TorchBridge& torch, nb::handle callable, const Description& what) {
  if (torch.is_module(callable))
    return torch.classify_layer(callable) == "leaf" ? Purity::Pure : Purity::Unknown;
  const std::string kind = torch.classify(callable);
  if (kind == "random" || kind == "impure" || kind == "refused") return Purity::Impure;
  if (kImpureTorch.contains(what.name) || what.name.starts_with("set_")) return Purity::Impure;
  if (what.module.starts_with("torch.distributed") || what.module.starts_with("torch.random"))
    return Purity::Impure;
  if (PyType_Check(callable.ptr())) return what.name == "Generator" ? Purity::Impure : Purity::Pure;
  if (is_inplace_name(what.name)) return Purity::Mutating;
  if (kind == "leaf" || kind == "metadata" || kind == "reads") return Purity::Pure;
  if (what.module.starts_with("torch.nn.modules") || what.module.starts_with("torch.nn.parallel"))
    return kModuleReads.contains(what.name) ? Purity::Pure : Purity::Mutating;
  if (what.owner.empty() || what.owner == "Tensor" || what.owner == "TensorBase" || what.owner == "Size" ||
      what.owner == "dtype" || what.owner == "device" || what.owner == "finfo" || what.owner == "iinfo")
    return Purity::Pure;
  if (what.name == "clone" && what.of_instance) return Purity::Pure;  // of a context used as a decorator
  return kMutatingMethods.contains(what.name) ? Purity::Mutating : Purity::Unknown;
}

bool is_read_of_clock(const Description& what) {
  return what.name == "now" || what.name == "today" || what.name == "utcnow";
}

}  // namespace

Purity purity_of(TorchBridge& torch, nb::handle callable) {
  const Description what = describe(callable);
  const std::string root = root_of(what.module);
  if (root == "torch") return torch_purity(torch, callable, what);
  if (root == "datetime" && !is_read_of_clock(what)) return Purity::Pure;
  if (what.module.starts_with("numpy.random")) return Purity::Impure;
  if (kImpureRoots.contains(root)) return Purity::Impure;
  if (!kPureRoots.contains(root)) return Purity::Unknown;
  if (root == "builtins" && what.owner.empty()) {
    if (kImpureBuiltins.contains(what.name)) return Purity::Impure;
    if (kShallowBuiltins.contains(what.name)) return Purity::Shallow;
    return Purity::Pure;
  }
  if (!what.owner.empty() && kMutatingMethods.contains(what.name)) return Purity::Mutating;
  if (root == "_operator" && (what.name == "setitem" || what.name == "delitem" || what.name.starts_with("i")))
    return what.name == "index" || what.name == "inv" || what.name == "invert" || what.name == "is_" ||
                   what.name == "is_not" || what.name == "itemgetter" || what.name == "indexOf"
               ? Purity::Pure
               : Purity::Mutating;
  return Purity::Pure;
}

std::string callable_name(nb::handle callable) {
  const Description what = describe(callable);
  const std::string& owner = what.owner.empty() ? what.function_of : what.owner;
  std::string name = owner.empty() ? what.name : owner + "." + what.name;
  if (what.module.empty() || what.module == "builtins") return name;
  return what.module + "." + name;
}

}  // namespace dycl::partial_eval
