// SPDX-License-Identifier: Apache-2.0
#include "base/by_rule.h"
#include "host_rules/indices.h"
#include "runtime/host_ops.h"

namespace dycl::runtime {
namespace {

// The sequence to change: the operand's own node when nobody else sees it (so that appending in a loop
// does not copy), else a copy.
SequenceRef own_sequence(const HostCall& call, RuntimeValue value) {
  SequenceRef node = std::move(std::get<SequenceRef>(value));
  if (node->unshared()) return node;
  SequenceRef copy = call.pool().take_sequence();
  copy->items = node->items;
  return copy;
}

Status make_sequence(const HostCall& call) {
  SequenceRef node = call.pool().take_sequence();
  for (std::size_t index = 0; index < call.operands(); ++index) {
    if (!call.operand(index).has_value()) return call.bad_operand();
    node->items.push_back(call.take(index));
  }
  return call.give(std::move(node));
}

Status insert(const HostCall& call, std::size_t size) {
  std::size_t position = size;
  if (call.operands() == 3) {
    const std::int64_t* index = call.integer(2);
    if (index == nullptr) return call.bad_operand();
    auto place = by_rule([&] { return host_rules::insertion_place(*index, size); });
    if (!place) return failure_of(std::move(place));
    position = *place;
  }
  if (!call.operand(1).has_value()) return call.bad_operand();
  RuntimeValue value = call.take(1);
  SequenceRef node = own_sequence(call, call.take(0));
  node->items.insert(node->items.begin() + static_cast<std::ptrdiff_t>(position), std::move(value));
  return call.give(std::move(node));
}

Status erase(const HostCall& call, std::size_t size) {
  std::int64_t index = -1;
  if (call.operands() == 2) {
    if (call.integer(1) == nullptr) return call.bad_operand();
    index = *call.integer(1);
  }
  auto position = by_rule([&] { return host_rules::element_place(index, size); });
  if (!position) return failure_of(std::move(position));
  SequenceRef node = own_sequence(call, call.take(0));
  node->items.erase(node->items.begin() + static_cast<std::ptrdiff_t>(*position));
  return call.give(std::move(node));
}

Status at(const HostCall& call, const std::vector<RuntimeValue>& items) {
  const std::int64_t* index = call.integer(1);
  if (index == nullptr) return call.bad_operand();
  auto position = by_rule([&] { return host_rules::element_place(*index, items.size()); });
  if (!position) return failure_of(std::move(position));
  return call.give(items[*position]);
}

}  // namespace

Status run_sequence_op(const HostCall& call) {
  if (call.op() == HostOp::SeqEmpty || call.op() == HostOp::SeqOf) return make_sequence(call);
  if (call.op() == HostOp::SeqConcat) return concat_sequence(call);
  if (call.op() == HostOp::SeqSplit) return split_tensor(call);
  const std::vector<RuntimeValue>* items = call.operand(0).items();
  if (items == nullptr) return call.bad_operand();
  switch (call.op()) {
    case HostOp::SeqInsert: return insert(call, items->size());
    case HostOp::SeqErase: return erase(call, items->size());
    case HostOp::SeqAt: return at(call, *items);
    case HostOp::SeqLen: return call.give(Scalar(static_cast<std::int64_t>(items->size())));
    default: internal_error("an operation on sequences that the runtime does not know");
  }
}

}  // namespace dycl::runtime
