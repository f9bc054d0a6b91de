// SPDX-License-Identifier: Apache-2.0
// The lines of the model, for errors.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "emitted/failures.h"
#include "emitted/tables.h"

namespace dycl::emitted {

// Where the program is in the model, for errors.
class Places {
 public:
  explicit Places(const ProgramTables& tables) : tables_(tables) {}

 protected:
  // Says which line of the model the program is at.
  void at(std::uint32_t place) { place_ = place; }
  const char* place() const { return tables_.places[place_]; }

  [[noreturn]] void fail_here(Code code, std::string reason, std::string message) const {
    throw Failed{code, std::move(reason), {}, std::move(message), place()};
  }

  const ProgramTables& tables_;

 private:
  std::uint32_t place_ = 0;
};

}  // namespace dycl::emitted
