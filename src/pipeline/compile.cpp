// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compile.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

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
#include "pipeline/in_parallel.h"
#include "pipeline/refused_operation.h"
#include "subnet/backend_evaluator.h"
#include "subnet/backend_inference.h"
#include "subnet/subnets.h"

namespace dycl {
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
                                             [&] { return stamp(); },
                                             [&] { return compile_subnets(); },
                                             [&] { return generate(); }};
    for (std::size_t index = 0; index < all_phases().size(); ++index) {
      const Phase phase = all_phases()[index];
      if (!steps[index]) continue;
      if (Status status = run_phase(phase, steps[index]); !status) return failure_of(std::move(status));
      if (options_.dump_after == phase || options_.stop_after == phase) outcome_.dump = print(graph_);
      if (options_.stop_after == phase) break;
    }
    return std::move(outcome_);
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
  Status probe_backend() const {
    const auto named = options_.vendor_libraries.find(options_.backend);
    const auto library = named == options_.vendor_libraries.end() ? std::filesystem::path() : named->second;
    Result<BackendOptions> backend = find_backend(options_.backend, options_.search, library);
    if (!backend) return failure_of(std::move(backend));
    return require_usable(*backend, options_.search, options_.probe_cache);
  }

  Status open_backends() {
    if (options_.probe)
      if (Status survives = probe_backend(); !survives) return survives;
    // As large as the program's own pool will be: it usually runs next, and compilers may adapt to it.
    Result<std::shared_ptr<const Backend>> backend =
        registry_.open({options_.backend, {}, {}, options_.threads, "f32"});
    if (!backend) return failure_of(std::move(backend));
    backend_ = *backend;
    typing_ = backend_;
    if (options_.backend != kTypingBackend)
      if (auto typing =
              registry_.open({kTypingBackend, {}, {}, 1, "f32"}, BackendRegistry::Purpose::Questions))
        typing_ = *typing;
    inference_ = std::make_unique<BackendTypeInference>(typing_);
    return {};
  }

  Status import(const onnx::ModelProto& model, const std::filesystem::path& folder, const std::string& name) {
    OnnxImportOptions import{name, folder, {}, options_.dims};
    for (const auto& [input, text] : options_.input_types) {
      Result<TensorSpec> type = parse_tensor_spec(text);
      if (!type) return failure_of(std::move(type));
      import.inputs.emplace(input, std::move(*type));
    }
    Result<Hcfg> graph = import_onnx(model, *inference_, import);
    if (!graph) return failure_of(std::move(graph));
    graph_ = std::move(*graph);
    return {};
  }

  Status optimize() {
    BackendEvaluator evaluator(typing_);
    PassContext context;
    context.evaluator = &evaluator;
    context.inference = inference_.get();
    context.unroll_limit = options_.unroll_limit;
    OptimizeOptions passes;
    passes.level = options_.optimize;
    passes.disabled = options_.disabled_passes;
    Result<Hcfg> graph = dycl::optimize(std::move(graph_), passes, context);
    if (!graph) return failure_of(std::move(graph));
    graph_ = std::move(*graph);
    return {};
  }

  Status stamp() {
    outcome_.artifact.hcfg = print(graph_);
    Result<std::vector<SubnetInstance>> subnets = stamp_subnets(graph_, backend_->description());
    if (!subnets) return failure_of(std::move(subnets));
    subnets_ = std::move(*subnets);
    return {};
  }

  Status compile_subnets() {
    ConstantTable constants;
    constants.update(graph_);
    const std::vector<const SubnetInstance*> distinct = distinct_subnets();
    std::vector<SubnetArtifact> compiled(distinct.size());
    const auto compile = [&](std::size_t index) -> Status {
      const SubnetInstance& subnet = *distinct[index];
      const BackendGraph graph{subnet.graph.onnx, weights_of(graph_, constants, subnet.graph), subnet.aten,
                               compile_options()};
      Result<SubnetArtifact> result = compile_one(subnet, graph);
      if (!result) return failure_of(std::move(result));
      compiled[index] = std::move(*result);
      return {};
    };
    if (Status status = compile_each(distinct, compile); !status) return status;
    Artifact& artifact = outcome_.artifact;
    for (std::size_t index = 0; index < distinct.size(); ++index) {
      const SubnetInstance& subnet = *distinct[index];
      for (std::size_t weight = 0; weight < subnet.weights.size(); ++weight)
        artifact.weights.emplace(subnet.weights[weight],
                                 *constants.find(graph_, subnet.graph.weights[weight]));
      artifact.subnets.emplace(subnet.hash, std::move(compiled[index]));
    }
    return {};
  }

  [[nodiscard]] std::vector<const SubnetInstance*> distinct_subnets() const {
    std::vector<const SubnetInstance*> distinct;
    std::set<std::string_view> known;
    for (const SubnetInstance& subnet : subnets_)
      if (known.insert(subnet.hash).second) distinct.push_back(&subnet);
    return distinct;
  }

  // Threads that wait cost little: the plugin itself bounds the processes, and lets equals wait for one.
  Status compile_each(const std::vector<const SubnetInstance*>& distinct,
                      const std::function<Status(std::size_t)>& compile) const {
    constexpr std::size_t kThreads = 64;
    if (backend_->description().compiles_apart)
      return in_parallel(distinct.size(), kThreads, compile,
                         [&](std::size_t done) { report(done, distinct.size(), "sub-DNNs"); });
    for (std::size_t index = 0; index < distinct.size(); ++index) {
      report(index, distinct.size(), "sub-DNN " + distinct[index]->name);
      if (Status status = compile(index); !status) return status;
    }
    return {};
  }

  [[nodiscard]] std::string compile_options() const {
    nlohmann::json options = nlohmann::json::object();
    if (!options_.probe_cache.empty()) options["cache"] = options_.probe_cache.string();
    if (options_.jobs > 0) options["jobs"] = options_.jobs;
    return options.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  Result<SubnetArtifact> compile_one(const SubnetInstance& subnet, const BackendGraph& graph) const {
    const auto located = [&](Diagnostic error) {
      const auto& step = std::get<SubnetStep>(graph_.blocks[subnet.block.index()].steps[subnet.step]);
      if (!error.span.known())
        error.span = graph_.source(refused_operation(graph_, step, error.message).source);
      error.notes.push_back(fmt::format("in sub-DNN {} with {} operations", subnet.name, step.ops.size()));
      return Failure(std::move(error));
    };
    Result<std::string> reason = backend_->check(graph);
    if (!reason) return located(std::move(reason.error()));
    if (!reason->empty())
      return located({Blame::Backend,
                      "backend.refused",
                      fmt::format("{} cannot run this: {}", options_.backend, *reason),
                      {},
                      "compile for another backend (--backend)",
                      {}});
    Result<std::string> blob = backend_->compile(graph);
    if (!blob) return located(std::move(blob.error()));
    SubnetArtifact compiled{subnet.graph.onnx, subnet.weights, {}, subnet.aten};
    if (!blob->empty()) compiled.blobs.emplace(options_.backend, std::move(*blob));
    return compiled;
  }

  Status generate() {
    Artifact& artifact = outcome_.artifact;
    GeneratedHost host = generate_host(graph_, subnets_, options_.backend);
    artifact.plan = std::move(host.plan);
    artifact.weights.merge(host.weights);
    artifact.producer = fmt::format("dycl {}", DYCL_VERSION);
    artifact.target = "x86_64-linux";
    const BackendDescription& backend = backend_->description();
    artifact.backends.emplace(backend.name, BackendStamp{backend.version, backend.deterministic_blob});
    return verify_artifact(artifact);
  }

  const CompileOptions& options_;
  BackendRegistry own_registry_;
  BackendRegistry& registry_;
  std::shared_ptr<const Backend> backend_;
  std::shared_ptr<const Backend> typing_;  // infers types and evaluates constants
  std::unique_ptr<BackendTypeInference> inference_;
  Phase phase_ = Phase::ImportOnnx;
  Hcfg graph_;
  std::vector<SubnetInstance> subnets_;
  CompileOutcome outcome_;
};

}  // namespace

Result<CompileOutcome> compile_onnx_file(const std::filesystem::path& path, const CompileOptions& options) {
  Result<ModelFile> file = read_model_file(path);
  if (!file) return failure_of(std::move(file));
  const std::filesystem::path folder =
      path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  return Compilation(options).run(*file->model, folder, path.filename().string(), std::move(file->sha256));
}

Result<CompileOutcome> compile_onnx_bytes(std::string_view bytes, const std::filesystem::path& folder,
                                          const std::string& name, const CompileOptions& options) {
  Result<std::unique_ptr<onnx::ModelProto>> model = read_model_bytes(bytes, name);
  if (!model) return failure_of(std::move(model));
  return Compilation(options).run(**model, folder, name, sha256_hex(bytes));
}

Result<CompileOutcome> compile_graph(Hcfg graph, const std::string& name, std::string model_hash,
                                     const CompileOptions& options) {
  return Compilation(options).run(std::move(graph), name, std::move(model_hash));
}

}  // namespace dycl
