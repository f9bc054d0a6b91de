// SPDX-License-Identifier: Apache-2.0
// tests/golden/legalize/<hazard>/<case>.before.hcfg → <case>.after.hcfg, for a backend that declares this
// hazard and no other. The folder `none` holds what legalization does for a backend without hazards.
#include "legalize/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "hcfg/text.h"
#include "hcfg/verify.h"
#include "legalize/legalize.h"
#include "legalize/rule_list.h"

namespace dycl::testing {
namespace {

namespace fs = std::filesystem;

bool& regenerate() {
  static bool on = false;
  return on;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> all_cases() {
  std::vector<fs::path> cases;
  for (const auto& entry : fs::recursive_directory_iterator(DYCL_GOLDEN_FOLDER))
    if (entry.path().string().ends_with(".before.hcfg")) cases.push_back(entry.path());
  std::ranges::sort(cases);
  return cases;
}

std::string folder_of(const fs::path& path) { return path.parent_path().filename().string(); }

std::string case_of(const fs::path& path) { return path.stem().stem().string(); }

BackendDescription backend_with(const std::string& hazard) {
  BackendDescription backend;
  for (const legalize::Rule& rule : legalize::all_rules())
    if (rule.hazard == hazard)
      (rule.kind == legalize::RuleKind::Rewrite ? backend.rewrites : backend.checks).push_back(hazard);
  return backend;
}

class LegalizeGolden : public ::testing::TestWithParam<fs::path> {};

TEST_P(LegalizeGolden, GivesTheGraphOnFile) {
  const std::string text = read(GetParam());
  Result<Hcfg> graph = parse_hcfg(text);
  ASSERT_TRUE(graph) << to_string(graph.error());
  EXPECT_EQ(print(*graph), text) << "the text is not as the printer writes it";
  const Status fine = verify(*graph);
  ASSERT_TRUE(fine) << to_string(fine.error());

  const auto subnets = legalize::legalize_subnets(*graph, backend_with(folder_of(GetParam())));
  ASSERT_TRUE(subnets) << to_string(subnets.error());
  const std::string after = legalize::print_legal(*graph, *subnets);
  const Result<Hcfg> parsed = parse_hcfg(after);
  ASSERT_TRUE(parsed) << to_string(parsed.error()) << "\n" << after;
  const Status legal = verify(*parsed);
  EXPECT_TRUE(legal) << to_string(legal.error());

  const fs::path expected = GetParam().parent_path() / (case_of(GetParam()) + ".after.hcfg");
  if (regenerate()) std::ofstream(expected, std::ios::binary) << after;
  EXPECT_EQ(after, read(expected));
}

std::string name_of_case(const ::testing::TestParamInfo<fs::path>& info) {
  return folder_of(info.param) + "_" + case_of(info.param);
}

INSTANTIATE_TEST_SUITE_P(Cases, LegalizeGolden, ::testing::ValuesIn(all_cases()), name_of_case);

TEST(LegalizeGoldenFolder, HasCasesForEveryHazard) {
  for (const legalize::Rule& rule : legalize::all_rules())
    EXPECT_TRUE(std::ranges::any_of(all_cases(), [&](const fs::path& path) {
      return folder_of(path) == rule.hazard;
    })) << rule.hazard;
}

}  // namespace

void set_regenerate_goldens() { regenerate() = true; }

}  // namespace dycl::testing
