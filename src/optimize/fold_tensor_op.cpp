// SPDX-License-Identifier: Apache-2.0
#include "optimize/fold_tensor_op.h"

#include <algorithm>
#include <limits>

#include "base/operator_traits.h"
#include "base/overloaded.h"
#include "hcfg/fragment.h"
#include "hcfg/known_result.h"
#include "optimize/producers.h"

namespace dycl::optimize {
namespace {

using Results = std::optional<std::vector<TensorPtr>>;

// Random operations must differ from run to run; quantization is a pattern that backends look for.
bool must_run(const OnnxOp& op) {
  return !is_of_onnx(op) || has_trait(op.name, Trait::Random) || has_trait(op.name, Trait::Quantizes) ||
         (op.name == "BatchNormalization" &&
          attribute_or(op.attributes, "training_mode", std::int64_t{0}) != 0);
}

bool must_run(const TensorOp& op) {
  return std::visit(Overloaded{
                        [](const OnnxOp& plain) { return must_run(plain); },
                        [](const FragmentCall& call) {
                          return std::ranges::any_of(call.fragment->ops,
                                                     [](const OnnxOp& inner) { return must_run(inner); });
                        },
                    },
                    op);
}

template <class T>
TensorPtr tensor_of(DType dtype, std::vector<std::int64_t> dims, std::span<const T> values) {
  return std::make_shared<const TensorData>(make_tensor_of<T>(dtype, std::move(dims), values));
}

TensorPtr integers(std::vector<std::int64_t> dims, std::span<const std::int64_t> values) {
  return tensor_of<std::int64_t>(DType::I64, std::move(dims), values);
}

std::int64_t length(std::size_t size) { return static_cast<std::int64_t>(size); }

// ONNX's Constant: exactly one attribute, whose name says its type.
TensorPtr constant_node(const Attributes& attributes) {
  if (attributes.size() != 1) return nullptr;
  const auto& [name, value] = *attributes.begin();
  if (const auto* tensor = std::get_if<TensorPtr>(&value); tensor != nullptr && name == "value")
    return *tensor;
  if (const auto* number = std::get_if<float>(&value); number != nullptr && name == "value_float")
    return tensor_of<float>(DType::F32, {}, {number, 1});
  if (const auto* number = std::get_if<std::int64_t>(&value); number != nullptr && name == "value_int")
    return integers({}, {number, 1});
  if (const auto* numbers = std::get_if<std::vector<float>>(&value);
      numbers != nullptr && name == "value_floats")
    return tensor_of<float>(DType::F32, {length(numbers->size())}, *numbers);
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value);
      numbers != nullptr && name == "value_ints")
    return integers({length(numbers->size())}, *numbers);
  return nullptr;
}

// Shape with opset 15's start and end, which are clamped to the rank.
TensorPtr shape_of(const TensorType& type, const Attributes& attributes) {
  if (!type.dims) return nullptr;
  const std::int64_t rank = length(type.dims->size());
  const auto clamped = [&](const char* name, std::int64_t fallback) {
    const std::int64_t axis = attribute_or(attributes, name, fallback);
    return std::clamp(axis < 0 ? axis + rank : axis, std::int64_t{0}, rank);
  };
  std::vector<std::int64_t> sizes;
  for (std::int64_t axis = clamped("start", 0); axis < clamped("end", rank); ++axis) {
    const Dim& dim = (*type.dims)[static_cast<std::size_t>(axis)];
    if (!dim.is_static()) return nullptr;
    sizes.push_back(dim.constant);
  }
  return integers({length(sizes.size())}, sizes);
}

std::optional<std::int64_t> static_count(const TensorType& type) {
  if (!type.is_static()) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : *type.dims) sizes.push_back(dim.constant);
  return element_count(sizes);
}

// What follows from types and attributes alone.
TensorPtr from_types(const Hcfg& graph, const OnnxOp& op) {
  if (!is_of_onnx(op) || op.outputs.size() != 1) return nullptr;
  if (op.name == "Constant") return constant_node(op.attributes);
  const TensorType* input =
      op.inputs.empty() || !op.inputs[0].valid() ? nullptr : graph.type_of(op.inputs[0]).tensor();
  if (input == nullptr) return nullptr;
  if (op.name == "Shape") return shape_of(*input, op.attributes);
  if (op.name == "Size")
    if (const std::optional<std::int64_t> count = static_count(*input)) return integers({}, {&*count, 1});
  return nullptr;
}

constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();

std::size_t bytes_or_huge(DType dtype, std::optional<std::int64_t> count) {
  return count ? byte_size(dtype, *count).value_or(kHuge) : kHuge;
}

std::size_t total_bytes(std::span<const TensorPtr> inputs) {
  std::size_t total = 0;
  for (const TensorPtr& input : inputs)
    if (input != nullptr) total += input->bytes.size();
  return total;
}

// A bound on what an output will take, before it is computed: a few numbers can ask for terabytes. Where
// types do not tell, only operations that cannot grow far, on inputs that are small, count as bounded.
std::size_t expected_bytes(const Hcfg& graph, const TensorOp& op, std::span<const TensorPtr> inputs) {
  constexpr std::size_t kSmallInputs = 4096;
  const auto* plain = std::get_if<OnnxOp>(&op);
  const bool bounded =
      plain != nullptr && !has_trait(plain->name, Trait::Grows) && total_bytes(inputs) <= kSmallInputs;
  std::size_t largest = 0;
  for (const ValueId output : outputs_of(op)) {
    if (!output.valid()) continue;
    const TensorType* type = graph.type_of(output).tensor();
    if (type == nullptr) return kHuge;
    if (type->is_static() && type->dtype != DType::String) {
      largest = std::max(largest, bytes_or_huge(type->dtype, static_count(*type)));
    } else if (plain != nullptr && is_of_onnx(*plain) && plain->name == "ConstantOfShape") {
      const auto sizes = inputs.empty() ? std::nullopt : integers_of(inputs[0]);
      largest = std::max(largest, bytes_or_huge(type->dtype, sizes ? element_count(*sizes) : std::nullopt));
    } else if (!bounded) {
      return kHuge;
    }
  }
  return largest;
}

// A result may be as large as what it replaces, or as large as the limit.
std::size_t allowed_bytes(std::span<const TensorPtr> inputs, std::size_t limit) {
  return std::max(total_bytes(inputs), limit);
}

std::optional<std::vector<TensorPtr>> known_inputs(const KnownValues& known, const TensorOp& op) {
  std::vector<TensorPtr> inputs;
  for (const ValueId input : inputs_of(op)) {
    inputs.push_back(input.valid() ? known.tensor(input) : nullptr);
    if (input.valid() && inputs.back() == nullptr) return std::nullopt;
  }
  return inputs;
}

bool same_sizes(const TensorType& type, const TensorData& data) {
  if (!type.is_static()) return !type.dims || type.dims->size() == data.dims.size();
  return std::ranges::equal(*type.dims, data.dims, {}, &Dim::constant);
}

bool as_declared(const Hcfg& graph, const TensorOp& op, const std::vector<TensorPtr>& results,
                 std::size_t allowed) {
  const std::vector<ValueId>& outputs = outputs_of(op);
  if (results.size() != outputs.size()) return false;
  for (std::size_t index = 0; index < results.size(); ++index) {
    if (!outputs[index].valid()) continue;
    const TensorType* type = graph.type_of(outputs[index]).tensor();
    if (results[index] == nullptr || type == nullptr || results[index]->dtype != type->dtype) return false;
    if (!same_sizes(*type, *results[index]) || results[index]->bytes.size() > allowed) return false;
  }
  return true;
}

// By the evaluator, unless the results follow without one.
Results compute(const TensorOp& op, std::span<const TensorPtr> inputs, TensorOpEvaluator* evaluator) {
  std::vector<TensorPtr> known = known_results(op, inputs);
  if (std::ranges::find(known, nullptr) == known.end()) return known;
  if (evaluator == nullptr) return std::nullopt;
  Result<std::vector<TensorPtr>> results = evaluator->evaluate(op, inputs);
  return results ? Results(std::move(*results)) : std::nullopt;
}

}  // namespace

Results fold_tensor_op(const Hcfg& graph, const KnownValues& known, const TensorOp& op,
                       const PassContext& context) {
  const auto* plain = std::get_if<OnnxOp>(&op);
  if (const TensorPtr found = plain == nullptr ? nullptr : from_types(graph, *plain); found != nullptr) {
    Results results(std::in_place, {found});
    return as_declared(graph, op, *results, std::numeric_limits<std::size_t>::max()) ? results : std::nullopt;
  }
  if (must_run(op)) return std::nullopt;
  const auto inputs = known_inputs(known, op);
  if (!inputs) return std::nullopt;
  const std::size_t allowed = allowed_bytes(*inputs, context.fold_limit_bytes);
  if (expected_bytes(graph, op, *inputs) > allowed) return std::nullopt;
  Results results = compute(op, *inputs, context.evaluator);
  return results && as_declared(graph, op, *results, allowed) ? std::move(results) : std::nullopt;
}

}  // namespace dycl::optimize
