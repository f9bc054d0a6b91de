// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostic.h"

#include <fmt/format.h>

namespace dycl {

std::string to_string(const Diagnostic& diagnostic) {
  std::string text;
  if (diagnostic.span.known()) text += to_string(diagnostic.span) + ": ";
  if (!diagnostic.exception_type.empty()) text += diagnostic.exception_type + ": ";
  text += diagnostic.message;
  if (!diagnostic.code.empty()) text += fmt::format(" [{}]", diagnostic.code);
  for (const std::string& note : diagnostic.notes) text += "\n  note: " + note;
  if (!diagnostic.hint.empty()) text += "\n  hint: " + diagnostic.hint;
  return text;
}

void locate(Diagnostic& diagnostic, const std::vector<SourceSpan>& stack) {
  if (stack.empty()) return;
  diagnostic.span = stack.front();
  for (std::size_t caller = 1; caller < stack.size(); ++caller)
    diagnostic.notes.push_back("called from " + to_string(stack[caller]));
}

int exit_code(Blame blame) {
  switch (blame) {
    case Blame::Usage: return 2;
    case Blame::Unsupported: return 3;
    case Blame::Backend: return 4;
    case Blame::Package: return 5;
    case Blame::Model: return 6;
    case Blame::Internal: return 70;
  }
  return 70;
}

}  // namespace dycl
