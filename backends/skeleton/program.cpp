// SPDX-License-Identifier: Apache-2.0
#include "skeleton/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "common/onnx_model.h"
#include "common/tensors.h"

namespace dycl::skeleton {
namespace {

Failure refuse(std::string what) { return fail(Blame::Unsupported, "skeleton.refused", std::move(what)); }
Failure broken(std::string what) { return fail(Blame::Usage, "skeleton.bad_graph", std::move(what)); }

class Reader {
 public:
  Reader(const DyclGraph& graph, const onnx_wire::Model& model) : graph_(graph), model_(model) {}

  Result<Program> read() {
    for (const onnx_wire::Tensor& weight : model_.initializers)
      if (Status added = add_initializer(weight); !added) return failure_of(std::move(added));
    for (const onnx_wire::ValueInfo& input : model_.inputs)
      if (Status added = add_input(input); !added) return failure_of(std::move(added));
    for (std::size_t index = 0; index < model_.nodes.size(); ++index)
      if (Status added = add_node(model_.nodes[index]); !added) {
        refused_ = index;
        return failure_of(std::move(added));
      }
    for (const onnx_wire::ValueInfo& output : model_.outputs) {
      const auto found = names_.find(output.name);
      if (found == names_.end()) return broken(fmt::format("nothing computes output '{}'", output.name));
      program_.outputs.push_back(found->second);
    }
    return std::move(program_);
  }
  [[nodiscard]] std::optional<std::size_t> refused() const { return refused_; }

 private:
  Result<std::size_t> add_value(std::string_view name, ValueType type) {
    if (type.dtype == DType::String) return refuse(fmt::format("'{}' is of type str", name));
    if (!names_.emplace(name, program_.values.size()).second)
      return broken(fmt::format("two values are called '{}'", name));
    program_.values.push_back(std::move(type));
    return program_.values.size() - 1;
  }

  Status add_input(const onnx_wire::ValueInfo& input) {
    if (names_.contains(input.name)) return {};  // older models list their weights as inputs too
    const auto dtype = dtype_from_number(input.dtype);
    if (!dtype) return refuse(fmt::format("input '{}' is not a tensor", input.name));
    auto value = add_value(input.name, ValueType{*dtype, input.sizes});
    if (!value) return failure_of(std::move(value));
    program_.inputs.push_back(*value);
    return {};
  }

  Status add_initializer(const onnx_wire::Tensor& tensor) {
    const auto dtype = dtype_from_number(tensor.dtype);
    if (!dtype) return broken(fmt::format("initializer '{}' has no dtype", tensor.name));
    Constant constant;
    ValueType type{*dtype, std::vector<onnx_wire::Size>()};
    for (const std::int64_t dim : tensor.dims) type.sizes->push_back({dim});
    if (Status filled = fill(constant, tensor, *dtype); !filled) return filled;
    auto value = add_value(tensor.name, std::move(type));
    if (!value) return failure_of(std::move(value));
    constant.value = *value;
    program_.constants.push_back(std::move(constant));
    return {};
  }

  Status fill(Constant& constant, const onnx_wire::Tensor& tensor, DType dtype) const {
    for (std::size_t index = 0; index < graph_.weight_count; ++index) {
      if (tensor.name != graph_.weight_names[index]) continue;
      constant.tensor = graph_.weights[index];
      if (constant.tensor.dtype == tensor.dtype &&
          std::ranges::equal(plugin::dims_of(constant.tensor), tensor.dims))
        return {};
      return broken(fmt::format("weight '{}' has another type than the graph says", tensor.name));
    }
    const auto count = element_count(tensor.dims);
    const auto bytes = count ? byte_size(dtype, *count) : std::nullopt;
    if (!bytes || *bytes != tensor.raw.size())
      return refuse(fmt::format("the contents of '{}' are not raw bytes", tensor.name));
    const auto raw = std::as_bytes(std::span(tensor.raw));
    constant.data = make_tensor(dtype, tensor.dims, {raw.begin(), raw.end()});
    return {};
  }

  Status add_node(const onnx_wire::Node& node) {
    Step step;
    for (const std::string& name : node.inputs) {
      const auto found = names_.find(name);
      if (found == names_.end()) return broken(fmt::format("{} reads unknown '{}'", node.op, name));
      step.inputs.push_back(found->second);
    }
    auto type = type_of(node, step);
    if (!type) return failure_of(std::move(type));
    if (node.outputs.size() != 1) return broken(fmt::format("{} has one output", node.op));
    auto value = add_value(node.outputs[0], std::move(*type));
    if (!value) return failure_of(std::move(value));
    step.output = *value;
    program_.steps.push_back(std::move(step));
    return {};
  }

  Result<ValueType> type_of(const onnx_wire::Node& node, Step& step) const {
    if (node.domain.empty() && node.op == "Identity" && step.inputs.size() == 1) {
      step.op = Operator::Identity;
      return program_.values[step.inputs[0]];
    }
    if (!node.domain.empty() || (node.op != "Add" && node.op != "Less") || step.inputs.size() != 2)
      return refuse(fmt::format("{}: the skeleton computes Identity, Add and Less", node.op));
    const ValueType& left = program_.values[step.inputs[0]];
    const ValueType& right = program_.values[step.inputs[1]];
    if (left.dtype != right.dtype) return broken(fmt::format("{} of two dtypes", node.op));
    if (left.dtype != DType::F32 && left.dtype != DType::I64)
      return refuse(fmt::format("{} on {}: the skeleton computes f32 and i64", node.op, name_of(left.dtype)));
    if (differ(left, right)) return refuse(fmt::format("{}: the skeleton does not broadcast", node.op));
    step.op = node.op == "Add" ? Operator::Add : Operator::Less;
    return ValueType{node.op == "Add" ? left.dtype : DType::Bool, common_sizes(left, right)};
  }

  static bool differ(const ValueType& left, const ValueType& right) {
    if (!left.sizes || !right.sizes) return false;
    return !std::ranges::equal(*left.sizes, *right.sizes,
                               [](const onnx_wire::Size& a, const onnx_wire::Size& b) {
                                 return a.fixed < 0 || b.fixed < 0 || a.fixed == b.fixed;
                               });
  }

  // Both sides have equal shapes when it runs, so whatever one side knows holds.
  static std::optional<std::vector<onnx_wire::Size>> common_sizes(const ValueType& left,
                                                                  const ValueType& right) {
    if (!left.sizes) return right.sizes;
    if (!right.sizes || right.sizes->size() != left.sizes->size()) return left.sizes;
    std::vector<onnx_wire::Size> sizes = *left.sizes;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
      if (sizes[axis].fixed < 0) sizes[axis] = (*right.sizes)[axis];
    return sizes;
  }

  const DyclGraph& graph_;
  const onnx_wire::Model& model_;
  Program program_;
  std::map<std::string_view, std::size_t> names_;
  std::optional<std::size_t> refused_;
};

}  // namespace

Result<Program> read_program(const DyclGraph& graph, std::optional<std::size_t>* refused) {
  auto model = plugin::read_model(graph);
  if (!model) return failure_of(std::move(model));
  Reader reader(graph, *model);
  Result<Program> program = reader.read();
  if (refused != nullptr) *refused = reader.refused();
  return program;
}

}  // namespace dycl::skeleton
