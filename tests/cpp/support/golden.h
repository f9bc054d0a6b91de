// SPDX-License-Identifier: Apache-2.0
// Pairs of files below a folder: <kind>/<case>.before.hcfg and what a test makes of it, <case>.after.hcfg.
// Run with --regenerate, the test program writes the second half instead of comparing with it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hcfg/hcfg.h"

namespace dycl::test {

using GoldenPath = std::filesystem::path;  // of a file before.hcfg

std::vector<GoldenPath> golden_cases(const GoldenPath& folder);
std::string kind_of(const GoldenPath& before);
bool has_case_of(const std::vector<GoldenPath>& cases, std::string_view kind);
std::string name_of_case(const ::testing::TestParamInfo<GoldenPath>& info);  // "<kind>_<case>"

// The graph, which is verified and written as the printer writes it; the test fails otherwise.
Result<Hcfg> read_golden(const GoldenPath& before);
void expect_golden(const GoldenPath& before, const std::string& after);

}  // namespace dycl::test
