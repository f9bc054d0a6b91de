// SPDX-License-Identifier: Apache-2.0
// The exception of the C++ interface. Include dycl/dycl.hpp.
#pragma once

#include <dycl/dycl.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace dycl {

// An error of DyCL. what() returns the whole text: message, position in the model, hint.
class Error : public std::runtime_error {
 public:
  explicit Error(const dycl_status* status)
      : std::runtime_error(dycl_status_text(status)),
        blame_(dycl_status_blame(status)),
        code_(dycl_status_code(status)),
        message_(dycl_status_message(status)),
        exception_type_(dycl_status_exception_type(status)) {}

  dycl_blame blame() const { return blame_; }
  const std::string& code() const { return code_; }                      // "run.input_dtype"
  const std::string& message() const { return message_; }                // one sentence
  const std::string& exception_type() const { return exception_type_; }  // what the model raised, or ""

 private:
  dycl_blame blame_;
  std::string code_;
  std::string message_;
  std::string exception_type_;
};

namespace detail {

inline void check(dycl_status* status) {
  if (status == nullptr) return;
  const std::unique_ptr<dycl_status, void (*)(dycl_status*)> owned(status, dycl_status_free);
  throw Error(status);
}

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* handle) const { Free(handle); }
};
template <class T, void (*Free)(T*)>
using Handle = std::unique_ptr<T, Freed<T, Free>>;

}  // namespace detail
}  // namespace dycl
