// SPDX-License-Identifier: Apache-2.0
// No message of ONNX is read recursively: subgraphs and functions are carried along as bytes.
#include "onnx_wire/read_model.h"

#include <fmt/format.h>

#include "onnx_wire/fields.h"
#include "onnx_wire/wire.h"

namespace dycl::onnx_wire {
namespace {

// Calls `read(field)` for each field until that is false; false then, and on damage.
template <class Read>
bool read_fields(std::string_view message, Read read) {
  WireReader wire(message);
  for (WireField part; wire.next(part);)
    if (!read(part)) return false;
  return !wire.is_damaged();
}

class ModelReader {
 public:
  tl::expected<Model, std::string> read(std::string_view bytes) {
    const bool is_whole =
        read_fields(bytes, [this](const WireField& part) { return read_model_field(part); });
    if (parts_ > kMostParts) return tl::unexpected(fmt::format("it has more than {} parts", kMostParts));
    if (!is_whole) return tl::unexpected(std::string("its bytes are damaged"));
    if (graphs_ != 1) return tl::unexpected(fmt::format("it has {} graphs", graphs_));
    return std::move(model_);
  }

 private:
  bool count() { return ++parts_ <= kMostParts; }

  template <class Part>
  Part* add(std::vector<Part>& parts) {
    return count() ? &parts.emplace_back() : nullptr;
  }

  static bool keep(const WireField& part, std::string& other) {
    other += part.whole;
    return true;
  }

  bool read_name(const WireField& part, std::vector<std::string>& names) {
    if (!count()) return false;
    names.emplace_back(part.bytes);
    return true;
  }

  // A repeated number, packed or not.
  bool read_integers(const WireField& part, std::vector<std::int64_t>& values) {
    if (part.kind == WireKind::Varint) {
      values.push_back(static_cast<std::int64_t>(part.value));
      return count();
    }
    WireReader packed(part.bytes);
    for (std::uint64_t value = 0; packed.next_varint(value);) {
      if (!count()) return false;
      values.push_back(static_cast<std::int64_t>(value));
    }
    return !packed.is_damaged();
  }

  static bool read_floats(const WireField& part, std::vector<float>& values) {
    for (std::size_t at = 0; at < part.bytes.size(); at += sizeof(float)) {
      if (part.bytes.size() - at < sizeof(float)) return false;
      values.push_back(float_of(part.bytes.substr(at, sizeof(float))));
    }
    return true;
  }

  static bool is_integers(const WireField& part, std::uint32_t number) {
    return part.is_number(number) || part.is_bytes(number);
  }

  static bool is_floats(const WireField& part, std::uint32_t number) {
    return part.is_float(number) || part.is_bytes(number);
  }

  // A protobuf library cuts an enumerator to 32 bits and passes over one that it does not know.
  static void read_location(std::uint64_t value, bool& is_external) {
    const auto location = static_cast<std::int32_t>(value);
    if (location == kDefaultLocation || location == kExternalLocation)
      is_external = location == kExternalLocation;
  }

  bool read_place(std::string_view message, std::vector<PlaceEntry>& place) {
    PlaceEntry* entry = add(place);
    return entry != nullptr && read_fields(message, [&](const WireField& part) {
             if (part.is_bytes(field::kEntryKey)) entry->key = part.bytes;
             if (part.is_bytes(field::kEntryValue)) entry->value = part.bytes;
             return true;
           });
  }

  bool read_tensor(std::string_view message, Tensor& tensor) {
    return count() && read_fields(message, [&](const WireField& part) {
             if (is_integers(part, field::kTensorDims)) return read_integers(part, tensor.dims);
             if (is_floats(part, field::kTensorFloats)) return read_floats(part, tensor.floats);
             for (const auto integers : {field::kTensorInt32s, field::kTensorInt64s, field::kTensorUint64s})
               if (is_integers(part, integers)) return read_integers(part, tensor.integers);
             if (part.is_bytes(field::kTensorPlace)) return read_place(part.bytes, tensor.place);
             return read_single_of_tensor(part, tensor);
           });
  }

  static bool read_single_of_tensor(const WireField& part, Tensor& tensor) {
    if (part.is_number(field::kTensorType))
      tensor.dtype = static_cast<std::int32_t>(part.value);
    else if (part.is_bytes(field::kTensorName))
      tensor.name = part.bytes;
    else if (part.is_bytes(field::kTensorRaw))
      tensor.raw = part.bytes;
    else if (part.is_number(field::kTensorLocation))
      read_location(part.value, tensor.is_external);
    else
      keep(part, tensor.other);
    return true;
  }

  bool read_attribute(std::string_view message, Attribute& attribute) {
    attribute.bytes = message;
    std::shared_ptr<Tensor> tensor;
    const bool is_whole = read_fields(message, [&](const WireField& part) {
      if (is_integers(part, field::kAttributeInts)) return read_integers(part, attribute.ints);
      if (part.is_bytes(field::kAttributeTensors)) {
        Tensor* added = add(attribute.tensors);
        return added != nullptr && read_tensor(part.bytes, *added);
      }
      if (part.is_bytes(field::kAttributeTensor)) {
        if (!tensor) tensor = std::make_shared<Tensor>();
        return read_tensor(part.bytes, *tensor);
      }
      if (part.is_bytes(field::kAttributeName)) attribute.name = part.bytes;
      if (part.is_float(field::kAttributeFloat)) attribute.f = float_of(part.bytes);
      if (part.is_number(field::kAttributeInt)) attribute.i = static_cast<std::int64_t>(part.value);
      if (part.is_bytes(field::kAttributeText)) attribute.s = part.bytes;
      return true;
    });
    attribute.tensor = std::move(tensor);
    return is_whole;
  }

  bool read_node(std::string_view message) {
    Node* node = add(model_.nodes);
    return node != nullptr && read_fields(message, [&](const WireField& part) {
             if (part.is_bytes(field::kNodeInput)) return read_name(part, node->inputs);
             if (part.is_bytes(field::kNodeOutput)) return read_name(part, node->outputs);
             if (part.is_bytes(field::kNodeAttribute)) {
               Attribute* attribute = add(node->attributes);
               return attribute != nullptr && read_attribute(part.bytes, *attribute);
             }
             if (part.is_bytes(field::kNodeName))
               node->name = part.bytes;
             else if (part.is_bytes(field::kNodeOp))
               node->op = part.bytes;
             else if (part.is_bytes(field::kNodeDomain))
               node->domain = is_own(part.bytes) ? std::string_view() : part.bytes;
             else
               keep(part, node->other);
             return true;
           });
  }

  static bool is_own(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

  bool read_size(std::string_view message, std::vector<Size>& sizes) {
    Size* size = add(sizes);
    return size != nullptr && read_fields(message, [&](const WireField& part) {
             if (part.is_number(field::kDimSize))
               *size = {static_cast<std::int64_t>(part.value), {}, std::move(size->other)};
             else if (part.is_bytes(field::kDimSymbol))
               *size = {-1, std::string(part.bytes), std::move(size->other)};
             else
               keep(part, size->other);
             return true;
           });
  }

  bool read_shape(std::string_view message, ValueInfo& value) {
    if (!value.sizes) value.sizes.emplace();
    return read_fields(message, [&](const WireField& part) {
      return !part.is_bytes(field::kShapeDim) || read_size(part.bytes, *value.sizes);
    });
  }

  bool read_tensor_type(std::string_view message, ValueInfo& value) {
    return read_fields(message, [&](const WireField& part) {
      if (part.is_number(field::kTensorTypeElement)) value.dtype = static_cast<std::int32_t>(part.value);
      return !part.is_bytes(field::kTensorTypeShape) || read_shape(part.bytes, value);
    });
  }

  bool read_type(std::string_view message, ValueInfo& value) {
    return read_fields(message, [&](const WireField& part) {
      return part.is_bytes(field::kTypeTensor) ? read_tensor_type(part.bytes, value)
                                               : keep(part, value.other_of_type);
    });
  }

  bool read_value(std::string_view message, std::vector<ValueInfo>& values) {
    ValueInfo* value = add(values);
    return value != nullptr && read_fields(message, [&](const WireField& part) {
             if (part.is_bytes(field::kValueType)) return read_type(part.bytes, *value);
             if (!part.is_bytes(field::kValueName)) return keep(part, value->other);
             value->name = part.bytes;
             return true;
           });
  }

  bool read_graph_field(const WireField& part) {
    if (part.is_bytes(field::kGraphNode)) return read_node(part.bytes);
    if (part.is_bytes(field::kGraphInitializer))
      return read_tensor(part.bytes, model_.initializers.emplace_back());
    if (part.is_bytes(field::kGraphInput)) return read_value(part.bytes, model_.inputs);
    if (part.is_bytes(field::kGraphOutput)) return read_value(part.bytes, model_.outputs);
    if (part.is_bytes(field::kGraphValue)) return read_value(part.bytes, model_.values);
    if (!part.is_bytes(field::kGraphName)) return keep(part, model_.other_of_graph);
    model_.graph_name = part.bytes;
    return true;
  }

  bool read_opset(const WireField& whole) {
    std::string_view domain;
    std::int64_t version = 0;
    const bool is_whole = read_fields(whole.bytes, [&](const WireField& part) {
      if (part.is_bytes(field::kOpsetDomain)) domain = part.bytes;
      if (part.is_number(field::kOpsetVersion)) version = static_cast<std::int64_t>(part.value);
      return true;
    });
    if (!is_own(domain)) return is_whole && keep(whole, model_.other);
    model_.opset = version;
    return is_whole;
  }

  bool read_model_field(const WireField& part) {
    if (part.is_bytes(field::kModelOpset)) return read_opset(part);
    if (part.is_bytes(field::kModelGraph)) {
      ++graphs_;
      return read_fields(part.bytes, [this](const WireField& inner) { return read_graph_field(inner); });
    }
    if (!part.is_number(field::kModelIrVersion)) return keep(part, model_.other);
    model_.ir_version = static_cast<std::int64_t>(part.value);
    return true;
  }

  Model model_;
  std::size_t parts_ = 0;
  std::size_t graphs_ = 0;
};

}  // namespace

tl::expected<Model, std::string> read_model(std::string_view bytes) { return ModelReader().read(bytes); }

}  // namespace dycl::onnx_wire
