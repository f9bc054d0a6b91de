// SPDX-License-Identifier: Apache-2.0
#include "program/function.h"

#include "base/overloaded.h"

namespace dycl::program {

std::vector<BlockId> successors(const Terminator& terminator) {
  return std::visit(Overloaded{
                        [](const Jump& jump) -> std::vector<BlockId> { return {jump.target}; },
                        [](const Branch& branch) -> std::vector<BlockId> {
                          return {branch.then_target, branch.else_target};
                        },
                        [](const ForNext& next) -> std::vector<BlockId> { return {next.body, next.exit}; },
                        [](const Return&) -> std::vector<BlockId> { return {}; },
                        [](const Raise&) -> std::vector<BlockId> { return {}; },
                        [](const Reraise&) -> std::vector<BlockId> { return {}; },
                        [](const Unreachable&) -> std::vector<BlockId> { return {}; },
                    },
                    terminator);
}

std::vector<BlockId> successors(const Block& block) {
  std::vector<BlockId> targets = successors(block.terminator);
  if (block.handler) targets.push_back(block.handler->target);
  return targets;
}

std::vector<RegisterId> operands_of(const Terminator& terminator) {
  return std::visit(Overloaded{
                        [](const Jump&) -> std::vector<RegisterId> { return {}; },
                        [](const Branch& branch) -> std::vector<RegisterId> { return {branch.condition}; },
                        [](const ForNext& next) -> std::vector<RegisterId> { return {next.iterator}; },
                        [](const Return& result) -> std::vector<RegisterId> { return {result.value}; },
                        [](const Raise& raise) -> std::vector<RegisterId> {
                          if (!raise.cause.valid()) return {raise.exception};
                          return {raise.exception, raise.cause};
                        },
                        [](const Reraise& raise) -> std::vector<RegisterId> { return {raise.exception}; },
                        [](const Unreachable&) -> std::vector<RegisterId> { return {}; },
                    },
                    terminator);
}

}  // namespace dycl::program
