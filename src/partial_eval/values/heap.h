// SPDX-License-Identifier: Apache-2.0
// The abstract heap: objects made or written during the run, with identity and aliasing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "partial_eval/values/objects.h"

namespace dycl::partial_eval {

// Copying a heap is cheap: the copies share until one is written.
class Heap {
 public:
  ObjectRef add(Object object);
  [[nodiscard]] const Object& at(ObjectRef ref) const { return *table().at(ref.id); }
  Object& edit(ObjectRef ref);  // throws ProtectedWrite, FrozenWrite
  // Marks an object that belongs to the caller of the program, who would have to see what is written to it.
  void protect(ObjectRef ref);
  [[nodiscard]] bool is_protected(ObjectRef ref) const { return protected_ && protected_->contains(ref.id); }
  // Marks an object that lies in a list of the runtime, through which a write to it would have to be seen.
  // `origins` are the meetings that made the list one.
  void freeze(ObjectRef ref, const Origins& origins);
  [[nodiscard]] bool is_frozen(ObjectRef ref) const { return frozen_ && frozen_->contains(ref.id); }
  [[nodiscard]] Origins origins_of_frozen(ObjectRef ref) const;
  [[nodiscard]] Heap empty_copy() const;  // with the same objects protected
  void put(HeapId id, Object object);     // under a known id
  [[nodiscard]] bool contains(HeapId id) const { return table_ && table_->contains(id); }

  template <class Kind>
  [[nodiscard]] const Kind* get(const AbstractValue& value) const {
    const ObjectRef* ref = value.object();
    return ref == nullptr ? nullptr : std::get_if<Kind>(&at(*ref));
  }
  template <class Kind>
  Kind& edit_as(ObjectRef ref) {
    return std::get<Kind>(edit(ref));
  }

  // Keeps what `reachable` names, drops the rest.
  void for_each(const std::function<void(ObjectRef, const Object&)>& visit) const;
  void keep_only(const std::function<bool(HeapId)>& reachable);
  [[nodiscard]] std::size_t size() const { return table_ ? table_->size() : 0; }

 private:
  using Table = std::unordered_map<HeapId, std::shared_ptr<Object>>;
  [[nodiscard]] const Table& table() const { return *table_; }
  Table& own_table();

  std::shared_ptr<Table> table_;
  std::shared_ptr<std::set<HeapId>> protected_;        // on all paths
  std::shared_ptr<std::map<HeapId, Origins>> frozen_;  // on this one
};

// A write to a protected object throws the first, one to a frozen object the second.
struct ProtectedWrite {};
struct FrozenWrite {
  Origins origins;
};

}  // namespace dycl::partial_eval
