// SPDX-License-Identifier: Apache-2.0
// What goes wrong in an emitted program, and how C learns of it.
#pragma once

#include <dycl/dycl.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "host_rules/raised.h"

namespace dycl::emitted {

using host_rules::raise_exception;
using host_rules::Raised;
using host_rules::Unable;

// What a function of the emitted interface returns; the numbers are part of it.
enum class Code : int {
  Ok = 0,
  Usage = 1,    // an argument is wrong
  Load = 2,     // the package or a backend cannot be loaded
  Backend = 3,  // a sub-DNN failed
  Raised = 4,   // the model raised an exception
  Stopped = 5,  // a loop went on for longer than it may
  Memory = 6,   // there is not enough memory
  Internal = 7  // a bug of DyCL or of a backend
};

// A call that failed. Is thrown, and becomes the last error of the thread at the border to C.
struct Failed {
  Code code = Code::Internal;
  std::string reason;     // stable: "run.input_missing", or that of libdycl
  std::string exception;  // the type of the model's exception, or empty
  std::string message;
  std::string place = {};  // "model.py:31:9", or empty
};

[[noreturn]] inline void fail(Code code, std::string reason, std::string message) {
  throw Failed{code, std::move(reason), {}, std::move(message)};
}

inline std::string text_of(const Failed& failure) {
  std::string text = failure.place.empty() ? "" : failure.place + ": ";
  if (!failure.exception.empty()) text += failure.exception + ": ";
  text += failure.message;
  return failure.exception.empty() ? text + " [" + failure.reason + "]" : text;
}

// Throws what a status of libdycl says, and frees it.
inline void check(dycl_status* status, Code code) {
  if (status == nullptr) return;
  Failed failure{code, dycl_status_code(status), dycl_status_exception_type(status),
                 dycl_status_message(status)};
  dycl_status_free(status);
  if (failure.reason == "run.out_of_memory") failure.code = Code::Memory;
  throw failure;
}

// Runs the body of one C function, and remembers why it failed.
template <class Body>
Code guarded(Failed& last, const Body& body) noexcept {
  try {
    try {
      body();
      return Code::Ok;
    } catch (Failed& failure) {
      last = std::move(failure);
    } catch (const std::bad_alloc&) {
      last = Failed{Code::Memory, "run.out_of_memory", {}, "there is not enough memory"};
    } catch (const std::exception& error) {
      last = Failed{Code::Internal, "run.exception", {}, error.what()};
    }
    return last.code;
  } catch (...) {
    return Code::Memory;
  }
}

}  // namespace dycl::emitted
