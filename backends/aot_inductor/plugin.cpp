// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "aot_inductor/blob.h"
#include "aot_inductor/compiler.h"
#include "aot_inductor/executable.h"
#include "base/dtype.h"
#include "base/sha256.h"
#include "common/plugin_glue.h"

namespace dycl::aot_inductor {
namespace {

class LoadedExecutable {
 public:
  explicit LoadedExecutable(std::shared_ptr<const Executable> executable)
      : executable_(std::move(executable)) {}
  [[nodiscard]] Result<std::unique_ptr<Call>> create_call() const { return Call::create(executable_); }

 private:
  std::shared_ptr<const Executable> executable_;
};

// One per process: what was compiled or loaded is there for every backend that is opened later.
LibraryTable& libraries() {
  static LibraryTable table;
  return table;
}

class InductorBackend {
 public:
  static Result<std::unique_ptr<InductorBackend>> open(const plugin::OpenOptions& options) {
    if (options.precision != "f32")
      return fail(
          Blame::Usage, "aot_inductor.precision",
          "aot_inductor computes in the model's own precision: ask for f32, not " + options.precision);
    auto torch = TorchApi::open(options.library);
    if (!torch) return failure_of(std::move(torch));
    return std::make_unique<InductorBackend>(std::move(*torch), options.library);
  }
  InductorBackend(TorchApi torch, const std::string& library)
      : torch_(std::make_shared<const TorchApi>(std::move(torch))),
        library_(library),
        compiler_(std::make_unique<Compiler>(library, torch_->version)) {}

  [[nodiscard]] plugin::Description describe() const {
    plugin::Description description;
    description.name = "aot_inductor";
    description.version = torch_->version;
    description.library = library_;
    description.opset = 28;  // it reads no ONNX operator: any will do
    description.ir_version = 13;
    for (std::int64_t number = 1; const auto dtype = dtype_from_number(number); ++number)
      description.dtypes[std::string(name_of(*dtype))] =
          to_torch(*dtype) ? "yes" : "refused: torch has no operators on it";
    description.deterministic_blob = false;
    description.compiles_apart = true;
    description.remembers = true;  // by structure: constants lie outside
    description.takes_aten = true;
    description.notes = {
        "runs programs compiled from a live PyTorch model only: it takes ATen graphs, no ONNX",
        "compiling needs torch and g++, seconds for each distinct sub-DNN; running needs torch's libraries",
        "compiled for the processor it was compiled on; a program on another one is refused",
        "one thread per sub-DNN, whatever is asked for",
    };
    return description;
  }

  static Result<std::optional<plugin::Refusal>> check(const DyclGraph& graph) {
    const auto payload = read_payload(graph);
    if (payload) return std::nullopt;
    if (payload.error().blame != Blame::Unsupported) return Failure(payload.error());
    return plugin::Refusal{payload.error().message};
  }
  static Result<std::string> infer_types(const DyclGraph&) {
    return fail(Blame::Unsupported, "aot_inductor.no_types",
                "aot_inductor knows no ONNX operator and infers no types", {}, "pip install onnxruntime");
  }
  [[nodiscard]] Result<std::string> compile(const DyclGraph& graph) const {
    auto payload = read_payload(graph);
    if (!payload) return failure_of(std::move(payload));
    auto options = plugin::parse_compile_options(graph.compile_options);
    if (!options) return failure_of(std::move(options));
    auto blob = compiler_->compile(*payload, *options);
    if (blob || blob.error().code != "aot_inductor.number_outside") return blob;
    payload = read_payload(graph, Integers::Inside);
    if (!payload) return failure_of(std::move(payload));
    return compiler_->compile(*payload, *options);
  }
  [[nodiscard]] Result<std::unique_ptr<LoadedExecutable>> load(const DyclGraph& graph,
                                                               std::string_view bytes) const {
    auto blob = read_blob(bytes);
    if (!blob) return failure_of(std::move(blob));
    auto payload = read_payload(graph);
    if (payload && sha256_hex(payload->structure) != blob->facts.structure)
      payload = read_payload(graph, Integers::Inside);
    if (!payload) return failure_of(std::move(payload));
    if (Status fits = check_facts(blob->facts, torch_->version, sha256_hex(payload->structure)); !fits)
      return failure_of(std::move(fits));
    auto library = libraries().load(blob->library, blob->sha256);
    if (!library) return failure_of(std::move(library));
    auto executable =
        Executable::create(torch_, std::move(*library), std::move(*payload), blob->facts.smallest, graph);
    if (!executable) return failure_of(std::move(executable));
    return std::make_unique<LoadedExecutable>(std::move(*executable));
  }

 private:
  std::shared_ptr<const TorchApi> torch_;
  std::string library_;
  std::unique_ptr<Compiler> compiler_;
};

struct Plugin {
  using Backend = InductorBackend;
  using Executable = LoadedExecutable;
  using Call = aot_inductor::Call;
  static bool may_free() { return true; }
};

constexpr const char* traits = R"({
  "vendor": {"library": "libtorch_cpu.so", "folder": "torch/lib", "install": "pip install dycl[aot_inductor]"},
  "blob": "native", "preference": 4})";
constexpr DyclBackendApi table = plugin::api_of<Plugin>("aot_inductor", traits);

}  // namespace
}  // namespace dycl::aot_inductor

extern "C" __attribute__((visibility("default"))) const DyclBackendApi* dycl_backend_entry() {
  return &dycl::aot_inductor::table;
}
