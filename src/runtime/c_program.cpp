// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "runtime/c_handles.h"

namespace dycl::runtime {
namespace {

std::vector<std::filesystem::path> folders_of(const char* const* names, std::size_t count) {
  std::vector<std::filesystem::path> folders;
  for (std::size_t index = 0; index < count; ++index) folders.emplace_back(names[index]);
  return folders;
}

dycl_kind kind_of_type(const Type& type) {
  if (const OptionalType* optional = type.optional()) return kind_of_type(*optional->element);
  if (type.tensor() != nullptr) return DYCL_TENSOR;
  if (type.seq() != nullptr) return DYCL_SEQUENCE;
  if (type.scalar() == nullptr) return DYCL_TEXT;
  switch (type.scalar()->kind) {
    case ScalarKind::Bool: return DYCL_SCALAR_BOOL;
    case ScalarKind::I64: return DYCL_SCALAR_INT;
    case ScalarKind::F64: return DYCL_SCALAR_FLOAT;
  }
  return DYCL_NONE;
}

// Fills a port; texts and sizes go into the program's own vectors, which never grow afterwards.
class PortWriter {
 public:
  explicit PortWriter(dycl_program& program) : program_(program) {
    const std::size_t count = program.program->inputs().size() + program.program->outputs().size();
    program.texts.reserve(count);
    program.sizes.reserve(count);
    program.symbols.reserve(count);
    program.smallest.reserve(count);
    program.largest.reserve(count);
  }

  dycl_port write(const PlanPort& port) {
    dycl_port result{};
    result.name = port.name.c_str();
    result.type = program_.texts.emplace_back(program_.program->type_text(port.type)).c_str();
    result.kind = kind_of_type(port.type);
    result.optional = port.optional || port.type.optional() != nullptr ? 1 : 0;
    const Type& content = port.type.optional() == nullptr ? port.type : *port.type.optional()->element;
    if (const TensorType* tensor = content.tensor()) write_tensor(*tensor, result);
    return result;
  }

 private:
  void write_tensor(const TensorType& type, dycl_port& result) {
    result.dtype = static_cast<dycl_dtype>(type.dtype);
    result.rank = type.dims ? static_cast<std::int32_t>(type.dims->size()) : -1;
    if (!type.dims) return;
    auto& sizes = program_.sizes.emplace_back();
    auto& symbols = program_.symbols.emplace_back();
    for (const Dim& dim : *type.dims) {
      const auto symbol = dim.as_symbol();
      sizes.push_back(dim.is_static() ? dim.constant : -1);
      symbols.push_back(symbol ? program_.program->artifact().plan.symbols[symbol->index()].name.c_str()
                               : "");
    }
    result.dims = sizes.data();
    result.symbols = symbols.data();
    write_limits(*type.dims, result);
  }

  void write_limits(const std::vector<Dim>& dims, dycl_port& result) {
    auto& smallest = program_.smallest.emplace_back();
    auto& largest = program_.largest.emplace_back();
    for (const Dim& dim : dims) {
      DimRange range;
      if (dim.is_static()) range = {dim.constant, dim.constant};
      if (const auto symbol = dim.as_symbol())
        range = program_.program->artifact().plan.symbols[symbol->index()].range;
      smallest.push_back(range.smallest);
      largest.push_back(range.largest == DimRange::kNoLimit ? -1 : range.largest);
    }
    result.smallest = smallest.data();
    result.largest = largest.data();
  }

  dycl_program& program_;
};

Status load_program(dycl_runtime& runtime, const char* path, const LoadOptions& options, dycl_program** out) {
  auto program = LoadedProgram::load_package(path, *backends_of(runtime), options);
  if (!program) return failure_of(std::move(program));
  auto handle = std::make_unique<dycl_program>();
  handle->program = std::move(*program);
  PortWriter writer(*handle);
  for (const PlanPort& port : handle->program->inputs()) handle->inputs.push_back(writer.write(port));
  for (const PlanPort& port : handle->program->outputs()) handle->outputs.push_back(writer.write(port));
  *out = handle.release();
  return {};
}

}  // namespace

std::shared_ptr<BackendRegistry> backends_of(dycl_runtime& runtime) {
  const std::lock_guard lock(runtime.mutex);
  if (!runtime.backends)
    runtime.backends = std::make_shared<BackendRegistry>(runtime.paths, runtime.libraries, runtime.threads);
  return runtime.backends;
}

Result<LoadOptions> load_options_of(const dycl_runtime& runtime, const dycl_load_options* options) {
  dycl_load_options defaults{};
  defaults.step_limit = LoadOptions{}.step_limit;
  auto given = options_of(options, defaults);
  if (!given) return failure_of(std::move(given));
  LoadOptions load{given->step_limit, runtime.threads};
  load.allow_native = given->allow_native != 0;
  return load;
}

}  // namespace dycl::runtime

dycl_status* dycl_runtime_create(const dycl_runtime_options* options, dycl_runtime** runtime) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (runtime == nullptr) return dycl::runtime::null_argument("runtime");
    *runtime = nullptr;
    auto given = dycl::runtime::options_of(options, dycl_runtime_options{});
    if (!given) return dycl::failure_of(std::move(given));
    auto made = std::make_unique<dycl_runtime>();
    made->threads = given->threads;
    made->paths.plugins = dycl::runtime::folders_of(given->plugin_folders, given->plugin_folder_count);
    for (auto& folder : dycl::default_plugin_folders()) made->paths.plugins.push_back(std::move(folder));
    made->paths.vendors = dycl::runtime::folders_of(given->vendor_folders, given->vendor_folder_count);
    *runtime = made.release();
    return {};
  });
}

dycl_status* dycl_runtime_set_library(dycl_runtime* runtime, const char* backend, const char* path) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (runtime == nullptr || backend == nullptr || path == nullptr)
      return dycl::runtime::null_argument(runtime == nullptr   ? "runtime"
                                          : backend == nullptr ? "backend"
                                                               : "path");
    const std::lock_guard lock(runtime->mutex);
    if (runtime->backends)
      return dycl::fail(dycl::Blame::Usage, "run.library_too_late",
                        "a vendor library must be named before the first program is loaded");
    runtime->libraries[backend] = path;
    return {};
  });
}

void dycl_runtime_free(dycl_runtime* runtime) { const std::unique_ptr<dycl_runtime> freed(runtime); }

dycl_status* dycl_program_load(dycl_runtime* runtime, const char* path, const dycl_load_options* options,
                               dycl_program** program) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (runtime == nullptr || path == nullptr || program == nullptr)
      return dycl::runtime::null_argument(runtime == nullptr ? "runtime"
                                          : path == nullptr  ? "path"
                                                             : "program");
    *program = nullptr;
    auto given = dycl::runtime::load_options_of(*runtime, options);
    if (!given) return dycl::failure_of(std::move(given));
    return dycl::runtime::load_program(*runtime, path, *given, program);
  });
}

void dycl_program_free(dycl_program* program) { const std::unique_ptr<dycl_program> freed(program); }

size_t dycl_program_input_count(const dycl_program* program) { return program->inputs.size(); }
size_t dycl_program_output_count(const dycl_program* program) { return program->outputs.size(); }
int32_t dycl_program_writes_input(const dycl_program* program, size_t index) {
  const auto& written = program->program->facts().written_inputs;
  return std::ranges::find(written, index) == written.end() ? 0 : 1;
}

const dycl_port* dycl_program_input(const dycl_program* program, size_t index) {
  return index < program->inputs.size() ? &program->inputs[index] : nullptr;
}
const dycl_port* dycl_program_output(const dycl_program* program, size_t index) {
  return index < program->outputs.size() ? &program->outputs[index] : nullptr;
}
