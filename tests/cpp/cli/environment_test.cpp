// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/cpu_facts.h"

namespace dycl::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Environment, SplitsListsOfFoldersAndDropsEmptyParts) {
  EXPECT_THAT(split_path_list("/a:/b::c:"), ElementsAre("/a", "/b", "c"));
  EXPECT_THAT(split_path_list(""), IsEmpty());
}

TEST(Environment, FindsTheVirtualEnvironmentOfABuildTreeOnly) {
  const fs::path tree = fs::path(::testing::TempDir()) / "dycl_environment_test";
  fs::remove_all(tree);
  const fs::path build = tree / "build" / "release";
  const fs::path site = tree / ".venv" / "lib" / "python3.11" / "site-packages";
  fs::create_directories(build);
  fs::create_directories(site);
  EXPECT_THAT(site_packages_of_build_tree(build), IsEmpty());
  std::ofstream(build / "CMakeCache.txt") << "";
  EXPECT_THAT(site_packages_of_build_tree(build), ElementsAre(site));
}

TEST(CpuFacts, NamesBf16AsAHazard) {
  const CpuFacts facts = parse_cpu_info("model name\t: A CPU\nflags\t\t: fpu avx avx2 avx512_bf16\n");
  EXPECT_EQ(facts.model, "A CPU");
  EXPECT_THAT(facts.features, ElementsAre("avx", "avx2", "avx512_bf16"));
  EXPECT_EQ(facts.notes.size(), 1u);
}

TEST(CpuFacts, NamesAMissingAvx2AsAHazard) {
  EXPECT_EQ(parse_cpu_info("flags\t\t: fpu sse4_2\n").notes.size(), 1u);
  EXPECT_THAT(parse_cpu_info("").notes, IsEmpty());
}

}  // namespace
}  // namespace dycl::cli
