// SPDX-License-Identifier: Apache-2.0
#include "base/own_bytes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

namespace dycl {
namespace {

class OwnBytesOfAFile : public ::testing::Test {
 protected:
  OwnBytesOfAFile() {
    for (std::size_t index = 0; index < contents_.size(); ++index)
      contents_[index] = static_cast<std::byte>(index % 251);
    EXPECT_EQ(::write(file_, contents_.data(), contents_.size()), static_cast<ssize_t>(contents_.size()));
  }
  ~OwnBytesOfAFile() override {
    ::close(file_);
    ::unlink(path_.c_str());
  }

  [[nodiscard]] bool holds(const OwnBytes& read, std::size_t offset, std::size_t size) const {
    return std::ranges::equal(read.bytes(), std::span(contents_).subspan(offset, size));
  }

  std::vector<std::byte> contents_ = std::vector<std::byte>(100'000);
  std::string path_ = ::testing::TempDir() + "own_bytes_XXXXXX";
  int file_ = ::mkstemp(path_.data());
};

TEST_F(OwnBytesOfAFile, AreAPartOfItAtAnAlignedAddress) {
  for (const auto& [offset, size] : {std::pair(0U, 100'000U), std::pair(7U, 1U), std::pair(99'999U, 1U)}) {
    const auto read = OwnBytes::read(file_, offset, size);
    ASSERT_NE(read, nullptr);
    EXPECT_TRUE(holds(*read, offset, size));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read->bytes().data()) % 64, 0U);
  }
}

TEST_F(OwnBytesOfAFile, MayBeNone) {
  const auto read = OwnBytes::read(file_, 5, 0);
  ASSERT_NE(read, nullptr);
  EXPECT_TRUE(read->bytes().empty());
}

TEST_F(OwnBytesOfAFile, AreNotThereBehindItsEnd) {
  EXPECT_EQ(OwnBytes::read(file_, 99'999, 2), nullptr);
  EXPECT_EQ(errno, 0);
  EXPECT_EQ(OwnBytes::read(-1, 0, 1), nullptr);
  EXPECT_EQ(errno, EBADF);
}

TEST_F(OwnBytesOfAFile, StayWhenItIsCutOff) {
  const auto read = OwnBytes::read(file_, 0, contents_.size());
  ASSERT_EQ(::ftruncate(file_, 0), 0);
  EXPECT_TRUE(holds(*read, 0, contents_.size()));
}

TEST_F(OwnBytesOfAFile, CanBeGivenBackButForAPart) {
  for (const auto& [offset, size] :
       {std::pair(50'000U, 20'000U), std::pair(0U, 10U), std::pair(99'000U, 1'000U), std::pair(0U, 100'000U),
        std::pair(0U, 0U)}) {
    const auto read = OwnBytes::read(file_, 0, contents_.size());
    read->keep_only(read->bytes().subspan(offset, size));
    EXPECT_TRUE(holds(*read, offset, size));
  }
}

TEST_F(OwnBytesOfAFile, MayBeManySmallParts) {
  std::vector<std::shared_ptr<OwnBytes>> parts;
  for (std::size_t index = 0; index < contents_.size(); ++index)
    parts.push_back(OwnBytes::read(file_, index, 1));
  EXPECT_TRUE(holds(*parts.back(), contents_.size() - 1, 1));
}

}  // namespace
}  // namespace dycl
