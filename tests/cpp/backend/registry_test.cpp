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

TEST(Registry, KeepsDifferentThreadCountsApart) {
  BackendRegistry registry;
  registry.add_linked(skeleton::api());
  BackendOptions two = named("skeleton");
  two.threads = 2;
  EXPECT_NE(registry.open(two).value(), registry.open(named("skeleton")).value());
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
