// SPDX-License-Identifier: Apache-2.0
// TVM's object interface (tvm_ffi) through its C functions, which are public and stable: no header of TVM and
// none of its C++ types. Two libraries are opened: libtvm_ffi, which has the functions, and libtvm_runtime,
// which registers the virtual machine in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"

namespace dycl::tvm {

// DLPack's and TVM's own layouts.
struct DLDataType {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
};
struct DLDevice {
  std::int32_t kind = 1;  // the CPU
  std::int32_t index = 0;
};
struct DLTensor {
  void* data = nullptr;
  DLDevice device;
  std::int32_t rank = 0;
  DLDataType dtype;
  std::int64_t* dims = nullptr;
  std::int64_t* strides = nullptr;
  std::uint64_t byte_offset = 0;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* context = nullptr;
  void (*deleter)(DLManagedTensor*) = nullptr;
};
struct Bytes {
  const char* data = nullptr;
  std::size_t size = 0;
};
struct Any {
  enum Kind : std::int32_t {
    None = 0,
    Integer = 1,
    Boolean = 2,
    Text = 8,
    FirstObject = 64,
    Shape = 69,
    Tensor = 70,
    Array = 71
  };
  std::int32_t kind = None;
  std::uint32_t padding = 0;
  union {
    std::int64_t integer = 0;
    void* object;
    const char* text;
  };
};
inline Any any(std::int64_t value) {
  Any result;
  result.kind = Any::Integer;
  result.integer = value;
  return result;
}
inline Any any(const char* text) {
  Any result;
  result.kind = Any::Text;
  result.text = text;
  return result;
}

// A function of ours that TVM calls. It returns 0, or -1 after set_error.
using FfiCallback = int (*)(void* self, const Any* arguments, std::int32_t count, Any* result);

struct FfiFunctions {
  int (*decrease)(void* object) = nullptr;
  int (*increase)(void* object) = nullptr;
  int (*find_global)(const Bytes* name, void** function) = nullptr;
  int (*call)(void* function, Any* arguments, std::int32_t count, Any* result) = nullptr;
  int (*create_function)(void* self, FfiCallback callback, void (*deleter)(void*), void** function) = nullptr;
  int (*set_global)(const Bytes* name, void* function, int replace) = nullptr;
  void (*take_error)(void** error) = nullptr;
  void (*set_error)(const char* kind, const char* message) = nullptr;
  int (*from_dlpack)(DLManagedTensor* from, std::int32_t alignment, std::int32_t contiguous,
                     void** tensor) = nullptr;
};

// These return what objects of these kinds hold.
const DLTensor& tensor_in(const void* object);
std::span<const std::int64_t> sizes_in(const void* object);  // of kind Any::Shape

// A counted reference to one of TVM's objects.
class Object {
 public:
  Object() = default;
  Object(const FfiFunctions& ffi, void* object) : ffi_(&ffi), object_(object) {}  // takes the reference over
  Object(Object&& other) noexcept : ffi_(other.ffi_), object_(std::exchange(other.object_, nullptr)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(ffi_, other.ffi_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Object() {
    if (object_ != nullptr) ffi_->decrease(object_);
  }
  [[nodiscard]] void* get() const { return object_; }
  [[nodiscard]] std::int32_t kind() const;
  [[nodiscard]] Any view() const;
  [[nodiscard]] const DLTensor& tensor() const { return tensor_in(object_); }
  [[nodiscard]] std::span<const Any> elements() const;  // of kind Any::Array
  [[nodiscard]] Object share(void* element) const;      // another object, with a reference of its own

 private:
  const FfiFunctions* ffi_ = nullptr;
  void* object_ = nullptr;
};

class Ffi {
 public:
  // `runtime` is the path of libtvm_runtime.so; libtvm_ffi.so lies beside it or in its own wheel's folder.
  static Result<std::shared_ptr<const Ffi>> open(const std::string& runtime);

  [[nodiscard]] Result<Object> global(const char* name) const;
  // Calls a function. Fails with what TVM raised, on one line. A result that is not an object is an empty
  // Object.
  Result<Object> call(const Object& function, std::span<Any> arguments) const;
  // Makes a view of memory that the caller keeps alive, together with `managed`, until the object is gone.
  Result<Object> view(DLManagedTensor& managed) const;
  // Returns a function of a module; fails if there is none of that name.
  Result<Object> function_of(const Object& module, const char* name) const;

  [[nodiscard]] const FfiFunctions& functions() const { return functions_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] Diagnostic raised() const;

  FfiFunctions functions_;
  std::string version_;
  std::string path_;
  Object get_function_;
};

}  // namespace dycl::tvm
