// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/machine/marks.h"

#include <algorithm>

namespace dycl::partial_eval {

OriginId Marks::origin(const std::string& place, bool of_cycle) {
  const auto [entry, is_new] = known_.try_emplace(place, OriginId(places_.size()));
  if (is_new) places_.push_back(place);
  if (of_cycle) of_cycles_.insert(entry->second);
  return entry->second;
}

bool Marks::from_cycle(const Origins& origins) const {
  return origins && std::any_of(origins->begin(), origins->end(),
                                [&](OriginId origin) { return of_cycles_.contains(origin); });
}

void Marks::keep_apart(const std::set<OriginId>& origins, const std::string& needed_at) {
  for (const OriginId origin : origins) apart_.emplace(places_[origin.index()], needed_at);
}

std::string Marks::needed_at(const std::string& place) const {
  const auto found = apart_.find(place);
  return found == apart_.end() ? std::string() : found->second;
}

void Marks::mix(const std::set<OriginId>& origins) {
  for (const OriginId origin : origins) mixed_.insert(places_[origin.index()]);
}

bool Marks::all_mixed(const std::set<OriginId>& origins) const {
  return std::all_of(origins.begin(), origins.end(),
                     [&](OriginId origin) { return mixed(places_[origin.index()]); });
}

}  // namespace dycl::partial_eval
