// SPDX-License-Identifier: Apache-2.0
// bool, int, float, abs, round and math on numbers that depend on the input.
#include "partial_eval/builtins/natives_numbers.h"

#include "base/scalar_math.h"
#include "partial_eval/builtins/native_call.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/types.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/operators.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/torch/read_tensor.h"
#include "partial_eval/values/handlers.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

[[noreturn]] void refuse_text(NativeCall& call) {
  call.machine.refuse(call.state, "python.dynamic_text",
                      "a text made from numbers that depend on the input is read again",
                      "use the numbers themselves");
}

std::optional<Outcome> bool_call(NativeCall& call) {
  if (!call.plain(0, 1)) return std::nullopt;
  if (call.count() == 0) return known_bool(false);
  return truth(call.machine, call.state, call.at(0));
}

std::optional<Outcome> by_special(NativeCall& call, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (auto result = call_special(call.machine, call.state, call.at(0), name, {})) return result;
  return std::nullopt;
}

// The prelude asks the special methods of the object, and looks at what they give.
std::optional<Outcome> by_methods(NativeCall& call, const char* asking) {
  return call_prelude(call.machine, call.state, asking, {{call.at(0)}, {}});
}

std::optional<Outcome> int_call(NativeCall& call) {
  if (call.all_known()) {
    const bool is_user = call.plain(1, 1) && is_user_method(call.at(0).constant()->type(), "__int__");
    return is_user ? by_methods(call, "int_by_method") : std::nullopt;
  }
  if (call.count() == 0) return std::nullopt;
  if (!call.plain(1, 1)) (void)call.machine.need(call.state, call.at(0), "what int() reads with a base");
  const AbstractValue& value = call.at(0);
  if (const ScalarValue* scalar = value.scalar()) {
    if (scalar->kind == ScalarKind::F64) return int_of_float(call.machine, call.state, value);
    return convert_number(call.machine, call.state, value, ScalarKind::I64);
  }
  if (call.state.heap.get<TensorObject>(value) != nullptr)
    return read_tensor(call.machine, call.state, value, "int");
  if (call.state.heap.get<TextObject>(value) != nullptr) refuse_text(call);
  return by_methods(call, "int_by_method");
}

std::optional<Outcome> float_call(NativeCall& call) {
  if (call.all_known()) {
    const bool is_user = call.plain(1, 1) && is_user_method(call.at(0).constant()->type(), "__float__");
    return is_user ? by_methods(call, "float_by_method") : std::nullopt;
  }
  if (!call.plain(1, 1)) return std::nullopt;
  const AbstractValue& value = call.at(0);
  if (value.scalar() != nullptr) return convert_number(call.machine, call.state, value, ScalarKind::F64);
  if (call.state.heap.get<TensorObject>(value) != nullptr)
    return read_tensor(call.machine, call.state, value, "float");
  if (call.state.heap.get<TextObject>(value) != nullptr) refuse_text(call);
  return by_methods(call, "float_by_method");
}

// A bool counts as an int.
AbstractValue as_int_or_float(NativeCall& call, const AbstractValue& number) {
  if (number_kind(number) != ScalarKind::Bool) return number;
  return convert_number(call.machine, call.state, number, ScalarKind::I64);
}

std::optional<Outcome> abs_call(NativeCall& call) {
  if (!call.plain(1, 1)) return std::nullopt;
  if (call.state.heap.get<TensorObject>(call.at(0)) != nullptr)
    return call_leaf(call.machine, call.state, library_object("torch", "abs"), call.arguments);
  if (call.at(0).scalar() != nullptr) {
    const AbstractValue number = as_int_or_float(call, call.at(0));
    return host_number(call.machine, call.state, HostOp::Abs, {number}, *number_kind(number));
  }
  if (call.all_known() && !is_user_method(call.at(0).constant()->type(), "__abs__")) return std::nullopt;
  if (auto result = by_special(call, {"__abs__"})) return result;
  return call.machine.raise(PyExc_TypeError, "bad operand type for abs(): '" +
                                                 type_name(call.machine, call.state, call.at(0)) + "'");
}

std::optional<Outcome> round_call(NativeCall& call) {
  if (call.all_known() || call.count() == 0 || call.count() + call.arguments.keywords.size() > 2)
    return std::nullopt;
  AbstractValue digits = call.count() == 2 ? call.at(1) : known_none();
  if (!call.arguments.keywords.empty()) digits = call.arguments.keywords[0].second;
  if (call.at(0).scalar() == nullptr && !number_kind(call.at(0))) {
    Arguments rest{digits.is_none() ? std::vector<AbstractValue>{} : std::vector<AbstractValue>{digits}, {}};
    if (auto result = call_special(call.machine, call.state, call.at(0), "__round__", rest)) return result;
    return call.machine.raise(PyExc_TypeError, "type " + type_name(call.machine, call.state, call.at(0)) +
                                                   " doesn't define __round__ method");
  }
  const AbstractValue number = as_int_or_float(call, call.at(0));
  const ScalarKind kind = *number_kind(number);
  if (digits.is_none()) {
    if (kind == ScalarKind::I64) return number;
    refuse_if_caught(call.machine, call.state, "round()");
    return host_number(call.machine, call.state, HostOp::Round, {number}, ScalarKind::I64);
  }
  if (number_kind(digits) != ScalarKind::I64)
    (void)call.machine.need(call.state, digits, "the number of digits of round()");
  return host_number(call.machine, call.state, HostOp::Round, {number, digits}, kind);
}

// An argument of math: a tensor is read with float(), as CPython does.
std::optional<AbstractValue> math_argument(NativeCall& call, const AbstractValue& value) {
  if (call.state.heap.get<TensorObject>(value) != nullptr) {
    Outcome read = read_tensor(call.machine, call.state, value, "float");
    if (auto* number = std::get_if<AbstractValue>(&read)) return *number;
    return std::nullopt;
  }
  if (!number_kind(value)) return std::nullopt;
  return value;
}

std::optional<Outcome> whole_number(NativeCall& call, const std::string& name) {
  const HostOp op = name == "floor" ? HostOp::Floor : name == "ceil" ? HostOp::Ceil : HostOp::Trunc;
  if (call.at(0).scalar() == nullptr && name == "trunc")
    return call.machine.raise(PyExc_TypeError, "type " + type_name(call.machine, call.state, call.at(0)) +
                                                   " doesn't define __trunc__ method");
  const auto number = math_argument(call, call.at(0));
  if (!number) return std::nullopt;
  if (number_kind(*number) != ScalarKind::F64) return as_int_or_float(call, *number);
  refuse_if_caught(call.machine, call.state, "math." + name + "()");
  return host_number(call.machine, call.state, op, {*number}, ScalarKind::I64);
}

std::optional<Outcome> math_call(NativeCall& call) {
  if (call.all_known()) return std::nullopt;
  const std::string name = text_or_empty(call.callee, "__name__");
  if (!call.arguments.keywords.empty() || call.count() == 0 || call.count() > 2)
    call.machine.refuse(call.state, "python.math",
                        "math." + name + "() is called so on numbers from the input");
  if (name == "floor" || name == "ceil" || name == "trunc") {
    if (auto result = whole_number(call, name)) return result;
  }
  std::vector<AbstractValue> numbers;
  for (const AbstractValue& argument : call.arguments.positional) {
    const auto number = math_argument(call, argument);
    if (!number)  // an object of the user's, which is refused, or an error that CPython words
      return call.machine.raise(PyExc_TypeError,
                                "must be real number, not " + type_name(call.machine, call.state, argument));
    numbers.push_back(convert_number(call.machine, call.state, *number, ScalarKind::F64));
  }
  const auto function = math_function_from_name(name);
  if (!function || !takes(*function, numbers.size()))
    call.machine.refuse(call.state, "python.math", "math." + name + "() is called on a number from the input",
                        "use torch's functions on the tensor instead");
  const ScalarKind kind = result_of(*function);
  if (kind != ScalarKind::Bool && name != "fabs" && name != "copysign")
    refuse_if_caught(call.machine, call.state, "math." + name + "()");
  return host_number(call.machine, call.state, HostOp::Math, numbers, kind, {{"function", name}});
}

}  // namespace

void add_number_natives(NativeTable& table) {
  table.add("builtins", "bool", bool_call);
  table.add("builtins", "int", int_call);
  table.add("builtins", "float", float_call);
  table.add("builtins", "abs", abs_call);
  table.add("builtins", "round", round_call);
  table.add(
      "math",
      "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist erf erfc exp "
      "exp2 "
      "expm1 fabs factorial floor fmod frexp gamma gcd hypot isfinite isinf isnan isqrt lcm ldexp lgamma log "
      "log10 log1p log2 modf nextafter perm pow radians remainder sin sinh sqrt tan tanh trunc ulp",
      math_call);
}

}  // namespace dycl::partial_eval
