// SPDX-License-Identifier: Apache-2.0
#include "backend/registry.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "skeleton/plugin.h"

namespace dycl {
namespace {

BackendOptions named(std::string name) {
  BackendOptions options;
  options.name = std::move(name);
  return options;
}

TEST(Registry, OpensABackendOnceAndSharesIt) {
  BackendRegistry registry;
  registry.add_linked(skeleton::api());
  const auto first = registry.open(named("skeleton")).value();
  EXPECT_EQ(registry.open(named("skeleton")).value(), first);
}

TEST(Registry, OpensTheReferenceByWhatItsPluginSays) {
  BackendRegistry registry;
  registry.add_linked(skeleton::api());
  const auto none = registry.open_reference();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, "backend.not_installed");
  DyclBackendApi judge = skeleton::api();
  judge.name = "judge";
  judge.traits = R"({"blob": "none", "reference": true})";
  registry.add_linked(judge);
  EXPECT_EQ(registry.open_reference().value(), registry.open(named("judge")).value());
}

BackendOptions with_threads(std::string name, int threads) {
  BackendOptions options = named(std::move(name));
  options.threads = threads;
  return options;
}

// Two backends of one registry, since budgets are about several.
DyclBackendApi second_api() {
  DyclBackendApi api = skeleton::api();
  api.name = "second";
  return api;
}

class Budget : public ::testing::Test {
 protected:
  Budget() {
    registry_.add_linked(skeleton::api());
    registry_.add_linked(second_);
  }
  std::shared_ptr<const Backend> open(const std::string& name, int threads = 0) {
    return registry_.open(with_threads(name, threads)).value();
  }

  const DyclBackendApi second_ = second_api();
  BackendRegistry registry_{SearchPaths{}, {}, 4};
};

TEST_F(Budget, OneBackendMayHaveAllThreads) {
  EXPECT_EQ(open("skeleton")->threads(), 4);
  EXPECT_EQ(open("skeleton", 3)->threads(), 3);
}

TEST_F(Budget, TwoBackendsInUseShareTheThreads) {
  const auto first = open("skeleton", 3);
  const auto second = open("second");
  EXPECT_EQ(second->threads(), 2);
  EXPECT_LE(first->threads() - 1 + second->threads() - 1, registry_.threads() - 1);
}

TEST_F(Budget, WhatIsUsedUpLeavesTheCallersOwnThread) {
  const auto first = open("skeleton");
  EXPECT_EQ(open("second")->threads(), 1);
}

TEST_F(Budget, APoolInUseKeepsItsSize) {
  const auto first = open("skeleton", 2);
  EXPECT_EQ(open("skeleton", 4), first);
}

TEST_F(Budget, AnIdlePoolGivesItsThreadsBack) {
  open("skeleton");
  EXPECT_EQ(open("second")->threads(), 4);
  EXPECT_EQ(open("skeleton", 2)->threads(), 2);
}

TEST_F(Budget, AnIdleBackendStaysOpenWhenItsThreadsAreNotNeeded) {
  const Backend* first = open("skeleton", 2).get();
  EXPECT_EQ(open("second", 2)->threads(), 2);
  EXPECT_EQ(open("skeleton", 2).get(), first);
}

TEST_F(Budget, QuestionsTakeOneThreadAndDecideNothing) {
  constexpr auto kQuestions = BackendRegistry::Purpose::Questions;
  {
    const auto asked = registry_.open(named("skeleton"), kQuestions).value();
    EXPECT_EQ(asked->threads(), 1);
  }
  const auto running = open("skeleton");
  EXPECT_EQ(running->threads(), 4);
  EXPECT_EQ(registry_.open(named("skeleton"), kQuestions).value(), running);
}

TEST_F(Budget, MoreThreadsThanCoresAreGivenToWhoAsksForThem) {
  const auto first = open("skeleton", 2);
  EXPECT_EQ(open("second", 8)->threads(), 7);
}

TEST(Registry, FindsPluginsInItsFolders) {
  const std::filesystem::path folder = std::filesystem::path(DYCL_TEST_SKELETON).parent_path();
  BackendRegistry registry(SearchPaths{{folder}, {}});
  const auto backend = registry.open(named("skeleton"));
  ASSERT_TRUE(backend) << to_string(backend.error());
}

TEST(Registry, ReportsALibraryThatWasNamedAndIsMissing) {
  const std::filesystem::path folder = std::filesystem::path(DYCL_TEST_SKELETON).parent_path();
  BackendRegistry registry(SearchPaths{{folder}, {}}, {{"skeleton", "/nowhere/lib.so"}});
  const auto backend = registry.open(named("skeleton"));
  ASSERT_FALSE(backend);
  EXPECT_EQ(backend.error().code, "backend.library_missing");
}

TEST(Registry, GivesEightThreadsTheSameBackend) {
  BackendRegistry registry;
  registry.add_linked(skeleton::api());
  std::array<std::shared_ptr<const Backend>, 8> seen;
  std::vector<std::thread> threads;
  for (auto& mine : seen) threads.emplace_back([&] { mine = registry.open(named("skeleton")).value(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : seen) EXPECT_EQ(mine, seen[0]);
}

}  // namespace
}  // namespace dycl
