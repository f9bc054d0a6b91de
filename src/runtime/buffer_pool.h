// SPDX-License-Identifier: Apache-2.0
// Recycles the memory of one session, so that a warmed-up run allocates nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "runtime/buffer.h"
#include "runtime/value.h"

namespace dycl::runtime {

// Only the session's thread takes objects from the pool; any thread may return them, without a lock. The pool
// lives until its session has released it and everything that it lent out has been returned.
class BufferPool {
 public:
  struct LetGo {
    void operator()(BufferPool* pool) const { pool->drop_owner(); }
  };
  using Handle = std::unique_ptr<BufferPool, LetGo>;
  static Handle create();

  BufferPool() = default;
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool();

  // Returns at least `bytes` bytes, aligned to 64. Throws std::bad_alloc.
  BufferRef take(std::size_t bytes);
  // Returns a buffer around a backend's memory; release(owner) is called when the last reader is done.
  BufferRef wrap(const void* data, std::size_t bytes, void* owner, void (*release)(void*),
                 std::shared_ptr<const void> keep_alive);
  SequenceRef take_sequence();

  [[nodiscard]] std::size_t bytes() const { return bytes_; }  // both lent out and idle

  void give_back(Buffer* buffer) noexcept;
  void give_back(SequenceNode* node) noexcept;

 private:
  // There are four size classes per power of two, so at most a fifth of a buffer is unused.
  static constexpr std::size_t kClasses = 4 * 64;

  void collect_returned();
  void free_idle();
  void drop_owner() noexcept;
  BufferRef lend(Buffer* buffer);

  std::array<Buffer*, kClasses> idle_{};
  Buffer* idle_headers_ = nullptr;  // these have no memory of their own
  SequenceNode* idle_sequences_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t idle_bytes_ = 0;
  // Any thread pushes onto these stacks; only the session's thread empties them, all at once.
  std::atomic<Buffer*> returned_{nullptr};
  std::atomic<SequenceNode*> returned_sequences_{nullptr};
  std::atomic<std::size_t> owners_{1};  // the session and every lent object
};

}  // namespace dycl::runtime
