// SPDX-License-Identifier: Apache-2.0
#include "skeleton/plugin.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "common/open_options.h"
#include "common/text.h"
#include "skeleton/runner.h"

// The ABI's opaque types are this backend's own.
struct DyclBackend {
  dycl::plugin::OpenOptions options;
};
struct DyclExecutable {
  std::shared_ptr<const dycl::skeleton::Program> program;
};
struct DyclCall {
  dycl::skeleton::Runner runner;
};

namespace dycl::skeleton {
namespace {

using plugin::guarded;
using plugin::set_text;

DyclText* open(const char* json, DyclBackend** backend) {
  return guarded([&]() -> Status {
    auto options = plugin::parse_open_options(json);
    if (!options) return failure_of(std::move(options));
    if (options->precision != "f32")
      return fail(Blame::Usage, "skeleton.precision", "the skeleton computes in f32 only");
    *backend = std::make_unique<DyclBackend>(DyclBackend{std::move(*options)}).release();
    return {};
  });
}

void close(DyclBackend* backend) { const std::unique_ptr<DyclBackend> ends_here(backend); }

DyclText* describe(DyclBackend*, DyclText* json) {
  return guarded([&]() -> Status {
    plugin::Description description;
    description.name = "skeleton";
    description.version = DYCL_VERSION;
    description.opset = 28;  // Identity, Add and Less have not changed since opset 14
    description.ir_version = 13;
    for (std::int64_t number = 1; const auto dtype = dtype_from_number(number); ++number)
      description.dtypes[std::string(name_of(*dtype))] =
          *dtype == DType::String ? "refused: the skeleton holds no strings" : "yes";
    set_text(json, to_json(description));
    return {};
  });
}

DyclText* check(DyclBackend*, const DyclGraph* graph, DyclText* reason) {
  return guarded([&]() -> Status {
    const auto program = read_program(*graph);
    if (!program && program.error().blame != Blame::Unsupported) return Failure(program.error());
    set_text(reason, program ? "" : program.error().message);
    return {};
  });
}

nlohmann::json to_json(const ValueType& type) {
  nlohmann::json dims;  // null until the rank is known
  if (type.sizes) {
    dims = nlohmann::json::array();
    for (const Size& size : *type.sizes) {
      if (size.fixed >= 0)
        dims.push_back(size.fixed);
      else
        dims.push_back(size.symbol.empty() ? nlohmann::json() : nlohmann::json(size.symbol));
    }
  }
  return {{"dtype", static_cast<int>(type.dtype)}, {"dims", dims}};
}

DyclText* infer_types(DyclBackend*, const DyclGraph* graph, DyclText* json) {
  return guarded([&]() -> Status {
    auto program = read_program(*graph);
    if (!program) return failure_of(std::move(program));
    auto types = nlohmann::json::array();
    for (const std::size_t output : program->outputs) types.push_back(to_json(program->values[output]));
    set_text(json, types.dump());
    return {};
  });
}

// Nothing to prepare: the graph itself is loaded.
DyclText* compile(DyclBackend*, const DyclGraph* graph, DyclText* blob) {
  return guarded([&]() -> Status {
    auto program = read_program(*graph);
    if (!program) return failure_of(std::move(program));
    set_text(blob, "");
    return {};
  });
}

DyclText* load(DyclBackend*, const DyclGraph* graph, DyclBytes, DyclExecutable** executable) {
  return guarded([&]() -> Status {
    auto program = read_program(*graph);
    if (!program) return failure_of(std::move(program));
    auto shared = std::make_shared<const Program>(std::move(*program));
    *executable = std::make_unique<DyclExecutable>(DyclExecutable{std::move(shared)}).release();
    return {};
  });
}

void unload(DyclExecutable* executable) { const std::unique_ptr<DyclExecutable> ends_here(executable); }

DyclText* create_call(DyclExecutable* executable, DyclCall** call) {
  return guarded([&]() -> Status {
    *call = std::make_unique<DyclCall>(DyclCall{Runner(executable->program)}).release();
    return {};
  });
}

void destroy_call(DyclCall* call) { const std::unique_ptr<DyclCall> ends_here(call); }

DyclText* run(DyclCall* call, const DyclTensor* inputs, size_t input_count, DyclOutput* outputs,
              size_t output_count) {
  return guarded([&] { return call->runner.run({inputs, input_count}, {outputs, output_count}); });
}

}  // namespace

const DyclBackendApi& api() {
  static constexpr DyclBackendApi table{DYCL_BACKEND_ABI,
                                        sizeof(DyclBackendApi),
                                        "skeleton",
                                        plugin::free_text,
                                        open,
                                        close,
                                        describe,
                                        check,
                                        infer_types,
                                        compile,
                                        load,
                                        unload,
                                        create_call,
                                        destroy_call,
                                        run};
  return table;
}

}  // namespace dycl::skeleton
