// SPDX-License-Identifier: Apache-2.0
// The constant parts of an emitted program.
#pragma once

#include <dycl/kernels.h>

#include <cstddef>
#include <cstdint>

namespace dycl::emitted {

// A tensor's type. Without sizes (rank -1), they are known only while the program runs.
struct TensorType {
  std::int32_t dtype;
  std::int32_t rank;
  const std::int64_t* dims;
  std::size_t bytes;
};

// An input of the generic entry.
struct NamedType {
  const char* name;
  std::uint32_t type;
};

enum class FieldKind {
  Number,
  Address,
  View
};  // an address is that of a tensor, or of a text ending with a zero

// A field of a result: where it lies in the struct, and whether the value itself lies there.
struct NamedField {
  const char* name;
  std::uint32_t type;
  std::size_t offset;
  FieldKind kind;
};

// An exception that a sub-DNN may ask for: one of its outputs is true.
struct Guard {
  const char* exception;  // empty: the backend cannot compute what the model means
  const char* message;
  const char* place;
};

// How a sub-DNN is called: which of the program's tensor types go in and come out.
struct SiteType {
  const char* name;
  const std::uint32_t* types;  // of the inputs, then of the outputs
  std::uint32_t inputs;
  std::uint32_t outputs;
  const Guard* guards;
  std::uint32_t guard_count;
};

// A few buffers of one size, of which the program takes one that nothing alive points into.
struct Web {
  std::size_t bytes;
  const std::size_t* offsets;
  std::size_t count;
};

// The constant parts of one program.
struct ProgramTables {
  const dycl_kernel_name* kernels;
  const SiteType* sites;
  std::size_t site_count;
  const TensorType* types;
  const char* const* places;
  const char* const* weights;
  std::size_t weight_count;
  std::size_t arena_bytes;
};

}  // namespace dycl::emitted
