// SPDX-License-Identifier: Apache-2.0
#include "subnet/stamp.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "hcfg/operator_versions.h"
#include "subnet/to_onnx.h"

namespace dycl::subnet {
namespace {

class Stamper {
 public:
  Stamper(const Hcfg& graph, const ConstantTable& constants, const StampOptions& options)
      : graph_(graph), constants_(constants), options_(options) {}

  Result<StampedGraph> run(std::span<const OnnxOp> ops, std::span<const ValueId> outputs) {
    for (const OnnxOp& op : ops) name_results(op);
    for (const OnnxOp& op : ops) add_node(op);
    for (const ValueId output : outputs) add_output(output);
    declare_results(ops, outputs);
    std::vector<const OnnxOp*> pointers;
    for (const OnnxOp& op : ops) pointers.push_back(&op);
    Result<std::vector<OpsetImport>> opsets = common_opsets(graph_, pointers, options_.newest_opset);
    if (!opsets) return failure_of(std::move(opsets));
    for (const OpsetImport& import : *opsets) {
      onnx::OperatorSetIdProto* proto = model_.add_opset_import();
      proto->set_domain(import.domain);
      proto->set_version(import.version);
    }
    model_.set_ir_version(options_.ir_version);
    model_.mutable_graph()->set_name("subnet");
    result_.onnx = bytes_of(model_);
    return std::move(result_);
  }

 private:
  void name_results(const OnnxOp& op) {
    for (const ValueId value : op.outputs)
      if (value.valid()) names_.emplace(value, fmt::format("v{}", names_.size()));
  }

  void add_node(const OnnxOp& op) {
    std::vector<std::string> inputs;
    for (const ValueId value : op.inputs) inputs.push_back(value.valid() ? name_of_use(value) : "");
    if (op.domain.empty() && op.name == "Range")
      for (std::size_t index = 0; index < inputs.size(); ++index)
        inputs[index] = as_scalar(op.inputs[index], inputs[index]);
    onnx::NodeProto* node = model_.mutable_graph()->add_node();
    node->set_domain(op.domain);
    node->set_op_type(op.name);
    for (std::string& name : inputs) node->add_input(std::move(name));
    for (const ValueId value : op.outputs) node->add_output(value.valid() ? names_.at(value) : "");
    for (const auto& [name, attribute] : op.attributes) *node->add_attribute() = to_onnx(attribute, name);
    result_.sources.resize(static_cast<std::size_t>(model_.graph().node_size()), op.source);
  }

  // Range is given tensors of shape [1] by exporters; backends take them only while they do not see the
  // shape, and folding makes it visible.
  std::string as_scalar(ValueId value, std::string name) {
    const TensorType* type = graph_.type_of(value).tensor();
    if (type == nullptr || !type->dims || type->dims->size() != 1) return name;
    onnx::NodeProto* node = model_.mutable_graph()->add_node();
    node->set_op_type("Reshape");
    node->add_input(std::move(name));
    node->add_input(add_initializer(make_tensor(DType::I64, {0}, {})));
    node->add_output(fmt::format("r{}", reshapes_++));
    declare_inner(node->output(0), value);
    return node->output(0);
  }

  const std::string& name_of_use(ValueId value) {
    const auto found = names_.find(value);
    if (found != names_.end()) return found->second;
    const TensorPtr* constant = constants_.find(graph_, value);
    std::string name;
    if (constant == nullptr)
      name = add_input(value);
    else if ((*constant)->bytes.size() <= options_.inline_bytes || (*constant)->dtype == DType::String)
      name = add_initializer(**constant);
    else
      name = add_weight(value, **constant);
    return names_.emplace(value, std::move(name)).first->second;
  }

  std::string add_input(ValueId value) {
    std::string name = fmt::format("i{}", result_.inputs.size());
    declare_input(value, name);
    result_.inputs.push_back(value);
    return name;
  }

  void declare_input(ValueId value, const std::string& name) {
    const TensorType* type = graph_.type_of(value).tensor();
    if (type == nullptr)
      internal_error("a tensor operation uses a value that is no tensor: " + graph_.value(value).name);
    *model_.mutable_graph()->add_input() = to_onnx(*type, name, [&](SymbolId id) { return symbol_name(id); });
  }

  std::string add_initializer(const TensorData& tensor) {
    std::string name = fmt::format("c{}", initializers_++);
    *model_.mutable_graph()->add_initializer() = to_onnx(tensor, name);
    return name;
  }

  std::string add_weight(ValueId value, const TensorData& tensor) {
    std::string name = fmt::format("w{}", result_.weights.size());
    result_.weights.push_back(value);
    if (options_.weights_as_inputs) {
      declare_input(value, name);
      return name;
    }
    onnx::TensorProto* proto = model_.mutable_graph()->add_initializer();
    proto->set_name(name);
    proto->set_data_type(static_cast<std::int32_t>(tensor.dtype));
    for (const std::int64_t dim : tensor.dims) proto->add_dims(dim);
    proto->set_data_location(onnx::TensorProto::EXTERNAL);
    onnx::StringStringEntryProto* location = proto->add_external_data();
    location->set_key("location");
    location->set_value("weights");
    return name;
  }

  void add_output(ValueId value) {
    declare(*model_.mutable_graph()->add_output(), names_.at(value), value);
    result_.outputs.push_back(value);
  }

  void declare_results(std::span<const OnnxOp> ops, std::span<const ValueId> outputs) {
    const std::unordered_set<ValueId> declared(outputs.begin(), outputs.end());
    for (const OnnxOp& op : ops)
      for (const ValueId value : op.outputs)
        if (value.valid() && !declared.contains(value)) declare_inner(names_.at(value), value);
  }

  void declare_inner(const std::string& name, ValueId like) {
    if (options_.declare_types) declare(*model_.mutable_graph()->add_value_info(), name, like);
  }

  // Says the element type and leaves the sizes open: a backend that is told two sizes are equal plans its
  // memory by that (docs/decisions/0015-results-say-their-element-types.md).
  void declare(onnx::ValueInfoProto& info, const std::string& name, ValueId like) {
    info.set_name(name);
    const TensorType* type = graph_.type_of(like).tensor();
    if (options_.declare_types && type != nullptr)
      info.mutable_type()->mutable_tensor_type()->set_elem_type(static_cast<std::int32_t>(type->dtype));
  }

  std::string symbol_name(SymbolId id) {
    const auto [entry, added] = symbols_.emplace(id, symbols_.size());
    if (added) result_.symbols.push_back(id);
    return fmt::format("d{}", entry->second);
  }

  const Hcfg& graph_;
  const ConstantTable& constants_;
  const StampOptions& options_;
  onnx::ModelProto model_;
  StampedGraph result_;
  std::unordered_map<ValueId, std::string> names_;
  std::unordered_map<SymbolId, std::size_t> symbols_;
  std::size_t initializers_ = 0;
  std::size_t reshapes_ = 0;
};

}  // namespace

Result<StampedGraph> stamp(const Hcfg& graph, const ConstantTable& constants, std::span<const OnnxOp> ops,
                           std::span<const ValueId> outputs, const StampOptions& options) {
  return Stamper(graph, constants, options).run(ops, outputs);
}

Result<StampedGraph> stamp(const Hcfg& graph, const ConstantTable& constants,
                           const legalize::LegalSubnet& subnet, const StampOptions& options) {
  return stamp(graph, constants, subnet.ops, subnet.outputs(), options);
}

}  // namespace dycl::subnet
