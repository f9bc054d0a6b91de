// SPDX-License-Identifier: Apache-2.0
// try, with, and the ways out of them. A clean-up is written once per way: the normal end, the exception,
// and every return, break and continue that leaves.
#include "import_python/lowering.h"

namespace dycl::import_python {

using namespace program;

void Lowering::enter_region(Region region) {
  region.outer_handler = builder_.handler();
  region.exceptions = exceptions_.size();
  regions_.push_back(std::move(region));
}

void Lowering::leave_region() {
  const FunctionBuilder::Handler outer = regions_.back().outer_handler;
  regions_.pop_back();
  builder_.set_handler(outer);
}

void Lowering::leave_by(std::size_t depth, const Terminator& terminator) {
  const std::vector<Region> regions = regions_;
  const std::vector<RegisterId> exceptions = exceptions_;
  const FunctionBuilder::Handler handler = builder_.handler();
  while (regions_.size() > depth) {
    const Region region = regions_.back();
    leave_region();
    exceptions_.resize(region.exceptions);
    clean_up(region);
  }
  builder_.terminate(terminator);
  regions_ = regions;
  exceptions_ = exceptions;
  builder_.set_handler(handler);
}

void Lowering::clean_up(const Region& region) {
  switch (region.kind) {
    case Region::Kind::Loop:
    case Region::Kind::Handlers: return;
    case Region::Kind::Finally: return lower_body(region.cleanup);
    case Region::Kind::With: builder_.emit(Op::ExitContext, {region.manager}); return;
    case Region::Kind::NamedException: return forget_exception(region.name);
  }
}

void Lowering::lower_try(Node node) {
  const std::vector<Node> cleanup = node.children("finalbody");
  if (cleanup.empty()) return lower_try_except(node);
  const RegisterId exception = builder_.temporary();
  const BlockId on_exception = builder_.new_block();
  const BlockId end = builder_.new_block();
  enter_region({.kind = Region::Kind::Finally, .cleanup = cleanup});
  builder_.set_handler(program::Handler{on_exception, exception});
  if (node.children("handlers").empty()) {
    lower_body(node.children("body"));
  } else {
    lower_try_except(node);
  }
  leave_region();
  lower_body(cleanup);
  builder_.jump(end);
  builder_.start(on_exception);
  exceptions_.push_back(exception);
  lower_body(cleanup);
  exceptions_.pop_back();
  builder_.terminate(Reraise{exception});
  builder_.start(end);
}

void Lowering::lower_try_except(Node node) {
  const RegisterId exception = builder_.temporary();
  const BlockId on_exception = builder_.new_block();
  const BlockId end = builder_.new_block();
  enter_region({.kind = Region::Kind::Handlers});
  builder_.set_handler(program::Handler{on_exception, exception});
  lower_body(node.children("body"));
  leave_region();
  lower_body(node.children("orelse"));
  builder_.jump(end);
  builder_.start(on_exception);
  lower_handlers(node, exception, end);
  builder_.start(end);
}

void Lowering::lower_handlers(Node node, RegisterId exception, BlockId end) {
  // While a handler runs, or its type is looked up, this is the exception that a bare `raise` raises.
  exceptions_.push_back(exception);
  for (const Node handler : node.children("handlers")) {
    const At at(*this, handler);
    const BlockId next = builder_.new_block();
    if (const Node type = handler.child("type"); type.present()) {
      const BlockId body = builder_.new_block();
      const RegisterId types = lower(type);
      const At at_type(*this, type);
      builder_.branch(builder_.emit(Op::ExceptionMatches, {exception, types}), body, next);
      builder_.start(body);
    }
    lower_handler_body(handler, exception);
    builder_.jump(end);
    builder_.start(next);
  }
  exceptions_.pop_back();
  builder_.terminate(Reraise{exception});
}

// `except E as name` unbinds the name on every way out of its body.
void Lowering::lower_handler_body(Node handler, RegisterId exception) {
  const std::string name = handler.text("name");
  if (name.empty()) return lower_body(handler.children("body"));
  write_name(mangled(name), exception);
  const RegisterId inner = builder_.temporary();
  const BlockId on_exception = builder_.new_block();
  const BlockId end = builder_.new_block();
  enter_region({.kind = Region::Kind::NamedException, .name = mangled(name)});
  builder_.set_handler(program::Handler{on_exception, inner});
  lower_body(handler.children("body"));
  leave_region();
  forget_exception(mangled(name));
  builder_.jump(end);
  builder_.start(on_exception);
  forget_exception(mangled(name));
  builder_.terminate(Reraise{inner});
  builder_.start(end);
}

// Bound once more first, so that deleting cannot fail.
void Lowering::forget_exception(const std::string& name) {
  write_name(name, none());
  delete_name(name);
}

void Lowering::lower_with(Node node, std::size_t item) {
  const std::vector<Node> items = node.children("items");
  if (item == items.size()) return lower_body(node.children("body"));
  const Node expression = items[item].child("context_expr");
  const At at(*this, expression);
  RegisterId manager = lower(expression);
  // The body may give the name another value; what was entered is left.
  if (!builder_.is_temporary(manager)) manager = builder_.copy(manager);
  const RegisterId entered = builder_.emit(Op::EnterContext, {manager});
  const RegisterId exception = builder_.temporary();
  const BlockId on_exception = builder_.new_block();
  const BlockId propagate = builder_.new_block();
  const BlockId end = builder_.new_block();
  enter_region({.kind = Region::Kind::With, .manager = manager});
  builder_.set_handler(program::Handler{on_exception, exception});
  if (const Node target = items[item].child("optional_vars"); target.present()) assign(target, entered);
  lower_with(node, item + 1);
  leave_region();
  builder_.emit(Op::ExitContext, {manager});
  builder_.jump(end);
  builder_.start(on_exception);
  builder_.branch(builder_.emit(Op::ExitContext, {manager, exception}), end, propagate);
  builder_.start(propagate);
  builder_.terminate(Reraise{exception});
  builder_.start(end);
}

}  // namespace dycl::import_python
