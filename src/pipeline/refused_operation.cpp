// SPDX-License-Identifier: Apache-2.0
#include "pipeline/refused_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "hcfg/fragment.h"

namespace dycl::pipeline {
namespace {

bool is_part_of_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part_of_a_word(text[at - 1]);
    const bool ends = end == text.size() || !is_part_of_a_word(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

// How well a reason fits an operation: "Cast on f64: …" is about one that touches f64, whatever else it says.
enum class Fit { None, Name, NameAndSomeType, NameAndType };

template <class Owner>  // of the operation's values: a graph or a fragment
Fit fit_of(const Owner& owner, const TensorOp& op, std::string_view reason) {
  if (op.name.empty() || !has_word(reason, op.name)) return Fit::None;
  Fit best = Fit::Name;
  const auto look_at = [&](ValueId value) {
    const TensorType* type = value.valid() ? owner.type_of(value).tensor() : nullptr;
    if (type == nullptr || !has_word(reason, name_of(type->dtype))) return;
    const bool is_said_first = has_word(reason, fmt::format("{} on {}", op.name, name_of(type->dtype)));
    best = std::max(best, is_said_first ? Fit::NameAndType : Fit::NameAndSomeType);
  };
  std::ranges::for_each(op.inputs, look_at);
  std::ranges::for_each(op.outputs, look_at);
  return best;
}

// Of an instance: the best of the operators that it stands for.
Fit best_fit_of(const Hcfg& graph, const TensorOp& op, std::string_view reason) {
  if (op.fragment == nullptr) return fit_of(graph, op, reason);
  Fit best = Fit::None;
  for (const TensorOp& inner : op.fragment->ops) best = std::max(best, fit_of(*op.fragment, inner, reason));
  return best;
}

}  // namespace

const TensorOp& refused_operation(const Hcfg& graph, const SubnetStep& step, std::string_view reason) {
  const TensorOp* found = &step.ops.front();
  Fit best = Fit::None;
  for (const TensorOp& op : step.ops)
    if (const Fit fit = best_fit_of(graph, op, reason); fit > best) {
      best = fit;
      found = &op;
    }
  return *found;
}

}  // namespace dycl::pipeline
