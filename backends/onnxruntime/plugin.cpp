// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "base/dtype.h"
#include "common/open_options.h"
#include "common/text.h"
#include "onnxruntime/executable.h"
#include "onnxruntime/graph.h"

// The ABI's opaque types are this backend's own.
struct DyclBackend {
  std::shared_ptr<const dycl::onnxruntime::Environment> environment;
};
struct DyclExecutable {
  std::shared_ptr<const dycl::onnxruntime::Executable> executable;
};
struct DyclCall {
  dycl::onnxruntime::Call call;
};

namespace dycl::onnxruntime {
namespace {

using plugin::guarded;
using plugin::set_text;

DyclText* open(const char* json, DyclBackend** backend) {
  return guarded([&]() -> Status {
    auto options = plugin::parse_open_options(json);
    if (!options) return failure_of(std::move(options));
    if (options->precision != "f32")
      return fail(
          Blame::Usage, "onnxruntime.precision",
          "onnxruntime computes in the model's own precision: ask for f32, not " + options->precision);
    auto environment = Environment::create(*options);
    if (!environment) return failure_of(std::move(environment));
    auto shared = std::make_shared<const Environment>(std::move(*environment));
    *backend = std::make_unique<DyclBackend>(DyclBackend{std::move(shared)}).release();
    return {};
  });
}

void close(DyclBackend* backend) { const std::unique_ptr<DyclBackend> ends_here(backend); }

std::string declaration(DType dtype) {
  switch (dtype) {
    case DType::C64:
    case DType::C128: return "refused: onnxruntime has no complex numbers";
    case DType::F4E2M1: return "refused: onnxruntime has no operators on it";
    default: return "yes";
  }
}

plugin::Description describe_environment(const Environment& environment) {
  plugin::Description description;
  description.name = "onnxruntime";
  description.version = environment.version();
  description.library = environment.path();
  description.opset = newest_opset(environment);
  description.ir_version = newest_ir_version(environment);
  for (std::int64_t number = 1; const auto dtype = dtype_from_number(number); ++number)
    description.dtypes[std::string(name_of(*dtype))] = declaration(*dtype);
  description.guards = {"integer_division_overflow", "integer_pow_inexact", "max_skips_nan", "empty_mean"};
  description.hazards = {
      "one thread pool per process: a backend in use decides its size",
      "the most negative i32 or i64 divided by -1 ends the process (guarded)",
      "ReduceMax, ReduceMin, MaxPool and GlobalMaxPool skip NaN; ReduceMean of nothing is 0",
      "Pow on i64 is computed in f64",
      "f16 results are not rounded between operators that are computed in f32",
  };
  return description;
}

DyclText* describe(DyclBackend* backend, DyclText* json) {
  return guarded([&]() -> Status {
    set_text(json, to_json(describe_environment(*backend->environment)));
    return {};
  });
}

DyclText* check(DyclBackend* backend, const DyclGraph* graph, DyclText* reason) {
  return guarded([&]() -> Status {
    auto refusal = find_refusal(*backend->environment, *graph);
    if (!refusal) return failure_of(std::move(refusal));
    set_text(reason, *refusal);
    return {};
  });
}

nlohmann::json to_json(const PortType& type) {
  nlohmann::json dims;  // null until the rank is known
  if (type.ranked) dims = nlohmann::json::array();
  for (std::size_t axis = 0; axis < type.dims.size(); ++axis) {
    if (type.dims[axis] >= 0)
      dims.push_back(type.dims[axis]);
    else
      dims.push_back(type.symbols[axis].empty() ? nlohmann::json() : nlohmann::json(type.symbols[axis]));
  }
  return {{"dtype", type.dtype}, {"dims", dims}};
}

DyclText* infer_types(DyclBackend* backend, const DyclGraph* graph, DyclText* json) {
  return guarded([&]() -> Status {
    auto types = infer_output_types(*backend->environment, *graph);
    if (!types) return failure_of(std::move(types));
    auto answer = nlohmann::json::array();
    for (const PortType& type : *types) answer.push_back(to_json(type));
    set_text(json, answer.dump());
    return {};
  });
}

// No blob: a session is made from the graph in a millisecond, and packages stay portable.
DyclText* compile(DyclBackend* backend, const DyclGraph* graph, DyclText* blob) {
  return guarded([&]() -> Status {
    auto executable = Executable::load(backend->environment, *graph);
    if (!executable) return failure_of(std::move(executable));
    set_text(blob, "");
    return {};
  });
}

DyclText* load(DyclBackend* backend, const DyclGraph* graph, DyclBytes, DyclExecutable** executable) {
  return guarded([&]() -> Status {
    auto loaded = Executable::load(backend->environment, *graph);
    if (!loaded) return failure_of(std::move(loaded));
    *executable = std::make_unique<DyclExecutable>(DyclExecutable{std::move(*loaded)}).release();
    return {};
  });
}

void unload(DyclExecutable* executable) { const std::unique_ptr<DyclExecutable> ends_here(executable); }

DyclText* create_call(DyclExecutable* executable, DyclCall** call) {
  return guarded([&]() -> Status {
    *call = std::make_unique<DyclCall>(DyclCall{Call(executable->executable)}).release();
    return {};
  });
}

void destroy_call(DyclCall* call) { const std::unique_ptr<DyclCall> ends_here(call); }

DyclText* run(DyclCall* call, const DyclTensor* inputs, size_t input_count, DyclOutput* outputs,
              size_t output_count) {
  return guarded([&] { return call->call.run({inputs, input_count}, {outputs, output_count}); });
}

constexpr DyclBackendApi table{DYCL_BACKEND_ABI,
                               sizeof(DyclBackendApi),
                               "onnxruntime",
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

}  // namespace
}  // namespace dycl::onnxruntime

extern "C" __attribute__((visibility("default"))) const DyclBackendApi* dycl_backend_entry() {
  return &dycl::onnxruntime::table;
}
