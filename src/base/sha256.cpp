// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "base/result.h"
#include "base/scoped_handle.h"

namespace dycl {

struct Sha256::State {
  ScopedHandle<EVP_MD_CTX> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (!state_->context || EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) != 1)
    internal_error("sha256 is not available");
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::update(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1)
    internal_error("sha256 failed");
  return *this;
}

Sha256& Sha256::update(std::string_view text) { return update(std::as_bytes(std::span(text))); }

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) != 1) internal_error("sha256 failed");
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned int index = 0; index < size; ++index) {
    text += kDigits[digest[index] >> 4U];
    text += kDigits[digest[index] & 15U];
  }
  return text;
}

std::string sha256_hex(std::span<const std::byte> bytes) { return Sha256().update(bytes).hex(); }
std::string sha256_hex(std::string_view text) { return Sha256().update(text).hex(); }

}  // namespace dycl
