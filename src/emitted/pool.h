// SPDX-License-Identifier: Apache-2.0
// Memory of values whose sizes are known only while the program runs.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace dycl::emitted {

class Pool;

// Memory of one or more tensors, which goes back to where it came from with its last reader.
struct Block {
  std::byte* data = nullptr;
  std::size_t capacity = 0;
  std::size_t readers = 0;
  Pool* pool = nullptr;   // null: memory of a backend
  void* owner = nullptr;  // of a backend's memory
  void (*release)(void*) = nullptr;
  Block* next = nullptr;
};

// Keeps the memory of earlier tensors for later ones. One thread uses it, with all that it lent out.
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (Block*& first : idle_)
      while (first != nullptr) {
        const std::unique_ptr<Block> freed(std::exchange(first, first->next));
        ::operator delete(freed->data, std::align_val_t(64));
      }
  }

  Block* take(std::size_t bytes) {
    const std::size_t rank = class_of(bytes);
    Block*& first = idle_[rank];
    if (first != nullptr) return std::exchange(first, first->next);
    auto block = std::make_unique<Block>();
    block->capacity = std::size_t{64} << rank;
    block->data = static_cast<std::byte*>(::operator new(block->capacity, std::align_val_t(64)));
    block->pool = this;
    return block.release();
  }

  void give_back(Block* block) {
    Block*& first = idle_[class_of(block->capacity)];
    block->next = std::exchange(first, block);
  }

 private:
  // Powers of two from 64 bytes on.
  static std::size_t class_of(std::size_t bytes) {
    if (bytes > (std::size_t{1} << 62)) throw std::bad_alloc();
    std::size_t rank = 0;
    while ((std::size_t{64} << rank) < bytes) ++rank;
    return rank;
  }

  std::array<Block*, 64> idle_{};
};

class BlockRef {
 public:
  BlockRef() = default;
  explicit BlockRef(Block* block) : block_(block) {
    if (block_ != nullptr) ++block_->readers;
  }
  BlockRef(const BlockRef& other) : BlockRef(other.block_) {}
  BlockRef(BlockRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  BlockRef& operator=(BlockRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockRef() {
    if (block_ == nullptr || --block_->readers > 0) return;
    if (block_->pool != nullptr) {
      block_->pool->give_back(block_);
      return;
    }
    const std::unique_ptr<Block> freed(block_);
    if (freed->release != nullptr) freed->release(freed->owner);
  }

  Block* get() const { return block_; }

 private:
  Block* block_ = nullptr;
};

}  // namespace dycl::emitted
