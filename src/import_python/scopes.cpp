// SPDX-License-Identifier: Apache-2.0
#include "import_python/scopes.h"

#include "base/result.h"

namespace dycl::import_python {
namespace {

// Collects what every scope binds and uses; who shares what is decided afterwards.
class Collector {
 public:
  Collector(Scope& module, bool future_annotations)
      : current_(&module), future_annotations_(future_annotations) {}

  void visit(Node node);

 private:
  [[nodiscard]] std::string mangled(const std::string& name) const {
    return mangle(name, current_->class_name);
  }
  void bind(const std::string& name) { current_->bound.insert(mangled(name)); }
  void visit_all(const std::vector<Node>& nodes) {
    for (const Node node : nodes) {
      if (node.present()) visit(node);
    }
  }
  void visit_optional(Node node) {
    if (node.present()) visit(node);
  }

  Scope& enter(ScopeKind kind, Node node, const std::string& name);
  void leave() { current_ = current_->parent; }
  [[nodiscard]] std::string qualified(const std::string& name) const;

  void visit_function(Node node);
  void visit_annotations(Node node);
  void visit_lambda(Node node);
  void visit_class(Node node);
  void visit_comprehension(Node node, const char* name);
  void visit_named_expression(Node node);
  void visit_name(Node node);
  void visit_import(Node node);
  void visit_annotated_assignment(Node node);
  bool enter_type_parameters(Node node);
  void bind_parameters(Node arguments);
  void visit_defaults(Node arguments) {
    visit_all(arguments.children("defaults"));
    visit_all(arguments.children("kw_defaults"));
  }

  Scope* current_;
  bool future_annotations_;
};

Scope& Collector::enter(ScopeKind kind, Node node, const std::string& name) {
  auto scope = std::make_unique<Scope>();
  scope->kind = kind;
  scope->node = node;
  scope->parent = current_;
  scope->name = name;
  scope->qualified_name = qualified(name);
  scope->class_name = current_->class_name;
  current_->children.push_back(std::move(scope));
  current_ = current_->children.back().get();
  return *current_;
}

// Python 3.12 and later have no code object for a comprehension, hence no part of a name.
bool is_inlined(const Scope& scope) {
  return PY_VERSION_HEX >= 0x030C0000 && scope.kind == ScopeKind::Comprehension &&
         scope.node.kind() != NodeKind::GeneratorExp;
}

std::string Collector::qualified(const std::string& name) const {
  const Scope* outer = current_;
  while (outer->kind == ScopeKind::TypeParameters || is_inlined(*outer)) outer = outer->parent;
  if (outer->kind == ScopeKind::Module || outer->globals.contains(mangled(name))) return name;
  return outer->qualified_name + (outer->kind == ScopeKind::Function ? ".<locals>." : ".") + name;
}

bool Collector::enter_type_parameters(Node node) {
  const std::vector<Node> parameters = node.children("type_params");
  if (parameters.empty()) return false;
  enter(ScopeKind::TypeParameters, Node(), "<generic parameters of " + node.text("name") + ">");
  for (const Node parameter : parameters) bind(parameter.text("name"));
  visit_all(parameters);
  return true;
}

void Collector::bind_parameters(Node arguments) {
  for (const char* field : {"posonlyargs", "args", "kwonlyargs"}) {
    for (const Node parameter : arguments.children(field)) bind(parameter.text("arg"));
  }
  for (const char* field : {"vararg", "kwarg"}) {
    if (const Node parameter = arguments.child(field); parameter.present()) bind(parameter.text("arg"));
  }
}

void Collector::visit_annotations(Node node) {
  if (future_annotations_) return;
  const Node arguments = node.child("args");
  for (const char* field : {"posonlyargs", "args", "kwonlyargs"}) {
    for (const Node parameter : arguments.children(field)) visit_optional(parameter.child("annotation"));
  }
  for (const char* field : {"vararg", "kwarg"}) {
    if (const Node parameter = arguments.child(field); parameter.present()) {
      visit_optional(parameter.child("annotation"));
    }
  }
  visit_optional(node.child("returns"));
}

void Collector::visit_function(Node node) {
  bind(node.text("name"));
  visit_all(node.children("decorator_list"));
  visit_defaults(node.child("args"));
  const bool generic = enter_type_parameters(node);
  visit_annotations(node);
  enter(ScopeKind::Function, node, node.text("name"));
  bind_parameters(node.child("args"));
  visit_all(node.children("body"));
  leave();
  if (generic) leave();
}

void Collector::visit_lambda(Node node) {
  visit_defaults(node.child("args"));
  enter(ScopeKind::Function, node, "<lambda>");
  bind_parameters(node.child("args"));
  visit(node.child("body"));
  leave();
}

void Collector::visit_class(Node node) {
  bind(node.text("name"));
  visit_all(node.children("decorator_list"));
  const bool generic = enter_type_parameters(node);
  visit_all(node.children("bases"));
  for (const Node keyword : node.children("keywords")) visit(keyword.child("value"));
  enter(ScopeKind::Class, node, node.text("name")).class_name = node.text("name");
  visit_all(node.children("body"));
  leave();
  if (generic) leave();
}

// The outermost iterable belongs to the enclosing scope, all the rest to the comprehension's own.
void Collector::visit_comprehension(Node node, const char* name) {
  const std::vector<Node> generators = node.children("generators");
  visit(generators.front().child("iter"));
  Scope& scope = enter(ScopeKind::Comprehension, node, name);
  scope.has_yield = node.kind() == NodeKind::GeneratorExp;
  scope.bound.insert(".0");
  for (std::size_t i = 0; i < generators.size(); ++i) {
    visit(generators[i].child("target"));
    if (i > 0) visit(generators[i].child("iter"));
    visit_all(generators[i].children("ifs"));
  }
  for (const char* field : {"key", "value", "elt"}) visit_optional(node.child(field));
  leave();
}

// In a comprehension it binds in the function around it.
void Collector::visit_named_expression(Node node) {
  const std::string name = mangled(node.child("target").text("id"));
  Scope* owner = current_;
  while (owner->kind == ScopeKind::Comprehension) owner = owner->parent;
  const bool global = owner->kind == ScopeKind::Module || owner->globals.contains(name);
  for (Scope* inner = current_; inner != owner; inner = inner->parent) {
    (global ? inner->globals : inner->nonlocals).insert(name);
  }
  owner->bound.insert(name);
  owner->rebound_in_expressions.insert(name);
  visit(node.child("value"));
}

void Collector::visit_name(Node node) {
  const std::string id = node.text("id");
  if (node.child("ctx").kind() != NodeKind::Load) {
    bind(id);
    return;
  }
  current_->used.insert(mangled(id));
  if (id == "super" && current_->is_function()) current_->used.insert("__class__");
}

void Collector::visit_import(Node node) {
  for (const Node alias : node.children("names")) {
    const std::string as_name = alias.text("asname");
    const std::string name = alias.text("name");
    if (name == "*") continue;
    bind(!as_name.empty() ? as_name : name.substr(0, name.find('.')));
  }
}

void Collector::visit_annotated_assignment(Node node) {
  visit(node.child("target"));
  if (!future_annotations_) visit(node.child("annotation"));
  visit_optional(node.child("value"));
}

void Collector::visit(Node node) {
  switch (node.kind()) {
    case NodeKind::FunctionDef:
    case NodeKind::AsyncFunctionDef: return visit_function(node);
    case NodeKind::Lambda: return visit_lambda(node);
    case NodeKind::ClassDef: return visit_class(node);
    case NodeKind::ListComp: return visit_comprehension(node, "<listcomp>");
    case NodeKind::SetComp: return visit_comprehension(node, "<setcomp>");
    case NodeKind::DictComp: return visit_comprehension(node, "<dictcomp>");
    case NodeKind::GeneratorExp: return visit_comprehension(node, "<genexpr>");
    case NodeKind::NamedExpr: return visit_named_expression(node);
    case NodeKind::Name: return visit_name(node);
    case NodeKind::Import:
    case NodeKind::ImportFrom: return visit_import(node);
    case NodeKind::AnnAssign: return visit_annotated_assignment(node);
    case NodeKind::Global:
      for (const std::string& name : node.texts("names")) current_->globals.insert(mangled(name));
      return;
    case NodeKind::Nonlocal:
      for (const std::string& name : node.texts("names")) current_->nonlocals.insert(mangled(name));
      return;
    case NodeKind::ExceptHandler:
    case NodeKind::MatchAs:
    case NodeKind::MatchStar:
      if (const std::string name = node.text("name"); !name.empty()) bind(name);
      break;
    case NodeKind::MatchMapping:
      if (const std::string name = node.text("rest"); !name.empty()) bind(name);
      break;
    case NodeKind::Yield:
    case NodeKind::YieldFrom: current_->has_yield = true; break;
    case NodeKind::TypeAlias: bind(node.child("name").text("id")); return;
    default: break;
  }
  visit_all(node.all_children());
}

void remove_declared_elsewhere(Scope& scope) {
  for (const std::string& name : scope.globals) scope.bound.erase(name);
  for (const std::string& name : scope.nonlocals) scope.bound.erase(name);
  for (const auto& child : scope.children) remove_declared_elsewhere(*child);
}

bool visible_from(const Scope* scope, const std::string& name) {
  for (; scope->kind != ScopeKind::Module; scope = scope->parent) {
    if (scope->kind == ScopeKind::Class) {
      if (name == "__class__") return true;
      continue;
    }
    if (scope->globals.contains(name)) return false;
    if (scope->bound.contains(name)) return true;
  }
  return false;
}

// Inner scopes first: what they need from outside is either ours to share, or ours to pass on.
void share_names(Scope& scope) {
  for (const auto& child : scope.children) {
    share_names(*child);
    for (const std::string& name : child->free) {
      if (scope.is_function() && scope.bound.contains(name)) {
        scope.cells.insert(name);
      } else if (scope.kind != ScopeKind::Class || name != "__class__") {
        scope.free.insert(name);
      }
    }
  }
  if (scope.kind == ScopeKind::Module) return;
  scope.free.insert(scope.nonlocals.begin(), scope.nonlocals.end());
  for (const std::string& name : scope.used) {
    const bool elsewhere = !scope.bound.contains(name) && !scope.globals.contains(name);
    if (elsewhere && visible_from(scope.parent, name)) scope.free.insert(name);
  }
}

void list_functions(const Scope& scope, std::unordered_map<PyObject*, const Scope*>& by_node,
                    std::vector<const Scope*>& functions) {
  if (scope.kind == ScopeKind::Function || scope.kind == ScopeKind::Comprehension) {
    by_node.emplace(scope.node.object().ptr(), &scope);
    functions.push_back(&scope);
  }
  for (const auto& child : scope.children) list_functions(*child, by_node, functions);
}

}  // namespace

std::string mangle(const std::string& name, const std::string& class_name) {
  if (class_name.empty() || !name.starts_with("__") || name.ends_with("__") ||
      name.find('.') != std::string::npos) {
    return name;
  }
  const std::size_t first = class_name.find_first_not_of('_');
  return first == std::string::npos ? name : "_" + class_name.substr(first) + name;
}

Binding binding_of(const Scope& scope, const std::string& name) {
  if (scope.globals.contains(name)) return Binding::Global;
  if (scope.free.contains(name)) return Binding::Free;
  if (!scope.bound.contains(name)) return Binding::Global;
  return scope.cells.contains(name) ? Binding::Cell : Binding::Local;
}

ScopeTree::ScopeTree(Node module, bool future_annotations) : module_(std::make_unique<Scope>()) {
  module_->node = module;
  Collector collector(*module_, future_annotations);
  for (const Node statement : module.children("body")) collector.visit(statement);
  remove_declared_elsewhere(*module_);
  share_names(*module_);
  list_functions(*module_, by_node_, functions_);
}

const Scope& ScopeTree::scope_of(Node node) const {
  const auto found = by_node_.find(node.object().ptr());
  if (found == by_node_.end()) internal_error("a function of the source has no scope");
  return *found->second;
}

}  // namespace dycl::import_python
