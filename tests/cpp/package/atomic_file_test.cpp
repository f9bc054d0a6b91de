// SPDX-License-Identifier: Apache-2.0
// What happens to that which a path names before a file is written there.
#include "package/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <future>

#include "package/entry.h"
#include "package/package_editor.h"

namespace dycl::test {
namespace {

namespace fs = std::filesystem;

Status write_text(const fs::path& path, const std::string& text) {
  return write_atomically(path, [&](const ByteSink& sink) { return sink(bytes_of(text)); });
}

struct stat facts_of(const fs::path& path) {
  struct stat facts{};
  EXPECT_EQ(::lstat(path.c_str(), &facts), 0) << path;
  return facts;
}

mode_t rights_of(const fs::path& path) { return facts_of(path).st_mode & 07777U; }

constexpr unsigned kNull = 3;
constexpr unsigned kFull = 7;

// A device of the tests' own: as root, a mistake of ours would cost the machine its /dev/null. Others cannot
// make devices, nor damage those that there are. Empty where there is none.
fs::path usable_device(const TemporaryFolder& folder, const std::string& name, unsigned minor) {
  fs::path path = fs::path("/dev") / name;
  if (::geteuid() == 0) {
    path = folder / name;
    if (::mknod(path.c_str(), S_IFCHR | 0666U, ::makedev(1, minor)) != 0) return {};
  }
  const int opened = ::open(path.c_str(), O_WRONLY);
  if (opened < 0) return {};
  ::close(opened);
  return path;
}

TEST(AtomicFile, LeavesADeviceADevice) {
  const TemporaryFolder folder;
  const fs::path device = usable_device(folder, "null", kNull);
  if (device.empty()) GTEST_SKIP() << "there are no devices here";
  EXPECT_TRUE(check_place(device));
  EXPECT_TRUE(write_text(device, "gone"));
  EXPECT_TRUE(S_ISCHR(facts_of(device).st_mode));
}

TEST(AtomicFile, WritesIntoAPipe) {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(check_place(pipe));  // without waiting for a reader
  auto reader = std::async(std::launch::async, [&] { return read_file(pipe); });
  EXPECT_TRUE(write_text(pipe, "through"));
  EXPECT_EQ(reader.get(), "through");
  EXPECT_TRUE(S_ISFIFO(facts_of(pipe).st_mode));
}

TEST(AtomicFile, ReplacesWhatALinkPointsTo) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "deep");
  write_file(folder / "deep/real", "old");
  fs::create_symlink("deep/real", folder / "near");
  fs::create_symlink(folder / "near", folder / "far");
  ASSERT_TRUE(check_place(folder / "far"));
  ASSERT_TRUE(write_text(folder / "far", "new"));
  EXPECT_TRUE(fs::is_symlink(folder / "far"));
  EXPECT_TRUE(fs::is_symlink(folder / "near"));
  EXPECT_FALSE(fs::is_symlink(folder / "deep/real"));
  EXPECT_EQ(read_file(folder / "deep/real"), "new");
}

TEST(AtomicFile, MakesWhatALinkPointsTo) {
  const TemporaryFolder folder;
  fs::create_symlink("later", folder / "link");
  ASSERT_TRUE(write_text(folder / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "later"), "new");
}

TEST(AtomicFile, RefusesLinksThatGoRound) {
  const TemporaryFolder folder;
  fs::create_symlink("two", folder / "one");
  fs::create_symlink("one", folder / "two");
  for (const Status& refused : {check_place(folder / "one"), write_text(folder / "one", "new")}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "package.cannot_write");
  }
  EXPECT_TRUE(fs::is_symlink(folder / "one"));
}

TEST(AtomicFile, AppendsToAnOpenDescriptor) {
  const TemporaryFolder folder;
  const int log = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ASSERT_GE(log, 0);
  ASSERT_EQ(::write(log, "first ", 6), 6);
  for (const char* place : {"/proc/self/fd/", "/dev/fd/"}) {
    if (!fs::exists(place + std::to_string(log))) continue;
    ASSERT_TRUE(write_text(place + std::to_string(log), "more "));
  }
  ASSERT_EQ(::write(log, "last", 4), 4);
  ::close(log);
  EXPECT_THAT(read_file(folder / "log"), testing::StartsWith("first more "));
  EXPECT_THAT(read_file(folder / "log"), testing::EndsWith("last"));
}

TEST(AtomicFile, KeepsTheRightsOfTheOldFile) {
  const TemporaryFolder folder;
  const fs::path path = folder / "file";
  write_file(path, "old");
  for (const mode_t rights : {0600U, 0664U, 0444U}) {
    ASSERT_EQ(::chmod(path.c_str(), rights), 0);
    ASSERT_TRUE(write_text(path, "new"));
    EXPECT_EQ(rights_of(path), rights);
  }
}

TEST(AtomicFile, KeepsTheOwnerOfTheOldFile) {
  const TemporaryFolder folder;
  const fs::path path = folder / "file";
  write_file(path, "old");
  if (::chown(path.c_str(), 1234, 4321) != 0) GTEST_SKIP() << "needs root";
  ASSERT_TRUE(write_text(path, "new"));
  EXPECT_EQ(facts_of(path).st_uid, 1234U);
  EXPECT_EQ(facts_of(path).st_gid, 4321U);
}

TEST(AtomicFile, HasTheRightsThatTheUmaskLeaves) {
  const TemporaryFolder folder;
  for (const mode_t mask : {0077U, 0002U, 0022U}) {
    const mode_t before = ::umask(mask);
    const Status written = write_text(folder / std::to_string(mask), "new");
    ::umask(before);
    ASSERT_TRUE(written);
    EXPECT_EQ(rights_of(folder / std::to_string(mask)), 0666U & ~mask);
  }
}

TEST(AtomicFile, SaysThatADeviceIsFull) {
  const TemporaryFolder folder;
  const fs::path device = usable_device(folder, "full", kFull);
  if (device.empty()) GTEST_SKIP() << "there are no devices here";
  const Status full = write_text(device, "too much");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, "package.cannot_write");
  EXPECT_THAT(full.error().message, testing::HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace dycl::test
