// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/session.h"

#include <cstdlib>

namespace dycl::onnxruntime {
namespace {

constexpr int only_fatal = 4;  // log level: errors come back as statuses
constexpr int arena_allocator = 1;
constexpr int device_allocator = 0;
constexpr int default_memory = 0;
// What they make holds a factor or an epsilon as an attribute, which is f32 whatever the tensors are.
constexpr const char* inexact =
    "MatMulScaleFusion;LayerNormFusionL1;LayerNormFusionL2;SimplifiedLayerNormFusion;QuickGeluFusion;"
    "NoopElimination";

// Set before the library starts its threads; a choice that the user made is kept.
void choose_by_environment() {
  // Opsets that ONNX had not yet released when the library was built are accepted only with this
  // variable; the session option of that meaning does not reach the check.
  setenv("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0", 0);
  // Official builds since 1.29 report models to their vendor, and the thread for it reads freed memory when
  // the process ends.
  setenv("ORT_DISABLE_TELEMETRY", "1", 0);
}

}  // namespace

Environment::Environment(OrtLibrary library, std::string path)
    : library_(std::move(library)),
      path_(std::move(path)),
      env_(nullptr, library_.api.ReleaseEnv.function),
      memory_(nullptr, library_.api.ReleaseMemoryInfo.function) {}

Result<Environment> Environment::create(const plugin::OpenOptions& options) {
  choose_by_environment();
  auto library = open_library(options.library);
  if (!library) return failure_of(std::move(library));
  Environment environment(std::move(*library), options.library);
  if (Status started = environment.start(options.threads); !started) return failure_of(std::move(started));
  return environment;
}

Status Environment::start(int threads) {
  const OrtApi& ort = api();
  OrtThreadingOptions* raw = nullptr;
  if (Status made = to_status(ort, ort.CreateThreadingOptions(&raw)); !made) return made;
  const Owned<OrtThreadingOptions> threading(raw, ort.ReleaseThreadingOptions.function);
  OrtEnv* env = nullptr;
  OrtMemoryInfo* memory = nullptr;
  OrtMemoryInfo* arena = nullptr;
  Status done = to_status(ort, ort.SetGlobalIntraOpNumThreads(raw, threads));
  if (done) done = to_status(ort, ort.SetGlobalInterOpNumThreads(raw, 1));
  if (done) done = to_status(ort, ort.SetGlobalSpinControl(raw, 0));
  if (done) done = to_status(ort, ort.CreateEnvWithGlobalThreadPools(only_fatal, "dycl", raw, &env));
  env_.reset(env);
  if (done) done = to_status(ort, ort.CreateCpuMemoryInfo(device_allocator, default_memory, &memory));
  memory_.reset(memory);
  if (done) done = to_status(ort, ort.CreateCpuMemoryInfo(arena_allocator, default_memory, &arena));
  const Owned<OrtMemoryInfo> arena_info(arena, ort.ReleaseMemoryInfo.function);
  if (!done) return done;
  // The environment is one per process: a second backend finds the arena registered already.
  (void)to_status(ort, ort.CreateAndRegisterAllocator(env_.get(), arena, nullptr));
  return {};
}

Result<Owned<OrtSessionOptions>> Environment::make_options(Optimize optimize) const {
  const OrtApi& ort = api();
  OrtSessionOptions* raw = nullptr;
  if (Status made = to_status(ort, ort.CreateSessionOptions(&raw)); !made) return failure_of(std::move(made));
  Owned<OrtSessionOptions> options(raw, ort.ReleaseSessionOptions.function);
  Status done = to_status(ort, ort.DisablePerSessionThreads(raw));
  if (done) done = to_status(ort, ort.SetSessionLogSeverityLevel(raw, only_fatal));
  if (done)
    done = to_status(ort, ort.SetSessionGraphOptimizationLevel(raw, optimize == Optimize::No ? 0 : 99));
  if (done) done = to_status(ort, ort.AddSessionConfigEntry(raw, "session.use_env_allocators", "1"));
  if (done && optimize == Optimize::Exactly)
    done =
        to_status(ort, ort.AddSessionConfigEntry(raw, "optimization.disable_specified_optimizers", inexact));
  // A session that only answers questions must not rearrange large weights for speed.
  if (done && optimize == Optimize::No)
    done = to_status(ort, ort.AddSessionConfigEntry(raw, "session.disable_prepacking", "1"));
  if (!done) return failure_of(std::move(done));
  return options;
}

// Both calls are needed: the first lets fusions read the contents, the second lets all sessions share
// them without copies.
Status Environment::add_weights(OrtSessionOptions* options, std::span<const Weight> weights,
                                std::vector<Owned<OrtValue>>& values) const {
  std::vector<const char*> names;
  std::vector<const OrtValue*> views;
  for (const Weight& weight : weights) {
    auto value = make_value(api(), memory_.get(), *weight.tensor);
    if (!value) return failure_of(std::move(value));
    names.push_back(weight.name);
    views.push_back(value->get());
    values.push_back(std::move(*value));
  }
  if (views.empty()) return {};
  Status added =
      to_status(api(), api().AddExternalInitializers(options, names.data(), views.data(), views.size()));
  for (std::size_t index = 0; index < views.size() && added; ++index)
    added = to_status(api(), api().AddInitializer(options, names[index], views[index]));
  return added;
}

Result<LoadedSession> Environment::make_session(std::string_view onnx, std::span<const Weight> weights,
                                                Optimize optimize) const {
  auto options = make_options(optimize);
  if (!options) return failure_of(std::move(options));
  std::vector<Owned<OrtValue>> values;
  if (Status added = add_weights(options->get(), weights, values); !added)
    return failure_of(std::move(added));
  OrtSession* session = nullptr;
  Status made = to_status(
      api(), api().CreateSessionFromArray(env_.get(), onnx.data(), onnx.size(), options->get(), &session));
  if (!made) return failure_of(std::move(made));
  return LoadedSession{std::move(values), Owned<OrtSession>(session, api().ReleaseSession.function)};
}

}  // namespace dycl::onnxruntime
