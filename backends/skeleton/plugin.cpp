// SPDX-License-Identifier: Apache-2.0
#include "skeleton/plugin.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "common/plugin_glue.h"
#include "skeleton/runner.h"

namespace dycl::skeleton {
namespace {

nlohmann::json to_json(const ValueType& type) {
  nlohmann::json dims;  // null until the rank is known
  if (type.sizes) {
    dims = nlohmann::json::array();
    for (const onnx_wire::Size& size : *type.sizes) {
      if (size.fixed >= 0)
        dims.push_back(size.fixed);
      else
        dims.push_back(size.symbol.empty() ? nlohmann::json() : nlohmann::json(size.symbol));
    }
  }
  return {{"dtype", static_cast<int>(type.dtype)}, {"dims", dims}};
}

class Executable {
 public:
  explicit Executable(Program program) : program_(std::make_shared<const Program>(std::move(program))) {}
  [[nodiscard]] Result<std::unique_ptr<Runner>> create_call() const {
    return std::make_unique<Runner>(program_);
  }

 private:
  std::shared_ptr<const Program> program_;
};

class Backend {
 public:
  static Result<std::unique_ptr<Backend>> open(const plugin::OpenOptions& options) {
    if (options.precision != "f32")
      return fail(Blame::Usage, "skeleton.precision", "the skeleton computes in f32 only", {},
                  "leave the precision at f32");
    return std::make_unique<Backend>();
  }

  static plugin::Description describe() {
    plugin::Description description;
    description.name = "skeleton";
    description.version = DYCL_VERSION;
    description.opset = 28;  // Identity, Add and Less have not changed since opset 14
    description.ir_version = 13;
    for (std::int64_t number = 1; const auto dtype = dtype_from_number(number); ++number)
      description.dtypes[std::string(name_of(*dtype))] =
          *dtype == DType::String ? "refused: the skeleton holds no strings" : "yes";
    return description;
  }

  static Result<std::optional<plugin::Refusal>> check(const DyclGraph& graph) {
    std::optional<std::size_t> node;
    const auto program = read_program(graph, &node);
    if (program) return std::nullopt;
    if (program.error().blame != Blame::Unsupported) return Failure(program.error());
    return plugin::Refusal{program.error().message, node};
  }

  static Result<std::string> infer_types(const DyclGraph& graph) {
    auto program = read_program(graph);
    if (!program) return failure_of(std::move(program));
    auto types = nlohmann::json::array();
    for (const std::size_t output : program->outputs) types.push_back(to_json(program->values[output]));
    return types.dump();
  }

  // Nothing to prepare: the graph itself is loaded.
  static Result<std::string> compile(const DyclGraph& graph) {
    auto program = read_program(graph);
    if (!program) return failure_of(std::move(program));
    return std::string();
  }

  static Result<std::unique_ptr<Executable>> load(const DyclGraph& graph, std::string_view) {
    auto program = read_program(graph);
    if (!program) return failure_of(std::move(program));
    return std::make_unique<Executable>(std::move(*program));
  }
};

struct Plugin {
  using Backend = skeleton::Backend;
  using Executable = skeleton::Executable;
  using Call = Runner;
  static bool may_free() { return true; }
};

}  // namespace

const DyclBackendApi& api() {
  static constexpr DyclBackendApi table = plugin::api_of<Plugin>("skeleton", R"({"blob": "none"})");
  return table;
}

}  // namespace dycl::skeleton
