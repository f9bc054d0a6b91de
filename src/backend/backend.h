// SPDX-License-Identifier: Apache-2.0
// A loaded backend, as the rest of DyCL sees it: the plugin's C functions behind owning C++ types.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/plugin_abi.h"
#include "base/result.h"
#include "base/tensor_data.h"

namespace dycl {

struct BackendOptions {
  std::string name = "onnxruntime";
  std::filesystem::path library;  // the vendor library; empty: searched (see find_vendor_library)
  int threads = 0;                // 0: as many as there are cores
  std::string precision = "f32";
};

struct BackendDescription {
  std::string name;
  std::string version;
  std::string library;
  std::int64_t opset = 0;       // newest ONNX opset it reads
  std::int64_t ir_version = 0;  // newest ONNX IR version it reads
  std::map<std::string, std::string> dtypes;  // dtype → "yes" or "refused: why"
  std::vector<std::string> hazards;  // for people
  std::vector<std::string> guards;   // values that need a check in the graph; see plugin_abi.h
  bool deterministic_blob = true;
  bool stores_blob = false;
};

// One border dim as a backend reports it: a size, an input's symbol, or unknown (-1 and no name).
struct InferredDim {
  std::int64_t size = -1;
  std::string symbol;
};
struct InferredType {
  DType dtype = DType::F32;
  std::optional<std::vector<InferredDim>> dims;
};

// A graph to compile: ONNX bytes plus the weights that are not inside them.
struct BackendGraph {
  std::string onnx;
  std::vector<std::pair<std::string, TensorPtr>> weights;
};

class Backend;

// One thread's state of an executable. The executable must outlive it.
class BackendCall {
 public:
  BackendCall(const DyclBackendApi& api, DyclCall* call);
  Status run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs);

 private:
  const DyclBackendApi* api_;
  std::unique_ptr<DyclCall, void (*)(DyclCall*)> call_;
};

class BackendExecutable {
 public:
  BackendExecutable(std::shared_ptr<const Backend> backend, DyclExecutable* executable,
                    std::vector<std::pair<std::string, TensorPtr>> weights);
  [[nodiscard]] Result<BackendCall> create_call() const;

 private:
  std::shared_ptr<const Backend> backend_;
  std::vector<std::pair<std::string, TensorPtr>> weights_;  // the executable reads them in place
  std::unique_ptr<DyclExecutable, void (*)(DyclExecutable*)> executable_;
};

class Backend : public std::enable_shared_from_this<Backend> {
 public:
  static Result<std::shared_ptr<const Backend>> open(const BackendOptions& options);
  // For backends linked into the program: tests, and the fake backend of the thread sanitizer.
  static Result<std::shared_ptr<const Backend>> open(const DyclBackendApi& api,
                                                     const BackendOptions& options);

  [[nodiscard]] const BackendDescription& description() const { return description_; }
  [[nodiscard]] Result<std::string> check(const BackendGraph& graph) const;
  [[nodiscard]] Result<std::vector<InferredType>> infer_types(const BackendGraph& graph) const;
  [[nodiscard]] Result<std::string> compile(const BackendGraph& graph) const;
  [[nodiscard]] Result<std::shared_ptr<const BackendExecutable>> load(const BackendGraph& graph,
                                                                      std::string_view blob) const;

 private:
  Backend(const DyclBackendApi& api, DyclBackend* backend);

  const DyclBackendApi* api_;
  std::unique_ptr<DyclBackend, void (*)(DyclBackend*)> backend_;
  BackendDescription description_;
};

}  // namespace dycl
