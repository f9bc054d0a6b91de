// SPDX-License-Identifier: Apache-2.0
// OpenVINO has no names for sizes. A size that follows an input's symbol is found by reading the graph
// again with two different sets of unlikely sizes in place of the symbols.
#include "infer_types.h"

#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "onnx_wire/write_model.h"

namespace dycl::openvino {
namespace {

using Shapes = std::vector<std::optional<Dims>>;  // one for each output
using Sizes = std::map<std::string, std::int64_t>;

constexpr std::array<std::int64_t, 12> kPrimes{101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157};

std::optional<Dims> known_dims(const OvPartialShape& shape) {
  if (shape.rank.min != shape.rank.max) return std::nullopt;
  Dims dims;
  for (std::int64_t i = 0; i < shape.rank.max; ++i)
    dims.push_back(shape.dims[i].min == shape.dims[i].max ? shape.dims[i].max : -1);
  return dims;
}

Result<Shapes> read_shapes(const OvBackend& backend, const std::string& onnx, std::size_t count) {
  const OvApi& api = backend.api();
  Result<ScopedHandle<OvModel>> model = backend.read(onnx);
  if (!model) return failure_of(std::move(model));
  Shapes shapes;
  for (std::size_t i = 0; i < count; ++i) {
    OvPort* port = nullptr;
    if (Status status = to_status(api, api.model_output(model->get(), i, &port), "find an output"); !status)
      return failure_of(std::move(status));
    const ScopedHandle<OvPort> owner(port, api.port_free);
    OvPartialShape shape{};
    if (Status status = to_status(api, api.port_partial_shape(port, &shape), "tell an output's shape");
        !status)
      return failure_of(std::move(status));
    shapes.push_back(known_dims(shape));
    api.partial_shape_free(&shape);
  }
  return shapes;
}

// `first`: where in the list of primes to begin.
Sizes choose_sizes(const Model& model, std::size_t first) {
  Sizes sizes;
  for (const ValueInfo& input : model.inputs)
    for (const onnx_wire::Size& size : *input.sizes)
      if (!size.symbol.empty() && !sizes.contains(size.symbol))
        sizes[size.symbol] = kPrimes[(first + sizes.size()) % kPrimes.size()];
  return sizes;
}

std::string with_sizes(Model model, const Sizes& sizes) {
  for (ValueInfo& input : model.inputs)
    for (onnx_wire::Size& size : *input.sizes)
      if (!size.symbol.empty()) size.fixed = sizes.at(size.symbol);
  for (ValueInfo& output : model.outputs) output.sizes.reset();  // what is declared speaks of symbols
  return write_model(model);
}

struct Trial {
  Sizes sizes;
  Shapes shapes;
};

// Empty when OpenVINO cannot read the graph with such sizes.
std::vector<Trial> try_sizes(const OvBackend& backend, const PreparedGraph& graph) {
  std::vector<Trial> trials;
  for (const std::size_t first : {std::size_t{0}, kPrimes.size() / 2}) {
    Sizes sizes = choose_sizes(graph.model, first);
    if (sizes.empty() || sizes.size() > kPrimes.size() / 2) return {};
    Result<Shapes> shapes = read_shapes(backend, with_sizes(graph.model, sizes), graph.outputs.size());
    if (!shapes) return {};
    trials.push_back({std::move(sizes), std::move(*shapes)});
  }
  return trials;
}

// The symbol whose size this dim had in every trial; empty when there is none.
std::string symbol_at(const std::vector<Trial>& trials, std::size_t output, std::size_t axis) {
  if (trials.empty()) return {};
  for (const auto& [symbol, size] : trials.front().sizes) {
    bool follows = true;
    for (const Trial& trial : trials) {
      const std::optional<Dims>& dims = trial.shapes[output];
      follows = follows && dims && axis < dims->size() && (*dims)[axis] == trial.sizes.at(symbol);
    }
    if (follows) return symbol;
  }
  return {};
}

nlohmann::json dim_json(std::int64_t size, const std::string& symbol) {
  if (size >= 0) return size;
  if (!symbol.empty()) return symbol;
  return nullptr;
}

}  // namespace

Result<std::string> infer_types(const OvBackend& backend, const PreparedGraph& graph) {
  Result<Shapes> shapes = read_shapes(backend, write_model(graph.model), graph.outputs.size());
  if (!shapes) return failure_of(std::move(shapes));
  const std::vector<Trial> trials = try_sizes(backend, graph);
  auto types = nlohmann::json::array();
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    nlohmann::json dims = nullptr;
    if (const auto& known = (*shapes)[i]) {
      dims = nlohmann::json::array();
      for (std::size_t axis = 0; axis < known->size(); ++axis)
        dims.push_back(dim_json((*known)[axis], symbol_at(trials, i, axis)));
    }
    types.push_back(
        {{"dtype", static_cast<std::int32_t>(graph.outputs[i].dtype)}, {"dims", std::move(dims)}});
  }
  return types.dump();
}

}  // namespace dycl::openvino
