// SPDX-License-Identifier: Apache-2.0
// Reads and checks what a program is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "emitted/failures.h"
#include "emitted/lists.h"
#include "emitted/tables.h"
#include "emitted/views.h"

namespace dycl::emitted {

// Reads inputs that the generic entry was given.
template <class View>
class InputReader {
 public:
  InputReader(const char* name, const TensorType& type) : name_(name), type_(type) {}

  void read(const View& view, Tensor& value) const {
    check(view);
    value = tensor_over(view.dtype, Dims(view.dims, static_cast<std::size_t>(view.rank)), view.data, true);
  }
  void read(const View& view, std::int64_t& number) const { number = *number_at<std::int64_t>(view); }
  void read(const View& view, double& number) const { number = *number_at<double>(view); }
  void read(const View& view, bool& truth) const { truth = *number_at<std::uint8_t>(view) != 0; }
  void read(const View& view, std::uint8_t& truth) const { truth = *number_at<std::uint8_t>(view); }
  template <class T>
  void read(const View& view, List<T>& list) const {
    if (view.dtype != kListView) wrong("run.input_kind", "is not a list");
    if (view.items == nullptr && view.item_count > 0) wrong("run.input_missing", "is null");
    list = {};
    for (std::size_t index = 0; index < view.item_count; ++index) {
      T item{};
      read(view.items[index], item);
      list.own_items().push_back(std::move(item));
    }
  }
  template <class T>
  void read(const View& view, Maybe<T>& maybe) const {
    maybe = {};
    if (view.dtype == kNoView) return;
    T value{};
    read(view, value);
    maybe = std::move(value);
  }

 private:
  template <class T>
  const T* number_at(const View& view) const {
    check(view);
    return static_cast<const T*>(view.data);
  }

  [[noreturn]] void wrong(const char* reason, const char* what) const {
    fail(Code::Usage, reason, std::string("the input '") + name_ + "' " + what);
  }

  // Sizes that are not known while the program is written are -1 in the type.
  void check(const View& view) const {
    if (view.dtype == kListView || view.dtype == kNoView)
      wrong("run.input_kind", "is a list or nothing where the program takes a tensor or a number");
    if (view.dtype != type_.dtype)
      wrong("run.input_dtype", "has another element type than the program takes");
    if (view.rank < 0 || view.rank > DYCL_MAX_RANK || (type_.rank >= 0 && view.rank != type_.rank))
      wrong("run.input_rank", "has another number of dims than the program takes");
    if (view.rank > 0 && view.dims == nullptr) wrong("run.input_missing", "has no sizes");
    for (std::int32_t axis = 0; axis < view.rank; ++axis)
      if (view.dims[axis] < 0 ||
          (type_.rank >= 0 && type_.dims[axis] >= 0 && type_.dims[axis] != view.dims[axis]))
        wrong("run.input_dim", "has other sizes than the program takes");
    if (view.byte_size != bytes_of(view.dtype, Dims(view.dims, static_cast<std::size_t>(view.rank))))
      wrong("run.input_bytes", "has another number of bytes than its sizes say");
    if (view.data == nullptr && view.byte_size > 0) wrong("run.input_missing", "is null");
  }

  const char* name_;
  const TensorType& type_;
};

template <class T, class View>
T read_input(const View* view, const TensorType* types, const NamedType& input) {
  T value{};
  if (view == nullptr && is_maybe(value)) return value;
  if (view == nullptr)
    fail(Code::Usage, "run.input_missing", std::string("the input '") + input.name + "' is null");
  InputReader<View>(input.name, types[input.type]).read(*view, value);
  return value;
}

// A tensor over memory of the caller.
inline Tensor given_tensor(const char* name, std::int32_t dtype, const Dims& dims, const void* data) {
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] < 0)
      fail(Code::Usage, "run.input_dim", std::string("the input '") + name + "' has a negative size");
  Tensor tensor = tensor_over(dtype, dims, data, true);
  if (data == nullptr && tensor.bytes > 0)
    fail(Code::Usage, "run.input_missing", std::string("the input '") + name + "' is null");
  return tensor;
}

// Gives a named size its value, or checks that it has this one.
inline void bind_size(const char* name, std::int64_t& size, std::int64_t given, std::int64_t smallest,
                      std::int64_t largest) {
  if (size >= 0 && size != given)
    fail(Code::Usage, "run.input_symbol",
         std::string("the size '") + name + "' is " + std::to_string(size) + " in one input and " +
             std::to_string(given) + " in another");
  size = given;
  if (given < smallest || given > largest)
    fail(Code::Usage, "run.input_range",
         std::string("the size '") + name + "' is " + std::to_string(given) +
             ", outside of what the program takes");
}

// Checks a size that the program computes from others.
inline void check_size(const char* name, std::int64_t wanted, std::int64_t given) {
  if (wanted >= 0 && wanted != given)
    fail(Code::Usage, "run.input_dim",
         std::string("the input '") + name + "' has size " + std::to_string(given) +
             " where the program takes " + std::to_string(wanted));
}

// Checks a pointer that the typed entry was given. A tensor without elements needs no memory.
template <class T>
T* required(T* data, const char* name, std::size_t bytes) {
  if (data != nullptr) return data;
  if (bytes > 0) fail(Code::Usage, "run.input_missing", std::string("the input '") + name + "' is null");
  return reinterpret_cast<T*>(no_elements());
}

// The program writes to an input: what is written is not seen through another one.
inline void check_apart(const char* name, const void* written, std::size_t bytes, const char* other,
                        const void* data, std::size_t other_bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(written);
  const auto other_begin = reinterpret_cast<std::uintptr_t>(data);
  if (begin < other_begin + other_bytes && other_begin < begin + bytes)
    fail(Code::Usage, "run.inputs_overlap",
         std::string("the program writes to the input '") + name + "', whose memory the input '" + other +
             "' shares");
}

}  // namespace dycl::emitted
