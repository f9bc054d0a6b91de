// SPDX-License-Identifier: Apache-2.0
#include "optimize/known_values.h"

#include <algorithm>
#include <bit>

#include "base/overloaded.h"
#include "optimize/producers.h"

namespace dycl::optimize {

KnownValues::KnownValues(const Hcfg& graph) : scalars_(graph.values.size()), tensors_(graph.values.size()) {
  for (const Constant& constant : graph.constants) learn(constant.value, constant.data);
  for (const Block& block : graph.blocks)
    for (const Step& step : block.steps) {
      const auto* host = std::get_if<HostStep>(&step);
      if (host == nullptr || host->op != HostOp::Const) continue;
      const ScalarType* type = graph.type_of(host->outputs[0]).scalar();
      if (type != nullptr) scalars_[host->outputs[0].index()] = scalar_of_const(*host, type->kind);
    }
}

std::optional<std::size_t> known_choice(const Terminator& terminator,
                                        const std::function<std::optional<Scalar>(ValueId)>& scalar_of) {
  using Choice = std::optional<std::size_t>;
  return std::visit(
      Overloaded{
          [&](const Branch& branch) -> Choice {
            const std::optional<Scalar> condition = scalar_of(branch.condition);
            if (!condition) return std::nullopt;
            return std::get<bool>(*condition) ? 0 : 1;
          },
          [&](const Switch& choice) -> Choice {
            const std::optional<Scalar> index = scalar_of(choice.index);
            if (!index) return std::nullopt;
            const auto number = static_cast<std::uint64_t>(std::get<std::int64_t>(*index));  // negative: huge
            return static_cast<std::size_t>(std::min<std::uint64_t>(number, choice.cases.size()));
          },
          [](const Jump&) -> Choice { return std::nullopt; },
          [](const Return&) -> Choice { return std::nullopt; },
          [](const Raise&) -> Choice { return std::nullopt; },
      },
      terminator);
}

bool identical(const Scalar& left, const Scalar& right) {
  const double* one = std::get_if<double>(&left);
  const double* other = std::get_if<double>(&right);
  if (one == nullptr || other == nullptr) return left == right;
  return std::bit_cast<std::uint64_t>(*one) == std::bit_cast<std::uint64_t>(*other);
}

}  // namespace dycl::optimize
