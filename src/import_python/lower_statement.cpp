// SPDX-License-Identifier: Apache-2.0
// Statements without a family of their own.
#include <algorithm>

#include "import_python/lowering.h"

namespace dycl::import_python {

namespace nb = nanobind;
using namespace program;

namespace {

std::vector<std::string> split_at_dots(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

void Lowering::lower_body(const std::vector<Node>& statements) {
  for (const Node statement : statements) lower_statement(statement);
}

void Lowering::lower_statement(Node statement) {
  const At at(*this, statement);
  switch (statement.kind()) {
    case NodeKind::Assign: return lower_assign(statement);
    case NodeKind::AnnAssign: return lower_annotated_assign(statement);
    case NodeKind::AugAssign: return lower_augmented_assign(statement);
    case NodeKind::Expr:
      // A lone constant, a docstring for instance, does nothing.
      if (statement.child("value").kind() != NodeKind::Constant) lower(statement.child("value"));
      return;
    case NodeKind::Delete:
      for (const Node target : statement.children("targets")) lower_delete(target);
      return;
    case NodeKind::FunctionDef: return lower_function_def(statement);
    case NodeKind::Import: return lower_import(statement);
    case NodeKind::ImportFrom: return lower_import_from(statement);
    case NodeKind::Assert: return lower_assert(statement);
    case NodeKind::Global:
    case NodeKind::Nonlocal:
    case NodeKind::Pass: return;
    case NodeKind::ClassDef:
      refuse(statement, "a class statement inside a function", "define the class at module level");
    case NodeKind::AsyncFunctionDef:
    case NodeKind::AsyncFor:
    case NodeKind::AsyncWith: refuse(statement, "async", "use the ordinary statement");
    case NodeKind::TypeAlias:
      refuse(statement, "a type alias inside a function", "define it at module level");
    default: return lower_control(statement);
  }
}

void Lowering::lower_control(Node statement) {
  switch (statement.kind()) {
    case NodeKind::If: return lower_if(statement);
    case NodeKind::While: return lower_while(statement);
    case NodeKind::For: return lower_for(statement);
    case NodeKind::With: return lower_with(statement, 0);
    case NodeKind::Try: return lower_try(statement);
    case NodeKind::Match: return lower_match(statement);
    case NodeKind::Return: return lower_return(statement);
    case NodeKind::Raise: return lower_raise(statement);
    case NodeKind::Break:
    case NodeKind::Continue: return lower_loop_exit(statement);
    case NodeKind::TryStar: refuse(statement, "except*", "use except, one exception at a time");
    default:
      refuse(statement, "the statement " + std::string(statement.type_name()), "write it with older syntax");
  }
}

void Lowering::lower_if(Node node) {
  const std::vector<Node> otherwise = node.children("orelse");
  const BlockId then_block = builder_.new_block();
  const BlockId end = builder_.new_block();
  const BlockId else_block = otherwise.empty() ? end : builder_.new_block();
  lower_condition(node.child("test"), then_block, else_block);
  builder_.start(then_block);
  lower_body(node.children("body"));
  builder_.jump(end);
  if (!otherwise.empty()) {
    builder_.start(else_block);
    lower_body(otherwise);
    builder_.jump(end);
  }
  builder_.start(end);
}

// From the beginning of the body on: what `for` and `while` have in common.
void Lowering::loop_body(Node node, BlockId header, BlockId exhausted, BlockId end) {
  enter_region({.kind = Region::Kind::Loop, .break_target = end, .continue_target = header});
  lower_body(node.children("body"));
  leave_region();
  builder_.jump(header);
  builder_.start(exhausted);
  lower_body(node.children("orelse"));
  builder_.jump(end);
  builder_.start(end);
}

void Lowering::lower_while(Node node) {
  const BlockId header = builder_.new_block();
  const BlockId body = builder_.new_block();
  const BlockId exhausted = builder_.new_block();
  const BlockId end = builder_.new_block();
  builder_.jump(header);
  builder_.start(header);
  lower_condition(node.child("test"), body, exhausted);
  builder_.start(body);
  loop_body(node, header, exhausted, end);
}

void Lowering::loop_header(Node target, RegisterId iterator, BlockId header, BlockId body, BlockId exit) {
  const At at(*this, target);
  const std::string name = target.kind() == NodeKind::Name ? mangled(target.text("id")) : std::string();
  const bool direct = !name.empty() && binding_of(scope_, name) == Binding::Local;
  const RegisterId element = direct ? variables_.at(name) : builder_.temporary();
  builder_.jump(header);
  builder_.start(header);
  builder_.terminate(ForNext{iterator, element, body, exit});
  builder_.start(body);
  if (!direct) assign(target, element);
}

void Lowering::lower_for(Node node) {
  RegisterId iterator = lower_walked(node.child("iter"));
  {
    const At at(*this, node.child("iter"));
    iterator = builder_.emit(Op::GetIter, {iterator});
  }
  const BlockId header = builder_.new_block();
  const BlockId body = builder_.new_block();
  const BlockId exhausted = builder_.new_block();
  const BlockId end = builder_.new_block();
  loop_header(node.child("target"), iterator, header, body, exhausted);
  loop_body(node, header, exhausted, end);
}

void Lowering::lower_return(Node node) {
  const Node expression = node.child("value");
  RegisterId value = expression.present() ? lower(expression) : none();
  // What is returned was read before the clean-up below runs.
  if (!regions_.empty() && !builder_.is_temporary(value)) value = builder_.copy(value);
  leave_by(0, Return{value});
}

void Lowering::lower_loop_exit(Node node) {
  for (std::size_t i = regions_.size(); i-- > 0;) {
    if (regions_[i].kind != Region::Kind::Loop) continue;
    const bool is_break = node.kind() == NodeKind::Break;
    return leave_by(i + 1, Jump{is_break ? regions_[i].break_target : regions_[i].continue_target});
  }
  internal_error("break or continue outside a loop");
}

void Lowering::lower_assert(Node node) {
  if (!file_.keeps_asserts()) return;
  const BlockId holds = builder_.new_block();
  const BlockId fails = builder_.new_block();
  lower_condition(node.child("test"), holds, fails);
  builder_.start(fails);
  RegisterId exception = builder_.constant(nb::borrow(PyExc_AssertionError));
  if (const Node message = node.child("msg"); message.present()) {
    const RegisterId text = lower(message);
    exception = builder_.emit(Instruction{
        .op = Op::Call, .operands = {exception, text}, .arguments = {{ArgumentKind::Positional}}});
  }
  builder_.terminate(Raise{exception});
  builder_.start(holds);
}

void Lowering::lower_raise(Node node) {
  const Node exception = node.child("exc");
  if (!exception.present()) {
    if (exceptions_.empty()) {
      refuse(node, "raise without an exception outside an except block", "name the exception to raise");
    }
    builder_.terminate(Reraise{exceptions_.back()});
    return;
  }
  Raise raise{lower(exception)};
  if (const Node cause = node.child("cause"); cause.present()) raise.cause = lower(cause);
  builder_.terminate(raise);
}

void Lowering::lower_function_def(Node node) {
  const std::vector<Node> decorators = node.children("decorator_list");
  const std::vector<RegisterId> callees = lower_all(decorators);
  RegisterId function = make_function(node);
  for (std::size_t i = decorators.size(); i-- > 0;) {
    const At at(*this, decorators[i]);
    function = builder_.emit(Instruction{
        .op = Op::Call, .operands = {callees[i], function}, .arguments = {{ArgumentKind::Positional}}});
  }
  write_name(mangled(node.text("name")), function);
}

// `import a.b` binds a; `import a.b as c` binds b.
void Lowering::lower_import(Node node) {
  for (const Node alias : node.children("names")) {
    const std::string name = alias.text("name");
    const std::string as_name = alias.text("asname");
    const std::vector<std::string> parts = split_at_dots(name);
    RegisterId module = builder_.emit(Op::Import, {}, mangled(name));
    if (as_name.empty()) {
      write_name(mangled(parts.front()), module);
      continue;
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
      module = builder_.emit(Op::ImportFrom, {module}, mangled(parts[i]));
    }
    write_name(mangled(as_name), module);
  }
}

void Lowering::lower_import_from(Node node) {
  Instruction import{.op = Op::Import, .index = node.number("level"), .name = node.text("module")};
  const std::vector<Node> aliases = node.children("names");
  for (const Node alias : aliases) import.names.push_back(alias.text("name"));
  const RegisterId module = builder_.emit(std::move(import));
  for (const Node alias : aliases) {
    const std::string name = mangled(alias.text("name"));
    const std::string as_name = alias.text("asname");
    write_name(as_name.empty() ? name : mangled(as_name), builder_.emit(Op::ImportFrom, {module}, name));
  }
}

}  // namespace dycl::import_python
