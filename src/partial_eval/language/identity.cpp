// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/identity.h"

#include <algorithm>

#include "base/overloaded.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/sequences.h"
#include "partial_eval/torch/layout.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

using program::Operation;

// An input of this call.
bool is_given(const Machine& machine, const State& state, const AbstractValue& value) {
  const auto* tensor = state.heap.get<TensorObject>(value);
  return tensor != nullptr && std::ranges::any_of(machine.emitter.graph.inputs, [&](const Port& port) {
           return !port.is_state() && port.value == tensor->value;
         });
}

// What an earlier call has kept, and what its caller may have given: he may give it again.
bool may_be_given(const Machine& machine, const State& state, const AbstractValue& value) {
  const auto* tensor = state.heap.get<TensorObject>(value);
  if (tensor == nullptr || !tensor->outside || tensor->static_base.is_valid()) return false;
  return std::ranges::none_of(machine.inputs.objects, [&](const ObjectRef& input) {
    return state.heap.contains(input.id) && tensor_at(state, input).storage == tensor->storage;
  });
}

// Whether the two are one object depends on what callers give.
bool caller_decides(const Machine& machine, const State& state, const AbstractValue& left,
                    const AbstractValue& right) {
  const bool given = is_given(machine, state, left), other_given = is_given(machine, state, right);
  if (given && other_given) return true;
  const bool may_be = may_be_given(machine, state, left), other_may_be = may_be_given(machine, state, right);
  return (given && other_may_be) || (other_given && may_be) ||
         (may_be && other_may_be && !is_twin(state, *left.object()) && !is_twin(state, *right.object()));
}

// One call of what lru_cache wraps may give what another has given; the cache is not modelled.
[[noreturn]] void refuse_identity_of_kept(const Machine& machine, const State& state) {
  machine.refuse(state, "python.input_identity",
                 "`is` compares two objects that an lru_cache keeps, or that the caller passes",
                 "compare them with ==");
}

// Equal data of one type that cannot change, of which CPython may have one object or several.
bool is_equal_data(nb::handle left, nb::handle right) {
  PyTypeObject* type = Py_TYPE(left.ptr());
  const bool is_data = type == &PyUnicode_Type || type == &PyLong_Type || type == &PyFloat_Type ||
                       type == &PyBytes_Type || type == &PyComplex_Type || type == &PyTuple_Type ||
                       type == &PyFrozenSet_Type;
  return is_data && Py_IS_TYPE(right.ptr(), type) && is_plain_key(left) && is_plain_key(right) &&
         PyObject_RichCompareBool(left.ptr(), right.ptr(), Py_EQ) == 1;
}

bool is_one_live_object(const Machine& machine, const State& state, nb::handle left, nb::handle right) {
  if (left.is(right)) return true;
  if (machine.ownership.cached.contains(left) && machine.ownership.cached.contains(right))
    refuse_identity_of_kept(machine, state);
  if (is_equal_data(left, right) && !machine.torch.is_prelude(state.top().function->ir.file))
    machine.refuse(
        state, "python.number_identity",
        "`is` compares two equal numbers, texts or tuples: whether they are one object is a matter "
        "of how CPython keeps constants",
        "compare them with ==");
  return false;
}

// Whether the two are one object depends on strides that meetings gave up.
void need_layouts_of(const TensorObject& one, const TensorObject& other) {
  if (have_common(one.sharing, other.sharing)) need_one_layout(united(one.sharing, other.sharing));
  if (one.free_sharing && other.free_sharing && one.storage == other.storage)
    need_one_layout(united(one.layout, other.layout));
}

bool is_bool_of_numpy(const State& state, const AbstractValue& value) {
  const auto* instance = state.heap.get<InstanceObject>(value);
  const nb::object* live = value.constant();
  if (instance == nullptr && live == nullptr) return false;
  const nb::object type = instance != nullptr ? shown_type(instance->type) : nb::borrow(live->type());
  return type.is(library_object("numpy", "bool"));
}

}  // namespace

AbstractValue is_same(Machine& machine, State& state, const AbstractValue& left, const AbstractValue& right) {
  if ((left.object() != nullptr || right.object() != nullptr) && is_bool_of_numpy(state, left) &&
      is_bool_of_numpy(state, right))  // numpy has one True and one False
    machine.refuse(state, "python.number_identity", "`is` compares numbers that depend on the input",
                   "use == to compare numbers");
  if (left.constant() != nullptr && right.constant() != nullptr)
    return known_bool(is_one_live_object(machine, state, *left.constant(), *right.constant()));
  if (left.object() != nullptr && right.object() != nullptr) {
    const auto *first = state.heap.get<TensorObject>(left), *second = state.heap.get<TensorObject>(right);
    const bool different = *left.object() != *right.object();
    // What escaped into a list may be what was read from it.
    const auto maybe = [](const TensorObject& one, const TensorObject& other) {
      return one.identity && (other.identity || other.escaped);
    };
    if (different && first != nullptr && second != nullptr &&
        (maybe(*first, *second) || maybe(*second, *first)))
      throw Restart{*united(first->identity, second->identity)};
    if (different && first != nullptr && second != nullptr) need_layouts_of(*first, *second);
    if (different && first != nullptr && second != nullptr && may_be_one_by_strides(*first, *second))
      machine.refuse(state, "python.input_identity",
                     "`is` compares a tensor with its contiguous() form, which it may be itself",
                     "whether it is depends on the strides of an input: ask is_contiguous()");
    if (different && caller_decides(machine, state, left, right))
      machine.refuse(state, "python.input_identity",
                     "`is` compares two inputs of the model, of this call or kept from earlier ones",
                     "whether a caller passes one object twice is not known at compile time");
    if (different && first == nullptr && second == nullptr &&
        (state.heap.is_frozen(*left.object()) || state.heap.is_frozen(*right.object())))
      refuse_frozen(
          machine, state,
          united(state.heap.origins_of_frozen(*left.object()), state.heap.origins_of_frozen(*right.object())),
          "python.list_identity",
          "`is` compares objects of which one lies, or may lie, in a list whose length depends on the path",
          "compare what the objects hold");
    const auto is_kept = [&](const ObjectRef& ref) {
      return state.heap.is_protected(ref) || is_of_caller(state, ref) ||
             machine.ownership.cached_made.contains(ref.id);
    };
    if (different && is_kept(*left.object()) && is_kept(*right.object()))
      refuse_identity_of_kept(machine, state);
    return known_bool(*left.object() == *right.object());
  }
  for (const auto& [one, other] : {std::pair(left, right), std::pair(right, left)}) {
    const auto* tensor = state.heap.get<TensorObject>(one);
    if (tensor != nullptr && tensor->identity && is_any_tensor(machine, state, other))
      throw Restart{*tensor->identity};
  }
  const AbstractValue& scalar = left.scalar() != nullptr ? left : right;
  const AbstractValue& other = left.scalar() != nullptr ? right : left;
  if (scalar.scalar() == nullptr || !number_kind(other)) return known_bool(false);
  if (number_kind(other) != scalar.scalar()->kind) return known_bool(false);
  // The prelude asks for identity only to go on with equality, and with may_be_one.
  if (machine.torch.is_prelude(state.top().function->ir.file))
    return known_bool(other.scalar() != nullptr && other.scalar()->id == scalar.scalar()->id);
  if (scalar.scalar()->kind != ScalarKind::Bool)
    machine.refuse(state, "python.number_identity", "`is` compares numbers that depend on the input",
                   "use == to compare numbers");
  return std::get<AbstractValue>(number_compare(machine, state, Operation::Equal, scalar, other));
}

namespace {

// What a bound method consists of; a method of a builtin type is known by its name.
struct BoundMethod {
  AbstractValue self;
  AbstractValue function;
};

std::optional<BoundMethod> as_bound_method(const State& state, const AbstractValue& value) {
  if (const auto* method = state.heap.get<MethodObject>(value))
    return BoundMethod{method->self, method->function};
  if (const auto* native = state.heap.get<NativeMethodObject>(value))
    return BoundMethod{native->self, known(nb::str(native->name.c_str()))};
  const nb::object* live = value.constant();
  if (live == nullptr) return std::nullopt;
  if (PyMethod_Check(live->ptr()))
    return BoundMethod{known(live->attr("__self__")), known(live->attr("__func__"))};
  if (PyCFunction_Check(live->ptr()) && !PyModule_Check(live->attr("__self__").ptr()))
    return BoundMethod{known(live->attr("__self__")), known(live->attr("__name__"))};
  return std::nullopt;
}

bool is_text(const AbstractValue& value) {
  return value.constant() != nullptr && PyUnicode_Check(value.constant()->ptr());
}

std::optional<AbstractValue> is_equal_method(Machine& machine, State& state, const BoundMethod& left,
                                             const BoundMethod& right) {
  const AbstractValue first = current(state, left.self), second = current(state, right.self);
  if (first.scalar() != nullptr || second.scalar() != nullptr)
    return std::nullopt;  // numbers have no identity
  const AbstractValue same = is_same(machine, state, first, second);
  if (same.constant() == nullptr) return std::nullopt;
  if (same.constant()->ptr() == Py_False) return same;
  if (is_text(left.function) && is_text(right.function))
    return known_bool(left.function.constant()->equal(*right.function.constant()));
  return is_same(machine, state, left.function, right.function);
}

// Its type has the comparison of `object`, or is one that is equal to no object of another kind.
bool is_compared_by_identity(const Object& object) {
  return std::visit(Overloaded{
                        [](const FunctionObject&) { return true; },
                        [](const IteratorObject&) { return true; },
                        [](const GeneratorObject&) { return true; },
                        [](const PartialObject&) { return true; },
                        [](const CellObject&) { return true; },
                        [](const SuperObject&) { return true; },
                        [](const InstanceObject&) { return true; },  // a method of its own was asked before
                        [](const auto&) { return false; },
                    },
                    object);
}

}  // namespace

std::optional<AbstractValue> is_equal_object(Machine& machine, State& state, const AbstractValue& left,
                                             const AbstractValue& right) {
  const auto first = as_bound_method(state, left), second = as_bound_method(state, right);
  if (first && second) return is_equal_method(machine, state, *first, *second);
  const bool both_made = left.object() != nullptr && right.object() != nullptr;
  const bool same_kind =
      both_made && state.heap.at(*left.object()).index() == state.heap.at(*right.object()).index();
  if (same_kind && !is_compared_by_identity(state.heap.at(*left.object()))) return std::nullopt;
  return is_same(machine, state, left, right);
}

}  // namespace dycl::partial_eval
