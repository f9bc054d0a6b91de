// SPDX-License-Identifier: Apache-2.0
// Sizes of tensors and numbers on the host, where states meet.
#include "partial_eval/explore/join.h"

#include <algorithm>

#include "partial_eval/data/sizes.h"

namespace dycl::partial_eval {

SpecPtr Join::joined_spec(const std::vector<SpecPtr>& specs) {
  const bool same =
      std::all_of(specs.begin(), specs.end(), [&](const SpecPtr& spec) { return spec == specs.front(); });
  if (same) return specs.front();
  if (options_.exact && specs.size() == 2)
    return same_but_for_names(nb::cast(specs[0]), nb::cast(specs[1])) ? specs.front() : nullptr;
  if (!may_generalise()) return {};
  if (!sizes_.is_valid()) sizes_ = machine_.torch.new_joins();
  const OriginId place = *origin()->begin();
  return nb::cast<SpecPtr>(sizes_.attr("spec")(specs, place.index()));
}

void Join::join_size(const AbstractValue& joined, const Sides& sides) {
  if (!options_.commit) return;
  nb::list parts;
  bool any_open = false;
  for (std::size_t index = 0; index < sides.size(); ++index) {
    const nb::object size = size_of(*states_[index], sides[index]);
    if (!size.is_valid()) return;
    any_open = any_open || !is_known_size(size);
    parts.append(size);
  }
  if (!any_open) return;
  if (!sizes_.is_valid()) sizes_ = machine_.torch.new_joins();
  joined_.sizes.insert_or_assign(joined.scalar()->id, sizes_.attr("size")(parts, nb::none()));
}

bool Join::same_but_for_names(const nb::object& left, const nb::object& right) {
  if (!sizes_.is_valid()) {
    const auto bound = [](const State* state) {
      return state->bound_sizes.is_valid() ? state->bound_sizes : nb::object(nb::tuple());
    };
    sizes_ = machine_.torch.new_renaming(bound(states_[0]), bound(states_[1]));
  }
  return nb::cast<bool>(sizes_.attr("same")(left, right));
}

// What the first state knows of a number, the second must know.
bool Join::same_size_facts(const Sides& sides) {
  const nb::object first = size_of(*states_[0], sides[0]), second = size_of(*states_[1], sides[1]);
  if (!first.is_valid() || sides[0].scalar() == nullptr) return true;
  return second.is_valid() && same_but_for_names(first, second);
}

void Join::join_size_facts() {
  if (sizes_.is_valid() && !options_.exact) joined_.bound_sizes = sizes_.attr("made")();
  const State& first = *states_.front();
  for (const auto& [id, size] : first.sizes) {
    const bool shared = std::all_of(states_.begin(), states_.end(), [&, id = id](const State* state) {
      const auto found = state->sizes.find(id);
      return found != state->sizes.end() && same_size(found->second, first.sizes.at(id));
    });
    if (shared) joined_.sizes.emplace(id, size);
  }
  for (const auto& [id, test] : first.size_tests) {
    const bool shared = std::all_of(states_.begin(), states_.end(), [&, id = id](const State* state) {
      const auto found = state->size_tests.find(id);
      const SizeTest& one = first.size_tests.at(id);
      return found != state->size_tests.end() && found->second.relation == one.relation &&
             same_size(found->second.left, one.left) && same_size(found->second.right, one.right);
    });
    if (shared) joined_.size_tests.emplace(id, test);
  }
}

}  // namespace dycl::partial_eval
