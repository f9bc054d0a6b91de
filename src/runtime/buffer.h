// SPDX-License-Identifier: Apache-2.0
// The memory of runtime values: reference-counted, recycled by the pool it came from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace dycl::runtime {

class BufferPool;

// The count is part of the object, so a value in a slot needs no control block, and the pool can recycle it.
class Counted {
 public:
  void retain() const { references_.fetch_add(1, std::memory_order_relaxed); }
  // Returns true if the caller dropped the last reference and must recycle the object.
  [[nodiscard]] bool drop() const { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  // Says that nobody else can see the object, so that it may be changed in place.
  [[nodiscard]] bool unshared() const { return references_.load(std::memory_order_acquire) == 1; }

 private:
  mutable std::atomic<std::uint32_t> references_{0};
};

inline constexpr std::size_t kBufferAlignment = 64;

// Who provided the bytes. Only memory of Pool and Backend may be handed to a caller.
enum class BufferOrigin : std::uint8_t { Pool, Backend, Foreign };

// The bytes of one or more tensors (views share them).
class Buffer : public Counted {
 public:
  std::byte* data = nullptr;
  std::size_t capacity = 0;
  BufferOrigin origin = BufferOrigin::Pool;
  BufferPool* pool = nullptr;  // the pool that the object returns to; null if it frees itself
  void* owner = nullptr;       // the argument of `release`, which is called once after the last reader
  void (*release)(void* owner) = nullptr;
  std::shared_ptr<const void> keep_alive;  // what `data` or `release` depends on
  Buffer* next = nullptr;                  // the next one in the pool's free list

  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();
};

void recycle(Buffer* buffer) noexcept;

// A counted pointer to T. The last one passes the object to recycle(T*). It is as thread-safe as shared_ptr.
template <class T>
class CountedRef {
 public:
  CountedRef() = default;
  explicit CountedRef(T* object) : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  CountedRef(const CountedRef& other) : CountedRef(other.object_) {}
  CountedRef(CountedRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  CountedRef& operator=(const CountedRef& other) {
    CountedRef(other).swap(*this);
    return *this;
  }
  CountedRef& operator=(CountedRef&& other) noexcept {
    CountedRef(std::move(other)).swap(*this);
    return *this;
  }
  ~CountedRef() {
    if (object_ != nullptr && object_->drop()) recycle(object_);
  }

  void swap(CountedRef& other) noexcept { std::swap(object_, other.object_); }
  [[nodiscard]] T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

using BufferRef = CountedRef<Buffer>;

}  // namespace dycl::runtime
