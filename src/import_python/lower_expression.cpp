// SPDX-License-Identifier: Apache-2.0
// Expressions: names, operators, short circuits, conditions, yield.
#include "import_python/lowering.h"
#include "import_python/operators.h"

namespace dycl::import_python {

namespace nb = nanobind;
using namespace program;

namespace {

bool is_negated_number(Node node) {
  if (node.child("op").type_name() != "USub" || node.child("operand").kind() != NodeKind::Constant)
    return false;
  const nb::object value = node.child("operand").value_of("value");
  return PyNumber_Check(value.ptr()) != 0 && !nb::isinstance<nb::bool_>(value);
}

}  // namespace

RegisterId Lowering::lower(Node expression) {
  const At at(*this, expression);
  switch (expression.kind()) {
    case NodeKind::BoolOp: return lower_bool_op(expression);
    case NodeKind::Compare: return lower_compare(expression);
    case NodeKind::IfExp: return lower_conditional(expression);
    case NodeKind::NamedExpr: return lower_named(expression);
    case NodeKind::Call: return lower_call(expression);
    case NodeKind::Lambda: return make_function(expression);
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp: return lower_comprehension(expression);
    case NodeKind::List: return lower_list(expression.children("elts"));
    case NodeKind::Tuple: return lower_tuple(expression.children("elts"));
    case NodeKind::Set: return lower_set(expression.children("elts"));
    case NodeKind::Dict: return lower_dict(expression);
    case NodeKind::JoinedStr: return lower_joined_string(expression);
    case NodeKind::FormattedValue: return lower_formatted_value(expression);
    case NodeKind::Yield: return lower_yield(expression);
    case NodeKind::YieldFrom: return lower_yield_from(expression);
    case NodeKind::Await: refuse(expression, "await", "use ordinary functions");
    default: return lower_simple(expression);
  }
}

RegisterId Lowering::lower_simple(Node node) {
  switch (node.kind()) {
    case NodeKind::Constant: return builder_.constant(node.value_of("value"));
    case NodeKind::Name: return read_name(mangled(node.text("id")));
    case NodeKind::Attribute:
      return builder_.emit(Op::GetAttr, {lower(node.child("value"))}, mangled(node.text("attr")));
    case NodeKind::Subscript: {
      const RegisterId container = lower(node.child("value"));
      return builder_.emit(Op::GetItem, {container, lower(node.child("slice"))});
    }
    case NodeKind::Slice: return lower_slice(node);
    case NodeKind::BinOp: return lower_binary(node);
    case NodeKind::UnaryOp: return lower_unary(node);
    default: refuse(node, "the expression " + std::string(node.type_name()), "write it with older syntax");
  }
}

RegisterId Lowering::lower_binary(Node node) {
  const RegisterId left = lower(node.child("left"));
  const RegisterId right = lower(node.child("right"));
  return builder_.emit(Instruction{
      .op = Op::Binary, .operands = {left, right}, .operation = operation_of(node.child("op").type_name())});
}

RegisterId Lowering::lower_unary(Node node) {
  if (is_negated_number(node)) {
    const nb::object value = node.child("operand").value_of("value");
    return builder_.constant(nb::steal(PyNumber_Negative(value.ptr())));
  }
  const RegisterId operand = lower(node.child("operand"));
  return builder_.emit(Instruction{
      .op = Op::Unary, .operands = {operand}, .operation = operation_of(node.child("op").type_name())});
}

RegisterId Lowering::lower_bool_op(Node node) {
  const bool is_and = node.child("op").type_name() == "And";
  const std::vector<Node> values = node.children("values");
  const RegisterId result = builder_.temporary();
  const BlockId end = builder_.new_block();
  for (std::size_t i = 0; i < values.size(); ++i) {
    builder_.move(result, lower(values[i]));
    if (i + 1 == values.size()) break;
    const BlockId next = builder_.new_block();
    builder_.branch(result, is_and ? next : end, is_and ? end : next);
    builder_.start(next);
  }
  builder_.jump(end);
  builder_.start(end);
  return result;
}

RegisterId Lowering::compare_once(const std::string& comparison, RegisterId left, RegisterId right) {
  if (comparison == "Is") return builder_.emit(Op::Is, {left, right});
  if (comparison == "IsNot") return builder_.emit(Op::IsNot, {left, right});
  if (comparison == "In") return builder_.emit(Op::Contains, {left, right});
  if (comparison == "NotIn") {
    const RegisterId inside = builder_.emit(Op::Contains, {left, right});
    return builder_.emit(Instruction{.op = Op::Unary, .operands = {inside}, .operation = Operation::Not});
  }
  return builder_.emit(
      Instruction{.op = Op::Compare, .operands = {left, right}, .operation = operation_of(comparison)});
}

RegisterId Lowering::lower_compare(Node node) {
  const std::vector<Node> operators = node.children("ops");
  const std::vector<Node> comparators = node.children("comparators");
  RegisterId left = lower(node.child("left"));
  if (operators.size() == 1) {
    return compare_once(std::string(operators[0].type_name()), left, lower(comparators[0]));
  }
  const RegisterId result = builder_.temporary();
  const BlockId end = builder_.new_block();
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const RegisterId right = lower(comparators[i]);
    builder_.move(result, compare_once(std::string(operators[i].type_name()), left, right));
    left = right;
    if (i + 1 == operators.size()) break;
    const BlockId next = builder_.new_block();
    builder_.branch(result, next, end);
    builder_.start(next);
  }
  builder_.jump(end);
  builder_.start(end);
  return result;
}

RegisterId Lowering::lower_conditional(Node node) {
  const RegisterId result = builder_.temporary();
  const BlockId then_block = builder_.new_block();
  const BlockId else_block = builder_.new_block();
  const BlockId end = builder_.new_block();
  lower_condition(node.child("test"), then_block, else_block);
  builder_.start(then_block);
  builder_.move(result, lower(node.child("body")));
  builder_.jump(end);
  builder_.start(else_block);
  builder_.move(result, lower(node.child("orelse")));
  builder_.jump(end);
  builder_.start(end);
  return result;
}

RegisterId Lowering::lower_named(Node node) {
  const RegisterId value = lower(node.child("value"));
  write_name(mangled(node.child("target").text("id")), value);
  return value;
}

RegisterId Lowering::lower_slice(Node node) {
  std::vector<RegisterId> parts;
  for (const char* field : {"lower", "upper", "step"}) {
    const Node part = node.child(field);
    parts.push_back(part.present() ? lower(part) : none());
  }
  return builder_.emit(Op::BuildSlice, std::move(parts));
}

RegisterId Lowering::lower_yield(Node node) {
  const Node value = node.child("value");
  return builder_.emit(Op::Yield, {value.present() ? lower(value) : none()});
}

RegisterId Lowering::lower_yield_from(Node node) {
  const RegisterId iterator = builder_.emit(Op::GetIter, {lower(node.child("value"))});
  const RegisterId element = builder_.temporary();
  const RegisterId returned = builder_.temporary();
  const BlockId header = builder_.new_block();
  const BlockId body = builder_.new_block();
  const BlockId end = builder_.new_block();
  builder_.jump(header);
  builder_.start(header);
  builder_.terminate(ForNext{iterator, element, body, end, returned});
  builder_.start(body);
  builder_.emit(Instruction{.op = Op::Yield, .operands = {element}, .index = 1});
  builder_.jump(header);
  builder_.start(end);
  return returned;
}

void Lowering::lower_condition(Node expression, BlockId then_target, BlockId else_target) {
  const At at(*this, expression);
  const NodeKind kind = expression.kind();
  if (kind == NodeKind::BoolOp) return condition_of_bool_op(expression, then_target, else_target);
  if (kind == NodeKind::UnaryOp && expression.child("op").type_name() == "Not") {
    return lower_condition(expression.child("operand"), else_target, then_target);
  }
  if (kind == NodeKind::Compare && expression.children("ops").size() > 1) {
    return condition_of_compare(expression, then_target, else_target);
  }
  if (kind == NodeKind::Constant) {
    const bool holds = PyObject_IsTrue(expression.value_of("value").ptr()) == 1;
    return builder_.jump(holds ? then_target : else_target);
  }
  builder_.branch(lower(expression), then_target, else_target);
}

void Lowering::condition_of_bool_op(Node expression, BlockId then_target, BlockId else_target) {
  const bool is_and = expression.child("op").type_name() == "And";
  const std::vector<Node> values = expression.children("values");
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const BlockId next = builder_.new_block();
    lower_condition(values[i], is_and ? next : then_target, is_and ? else_target : next);
    builder_.start(next);
  }
  lower_condition(values.back(), then_target, else_target);
}

void Lowering::condition_of_compare(Node expression, BlockId then_target, BlockId else_target) {
  const std::vector<Node> operators = expression.children("ops");
  const std::vector<Node> comparators = expression.children("comparators");
  RegisterId left = lower(expression.child("left"));
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const RegisterId right = lower(comparators[i]);
    const RegisterId holds = compare_once(std::string(operators[i].type_name()), left, right);
    const bool last = i + 1 == operators.size();
    const BlockId next = last ? then_target : builder_.new_block();
    builder_.branch(holds, next, else_target);
    if (!last) builder_.start(next);
    left = right;
  }
}

}  // namespace dycl::import_python
