// SPDX-License-Identifier: Apache-2.0
#include "aot_inductor/payload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "aot_inductor/torch_api.h"
#include "base/dtype.h"
#include "common/onnx_model.h"
#include "common/tensors.h"

namespace dycl::aot_inductor {
namespace {

using Json = nlohmann::json;

Failure refused(std::string reason) {
  return fail(Blame::Unsupported, "aot_inductor.refused", std::move(reason));
}
Failure damaged(std::string_view what) {
  return fail(Blame::Package, "aot_inductor.bad_payload",
              fmt::format("the torch graph of a sub-DNN is damaged: {}", what));
}

std::optional<std::vector<std::byte>> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  if (text.size() % 2 != 0) return std::nullopt;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 2, value, 16);
    if (error != std::errc{} || end != text.data() + at + 2) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

class Reader {
 public:
  Reader(const DyclGraph& graph, Integers integers) : graph_(graph), integers_(integers) {}

  Result<Payload> run() {
    if (graph_.aten.size == 0)
      return refused(
          "it takes torch's own operators, and a part of this program has only an ONNX form: aot_inductor "
          "runs programs that were compiled from a live PyTorch model");
    const auto* text = static_cast<const char*>(graph_.aten.data);
    json_ = Json::parse(text, text + graph_.aten.size, nullptr, false);
    if (!json_.is_object()) return damaged("it is not a JSON object");
    for (const char* field : {"inputs", "outputs", "weights", "fragments", "calls"})
      if (!json_.contains(field) || !json_[field].is_array()) return damaged(fmt::format("no '{}'", field));
    if (!json_.contains("constants") || !json_["constants"].is_object()) return damaged("no 'constants'");
    for (const auto& step : {&Reader::read_ports, &Reader::read_weights, &Reader::read_constants})
      if (Status status = (this->*step)(); !status) return failure_of(std::move(status));
    json_["types"] = types_;
    payload_.structure = json_.dump(-1, ' ', false, Json::error_handler_t::replace);
    return std::move(payload_);
  }

 private:
  Status read_ports() {
    auto model = plugin::read_model(graph_);
    if (!model) return failure_of(std::move(model));
    payload_.output_count = json_["outputs"].size();
    if (model->outputs.size() != payload_.output_count)
      return refused("its ONNX form has other outputs than its torch graph");
    for (const onnx_wire::ValueInfo& port : model->inputs)
      if (Status status = add_port(port); !status) return status;
    if (payload_.inputs.size() != json_["inputs"].size())
      return damaged("it has other inputs than the ONNX graph");
    payload_.symbols = symbols_.size() + unnamed_;
    return {};
  }

  Status add_port(const onnx_wire::ValueInfo& port) {
    const auto dtype = dtype_from_number(port.dtype);
    if (!dtype || !to_torch(*dtype))
      return refused(fmt::format("its input '{}' has an element type that torch lacks", port.name));
    if (!port.sizes) return refused(fmt::format("the rank of its input '{}' is not known", port.name));
    Port added{port.name, *dtype, {}};
    std::vector<std::string> sizes;
    for (const onnx_wire::Size& size : *port.sizes) {
      added.sizes.push_back(size.fixed >= 0 ? PortSize{size.fixed, 0} : PortSize{-1, symbol_of(size.symbol)});
      sizes.push_back(size.fixed >= 0 ? std::to_string(size.fixed)
                                      : fmt::format("s{}", added.sizes.back().symbol));
    }
    types_.push_back(fmt::format("{}[{}]", name_of(*dtype), fmt::join(sizes, ",")));
    payload_.inputs.push_back(std::move(added));
    return {};
  }

  std::size_t symbol_of(std::string_view name) {
    if (name.empty()) return symbols_.size() + unnamed_++;
    return symbols_.try_emplace(std::string(name), symbols_.size() + unnamed_).first->second;
  }

  Status read_weights() {
    if (graph_.weight_count != json_["weights"].size())
      return damaged("it has another number of weights than the ONNX graph");
    for (std::size_t index = 0; index < graph_.weight_count; ++index) {
      const DyclTensor& weight = graph_.weights[index];
      if (Status safe = plugin::check_tensor(weight, fmt::format("weight {}", index)); !safe) return safe;
      const auto dtype = dtype_from_number(weight.dtype);
      if (!to_torch(*dtype))
        return refused(fmt::format("a weight is {}, which torch lacks", name_of(*dtype)));
      types_.push_back(plugin::describe_tensor(weight.dtype, plugin::dims_of(weight)));
    }
    return {};
  }

  Status read_constants() {
    auto outside = Json::array();
    for (auto& [name, constant] : json_["constants"].items()) {
      if (!constant.is_object() || !constant.contains("type") || !constant["type"].is_string())
        return damaged("a constant has no type");
      const std::string type = constant["type"];
      const auto dtype = dtype_from_name(type.substr(0, type.find('[')));
      if (!dtype || !to_torch(*dtype))
        return refused(fmt::format("a constant is {}, which torch lacks", type));
      if (!is_float(*dtype) && integers_ == Integers::Inside) continue;
      auto tensor = tensor_of(type, *dtype, constant);
      if (!tensor) return failure_of(std::move(tensor));
      constant.erase("hex");
      outside.push_back(name);
      types_.push_back(type);
      payload_.outside.push_back(std::move(*tensor));
    }
    json_["outside"] = std::move(outside);
    return {};
  }

  static Result<TensorData> tensor_of(const std::string& type, DType dtype, const Json& constant) {
    std::vector<std::int64_t> dims;
    const char* at = type.data() + type.find('[') + 1;
    const char* end = type.data() + type.size();
    while (at < end && *at != ']') {
      const auto [rest, error] = std::from_chars(at, end, dims.emplace_back());
      if (error != std::errc{}) return damaged("the type of a constant");
      at = rest + (rest < end && *rest == ',' ? 1 : 0);
    }
    auto bytes = from_hex(constant.value("hex", std::string()));
    const auto count = element_count(dims);
    if (!bytes || !count || byte_size(dtype, *count) != bytes->size())
      return damaged("the contents of a constant");
    return make_tensor(dtype, std::move(dims), std::move(*bytes));
  }

  const DyclGraph& graph_;
  Integers integers_;
  Json json_;
  Payload payload_;
  std::vector<std::string> types_;
  std::map<std::string, std::size_t> symbols_;
  std::size_t unnamed_ = 0;
};

}  // namespace

Result<Payload> read_payload(const DyclGraph& graph, Integers integers) {
  return Reader(graph, integers).run();
}

}  // namespace dycl::aot_inductor
