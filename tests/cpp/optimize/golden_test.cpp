// SPDX-License-Identifier: Apache-2.0
// tests/golden/optimize/<pass>/<case>.before.hcfg → <case>.after.hcfg, one test a case. Two folders are not
// passes: `all` runs every pass, `level_0` what is left at level 0.
#include "optimize/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "hcfg/text.h"
#include "hcfg/verify.h"
#include "optimize/pass_list.h"
#include "optimize/simple_evaluator.h"
#include "support/rough_inference.h"

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

optimize::OptimizeOptions options_for(const std::string& folder) {
  optimize::OptimizeOptions options;
  options.verify_each = true;
  options.level = folder == "level_0" ? 0 : 1;
  if (folder == "level_0" || folder == "all") return options;
  for (const optimize::PassDescription& pass : optimize::all_passes())
    if (pass.name != folder) options.disabled.emplace_back(pass.name);
  return options;
}

class OptimizeGolden : public ::testing::TestWithParam<fs::path> {};

TEST_P(OptimizeGolden, GivesTheGraphOnFile) {
  const std::string text = read(GetParam());
  const Result<Hcfg> before = parse_hcfg(text);
  ASSERT_TRUE(before) << to_string(before.error());
  EXPECT_EQ(print(*before), text) << "the text is not as the printer writes it";
  const Status legal = verify(*before);
  ASSERT_TRUE(legal) << to_string(legal.error());

  SimpleEvaluator evaluator;
  optimize::PassContext context;
  context.evaluator = &evaluator;
  test::RoughInference inference;
  context.inference = &inference;
  const Result<Hcfg> after = optimize::optimize(*before, options_for(folder_of(GetParam())), context);
  ASSERT_TRUE(after) << to_string(after.error());

  const fs::path expected = GetParam().parent_path() / (case_of(GetParam()) + ".after.hcfg");
  if (regenerate()) std::ofstream(expected, std::ios::binary) << print(*after);
  EXPECT_EQ(print(*after), read(expected));
}

std::string name_of_case(const ::testing::TestParamInfo<fs::path>& info) {
  return folder_of(info.param) + "_" + case_of(info.param);
}

INSTANTIATE_TEST_SUITE_P(Cases, OptimizeGolden, ::testing::ValuesIn(all_cases()), name_of_case);

TEST(OptimizeGoldenFolder, HasCasesForEveryPass) {
  for (const optimize::PassDescription& pass : optimize::all_passes())
    EXPECT_TRUE(std::ranges::any_of(all_cases(), [&](const fs::path& path) {
      return folder_of(path) == pass.name;
    })) << pass.name;
}

}  // namespace

void set_regenerate_goldens() { regenerate() = true; }

}  // namespace dycl::testing
