// SPDX-License-Identifier: Apache-2.0
// Assignments of every form, and del.
#include <algorithm>
#include <set>

#include "import_python/lowering.h"
#include "import_python/operators.h"

namespace dycl::import_python {

using namespace program;

void Lowering::lower_assign(Node node) {
  const std::vector<Node> targets = node.children("targets");
  RegisterId value = lower(node.child("value"));
  if (targets.size() == 1) return assign(targets.front(), value);
  // `a, b = c = a`: the first target must not change what the second gets.
  if (!builder_.is_temporary(value)) value = builder_.copy(value);
  // Copied per target, so that no target takes the register over.
  for (const Node target : targets) {
    target.kind() == NodeKind::Name ? write_name(mangled(target.text("id")), value) : assign(target, value);
  }
}

// Without a value only the target's parts are evaluated, as CPython does; the annotation never is.
void Lowering::lower_annotated_assign(Node node) {
  const Node target = node.child("target");
  const Node expression = node.child("value");
  if (expression.present()) return assign(target, lower(expression));
  if (target.kind() == NodeKind::Name) return;
  lower(target.child("value"));
  if (target.kind() == NodeKind::Subscript) lower(target.child("slice"));
}

// Container and key are evaluated once, the old value is read before the right side runs.
void Lowering::lower_augmented_assign(Node node) {
  const Node target = node.child("target");
  const auto combined = [&](RegisterId old) {
    const RegisterId right = lower(node.child("value"));
    return builder_.emit(Instruction{.op = Op::Binary,
                                     .operands = {old, right},
                                     .operation = operation_of(node.child("op").type_name()),
                                     .inplace = true});
  };
  if (target.kind() == NodeKind::Name) {
    assign_name(target, combined(read_name(mangled(target.text("id")))));
    return;
  }
  const RegisterId object = lower(target.child("value"));
  if (target.kind() == NodeKind::Attribute) {
    const std::string name = mangled(target.text("attr"));
    const RegisterId value = combined(builder_.emit(Op::GetAttr, {object}, name));
    return builder_.effect(Op::SetAttr, {object, value}, name);
  }
  const RegisterId key = lower(target.child("slice"));
  const RegisterId value = combined(builder_.emit(Op::GetItem, {object, key}));
  builder_.effect(Op::SetItem, {object, key, value});
}

void Lowering::lower_delete(Node target) {
  const At at(*this, target);
  switch (target.kind()) {
    case NodeKind::Name: return delete_name(mangled(target.text("id")));
    case NodeKind::Attribute:
      return builder_.effect(Op::DeleteAttr, {lower(target.child("value"))}, mangled(target.text("attr")));
    case NodeKind::Subscript: {
      const RegisterId container = lower(target.child("value"));
      return builder_.effect(Op::DeleteItem, {container, lower(target.child("slice"))});
    }
    case NodeKind::Tuple:
    case NodeKind::List:
      for (const Node element : target.children("elts")) lower_delete(element);
      return;
    default:
      refuse(target, "deleting the expression " + std::string(target.type_name()),
             "write it with older syntax");
  }
}

void Lowering::assign(Node target, RegisterId value) {
  switch (target.kind()) {
    case NodeKind::Name: return assign_name(target, value);
    case NodeKind::Starred: return assign(target.child("value"), value);
    case NodeKind::Tuple:
    case NodeKind::List: return unpack(target, value);
    default: break;
  }
  const At at(*this, target);
  const RegisterId object = lower(target.child("value"));
  if (target.kind() == NodeKind::Attribute) {
    return builder_.effect(Op::SetAttr, {object, value}, mangled(target.text("attr")));
  }
  builder_.effect(Op::SetItem, {object, lower(target.child("slice")), value});
}

void Lowering::assign_name(Node target, RegisterId value) {
  const std::string name = mangled(target.text("id"));
  if (binding_of(scope_, name) == Binding::Local) return builder_.move_or_rename(variables_.at(name), value);
  write_name(name, value);
}

// Plain local names are written by the instruction itself, all others one after the other.
void Lowering::unpack(Node target, RegisterId value) {
  const At at(*this, target);
  const std::vector<Node> elements = target.children("elts");
  Instruction instruction{.op = Op::Unpack, .operands = {value}, .index = kNoIndex};
  std::set<std::string> names;
  std::vector<bool> direct;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const bool starred = elements[i].kind() == NodeKind::Starred;
    if (starred) instruction.index = static_cast<std::uint32_t>(i);
    const Node element = starred ? elements[i].child("value") : elements[i];
    const std::string name = element.kind() == NodeKind::Name ? mangled(element.text("id")) : "";
    const bool local = !name.empty() && binding_of(scope_, name) == Binding::Local;
    direct.push_back(local && names.insert(name).second);
    instruction.results.push_back(direct.back() ? variables_.at(name) : builder_.temporary());
  }
  const std::vector<RegisterId> results = instruction.results;
  builder_.emit_into({}, std::move(instruction));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!direct[i]) assign(elements[i], results[i]);
  }
}

}  // namespace dycl::import_python
