// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/state_memory.h"

namespace dycl::partial_eval {
namespace {

WatchedMemory::Part memory_of_tensor(const nb::object& tensor) {
  const nb::object storage = tensor.attr("untyped_storage")();
  const auto begin = nb::cast<std::uintptr_t>(storage.attr("data_ptr")());
  return {begin, begin + nb::cast<std::uintptr_t>(storage.attr("nbytes")())};
}

}  // namespace

void watch_memory(Machine& machine, State& state) {
  auto watched = std::make_shared<WatchedMemory>();
  for (const nb::object& tensor : machine.marks.state_tensors)
    watched->parts.push_back(memory_of_tensor(tensor));
  if (watched->parts.empty()) return;
  watched->read = [&machine](const State& reader) {
    machine.refuse(reader, "python.state_memory",
                   "a tensor or array is read that shares its memory with one which is kept from call to "
                   "call, and which the program writes to",
                   "give each of them memory of its own: clone()");
  };
  machine.across_calls.watched = watched;
  state.watched = std::move(watched);
}

std::vector<StorageId> storages_of_state_tensors(const Machine& machine) {
  std::map<std::uintptr_t, StorageId> by_memory;
  std::vector<StorageId> storages;
  for (const nb::object& tensor : machine.marks.state_tensors) {
    const WatchedMemory::Part memory = memory_of_tensor(tensor);
    const auto [entry, is_new] = by_memory.try_emplace(memory.begin);
    if (is_new || memory.begin == memory.end) entry->second = fresh_storage();
    storages.push_back(entry->second);
  }
  return storages;
}

}  // namespace dycl::partial_eval
