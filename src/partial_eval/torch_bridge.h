// SPDX-License-Identifier: Apache-2.0
// What the machine asks of python/dycl: torch's side of things (capture/) and the models of Python's
// builtins (prelude.py). No rule of the machine lives there.
#pragma once

#include <nanobind/nanobind.h>

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
  [[nodiscard]] nb::object tensor_class() const { return tensor_class_; }

  nb::object spec_of(nb::handle tensor);
  Type type_of_spec(nb::handle spec);  // of the contiguous value

  // "leaf", "inline", "metadata", "reads", "random", "impure", "refused", or "" for what is not torch's.
  std::string classify(nb::handle function);
  std::string classify_layer(nb::handle module);  // "leaf", "inline", or "refused: reason"

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

  nb::object capture;  // dycl.capture.Capture
  nb::object slots;    // the module that defines TensorSlot, ScalarSlot, TensorResult …

 private:
  nb::object tensor_class_;
  nb::object module_class_;
  nb::object prelude_;
  std::unordered_map<PyObject*, std::pair<nb::object, Type>> types_;
  std::unordered_map<PyObject*, std::pair<nb::object, std::string>> classes_;
};

}  // namespace dycl::partial_eval
