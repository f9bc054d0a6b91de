// SPDX-License-Identifier: Apache-2.0
// A compiled shared library, loaded once however many sub-DNNs share it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tvm/ffi.h"

namespace dycl::tvm {

// One thread's virtual machine over a library.
struct Machine {
  Object machine;
  Object main;
};

class Library {
 public:
  static Result<std::shared_ptr<const Library>> load(std::shared_ptr<const Ffi> ffi, std::string_view bytes);
  [[nodiscard]] Result<Machine> create_machine() const;
  [[nodiscard]] const Ffi& ffi() const { return *ffi_; }

 private:
  std::shared_ptr<const Ffi> ffi_;
  Object module_;
};

// Loads equal bytes once. It is thread safe.
class LibraryCache {
 public:
  Result<std::shared_ptr<const Library>> load(const std::shared_ptr<const Ffi>& ffi, std::string_view bytes);

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const Library>> libraries_;  // by sha256
};

}  // namespace dycl::tvm
