// SPDX-License-Identifier: Apache-2.0
// Python numbers that depend on the input: arithmetic and comparison on the host, with Python's meaning.
#include "partial_eval/data/numbers.h"

#include <limits>

#include "partial_eval/data/sizes.h"
#include "partial_eval/values/handlers.h"

namespace dycl::partial_eval {
namespace {

using program::Operation;

std::optional<HostOp> arithmetic_op(Operation operation) {
  switch (operation) {
    case Operation::Add: return HostOp::Add;
    case Operation::Subtract: return HostOp::Sub;
    case Operation::Multiply: return HostOp::Mul;
    case Operation::Divide: return HostOp::TrueDiv;
    case Operation::FloorDivide: return HostOp::FloorDiv;
    case Operation::Modulo: return HostOp::Mod;
    case Operation::Power: return HostOp::Pow;
    case Operation::LeftShift: return HostOp::Shl;
    case Operation::RightShift: return HostOp::Shr;
    case Operation::BitAnd: return HostOp::BitAnd;
    case Operation::BitOr: return HostOp::BitOr;
    case Operation::BitXor: return HostOp::BitXor;
    default: return std::nullopt;
  }
}

HostOp comparison_op(Operation operation) {
  switch (operation) {
    case Operation::Less: return HostOp::Lt;
    case Operation::LessEqual: return HostOp::Le;
    case Operation::Equal: return HostOp::Eq;
    case Operation::NotEqual: return HostOp::Ne;
    case Operation::Greater: return HostOp::Gt;
    default: return HostOp::Ge;
  }
}

bool is_bitwise(HostOp op) {
  return op == HostOp::BitAnd || op == HostOp::BitOr || op == HostOp::BitXor || op == HostOp::Shl ||
         op == HostOp::Shr;
}

Origins origins_of(const AbstractValue& value) {
  const ScalarValue* scalar = value.scalar();
  return scalar == nullptr ? nullptr : scalar->origins;
}

ScalarValue emit(Machine& machine, State& state, HostOp op, std::vector<ValueId> inputs, ScalarKind kind,
                 Origins origins, Attributes attributes = {}) {
  const ValueId id =
      machine.emitter.host(state, op, std::move(inputs), ScalarType{kind}, std::string(name_of(op)),
                           std::move(attributes), machine.source(state));
  return {id, kind, std::move(origins)};
}

// int ** int gives an int or a float depending on the exponent's sign: two paths, unless it is known.
Outcome int_power(Machine& machine, State& state, const AbstractValue& base, const AbstractValue& exponent) {
  const Origins origins = united(origins_of(base), origins_of(exponent));
  const std::vector<ValueId> operands{scalar_id(machine, state, base), scalar_id(machine, state, exponent)};
  if (const auto known_exponent = known_scalar(exponent)) {
    const bool negative = std::get<std::int64_t>(*known_exponent) < 0;
    return emit(machine, state, HostOp::Pow, operands, negative ? ScalarKind::F64 : ScalarKind::I64, origins);
  }
  const ValueId zero = machine.emitter.constant(state, Scalar(std::int64_t{0}));
  const ScalarValue negative =
      emit(machine, state, HostOp::Lt, {operands[1], zero}, ScalarKind::Bool, origins);
  Forked forked = split_on(machine, state, negative);
  for (std::size_t side = 0; side < 2; ++side) {
    Forked::Child& child = forked.children[side];
    child.result = emit(machine, child.state, HostOp::Pow, operands,
                        side == 0 ? ScalarKind::F64 : ScalarKind::I64, origins);
  }
  return forked;
}

// A power or a shift raises for some numbers: 0 ** -1, 1e300 ** 2, 1 << -1. Integers to a known power that is
// not negative do not, nor do small powers of a size.
bool may_raise(const State& state, HostOp op, const AbstractValue& left, const AbstractValue& right) {
  if (op != HostOp::Pow && op != HostOp::Shl && op != HostOp::Shr) return false;
  constexpr double kSmall = 4;
  const auto number = known_scalar(right);
  if (!number) return true;
  if (const auto* power = std::get_if<double>(&*number))
    return left.scalar() == nullptr || !state.sizes.contains(left.scalar()->id) || *power < 0 ||
           *power > kSmall;
  const auto* integer = std::get_if<std::int64_t>(&*number);
  return number_kind(left) == ScalarKind::F64 || integer == nullptr || *integer < 0;
}

// What Python raises, in its own words.
template <class Call>
AbstractValue raised_by(const Call& call) {
  try {
    call();
  } catch (nb::python_error& error) {
    return known(nb::borrow(error.value()));
  }
  internal_error("a call that must raise does not");
}

// Inside a try the division by zero is a way of control.
Outcome caught_division(Machine& machine, State& state, Operation operation, const AbstractValue& left,
                        const AbstractValue& right, ScalarKind result) {
  const HostOp op = *arithmetic_op(operation);
  const Origins origins = united(origins_of(left), origins_of(right));
  const std::vector<ValueId> operands{scalar_id(machine, state, left), scalar_id(machine, state, right)};
  const bool is_float = number_kind(right) == ScalarKind::F64;
  const Scalar nothing = is_float ? Scalar(0.0) : Scalar(std::int64_t{0});
  if (const auto divisor = known_scalar(right); divisor && *divisor != nothing)
    return emit(machine, state, op, operands, result, origins);
  const ValueId zero = machine.emitter.constant(state, nothing);
  const ScalarValue fails = emit(machine, state, HostOp::Eq, {operands[1], zero}, ScalarKind::Bool, origins);
  Forked forked = split_on(machine, state, fails);
  const nb::object divide = nb::module_::import_("operator")
                                .attr(op == HostOp::TrueDiv ? "truediv"
                                      : op == HostOp::Mod   ? "mod"
                                                            : "floordiv");
  forked.children[0].raised = raised_by([&] { is_float ? divide(1.0, 0.0) : divide(1, 0); });
  forked.children[1].result = emit(machine, forked.children[1].state, op, operands, result, origins);
  return forked;
}

// A bool in arithmetic gives an int of two values only. Should something need that int static (an index, the
// depth of a recursion), the path splits here instead.
AbstractValue int_of_bool(Machine& machine, State& state, const ScalarValue& flag) {
  const std::vector<SourceSpan> stack = machine.spans(state);
  const std::string place = "bool:" + (stack.empty() ? std::string() : to_string(stack.front()));
  if (machine.marks.kept_apart(place)) throw Split{flag};
  auto origins = std::make_shared<std::set<OriginId>>();
  origins->insert(machine.marks.origin(place));
  return emit(machine, state, HostOp::ToInt, {flag.id}, ScalarKind::I64, united(flag.origins, origins));
}

}  // namespace

std::optional<ScalarKind> number_kind(const AbstractValue& value) {
  if (const ScalarValue* scalar = value.scalar()) return scalar->kind;
  const nb::object* object = value.constant();
  if (object == nullptr) return std::nullopt;
  if (PyBool_Check(object->ptr())) return ScalarKind::Bool;
  if (PyLong_CheckExact(object->ptr())) return ScalarKind::I64;
  if (PyFloat_CheckExact(object->ptr())) return ScalarKind::F64;
  return std::nullopt;
}

namespace {

// It derives from the type and has comparisons and arithmetic of it.
bool computes_as(nb::handle live, const PyTypeObject& type) {
  const PyTypeObject* own = Py_TYPE(live.ptr());
  return PyType_IsSubtype(const_cast<PyTypeObject*>(own), const_cast<PyTypeObject*>(&type)) &&
         own->tp_hash == type.tp_hash && own->tp_richcompare == type.tp_richcompare &&
         own->tp_as_number->nb_add == type.tp_as_number->nb_add;
}

}  // namespace

AbstractValue as_plain_number(const AbstractValue& value) {
  const nb::object* live = value.constant();
  if (live == nullptr || number_kind(value)) return value;
  if (computes_as(*live, PyFloat_Type)) return known(nb::float_(PyFloat_AS_DOUBLE(live->ptr())));
  if (!computes_as(*live, PyLong_Type)) return value;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(live->ptr(), &overflow);
  return overflow != 0 ? value : known(nb::int_(number));
}

bool equals_no_number(nb::handle live) {
  const richcmpfunc own = Py_TYPE(live.ptr())->tp_richcompare;
  if (own == nullptr) return true;
  for (const PyTypeObject* type :
       {&PyBaseObject_Type, &PyUnicode_Type, &PyBytes_Type, &PyByteArray_Type, &PyTuple_Type, &PyList_Type,
        &PyDict_Type, &PySet_Type, &PyFrozenSet_Type, &PyRange_Type, &PySlice_Type})
    if (own == type->tp_richcompare) return true;
  return false;
}

bool is_number(const Machine&, const AbstractValue& value) { return number_kind(value).has_value(); }

std::optional<Scalar> known_scalar(const AbstractValue& value) {
  const nb::object* object = value.constant();
  const auto kind = number_kind(value);
  if (object == nullptr || !kind) return std::nullopt;
  if (*kind == ScalarKind::Bool) return Scalar(object->ptr() == Py_True);
  if (*kind == ScalarKind::F64) return Scalar(PyFloat_AS_DOUBLE(object->ptr()));
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(object->ptr(), &overflow);
  if (overflow != 0) return std::nullopt;
  return Scalar(static_cast<std::int64_t>(number));
}

ValueId scalar_id(Machine& machine, State& state, const AbstractValue& number) {
  if (const ScalarValue* scalar = number.scalar()) return scalar->id;
  const auto scalar = known_scalar(number);
  if (!scalar)
    machine.refuse(state, "python.big_int", "an int beyond 64 bits meets a number that depends on the input",
                   "use a float or a smaller number");
  return machine.emitter.constant(state, *scalar);
}

AbstractValue convert_number(Machine& machine, State& state, const AbstractValue& number, ScalarKind kind) {
  if (number_kind(number) == kind) return number;
  const AbstractValue zero = known(nb::int_(0));
  const bool asks_size = kind == ScalarKind::Bool && number_kind(number) == ScalarKind::I64;
  if (asks_size)
    if (const auto truth = size_comparison(state, Operation::NotEqual, number, zero))
      return known_bool(*truth);
  const HostOp op = kind == ScalarKind::Bool  ? HostOp::ToBool
                    : kind == ScalarKind::I64 ? HostOp::ToInt
                                              : HostOp::ToFloat;
  const ScalarValue converted =
      emit(machine, state, op, {scalar_id(machine, state, number)}, kind, origins_of(number));
  if (asks_size) note_size_test(state, converted.id, Operation::NotEqual, number, zero);
  return converted;
}

Outcome number_unary(Machine& machine, State& state, Operation operation, const AbstractValue& operand) {
  if (operation == Operation::Not) {
    const AbstractValue flag = convert_number(machine, state, operand, ScalarKind::Bool);
    if (const nb::object* known_flag = flag.constant()) return known_bool(!nb::cast<bool>(*known_flag));
    return emit(machine, state, HostOp::Not, {scalar_id(machine, state, flag)}, ScalarKind::Bool,
                origins_of(operand));
  }
  const bool is_float = number_kind(operand) == ScalarKind::F64;
  const ScalarKind kind = is_float ? ScalarKind::F64 : ScalarKind::I64;
  if (operation == Operation::Invert && is_float)
    return machine.raise(PyExc_TypeError, "bad operand type for unary ~: 'float'");
  const AbstractValue number = convert_number(machine, state, operand, kind);
  if (operation == Operation::Plus) return number;
  const bool negates = operation == Operation::Negate;
  const auto size =
      negates && !is_float ? size_arithmetic(state, Operation::Subtract, known_int(0), number) : std::nullopt;
  if (size)
    if (auto same = known_size(state, *size)) return *same;
  const ScalarValue result = emit(machine, state, negates ? HostOp::Neg : HostOp::Invert,
                                  {scalar_id(machine, state, number)}, kind, origins_of(operand));
  if (size) state.sizes.emplace(result.id, *size);
  return result;
}

Outcome int_of_float(Machine& machine, State& state, const AbstractValue& number) {
  if (!may_be_caught(state)) return convert_number(machine, state, number, ScalarKind::I64);
  const auto raised_of = [](double value) {
    return raised_by([&] { nb::module_::import_("builtins").attr("int")(value); });
  };
  const auto test = [&](State& at, const char* function) {
    return *host_number(machine, at, HostOp::Math, {number}, ScalarKind::Bool, {{"function", function}})
                .scalar();
  };
  Forked nan = split_on(machine, state, test(state, "isnan"));
  nan.children[0].raised = raised_of(std::numeric_limits<double>::quiet_NaN());
  Forked infinite = split_on(machine, nan.children[1].state, test(nan.children[1].state, "isinf"));
  infinite.children[0].raised = raised_of(std::numeric_limits<double>::infinity());
  infinite.children[1].result = convert_number(machine, infinite.children[1].state, number, ScalarKind::I64);
  infinite.children.insert(infinite.children.begin(), std::move(nan.children[0]));
  return infinite;
}

void refuse_if_caught(const Machine& machine, const State& state, const std::string& what) {
  if (!may_be_caught(state)) return;
  machine.refuse(state, "python.caught_number_error",
                 what + " may raise for some inputs, inside of a try that might catch it",
                 "test the numbers first, outside of the try");
}

Outcome number_binary(Machine& machine, State& state, Operation operation, const AbstractValue& left,
                      const AbstractValue& right) {
  const auto op = arithmetic_op(operation);
  const ScalarKind left_kind = *number_kind(left), right_kind = *number_kind(right);
  const bool any_float = left_kind == ScalarKind::F64 || right_kind == ScalarKind::F64;
  if (!op || (is_bitwise(*op) && any_float)) {
    const auto name = [](ScalarKind kind) { return std::string(python_name(kind)); };
    return machine.raise(PyExc_TypeError, "unsupported operand type(s) for " +
                                              std::string(program::symbol_of(operation)) + ": '" +
                                              name(left_kind) + "' and '" + name(right_kind) + "'");
  }
  const bool both_bool = left_kind == ScalarKind::Bool && right_kind == ScalarKind::Bool;
  const bool stays_bool = both_bool && is_bitwise(*op) && *op != HostOp::Shl && *op != HostOp::Shr;
  const ScalarKind kind = stays_bool ? ScalarKind::Bool : any_float ? ScalarKind::F64 : ScalarKind::I64;
  const ScalarKind result = *op == HostOp::TrueDiv ? ScalarKind::F64 : kind;
  const auto operand = [&](const AbstractValue& number) {
    const bool counts =
        kind == ScalarKind::I64 && number.scalar() != nullptr && number.scalar()->kind == ScalarKind::Bool;
    return counts ? int_of_bool(machine, state, *number.scalar())
                  : convert_number(machine, state, number, kind);
  };
  const AbstractValue first = operand(left), second = operand(right);
  const auto size = size_arithmetic(state, operation, first, second);
  if (size)
    if (auto same = known_size(state, *size)) return *same;
  const bool divides = *op == HostOp::TrueDiv || *op == HostOp::FloorDiv || *op == HostOp::Mod;
  if (divides && may_be_caught(state))
    return caught_division(machine, state, operation, first, second, result);
  if (may_raise(state, *op, left, right))
    refuse_if_caught(machine, state, std::string(program::symbol_of(operation)));
  if (*op == HostOp::Pow && kind == ScalarKind::I64) return int_power(machine, state, first, second);
  const ScalarValue number =
      emit(machine, state, *op, {scalar_id(machine, state, first), scalar_id(machine, state, second)}, result,
           united(origins_of(first), origins_of(second)));
  if (size) state.sizes.emplace(number.id, *size);
  return number;
}

Outcome number_compare(Machine& machine, State& state, Operation operation, const AbstractValue& left,
                       const AbstractValue& right) {
  follow_read_number(machine, state, left, right);
  follow_read_number(machine, state, right, left);
  if (const auto truth = size_comparison(state, operation, left, right)) return known_bool(*truth);
  const ScalarValue result = emit(machine, state, comparison_op(operation),
                                  {scalar_id(machine, state, left), scalar_id(machine, state, right)},
                                  ScalarKind::Bool, united(origins_of(left), origins_of(right)));
  note_size_test(state, result.id, operation, left, right);
  return result;
}

AbstractValue host_number(Machine& machine, State& state, HostOp op,
                          const std::vector<AbstractValue>& operands, ScalarKind result,
                          Attributes attributes) {
  std::vector<ValueId> ids;
  Origins origins;
  for (const AbstractValue& operand : operands) {
    ids.push_back(scalar_id(machine, state, operand));
    origins = united(origins, origins_of(operand));
  }
  return emit(machine, state, op, std::move(ids), result, std::move(origins), std::move(attributes));
}

ScalarValue unknown_scalar(Machine& machine, State& state, ScalarKind kind) {
  const HostOp op = kind == ScalarKind::Bool ? HostOp::ToBool : HostOp::Neg;
  return emit(machine, state, op, {machine.emitter.constant(state, Scalar(std::int64_t{1}))}, kind, nullptr);
}

std::string_view python_name(ScalarKind kind) {
  return kind == ScalarKind::Bool ? "bool" : kind == ScalarKind::I64 ? "int" : "float";
}

std::optional<std::int64_t> known_index(const AbstractValue& value) {
  const nb::object* object = value.constant();
  if (object == nullptr || PyIndex_Check(object->ptr()) == 0) return std::nullopt;
  const Py_ssize_t index = PyNumber_AsSsize_t(object->ptr(), PyExc_IndexError);
  if (index == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return index;
}

}  // namespace dycl::partial_eval
