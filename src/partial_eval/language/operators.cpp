// SPDX-License-Identifier: Apache-2.0
// Unary and binary operators, comparisons, identity, membership and truth.
#include "partial_eval/language/operators.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <set>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/sizes.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/data/twins.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/array_writes.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/container_operators.h"
#include "partial_eval/language/derived_containers.h"
#include "partial_eval/language/dict_views.h"
#include "partial_eval/language/identity.h"
#include "partial_eval/language/items.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/language/text.h"
#include "partial_eval/static_calls/arrays.h"
#include "partial_eval/static_calls/static_call.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/read_tensor.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {

bool has_python_method(const Machine& machine, const State& state, const AbstractValue& value,
                       const char* special) {
  nb::object type;
  if (const auto* instance = state.heap.get<InstanceObject>(value)) type = instance->type;
  if (const auto* tuple = state.heap.get<TupleObject>(value)) type = tuple->type;  // of a named tuple
  if (const nb::object* object = value.constant()) type = nb::borrow(object->type());
  if (!type.is_valid() || special == nullptr || is_subtype(type, machine.torch.tensor_class())) return false;
  refuse_odd_special(machine, state, type, special);
  return python_method(type, special).is_valid();
}

namespace {

using program::Operation;

struct OperatorNames {
  Operation operation;
  const char* function;   // of Python's operator module
  const char* special;    // "__add__"
  const char* reflected;  // "__radd__"
};

constexpr std::array kOperators{
    OperatorNames{Operation::Negate, "neg", "__neg__", nullptr},
    OperatorNames{Operation::Plus, "pos", "__pos__", nullptr},
    OperatorNames{Operation::Invert, "invert", "__invert__", nullptr},
    OperatorNames{Operation::Add, "add", "__add__", "__radd__"},
    OperatorNames{Operation::Subtract, "sub", "__sub__", "__rsub__"},
    OperatorNames{Operation::Multiply, "mul", "__mul__", "__rmul__"},
    OperatorNames{Operation::MatrixMultiply, "matmul", "__matmul__", "__rmatmul__"},
    OperatorNames{Operation::Divide, "truediv", "__truediv__", "__rtruediv__"},
    OperatorNames{Operation::FloorDivide, "floordiv", "__floordiv__", "__rfloordiv__"},
    OperatorNames{Operation::Modulo, "mod", "__mod__", "__rmod__"},
    OperatorNames{Operation::Power, "pow", "__pow__", "__rpow__"},
    OperatorNames{Operation::LeftShift, "lshift", "__lshift__", "__rlshift__"},
    OperatorNames{Operation::RightShift, "rshift", "__rshift__", "__rrshift__"},
    OperatorNames{Operation::BitOr, "or_", "__or__", "__ror__"},
    OperatorNames{Operation::BitXor, "xor", "__xor__", "__rxor__"},
    OperatorNames{Operation::BitAnd, "and_", "__and__", "__rand__"},
    OperatorNames{Operation::Less, "lt", "__lt__", "__gt__"},
    OperatorNames{Operation::LessEqual, "le", "__le__", "__ge__"},
    OperatorNames{Operation::Equal, "eq", "__eq__", "__eq__"},
    OperatorNames{Operation::NotEqual, "ne", "__ne__", "__ne__"},
    OperatorNames{Operation::Greater, "gt", "__gt__", "__lt__"},
    OperatorNames{Operation::GreaterEqual, "ge", "__ge__", "__le__"},
};

const OperatorNames& names_of(Operation operation) {
  for (const OperatorNames& names : kOperators)
    if (names.operation == operation) return names;
  internal_error("an operator without a name");
}

nb::object operator_function(const std::string& name) {
  return nb::module_::import_("operator").attr(name.c_str());
}

std::string inplace_name(const OperatorNames& names) {
  const std::string name = names.function;
  return "i" + (name.back() == '_' ? name.substr(0, name.size() - 1) : name);
}

std::string inplace_special(const OperatorNames& names) {
  return "__i" + std::string(names.special).substr(2);
}

bool is_tensor(const Machine& machine, const State& state, const AbstractValue& value) {
  return state.heap.get<TensorObject>(value) != nullptr ||
         (value.constant() != nullptr && machine.torch.is_tensor(*value.constant()));
}

// `!=` is object's, which asks `==`.
bool has_only_equality(Machine& machine, const State& state, const AbstractValue& value) {
  if (!has_python_method(machine, state, value, "__eq__")) return false;
  const nb::handle object(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
  return type_attribute(type_of(machine, state, value), "__ne__").is(type_attribute(object, "__ne__"));
}

// What numbers, texts, arrays and the like do; nullopt: one of the operands is none of them.
std::optional<Outcome> data_operator(Machine& machine, State& state, const OperatorNames& names,
                                     std::vector<AbstractValue> operands) {
  return try_static(machine, state, operator_function(names.function), Arguments{std::move(operands), {}});
}

// Known at compile time, as far as operators ask.
bool is_known(const State& state, const AbstractValue& value) {
  return value.constant() != nullptr || is_any_array(state, value);
}

// `a += b` gives a new value to the variable, and leaves the old one as it is.
bool is_replaced_in_place(const AbstractValue& value) {
  const nb::object* live = value.constant();
  return live != nullptr && (is_atom(*live) || PyTuple_Check(live->ptr()) || PyFrozenSet_Check(live->ptr()));
}

// Also of a class that derives from int, float, str or bytes: where it defines no comparison, C compares.
bool is_number_or_text(const AbstractValue& value) {
  const nb::object* live = value.constant();
  return live != nullptr && (PyLong_Check(live->ptr()) || PyFloat_Check(live->ptr()) ||
                             PyUnicode_Check(live->ptr()) || PyBytes_Check(live->ptr()));
}

std::string type_name(Machine& machine, State& state, const AbstractValue& value) {
  return nb::cast<std::string>(type_of(machine, state, value).attr("__name__"));
}

bool is_range(const State& state, const AbstractValue& value) {
  const nb::object* live = value.constant();
  return state.heap.get<RangeObject>(value) != nullptr || (live != nullptr && PyRange_Check(live->ptr()));
}

[[noreturn]] void refuse_operator(Machine& machine, State& state, Operation operation,
                                  const AbstractValue& left, const AbstractValue& right) {
  machine.refuse(state, "python.operator",
                 fmt::format("'{}' {} '{}' is not modelled for values that depend on the input",
                             type_name(machine, state, left), program::symbol_of(operation),
                             type_name(machine, state, right)),
                 "compute it from numbers or tensors");
}

// Any object of that type, to ask CPython what it can do; null where there is none.
nb::object stand_in(Machine& machine, State& state, const AbstractValue& value) {
  if (const nb::object* live = value.constant()) return *live;
  const nb::object type = type_of(machine, state, value);
  static const std::set<PyObject*> kMade{
      reinterpret_cast<PyObject*>(&PyLong_Type), reinterpret_cast<PyObject*>(&PyFloat_Type),
      reinterpret_cast<PyObject*>(&PyBool_Type), reinterpret_cast<PyObject*>(&PyUnicode_Type),
      reinterpret_cast<PyObject*>(&PyList_Type), reinterpret_cast<PyObject*>(&PyTuple_Type),
      reinterpret_cast<PyObject*>(&PyDict_Type), reinterpret_cast<PyObject*>(&PySet_Type)};
  if (type.is(reinterpret_cast<PyObject*>(&PyRange_Type))) return type(1);
  return kMade.contains(type.ptr()) ? nb::object(type()) : nb::object();
}

// CPython would do it: the TypeError is not ours to raise.
bool is_supported(Machine& machine, State& state, Operation operation, const AbstractValue& left,
                  const AbstractValue& right) {
  const nb::object one = stand_in(machine, state, left), other = stand_in(machine, state, right);
  if (!one.is_valid() || !other.is_valid()) return false;
  const auto is_harmless = [](const nb::object& object) {
    return is_atom(object) || PyList_CheckExact(object.ptr()) || PyTuple_CheckExact(object.ptr()) ||
           PyDict_CheckExact(object.ptr()) || PyAnySet_CheckExact(object.ptr());
  };
  if (!is_harmless(one) || !is_harmless(other)) return true;  // perhaps: then it is refused
  try {
    (void)operator_function(names_of(operation).function)(one, other);
    return true;
  } catch (nb::python_error& error) {
    return !error.matches(PyExc_TypeError);
  }
}

Outcome unsupported(Machine& machine, State& state, Operation operation, const AbstractValue& left,
                    const AbstractValue& right) {
  if (is_supported(machine, state, operation, left, right))
    refuse_operator(machine, state, operation, left, right);
  const bool orders = operation >= Operation::Less;
  const std::string symbol(program::symbol_of(operation));
  const std::string names =
      "'" + type_name(machine, state, left) + "' and '" + type_name(machine, state, right) + "'";
  if (orders)
    return machine.raise(PyExc_TypeError, "'" + symbol + "' not supported between instances of " + names);
  return machine.raise(PyExc_TypeError, "unsupported operand type(s) for " + symbol + ": " + names);
}

Outcome special_binary(Machine& machine, State& state, Operation operation, const AbstractValue& left,
                       const AbstractValue& right) {
  const OperatorNames& names = names_of(operation);
  Arguments arguments{{left, right, known(nb::str(names.special)), known(nb::str(names.reflected)),
                       known(nb::str(std::string(program::symbol_of(operation)).c_str()))},
                      {}};
  return call_prelude(machine, state, "special_binary", std::move(arguments));
}

Outcome special_inplace(Machine& machine, State& state, Operation operation, const AbstractValue& left,
                        const AbstractValue& right) {
  const OperatorNames& names = names_of(operation);
  const std::string method = inplace_special(names);
  Arguments arguments{
      {left, right, known(nb::str(method.c_str())), known(nb::str(names.special)),
       known(nb::str(names.reflected)), known(nb::str(std::string(program::symbol_of(operation)).c_str()))},
      {}};
  return call_prelude(machine, state, "special_inplace", std::move(arguments));
}

// A live array or number of numpy meets a number that depends on the input.
bool is_numpy_beside_number(const State& state, const AbstractValue& left, const AbstractValue& right) {
  const auto is_numpy = [&](const AbstractValue& value) {
    return is_any_array(state, value) ||
           (value.constant() != nullptr && is_number_of_numpy(*value.constant()));
  };
  return (left.scalar() != nullptr && is_numpy(right)) || (right.scalar() != nullptr && is_numpy(left));
}

Outcome numpy_operator(Machine& machine, State& state, const OperatorNames& names, const AbstractValue& left,
                       const AbstractValue& right) {
  return call_prelude(machine, state, "numpy_operator", {{left, right, known_text(names.special)}, {}});
}

bool is_container(const State& state, const AbstractValue& value) {
  const ObjectRef* ref = value.object();
  if (ref == nullptr) {
    const nb::object* object = value.constant();
    return object != nullptr &&
           (PyList_Check(object->ptr()) || PyTuple_Check(object->ptr()) || PyDict_Check(object->ptr()));
  }
  const Object& object = state.heap.at(*ref);
  return std::holds_alternative<ListObject>(object) || std::holds_alternative<TupleObject>(object) ||
         std::holds_alternative<DictObject>(object);
}

}  // namespace

Outcome unary(Machine& machine, State& state, Operation operation, const AbstractValue& operand) {
  if (operation == Operation::Not) {
    Outcome outcome = truth(machine, state, operand, OnReturn::NotTruth);
    const auto* value = std::get_if<AbstractValue>(&outcome);
    if (value == nullptr) return outcome;
    if (value->scalar() != nullptr) return number_unary(machine, state, operation, *value);
    return known_bool(!nb::cast<bool>(*value->constant()));
  }
  if (operand.scalar() != nullptr) return number_unary(machine, state, operation, operand);
  const OperatorNames& names = names_of(operation);
  if (has_python_method(machine, state, operand, names.special))
    if (auto called = call_special(machine, state, operand, names.special, {})) return std::move(*called);
  if (is_known(state, operand))
    if (auto done = data_operator(machine, state, names, {operand})) return std::move(*done);
  if (is_tensor(machine, state, operand))
    return call_leaf(machine, state, operator_function(names.function), {{operand}, {}});
  if (const nb::object* live = operand.constant();
      live != nullptr && type_attribute(live->type(), names.special).is_valid())
    refuse_operator(machine, state, operation, operand, operand);
  return machine.raise(PyExc_TypeError, "bad operand type for unary " +
                                            std::string(program::symbol_of(operation)) + ": '" +
                                            type_name(machine, state, operand) + "'");
}

namespace {

bool is_dynamic_list(const State& state, const AbstractValue& value) {
  const auto* sequence = state.heap.get<SequenceObject>(value);
  return sequence != nullptr && !sequence->is_tuple;
}

// A tuple whose length depends on the path, and another one behind it.
std::optional<Outcome> add_to_tuple(Machine& machine, State& state, const AbstractValue& left,
                                    const AbstractValue& right) {
  const auto* tuple = state.heap.get<SequenceObject>(left);
  if (tuple == nullptr || !tuple->is_tuple) return std::nullopt;
  const SequenceObject given = *tuple;
  const auto more = is_subtype(type_of(machine, state, right), builtin(PyTuple_Type))
                        ? elements_of(machine, state, right)
                        : std::nullopt;
  auto extended = more ? extended_tuple(machine, state, given, *more) : std::nullopt;
  if (!extended) refuse_sequence(machine, state, given, "something is added to it");
  return extended;
}

}  // namespace

Outcome binary(Machine& machine, State& state, Operation operation, bool inplace, const AbstractValue& left,
               const AbstractValue& right) {
  const OperatorNames& names = names_of(operation);
  if (auto viewed = view_operator(machine, state, names.special, left, right)) return std::move(*viewed);
  const bool both_known = is_known(state, left) && is_known(state, right);
  const bool is_left_asked = has_python_method(machine, state, left, names.special);
  const bool is_right_asked = has_python_method(machine, state, right, names.reflected);
  const bool user_code = is_left_asked || is_right_asked;
  if (inplace && has_python_method(machine, state, left, inplace_special(names).c_str()))
    return special_inplace(machine, state, operation, left, right);
  if (inplace && is_any_array(state, left))
    return write_to_array(machine, state, inplace_special(names), Arguments{{left, right}, {}});
  if (user_code && !is_tensor(machine, state, left))
    return special_binary(machine, state, operation, left, right);
  if (is_derived_container(state, left) || is_derived_container(state, right)) {
    const bool asks_class = operation == Operation::BitOr && (is_copied_by_class(machine, state, left) ||
                                                              is_copied_by_class(machine, state, right));
    if (asks_class || (inplace && is_derived_container(state, left)))
      refuse_operator(machine, state, operation, left, right);
    return binary(machine, state, operation, inplace, as_container(state, left), as_container(state, right));
  }
  const bool extends = inplace && operation == Operation::Add && is_any_list(state, left);
  if (extends && is_any_array(state, right)) refuse_operator(machine, state, operation, left, right);
  if (extends && is_dynamic_list(state, left))
    return call_prelude(machine, state, "extended_list", {{left, right}, {}});
  if (extends)
    if (auto extended = sequence_binary(machine, state, operation, inplace, left, right))
      return std::move(*extended);
  if (both_known && (!inplace || is_replaced_in_place(left)))
    if (auto done = data_operator(machine, state, names, {left, right})) return std::move(*done);
  if (is_tensor(machine, state, left) || is_tensor(machine, state, right)) {
    const bool writes = inplace && is_tensor(machine, state, left);  // of a number `+=` gives another one
    const std::string function = writes ? inplace_name(names) : std::string(names.function);
    return call_leaf(machine, state, operator_function(function), {{left, right}, {}});
  }
  if (is_numpy_beside_number(state, left, right)) return numpy_operator(machine, state, names, left, right);
  const AbstractValue first = as_plain_number(left), second = as_plain_number(right);
  if (is_number(machine, first) && is_number(machine, second))
    return number_binary(machine, state, operation, first, second);
  if (operation == Operation::Add && (is_dynamic_list(state, left) || is_dynamic_list(state, right)) &&
      is_any_list(state, left) && is_any_list(state, right))
    return call_prelude(machine, state, inplace ? "extended_list" : "joined_lists", {{left, right}, {}});
  if (operation == Operation::Add)
    if (auto extended = add_to_tuple(machine, state, left, right)) return std::move(*extended);
  if (auto sequence = sequence_binary(machine, state, operation, inplace, left, right))
    return std::move(*sequence);
  const std::string changing = inplace ? inplace_special(names) : std::string();
  if (auto set = set_binary(machine, state, operation, changing, left, right)) return std::move(*set);
  if (auto text = text_binary(machine, state, operation, left, right)) return std::move(*text);
  if (operation == Operation::BitOr && is_dict(state, left)) {
    Arguments other{{right}, {}};
    if (inplace) return machine.builtins.call_method(machine, state, left, "__ior__", other);
    if (is_dict(state, right)) return call_prelude(machine, state, "merge_dicts", {{left, right}, {}});
  }
  if (state.heap.get<SequenceObject>(left) != nullptr || state.heap.get<SequenceObject>(right) != nullptr)
    (void)machine.need(state, state.heap.get<SequenceObject>(left) != nullptr ? left : right,
                       "the contents of this list");
  return unsupported(machine, state, operation, left, right);
}

namespace {

Outcome compare_tensors(Machine& machine, State& state, Operation operation, const AbstractValue& left,
                        const AbstractValue& right) {
  const nb::object function = operator_function(names_of(operation).function);
  Outcome outcome = call_leaf(machine, state, function, {{left, right}, {}});
  if (const auto* result = std::get_if<AbstractValue>(&outcome))
    note_tensor_test(machine, state, *result, operation, left, right);
  return outcome;
}

}  // namespace

Outcome compare(Machine& machine, State& state, Operation operation, const AbstractValue& left,
                const AbstractValue& right) {
  const OperatorNames& names = names_of(operation);
  if (auto viewed = view_operator(machine, state, names.special, left, right)) return std::move(*viewed);
  const bool is_left_asked = has_python_method(machine, state, left, names.special);
  const bool is_right_asked = has_python_method(machine, state, right, names.reflected);
  const bool user_code = is_left_asked || is_right_asked;
  if (user_code && !is_tensor(machine, state, left))
    return special_binary(machine, state, operation, left, right);
  const bool only_equals =
      operation == Operation::NotEqual && !is_tensor(machine, state, left) &&
      (has_only_equality(machine, state, left) || has_only_equality(machine, state, right));
  if (only_equals) return call_prelude(machine, state, "not_equal", {{left, right}, {}});
  if (is_number_or_text(left) && is_number_or_text(right))
    return known(operator_function(names.function)(*left.constant(), *right.constant()));
  for (const AbstractValue* side : {&left, &right})
    if (side->constant() != nullptr && redefines_reading(*side->constant()))
      refuse_operator(machine, state, operation, left, right);
  if (is_derived_container(state, left) || is_derived_container(state, right))
    return compare(machine, state, operation, as_container(state, left), as_container(state, right));
  if (is_known(state, left) && is_known(state, right))
    if (auto done = data_operator(machine, state, names, {left, right})) return std::move(*done);
  if (is_tensor(machine, state, left) || is_tensor(machine, state, right))
    return compare_tensors(machine, state, operation, left, right);
  if (is_numpy_beside_number(state, left, right)) return numpy_operator(machine, state, names, left, right);
  const AbstractValue first = as_plain_number(left), second = as_plain_number(right);
  if (is_number(machine, first) && is_number(machine, second))
    return number_compare(machine, state, operation, first, second);
  const bool both_lists = is_any_list(state, left) && is_any_list(state, right);
  if (both_lists || (is_container(state, left) && is_container(state, right)))
    return call_prelude(
        machine, state, "compare_containers",
        {{left, right, known(nb::str(std::string(program::symbol_of(operation)).c_str()))}, {}});
  for (const AbstractValue* side : {&left, &right})
    if (const auto* sequence = state.heap.get<SequenceObject>(*side);
        sequence != nullptr && sequence->is_tuple)
      refuse_sequence(machine, state, SequenceObject(*sequence), "it is compared");
  if (auto done = data_operator(machine, state, names, {left, right})) return std::move(*done);
  if (state.heap.get<TextObject>(left) != nullptr || state.heap.get<TextObject>(right) != nullptr)
    machine.refuse(state, "python.dynamic_text",
                   "a str made from numbers that depend on the input is compared",
                   "compare the numbers themselves");
  if (operation != Operation::Equal && operation != Operation::NotEqual)
    return unsupported(machine, state, operation, left, right);
  if (is_range(state, left) && is_range(state, right)) {
    if (operation == Operation::NotEqual) refuse_operator(machine, state, operation, left, right);
    return call_prelude(machine, state, "range_equal", {{left, right}, {}});
  }
  const bool meets_number = left.scalar() != nullptr || right.scalar() != nullptr;
  for (const AbstractValue* side : {&left, &right}) {
    const nb::object* live = side->constant();
    if (live == nullptr || is_told_by_identity(*live)) continue;
    if (!is_atom(*live) || (meets_number && !equals_no_number(*live)))
      refuse_operator(machine, state, operation, left, right);
  }
  const auto same = is_equal_object(machine, state, left, right);
  if (!same) refuse_operator(machine, state, operation, left, right);
  return operation == Operation::Equal ? Outcome(*same) : unary(machine, state, Operation::Not, *same);
}

namespace {

// The result of a special method that was computed at once.
Outcome as_truth(Machine& machine, State& state, Outcome called) {
  const auto* value = std::get_if<AbstractValue>(&called);
  return value == nullptr ? std::move(called) : truth(machine, state, AbstractValue(*value));
}

// What is equal to it has its hash: numbers and texts, tuples of them, objects told apart by identity.
bool is_found_by_equality(const State& state, const AbstractValue& value) {
  if (value.scalar() != nullptr || value.constant() != nullptr) return true;
  if (const auto* tuple = state.heap.get<TupleObject>(value))
    return !is_user_method(tuple->type, "__eq__") && !is_user_method(tuple->type, "__hash__") &&
           std::ranges::all_of(tuple->items, [&](const AbstractValue& item) {
             return is_found_by_equality(state, current(state, item));
           });
  const auto* instance = state.heap.get<InstanceObject>(value);
  if (instance == nullptr) return true;
  return !stands_for_numpy(instance->type) && !is_user_method(instance->type, "__eq__") &&
         !is_user_method(instance->type, "__hash__");
}

// A key that no dict and no set can have.
std::optional<Outcome> unhashable(Machine& machine, State& state, const AbstractValue& element,
                                  const AbstractValue& container) {
  if (!is_any_list(state, element) && !is_dict(state, element) && !is_set(state, element))
    return std::nullopt;
  if (is_set(state, element) && type_name(machine, state, element) == "frozenset") return std::nullopt;
  if (is_set(state, element) && is_set(state, container))  // a set is looked up as a frozenset is
    refuse_operator(machine, state, Operation::Equal, container, element);
  return machine.raise(PyExc_TypeError, "unhashable type: '" + type_name(machine, state, element) + "'");
}

// A known key in a dict or set; nullopt: it is not known.
std::optional<Outcome> contains_key(Machine& machine, State& state, const AbstractValue& element,
                                    const AbstractValue& container) {
  if (auto raised = unhashable(machine, state, element, container)) return raised;
  if (!is_found_by_equality(state, element))
    refuse_operator(machine, state, Operation::Equal, container, element);
  const auto whole = machine.reify(state, element);
  if (!whole) return std::nullopt;
  const nb::object key = hashable(machine, state, known(*whole), "looked up");
  if (const auto* dict = state.heap.get<DictObject>(container))
    return known_bool(dict->find(key).has_value());
  for (const nb::object& candidate : keys_of(state, container)) refuse_own_key(machine, state, candidate);
  const nb::object live = machine.need(state, container, "a set");
  const int found = PySequence_Contains(live.ptr(), key.ptr());
  if (found < 0) throw nb::python_error();
  return known_bool(found == 1);
}

}  // namespace

Outcome contains(Machine& machine, State& state, const AbstractValue& element,
                 const AbstractValue& container) {
  if (has_python_method(machine, state, container, "__contains__"))
    if (auto called =
            call_special(machine, state, container, "__contains__", {{element}, {}}, OnReturn::Truth))
      return as_truth(machine, state, std::move(*called));
  if (is_derived_container(state, container))
    return contains(machine, state, element, as_container(state, container));
  if (is_dict(state, container) || is_set(state, container))
    if (auto found = contains_key(machine, state, element, container)) return std::move(*found);
  if (const nb::object* live = container.constant(); live != nullptr && redefines_reading(*live))
    refuse_operator(machine, state, Operation::Equal, container, element);
  if (is_known(state, element) && is_known(state, container)) {
    Arguments operands{{container, element}, {}};
    if (auto done = try_static(machine, state, operator_function("contains"), operands))
      return std::move(*done);
  }
  if (is_tensor(machine, state, container))
    return call_prelude(machine, state, "tensor_contains", {{container, element}, {}}, OnReturn::Truth);
  return call_prelude(machine, state, "contains", {{container, element}, {}}, OnReturn::Truth);
}

namespace {

bool has_own_truth(nb::handle live) {
  const PyTypeObject* type = Py_TYPE(live.ptr());
  return (type->tp_as_number != nullptr && type->tp_as_number->nb_bool != nullptr) ||
         (type->tp_as_mapping != nullptr && type->tp_as_mapping->mp_length != nullptr) ||
         (type->tp_as_sequence != nullptr && type->tp_as_sequence->sq_length != nullptr);
}

Outcome known_truth(Machine& machine, State& state, const nb::object& live) {
  if (!has_own_truth(live)) return known_bool(true);
  // truth() has asked for a __bool__ in Python before.
  const bool is_number = PyLong_Check(live.ptr()) || PyFloat_Check(live.ptr()) || PyComplex_Check(live.ptr());
  if (!is_number && !is_atom(live) && !is_readable_container(live) && !is_plain_tensor(live))
    machine.refuse(state, "python.truth",
                   "whether " + described(live) + " counts as true is decided by code that DyCL cannot see",
                   "compare it with something, or test its length");
  const int is_true = PyObject_IsTrue(live.ptr());
  if (is_true < 0) throw nb::python_error();
  return known_bool(is_true == 1);
}

}  // namespace

Outcome truth(Machine& machine, State& state, const AbstractValue& value, OnReturn on_return) {
  if (value.scalar() != nullptr)
    return machine.refined(state, convert_number(machine, state, value, ScalarKind::Bool));
  const bool has_bool = type_attribute(type_of(machine, state, value), "__bool__").is_valid();
  const char* special = has_bool ? "__bool__" : "__len__";
  if (has_python_method(machine, state, value, special))
    return call_prelude(machine, state, has_bool ? "truth_by_method" : "length_by_method", {{value}, {}},
                        on_return);
  if (is_known(state, value)) return known_truth(machine, state, *as_read(state, value).constant());
  const Object& object = state.heap.at(*value.object());
  if (std::holds_alternative<TensorObject>(object)) return read_tensor(machine, state, value, "bool");
  if (std::holds_alternative<RangeObject>(object))
    return call_prelude(machine, state, "range_truth", {{value}, {}}, on_return);
  const bool sized = std::holds_alternative<SequenceObject>(object) || is_container(state, value) ||
                     std::holds_alternative<SetObject>(object) || inner_container(state, value).bound();
  if (sized) {
    Outcome size = length(machine, state, value);
    if (const auto* count = std::get_if<AbstractValue>(&size))
      return truth(machine, state, *count, on_return);
    return size;
  }
  if (const auto* text = std::get_if<TextObject>(&object); text != nullptr && text->format.empty())
    return known_bool(false);
  return known_bool(true);
}

}  // namespace dycl::partial_eval
