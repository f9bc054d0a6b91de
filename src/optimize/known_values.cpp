// SPDX-License-Identifier: Apache-2.0
#include "optimize/known_values.h"

#include <bit>

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

bool identical(const Scalar& left, const Scalar& right) {
  const double* one = std::get_if<double>(&left);
  const double* other = std::get_if<double>(&right);
  if (one == nullptr || other == nullptr) return left == right;
  return std::bit_cast<std::uint64_t>(*one) == std::bit_cast<std::uint64_t>(*other);
}

}  // namespace dycl::optimize
