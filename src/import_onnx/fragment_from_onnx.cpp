// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/fragment_from_onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "base/type_text.h"
#include "hcfg/operator_versions.h"
#include "import_onnx/constant_value.h"
#include "import_onnx/from_onnx.h"

namespace dycl::import_onnx {
namespace {

class FragmentReader {
 public:
  FragmentReader(const onnx::FunctionProto& proto, FragmentTypes types, FragmentLabels labels)
      : proto_(proto), types_(std::move(types)) {
    fragment_.name = std::move(labels.name);
    fragment_.key = std::move(labels.key);
    fragment_.aten = std::move(labels.aten);
    fragment_.symbols = std::move(types_.symbols);
  }

  Result<FragmentPtr> run(TypeInference* inference) {
    if (proto_.attribute_size() + proto_.attribute_proto_size() != 0)
      return refuse("the function has attributes of its own");
    if (static_cast<std::size_t>(proto_.input_size()) != types_.inputs.size() ||
        static_cast<std::size_t>(proto_.output_size()) != types_.outputs.size())
      return refuse("the function has another number of inputs or outputs than types were given");
    for (int index = 0; index < proto_.input_size(); ++index) {
      const auto& type = types_.inputs[static_cast<std::size_t>(index)];
      if (Status status = define(proto_.input(index), type); !status) return failure_of(std::move(status));
      fragment_.inputs.push_back(names_.at(proto_.input(index)));
    }
    if (Status status = read_value_info(); !status) return failure_of(std::move(status));
    for (const onnx::NodeProto& node : proto_.node())
      if (Status status = add_node(node); !status) return failure_of(std::move(status));
    if (Status status = add_outputs(); !status) return failure_of(std::move(status));
    if (Status status = fill_types(inference); !status) return failure_of(std::move(status));
    if (const std::string defect = fragment_defect(fragment_); !defect.empty()) return refuse(defect);
    return std::make_shared<const Fragment>(std::move(fragment_));
  }

 private:
  [[nodiscard]] Failure refuse(std::string_view why) const {
    return fail(Blame::Internal, "onnx.bad_fragment",
                fmt::format("the lowered operation '{}': {}", fragment_.name, why));
  }

  Status define(const std::string& name, Type type) {
    fragment_.values.push_back({std::move(type), name});
    if (name.empty() || !names_.emplace(name, ValueId(fragment_.values.size() - 1)).second)
      return refuse(fmt::format("the value '{}' is defined twice", name));
    return {};
  }

  // An open size of an inner value stays open: the rank is dropped rather than a symbol made up.
  Status read_value_info() {
    for (const onnx::ValueInfoProto& info : proto_.value_info()) {
      bool open = false;
      Result<Type> type = from_onnx(info.type(), [&](const std::string&) {
        open = true;
        return SymbolId(std::size_t{0});
      });
      if (!type || type->tensor() == nullptr) continue;
      TensorType tensor = *type->tensor();
      if (open) tensor.dims.reset();
      known_.insert_or_assign(info.name(), tensor);
    }
    return {};
  }

  [[nodiscard]] std::int64_t opset_of(const std::string& domain) const {
    for (const onnx::OperatorSetIdProto& import : proto_.opset_import())
      if (import.domain() == domain || (domain.empty() && import.domain() == "ai.onnx"))
        return import.version();
    return newest_opset();
  }

  Status add_node(const onnx::NodeProto& node) {
    if (node.op_type() == "Constant" && (node.domain().empty() || node.domain() == "ai.onnx"))
      return add_constant(node);
    OnnxOp op;
    op.domain = node.domain() == "ai.onnx" ? "" : node.domain();
    op.name = node.op_type();
    const std::optional<std::int64_t> since = since_version(op.domain, op.name, opset_of(op.domain));
    if (!since) return refuse(fmt::format("there is no ONNX operator '{}'", op.name));
    op.version = *since;
    for (const onnx::AttributeProto& proto : node.attribute()) {
      Result<Attribute> value = from_onnx(proto, {});
      if (!value) return refuse(value.error().message);
      op.attributes.emplace(proto.name(), std::move(*value));
    }
    for (const std::string& name : node.input()) {
      const auto found = names_.find(name);
      if (!name.empty() && found == names_.end())
        return refuse(fmt::format("the value '{}' is used before it is defined", name));
      op.inputs.push_back(name.empty() ? ValueId() : found->second);
    }
    for (const std::string& name : node.output()) {
      if (!name.empty())
        if (Status status = define_result(name); !status) return status;
      op.outputs.push_back(name.empty() ? ValueId() : names_.at(name));
    }
    fragment_.ops.push_back(std::move(op));
    return {};
  }

  Status define_result(const std::string& name) {
    const auto known = known_.find(name);
    if (known == known_.end() || !known->second.dims) untyped_.insert(ValueId(fragment_.values.size()));
    return define(name, known == known_.end() ? TensorType{} : known->second);
  }

  Status add_constant(const onnx::NodeProto& node) {
    if (node.attribute_size() != 1 || node.output_size() != 1) return refuse("a Constant needs one value");
    Result<TensorData> data = constant_value(node.attribute(0), {});
    if (!data) return refuse(data.error().message);
    std::vector<Dim> dims(data->dims.begin(), data->dims.end());
    if (Status status = define(node.output(0), TensorType{data->dtype, std::move(dims), {}}); !status)
      return status;
    fragment_.constants.push_back(
        {names_.at(node.output(0)), std::make_shared<const TensorData>(std::move(*data))});
    return {};
  }

  // Outputs are results of operations, each once: what is passed through, constant or given twice gets an
  // Identity.
  Status add_outputs() {
    std::unordered_set<ValueId> results;
    for (const OnnxOp& op : fragment_.ops) results.insert(op.outputs.begin(), op.outputs.end());
    for (int index = 0; index < proto_.output_size(); ++index) {
      const auto found = names_.find(proto_.output(index));
      if (found == names_.end())
        return refuse(fmt::format("the output '{}' is not defined", proto_.output(index)));
      ValueId value = found->second;
      const Type& type = types_.outputs[static_cast<std::size_t>(index)];
      if (results.erase(value) == 0) {
        fragment_.values.push_back({type, fmt::format("{}_{}", proto_.output(index), index)});
        const ValueId copy(fragment_.values.size() - 1);
        fragment_.ops.push_back({"",
                                 "Identity",
                                 since_version("", "Identity", opset_of("")).value_or(1),
                                 {},
                                 {value},
                                 {copy},
                                 {}});
        value = copy;
      }
      fragment_.values[value.index()].type = type;
      untyped_.erase(value);
      fragment_.outputs.push_back(value);
    }
    return {};
  }

  Status fill_types(TypeInference* inference) {
    if (untyped_.empty()) return {};
    const std::string& first = fragment_.values[std::ranges::min(untyped_).index()].name;
    if (inference == nullptr) return refuse(fmt::format("the type of '{}' is not known", first));
    Hcfg scratch;
    scratch.values = fragment_.values;
    scratch.symbols = fragment_.symbols;
    scratch.constants = fragment_.constants;
    Result<std::map<ValueId, TensorType>> inferred = inference->infer(scratch, fragment_.ops);
    if (!inferred && all_have_a_dtype()) return {};  // the rank may stay open
    if (!inferred) return refuse(inferred.error().message);
    for (const ValueId value : untyped_) {
      const auto found = inferred->find(value);
      if (found == inferred->end()) return refuse(fmt::format("the type of '{}' is not known", first));
      TensorType type = found->second;
      const bool closed = !type.dims || std::ranges::all_of(*type.dims, [&](const Dim& dim) {
        return std::ranges::all_of(
            dim.terms, [&](const auto& term) { return term.first.index() < fragment_.symbols.size(); });
      });
      if (!closed) type.dims.reset();
      fragment_.values[value.index()].type = std::move(type);
    }
    return {};
  }

  // A backend cannot type what it has no kernel for: a rule of legalization writes it in another way.
  [[nodiscard]] bool all_have_a_dtype() const {
    return std::ranges::all_of(
        untyped_, [&](ValueId value) { return known_.contains(fragment_.values[value.index()].name); });
  }

  const onnx::FunctionProto& proto_;
  FragmentTypes types_;
  Fragment fragment_;
  std::unordered_map<std::string, ValueId> names_;
  std::unordered_map<std::string, TensorType> known_;
  std::unordered_set<ValueId> untyped_;
};

}  // namespace

Result<FragmentTypes> fragment_types(std::span<const std::string> inputs,
                                     std::span<const std::string> outputs) {
  FragmentTypes types;
  const auto symbol_of = [&](std::string_view name) {
    const auto found = std::ranges::find(types.symbols, name, &Symbol::name);
    if (found == types.symbols.end()) types.symbols.push_back({std::string(name)});
    return SymbolId(static_cast<std::size_t>(std::ranges::find(types.symbols, name, &Symbol::name) -
                                             types.symbols.begin()));
  };
  for (const auto& [texts, list] : {std::pair(inputs, &types.inputs), std::pair(outputs, &types.outputs)})
    for (const std::string& text : texts) {
      Result<Type> type = parse_type(text, symbol_of);
      if (!type) return failure_of(std::move(type));
      list->push_back(std::move(*type));
    }
  return types;
}

Result<FragmentPtr> fragment_from_onnx(std::string_view function_proto, FragmentTypes types,
                                       FragmentLabels labels, TypeInference* inference) {
  onnx::FunctionProto proto;
  const bool fits = function_proto.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (!fits || !proto.ParseFromArray(function_proto.data(), static_cast<int>(function_proto.size())))
    return fail(Blame::Internal, "onnx.bad_fragment",
                fmt::format("the lowered operation '{}' is not a serialized function", labels.name));
  return FragmentReader(proto, std::move(types), std::move(labels)).run(inference);
}

}  // namespace dycl::import_onnx
