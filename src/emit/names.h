// SPDX-License-Identifier: Apache-2.0
// Names of an emitted program: words of C and C++ that are nothing else there. None of them ends with '_', so
// that what ends with it belongs to the program itself: "x_state_", "x_given_".
#pragma once

#include <string>
#include <vector>

#include "package/host_plan.h"

namespace dycl::emit {

struct Names {
  std::vector<std::string> slots;  // inputs and states after their ports
  std::vector<std::string> subnets;
  std::vector<std::string> sizes;  // of the plan's symbols: "size_batch"
};

// Names everything, no two alike. Words that begin with the program's name belong to its interface.
Names name_all(const HostPlan& plan, const std::string& program);

// Makes a word of the text: letters, digits and '_'. What could be a keyword, a macro or a constant of the
// program gets another beginning.
std::string as_word(const std::string& text);

// Makes a name for the program, whose header must not hide one of the system.
std::string as_program_name(const std::string& text);

// Makes the text fit to stand in a comment: it cannot end the comment.
std::string comment_text(const std::string& text);

}  // namespace dycl::emit
