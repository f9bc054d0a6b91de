// SPDX-License-Identifier: Apache-2.0
// kernels.h: the sub-DNNs of a package without its control flow.
#include <dycl/kernels.h>
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "package/package_file.h"
#include "runtime/c_handles.h"

struct dycl_kernels {
  std::shared_ptr<const dycl::runtime::LoadedProgram> program;
  std::vector<std::string> names;          // of the sub-DNNs that were asked for
  std::vector<std::uint32_t> executables;  // by sub-DNN
};

namespace dycl::runtime {
namespace {

Status check_request(const dycl_kernel_request* request) {
  if (request == nullptr) return null_argument("request");
  if (request->struct_size != sizeof(dycl_kernel_request))
    return fail(Blame::Usage, "run.options_size", "struct_size is not that of dycl_kernel_request", {},
                "set struct_size to sizeof the struct");
  if (request->abi != DYCL_KERNELS_ABI)
    return fail(
        Blame::Usage, "run.kernels_abi",
        fmt::format("the program was written for version {} of dycl/kernels.h, this library serves {}",
                    request->abi, static_cast<int>(DYCL_KERNELS_ABI)),
        {}, "write the program again with the dycl emit of this version");
  if (request->names == nullptr && request->name_count > 0) return null_argument("request->names");
  return {};
}

Failure other_program(const dycl_kernel_name& wanted) {
  return fail(Blame::Package, "package.other_program",
              fmt::format("the package has no sub-DNN {} for {} (the program calls it {})", wanted.hash,
                          wanted.backend, wanted.name),
              {}, "give the program the package that it was written from, or write it again with dycl emit");
}

Status find_kernels(dycl_kernels& kernels, std::span<const dycl_kernel_name> wanted) {
  const LoadedProgram& program = *kernels.program;
  std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> known;
  for (std::size_t index = 0; index < program.artifact().plan.subnets.size(); ++index) {
    const PlanSubnet& subnet = program.artifact().plan.subnets[index];
    known.emplace(std::pair(std::string_view(subnet.hash), std::string_view(subnet.backend)),
                  program.executable_of(index));
  }
  for (const dycl_kernel_name& name : wanted) {
    const auto found = known.find({name.hash, name.backend});
    if (found == known.end()) return other_program(name);
    kernels.names.emplace_back(name.name);
    kernels.executables.push_back(found->second);
  }
  return {};
}

Status give_kernels(Result<VerifiedArtifact> artifact, dycl_runtime& runtime,
                    const dycl_load_options* options, const dycl_kernel_request& request,
                    dycl_kernels** out) {
  if (!artifact) return failure_of(std::move(artifact));
  auto load = load_options_of(runtime, options);
  if (!load) return failure_of(std::move(load));
  auto program = LoadedProgram::load(std::move(*artifact), *backends_of(runtime), *load);
  if (!program) return failure_of(std::move(program));
  auto kernels = std::make_unique<dycl_kernels>();
  kernels->program = std::move(*program);
  if (Status found = find_kernels(*kernels, {request.names, request.name_count}); !found) return found;
  *out = kernels.release();
  return {};
}

}  // namespace
}  // namespace dycl::runtime

// A kernel becomes ready at its first run: most runs take few of the paths.
struct dycl_kernel_set {
  struct Entry {
    dycl_kernel_set* set = nullptr;
    std::size_t index = 0;
    const DyclBackendApi* api = nullptr;
    DyclCall* call = nullptr;
  };

  std::shared_ptr<const dycl::runtime::LoadedProgram> program;
  std::vector<std::string> names;
  std::vector<std::uint32_t> executables;
  std::vector<dycl_kernel> table;
  std::vector<Entry> entries;                           // as long as the table
  std::vector<std::optional<dycl::BackendCall>> calls;  // by executable
  std::optional<dycl::Diagnostic> problem;              // why a kernel could not be made ready
};

namespace dycl::runtime {
namespace {

using KernelSet = dycl_kernel_set;

void* run_ready(void* call, const dycl_kernel_input* inputs, std::size_t input_count,
                dycl_kernel_output* outputs, std::size_t output_count) {
  const auto& entry = *static_cast<KernelSet::Entry*>(call);
  return entry.api->run(entry.call, inputs, input_count, outputs, output_count);
}

void* remember_problem(KernelSet& set, Diagnostic problem) {
  set.problem = std::move(problem);
  return &set.problem;
}

void* run_first(void* call, const dycl_kernel_input* inputs, std::size_t input_count,
                dycl_kernel_output* outputs, std::size_t output_count) noexcept {
  auto& entry = *static_cast<KernelSet::Entry*>(call);
  KernelSet& set = *entry.set;
  const std::uint32_t executable = set.executables[entry.index];
  std::optional<BackendCall>& made = set.calls[executable];
  try {
    if (!made) {
      auto created = set.program->executables()[executable]->create_call();
      if (!created) return remember_problem(set, std::move(created.error()));
      made.emplace(std::move(*created));
    }
  } catch (const std::bad_alloc&) {
    return remember_problem(
        set, {Blame::Usage, "run.out_of_memory", "there is not enough memory", {}, "", {}, {}});
  }
  entry.api = &made->api();
  entry.call = made->get();
  set.table[entry.index].run = run_ready;
  return run_ready(call, inputs, input_count, outputs, output_count);
}

std::unique_ptr<KernelSet> make_set(const dycl_kernels& kernels) {
  auto set = std::make_unique<KernelSet>();
  set->program = kernels.program;
  set->names = kernels.names;
  set->executables = kernels.executables;
  set->calls.resize(kernels.program->executables().size());
  set->entries.resize(kernels.names.size());
  for (std::size_t index = 0; index < set->entries.size(); ++index) {
    set->entries[index].set = set.get();
    set->entries[index].index = index;
    set->table.push_back({run_first, &set->entries[index]});
  }
  return set;
}

Diagnostic problem_of(const KernelSet& set, std::size_t index, void* error) {
  if (error == &set.problem) return *set.problem;
  const auto& made = set.calls[set.executables[index]];
  Diagnostic problem = std::move(made->failure_of_run(static_cast<DyclText*>(error)).error());
  problem.code = "run.backend";
  return problem;
}

Status view_weight(const dycl_kernels& kernels, const char* name, dycl_tensor_view& view) {
  const auto& weights = kernels.program->artifact().weights;
  const auto found = weights.find(name);
  if (found == weights.end())
    return fail(Blame::Package, "package.other_program", fmt::format("the package has no weight '{}'", name),
                {},
                "give the program the package that it was written from, or write it again with dycl emit");
  const DyclTensor tensor = view_of(*found->second);
  view = {static_cast<dycl_dtype>(tensor.dtype),
          tensor.rank,
          tensor.dims,
          tensor.data,
          tensor.byte_size,
          tensor.device_kind,
          tensor.device_index};
  return {};
}

Status load_kernels(dycl_runtime* runtime, const dycl_load_options* options,
                    const dycl_kernel_request* request, dycl_kernels** kernels,
                    const std::function<Result<VerifiedArtifact>()>& read) {
  if (kernels == nullptr) return null_argument("kernels");
  *kernels = nullptr;
  if (runtime == nullptr) return null_argument("runtime");
  if (Status sound = check_request(request); !sound) return sound;
  return give_kernels(read(), *runtime, options, *request, kernels);
}

}  // namespace
}  // namespace dycl::runtime

dycl_status* dycl_kernels_load(dycl_runtime* runtime, const char* path, const dycl_load_options* options,
                               const dycl_kernel_request* request, dycl_kernels** kernels) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (path == nullptr) return dycl::runtime::null_argument("path");
    return dycl::runtime::load_kernels(runtime, options, request, kernels,
                                       [&] { return dycl::read_package(path); });
  });
}

dycl_status* dycl_kernels_load_bytes(dycl_runtime* runtime, const void* package, size_t byte_size,
                                     const dycl_load_options* options, const dycl_kernel_request* request,
                                     dycl_kernels** kernels) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (package == nullptr) return dycl::runtime::null_argument("package");
    if (reinterpret_cast<std::uintptr_t>(package) % 64 != 0)
      return dycl::fail(dycl::Blame::Usage, "run.package_alignment",
                        "the package in memory does not start at a multiple of 64");
    return dycl::runtime::load_kernels(runtime, options, request, kernels, [&] {
      return dycl::read_package_bytes({static_cast<const std::byte*>(package), byte_size}, nullptr);
    });
  });
}

dycl_status* dycl_kernels_weight(const dycl_kernels* kernels, const char* name, dycl_tensor_view* view) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (kernels == nullptr || name == nullptr || view == nullptr)
      return dycl::runtime::null_argument(kernels == nullptr ? "kernels" : name == nullptr ? "name" : "view");
    return dycl::runtime::view_weight(*kernels, name, *view);
  });
}

void dycl_kernels_free(dycl_kernels* kernels) { const std::unique_ptr<dycl_kernels> freed(kernels); }

dycl_status* dycl_kernel_set_create(const dycl_kernels* kernels, dycl_kernel_set** set) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (kernels == nullptr || set == nullptr)
      return dycl::runtime::null_argument(kernels == nullptr ? "kernels" : "set");
    *set = dycl::runtime::make_set(*kernels).release();
    return {};
  });
}

const dycl_kernel* dycl_kernel_set_table(const dycl_kernel_set* set) { return set->table.data(); }

dycl_status* dycl_kernel_failure(const dycl_kernel_set* set, size_t index, void* error) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    dycl::Diagnostic problem = dycl::runtime::problem_of(*set, index, error);
    problem.message = fmt::format("sub-DNN '{}' failed: {}", set->names[index], problem.message);
    return dycl::Failure(std::move(problem));
  });
}

void dycl_kernel_set_free(dycl_kernel_set* set) { const std::unique_ptr<dycl_kernel_set> freed(set); }
