// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/items.h"

#include <algorithm>
#include <array>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/array_writes.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/derived_containers.h"
#include "partial_eval/language/dict_items.h"
#include "partial_eval/language/list_items.h"
#include "partial_eval/language/operators.h"
#include "partial_eval/language/sequences.h"
#include "partial_eval/static_calls/arrays.h"
#include "partial_eval/static_calls/static_call.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/read_tensor.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

// x[key] on tensors is torch's. A key is an index of a tensor if a tensor is indexed.
Outcome tensor_item(Machine& machine, State& state, const AbstractValue& tensor, const AbstractValue& key) {
  const nb::object method = machine.torch.tensor_class().attr("__getitem__");
  if (tensor.constant() != nullptr && machine.reify(state, key))
    return call_static(machine, state, method, Arguments{{tensor, key}, {}});
  return call_leaf(machine, state, method, Arguments{{tensor, key}, {}});
}

// A class, or a form of `typing`: list[int], Optional[Tensor].
bool is_type_form(nb::handle live) {
  if (PyType_Check(live.ptr())) return true;
  const std::string module = module_name_of(live.type());
  return module == "typing" || module == "types";
}

Outcome type_item(Machine& machine, State& state, const nb::object& live, const AbstractValue& key) {
  const nb::object own = PyType_Check(live.ptr()) ? type_attribute(live, "__class_getitem__") : nb::object();
  const nb::object function = own.is_valid() && Py_IS_TYPE(own.ptr(), &PyClassMethod_Type)
                                  ? attribute_or_null(own, "__func__")
                                  : nb::object();
  if (own.is_valid() && Py_IS_TYPE(own.ptr(), &PyStaticMethod_Type))
    return call(machine, state, known(own.attr("__func__")), Arguments{{key}, {}});
  if (function.is_valid() && PyFunction_Check(function.ptr()) && !is_library(function))
    return call(machine, state, known(function), Arguments{{known(live), key}, {}});
  const nb::object known_key = machine.need(state, key, "what a type is subscripted with");
  return known(owned(PyObject_GetItem(live.ptr(), known_key.ptr())));
}

// The number of a ModuleList's element, and the like: torch's own code finds it.
bool is_layer_list(Machine& machine, const State& state, const nb::object& live) {
  return machine.torch.is_module(live) && has_attribute(live, "_modules") &&
         machine.torch.reads_plainly(live) && state.overlay.find(live.attr("_modules")) == nullptr;
}

Outcome live_item(Machine& machine, State& state, const nb::object& live, const AbstractValue& key) {
  if (auto item = item_or_missing(machine, state, live, key)) return std::move(*item);
  if (is_type_form(live) && !PyType_Check(live.ptr())) return type_item(machine, state, live, key);
  if (python_method(live.type(), "__getitem__").is_valid() &&
      !(is_layer_list(machine, state, live) && key.scalar()))
    return *call_special(machine, state, known(live), "__getitem__", Arguments{{key}, {}});
  if (is_type_form(live)) return type_item(machine, state, live, key);
  if (machine.reify(state, key)) {
    if (is_readable_container(live) && !is_plain_array(live) && !PyDict_Check(live.ptr()))
      return current(state, known(owned(PyObject_GetItem(live.ptr(), machine.reify(state, key)->ptr()))));
    return call_static(machine, state, library_object("operator", "getitem"),
                       Arguments{{known(live), key}, {}});
  }
  if (PySequence_Check(live.ptr()) == 0 && !PyType_Check(live.ptr()) && !has_attribute(live, "__getitem__"))
    throw_python(PyExc_TypeError,
                 "'" + std::string(Py_TYPE(live.ptr())->tp_name) + "' object is not subscriptable");
  if (state.heap.get<SliceObject>(key) != nullptr)
    (void)machine.need(state, key, "a slice of " + described(live));
  const auto index = dynamic_index(machine, state, key);
  if (!index || PyDict_Check(live.ptr()) != 0 || !has_attribute(live, "__len__"))
    (void)machine.need(state, key, "a key of " + described(live));
  return indexed_by_scalar(machine, state, live_elements(live), *index,
                           outside_of(machine, state, live, *index));
}

Outcome array_item(Machine& machine, State& state, const AbstractValue& array, const AbstractValue& key) {
  if (machine.reify(state, key))
    return call_static(machine, state, library_object("operator", "getitem"), Arguments{{array, key}, {}});
  note_view(machine, state, array);  // its rows are views
  return live_item(machine, state, *as_read(state, array).constant(), key);
}

std::optional<SliceObject> slice_parts(const State& state, const AbstractValue& key) {
  if (const auto* slice = state.heap.get<SliceObject>(key)) return *slice;
  const nb::object* live = key.constant();
  if (live == nullptr || !PySlice_Check(live->ptr())) return std::nullopt;
  return SliceObject{known(live->attr("start")), known(live->attr("stop")), known(live->attr("step"))};
}

std::optional<Outcome> object_item(Machine& machine, State& state, const AbstractValue& container,
                                   const AbstractValue& key) {
  if (const auto* sequence = state.heap.get<SequenceObject>(container)) {
    const SequenceObject copy = *sequence;
    if (const auto slice = slice_parts(state, key))
      return call_prelude(machine, state, copy.is_tuple ? "slice_tuple" : "slice_sequence",
                          Arguments{{container, slice->start, slice->stop, slice->step}, {}});
    return sequence_at(machine, state, copy, key);
  }
  if (const auto* tuple = state.heap.get<TupleObject>(container))
    if (is_user_method(tuple->type, "__getitem__"))
      return call_special(machine, state, container, "__getitem__", Arguments{{key}, {}});
  if (state.heap.get<TupleObject>(container) != nullptr || state.heap.get<ListObject>(container) != nullptr)
    return sequence_item(machine, state, container, key);
  if (state.heap.get<DictObject>(container) != nullptr) return dict_item(machine, state, container, key);
  if (state.heap.get<RangeObject>(container) != nullptr)
    return call_prelude(machine, state, "range_item", {{container, key}, {}});
  if (state.heap.get<TextObject>(container) != nullptr)
    machine.refuse(state, "python.dynamic_text", "a text with numbers that depend on the input is indexed",
                   "such texts can only be raised as messages");
  return call_special(machine, state, container, "__getitem__", Arguments{{key}, {}});
}

// An array or number of numpy that depends on the input is, or is in, the index.
bool holds_numpy(const State& state, const AbstractValue& given) {
  const AbstractValue key = current(state, given);
  const auto holds = [&](const AbstractValue& part) { return holds_numpy(state, part); };
  if (const auto* instance = state.heap.get<InstanceObject>(key)) return stands_for_numpy(instance->type);
  if (const auto* tuple = state.heap.get<TupleObject>(key)) return std::ranges::any_of(tuple->items, holds);
  if (const auto* slice = state.heap.get<SliceObject>(key))
    return holds(slice->start) || holds(slice->stop) || holds(slice->step);
  return false;
}

// A slice in the index is bounded by tensors, which Python reads as numbers.
bool has_tensor_bound(const Machine& machine, const State& state, const AbstractValue& given) {
  const AbstractValue key = current(state, given);
  if (const auto* tuple = state.heap.get<TupleObject>(key))
    return std::ranges::any_of(
        tuple->items, [&](const AbstractValue& part) { return has_tensor_bound(machine, state, part); });
  if (const nb::object* live = key.constant(); live != nullptr && PyTuple_CheckExact(live->ptr()))
    return std::ranges::any_of(live_elements(*live), [&](const AbstractValue& part) {
      return has_tensor_bound(machine, state, part);
    });
  const auto slice = slice_parts(state, key);
  return slice &&
         std::ranges::any_of(std::array{slice->start, slice->stop, slice->step}, [&](const auto& bound) {
           return is_any_tensor(machine, state, current(state, bound));
         });
}

// A list of ints of which some depend on the input: torch takes it for a tensor of indices. Where paths met
// with lists of other lengths, they could be kept apart: then the sizes of what is selected would be known.
bool is_list_of_indices(Machine& machine, const State& state, const AbstractValue& given) {
  const AbstractValue key = current(state, given);
  if (const auto* sequence = state.heap.get<SequenceObject>(key)) {
    if (sequence->is_tuple || number_kind(sequence->element) != ScalarKind::I64) return false;
    if (sequence->origins && !machine.marks.from_cycle(sequence->origins))
      machine.marks.apart_if_need_be.insert(sequence->origins->begin(), sequence->origins->end());
    return true;
  }
  const auto* list = state.heap.get<ListObject>(key);
  if (list == nullptr) return false;
  const auto is_int = [](const AbstractValue& item) { return number_kind(item) == ScalarKind::I64; };
  const auto is_dynamic = [](const AbstractValue& item) { return item.scalar() != nullptr; };
  return std::ranges::all_of(list->items, is_int) && std::ranges::any_of(list->items, is_dynamic);
}

bool has_list_of_indices(Machine& machine, const State& state, const AbstractValue& key) {
  if (const auto* tuple = state.heap.get<TupleObject>(current(state, key)))
    return std::ranges::any_of(tuple->items,
                               [&](const auto& part) { return is_list_of_indices(machine, state, part); });
  return is_list_of_indices(machine, state, key);
}

bool is_whole_slice(const State& state, const AbstractValue& part) {
  const auto slice = slice_parts(state, part);
  return slice && slice->start.is_none() && slice->stop.is_none() && slice->step.is_none();
}

// A number of the input, or a tensor of one int, which torch reads as a number.
bool is_dynamic_place(const State& state, const AbstractValue& part) {
  if (part.scalar() != nullptr) return part.scalar()->kind == ScalarKind::I64;
  const auto* tensor = state.heap.get<TensorObject>(part);
  const TensorType* type = tensor == nullptr ? nullptr : tensor->spec->type.tensor();
  return type != nullptr && type->dims && type->dims->empty() && is_integer(type->dtype) &&
         type->dtype != DType::U8;  // a mask
}

// tensor[:, i, 1:] = value, where the input decides i: the other indices are set in what `i` selects. Gives
// how many such numbers there are; 0 where torch itself takes the index, or nothing is known of it.
std::size_t count_open_places(const State& state, const AbstractValue& key) {
  const auto* tuple = state.heap.get<TupleObject>(key);
  if (tuple == nullptr) return 0;
  std::vector<AbstractValue> parts;
  for (const AbstractValue& part : tuple->items) parts.push_back(current(state, part));
  const auto is_open = [&](const auto& part) { return is_dynamic_place(state, part); };
  const auto is_known = [](const auto& part) {
    return part.constant() != nullptr && PyLong_CheckExact(part.constant()->ptr());
  };
  const auto first =
      std::ranges::find_if(parts, [&](const auto& part) { return is_open(part) || is_known(part); });
  const bool is_reached = std::all_of(parts.begin(), first, [&](const auto& part) {
    return part.is_none() || slice_parts(state, part).has_value();
  });
  const auto open = static_cast<std::size_t>(std::ranges::count_if(parts, is_open));
  const bool is_alone = open == 1 && std::ranges::all_of(parts, [&](const auto& part) {
                          return is_open(part) || is_whole_slice(state, part);
                        });
  return is_reached && !is_alone ? open : 0;
}

// Of tensor[a:b, c:d] = value: the slices with bounds that the input decides; 0 for every other kind of
// index.
std::size_t count_open_slices(const State& state, const AbstractValue& key) {
  const auto* tuple = state.heap.get<TupleObject>(key);
  if (tuple == nullptr) return 0;
  std::size_t open = 0;
  for (const AbstractValue& part : tuple->items) {
    const auto slice = slice_parts(state, current(state, part));
    if (!slice || !slice->step.is_none()) return 0;
    if (slice->start.scalar() != nullptr || slice->stop.scalar() != nullptr) ++open;
  }
  return open;
}

Outcome set_by_torch(Machine& machine, State& state, const Arguments& arguments) {
  const nb::object method = machine.torch.tensor_class().attr("__setitem__");
  Outcome done = call_leaf(machine, state, method, arguments);
  return std::holds_alternative<AbstractValue>(done) ? Outcome(known_none()) : std::move(done);
}

Outcome set_tensor_item(Machine& machine, State& state, const AbstractValue& tensor, const AbstractValue& key,
                        const AbstractValue& value) {
  const Arguments arguments{{tensor, key, value}, {}};
  if (has_list_of_indices(machine, state, key))
    return call_prelude(machine, state, "set_item_by_indices", arguments);
  if (const std::size_t places = count_open_places(state, key))
    return call_prelude(machine, state, places > 1 ? "set_item_in_parts" : "set_item_in_part", arguments);
  const std::size_t open = count_open_slices(state, key);
  if (open > 1) return call_prelude(machine, state, "set_item_by_slices", arguments);
  if (open == 0) return set_by_torch(machine, state, arguments);
  const State before = state;
  try {
    return set_by_torch(machine, state, arguments);
  } catch (const Refused&) {  // the sizes of the slice and of the value need not fit each other
    state = before;
    return call_prelude(machine, state, "set_item_by_slices", arguments);
  }
}

bool is_array_of_run(const State& state, const AbstractValue& container) {
  const auto* instance = state.heap.get<InstanceObject>(container);
  return instance != nullptr && stands_for_numpy(instance->type);
}

}  // namespace

Outcome get_item(Machine& machine, State& state, const AbstractValue& original,
                 const AbstractValue& original_key) {
  const AbstractValue container = current(state, original);
  const AbstractValue key = machine.refined(state, current(state, original_key));
  if (holds_numpy(state, key) && !is_array_of_run(state, container))
    return call_prelude(machine, state, "item_by_numpy", {{container, key}, {}});
  if (has_tensor_bound(machine, state, key))
    return call_prelude(machine, state, "item_by_bounds", {{container, key}, {}});
  if (is_any_tensor(machine, state, container))
    return has_list_of_indices(machine, state, key)
               ? call_prelude(machine, state, "item_by_indices", {{container, key}, {}})
               : tensor_item(machine, state, container, key);
  std::optional<Outcome> result;
  if (is_any_array(state, container)) return array_item(machine, state, container, key);
  if (const nb::object* live = container.constant()) {
    if (is_dict(state, container)) return dict_item(machine, state, container, key);
    if (PyList_CheckExact(live->ptr()) || PyTuple_CheckExact(live->ptr()))
      return sequence_item(machine, state, container, key);
    return live_item(machine, state, nb::object(*live), key);
  }
  if (container.object() != nullptr) result = object_item(machine, state, container, key);
  if (result) return *result;
  return machine.raise(PyExc_TypeError,
                       "'" + type_name(machine, state, container) + "' object is not subscriptable");
}

namespace {

// Code in C that would have to be given what depends on the input.
void refuse_if_defined(Machine& machine, const State& state, const AbstractValue& container,
                       const char* name) {
  const nb::object type = type_of(machine, state, container);
  if (!type_attribute(type, name).is_valid()) return;
  machine.refuse(
      state, "python.no_source",
      full_name_of(type) + "." + name +
          "() is called with values that depend on the input or that the model made, and has no Python "
          "source",
      "use a list or a dict");
}

}  // namespace

Outcome set_item(Machine& machine, State& state, const AbstractValue& original,
                 const AbstractValue& original_key, const AbstractValue& value) {
  const AbstractValue container = current(state, original);
  const AbstractValue key = machine.refined(state, current(state, original_key));
  if (holds_numpy(state, key) && (is_any_tensor(machine, state, container) || is_list(state, container)))
    return call_prelude(machine, state, "set_item_by_numpy", {{container, key, value}, {}});
  if (has_tensor_bound(machine, state, key))
    return call_prelude(machine, state, "set_item_by_bounds", {{container, key, value}, {}});
  if (is_any_tensor(machine, state, container)) return set_tensor_item(machine, state, container, key, value);
  if (is_any_array(state, container))
    return write_to_array(machine, state, "__setitem__", Arguments{{container, key, value}, {}});
  if (is_list(state, container)) return set_list_item(machine, state, container, key, value);
  if (is_dict(state, container)) return set_dict_item(machine, state, container, key, value);
  if (const auto* sequence = state.heap.get<SequenceObject>(container);
      sequence != nullptr && !sequence->is_tuple)
    return set_sequence_item(machine, state, *container.object(), key, value);
  if (auto result = call_special(machine, state, container, "__setitem__", Arguments{{key, value}, {}}))
    return *result;
  refuse_if_defined(machine, state, container, "__setitem__");
  return machine.raise(PyExc_TypeError, "'" + type_name(machine, state, container) +
                                            "' object does not support item assignment");
}

Outcome delete_item(Machine& machine, State& state, const AbstractValue& original,
                    const AbstractValue& original_key) {
  const AbstractValue container = current(state, original);
  const AbstractValue key = machine.refined(state, current(state, original_key));
  if (is_list(state, container)) return delete_list_item(machine, state, container, key);
  if (is_dict(state, container)) return delete_dict_item(machine, state, container, key);
  if (const auto* sequence = state.heap.get<SequenceObject>(container);
      sequence != nullptr && !sequence->is_tuple)
    return delete_sequence_item(machine, state, *container.object(), key);
  if (is_any_tensor(machine, state, container))
    return machine.raise(PyExc_TypeError, "Tensor does not support deleting items");
  if (auto result = call_special(machine, state, container, "__delitem__", Arguments{{key}, {}}))
    return *result;
  return machine.raise(PyExc_TypeError,
                       "'" + type_name(machine, state, container) + "' object doesn't support item deletion");
}

namespace {

Outcome tensor_length(Machine& machine, State& state, const AbstractValue& tensor) {
  Outcome shape = get_attr(machine, state, tensor, "shape");
  auto* sizes = std::get_if<AbstractValue>(&shape);
  if (sizes == nullptr) return shape;
  const Outcome rank = length(machine, state, *sizes);
  const auto count = known_index(std::get<AbstractValue>(rank));
  if (count == 0) return machine.raise(PyExc_TypeError, "len() of a 0-d tensor");
  return get_item(machine, state, *sizes, known_int(0));
}

std::optional<std::size_t> known_length(const State& state, const AbstractValue& container) {
  if (const auto* list = state.heap.get<ListObject>(container)) return list->items.size();
  if (const auto* dict = state.heap.get<DictObject>(container)) return dict->entries.size();
  if (const auto* set = state.heap.get<SetObject>(container)) return nb::len(set->contents);
  if (const auto view = view_of(state, container)) return dict_size(state, view->dict);
  const auto* tuple = state.heap.get<TupleObject>(container);
  if (tuple != nullptr && !is_user_method(tuple->type, "__len__")) return tuple->items.size();
  return std::nullopt;
}

}  // namespace

Outcome length(Machine& machine, State& state, const AbstractValue& original) {
  const AbstractValue container = current(state, original);
  if (const auto size = known_length(state, container)) return known_int(static_cast<std::int64_t>(*size));
  if (state.heap.get<TensorObject>(container) != nullptr) return tensor_length(machine, state, container);
  if (const auto* sequence = state.heap.get<SequenceObject>(container)) {
    const SequenceObject copy = *sequence;
    return sequence_length(machine, state, copy);
  }
  if (state.heap.get<RangeObject>(container) != nullptr)
    return call_prelude(machine, state, "range_length", {{container}, {}});
  if (state.heap.get<TextObject>(container) != nullptr)
    machine.refuse(state, "python.dynamic_text", "the length of a text depends on the input",
                   "such texts can only be raised as messages");
  const AbstractValue read = as_read(state, container);
  const nb::object* live = read.constant();
  if (live != nullptr && (is_atom(*live) || is_readable_container(*live) || is_plain_tensor(*live))) {
    const Py_ssize_t size = PyObject_Size(live->ptr());
    if (size < 0) throw nb::python_error();
    return known_int(size);
  }
  if (const AbstractValue inner = inner_container(state, container);
      inner.bound() && !has_python_method(machine, state, container, "__len__"))
    return length(machine, state, inner);
  if (has_python_method(machine, state, container, "__len__"))
    return call_prelude(machine, state, "length_by_method", {{container}, {}});
  if (live != nullptr && is_of_derived_container(*live)) return known_int(PyObject_Size(live->ptr()));
  refuse_if_defined(machine, state, container, "__len__");
  return machine.raise(PyExc_TypeError,
                       "object of type '" + type_name(machine, state, container) + "' has no len()");
}

}  // namespace dycl::partial_eval
