// SPDX-License-Identifier: Apache-2.0
// What the machine asks of python/dycl: torch's side of things (capture/) and the models of Python's
// builtins (prelude/, which the wheel has as dycl.prelude). No rule of the machine lives there.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>  // here, or a std::string would be cast as an unknown class in some file

#include <optional>
#include <string>
#include <unordered_map>

#include "base/type.h"

namespace dycl::partial_eval {

namespace nb = nanobind;

class TorchBridge {
 public:
  explicit TorchBridge(nb::object capture);

  [[nodiscard]] bool is_tensor(nb::handle object) const;  // a live torch.Tensor
  [[nodiscard]] bool is_module(nb::handle object) const;  // a live torch.nn.Module
  [[nodiscard]] bool is_module_class(nb::handle type) const;
  [[nodiscard]] bool is_script(nb::handle object) const;  // made by torch.jit: its Python code is gone
  // nn.Module's own __call__, by its code: somebody may have put another function in its place.
  [[nodiscard]] bool is_standard_call(nb::handle function) const;
  // The Python function that a call of the module runs instead of nn.Module's own; null: none.
  [[nodiscard]] nb::object own_call(nb::handle module) const;
  [[nodiscard]] bool is_partial(nb::handle object) const;  // a live functools.partial
  [[nodiscard]] nb::object tensor_class() const { return tensor_class_; }

  nb::object spec_of(nb::handle tensor);
  // Of the contiguous value; a size known at run time only is an open_dim(): give it a symbol of the graph.
  Type type_of_spec(nb::handle spec);

  // "leaf", "inline", "metadata", "reads", "random", "impure", "refused", or "" for what is not torch's.
  std::string classify(nb::handle function);
  std::string classify_layer(nb::handle module);  // "leaf", "inline" or "refused"
  bool is_plain_layer(nb::handle module) { return classify_layer(module) != "inline"; }
  // The module, and with `whole` each one inside of it, has no methods of its own where torch's are listed as
  // pure.
  bool reads_plainly(nb::handle module, bool whole = false);
  // The forward hooks that a call of the module runs, global ones included: a tuple of tuples for the
  // prelude's call_with_hooks; None when there are none.
  nb::object hooks_of(nb::handle module);

  struct Attribute {
    std::string kind;  // "static", "leaf", "method", "refused"
    nb::object value;
  };
  // Throws nb::python_error (AttributeError).
  Attribute attribute(nb::handle spec, const std::string& name);

  // The model of a builtin (prelude.MODELS) or of a method of a builtin type (prelude.METHODS); null: none.
  nb::object model_of(nb::handle callable);
  nb::object method_model(nb::handle type, const std::string& name);
  nb::object prelude_function(const char* name);
  [[nodiscard]] bool is_prelude(const std::string& file) const { return file.starts_with(prelude_folder_); }
  // Raised under a call of python/'s own code, and not by the program: exceptions of the program never pass
  // through that code (capture wraps what torch raises).
  [[nodiscard]] bool is_own_failure(const nb::python_error& error) const;

  nb::object capture;  // dycl.frontend.capture.Capture
  nb::object slots;    // the module that defines TensorSlot, ScalarSlot, TensorResult …

 private:
  nb::object tensor_class_;
  nb::object module_class_;
  nb::object module_file_;     // where nn.Module is written
  nb::object script_classes_;  // a tuple
  nb::object partial_class_;
  nb::object prelude_;
  std::string prelude_folder_;  // ends in a slash
  std::string own_folders_;     // how the packages' folders begin: …/dycl
  std::unordered_map<PyObject*, std::pair<nb::object, Type>> types_;
  std::unordered_map<PyObject*, std::pair<nb::object, std::string>> classes_;
};

}  // namespace dycl::partial_eval
