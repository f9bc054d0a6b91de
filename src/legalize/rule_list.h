// SPDX-License-Identifier: Apache-2.0
// This list has every rule, in the order in which an operation is shown to them.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "legalize/rule.h"

namespace dycl::legalize {

std::span<const Rule> all_rules();

// Returns the hazards whose rewritings exported files get, too, because nobody knows their runtime.
std::vector<std::string> hazards_of_exported_files();

// Returns the rules that serve these hazards for a sub-DNN with this judge, each function once.
std::vector<Rule> rules_for(const std::set<std::string, std::less<>>& hazards, Judge judge);

}  // namespace dycl::legalize
