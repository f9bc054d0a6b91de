// SPDX-License-Identifier: Apache-2.0
// Values that go into and come out of a program. Include dycl/dycl.hpp.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <dycl/error.hpp>

namespace dycl {
namespace detail {

template <class T>
constexpr dycl_dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DYCL_F32;
  else if constexpr (std::is_same_v<T, double>)
    return DYCL_F64;
  else if constexpr (std::is_same_v<T, bool>)
    return DYCL_BOOL;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return DYCL_C64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return DYCL_C128;
  else {
    static_assert(std::is_integral_v<T>, "no element type of DyCL is laid out like this C++ type");
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1)
      return is_signed ? DYCL_I8 : DYCL_U8;
    else if constexpr (sizeof(T) == 2)
      return is_signed ? DYCL_I16 : DYCL_U16;
    else if constexpr (sizeof(T) == 4)
      return is_signed ? DYCL_I32 : DYCL_U32;
    else
      return is_signed ? DYCL_I64 : DYCL_U64;
  }
}

}  // namespace detail

using Dims = std::vector<std::int64_t>;

// A tensor, scalar, sequence, or nothing. A Value can be moved, but not copied.
class Value {
 public:
  Value() : Value(make([](dycl_value** out) { return dycl_value_none(out); })) {}
  static Value of_bool(bool scalar) {
    return make([&](dycl_value** out) { return dycl_value_bool(scalar ? 1 : 0, out); });
  }
  static Value of_int(std::int64_t scalar) {
    return make([&](dycl_value** out) { return dycl_value_int(scalar, out); });
  }
  static Value of_float(double scalar) {
    return make([&](dycl_value** out) { return dycl_value_float(scalar, out); });
  }

  // Makes a tensor over the caller's memory, which must stay alive until the runs that use it have returned.
  template <class T>
  static Value borrow(const T* data, const Dims& dims) {
    std::size_t count = 1;
    for (const std::int64_t dim : dims) count *= static_cast<std::size_t>(dim < 0 ? 0 : dim);
    return borrow(detail::dtype_of<T>(), data, count * sizeof(T), dims);
  }
  static Value borrow(dycl_dtype dtype, const void* data, std::size_t bytes, const Dims& dims) {
    return make([&](dycl_value** out) {
      return dycl_value_borrow(dtype, dims.data(), dims.size(), data, bytes, out);
    });
  }
  // Makes a tensor that owns its elements.
  template <class T>
  static Value own(std::vector<T> elements, const Dims& dims) {
    auto kept = std::make_unique<std::vector<T>>(std::move(elements));
    const std::vector<T>& held = *kept;
    const auto release = [](void* owner) {
      const std::unique_ptr<std::vector<T>> freed(static_cast<std::vector<T>*>(owner));
    };
    return make([&](dycl_value** out) {
      return dycl_value_share(detail::dtype_of<T>(), dims.data(), dims.size(), held.data(),
                              held.size() * sizeof(T), release, kept.release(), out);
    });
  }
  static Value strings(const std::vector<std::string>& texts, const Dims& dims) {
    std::vector<const char*> starts;
    std::vector<std::size_t> lengths;
    for (const std::string& text : texts) {
      starts.push_back(text.data());
      lengths.push_back(text.size());
    }
    return make([&](dycl_value** out) {
      return dycl_value_strings(dims.data(), dims.size(), starts.data(), lengths.data(), texts.size(), out);
    });
  }
  static Value sequence(const std::vector<Value>& items) {
    std::vector<const dycl_value*> handles;
    for (const Value& item : items) handles.push_back(item.get());
    return make([&](dycl_value** out) { return dycl_value_sequence(handles.data(), handles.size(), out); });
  }
  // Takes over a handle of the C interface.
  static Value adopt(dycl_value* handle) { return Value(handle); }

  dycl_kind kind() const { return dycl_value_kind(get()); }
  bool has_value() const { return kind() != DYCL_NONE; }

  // For tensors. Views and pointers live as long as the value.
  dycl_tensor_view tensor() const {
    dycl_tensor_view view{};
    detail::check(dycl_value_tensor(get(), &view));
    return view;
  }
  Dims dims() const {
    const dycl_tensor_view view = tensor();
    return {view.dims, view.dims + view.rank};
  }
  std::size_t count() const {
    std::size_t elements = 1;
    for (const std::int64_t dim : dims()) elements *= static_cast<std::size_t>(dim);
    return elements;
  }
  // Throws std::invalid_argument if the elements are of another type.
  template <class T>
  const T* data() const {
    const dycl_tensor_view view = tensor();
    if (view.dtype != detail::dtype_of<T>()) throw std::invalid_argument("the tensor has another dtype");
    return static_cast<const T*>(view.data);
  }
  std::string_view string_at(std::size_t index) const {
    const char* text = nullptr;
    std::size_t length = 0;
    detail::check(dycl_value_string_at(get(), index, &text, &length));
    return {text, length};
  }

  // For scalars.
  bool as_bool() const {
    std::int32_t scalar = 0;
    detail::check(dycl_value_get_bool(get(), &scalar));
    return scalar != 0;
  }
  std::int64_t as_int() const {
    std::int64_t scalar = 0;
    detail::check(dycl_value_get_int(get(), &scalar));
    return scalar;
  }
  double as_float() const {
    double scalar = 0;
    detail::check(dycl_value_get_float(get(), &scalar));
    return scalar;
  }

  // For sequences.
  std::size_t size() const {
    std::size_t count = 0;
    detail::check(dycl_value_size(get(), &count));
    return count;
  }
  Value at(std::size_t index) const {
    return make([&](dycl_value** out) { return dycl_value_at(get(), index, out); });
  }

  const dycl_value* get() const { return handle_.get(); }
  dycl_value* get() { return handle_.get(); }

 private:
  explicit Value(dycl_value* handle) : handle_(handle) {}

  template <class Make>
  static Value make(const Make& function) {
    dycl_value* handle = nullptr;
    detail::check(function(&handle));
    return Value(handle);
  }

  detail::Handle<dycl_value, dycl_value_free> handle_;
};

}  // namespace dycl
