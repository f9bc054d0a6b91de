// SPDX-License-Identifier: Apache-2.0
// A hazard that a plugin declares and nothing serves would be a wrong answer that everyone believes mended.
#include <gtest/gtest.h>

#include "legalize/legalize.h"
#include "subject.h"

namespace dycl::conformance {
namespace {

TEST(Hazards, ThatAreDeclaredAreServedByRules) {
  Hcfg graph;
  const auto legalizer = legalize::Legalizer::make(graph, subject().description());
  EXPECT_TRUE(legalizer) << to_string(legalizer.error());
}

TEST(Hazards, OfABackendThatTakesAtenGraphsAreMendedInThePlugin) {
  const BackendDescription& backend = subject().description();
  EXPECT_EQ(backend.takes_aten, backend.name == "aot_inductor");
  EXPECT_TRUE(!backend.takes_aten || (backend.rewrites.empty() && backend.checks.empty()));
}

}  // namespace
}  // namespace dycl::conformance
