// SPDX-License-Identifier: Apache-2.0
#include "runtime/buffer_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace dycl::runtime {
namespace {

TEST(BufferPool, lends_aligned_memory_of_at_least_the_size) {
  const BufferPool::Handle pool = BufferPool::create();
  for (std::size_t bytes = 0; bytes < 5000; bytes += 37) {
    const BufferRef buffer = pool->take(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data) % kBufferAlignment, 0U);
    EXPECT_GE(buffer->capacity, bytes);
    EXPECT_LE(buffer->capacity, bytes + bytes / 4 + 64);
    std::memset(buffer->data, 1, bytes);
  }
}

TEST(BufferPool, uses_returned_memory_again) {
  const BufferPool::Handle pool = BufferPool::create();
  const std::byte* first = pool->take(1000)->data;
  EXPECT_EQ(pool->take(1000)->data, first);
  EXPECT_EQ(pool->take(1010)->data, first) << "the same size class";
  const std::size_t bytes = pool->bytes();
  const BufferRef a = pool->take(1000);
  const BufferRef b = pool->take(1000);
  EXPECT_NE(a->data, b->data);
  EXPECT_EQ(pool->bytes(), 2 * bytes);
}

TEST(BufferPool, lives_until_its_last_buffer_comes_back) {
  BufferPool::Handle pool = BufferPool::create();
  BufferRef buffer = pool->take(100);
  SequenceRef sequence = pool->take_sequence();
  pool.reset();
  std::memset(buffer->data, 7, 100);
  std::thread([dropped = std::move(buffer)]() mutable { dropped = BufferRef(); }).join();
  sequence->items.emplace_back(Scalar(true));
}

TEST(BufferPool, releases_wrapped_memory_once_after_the_last_reader) {
  const BufferPool::Handle pool = BufferPool::create();
  int released = 0;
  const auto release = [](void* owner) { ++*static_cast<int*>(owner); };
  const auto kept = std::make_shared<const int>(1);
  int memory = 0;
  {
    const BufferRef first = pool->wrap(&memory, sizeof memory, &released, release, kept);
    const BufferRef second = first;
    EXPECT_EQ(kept.use_count(), 2);
    EXPECT_FALSE(first->unshared());
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(BufferPool, gives_idle_memory_back_when_sizes_keep_changing) {
  const BufferPool::Handle pool = BufferPool::create();
  for (std::size_t mebibytes = 16; mebibytes < 400; mebibytes += 16) pool->take(mebibytes << 20);
  EXPECT_LT(pool->bytes(), std::size_t{1200} << 20);
}

TEST(BufferPool, refuses_sizes_beyond_the_address_space) {
  const BufferPool::Handle pool = BufferPool::create();
  EXPECT_THROW(pool->take(SIZE_MAX), std::bad_alloc);
}

}  // namespace
}  // namespace dycl::runtime
