// SPDX-License-Identifier: Apache-2.0
// The environment (one thread pool, one memory arena) and the sessions made in it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/plugin_abi.h"
#include "common/open_options.h"
#include "onnxruntime/ort_api.h"

namespace dycl::onnxruntime {

struct Weight {
  const char* name = nullptr;
  const DyclTensor* tensor = nullptr;
};

// How much a session may optimize. Exactly means without fusions that keep a constant of f64 in f32.
enum class Optimize { No, Exactly, Fully };

// An input or output as ONNX Runtime reports it.
struct PortType {
  std::int32_t dtype = 0;  // 0: not a tensor
  bool ranked = false;
  std::vector<std::int64_t> dims;  // -1: not fixed
  std::vector<std::string> symbols;
};

// A session and the values over the weights that it reads in place.
struct LoadedSession {
  std::vector<Owned<OrtValue>> weights;
  Owned<OrtSession> session;
};

class Environment {
 public:
  static Result<Environment> create(const plugin::OpenOptions& options);

  [[nodiscard]] const OrtApi& api() const { return library_.api; }
  [[nodiscard]] const std::string& version() const { return library_.version; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const OrtMemoryInfo* memory() const { return memory_.get(); }

  // Makes a session over `onnx`. `weights` are exactly the initializers that `onnx` declares as external.
  [[nodiscard]] Result<LoadedSession> make_session(std::string_view onnx, std::span<const Weight> weights,
                                                   Optimize optimize) const;

 private:
  Environment(OrtLibrary library, std::string path);
  Status start(int threads);
  [[nodiscard]] Result<Owned<OrtSessionOptions>> make_options(Optimize optimize) const;
  [[nodiscard]] Status add_weights(OrtSessionOptions* options, std::span<const Weight> weights,
                                   std::vector<Owned<OrtValue>>& values) const;

  OrtLibrary library_;
  std::string path_;
  Owned<OrtEnv> env_;
  Owned<OrtMemoryInfo> memory_;
};

// ONNX Runtime numbers the newest element types in another order than ONNX does.
std::int32_t to_ort_type(std::int32_t onnx_dtype);
std::int32_t from_ort_type(std::int32_t ort_type);

// Makes a tensor over foreign memory; strings are copied.
Result<Owned<OrtValue>> make_value(const OrtApi& api, const OrtMemoryInfo* memory, const DyclTensor& tensor);

Result<std::vector<PortType>> input_types(const OrtApi& api, const OrtSession* session);
Result<std::vector<PortType>> output_types(const OrtApi& api, const OrtSession* session);
Result<std::vector<std::string>> input_names(const OrtApi& api, const OrtSession* session);
Result<std::vector<std::string>> output_names(const OrtApi& api, const OrtSession* session);

}  // namespace dycl::onnxruntime
