// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "backend/registry.h"
#include "backend/usable.h"
#include "base/sha256.h"
#include "base/tensor_spec.h"
#include "compile_subnets/placement.h"
#include "compile_subnets/subnet_compiler.h"
#include "hcfg/text.h"
#include "hcfg/type_inference.h"
#include "hcfg/verify.h"
#include "host_gen/host_gen.h"
#include "import_onnx/import_onnx.h"
#include "import_onnx/read_model.h"
#include "optimize/pass_list.h"
#include "subnet/backend_evaluator.h"
#include "subnet/backend_inference.h"

namespace dycl::pipeline {
namespace {

// Makes the graph, in the phase that is its own.
struct Frontend {
  Phase phase;
  std::optional<std::string>
      model_sha256;  // nullopt: that of the graph's text, of which constants are a part
  std::function<Result<FrontendGraph>(TypeInference&, const ReportWork&)> make_graph;
};

class Compilation {
 public:
  explicit Compilation(const CompileOptions& options)
      : options_(options),
        own_registry_(options.search, options.vendor_libraries, options.threads),
        registry_(options.backends != nullptr ? *options.backends : own_registry_),
        known_(known_backend_names(options.search)) {}

  Result<CompileOutcome> run(const Frontend& frontend, const std::string& name) {
    frontend_ = &frontend;
    artifact_.origin = name;
    if (Status status = check_options(); !status) return failure_of(std::move(status));
    if (Status status = open_backends(); !status) return failure_of(std::move(status));
    for (const Phase phase : phases_from(frontend.phase)) {
      if (Status status = run_phase(phase); !status) return failure_of(std::move(status));
      if (options_.dump_after == phase || options_.stop_after == phase) outcome_.dump = dump_of(phase);
      if (options_.stop_after == phase) break;
    }
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] Status check_options() const {
    if (options_.optimize < 0 || options_.optimize > 1)
      return fail(Blame::Usage, "optimize.unknown_level",
                  fmt::format("there is no level {}", options_.optimize), {},
                  "levels are 0 (one sub-DNN per basic block) and 1 (all passes)");
    const std::vector<Phase> phases = phases_from(frontend_->phase);
    for (const std::optional<Phase>& named : {options_.stop_after, options_.dump_after})
      if (named && std::ranges::find(phases, *named) == phases.end())
        return fail(Blame::Usage, "argument.phase",
                    fmt::format("this model does not pass through the phase '{}'", name_of(*named)), {},
                    "phases: " + names_of(phases));
    return {};
  }

  [[nodiscard]] std::string dump_of(Phase phase) const {
    return phase == Phase::Legalize ? subnets_->print_legal() : print(graph_);
  }

  Status work(Phase phase) {
    switch (phase) {
      case Phase::ImportOnnx:
      case Phase::Rewrite: return make_graph();
      case Phase::Hcfg: return verify(graph_);
      case Phase::Optimize: return optimize();
      case Phase::Legalize: return legalize();
      case Phase::Subnet: return subnets_->stamp();
      case Phase::CompileSubnets: return subnets_->compile(artifact_);
      case Phase::HostGen: return generate();
    }
    internal_error("a phase has no work");
  }

  // Times the phase and says that it began.
  Status run_phase(Phase phase) {
    phase_ = phase;
    report(0, 0, std::string(description_of(phase)));
    const auto start = std::chrono::steady_clock::now();
    Status status = work(phase);
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
    Result<compile_subnets::Placement> placement =
        compile_subnets::Placement::make(options_.placement, options_.backend, known_);
    if (!placement) return failure_of(std::move(placement));
    placement_ = std::move(*placement);
    for (const std::string& name : placement_.backends()) {
      Result<std::shared_ptr<const Backend>> backend = open_backend(name);
      if (!backend && !placement_.is_optional(name)) return failure_of(std::move(backend));
      if (backend) backends_.emplace(name, std::move(*backend));
    }
    if (backends_.empty())
      return fail(Blame::Backend, "backend.not_installed", "none of the backends to choose from is installed",
                  {}, "dycl backends shows how to install each");
    auto reference = registry_.open_reference();
    typing_ = reference ? std::move(*reference) : backends_.begin()->second;
    inference_ = std::make_unique<subnet::BackendTypeInference>(typing_);
    return {};
  }

  Status make_graph() {
    Result<FrontendGraph> made = frontend_->make_graph(
        *inference_, [&](std::size_t done, std::string what) { report(done, 0, std::move(what)); });
    if (!made) return failure_of(std::move(made));
    graph_ = std::move(made->graph);
    artifact_.facts = std::move(made->facts);
    artifact_.model_sha256 = frontend_->model_sha256 ? *frontend_->model_sha256 : sha256_hex(print(graph_));
    return {};
  }

  Status optimize() {
    subnet::BackendEvaluator evaluator(typing_);
    optimize::PassContext context;
    context.evaluator = &evaluator;
    context.inference = inference_.get();
    context.unroll_operations = options_.unroll_operations;
    optimize::OptimizeOptions passes;
    passes.level = options_.optimize;
    passes.disabled = options_.disabled_passes;
    Result<Hcfg> graph = optimize::optimize(std::move(graph_), passes, context);
    if (!graph) return failure_of(std::move(graph));
    graph_ = std::move(*graph);
    return {};
  }

  Status legalize() {
    // Legalization may fold small constants away, so that no sub-DNN holds what the text names by key.
    artifact_.hcfg = print(graph_, {.inline_bytes = 1024, .sources = true});
    subnets_ = std::make_unique<compile_subnets::SubnetCompiler>(
        graph_, compile_subnets::SubnetOptions{options_.cache, options_.jobs, known_}, placement_, backends_,
        [&](std::size_t done, std::size_t total, std::string what) { report(done, total, std::move(what)); });
    return subnets_->legalize();
  }

  Status generate() {
    host_gen::GeneratedHost host = host_gen::generate_host(graph_, subnets_->subnets());
    artifact_.plan = std::move(host.plan);
    artifact_.weights.merge(host.weights);
    artifact_.producer = fmt::format("dycl {}", DYCL_VERSION);
    artifact_.target = DYCL_TARGET;
    auto verified = verify_artifact(std::move(artifact_));
    if (!verified) return failure_of(std::move(verified));
    outcome_.artifact = *std::move(verified);
    return {};
  }

  const CompileOptions& options_;
  BackendRegistry own_registry_;
  BackendRegistry& registry_;
  const std::vector<std::string> known_;  // backends that are taken without being named
  compile_subnets::Placement placement_;
  compile_subnets::SubnetCompiler::Backends backends_;
  std::shared_ptr<const Backend> typing_;  // infers types and evaluates constants
  std::unique_ptr<subnet::BackendTypeInference> inference_;
  const Frontend* frontend_ = nullptr;
  Phase phase_ = Phase::ImportOnnx;
  Hcfg graph_;
  std::unique_ptr<compile_subnets::SubnetCompiler> subnets_;
  Artifact artifact_;  // grows from phase to phase
  CompileOutcome outcome_;
};

Result<CompileOutcome> compile_onnx(const onnx::ModelProto& model, const std::filesystem::path& folder,
                                    const std::string& name, std::string model_sha256,
                                    const CompileOptions& options) {
  const auto import = [&](TypeInference& inference, const ReportWork&) -> Result<FrontendGraph> {
    import_onnx::OnnxImportOptions wanted{name, folder, {}, options.dims};
    for (const auto& [input, text] : options.input_types) {
      Result<TensorSpec> type = parse_tensor_spec(text);
      if (!type) return failure_of(std::move(type));
      wanted.inputs.emplace(input, std::move(*type));
    }
    Result<Hcfg> graph = import_onnx::import_onnx(model, inference, wanted);
    if (!graph) return failure_of(std::move(graph));
    return FrontendGraph{std::move(*graph), {}};
  };
  return Compilation(options).run({Phase::ImportOnnx, std::move(model_sha256), import}, name);
}

}  // namespace

Result<CompileOutcome> compile_onnx_file(const std::filesystem::path& path, const CompileOptions& options) {
  Result<import_onnx::ModelFile> file = import_onnx::read_model_file(path);
  if (!file) return failure_of(std::move(file));
  const std::filesystem::path folder =
      path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  return compile_onnx(*file->model, folder, path.filename().string(), std::move(file->sha256), options);
}

Result<CompileOutcome> compile_onnx_bytes(std::string_view bytes, const std::filesystem::path& folder,
                                          const std::string& name, const CompileOptions& options) {
  Result<std::unique_ptr<onnx::ModelProto>> model = import_onnx::read_model_bytes(bytes, name);
  if (!model) return failure_of(std::move(model));
  return compile_onnx(**model, folder, name, sha256_hex(bytes), options);
}

Result<CompileOutcome> compile_rewritten(const RewriteFunction& rewrite, const std::string& name,
                                         const CompileOptions& options) {
  const auto make_graph = [&](TypeInference&, const ReportWork& report) { return rewrite(report); };
  return Compilation(options).run({Phase::Rewrite, std::nullopt, make_graph}, name);
}

}  // namespace dycl::pipeline
