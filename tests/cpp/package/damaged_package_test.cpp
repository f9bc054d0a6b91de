// SPDX-License-Identifier: Apache-2.0
// Whatever single damage is done to a package, reading it gives an error and nothing worse.
#include <gmock/gmock.h>

#include <random>

#include "package/package_editor.h"
#include "package/package_file.h"

namespace dycl::test {
namespace {

TEST(DamagedPackage, EveryTruncationIsRefused) {
  const std::string& whole = sample_package();
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    const auto read = read_bytes(whole.substr(0, size));
    ASSERT_FALSE(read) << "cut to " << size << " bytes";
    EXPECT_EQ(read.error().blame, Blame::Package);
  }
  EXPECT_FALSE(read_bytes(whole.substr(0, whole.size() - 1)));
}

TEST(DamagedPackage, EveryFlippedBitIsRefused) {
  const std::string& whole = sample_package();
  for (std::size_t offset = 0; offset < whole.size(); ++offset) {
    std::string flipped = whole;
    flipped[offset] = static_cast<char>(flipped[offset] ^ (1 << (offset % 8)));
    const auto read = read_bytes(flipped);
    ASSERT_FALSE(read) << "bit " << offset % 8 << " of byte " << offset;
    EXPECT_EQ(read.error().blame, Blame::Package);
  }
}

TEST(DamagedPackage, RandomOverwritesAreRefused) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    std::string bytes = sample_package();
    const std::size_t offset = random() % (bytes.size() - 8);
    std::string before = bytes.substr(offset, 8);
    for (std::size_t index = 0; index < 8; ++index) bytes[offset + index] = static_cast<char>(random());
    if (bytes.substr(offset, 8) == before) continue;
    EXPECT_FALSE(read_bytes(bytes)) << "trial " << trial << " at " << offset;
  }
}

// Damage that hashes cannot show, because whoever did it made them right again: mostly refused, and
// what is accepted is a program that the verifier vouches for.
TEST(DamagedPackage, EditsBehindTheHashesAreRefusedOrHarmless) {
  std::mt19937 random(11);
  int refused = 0;
  for (const std::string name :
       {"program.json", "manifest.json", "weights/weights.safetensors", "subnets/aaaa1111/graph.onnx"}) {
    for (int trial = 0; trial < 150; ++trial) {
      PackageEditor editor;
      std::string& contents = editor.entry(name);
      const std::size_t offset = random() % contents.size();
      const std::string digits = "0123456789-[]{},\"x";
      contents[offset] = trial % 2 == 0 ? static_cast<char>(random()) : digits[random() % digits.size()];
      if (name != "manifest.json") editor.rehash();
      const auto read = read_bytes(editor.bytes());
      if (read) {
        EXPECT_TRUE(verify_artifact(*read));
      } else {
        EXPECT_EQ(read.error().blame, Blame::Package);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace dycl::test
