// SPDX-License-Identifier: Apache-2.0
// Calls, inner functions and comprehensions.
#include <algorithm>

#include "import_python/lowering.h"

namespace dycl::import_python {

namespace nb = nanobind;
using namespace program;

RegisterId Lowering::lower_call(Node node) {
  if (is_bare_super(node)) return lower_super(node);
  Instruction call{.op = Op::Call};
  call.operands.push_back(lower(node.child("func")));
  const std::vector<Node> positional = node.children("args");
  const bool has_star = std::ranges::find(positional, NodeKind::Starred, &Node::kind) != positional.end();
  if (has_star && positional.size() > 1) {  // `*a` is walked before what stands behind it is computed
    call.operands.push_back(lower_list(positional));
    call.arguments.push_back({ArgumentKind::Star});
  } else {
    for (const Node argument : positional) {
      call.operands.push_back(lower(has_star ? argument.child("value") : argument));
      call.arguments.push_back({has_star ? ArgumentKind::Star : ArgumentKind::Positional});
    }
  }
  lower_keywords(node.children("keywords"), call);
  return builder_.emit(std::move(call));
}

// `**a` is read before what stands behind it is computed.
void Lowering::lower_keywords(const std::vector<Node>& keywords, Instruction& call) {
  for (std::size_t i = 0; i < keywords.size(); ++i) {
    const std::string name = keywords[i].text("arg");
    RegisterId value = lower(keywords[i].child("value"));
    if (name.empty() && i + 1 < keywords.size()) {
      const RegisterId copy = builder_.emit(Op::BuildDict, {});
      builder_.effect(Op::DictUpdate, {copy, value});
      value = copy;
    }
    call.operands.push_back(value);
    call.arguments.push_back({name.empty() ? ArgumentKind::DoubleStar : ArgumentKind::Keyword, name});
  }
}

bool Lowering::is_bare_super(Node call) {
  const Node callee = call.child("func");
  return callee.kind() == NodeKind::Name && callee.text("id") == "super" && call.children("args").empty() &&
         call.children("keywords").empty() && binding_of(scope_, "super") == Binding::Global;
}

// Says what `super()` finds by looking at its caller's frame: the class, and the first argument.
RegisterId Lowering::lower_super(Node call) {
  if (binding_of(scope_, "__class__") != Binding::Free) {
    refuse(call, "super() outside a class", "name the class and the object: super(Class, self)");
  }
  if (scope_.kind == ScopeKind::Comprehension) {
    refuse(call, "super() inside a comprehension", "give super() a name before the comprehension");
  }
  const std::vector<Parameter>& parameters = function_->ir.parameters;
  const bool has_first = !parameters.empty() && (parameters[0].kind == ParameterKind::Positional ||
                                                 parameters[0].kind == ParameterKind::PositionalOnly);
  if (!has_first) {
    refuse(call, "super() in a function without a first parameter",
           "name the class and the object: super(Class, self)");
  }
  const RegisterId callee = lower(call.child("func"));
  const RegisterId owner = read_name("__class__");
  return builder_.emit(Op::Super, {callee, owner, read_name(parameters[0].name)});
}

// A lambda or a definition without its decorators: defaults first, then the cells it closes over.
RegisterId Lowering::make_function(Node node) {
  if (!node.children("type_params").empty()) {
    refuse(node, "a generic function inside a function", "leave its type parameters out");
  }
  Instruction instruction{.op = Op::MakeFunction};
  const Node arguments = node.child("args");
  for (const Node value : arguments.children("defaults")) {
    instruction.operands.push_back(lower(value));
    instruction.arguments.push_back({ArgumentKind::Positional});
  }
  const std::vector<Node> names = arguments.children("kwonlyargs");
  const std::vector<Node> values = arguments.children("kw_defaults");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].present()) continue;
    instruction.operands.push_back(lower(values[i]));
    instruction.arguments.push_back({ArgumentKind::Keyword, mangled(names[i].text("arg"))});
  }
  return make_function(node, std::move(instruction));
}

RegisterId Lowering::make_function(Node node, Instruction instruction) {
  const Scope& inner = file_.scopes().scope_of(node);
  for (const std::string& name : inner.free) {
    const auto variable = variables_.find(name);
    if (variable == variables_.end()) internal_error("no cell for the free variable " + name);
    instruction.operands.push_back(variable->second);
    instruction.arguments.push_back({ArgumentKind::Cell});
  }
  instruction.index = static_cast<std::uint32_t>(function_->inner.size());
  function_->inner.push_back(Lowering(file_, inner).run());
  function_->ir.inner_functions.push_back(inner.qualified_name);
  return builder_.emit(std::move(instruction));
}

// An inner function of the outermost iterator, called at once.
RegisterId Lowering::lower_comprehension(Node node) {
  const Node outermost = node.children("generators").front().child("iter");
  const RegisterId function = make_function(node, Instruction{.op = Op::MakeFunction});
  RegisterId iterator = lower_walked(outermost);
  {
    const At at(*this, outermost);
    iterator = builder_.emit(Op::GetIter, {iterator});
  }
  return builder_.emit(Instruction{
      .op = Op::Call, .operands = {function, iterator}, .arguments = {{ArgumentKind::Positional}}});
}

void Lowering::comprehension_body(Node node) {
  RegisterId collected;
  switch (node.kind()) {
    case NodeKind::ListComp: collected = builder_.emit(Op::BuildList, {}); break;
    case NodeKind::SetComp: collected = builder_.emit(Op::BuildSet, {}); break;
    case NodeKind::DictComp: collected = builder_.emit(Op::BuildDict, {}); break;
    default: break;
  }
  comprehension_loops(node, 0, collected);
  builder_.terminate(Return{collected.valid() ? collected : none()});
}

void Lowering::comprehension_loops(Node node, std::size_t depth, RegisterId collected) {
  const std::vector<Node> generators = node.children("generators");
  if (depth == generators.size()) return comprehension_element(node, collected);
  const Node generator = generators[depth];
  if (generator.number("is_async") != 0) {
    refuse(generator.child("target"), "an async comprehension", "use an ordinary comprehension");
  }
  const RegisterId iterator =
      depth == 0 ? variables_.at(".0") : builder_.emit(Op::GetIter, {lower_walked(generator.child("iter"))});
  const BlockId header = builder_.new_block();
  const BlockId body = builder_.new_block();
  const BlockId end = builder_.new_block();
  loop_header(generator.child("target"), iterator, header, body, end);
  for (const Node condition : generator.children("ifs")) {
    const BlockId next = builder_.new_block();
    lower_condition(condition, next, header);
    builder_.start(next);
  }
  comprehension_loops(node, depth + 1, collected);
  builder_.jump(header);
  builder_.start(end);
}

void Lowering::comprehension_element(Node node, RegisterId collected) {
  if (node.kind() == NodeKind::DictComp) {
    const RegisterId key = lower(node.child("key"));
    builder_.effect(Op::DictSet, {collected, key, lower(node.child("value"))});
    return;
  }
  const RegisterId element = lower(node.child("elt"));
  if (node.kind() == NodeKind::ListComp) return builder_.effect(Op::ListAppend, {collected, element});
  if (node.kind() == NodeKind::SetComp) return builder_.effect(Op::SetAdd, {collected, element});
  builder_.emit(Op::Yield, {element});
}

}  // namespace dycl::import_python
