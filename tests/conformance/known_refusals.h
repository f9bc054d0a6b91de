// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace dycl::conformance {

enum class Refusal : std::uint8_t { ByCheck, ByValue };

// May this backend refuse this question ("Add i64") in this test ("Suite.Test")? A refusal that is not
// written down here fails: a backend must not pass by refusing everything.
bool may_refuse(std::string_view backend, Refusal how, std::string_view test, std::string_view question);

// Does ONNX leave open what this test asks, and is this backend known to give another answer than the rest?
// What eager PyTorch makes of it, programs that are compiled from PyTorch are held to elsewhere.
bool may_answer_otherwise(std::string_view backend, std::string_view test);

// Does this error of `run` carry a code by which the backend refuses values it would compute wrongly?
bool refuses_value(std::string_view backend, std::string_view error);

}  // namespace dycl::conformance
