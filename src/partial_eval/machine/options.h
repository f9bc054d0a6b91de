// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dycl::partial_eval {

// Every limit is one of these; a program that hits one is refused with its name.
struct Options {
  std::uint32_t states_limit = 64;       // states that may stay apart at one program point
  std::uint32_t unroll_limit = 20'000;   // trips of one static loop
  std::uint32_t roll_limit = 16;         // trips of a loop with a dynamic exit before it becomes a cycle
  std::uint32_t blocks_limit = 200'000;  // blocks of the HCFG
  std::uint32_t recursion_limit = 400;   // frames
  std::uint32_t variants_limit = 8;      // of what one call may leave for the next
  std::uint32_t draws_limit = 1024;  // rows of base draws of a place in a cycle that has no bound of its own
  bool go_on = false;                // past what is refused, to find what else would be
  bool state = false;                // what a call writes to the model may be kept for the next one
  bool draws = false;                // random numbers are computed from base draws, which are inputs
  bool stopped_clock = false;        // the clock stands still, so that no time limit ends a loop
  std::map<std::string, std::uint32_t> draws_bounds = {};  // rows by place, such as "model.py:31"
};

}  // namespace dycl::partial_eval
