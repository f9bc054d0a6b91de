// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/static_calls/arrays.h"

#include <fmt/format.h>
#include <set>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/data/types.h"
#include "partial_eval/static_calls/handed_over.h"
#include "partial_eval/static_calls/listing.h"
#include "partial_eval/static_calls/static_call.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

nb::object array_class() { return library_object("numpy", "ndarray"); }

nb::object contents_of(const State& state, const AbstractValue& array) {
  const AbstractValue now = current(state, array);
  const auto* made = state.heap.get<ArrayObject>(now);
  return made != nullptr ? made->contents : *now.constant();
}

bool has_views(const Machine& machine, const State& state, const AbstractValue& array) {
  if (const auto* made = state.heap.get<ArrayObject>(array)) return made->viewed;
  return machine.ownership.viewed.contains(*array.constant());
}

// The array on the heap that a write goes to.
ObjectRef array_to_write(Machine& machine, State& state, const AbstractValue& array) {
  if (has_views(machine, state, array))
    machine.refuse(state, "python.write_through_view",
                   "a numpy array is written to that shares its memory with a view, an iterator or a tensor",
                   "make a copy first: a = a.copy()");
  return writable(machine, state, array);
}

const AbstractValue& target_of(const Arguments& arguments, std::optional<std::size_t> place) {
  if (place) return arguments.positional[*place];
  for (const auto& [name, value] : arguments.keywords)
    if (name == "out") return value;
  internal_error("a write to an array without an array");
}

void refuse_dynamic(Machine& machine, const State& state, const Arguments& arguments) {
  if (is_any_abstract(machine, state, arguments))
    machine.refuse(state, "python.array_write",
                   "a value that depends on the input is written into a numpy array by a function",
                   "write it with array[…] = value, or keep it in tensors");
}

}  // namespace

bool is_any_array(const State& state, const AbstractValue& value) {
  if (state.heap.get<ArrayObject>(value) != nullptr) return true;
  return value.constant() != nullptr && is_plain_array(*value.constant());
}

AbstractValue as_read(const State& state, const AbstractValue& value) {
  const auto* made = state.heap.get<ArrayObject>(value);
  return made != nullptr ? known(made->contents) : value;
}

void note_view(Machine& machine, State& state, const AbstractValue& array) {
  const AbstractValue now = current(state, array);
  if (state.heap.get<ArrayObject>(now) != nullptr)
    state.heap.edit_as<ArrayObject>(*now.object()).viewed = true;
  else if (const nb::object* live = now.constant(); live != nullptr && is_array(*live))
    machine.ownership.viewed.insert(*live);
}

Outcome array_attribute(Machine& machine, State& state, const AbstractValue& array, const std::string& name) {
  static const std::set<std::string> kFacts{"shape",  "dtype",   "size",      "ndim",    "itemsize",
                                            "nbytes", "strides", "__class__", "__doc__", "device"};
  static const std::set<std::string> kViews{"T", "mT", "real", "imag"};
  const nb::object contents = contents_of(state, array);
  if (kFacts.contains(name)) return known(contents.attr(name.c_str()));
  if (kViews.contains(name)) {
    AbstractValue view = known(contents.attr(name.c_str()));
    note_view(machine, state, array);
    note_view(machine, state, view);
    return view;
  }
  const nb::object descriptor = type_attribute(array_class(), name);
  if (!descriptor.is_valid()) return no_attribute(machine, array_class(), name);
  if (Py_IS_TYPE(descriptor.ptr(), &PyMethodDescr_Type) || Py_IS_TYPE(descriptor.ptr(), &PyWrapperDescr_Type))
    return state.make(NativeMethodObject{array, name});
  machine.refuse(
      state, "python.array_attribute",
      fmt::format("'{}' of a numpy array tells where it lies in memory, or lets it be changed", name),
      "use its values, its shape or its dtype");
}

Outcome array_method(Machine& machine, State& state, const AbstractValue& array, const std::string& name,
                     const Arguments& arguments) {
  const nb::object method = type_attribute(array_class(), name);
  if (!method.is_valid()) return no_attribute(machine, array_class(), name);
  Arguments all = arguments;
  all.positional.insert(all.positional.begin(), array);
  return call_static(machine, state, method, all);
}

Outcome write_array(Machine& machine, State& state, const nb::object& function, const Arguments& arguments,
                    std::optional<std::size_t> place) {
  refuse_dynamic(machine, state, arguments);
  const AbstractValue target = current(state, target_of(arguments, place));
  if (!is_any_array(state, target))
    machine.refuse(state, "python.mutating_call",
                   fmt::format("{}() changes an object that is not an array of the program's own",
                               callable_name(function)),
                   "work on an array made in forward");
  HandedOver handed(machine, state, Takes::Data);
  nb::object written;
  const auto take = [&](const AbstractValue& value, bool is_target) {
    if (!is_target) return handed.take(value);
    return written = handed.take_written(target);
  };
  nb::list positional;
  nb::dict keywords;
  for (std::size_t index = 0; index < arguments.positional.size(); ++index)
    positional.append(take(arguments.positional[index], place == index));
  for (const auto& [name, value] : arguments.keywords)
    keywords[name.c_str()] = take(value, !place && name == "out");
  const ObjectRef array = array_to_write(machine, state, target);
  const nb::object before = written.attr("tobytes")();
  nb::object result;
  try {
    result = function(*nb::tuple(positional), **keywords);
  } catch (nb::python_error&) {
    if (written.attr("tobytes")().equal(before)) throw;
    machine.refuse(
        state, "python.mutating_call",
        fmt::format("{}() fails after it has written a part of the array", callable_name(function)),
        "test its arguments first");
  }
  if (const auto what = handed.changed()) refuse_wrong_listing(machine, state, function, *what);
  state.heap.edit_as<ArrayObject>(array).contents = written;
  if (result.is(written)) return AbstractValue(array);
  return handed.given_back(result);
}

void become_dynamic(Machine& machine, State& state, const AbstractValue& array, const AbstractValue& made) {
  const Object object = state.heap.at(*current(state, made).object());
  state.heap.edit(array_to_write(machine, state, current(state, array))) = object;
}

}  // namespace dycl::partial_eval
