// SPDX-License-Identifier: Apache-2.0
// Any bytes as program.json: read or refused, and what passes the verifier survives a round trip.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "package/host_plan_json.h"
#include "package/verify_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plan = dycl::read_host_plan({reinterpret_cast<const char*>(data), size});
  if (!plan) {
    if (plan.error().blame != dycl::Blame::Package) std::abort();
    return 0;
  }
  if (!dycl::verify_plan(*plan)) return 0;
  const auto text = dycl::write_host_plan(*plan);
  if (!text) std::abort();
  const auto again = dycl::read_host_plan(*text);
  if (!again || dycl::write_host_plan(*again).value() != *text) std::abort();
  return 0;
}
