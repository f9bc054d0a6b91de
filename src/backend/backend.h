// SPDX-License-Identifier: Apache-2.0
// A loaded backend, as the rest of DyCL sees it: the plugin's C functions behind owning C++ types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/plugin_abi.h"
#include "backend/traits.h"
#include "base/result.h"
#include "base/tensor_data.h"

namespace dycl {

struct BackendOptions {
  std::string name;
  std::filesystem::path plugin;   // libdycl_backend_<name>.so; see find_plugin
  std::filesystem::path library;  // the vendor library, see find_vendor_library; empty if it needs none
  int threads = 0;                // the caller's own included; 0: as many as there are cores
  std::string precision = "f32";
};

struct BackendDescription {
  std::string name;
  std::string version;
  std::string library;
  std::int64_t opset = 0;                     // newest ONNX opset it reads
  std::int64_t ir_version = 0;                // newest ONNX IR version it reads
  std::map<std::string, std::string> dtypes;  // dtype → "yes" or "refused: why"
  std::vector<std::string> notes;             // sentences for people
  std::vector<std::string> rewrites;  // hazards that another form of the graph removes; see plugin_abi.h
  std::vector<std::string> checks;    // hazards that a check at run time removes
  bool takes_aten = false;            // it compiles ATen graphs, on which rules have no effect
  bool deterministic_blob = true;
  std::int64_t weight_copies = 0;  // how many copies of its weights every executable makes
  bool compiles_apart = false;     // `compile` waits for other processes, so many should be called at once
  bool remembers = false;          // `compile` keeps its results in the cache folder itself
};

// A dim of an output as a backend reports it: a size, an input's symbol, or unknown (-1 and no name).
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
  std::string aten = {};             // the same as ATen graphs; empty if not from PyTorch
  std::string compile_options = {};  // JSON, see DyclGraph
};

// Why a graph must not run on a backend.
struct Refusal {
  std::string reason;
  std::optional<std::size_t> node;  // the index of the node; nullopt if the backend does not say which
};

class Backend;

// Returns the tensor as plugins take it; it is valid as long as the tensor.
DyclTensor view_of(const TensorData& tensor);

// What one thread needs to run an executable. The executable must outlive it.
class BackendCall {
 public:
  BackendCall(const DyclBackendApi& api, DyclCall* call);
  // Runs the sub-DNN. DyclOutput says who owns the results.
  Status run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs);

  // For a caller that runs the sub-DNN by itself: the plugin's functions, and what its `run` takes first.
  [[nodiscard]] const DyclBackendApi& api() const { return *api_; }
  [[nodiscard]] DyclCall* get() const { return call_.get(); }
  // Makes a failure of an error that `run` of the plugin returned, and frees it.
  [[nodiscard]] Status failure_of_run(DyclText* error) const;

 private:
  const DyclBackendApi* api_;
  std::unique_ptr<DyclCall, void (*)(DyclCall*)> call_;
};

class BackendExecutable {
 public:
  BackendExecutable(std::shared_ptr<const Backend> backend, const DyclBackendApi& api,
                    DyclExecutable* executable, std::vector<std::pair<std::string, TensorPtr>> weights);
  [[nodiscard]] Result<BackendCall> create_call() const;

 private:
  std::shared_ptr<const Backend> backend_;
  const DyclBackendApi* api_;
  std::vector<std::pair<std::string, TensorPtr>> weights_;  // the executable reads them in place
  std::unique_ptr<DyclExecutable, void (*)(DyclExecutable*)> executable_;
};

class Backend : public std::enable_shared_from_this<Backend> {
  struct OnlyOpen {};

 public:
  // Loads the plugin, which opens the vendor library. Neither is ever unloaded. Most callers want a
  // BackendRegistry, which finds both and opens each backend once.
  static Result<std::shared_ptr<const Backend>> open(const BackendOptions& options);
  // Opens a backend that is linked into the process: in tests, and the fake backend of the thread sanitizer.
  static Result<std::shared_ptr<const Backend>> open(const DyclBackendApi& api,
                                                     const BackendOptions& options);

  [[nodiscard]] const BackendDescription& description() const { return description_; }
  [[nodiscard]] const BackendTraits& traits() const { return traits_; }
  // Returns the number of threads that the backend computes with, the caller's own included.
  [[nodiscard]] int threads() const { return threads_; }
  // Returns a text that changes with the plugin, the vendor library, and the options of the backend.
  [[nodiscard]] const std::string& identity() const { return identity_; }
  // Returns why this graph must not run here, or nullopt if it may.
  [[nodiscard]] Result<std::optional<Refusal>> check(const BackendGraph& graph) const;
  [[nodiscard]] Result<std::vector<InferredType>> infer_types(const BackendGraph& graph) const;
  // Returns the blob to store. If it is empty, `load` compiles the graph itself.
  [[nodiscard]] Result<std::string> compile(const BackendGraph& graph) const;
  [[nodiscard]] Result<std::shared_ptr<const BackendExecutable>> load(const BackendGraph& graph,
                                                                      std::string_view blob) const;

  Backend(OnlyOpen, const DyclBackendApi& api, DyclBackend* backend, int threads, std::string identity);

 private:
  Status read_description();

  const DyclBackendApi* api_;
  std::unique_ptr<DyclBackend, void (*)(DyclBackend*)> backend_;
  int threads_;
  std::string identity_;
  BackendDescription description_;
  BackendTraits traits_;
};

}  // namespace dycl
