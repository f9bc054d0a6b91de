// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals live on the host.
#include <fmt/format.h>

#include <algorithm>

#include "import_onnx/from_onnx.h"
#include "import_onnx/importer.h"

namespace dycl::import_onnx {
namespace {

const Type kCount = ScalarType{ScalarKind::I64};

// What an element of any of these types looks like; elements share no sizes with each other.
Result<Type> element_type(const std::vector<Type>& types, const DimSource& fresh) {
  Type joined = types.front();
  for (const Type& type : types) {
    Result<Type> next = join_types(joined, type, SymbolScope{0}, fresh);
    if (!next) return next;
    joined = std::move(*next);
  }
  return joined;
}

TensorType concat_type(const TensorType& element, std::int64_t axis, const DimSource& fresh, bool new_axis) {
  TensorType type = element;
  if (!type.dims) return type;
  const auto rank = static_cast<std::int64_t>(type.dims->size()) + (new_axis ? 1 : 0);
  if (axis < 0) axis += rank;
  for (Dim& dim : *type.dims)
    if (!dim.is_static()) dim = fresh();
  if (axis < 0 || axis >= rank)
    type.dims.reset();  // the runtime says what is wrong
  else if (new_axis)
    type.dims->insert(type.dims->begin() + axis, fresh());
  else
    (*type.dims)[static_cast<std::size_t>(axis)] = fresh();
  return type;
}

}  // namespace

// The position operand of SequenceInsert, SequenceErase and SequenceAt, when it is given.
Status Importer::append_position(const Node& node, int index, const Scope& scope,
                                 std::vector<ValueId>& inputs) {
  Result<std::optional<ValueId>> tensor = optional_input(node, index, scope);
  if (!tensor) return failure_of(std::move(tensor));
  if (!*tensor) return {};
  Result<ValueId> position = to_scalar(**tensor, ScalarKind::I64);
  if (!position) return failure_of(std::move(position));
  inputs.push_back(*position);
  return {};
}

Status Importer::import_sequence_construct(const Node& node, Scope& scope) {
  std::vector<ValueId> values;
  std::vector<Type> types;
  for (int index = 0; index < node.input_size(); ++index) {
    Result<ValueId> value = input(node, index, scope);
    if (value) value = plain(*value);
    if (!value) return failure_of(std::move(value));
    Result<Type> type = type_of(*value);
    if (!type) return failure_of(std::move(type));
    values.push_back(*value);
    types.push_back(std::move(*type));
  }
  if (types.empty())
    return fail(Blame::Usage, "onnx.missing_input", "SequenceConstruct needs at least one input");
  Result<Type> element = element_type(types, fresh_symbols(graph_));
  if (!element) return failure_of(std::move(element));
  define(node, 0, host(HostOp::SeqOf, std::move(values), seq_of(*element), node.output(0)), scope);
  return {};
}

Status Importer::import_split_to_sequence(const Node& node, Scope& scope) {
  Result<ValueId> tensor = input(node, 0, scope);
  if (tensor) tensor = plain(*tensor);
  if (!tensor) return failure_of(std::move(tensor));
  Result<Type> type = type_of(*tensor);
  if (!type) return failure_of(std::move(type));
  if (type->tensor() == nullptr)
    return fail(Blame::Usage, "onnx.not_a_tensor", "SplitToSequence needs a tensor");
  Result<std::optional<ValueId>> sizes = optional_input(node, 1, scope);
  if (!sizes) return failure_of(std::move(sizes));
  std::int64_t axis = int_attribute(node, "axis", 0, scope);
  const std::int64_t keepdims = *sizes || int_attribute(node, "keepdims", 1, scope) != 0 ? 1 : 0;
  TensorType element = *type->tensor();
  if (element.dims) {
    const auto rank = static_cast<std::int64_t>(element.dims->size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank)
      return fail(Blame::Usage, "onnx.bad_axis", fmt::format("axis is outside rank {}", rank));
    if (keepdims == 0)
      element.dims->erase(element.dims->begin() + axis);
    else
      (*element.dims)[static_cast<std::size_t>(axis)] = *sizes ? fresh_symbols(graph_)() : Dim(1);
  }
  std::vector<ValueId> inputs{*tensor};
  if (*sizes) {
    Result<ValueId> plain_sizes = widen_to_i64(**sizes);
    if (!plain_sizes) return failure_of(std::move(plain_sizes));
    inputs.push_back(*plain_sizes);
  }
  if (Status status = settle(); !status) return status;
  define(node, 0,
         host(HostOp::SeqSplit, std::move(inputs), seq_of(element), node.output(0),
              {{"axis", axis}, {"keepdims", keepdims}}),
         scope);
  return {};
}

Status Importer::import_sequence_op(const Node& node, Scope& scope) {
  const std::string& name = node.op_type();
  if (node.output_size() == 0) return {};
  if (Status status = settle(); !status) return status;
  if (name == "SequenceConstruct") return import_sequence_construct(node, scope);
  if (name == "SplitToSequence") return import_split_to_sequence(node, scope);
  if (name == "SequenceEmpty") {
    const auto dtype = dtype_from_number(int_attribute(node, "dtype", 1, scope));
    if (!dtype)
      return fail(Blame::Usage, "onnx.unsupported_type", "SequenceEmpty has an unknown element type");
    const Type type = seq_of(TensorType{*dtype, std::nullopt, {}});
    define(node, 0, host(HostOp::SeqEmpty, {}, type, node.output(0)), scope);
    return {};
  }
  Result<ValueId> given = input(node, 0, scope);
  if (given) given = to_seq(*given);
  if (!given) return failure_of(std::move(given));
  const Type element = *graph_.type_of(*given).seq()->element;
  const DimSource fresh = fresh_symbols(graph_);
  if (name == "SequenceLength") {
    const ValueId count = host(HostOp::SeqLen, {*given}, kCount, node.output(0));
    define(node, 0, to_tensor(count, DType::I64, {}), scope);
    return {};
  }
  if (name == "ConcatFromSequence") {
    const std::int64_t axis = int_attribute(node, "axis", 0, scope);
    const std::int64_t new_axis = int_attribute(node, "new_axis", 0, scope) != 0 ? 1 : 0;
    if (element.tensor() == nullptr)
      return refuse("onnx.nested_sequence", "sequences of sequences cannot be concatenated",
                    "concatenate the inner ones first");
    const Type type = concat_type(*element.tensor(), axis, fresh, new_axis != 0);
    define(node, 0,
           host(HostOp::SeqConcat, {*given}, type, node.output(0), {{"axis", axis}, {"new_axis", new_axis}}),
           scope);
    return {};
  }
  std::vector<ValueId> inputs{*given};
  if (name == "SequenceInsert") {
    Result<ValueId> value = input(node, 1, scope);
    if (value) value = plain(*value);
    if (!value) return failure_of(std::move(value));
    inputs.push_back(*value);
  }
  if (Status status = append_position(node, name == "SequenceInsert" ? 2 : 1, scope, inputs); !status)
    return status;
  if (Status status = settle(); !status) return status;
  if (name == "SequenceAt") {
    define(node, 0, host(HostOp::SeqAt, std::move(inputs), refresh_symbols(element, fresh), node.output(0)),
           scope);
  } else if (name == "SequenceErase") {
    define(node, 0, host(HostOp::SeqErase, std::move(inputs), seq_of(element), node.output(0)), scope);
  } else {
    Result<Type> joined = element_type({element, graph_.type_of(inputs[1])}, fresh);
    if (!joined) return failure_of(std::move(joined));
    define(node, 0, host(HostOp::SeqInsert, std::move(inputs), seq_of(*joined), node.output(0)), scope);
  }
  return {};
}

// Sizes given as int32 are turned into int64, the one form that host operations take.
Result<ValueId> Importer::widen_to_i64(ValueId tensor) {
  Result<Type> type = type_of(tensor);
  if (!type) return failure_of(std::move(type));
  if (type->tensor() == nullptr || type->tensor()->dtype == DType::I64) return tensor;
  const ValueId wide = graph_.add_value(TensorType{}, graph_.value(tensor).name);
  builder_.tensor_op(
      OnnxOp{"", "Cast", 13, {{"to", static_cast<std::int64_t>(DType::I64)}}, {tensor}, {wide}, {}});
  ++pending_;
  if (Status status = settle(); !status) return failure_of(std::move(status));
  return wide;
}

Status Importer::import_optional_op(const Node& node, Scope& scope) {
  const std::string& name = node.op_type();
  if (node.output_size() == 0) return {};
  if (Status status = settle(); !status) return status;
  Result<std::optional<ValueId>> given = optional_input(node, 0, scope);
  if (!given) return failure_of(std::move(given));
  const bool is_optional = *given && graph_.type_of(**given).optional() != nullptr;
  if (name == "Optional") {
    if (*given) {
      define(node, 0, host(HostOp::Some, {**given}, optional_of(graph_.type_of(**given)), node.output(0)),
             scope);
      return {};
    }
    const onnx::AttributeProto* type_attribute = attribute(node, "type", scope);
    if (type_attribute == nullptr)
      return fail(Blame::Usage, "onnx.missing_input", "an empty Optional needs its attribute 'type'");
    Result<Type> type =
        from_onnx(type_attribute->tp(), [&](const std::string&) { return graph_.add_symbol("d"); });
    if (!type) return failure_of(std::move(type));
    const Type whole = type->optional() != nullptr ? *type : optional_of(*type);
    define(node, 0, host(HostOp::None, {}, whole, node.output(0)), scope);
    return {};
  }
  if (name == "OptionalHasElement") {
    const ValueId has = is_optional
                            ? host(HostOp::HasValue, {**given}, ScalarType{ScalarKind::Bool}, node.output(0))
                            : builder_.const_bool(given->has_value());
    define(node, 0, to_tensor(has, DType::Bool, {}), scope);
    return {};
  }
  if (!*given) return fail(Blame::Usage, "onnx.missing_input", "OptionalGetElement needs an input");
  Result<ValueId> value = plain(**given);
  if (!value) return failure_of(std::move(value));
  define(node, 0, *value, scope);
  return {};
}

}  // namespace dycl::import_onnx
