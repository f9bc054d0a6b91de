// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/static_calls/handed_over.h"

#include "base/overloaded.h"
#include "partial_eval/data/containers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/static_calls/arrays.h"
#include "partial_eval/static_calls/listing.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/live_sets.h"

namespace dycl::partial_eval {
namespace {

constexpr std::size_t kMostTaken = 1'000'000;  // elements of all containers together
constexpr int kDeepestContainer = 200;
constexpr std::int64_t kSmall = 1 << 20;  // bytes: up to so many, elements are copied

nb::object bytes_of(nb::handle array) { return array.attr("tobytes")(); }

// The array whose memory this one is a view of.
nb::object owner_of(const nb::object& array) {
  nb::object owner = array;
  for (nb::object base = owner.attr("base"); is_array(base); base = owner.attr("base")) owner = base;
  return owner;
}

// Several of its elements are one place in memory.
bool repeats_elements(const nb::object& array) {
  const nb::object shape = array.attr("shape"), strides = array.attr("strides");
  for (std::size_t axis = 0; axis < nb::len(shape); ++axis)
    if (nb::cast<std::int64_t>(strides[axis]) == 0 && nb::cast<std::int64_t>(shape[axis]) > 1) return true;
  return false;
}

std::uintptr_t address_of(nb::handle array) {
  return nb::cast<std::uintptr_t>(nb::object(array.attr("__array_interface__")["data"][0]));
}

// A class that decides itself what its instances and subclasses are.
bool has_own_checks(nb::handle live) {
  if (!PyType_Check(live.ptr())) return false;
  const nb::object hook = attribute_or_null(live, "__subclasshook__");
  const nb::object function = hook.is_valid() ? attribute_or_null(hook, "__func__") : nb::object();
  if (function.is_valid() && !is_library(function)) return true;
  for (const char* name : {"__instancecheck__", "__subclasscheck__"})
    if (const nb::object check = python_method(live.type(), name); check.is_valid() && !is_library(check))
      return true;
  return false;
}

bool same_elements(const std::vector<nb::object>& before, const std::vector<nb::object>& now) {
  if (before.size() != now.size()) return false;
  for (std::size_t index = 0; index < before.size(); ++index)
    if (!before[index].is(now[index])) return false;
  return true;
}

// What a container holds, in its order: keys and values, or elements.
std::vector<nb::object> contents_of(nb::handle container) {
  std::vector<nb::object> contents;
  if (PyDict_Check(container.ptr())) {
    for (const auto& [key, value] : nb::cast<nb::dict>(container)) {
      contents.push_back(nb::borrow(key));
      contents.push_back(nb::borrow(value));
    }
  } else {
    for (const nb::handle item : nb::borrow(container)) contents.push_back(nb::borrow(item));
  }
  return contents;
}

nb::object version_of(nb::handle tensor) {
  PyObject* version = PyObject_GetAttrString(tensor.ptr(), "_version");
  if (version == nullptr) PyErr_Clear();  // an inference tensor counts none
  return version == nullptr ? nb::none() : nb::steal(version);
}

bool is_small(nb::handle tensor) {
  const auto elements = nb::cast<std::int64_t>(tensor.attr("numel")());
  return elements * nb::cast<std::int64_t>(tensor.attr("element_size")()) <= kSmall;
}

// torch compares no half-precision complex numbers: their parts are compared.
nb::object comparable(nb::handle tensor) {
  if (!nb::object(tensor.attr("dtype")).is(library_object("torch", "complex32"))) return nb::borrow(tensor);
  return library_object("torch", "view_as_real")(tensor.attr("detach")().attr("resolve_conj")());
}

bool same_tensor(nb::handle given, nb::handle kept) {
  if (kept.is_none()) return true;
  const nb::object tensor = comparable(given), before = comparable(kept);
  const nb::object equal = library_object("torch", "equal");
  const nb::object differs = tensor.attr("ne")(tensor);  // NaN
  if (nb::cast<bool>(equal(tensor, before))) return true;
  const nb::object where = library_object("torch", "where");
  const nb::object zero = library_object("torch", "zeros_like")(tensor);
  return nb::cast<bool>(equal(differs, before.attr("ne")(before))) &&
         nb::cast<bool>(equal(where(differs, zero, tensor), where(differs, zero, before)));
}

}  // namespace

HandedOver::Key HandedOver::key_of(const AbstractValue& value) {
  if (const nb::object* live = value.constant()) return {live->ptr(), HeapId()};
  return {nullptr, value.object() != nullptr ? value.object()->id : HeapId()};
}

void HandedOver::count() {
  if (++taken_ > kMostTaken) throw Withheld{"more elements than DyCL copies"};
}

nb::object HandedOver::take(const AbstractValue& value) {
  count();
  const AbstractValue now = machine_.refined(state_, current(state_, value));
  if (now.constant() != nullptr && is_atom(*now.constant())) return *now.constant();
  if (const auto found = made_.find(key_of(now)); found != made_.end()) return found->second;
  if (++depth_ > kDeepestContainer) throw Withheld{"a container that is nested too deeply"};
  nb::object taken = now.constant() != nullptr ? take_live(now, *now.constant()) : take_object(now);
  --depth_;
  made_.emplace(key_of(now), taken);
  return taken;
}

nb::object HandedOver::noted(const AbstractValue& value, nb::object copy, std::vector<nb::object> contents) {
  origins_.emplace(copy.ptr(), value);
  copies_.push_back({copy, std::move(contents)});
  return copy;
}

nb::object HandedOver::take_live(const AbstractValue& value, const nb::object& live) {
  if (PyTuple_Check(live.ptr()) && has_plain_specials(live.type()))
    return take_items(value, live_elements(live), live.type());
  if (PyList_CheckExact(live.ptr())) return take_items(value, live_elements(live), live.type());
  const bool is_ordered = live.type().is(library_object("collections", "OrderedDict"));
  if (PyDict_CheckExact(live.ptr()) || is_ordered) return take_dict(value);
  if (PyAnySet_CheckExact(live.ptr())) return take_set(value, live.type());
  if (PySlice_Check(live.ptr())) {
    for (const char* part : {"start", "stop", "step"}) (void)take(known(live.attr(part)));
    return live;
  }
  if (PyExceptionInstance_Check(live.ptr()) && has_plain_specials(live.type())) {
    (void)take(known(live.attr("args")));
    return live;
  }
  if (is_plain_array(live)) return take_array(value, live);
  if (is_plain_tensor(live)) return take_tensor(live);
  return take_opaque(live);
}

nb::object HandedOver::take_object(const AbstractValue& value) {
  const ObjectRef* ref = value.object();
  if (ref == nullptr) throw Withheld{"a number that depends on the input"};
  const Object object = state_.heap.at(*ref);
  return std::visit(
      Overloaded{
          [&](const ListObject& list) { return take_items(value, list.items, builtin(PyList_Type)); },
          [&](const TupleObject& tuple) { return take_items(value, tuple.items, tuple.type); },
          [&](const DictObject&) { return take_dict(value); },
          [&](const SetObject& set) { return take_set(value, set.type); },
          [&](const ArrayObject& array) { return take_array(value, array.contents); },
          [&](const SliceObject& slice) {
            return nb::steal<nb::object>(
                PySlice_New(take(slice.start).ptr(), take(slice.stop).ptr(), take(slice.step).ptr()));
          },
          [&](const auto&) -> nb::object {
            throw Withheld{"a " + kind_name(object) + " that the program made or wrote to"};
          },
      },
      object);
}

nb::object HandedOver::take_items(const AbstractValue& value, const std::vector<AbstractValue>& items,
                                  nb::handle type) {
  nb::list taken;
  bool copied = value.constant() == nullptr;
  for (std::size_t index = 0; index < items.size(); ++index) {
    const nb::object item = take(items[index]);
    copied = copied || !item.is(*items[index].constant());
    taken.append(item);
  }
  if (type.is(builtin(PyList_Type))) return noted(value, taken, contents_of(taken));
  if (!copied) return *value.constant();  // nothing in it can change
  nb::object tuple = nb::tuple(taken);
  if (!type.is(builtin(PyTuple_Type))) {  // by tuple's own code: the class may have another
    if (const nb::object* live = value.constant();
        live != nullptr && instance_dict(*live).is_valid() && nb::len(instance_dict(*live)) > 0)
      throw Withheld{described(*live)};
    tuple = builtin(PyTuple_Type).attr("__new__")(type, taken);
  }
  origins_.emplace(tuple.ptr(), value);
  kept_.push_back(tuple);
  return tuple;
}

nb::object HandedOver::take_dict(const AbstractValue& value) {
  const auto* made = state_.heap.get<DictObject>(value);
  if (made != nullptr && made->default_factory.bound() && !made->default_factory.is_none())
    throw Withheld{"a dict that makes entries when it is read"};
  const nb::object type = type_of(machine_, state_, value);
  nb::object copy = type();
  for (const auto& [key, entry] : dict_entries(state_, value)) {
    if (!is_plain_key(key)) throw Withheld{"a dict with keys that define how they are compared"};
    copy[take(known(key))] = take(entry);
  }
  return noted(value, copy, contents_of(copy));
}

nb::object HandedOver::take_set(const AbstractValue& value, nb::handle type) {
  if (!ignores_order) need_order(machine_, state_, value);
  for (const nb::object& item : set_items(state_, value)) {
    if (!is_plain_key(item)) throw Withheld{"a set of objects that define how they are compared"};
    (void)take(known(item));
  }
  const nb::object contents = set_contents(state_, value);
  if (type.is(builtin(PyFrozenSet_Type))) {
    origins_.emplace(contents.ptr(), value);
    kept_.push_back(contents);
    return contents;
  }
  const nb::object copy = exact_copy(contents);
  return noted(value, copy, contents_of(copy));
}

nb::object HandedOver::take_array(const AbstractValue& value, const nb::object& array) {
  if (nb::cast<std::int64_t>(array.attr("nbytes")) <= kSmall) {
    const nb::object copy = array.attr("copy")("K");
    return noted(value, copy, {bytes_of(copy)});
  }
  const nb::object view = array.attr("view")();  // numpy itself keeps others from writing to it
  view.attr("flags").attr("writeable") = false;
  has_views_ = true;
  origins_.emplace(view.ptr(), value);
  origins_.emplace(owner_of(array).ptr(), value);
  kept_.push_back(view);
  return view;
}

nb::object HandedOver::take_written(const AbstractValue& array) {
  const AbstractValue now = current(state_, array);
  const auto* made = state_.heap.get<ArrayObject>(now);
  const nb::object array_now = made != nullptr ? made->contents : *now.constant();
  const nb::object copy = array_now.attr("copy")("K");
  copy.attr("flags").attr("writeable") = array_now.attr("flags").attr("writeable");
  origins_.emplace(copy.ptr(), now);
  kept_.push_back(copy);
  return copy;
}

nb::object HandedOver::take_tensor(const nb::object& tensor) {
  WatchedTensor watched{tensor, version_of(tensor), nb::none()};
  if (is_small(tensor)) watched.elements = tensor.attr("detach")().attr("clone")();
  tensors_.push_back(std::move(watched));
  return tensor;
}

nb::object HandedOver::take_opaque(const nb::object& live) {
  const bool steps = PyIter_Check(live.ptr()) != 0;
  if (steps) throw Withheld{"an iterator, which it would use up"};
  const bool is_known_type = PyType_Check(live.ptr()) && is_library(live);
  if (is_known_type || (PyCallable_Check(live.ptr()) != 0 && listed(machine_.torch, named(live).function)))
    return live;
  if (takes_ == Takes::Data || has_own_checks(live)) throw Withheld{described(live)};
  const bool of_layers = takes_ == Takes::Layers || takes_ == Takes::Trees;
  if (of_layers && !machine_.torch.reads_plainly(live, takes_ == Takes::Trees))
    throw Withheld{described(live)};
  const bool has_hook = python_method(live.type(), "__getattribute__").is_valid() ||
                        (python_method(live.type(), "__getattr__").is_valid() && !is_library(live.type()) &&
                         !machine_.torch.is_module(live));
  if (takes_ == Takes::Descriptions && has_hook) throw Withheld{described(live)};
  return live;
}

std::optional<std::string> HandedOver::changed() {
  std::optional<std::string> found;
  for (const Copy& copy : copies_) {
    const bool same = is_array(copy.copy) ? bytes_of(copy.copy).equal(copy.contents[0])
                                          : same_elements(copy.contents, contents_of(copy.copy));
    if (!same) found = described(copy.copy);
  }
  for (const WatchedTensor& watched : tensors_) {
    const bool same =
        watched.version.equal(version_of(watched.tensor)) && same_tensor(watched.tensor, watched.elements);
    if (same) continue;
    found = "a tensor";
    if (!watched.elements.is_none()) watched.tensor.attr("detach")().attr("copy_")(watched.elements);
  }
  return found;
}

bool HandedOver::is_refused_write(const nb::python_error& error) const {
  return has_views_ && error.matches(PyExc_ValueError) &&
         nb::cast<std::string>(nb::str(error.value())).find("read-only") != std::string::npos;
}

bool HandedOver::note_tensor_of_array(const nb::object& tensor) {
  bool shares = false;
  const auto begin = nb::cast<std::uintptr_t>(tensor.attr("untyped_storage")().attr("data_ptr")());
  for (const auto& [copy, origin] : origins_) {
    if (!is_array(copy)) continue;
    const std::uintptr_t start = address_of(copy);
    if (begin == 0 || begin < start ||
        begin >= start + nb::cast<std::uintptr_t>(nb::handle(copy).attr("nbytes")))
      continue;
    note_view(machine_, state_, origin);
    shares = true;
  }
  return shares;
}

AbstractValue HandedOver::given_array(const nb::object& array) {
  const auto origin = origins_.find(owner_of(array).ptr());
  machine_.ownership.created.insert(array);
  if (origin != origins_.end()) note_view(machine_, state_, origin->second);
  const nb::object owner = owner_of(array);
  const auto [other, is_first] = owners_given_.try_emplace(owner.ptr(), array);
  if (!is_first) note_view(machine_, state_, known(other->second));
  if (origin != origins_.end() || !is_first || repeats_elements(array))
    note_view(machine_, state_, known(array));
  return known(array);
}

AbstractValue HandedOver::new_container(const nb::object& result) {
  if (PyDict_Check(result.ptr())) {
    DictObject dict{{}, nb::borrow(result.type()), {}};
    for (const auto& [key, value] : nb::cast<nb::dict>(result))
      dict.entries.emplace_back(*machine_.reify(state_, given_back(nb::borrow(key))),
                                given_back(nb::borrow(value)));
    return state_.make(std::move(dict));
  }
  if (PySet_CheckExact(result.ptr())) return new_set(state_, result);
  std::vector<AbstractValue> items;
  for (const nb::handle item : result) items.push_back(given_back(nb::borrow(item)));
  if (PyList_Check(result.ptr())) return state_.make(ListObject{std::move(items)});
  bool same = true;
  for (std::size_t index = 0; index < items.size(); ++index)
    same = same && items[index].constant() != nullptr && items[index].constant()->is(result[index]);
  if (same) return known(result);
  return state_.make(TupleObject{std::move(items), nb::borrow(result.type())});
}

AbstractValue HandedOver::given_back(const nb::object& result) {
  if (const auto origin = origins_.find(result.ptr()); origin != origins_.end()) return origin->second;
  if (const auto given = given_.find(result.ptr()); given != given_.end()) return given->second;
  if (is_array(result)) return given_array(result);
  const bool is_tuple = PyTuple_Check(result.ptr()) && has_plain_specials(result.type());
  const bool is_new = PyList_CheckExact(result.ptr()) || PyDict_CheckExact(result.ptr()) ||
                      PySet_CheckExact(result.ptr()) ||
                      result.type().is(library_object("collections", "OrderedDict"));
  const bool is_data = takes_ == Takes::Data;
  if (is_data && (is_tuple || is_new)) {
    AbstractValue made = new_container(result);
    given_.emplace(result.ptr(), made);
    kept_.push_back(result);  // so that its address names it
    return made;
  }
  return current(state_, known(result));
}

}  // namespace dycl::partial_eval
