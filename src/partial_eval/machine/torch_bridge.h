// SPDX-License-Identifier: Apache-2.0
// The one bridge to torch and to python/dycl: torch's side of things (frontend/capture/border.py) and the
// models of Python's builtins (prelude/, which the wheel has as dycl.prelude). No rule of the machine lives
// there. An answer of another class than the protocol's is a bug of ours, and the bridge says so.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/size_symbols.h"
#include "partial_eval/values/protocol.h"

namespace dycl::partial_eval {

using protocol::Sizes;
using protocol::SpecPtr;

class TorchBridge {
 public:
  // `capture` is a dycl.frontend.capture.Capture. With `draws`, random numbers have models, too.
  explicit TorchBridge(const nb::object& capture, bool draws = false);

  [[nodiscard]] bool is_tensor(nb::handle object) const;  // a live torch.Tensor
  // Adds the value if it is a tensor, and the tensors in it if it is a tuple or list.
  void collect_tensors(nb::handle value, std::vector<nb::object>& tensors, int depth = 0) const;
  [[nodiscard]] bool is_module(nb::handle object) const;  // a live torch.nn.Module
  [[nodiscard]] bool is_module_class(nb::handle type) const;
  [[nodiscard]] bool is_script(nb::handle object) const;  // made by torch.jit: its Python code is gone
  // A function of torch.jit.script() computes tensors from tensors, as the Python function it was made of
  // does.
  [[nodiscard]] bool is_of_tensors(nb::handle scripted, nb::handle written) const;
  // nn.Module's own __call__, by its code: somebody may have put another function in its place.
  [[nodiscard]] bool is_standard_call(nb::handle function) const;
  // The Python function that a call of such a module runs instead of nn.Module's own; null: none.
  [[nodiscard]] nb::object own_call(nb::handle module_class) const;
  // A torch.nn.Module with nothing in it.
  [[nodiscard]] nb::object blank_module() const { return blank_module_; }
  [[nodiscard]] bool is_partial(nb::handle object) const;  // a live functools.partial
  [[nodiscard]] nb::object tensor_class() const { return tensor_class_; }
  [[nodiscard]] bool is_open_shape(nb::handle object) const;  // a torch.Size with SizeResults in it
  [[nodiscard]] DType dtype_of(nb::handle tensor) const;
  // The dtype that torch calls so: "torch.float32".
  [[nodiscard]] nb::object dtype_named(const std::string& name) const;
  [[nodiscard]] nb::object size_class() const { return size_class_; }  // torch.Size
  [[nodiscard]] nb::object stack_function() const;                     // torch.stack
  // A live tensor of zeros.
  [[nodiscard]] nb::object zeros(const Sizes& shape, const nb::object& dtype) const;
  // The elements of a live tensor in memory of their own, where they lie in order.
  [[nodiscard]] nb::object plain_copy(const nb::object& tensor) const;
  // Says how many hold the storage of a live tensor: each tensor counts one, and so does this question.
  [[nodiscard]] std::size_t storage_uses(const nb::object& tensor) const;

  // Returns the spec of a live tensor. That of an example's tensor has the sizes that are declared as
  // dynamic.
  SpecPtr spec_of(nb::handle tensor);
  std::variant<SpecPtr, protocol::LeafRefused> input_spec(nb::handle tensor, const std::string& path);
  protocol::DeclaredSize declared(const SizeExpr& size);
  // Returns the spec of a tensor on the CPU whose elements lie in order.
  SpecPtr contiguous_spec(const nb::object& dtype, const Sizes& shape);
  // Returns the spec of the same tensor with other sizes and strides.
  SpecPtr with_layout(const protocol::TensorSpec& spec, const protocol::Layout& layout);
  // Who makes the symbols of this compilation.
  [[nodiscard]] SizeSymbols& size_symbols() const { return *size_symbols_; }

  // What a call of torch comes to. A Requirement is one that no size meets.
  using CallAnswer = std::variant<std::shared_ptr<const protocol::LeafCall>, protocol::Requirement,
                                  protocol::SizeSplit, protocol::TorchRaised, protocol::LeafRefused>;
  // Tells whoever watches that another call is asked for, how many paths have ended, and the place.
  void note_call(std::size_t ended_paths, const std::string& place);
  CallAnswer call(const nb::object& callee, const nb::tuple& positional, const nb::dict& keywords);
  using MetadataAnswer =
      std::variant<protocol::Metadata, protocol::SizeSplit, protocol::TorchRaised, protocol::LeafRefused>;
  MetadataAnswer metadata(const nb::object& callee, const nb::tuple& positional, const nb::dict& keywords);

  // What eager raises where a number is read from a tensor that has none or several elements.
  protocol::Requirement misread(const std::string& method, const SpecPtr& spec);
  protocol::ViewUpdate update_of_view(const SpecPtr& written, std::int64_t at, const SpecPtr& seen,
                                      std::int64_t seen_at);

  // A mask says which elements of a tensor's memory nobody has written yet. It is null if all are written,
  // and None if some may not be.
  nb::object fresh_mask(const SpecPtr& spec);
  nb::object seen_mask(const nb::object& mask, const SpecPtr& spec, std::optional<std::int64_t> at);
  nb::object mask_after_write(const nb::object& mask, const SpecPtr& written, std::optional<std::int64_t> at,
                              const nb::object& index);
  nb::object united_masks(const nb::object& left, const nb::object& right);
  bool same_masks(const nb::object& left, const nb::object& right);
  bool is_whole_index(const nb::object& index);

  // "leaf", "inline", "metadata", "reads", "random", "impure", "refused", or "" for what is not torch's.
  std::string classify(nb::handle function);
  std::string classify_layer(nb::handle module);  // "leaf", "inline" or "refused"
  bool is_plain_layer(nb::handle module) { return classify_layer(module) != "inline"; }
  // The forward hooks that a call of the module runs, global ones included: a tuple of tuples for the
  // prelude's call_with_hooks; None when there are none.
  nb::object hooks_of(nb::handle module);

  struct Attribute {
    std::string kind;  // "static", "leaf", "method", "refused"
    nb::object value;
  };
  // Throws nb::python_error (AttributeError).
  Attribute attribute(const SpecPtr& spec, const std::string& name);

  // The model's own tensor that this is, or is a view of, with its name; nullopt: there is none.
  std::optional<std::pair<std::string, nb::object>> holder_of(nb::handle model, nb::handle tensor);
  // How the model reaches an object that it holds: cache['r']; nullopt: it does not.
  std::optional<std::string> path_of(nb::handle model, nb::handle object);

  // The model of a builtin (prelude.MODELS) or of a method of a builtin type (prelude.METHODS); null: none.
  nb::object model_of(nb::handle callable);
  // The formula of a function that draws random numbers, where they are inputs; null: none.
  nb::object drawing_model_of(nb::handle callable);
  // Says whether random numbers as inputs would give the function a model.
  [[nodiscard]] bool has_formula(nb::handle callable) const;
  // A layer in training mode that only draws: with random numbers as inputs it would be followed.
  bool is_dropout(nb::handle module);
  // A Python function of torch's that draws random numbers by calling others that have models.
  [[nodiscard]] bool is_followed(nb::handle function) const;
  nb::object method_model(nb::handle type, const std::string& name);
  nb::object prelude_function(const char* name);
  [[nodiscard]] bool is_prelude(const std::string& file) const { return file.starts_with(prelude_folder_); }
  [[nodiscard]] bool is_torch_file(const std::string& file) const { return file.starts_with(torch_folder_); }
  // What these models read from tensors, eager reads from arrays or inside of a function: nobody sees it.
  [[nodiscard]] bool reads_unseen(const std::string& file) const {
    if (!is_prelude(file)) return file.starts_with(torch_folder_);
    const std::string name = file.substr(prelude_folder_.size());
    return name.starts_with("array") || name == "packed.py" || name == "unseen.py";
  }

  // prelude/pure.py: what a listed function may be given, and which argument another one writes to, by
  // address; nullopt: it is not listed as such.
  [[nodiscard]] std::optional<std::string> listed_as(nb::handle function) const;
  [[nodiscard]] std::optional<std::size_t> listed_write(nb::handle function) const;
  // The name of a listed function that asks about the process; nullopt: it asks no such thing.
  [[nodiscard]] std::optional<std::string> process_question(nb::handle function) const;
  // The module, and with `whole` each one inside of it, has no methods of its own where torch's are listed as
  // pure.
  bool reads_plainly(nb::handle module, bool whole = false);
  // The listed function that copies the object; null: only the program's own code knows how to.
  nb::object plain_copier(nb::handle object);

  // Says whether the error was raised under a call of python/'s own code, and so not by the program:
  // exceptions of the program never pass through that code (capture wraps what torch raises).
  [[nodiscard]] bool is_own_failure(const nb::python_error& error) const;

 private:
  nb::object border_;  // dycl.frontend.capture.border.Border
  nb::object torch_;   // the module
  nb::object size_class_;
  nb::object tensor_class_;
  nb::object module_class_;
  nb::object blank_module_;
  nb::object module_file_;     // where nn.Module is written
  nb::object script_classes_;  // a tuple
  nb::object partial_class_;
  nb::object open_shape_class_;
  SizeSymbols* size_symbols_;  // the border's
  nb::dict dtype_names_;
  nb::object prelude_;
  nb::object pure_;
  std::string prelude_folder_;  // ends in a slash
  std::string torch_folder_;    // ends in a slash
  bool draws_;
  nb::object drawing_;       // dycl.prelude.draws
  std::string own_folders_;  // how the packages' folders begin: …/dycl
  std::unordered_map<PyObject*, std::pair<nb::object, std::string>> classes_;
};

}  // namespace dycl::partial_eval
