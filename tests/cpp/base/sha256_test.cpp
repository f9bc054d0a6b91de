// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <gtest/gtest.h>

namespace dycl {
namespace {

TEST(Sha256Test, GivesThePublishedDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Test, PiecesHashLikeTheWhole) {
  EXPECT_EQ(Sha256().update("a").update("bc").hex(), sha256_hex("abc"));
}

}  // namespace
}  // namespace dycl
