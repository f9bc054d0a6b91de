// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "base/dtype.h"
#include "common/plugin_glue.h"
#include "onnxruntime/executable.h"
#include "onnxruntime/graph.h"

namespace dycl::onnxruntime {
namespace {

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
  description.rewrites = {
      "cast_skips_i64",        "max_pool_lowest_finite", "sigmoid_underflow",     "softmax_underflow",
      "log_softmax_loses_nan", "log_sum_exp_loses_nan",  "recurrent_empty_batch", "transposed_and_empty",
      "transposed_by_vector",  "where_of_bools",         "clip_of_i16",           "order_of_i64"};
  description.checks = {"integer_division_overflow", "integer_pow_inexact", "integer_reduction_inexact",
                        "max_pool_nan", "max_pool_place_of_infinity"};
  description.notes = {
      "one thread pool per process: a backend in use decides its size",
      "the most negative i32 or i64 divided by -1 ends the process (checked)",
      "a cast to i64 and on to a narrower integer is done in one step, which is another number (rewritten)",
      "ReduceMax, ReduceMin, MaxPool and GlobalMaxPool skip NaN; ReduceMean of nothing is 0",
      "Max, Min, Clip, Relu, Sign, ReduceMax and ReduceMin on i64 compare lower halves as signed (rewritten)",
      "Pow on i64, ReduceSum and ReduceProd on i32 and i64 are computed in f64 (checked)",
      "f16 results are not rounded between operators that are computed in f32",
  };
  return description;
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

class LoadedExecutable {
 public:
  explicit LoadedExecutable(std::shared_ptr<const Executable> executable)
      : executable_(std::move(executable)) {}
  [[nodiscard]] Result<std::unique_ptr<Call>> create_call() const {
    return std::make_unique<Call>(executable_);
  }

 private:
  std::shared_ptr<const Executable> executable_;
};

class OrtBackend {
 public:
  static Result<std::unique_ptr<OrtBackend>> open(const plugin::OpenOptions& options) {
    if (options.precision != "f32")
      return fail(Blame::Usage, "onnxruntime.precision",
                  "onnxruntime computes in the model's own precision: ask for f32, not " + options.precision);
    auto environment = Environment::create(options);
    if (!environment) return failure_of(std::move(environment));
    return std::make_unique<OrtBackend>(std::make_shared<const Environment>(std::move(*environment)));
  }
  explicit OrtBackend(std::shared_ptr<const Environment> environment)
      : environment_(std::move(environment)) {}

  [[nodiscard]] plugin::Description describe() const { return describe_environment(*environment_); }
  [[nodiscard]] Result<std::optional<plugin::Refusal>> check(const DyclGraph& graph) const {
    return find_refusal(*environment_, graph);
  }
  [[nodiscard]] Result<std::string> infer_types(const DyclGraph& graph) const {
    auto types = infer_output_types(*environment_, graph);
    if (!types) return failure_of(std::move(types));
    auto answer = nlohmann::json::array();
    for (const PortType& type : *types) answer.push_back(to_json(type));
    return answer.dump();
  }
  // No blob: a session is made from the graph in a millisecond, and packages stay portable.
  [[nodiscard]] Result<std::string> compile(const DyclGraph& graph) const {
    auto executable = Executable::load(environment_, graph);
    if (!executable) return failure_of(std::move(executable));
    return std::string();
  }
  [[nodiscard]] Result<std::unique_ptr<LoadedExecutable>> load(const DyclGraph& graph,
                                                               std::string_view) const {
    auto loaded = Executable::load(environment_, graph);
    if (!loaded) return failure_of(std::move(loaded));
    return std::make_unique<LoadedExecutable>(std::move(*loaded));
  }

 private:
  std::shared_ptr<const Environment> environment_;
};

struct Plugin {
  using Backend = OrtBackend;
  using Executable = LoadedExecutable;
  using Call = onnxruntime::Call;
  static bool may_free() { return true; }
};

constexpr const char* traits = R"({
  "vendor": {"library": "libonnxruntime.so", "folder": "onnxruntime/capi", "install": "pip install onnxruntime"},
  "blob": "none", "preference": 1, "reference": true})";
constexpr DyclBackendApi table = plugin::api_of<Plugin>("onnxruntime", traits);

}  // namespace
}  // namespace dycl::onnxruntime

extern "C" __attribute__((visibility("default"))) const DyclBackendApi* dycl_backend_entry() {
  return &dycl::onnxruntime::table;
}
