// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "common/plugin_glue.h"
#include "tvm/blob.h"
#include "tvm/compiler.h"
#include "tvm/element_type.h"
#include "tvm/executable.h"

namespace dycl::tvm {
namespace {

constexpr std::int64_t newest_opset = 27;
constexpr std::int64_t newest_ir_version = 13;

plugin::Description description_of(const Ffi& ffi) {
  plugin::Description description;
  description.name = "tvm";
  description.version = ffi.version();
  description.library = ffi.path();
  description.opset = newest_opset;
  description.ir_version = newest_ir_version;
  for (std::int64_t number = 1; const auto dtype = dtype_from_number(number); ++number)
    description.dtypes[std::string(name_of(*dtype))] =
        is_known(*dtype) ? "yes" : "refused: tvm does not compute with it";
  description.rewrites = {"log_softmax_loses_nan", "log_sum_exp_loses_nan", "recurrent_empty_batch",
                          "where_of_bools", "clip_of_i16"};
  description.checks = {"integer_division_by_zero", "integer_division_overflow", "gather_out_of_range",
                        "scatter_out_of_range"};
  description.notes = {
      "integer division by zero ends the process (checked)",
      "indices out of range read and write foreign memory (checked)",
      "a compiled program runs only on processors with the instructions of the one that compiled it",
  };
  description.remembers = true;   // by graph: weights are inputs
  description.weight_copies = 1;  // when they are not aligned as kernels need them
  return description;
}

class LoadedExecutable {
 public:
  LoadedExecutable(std::shared_ptr<const Library> library, std::shared_ptr<const Executable> executable)
      : library_(std::move(library)), executable_(std::move(executable)) {}
  // A virtual machine serves one thread.
  [[nodiscard]] Result<std::unique_ptr<Call>> create_call() const {
    auto machine = library_->create_machine();
    if (!machine) return failure_of(std::move(machine));
    return std::make_unique<Call>(executable_, std::move(*machine));
  }

 private:
  std::shared_ptr<const Library> library_;
  std::shared_ptr<const Executable> executable_;
};

class TvmBackend {
 public:
  static Result<std::unique_ptr<TvmBackend>> open(const plugin::OpenOptions& options) {
    if (options.precision != "f32")
      return fail(Blame::Usage, "tvm.precision",
                  "tvm computes in the model's own precision: ask for f32, not " + options.precision);
    // Read by the library when a thread first runs a kernel with parallel loops.
    setenv("TVM_NUM_THREADS", std::to_string(options.threads).c_str(), 1);
    auto ffi = Ffi::open(options.library);
    if (!ffi) return failure_of(std::move(ffi));
    return std::make_unique<TvmBackend>(std::move(*ffi), options.library);
  }
  TvmBackend(std::shared_ptr<const Ffi> ffi, const std::string& library)
      : ffi_(std::move(ffi)), compiler_(library, ffi_->version()) {}

  [[nodiscard]] plugin::Description describe() const { return description_of(*ffi_); }
  [[nodiscard]] Result<std::optional<plugin::Refusal>> check(const DyclGraph& graph) const {
    return compiler_.check(graph);
  }
  [[nodiscard]] Result<std::string> infer_types(const DyclGraph& graph) const {
    return compiler_.infer_types(graph);
  }
  [[nodiscard]] Result<std::string> compile(const DyclGraph& graph) const { return compiler_.compile(graph); }

  [[nodiscard]] Result<std::unique_ptr<LoadedExecutable>> load(const DyclGraph& graph,
                                                               std::string_view bytes) const {
    if (bytes.empty())
      return fail(Blame::Package, "tvm.no_blob",
                  "tvm runs only what it has compiled, and this sub-DNN is not", {},
                  "compile the program for tvm");
    auto blob = read_blob(bytes);
    if (!blob) return failure_of(std::move(blob));
    if (blob->version != ffi_->version())
      return fail(
          Blame::Backend, "tvm.other_version",
          fmt::format("the sub-DNN was compiled by TVM {}, but {} is here", blob->version, ffi_->version()),
          {}, "compile the program again");
    if (Status usable = check_processor(*blob); !usable) return failure_of(std::move(usable));
    auto library = libraries_.load(ffi_, blob->library);
    if (!library) return failure_of(std::move(library));
    auto executable = Executable::load(*library, graph, blob->weights);
    if (!executable) return failure_of(std::move(executable));
    return std::make_unique<LoadedExecutable>(*library, std::move(*executable));
  }

 private:
  std::shared_ptr<const Ffi> ffi_;
  Compiler compiler_;
  mutable LibraryCache libraries_;
};

struct Plugin {
  using Backend = TvmBackend;
  using Executable = LoadedExecutable;
  using Call = tvm::Call;
  static bool may_free() { return true; }
};

constexpr const char* traits = R"({
  "vendor": {"library": "libtvm_runtime.so", "folder": "tvm/lib", "install": "pip install dycl[tvm]"},
  "blob": "native", "preference": 3})";
constexpr DyclBackendApi table = plugin::api_of<Plugin>("tvm", traits);

}  // namespace
}  // namespace dycl::tvm

extern "C" __attribute__((visibility("default"))) const DyclBackendApi* dycl_backend_entry() {
  return &dycl::tvm::table;
}
