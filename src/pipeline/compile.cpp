// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compile.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "backend/registry.h"
#include "backend/usable.h"
#include "base/sha256.h"
#include "base/tensor_spec.h"
#include "hcfg/text.h"
#include "hcfg/verify.h"
#include "host_gen/host_gen.h"
#include "import_onnx/import_onnx.h"
#include "import_onnx/read_model.h"
#include "optimize/pass_list.h"
#include "pipeline/placement.h"
#include "pipeline/subnet_compiler.h"
#include "subnet/backend_evaluator.h"
#include "subnet/backend_inference.h"

namespace dycl::pipeline {
namespace {

constexpr const char* kTypingBackend = "onnxruntime";  // knows the types of every ONNX operator

class Compilation {
 public:
  explicit Compilation(const CompileOptions& options)
      : options_(options),
        own_registry_(options.search, options.vendor_libraries, options.threads),
        registry_(options.backends != nullptr ? *options.backends : own_registry_) {}

  Result<CompileOutcome> run(const onnx::ModelProto& model, const std::filesystem::path& folder,
                             const std::string& name, std::string model_hash) {
    return run(name, std::move(model_hash), [&] { return import(model, folder, name); });
  }

  Result<CompileOutcome> run(Hcfg graph, const std::string& name, std::string model_hash) {
    graph_ = std::move(graph);
    return run(name, std::move(model_hash), {});
  }

 private:
  // Without `import` the graph is there already, and the phases begin behind it.
  Result<CompileOutcome> run(const std::string& name, std::string model_hash,
                             const std::function<Status()>& import) {
    if (options_.optimize < 0 || options_.optimize > 1)
      return fail(Blame::Usage, "optimize.unknown_level",
                  fmt::format("there is no level {}", options_.optimize), {},
                  "levels are 0 (one sub-DNN per basic block) and 1 (all passes)");
    if (Status status = open_backends(); !status) return failure_of(std::move(status));
    outcome_.artifact.origin = name;
    outcome_.artifact.model_sha256 = std::move(model_hash);
    const std::function<Status()> steps[] = {import,
                                             [&] { return verify(graph_); },
                                             [&] { return optimize(); },
                                             [&] { return legalize(); },
                                             [&] { return subnets_->stamp(); },
                                             [&] { return subnets_->compile(outcome_.artifact); },
                                             [&] { return generate(); }};
    for (std::size_t index = 0; index < all_phases().size(); ++index) {
      const Phase phase = all_phases()[index];
      if (!steps[index]) continue;
      if (Status status = run_phase(phase, steps[index]); !status) return failure_of(std::move(status));
      if (options_.dump_after == phase || options_.stop_after == phase) outcome_.dump = dump_of(phase);
      if (options_.stop_after == phase) break;
    }
    return std::move(outcome_);
  }

  [[nodiscard]] std::string dump_of(Phase phase) const {
    return phase == Phase::Legalize ? subnets_->print_legal() : print(graph_);
  }

  // Times the phase and says that it began.
  Status run_phase(Phase phase, const std::function<Status()>& step) {
    phase_ = phase;
    report(0, 0, std::string(description_of(phase)));
    const auto start = std::chrono::steady_clock::now();
    Status status = step();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    outcome_.timings.push_back({phase, seconds.count()});
    return status;
  }

  void report(std::size_t done, std::size_t total, std::string what) const {
    if (options_.progress) options_.progress({phase_, done, total, std::move(what)});
  }

  // The backend is about to be loaded into this process.
  Status probe(const std::string& name) const {
    const auto named = options_.vendor_libraries.find(name);
    const auto library = named == options_.vendor_libraries.end() ? std::filesystem::path() : named->second;
    Result<BackendOptions> backend = find_backend(name, options_.search, library);
    if (!backend) return failure_of(std::move(backend));
    return require_usable(*backend, options_.search, options_.probe_cache);
  }

  Result<std::shared_ptr<const Backend>> open_backend(const std::string& name) {
    if (options_.probe)
      if (Status survives = probe(name); !survives) return failure_of(std::move(survives));
    // As large as the program's own pool will be: it usually runs next, and compilers may adapt to it.
    return registry_.open({name, {}, {}, options_.threads, "f32"});
  }

  Status open_backends() {
    Result<Placement> placement = Placement::make(options_.placement, options_.backend, known_backends());
    if (!placement) return failure_of(std::move(placement));
    placement_ = std::move(*placement);
    for (const std::string& name : placement_.backends()) {
      Result<std::shared_ptr<const Backend>> backend = open_backend(name);
      if (!backend && !placement_.is_optional(name)) return failure_of(std::move(backend));
      if (backend) backends_.emplace(name, std::move(*backend));
    }
    if (backends_.empty())
      return fail(Blame::Backend, "backend.not_installed", "none of the backends to choose from is installed",
                  {}, "install one: pip install onnxruntime");
    typing_ = backends_.begin()->second;
    if (const auto opened = backends_.find(kTypingBackend); opened != backends_.end())
      typing_ = opened->second;
    else if (auto typing =
                 registry_.open({kTypingBackend, {}, {}, 1, "f32"}, BackendRegistry::Purpose::Questions))
      typing_ = *typing;
    inference_ = std::make_unique<subnet::BackendTypeInference>(typing_);
    return {};
  }

  Status import(const onnx::ModelProto& model, const std::filesystem::path& folder, const std::string& name) {
    import_onnx::OnnxImportOptions import{name, folder, {}, options_.dims};
    for (const auto& [input, text] : options_.input_types) {
      Result<TensorSpec> type = parse_tensor_spec(text);
      if (!type) return failure_of(std::move(type));
      import.inputs.emplace(input, std::move(*type));
    }
    Result<Hcfg> graph = import_onnx::import_onnx(model, *inference_, import);
    if (!graph) return failure_of(std::move(graph));
    graph_ = std::move(*graph);
    return {};
  }

  Status optimize() {
    subnet::BackendEvaluator evaluator(typing_);
    optimize::PassContext context;
    context.evaluator = &evaluator;
    context.inference = inference_.get();
    context.unroll_limit = options_.unroll_limit;
    optimize::OptimizeOptions passes;
    passes.level = options_.optimize;
    passes.disabled = options_.disabled_passes;
    Result<Hcfg> graph = optimize::optimize(std::move(graph_), passes, context);
    if (!graph) return failure_of(std::move(graph));
    graph_ = std::move(*graph);
    return {};
  }

  Status legalize() {
    outcome_.artifact.hcfg = print(graph_, {.sources = true});
    subnets_ = std::make_unique<SubnetCompiler>(
        graph_, options_, placement_, backends_,
        [&](std::size_t done, std::size_t total, std::string what) { report(done, total, std::move(what)); });
    return subnets_->legalize();
  }

  Status generate() {
    Artifact& artifact = outcome_.artifact;
    host_gen::GeneratedHost host = host_gen::generate_host(graph_, subnets_->subnets());
    artifact.plan = std::move(host.plan);
    artifact.weights.merge(host.weights);
    artifact.producer = fmt::format("dycl {}", DYCL_VERSION);
    artifact.target = "x86_64-linux";
    return verify_artifact(artifact);
  }

  const CompileOptions& options_;
  BackendRegistry own_registry_;
  BackendRegistry& registry_;
  Placement placement_;
  SubnetCompiler::Backends backends_;
  std::shared_ptr<const Backend> typing_;  // infers types and evaluates constants
  std::unique_ptr<subnet::BackendTypeInference> inference_;
  Phase phase_ = Phase::ImportOnnx;
  Hcfg graph_;
  std::unique_ptr<SubnetCompiler> subnets_;
  CompileOutcome outcome_;
};

}  // namespace

Result<CompileOutcome> compile_onnx_file(const std::filesystem::path& path, const CompileOptions& options) {
  Result<import_onnx::ModelFile> file = import_onnx::read_model_file(path);
  if (!file) return failure_of(std::move(file));
  const std::filesystem::path folder =
      path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  return Compilation(options).run(*file->model, folder, path.filename().string(), std::move(file->sha256));
}

Result<CompileOutcome> compile_onnx_bytes(std::string_view bytes, const std::filesystem::path& folder,
                                          const std::string& name, const CompileOptions& options) {
  Result<std::unique_ptr<onnx::ModelProto>> model = import_onnx::read_model_bytes(bytes, name);
  if (!model) return failure_of(std::move(model));
  return Compilation(options).run(**model, folder, name, sha256_hex(bytes));
}

Result<CompileOutcome> compile_graph(Hcfg graph, const std::string& name, std::string model_hash,
                                     const CompileOptions& options) {
  return Compilation(options).run(std::move(graph), name, std::move(model_hash));
}

}  // namespace dycl::pipeline
