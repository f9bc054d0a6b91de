// SPDX-License-Identifier: Apache-2.0
#include "import_python/lowering.h"

#include <fmt/format.h>

#include "program/simplify.h"
#include "program/verify.h"

namespace dycl::import_python {

namespace nb = nanobind;
using namespace program;

Result<PythonFunctionPtr> lower_scope(const SourceFile& file, const Scope& scope) {
  try {
    return Lowering(file, scope).run();
  } catch (const SyntaxRefused& refused) {
    return Failure(refused.diagnostic());
  }
}

Lowering::At::At(Lowering& lowering, Node node)
    : builder_(lowering.builder_), saved_(lowering.builder_.position()) {
  builder_.set_position(lowering.file_.position_of(node));
}

Lowering::Lowering(const SourceFile& file, const Scope& scope)
    : file_(file), scope_(scope), function_(std::make_shared<PythonFunction>()), builder_(*function_) {
  Function& ir = function_->ir;
  ir.name = scope.name;
  ir.qualified_name = scope.qualified_name;
  ir.file = file.name();
  ir.first_line = scope.node.number("lineno");
  ir.is_generator = scope.has_yield;
}

std::shared_ptr<const PythonFunction> Lowering::run() {
  const Node node = scope_.node;
  const At at(*this, node);
  declare_registers();
  if (node.kind() == NodeKind::AsyncFunctionDef) {
    refuse(node, "an async function", "use an ordinary function");
  } else if (node.kind() == NodeKind::FunctionDef) {
    lower_body(node.children("body"));
    builder_.terminate(Return{none()});
  } else if (node.kind() == NodeKind::Lambda) {
    builder_.terminate(Return{lower(node.child("body"))});
  } else {
    comprehension_body(node);
  }
  Function& ir = function_->ir;
  remove_needless_bound_checks(ir);
  merge_blocks(ir);
  if (Status status = verify(ir); !status) internal_error(status.error().message);
  function_->liveness = Liveness(ir);
  function_->order = weak_topological_order(ir);
  return function_;
}

void Lowering::declare_registers() {
  if (is_comprehension(scope_.node.kind())) {
    declare_parameter(".0", ParameterKind::PositionalOnly);
  } else {
    declare_parameters(scope_.node.child("args"));
  }
  for (const std::string& name : scope_.bound) {
    if (variables_.contains(name)) continue;
    const bool shared = scope_.cells.contains(name);
    variables_[name] = builder_.declare(name, shared ? RegisterKind::Cell : RegisterKind::Local);
  }
  for (const std::string& name : scope_.free) {
    variables_[name] = builder_.declare(name, RegisterKind::Free);
    function_->ir.free_variables.push_back(variables_[name]);
  }
}

void Lowering::declare_parameters(Node arguments) {
  const auto declare = [&](const char* field, ParameterKind kind) {
    for (const Node parameter : arguments.children(field)) declare_parameter(parameter.text("arg"), kind);
  };
  const auto declare_one = [&](const char* field, ParameterKind kind) {
    if (const Node parameter = arguments.child(field); parameter.present()) {
      declare_parameter(parameter.text("arg"), kind);
    }
  };
  declare("posonlyargs", ParameterKind::PositionalOnly);
  declare("args", ParameterKind::Positional);
  declare_one("vararg", ParameterKind::Star);
  declare("kwonlyargs", ParameterKind::KeywordOnly);
  declare_one("kwarg", ParameterKind::DoubleStar);
}

void Lowering::declare_parameter(const std::string& source_name, ParameterKind kind) {
  const std::string name = mangled(source_name);
  const bool shared = scope_.cells.contains(name);
  variables_[name] = builder_.declare(name, shared ? RegisterKind::Cell : RegisterKind::Local);
  function_->ir.parameters.push_back({name, kind, variables_[name]});
}

void Lowering::refuse(Node node, const std::string& what, const std::string& hint) {
  const Position position = file_.position_of(node);
  throw SyntaxRefused(Diagnostic{Blame::Unsupported, "python.unsupported_syntax",
                                 fmt::format("{} is not supported", what),
                                 SourceSpan{file_.name(), position.line, position.column, {}}, hint});
}

RegisterId Lowering::read_name(const std::string& name) {
  switch (binding_of(scope_, name)) {
    case Binding::Global: return builder_.emit(Op::LoadGlobal, {}, name);
    case Binding::Cell:
    case Binding::Free: return builder_.emit(Op::LoadCell, {variables_.at(name)}, name);
    case Binding::Local: break;
  }
  const RegisterId local = variables_.at(name);
  builder_.effect(Op::CheckBound, {local}, name);
  // A walrus later in the same expression must not change what was read before it.
  return scope_.rebound_in_expressions.contains(name) ? builder_.copy(local) : local;
}

void Lowering::write_name(const std::string& name, RegisterId value) {
  switch (binding_of(scope_, name)) {
    case Binding::Global: return builder_.effect(Op::StoreGlobal, {value}, name);
    case Binding::Cell:
    case Binding::Free: return builder_.effect(Op::StoreCell, {variables_.at(name), value}, name);
    case Binding::Local: return builder_.move(variables_.at(name), value);
  }
}

void Lowering::delete_name(const std::string& name) {
  switch (binding_of(scope_, name)) {
    case Binding::Global: return builder_.effect(Op::DeleteGlobal, {}, name);
    case Binding::Cell:
    case Binding::Free: return builder_.effect(Op::DeleteCell, {variables_.at(name)}, name);
    case Binding::Local: break;
  }
  builder_.effect(Op::CheckBound, {variables_.at(name)}, name);
  builder_.emit_into(variables_.at(name), Instruction{.op = Op::Delete});
}

}  // namespace dycl::import_python
