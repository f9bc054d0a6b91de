// SPDX-License-Identifier: Apache-2.0
#include "support/golden.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "hcfg/text.h"
#include "hcfg/verify.h"

namespace dycl::test {
namespace {

bool& regenerate() {
  static bool on = false;
  return on;
}

std::string read(const GoldenPath& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string case_of(const GoldenPath& before) { return before.stem().stem().string(); }

}  // namespace

std::vector<GoldenPath> golden_cases(const GoldenPath& folder) {
  std::vector<GoldenPath> cases;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().string().ends_with(".before.hcfg")) cases.push_back(entry.path());
  std::ranges::sort(cases);
  return cases;
}

std::string kind_of(const GoldenPath& before) { return before.parent_path().filename().string(); }

bool has_case_of(const std::vector<GoldenPath>& cases, std::string_view kind) {
  return std::ranges::any_of(cases, [&](const GoldenPath& before) { return kind_of(before) == kind; });
}

std::string name_of_case(const ::testing::TestParamInfo<GoldenPath>& info) {
  return kind_of(info.param) + "_" + case_of(info.param);
}

Result<Hcfg> read_golden(const GoldenPath& before) {
  const std::string text = read(before);
  Result<Hcfg> graph = parse_hcfg(text);
  if (!graph) return graph;
  EXPECT_EQ(print(*graph), text) << "the text is not as the printer writes it";
  if (Status legal = verify(*graph); !legal) return failure_of(std::move(legal));
  return graph;
}

void expect_golden(const GoldenPath& before, const std::string& after) {
  const GoldenPath expected = before.parent_path() / (case_of(before) + ".after.hcfg");
  if (regenerate()) std::ofstream(expected, std::ios::binary) << after;
  EXPECT_EQ(after, read(expected));
}

}  // namespace dycl::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int index = 1; index < argc; ++index)
    if (std::string_view(argv[index]) == "--regenerate") dycl::test::regenerate() = true;
  return RUN_ALL_TESTS();
}
