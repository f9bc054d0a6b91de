// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <fmt/format.h>

namespace dycl {

void internal_error(std::string_view message, std::source_location where) {
  throw InternalError(fmt::format("{}:{}: internal error: {}", where.file_name(), where.line(), message));
}

}  // namespace dycl
