// SPDX-License-Identifier: Apache-2.0
// Sizes of tensors and numbers on the host, where states meet.
#include "partial_eval/explore/join.h"

#include <algorithm>

#include "partial_eval/data/sizes.h"
#include "partial_eval/values/layouts.h"

namespace dycl::partial_eval {
namespace {

bool same_kind(const protocol::TensorSpec& left, const protocol::TensorSpec& right) {
  return left.dtype.is(right.dtype) && left.shape.size() == right.shape.size() &&
         left.device.equal(right.device);
}

// Whether all states have an equal entry in a map of theirs.
template <class Id, class Fact>
bool is_shared(const std::vector<const State*>& states, std::map<Id, Fact> State::* facts, Id id,
               const Fact& fact) {
  return std::ranges::all_of(states, [&](const State* state) {
    const auto found = (state->*facts).find(id);
    return found != (state->*facts).end() && found->second == fact;
  });
}

}  // namespace

SpecPtr Join::joined_spec(const std::vector<SpecPtr>& specs) {
  const bool same = std::ranges::all_of(specs, [&](const SpecPtr& spec) { return spec == specs.front(); });
  if (same) return specs.front();
  const bool alike =
      std::ranges::all_of(specs, [&](const SpecPtr& spec) { return same_kind(*spec, *specs.front()); });
  if (!alike) return nullptr;
  if (options_.any_sizes) return specs.front();
  if (options_.exact && specs.size() == 2)
    return same_but_for_names(specs[0]->shape, specs[1]->shape) &&
                   same_but_for_names(specs[0]->stride, specs[1]->stride)
               ? specs.front()
               : nullptr;
  const bool one_layout = unless_beyond([&] { return have_one_layout(specs); }).value_or(false);
  const bool any_repeats =
      std::ranges::any_of(specs, [](const SpecPtr& spec) { return repeats_elements(*spec); });
  if (!may_generalise() || (any_repeats && !one_layout)) return nullptr;
  const auto layout = unless_beyond([&] { return joined_layout(specs); });
  return layout ? machine_.torch.with_layout(*specs.front(), *layout) : nullptr;
}

protocol::Layout Join::joined_layout(const std::vector<SpecPtr>& specs) {
  const OriginId place = *origin()->begin();
  const auto joined = [&](Sizes protocol::TensorSpec::* member) {
    Sizes sizes;
    for (std::size_t axis = 0; axis < specs.front()->shape.size(); ++axis) {
      Sizes sides;
      for (const SpecPtr& spec : specs) sides.push_back(((*spec).*member)[axis]);
      sizes.push_back(joins().joined(sides, place.index()));
    }
    return sizes;
  };
  Sizes shape = joined(&protocol::TensorSpec::shape);
  const bool contiguous = std::ranges::all_of(
      specs, [](const SpecPtr& spec) { return spec->stride == contiguous_stride(spec->shape); });
  Sizes stride = contiguous ? contiguous_stride(shape) : joined(&protocol::TensorSpec::stride);
  return {std::move(shape), std::move(stride)};
}

void Join::join_size(const AbstractValue& joined, const Sides& sides) {
  if (!options_.commit) return;
  Sizes parts;
  bool any_open = false;
  for (std::size_t index = 0; index < sides.size(); ++index) {
    const auto size = size_of(*states_[index], sides[index]);
    if (!size) return;
    any_open = any_open || !size->is_known();
    parts.push_back(*size);
  }
  if (any_open) joined_.sizes.insert_or_assign(joined.scalar()->id, joins().joined(parts, std::nullopt));
}

SizeJoins& Join::joins() { return joins_ ? *joins_ : joins_.emplace(machine_.torch.size_symbols()); }

bool Join::same_but_for_names(const Sizes& left, const Sizes& right) {
  if (!renaming_) renaming_.emplace(states_[0]->bound_sizes, states_[1]->bound_sizes);
  return std::ranges::equal(
      left, right, [&](const SizeExpr& one, const SizeExpr& other) { return renaming_->same(one, other); });
}

// What the first state knows of a number, the second must know.
bool Join::same_size_facts(const Sides& sides) {
  const auto first = size_of(*states_[0], sides[0]), second = size_of(*states_[1], sides[1]);
  if (!first || sides[0].scalar() == nullptr) return true;
  return second && same_but_for_names({*first}, {*second});
}

void Join::join_size_facts() {
  if (joins_) joined_.bound_sizes = joins_->made();
  const State& first = *states_.front();
  for (const auto& [id, size] : first.sizes)
    if (is_shared(states_, &State::sizes, id, size)) joined_.sizes.emplace(id, size);
  for (const auto& [id, size] : first.held_sizes)
    if (is_shared(states_, &State::held_sizes, id, size)) joined_.held_sizes.emplace(id, size);
  for (const auto& [id, test] : first.size_tests)
    if (is_shared(states_, &State::size_tests, id, test)) joined_.size_tests.emplace(id, test);
}

}  // namespace dycl::partial_eval
