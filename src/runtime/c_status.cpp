// SPDX-License-Identifier: Apache-2.0
#include "runtime/c_handles.h"

namespace dycl::runtime {
namespace {

// Made when the library is loaded, so that running out of memory can still be reported.
dycl_status& reserved_status() {
  static dycl_status status{
      Diagnostic{Blame::Usage, "run.out_of_memory", "there is not enough memory", {}, "", {}, {}},
      "there is not enough memory [run.out_of_memory]"};
  return status;
}

}  // namespace

dycl_status* out_of_memory_status() noexcept { return &reserved_status(); }

dycl_status* make_status(Diagnostic diagnostic) noexcept {
  try {
    std::string text = to_string(diagnostic);
    return std::make_unique<dycl_status>(dycl_status{std::move(diagnostic), std::move(text)}).release();
  } catch (const std::bad_alloc&) {
    return out_of_memory_status();
  }
}

}  // namespace dycl::runtime

const char* dycl_version(void) { return DYCL_VERSION; }

dycl_blame dycl_status_blame(const dycl_status* status) {
  return static_cast<dycl_blame>(status->diagnostic.blame);
}
const char* dycl_status_code(const dycl_status* status) { return status->diagnostic.code.c_str(); }
const char* dycl_status_message(const dycl_status* status) { return status->diagnostic.message.c_str(); }
const char* dycl_status_text(const dycl_status* status) { return status->text.c_str(); }
const char* dycl_status_exception_type(const dycl_status* status) {
  return status->diagnostic.exception_type.c_str();
}
void dycl_status_free(dycl_status* status) {
  if (status != dycl::runtime::out_of_memory_status()) const std::unique_ptr<dycl_status> freed(status);
}
