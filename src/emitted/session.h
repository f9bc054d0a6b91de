// SPDX-License-Identifier: Apache-2.0
// What one thread needs to run an emitted program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "emitted/failures.h"
#include "emitted/lists.h"
#include "emitted/loaded_kernels.h"
#include "emitted/sites.h"
#include "emitted/tables.h"
#include "emitted/tensor.h"
#include "host_rules/elements.h"

namespace dycl::emitted {

// The memory that was planned while the program was written, its weights, and its limits.
class SessionBase : protected Sites {
 public:
  explicit SessionBase(std::shared_ptr<const LoadedKernels> kernels)
      : Sites(*kernels), kernels_(std::move(kernels)) {
    const std::size_t bytes = std::max<std::size_t>(tables_.arena_bytes, kAlignment);
    arena_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kAlignment))));
  }
  SessionBase(const SessionBase&) = delete;
  SessionBase& operator=(const SessionBase&) = delete;

  // A loop may make so many trips in one run; 0: as many as it likes.
  void limit_trips(std::uint64_t most) { most_trips_ = most; }
  // The run ends at the next trip of a loop once this is not zero. It may be null.
  void watch(const volatile int* stop) { stop_ = stop; }

 protected:
  ~SessionBase() = default;

  // Runs the program's own code, whose exceptions are told with the line of the model that they belong to.
  template <class Body>
  void run_body(const Body& body) {
    trips_ = 0;
    at(0);
    try {
      body();
    } catch (const Raised& raised) {
      throw Failed{Code::Raised, "model.raised", raised.type, raised.message, place()};
    } catch (const Unable& unable) {
      throw Failed{Code::Usage, unable.code, {}, unable.message, place()};
    }
  }

  void next_trip() {
    ++trips_;
    if (most_trips_ != 0 && trips_ > most_trips_)
      fail_here(Code::Stopped, "run.step_limit",
                "the program is still in a loop after " + std::to_string(most_trips_) + " trips");
    if (stop_ != nullptr && *stop_ != 0)
      fail_here(Code::Stopped, "run.interrupted", "the run was interrupted");
  }

  const void* weight(std::size_t index) const { return kernels_->weight(index); }

  void* arena(std::size_t offset) const { return arena_.get() + offset; }

  // Takes a buffer of the web that none of these tensors lies in.
  void* other_than(const Web& web, std::initializer_list<const void*> alive) const {
    for (std::size_t index = 0; index + 1 < web.count; ++index) {
      void* buffer = arena(web.offsets[index]);
      const auto is_used = [&](const void* data) { return lies_in(data, buffer, web.bytes); };
      if (std::none_of(alive.begin(), alive.end(), is_used)) return buffer;
    }
    return arena(web.offsets[web.count - 1]);
  }

  void begin_inputs() { staged_.clear(); }

  // An input that is a result of an earlier run lies in memory that this run writes to: it is copied.
  template <class T>
  const T* outside(const T* input, std::size_t bytes) {
    if (!lies_in(input, arena_.get(), tables_.arena_bytes)) return input;
    std::byte* copy = nullptr;
    staged_.push_back(new_tensor(memory(), kBytes, {static_cast<std::int64_t>(bytes)}, copy));
    std::memcpy(copy, input, bytes);
    return reinterpret_cast<const T*>(copy);
  }
  Tensor outside(Tensor input) {
    return lies_in(input.data, arena_.get(), tables_.arena_bytes) ? copied(memory(), input) : input;
  }
  template <class T>
  List<T> outside(List<T> input) {
    for (T& item : input.own_items()) item = outside(std::move(item));
    return input;
  }
  template <class T>
  Maybe<T> outside(Maybe<T> input) {
    return input.has_value() ? Maybe<T>(outside(input.value())) : input;
  }
  static std::int64_t outside(std::int64_t number) { return number; }
  static double outside(double number) { return number; }
  static std::uint8_t outside(std::uint8_t truth) { return truth; }

  // An input that the program writes to must be the caller's own.
  void require_outside(const char* name, const void* input) const {
    if (lies_in(input, arena_.get(), tables_.arena_bytes))
      fail(Code::Usage, "run.inputs_overlap",
           std::string("the program writes to the input '") + name + "', which is a result of this session");
  }

  // Takes a buffer for a tensor that is made next.
  template <class T>
  static const T* take(void* buffer) {
    return static_cast<const T*>(buffer);
  }

  // Makes a tensor of one element.
  template <class T, class Number>
  static const T* made(Number number, std::int32_t dtype, void* buffer) {
    write_element(number, dtype, static_cast<std::byte*>(buffer));
    return static_cast<const T*>(buffer);
  }

  static void write_back(void* input, const void* contents, std::size_t bytes) {
    if (contents != nullptr && contents != input) std::memcpy(input, contents, bytes);
  }

  void write_back(void* input, std::size_t bytes, const Tensor& contents) const {
    if (contents.bytes != bytes)
      fail_here(Code::Internal, "run.output_contract", "the model gives an input contents of another size");
    SessionBase::write_back(input, contents.data, bytes);
  }

  // Copies a result that lies in the caller's memory, which may go away.
  template <class T>
  const T* kept(const T* result, std::size_t bytes, void* buffer) const {
    if (lies_in(result, arena_.get(), tables_.arena_bytes)) return result;
    std::memcpy(buffer, result, bytes);
    return static_cast<const T*>(buffer);
  }

 private:
  static constexpr std::size_t kAlignment = 64;

  struct FreeArena {
    void operator()(std::byte* arena) const { ::operator delete(arena, std::align_val_t(kAlignment)); }
  };

  static bool lies_in(const void* data, const void* memory, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(memory) < bytes;
  }

  static constexpr std::int32_t kBytes = DYCL_U8;

  std::shared_ptr<const LoadedKernels> kernels_;
  std::unique_ptr<std::byte, FreeArena> arena_;
  std::deque<Tensor> staged_;  // copies of inputs
  std::uint64_t trips_ = 0;
  std::uint64_t most_trips_ = 0;
  const volatile int* stop_ = nullptr;
};

}  // namespace dycl::emitted
