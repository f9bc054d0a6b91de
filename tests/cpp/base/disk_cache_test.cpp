// SPDX-License-Identifier: Apache-2.0
#include "base/disk_cache.h"

#include <gtest/gtest.h>

#include <fstream>

#include "../backend/temporary_folder.h"

namespace dycl {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path only_file() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) return entry.path();
    return {};
  }

  test::TemporaryFolder folder_;
};

TEST_F(DiskCacheTest, GivesBackWhatWasKeptAndCounts) {
  const std::string value("with a \0 and a \n inside", 23);
  DiskCache(folder_.path()).keep("blobs", "key", value);
  DiskCache cache(folder_.path());
  EXPECT_EQ(cache.find("blobs", "key"), value);
  EXPECT_EQ(cache.find("blobs", "other key"), std::nullopt);
  EXPECT_EQ(cache.find("fragments", "key"), std::nullopt);
  EXPECT_EQ(cache.counts()["blobs"].found, 1U);
  EXPECT_EQ(cache.counts()["blobs"].missed, 1U);
  EXPECT_EQ(cache.counts()["fragments"].missed, 1U);
  EXPECT_EQ(cache.use()["blobs"].entries, 1U);
}

TEST_F(DiskCacheTest, AnEmptyValueIsAValue) {
  DiskCache cache(folder_.path());
  cache.keep("blobs", "key", "");
  EXPECT_EQ(cache.find("blobs", "key"), "");
}

TEST_F(DiskCacheTest, WhatIsRottenIsNotThere) {
  DiskCache cache(folder_.path());
  cache.keep("blobs", "key", "a value of some length");
  const auto size = fs::file_size(only_file());
  std::fstream(only_file(), std::ios::in | std::ios::out | std::ios::binary).seekp(size - 3).put('?');
  EXPECT_EQ(cache.find("blobs", "key"), std::nullopt);
  fs::resize_file(only_file(), size / 2);
  EXPECT_EQ(cache.find("blobs", "key"), std::nullopt);
  cache.keep("blobs", "key", "again");
  EXPECT_EQ(cache.find("blobs", "key"), "again");
}

TEST_F(DiskCacheTest, WhatCannotBeReadIsNotThere) {
  DiskCache cache(folder_.path());
  cache.keep("blobs", "key", "value");
  const fs::path file = only_file();
  fs::remove(file);
  fs::create_directory(file);  // reading it is an error
  EXPECT_EQ(cache.find("blobs", "key"), std::nullopt);
  cache.keep("blobs", "key", "value");
  EXPECT_EQ(only_file(), fs::path());
}

TEST_F(DiskCacheTest, AFileUnderAnotherKeyIsNotTaken) {
  DiskCache cache(folder_.path());
  cache.keep("blobs", "one", "1");
  const fs::path one = only_file();
  cache.keep("blobs", "two", "2");
  for (const auto& entry : fs::directory_iterator(one.parent_path()))
    if (entry.path() != one) fs::copy_file(one, entry.path(), fs::copy_options::overwrite_existing);
  EXPECT_EQ(cache.find("blobs", "one"), "1");
  EXPECT_EQ(cache.find("blobs", "two"), std::nullopt);
}

TEST_F(DiskCacheTest, WhatWasNotUsedForLongestGoesFirst) {
  const std::string large(1000, 'x');
  {
    DiskCache cache(folder_.path());
    cache.keep("blobs", "old", large);
    fs::last_write_time(only_file(), fs::file_time_type::clock::now() - std::chrono::hours(1));
    cache.keep("blobs", "new", large);
  }
  {
    DiskCache(folder_.path(), 2500).keep("blobs", "newest", large);
  }
  DiskCache cache(folder_.path());
  EXPECT_EQ(cache.find("blobs", "old"), std::nullopt);
  EXPECT_EQ(cache.find("blobs", "new"), large);
  EXPECT_EQ(cache.find("blobs", "newest"), large);
}

TEST_F(DiskCacheTest, ClearLeavesWhatIsNotItsOwn) {
  const fs::path foreign = folder_.touch("blobs/notes.txt");
  DiskCache cache(folder_.path());
  cache.keep("blobs", "key", "value");
  cache.clear();
  EXPECT_EQ(cache.find("blobs", "key"), std::nullopt);
  EXPECT_TRUE(fs::exists(foreign));
}

TEST_F(DiskCacheTest, AFolderThatCannotBeWrittenCostsOnlyTime) {
  DiskCache cache(folder_.touch("file"));
  cache.keep("blobs", "key", "value");
  EXPECT_EQ(cache.find("blobs", "key"), std::nullopt);
}

}  // namespace
}  // namespace dycl
