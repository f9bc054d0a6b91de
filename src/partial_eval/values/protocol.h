// SPDX-License-Identifier: Apache-2.0
// What the machine and python/dycl/frontend tell each other. bindings/protocol.cpp binds these classes once;
// Python makes them (the machine makes the slots), and each side reads members.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/size_expr.h"
#include "base/type.h"
#include "partial_eval/values/abstract_value.h"
#include "partial_eval/values/size_object.h"

namespace dycl::partial_eval::protocol {

using Sizes = std::vector<SizeExpr>;

// What is known of a tensor without its elements. Interned by Python: equal specs are one object.
struct TensorSpec {
  nb::object dtype;  // a torch.dtype
  Sizes shape;
  Sizes stride;
  nb::object device;
  std::vector<SizeSymbolPtr> symbols;  // of its sizes and strides, in order; empty: all are known
  Type type;  // of the contiguous value; a size known at run time only is an open_dim(): give it a symbol

  [[nodiscard]] bool has_open_sizes() const { return !symbols.empty(); }
  [[nodiscard]] bool has_open_shape() const {
    return !std::ranges::all_of(shape, [](const SizeExpr& size) { return size.is_known(); });
  }
  [[nodiscard]] std::string type_text() const {  // such a size is an "s"
    return to_string(type, [](SymbolId) { return std::string("s"); });
  }
};
using SpecPtr = std::shared_ptr<const TensorSpec>;

// What the sizes and strides of a tensor are.
struct Layout {
  Sizes shape;
  Sizes stride;
};

// A tensor known at run time. The same slot twice is the same tensor twice.
struct TensorSlot {
  SpecPtr spec;
  std::int64_t storage = 0;            // equal numbers may share storage
  std::optional<std::int64_t> at = 0;  // place of the first element in the storage; none: not known
  ObjectRef tensor = {};               // what it stands for; Python does not see it
};
using SlotPtr = std::shared_ptr<const TensorSlot>;

// A Python number known at run time; a weak operand in type promotion.
struct ScalarSlot {
  ScalarValue scalar;            // what it stands for; Python sees the kind
  std::optional<SizeExpr> size;  // of an int: how it follows from sizes that other types name
};

// This stands for an int that depends on sizes.
struct SizeResult {
  SizeExpr size;
};

// This stands for one tensor in the structure that a call returns.
struct TensorResult {
  std::int64_t index = -1;  // output of the fragment; -1 when the result is `same_as` or `same_static` itself
  SpecPtr spec;
  SlotPtr same_as;
  std::vector<SlotPtr> view_of;
  bool static_view = false;            // shares storage with a parameter, buffer or constant
  nb::object same_static;              // a live tensor, or None
  std::optional<std::int64_t> at = 0;  // place of the first element, counted from that of `view_of`
  nb::object static_base;              // the parameter, buffer or constant that it is a view of, or None
};

// Output `output` of the fragment is a bool[]: true where eager would have raised.
struct Check {
  std::size_t output = 0;
  std::string exception;
  std::string message;
};

// Eager raises unless `left relation right`; `fields` are the sizes that the message shows.
struct Requirement {
  std::string relation;
  SizeExpr left, right;
  std::string exception;
  std::string message;  // a format as of Raise
  Sizes fields;
};

// One lowered leaf call, shared by all calls of one structure.
struct Fragment {
  std::string name;
  std::vector<std::string> input_types;
  std::vector<std::string> output_types;
  nb::bytes onnx;    // a serialized FunctionProto
  std::string aten;  // JSON
  std::string key;
};
using LoweredPtr = std::shared_ptr<const Fragment>;

// What one call needs: its fragment, the operands in order, and how results are put together.
struct LeafCall {
  LoweredPtr fragment;
  std::vector<nb::object> inputs;  // slots, live tensors and numbers
  nb::object result;               // a structure with TensorResults and SizeResults in it
  std::vector<std::pair<SlotPtr, std::size_t>> mutated;  // a tensor, and the output that is written to it
  std::vector<Check> checks;
  std::vector<Requirement> requirements;
};

// The result of a function that looks at types only: a structure with SizeResults in it.
struct Metadata {
  nb::object result;
};

// The call cannot become an operation; `hint` says what would help.
struct LeafRefused {
  std::string reason;
  std::string hint;
  bool reads = false;  // it would read a number from a tensor
};

// Eager torch raises `exception` for these types, whatever the values are.
struct TorchRaised {
  nb::object exception;
};

// The call is typed differently on both sides of a comparison of sizes: the path must know which holds.
struct SizeSplit {
  std::string relation;  // "==", "<" …
  SizeExpr left, right;
};

// A size that the caller declared as dynamic: factor * symbol + rest.
struct DeclaredSize {
  std::string name;  // of the symbol
  std::int64_t smallest = 0, largest = 0;
  std::int64_t factor = 1, rest = 0;
};

// How a tensor follows from another one with the same storage that was written.
struct ViewUpdate {
  std::string relation;  // "none": it does not; "same": equal element by element; "unknown"; else "computed"
  nb::object function;   // of (the tensor, the written one, …)
  std::vector<nb::object> arguments;  // the further ones: live tensors
};

}  // namespace dycl::partial_eval::protocol
