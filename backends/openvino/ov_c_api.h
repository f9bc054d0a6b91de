// SPDX-License-Identifier: Apache-2.0
// The part of OpenVINO's C interface that is used, declared here so that building needs no OpenVINO.
// The functions are found by name in the library that is opened at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace dycl::openvino {

// Opaque objects of the vendor library.
struct OvCore;
struct OvModel;
struct OvCompiledModel;
struct OvInferRequest;
struct OvTensor;
struct OvPort;

using OvStatus = int;  // 0 is success

// Layouts fixed by the vendor's C headers.
struct OvShape {
  std::int64_t rank;
  std::int64_t* dims;
};
struct OvDimension {
  std::int64_t min;
  std::int64_t max;  // -1: no bound
};
struct OvPartialShape {
  OvDimension rank;
  OvDimension* dims;
};
struct OvVersion {
  const char* build;
  const char* description;
};
struct OvProperty {
  const char* key;
  const void* value;
};

struct OvApi {
  OvStatus (*get_version)(OvVersion*);
  void (*version_free)(OvVersion*);
  const char* (*get_last_error)();
  void (*free_text)(const char*);

  OvStatus (*core_create)(OvCore**);
  void (*core_free)(OvCore*);
  OvStatus (*core_set_properties)(const OvCore*, const char* device, std::size_t, const OvProperty*);
  OvStatus (*core_get_property)(const OvCore*, const char* device, const char* key, char** value);
  OvStatus (*core_read_model)(const OvCore*, const char*, std::size_t, const OvTensor*, OvModel**);
  OvStatus (*core_compile_model)(const OvCore*, const OvModel*, const char* device, std::size_t,
                                 const OvProperty*, OvCompiledModel**);
  OvStatus (*core_import_model)(const OvCore*, const char*, std::size_t, const char* device,
                                OvCompiledModel**);

  void (*model_free)(OvModel*);
  OvStatus (*model_outputs_size)(const OvModel*, std::size_t*);
  OvStatus (*model_output)(const OvModel*, std::size_t, OvPort**);

  OvStatus (*compiled_export)(const OvCompiledModel*, const char* path);
  OvStatus (*compiled_get_property)(const OvCompiledModel*, const char* key, char** value);
  OvStatus (*compiled_input)(const OvCompiledModel*, std::size_t, OvPort**);
  OvStatus (*compiled_inputs_size)(const OvCompiledModel*, std::size_t*);
  OvStatus (*compiled_input_by_name)(const OvCompiledModel*, const char*, OvPort**);
  OvStatus (*compiled_outputs_size)(const OvCompiledModel*, std::size_t*);
  OvStatus (*compiled_output)(const OvCompiledModel*, std::size_t, OvPort**);
  OvStatus (*compiled_create_request)(const OvCompiledModel*, OvInferRequest**);
  void (*compiled_free)(OvCompiledModel*);

  OvStatus (*port_element_type)(const OvPort*, int*);
  OvStatus (*port_partial_shape)(const OvPort*, OvPartialShape*);
  void (*port_free)(OvPort*);
  void (*partial_shape_free)(OvPartialShape*);

  OvStatus (*request_set_tensor)(OvInferRequest*, const OvPort*, const OvTensor*);
  OvStatus (*request_set_output)(OvInferRequest*, std::size_t, const OvTensor*);
  OvStatus (*request_get_output)(const OvInferRequest*, std::size_t, OvTensor**);
  OvStatus (*request_infer)(OvInferRequest*);
  void (*request_free)(OvInferRequest*);

  OvStatus (*tensor_over_memory)(int element_type, OvShape, void*, OvTensor**);
  OvStatus (*tensor_create)(int element_type, OvShape, OvTensor**);
  OvStatus (*tensor_shape)(const OvTensor*, OvShape*);
  OvStatus (*tensor_element_type)(const OvTensor*, int*);
  OvStatus (*tensor_byte_size)(const OvTensor*, std::size_t*);
  OvStatus (*tensor_data)(const OvTensor*, void**);
  void (*tensor_free)(OvTensor*);
  OvStatus (*shape_free)(OvShape*);
};

// Opens the library, never to unload it, and finds every function. The path names libopenvino_c.
Result<OvApi> open_library(const std::string& path);

}  // namespace dycl::openvino
