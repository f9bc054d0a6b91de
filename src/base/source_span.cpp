// SPDX-License-Identifier: Apache-2.0
#include "base/source_span.h"

#include <fmt/format.h>

namespace dycl {

std::string to_string(const SourceSpan& span) {
  if (!span.known()) return {};
  std::string text = span.file;
  if (span.line != 0) text += fmt::format(":{}:{}", span.line, span.column);
  if (!span.node.empty()) text += (text.empty() ? "" : ": ") + span.node;
  return text;
}

}  // namespace dycl
