// SPDX-License-Identifier: Apache-2.0
#include "package/verify_verification.h"

#include <algorithm>

#include "package/json_reader.h"
#include "package/limits.h"

namespace dycl {

Status check_verification(std::string_view text) {
  auto document = parse_json(text, "verification.json", limits::kVerificationBytes, JsonNulls::Allowed);
  if (!document) return failure_of(std::move(document));
  Complaint complaint("verification.json");
  const JsonCursor root(*document, "verification", complaint);
  static_cast<void>(root.field("version").integer(1));
  static_cast<void>(root.field("ok").boolean());
  const JsonCursor table = root.field("text");
  const auto cannot_be_printed = [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F; };
  if (std::ranges::any_of(table.text(), cannot_be_printed))
    table.say("has characters that cannot be printed");
  return complaint.status("package.bad_verification");
}

}  // namespace dycl
