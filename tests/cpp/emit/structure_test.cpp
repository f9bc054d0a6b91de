// SPDX-License-Identifier: Apache-2.0
// The statements of an emitted program take the same way as the plan, whatever is decided.
#include "emit/structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/overloaded.h"
#include "hcfg/dominance.h"
#include "hcfg/text.h"
#include "host_gen/host_gen.h"

namespace dycl::emit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string structure_text(const HostPlan& plan) {
  return to_text(structure_of(plan, flow_of(plan), std::vector<bool>(plan.slots.size(), false)));
}

std::string structure_text(std::string_view hcfg) {
  const Result<Hcfg> graph = parse_hcfg(hcfg);
  EXPECT_TRUE(graph) << (graph ? "" : to_string(graph.error()));
  return structure_text(host_gen::generate_host(*graph, {}).plan);
}

TEST(EmittedStructure, ADiamondIsAnIfWithAnElse) {
  EXPECT_EQ(structure_text(R"(hcfg main(%c: bool, %d: bool) -> (y: bool) {
  b0:
    branch %c ? b1() : b2()
  b1:
    %a: bool = not(%d)
    jump b3(%a)
  b2:
    %b: bool = not(%c)
    jump b3(%b)
  b3(%y: bool):
    return %y
}
)"),
            "if 0 { steps 1 moves } else { steps 2 moves } finish 3 ");
}

TEST(EmittedStructure, EarlyExitsDoNotNest) {
  EXPECT_EQ(structure_text(R"(hcfg main(%c: bool, %d: bool) -> (y: bool) {
  b0:
    branch %c ? b1() : b2()
  b1:
    return %c
  b2:
    branch %d ? b3() : b4()
  b3:
    return %d
  b4:
    %y: bool = not(%d)
    return %y
}
)"),
            "if 0 { finish 1 } if 2 { finish 3 } steps 4 finish 4 ");
}

TEST(EmittedStructure, ALoopBreaksToWhatStandsBehindIt) {
  EXPECT_EQ(structure_text(R"(hcfg main(%n: int) -> (y: int) {
  b0:
    %zero: int = const() {value=0}
    jump b1(%zero)
  b1(%i: int):
    %more: bool = lt(%i, %n)
    branch %more ? b2() : b3()
  b2:
    %next: int = add(%i, %n)
    jump b1(%next)
  b3:
    return %i
}
)"),
            "steps 0 moves loop { steps 1 unless 1 { break } steps 2 moves } finish 3 ");
}

std::uint32_t below(std::mt19937& random, std::uint32_t end) {
  return static_cast<std::uint32_t>(random() % end);
}

// A plan of `count` blocks that jump wherever chance leads them; slot 0 holds what is decided.
HostPlan random_plan(std::mt19937& random, std::uint32_t count) {
  const auto target = [&] { return PlanEdge{2 * below(random, count), {}, {}}; };
  HostPlan plan;
  plan.slots = {ScalarType{ScalarKind::I64}};
  for (std::uint32_t block = 0; block < count; ++block) {
    plan.code.push_back({PlanHost{HostOp::Const, {}, {}, {0}}, {}, {}});
    PlanOperation last = PlanReturn{};
    const std::uint32_t kind = block + 1 == count ? 9 : below(random, 10);
    if (kind < 3) last = PlanJump{target()};
    if (kind >= 3 && kind < 8) last = PlanBranch{0, target(), target()};
    if (kind == 8) last = PlanSwitch{0, {target(), target()}, target()};
    plan.code.push_back({std::move(last), {}, {}});
  }
  return plan;
}

// What a block decides at its first visit, its second, …: the same for the plan and for its statements.
class Decisions {
 public:
  explicit Decisions(std::uint32_t seed) : seed_(seed) {}
  std::size_t next(BlockIndex block, std::size_t ways) {
    std::uint32_t mixed = seed_ * 0x9e3779b1U + block * 0x85ebca77U + visits_[block]++ * 0xc2b2ae3dU;
    mixed = (mixed ^ (mixed >> 15)) * 0x2c1b3c6dU;
    return (mixed >> 16) % ways;
  }

 private:
  std::uint32_t seed_;
  std::map<BlockIndex, std::uint32_t> visits_;
};

constexpr std::size_t kMostSteps = 60;

// The blocks that the plan passes; a run that goes on is cut off.
std::vector<BlockIndex> way_of_plan(const HostPlan& plan, std::uint32_t seed) {
  Decisions decisions(seed);
  std::vector<BlockIndex> way;
  std::uint32_t at = 0;
  while (way.size() < kMostSteps) {
    way.push_back(at / 2);
    const std::vector<LabelledEdge> ways = edges_of(plan.code[at + 1].operation);
    if (ways.empty()) break;
    at = ways[ways.size() == 1 ? 0 : decisions.next(at / 2, ways.size())].edge->target;
  }
  return way;
}

// Runs statements as C++ does.
class StatementRunner {
 public:
  explicit StatementRunner(std::uint32_t seed) : decisions_(seed) {}

  std::vector<BlockIndex> run(const Statements& statements) {
    EXPECT_TRUE(run_all(statements).end || way_.size() >= kMostSteps) << "it fell off the end";
    return way_;
  }

 private:
  struct Signal {
    bool end = false;
    const Leave* leave = nullptr;
    [[nodiscard]] bool falls() const { return !end && leave == nullptr; }
  };

  Signal run_all(const Statements& statements) {
    for (std::size_t index = 0; index < statements.size(); ++index) {
      if (way_.size() >= kMostSteps) return {true, nullptr};
      Signal signal =
          std::visit([this](const auto& one) { return run_one(one); },
                     static_cast<const std::variant<Steps, Moves, Leave, Label, If, Cases, Loop, Finish>&>(
                         statements[index]));
      while (signal.leave != nullptr && is_goto(*signal.leave)) {
        const std::size_t place = place_of_label(statements, *signal.leave);
        if (place == statements.size()) return signal;
        index = place;
        signal = {};
      }
      if (!signal.falls()) return signal;
    }
    return {};
  }

  static bool is_goto(const Leave& leave) {
    return leave.kind == LeaveKind::Goto || leave.kind == LeaveKind::NextTrip;
  }

  static std::size_t place_of_label(const Statements& statements, const Leave& leave) {
    for (std::size_t index = 0; index < statements.size(); ++index)
      if (const auto* label = std::get_if<Label>(&statements[index]);
          label != nullptr && label->block == leave.target &&
          label->ends_trip == (leave.kind == LeaveKind::NextTrip))
        return index;
    return statements.size();
  }

  Signal run_one(const Steps& steps) {
    way_.push_back(steps.block);
    return {};
  }
  Signal run_one(const Moves&) { return {}; }
  Signal run_one(const Label&) { return {}; }
  Signal run_one(const Leave& leave) { return {false, &leave}; }
  Signal run_one(const Finish&) { return {true, nullptr}; }
  Signal run_one(const If& choice) {
    const bool holds = (decisions_.next(choice.block, 2) == 0) != choice.negated;
    return run_all(holds ? choice.then : choice.otherwise);
  }
  Signal run_one(const Cases& choice) {
    const std::size_t taken = decisions_.next(choice.block, choice.cases.size() + 1);
    const Signal signal = run_all(taken < choice.cases.size() ? choice.cases[taken] : choice.fallback);
    EXPECT_FALSE(signal.leave != nullptr && signal.leave->kind == LeaveKind::Break)
        << "it would leave the switch";
    return signal;
  }
  Signal run_one(const Loop& loop) {
    while (way_.size() < kMostSteps) {
      const Signal signal = run_all(loop.body);
      if (signal.end) return signal;
      if (signal.leave == nullptr || signal.leave->kind == LeaveKind::Continue) continue;
      if (signal.leave->kind == LeaveKind::Break) return {};
      return signal;
    }
    return {true, nullptr};
  }

  Decisions decisions_;
  std::vector<BlockIndex> way_;
};

TEST(EmittedStructure, TakesTheSameWayAsThePlan) {
  std::mt19937 random(7);
  std::size_t reducible = 0;
  std::size_t with_labels = 0;
  for (std::uint32_t round = 0; round < 6000; ++round) {
    const HostPlan plan = random_plan(random, 2 + below(random, 9));
    const PlanFlow flow = flow_of(plan);
    if (!irreducible_edges(flow.flow, DominatorTree(flow.flow)).empty())
      continue;  // the verifier refuses those
    ++reducible;
    const Statements statements = structure_of(plan, flow, {false});
    with_labels += to_text(statements).find("goto") != std::string::npos ? 1 : 0;
    for (std::uint32_t seed = 0; seed < 8; ++seed)
      ASSERT_EQ(way_of_plan(plan, seed), StatementRunner(seed).run(statements)) << to_text(statements);
  }
  EXPECT_GT(reducible, 2000U);
  EXPECT_GT(with_labels, 100U);
}

TEST(EmittedStructure, AChainOfThousandsOfBranchesTakesNoStack) {
  HostPlan plan;
  plan.slots = {ScalarType{ScalarKind::Bool}};
  constexpr std::uint32_t kCount = 20'000;
  for (std::uint32_t block = 0; block < kCount; ++block) {
    const std::uint32_t next = 2 * block + 2;
    plan.code.push_back({PlanBranch{0, {next - 1, {}, {}}, {next, {}, {}}}, {}, {}});
    plan.code.push_back({PlanReturn{}, {}, {}});
  }
  plan.code.push_back({PlanReturn{}, {}, {}});
  const std::string text = structure_text(plan);
  EXPECT_THAT(text, Not(HasSubstr("{ if")));
}

}  // namespace
}  // namespace dycl::emit
