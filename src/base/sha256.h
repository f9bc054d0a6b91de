// SPDX-License-Identifier: Apache-2.0
// Makes keys from contents: for constants in text, entries of a package, sub-DNNs in a cache.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dycl {

// Hashes pieces as if they were one: Sha256().update(a).update(b).hex()
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& update(std::span<const std::byte> bytes);
  Sha256& update(std::string_view text);
  std::string hex();  // 64 lower-case digits; ends this hash

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::span<const std::byte> bytes);
std::string sha256_hex(std::string_view text);

}  // namespace dycl
