// SPDX-License-Identifier: Apache-2.0
// A set of registers as bits, so that functions of thousands of registers are analysed word by word.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "program/instruction.h"

namespace dycl::program {

class RegisterSet {
 public:
  explicit RegisterSet(std::size_t registers, bool full = false)
      : words_((registers + 63) / 64, full ? ~std::uint64_t{0} : 0) {}

  [[nodiscard]] bool contains(RegisterId id) const {
    return (words_[id.index() / 64] >> (id.index() % 64) & 1U) != 0;
  }
  void insert(RegisterId id) { words_[id.index() / 64] |= bit(id); }
  void erase(RegisterId id) { words_[id.index() / 64] &= ~bit(id); }

  void add_all(const RegisterSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  // Returns true if something was dropped.
  bool keep_only(const RegisterSet& other) {
    bool changed = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      changed = changed || (words_[i] & ~other.words_[i]) != 0;
      words_[i] &= other.words_[i];
    }
    return changed;
  }

  [[nodiscard]] std::vector<RegisterId> members() const {
    std::vector<RegisterId> ids;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        ids.emplace_back(i * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
    return ids;
  }

  bool operator==(const RegisterSet&) const = default;

 private:
  static std::uint64_t bit(RegisterId id) { return std::uint64_t{1} << (id.index() % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace dycl::program
