// SPDX-License-Identifier: Apache-2.0
#include "runtime/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory_resource>
#include <new>

namespace dycl::runtime {
namespace {

// Idle memory beyond this is given back to the system when it also exceeds what is in use: programs
// whose shapes keep changing would otherwise fill one size class after another.
constexpr std::size_t kIdleLimit = std::size_t{256} << 20;
// A sequence that once was longer does not keep its memory.
constexpr std::size_t kKeptItems = 4096;

struct SizeClass {
  std::size_t index;
  std::size_t capacity;
};

// Units of 64 bytes: 1, 2, 3, 4, then 5/4, 6/4, 7/4 and 8/4 of each power of two.
SizeClass class_of(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 4) throw std::bad_alloc();
  const std::size_t units = std::max<std::size_t>(1, (bytes + kBufferAlignment - 1) / kBufferAlignment);
  if (units <= 4) return {units - 1, units * kBufferAlignment};
  const auto exponent = static_cast<std::size_t>(std::bit_width(units - 1)) - 1;
  const std::size_t quarter = std::size_t{1} << (exponent - 2);
  const std::size_t quarters = (units + quarter - 1) / quarter;  // 5 … 8
  return {4 * (exponent - 1) + (quarters - 5), quarters * quarter * kBufferAlignment};
}

template <class Node>
void push(std::atomic<Node*>& stack, Node* node) noexcept {
  Node* head = stack.load(std::memory_order_relaxed);
  do {
    node->next = head;
  } while (!stack.compare_exchange_weak(head, node, std::memory_order_release, std::memory_order_relaxed));
}

template <class Node>
Node* pop(Node*& list) {
  Node* node = list;
  if (node != nullptr) list = node->next;
  return node;
}

template <class Node>
void free_list(Node*& list) {
  while (Node* node = pop(list)) const std::unique_ptr<Node> freed(node);
}

void let_go_of_foreign_memory(Buffer& buffer) noexcept {
  if (buffer.release != nullptr) buffer.release(buffer.owner);
  buffer.release = nullptr;
  buffer.owner = nullptr;
  buffer.keep_alive.reset();
}

}  // namespace

Buffer::~Buffer() {
  if (origin == BufferOrigin::Pool) {
    if (data != nullptr) std::pmr::new_delete_resource()->deallocate(data, capacity, kBufferAlignment);
  } else {
    let_go_of_foreign_memory(*this);
  }
}

void recycle(Buffer* buffer) noexcept {
  if (buffer->pool != nullptr) return buffer->pool->give_back(buffer);
  const std::unique_ptr<Buffer> freed(buffer);
}

void recycle(SequenceNode* node) noexcept {
  if (node->pool != nullptr) return node->pool->give_back(node);
  const std::unique_ptr<SequenceNode> freed(node);
}

BufferPool::Handle BufferPool::create() { return Handle(std::make_unique<BufferPool>().release()); }

BufferPool::~BufferPool() {
  collect_returned();
  free_idle();
  free_list(idle_headers_);
  free_list(idle_sequences_);
}

void BufferPool::drop_owner() noexcept {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) const std::unique_ptr<BufferPool> freed(this);
}

BufferRef BufferPool::lend(Buffer* buffer) {
  owners_.fetch_add(1, std::memory_order_relaxed);
  return BufferRef(buffer);
}

BufferRef BufferPool::take(std::size_t bytes) {
  const SizeClass size = class_of(bytes);
  if (idle_[size.index] == nullptr) collect_returned();
  if (Buffer* buffer = pop(idle_[size.index])) {
    idle_bytes_ -= size.capacity;
    return lend(buffer);
  }
  if (idle_bytes_ > kIdleLimit && idle_bytes_ > bytes_ / 2) free_idle();
  auto buffer = std::make_unique<Buffer>();
  buffer->data =
      static_cast<std::byte*>(std::pmr::new_delete_resource()->allocate(size.capacity, kBufferAlignment));
  buffer->capacity = size.capacity;
  buffer->pool = this;
  bytes_ += size.capacity;
  return lend(buffer.release());
}

BufferRef BufferPool::wrap(const void* data, std::size_t bytes, void* owner, void (*release)(void*),
                           std::shared_ptr<const void> keep_alive) {
  if (idle_headers_ == nullptr) collect_returned();
  Buffer* buffer = pop(idle_headers_);
  if (buffer == nullptr) {
    buffer = std::make_unique<Buffer>().release();
    buffer->pool = this;
  }
  buffer->origin = BufferOrigin::Backend;
  buffer->data = static_cast<std::byte*>(const_cast<void*>(data));
  buffer->capacity = bytes;
  buffer->owner = owner;
  buffer->release = release;
  buffer->keep_alive = std::move(keep_alive);
  return lend(buffer);
}

SequenceRef BufferPool::take_sequence() {
  if (idle_sequences_ == nullptr) collect_returned();
  SequenceNode* node = pop(idle_sequences_);
  if (node == nullptr) {
    node = std::make_unique<SequenceNode>().release();
    node->pool = this;
  }
  owners_.fetch_add(1, std::memory_order_relaxed);
  return SequenceRef(node);
}

void BufferPool::give_back(Buffer* buffer) noexcept {
  if (buffer->origin != BufferOrigin::Pool) let_go_of_foreign_memory(*buffer);
  push(returned_, buffer);
  drop_owner();
}

void BufferPool::give_back(SequenceNode* node) noexcept {
  node->items.clear();
  if (node->items.capacity() > kKeptItems) std::vector<RuntimeValue>().swap(node->items);
  push(returned_sequences_, node);
  drop_owner();
}

void BufferPool::collect_returned() {
  Buffer* buffers = returned_.exchange(nullptr, std::memory_order_acquire);
  while (Buffer* buffer = pop(buffers)) {
    const bool pooled = buffer->origin == BufferOrigin::Pool;
    Buffer*& list = pooled ? idle_[class_of(buffer->capacity).index] : idle_headers_;
    if (pooled) idle_bytes_ += buffer->capacity;
    buffer->next = list;
    list = buffer;
  }
  SequenceNode* sequences = returned_sequences_.exchange(nullptr, std::memory_order_acquire);
  while (SequenceNode* node = pop(sequences)) {
    node->next = idle_sequences_;
    idle_sequences_ = node;
  }
}

void BufferPool::free_idle() {
  for (Buffer*& list : idle_) free_list(list);
  bytes_ -= idle_bytes_;
  idle_bytes_ = 0;
}

}  // namespace dycl::runtime
