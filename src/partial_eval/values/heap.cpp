// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/values/heap.h"

namespace dycl::partial_eval {
namespace {

// Ids are never used again, so that a stale one cannot name another object.
std::size_t fresh_id() {
  static std::size_t last = 0;  // under the GIL
  return ++last;
}

}  // namespace

Heap::Table& Heap::own_table() {
  if (!table_) table_ = std::make_shared<Table>();
  if (table_.use_count() > 1) table_ = std::make_shared<Table>(*table_);
  return *table_;
}

ObjectRef Heap::add(Object object) {
  const ObjectRef ref{HeapId(fresh_id())};
  own_table().emplace(ref.id, std::make_shared<Object>(std::move(object)));
  return ref;
}

Heap Heap::empty_copy() const {
  Heap copy;
  copy.table_ = std::make_shared<Table>();
  copy.protected_ = protected_;
  return copy;
}

void Heap::protect(ObjectRef ref) {
  if (!protected_) protected_ = std::make_shared<std::set<HeapId>>();
  protected_->insert(ref.id);
}

void Heap::freeze(ObjectRef ref, const Origins& origins) {
  using Frozen = std::map<HeapId, Origins>;
  if (!frozen_)
    frozen_ = std::make_shared<Frozen>();
  else if (frozen_.use_count() > 1)
    frozen_ = std::make_shared<Frozen>(*frozen_);
  Origins& known = (*frozen_)[ref.id];
  known = united(known, origins);
}

Origins Heap::origins_of_frozen(ObjectRef ref) const {
  if (!frozen_) return nullptr;
  const auto found = frozen_->find(ref.id);
  return found == frozen_->end() ? nullptr : found->second;
}

Object& Heap::edit(ObjectRef ref) {
  if (is_protected(ref)) throw ProtectedWrite{};
  if (is_frozen(ref)) throw FrozenWrite{origins_of_frozen(ref)};
  std::shared_ptr<Object>& entry = own_table().at(ref.id);
  if (entry.use_count() > 1) entry = std::make_shared<Object>(*entry);
  return *entry;
}

void Heap::put(HeapId id, Object object) {
  own_table().insert_or_assign(id, std::make_shared<Object>(std::move(object)));
}

void Heap::for_each(const std::function<void(ObjectRef, const Object&)>& visit) const {
  if (!table_) return;
  for (const auto& [id, object] : *table_) visit(ObjectRef{id}, *object);
}

void Heap::keep_only(const std::function<bool(HeapId)>& reachable) {
  if (!table_) return;
  auto kept = std::make_shared<Table>();
  for (const auto& [id, object] : *table_)
    if (reachable(id)) kept->emplace(id, object);
  table_ = std::move(kept);
}

}  // namespace dycl::partial_eval
