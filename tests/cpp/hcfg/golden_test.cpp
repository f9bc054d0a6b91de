// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hcfg/text.h"
#include "hcfg/verify.h"

namespace dycl {
namespace {

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(DYCL_GOLDEN_FOLDER))
    if (entry.path().extension() == ".hcfg") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

class GoldenHcfg : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenHcfg, ParsesVerifiesAndPrintsBackUnchanged) {
  std::ostringstream text;
  text << std::ifstream(GetParam()).rdbuf();
  const auto graph = parse_hcfg(text.str());
  ASSERT_TRUE(graph) << graph.error().message;
  const Status legal = verify(*graph);
  EXPECT_TRUE(legal) << legal.error().message;
  EXPECT_EQ(print(*graph), text.str());
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenHcfg, testing::ValuesIn(golden_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace dycl
