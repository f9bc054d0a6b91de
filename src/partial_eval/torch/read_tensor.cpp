// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/torch/read_tensor.h"

#include "partial_eval/data/numbers.h"
#include "partial_eval/data/sizes.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/values/layouts.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

// More numbers than this are data, not decisions.
constexpr std::int64_t kListLimit = 1024;

ScalarKind kind_of_dtype(Machine& machine, State& state, DType dtype) {
  switch (dtype) {
    case DType::Bool: return ScalarKind::Bool;
    case DType::I8:
    case DType::I16:
    case DType::I32:
    case DType::I64:
    case DType::U8:
    case DType::U16:
    case DType::U32: return ScalarKind::I64;
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64: return ScalarKind::F64;
    default:
      machine.refuse(state, "python.read_dtype", "a number is read from a tensor of this dtype",
                     "convert the tensor to int64 or float64 first");
  }
}

std::vector<std::int64_t> sizes_of(const Type& type) {
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : *type.tensor()->dims) sizes.push_back(dim.constant);
  return sizes;
}

class TensorRead {
 public:
  TensorRead(Machine& machine, State& state, const TensorObject& tensor, const std::string& kind)
      : machine_(machine),
        state_(state),
        type_(tensor.spec->type),
        value_(tensor.value),
        kind_(machine.torch.reads_unseen(state.top().function->ir.file) ? "inner"
              : kind == "index"                                         ? "int"
                                                                        : kind),
        source_(machine.source(state)),
        number_(kind_of_dtype(machine, state, type_.tensor()->dtype)) {}

  AbstractValue number() { return item(value_); }
  AbstractValue list() { return nested(sizes_of(type_), 0, value_, 0).first; }
  [[nodiscard]] std::int64_t count() const { return *element_count(sizes_of(type_)); }

 private:
  AbstractValue item(ValueId tensor) {
    machine_.found.decisions.push_back(
        {machine_.spans(state_), kind_ == "bool" ? "bool" : "item", "a number on the host"});
    const ValueId id = machine_.emitter.host(state_, HostOp::Item, {tensor}, ScalarType{number_}, kind_,
                                             {{"decision", kind_}}, source_);
    return ScalarValue{id, number_, nullptr};
  }

  ValueId element(std::int64_t index) {
    TensorType flat = *type_.tensor();
    flat.dims = std::vector<Dim>{Dim(count())};
    if (!flat_.valid())
      flat_ = machine_.emitter.host(state_, HostOp::View, {value_}, flat, "flat",
                                    {{"dims", std::vector<std::int64_t>{count()}}}, source_);
    flat.dims = std::vector<Dim>{};
    const ValueId position = machine_.emitter.constant(state_, Scalar(index));
    return machine_.emitter.host(state_, HostOp::Row, {flat_, position}, flat, "element", {}, source_);
  }

  std::pair<AbstractValue, std::int64_t> nested(const std::vector<std::int64_t>& sizes, std::size_t axis,
                                                ValueId whole, std::int64_t next) {
    if (axis == sizes.size()) return {item(sizes.empty() ? whole : element(next)), next + 1};
    ListObject items;
    for (std::int64_t index = 0; index < sizes[axis]; ++index) {
      auto [entry, after] = nested(sizes, axis + 1, whole, next);
      items.items.push_back(std::move(entry));
      next = after;
    }
    return {state_.make(std::move(items)), next};
  }

  Machine& machine_;
  State& state_;
  Type type_;
  ValueId value_;
  std::string kind_;
  SourceId source_;
  ScalarKind number_;
  ValueId flat_;
};

std::string reading_method(const std::string& kind) {
  if (kind == "item" || kind == "inner") return "item";
  return kind == "tolist" ? kind : "__" + kind + "__";
}

// What eager raises for a tensor of this shape: asked of torch itself, on zeros.
Outcome raised_by_eager(const Machine& machine, const Sizes& shape, const nb::object& dtype,
                        const std::string& kind) {
  machine.torch.zeros(shape, dtype).attr(reading_method(kind).c_str())();  // raises
  internal_error("torch reads a number from a tensor with several elements");
}

// Only a tensor with one element has a number: a path that does not know its sizes must find out.
std::optional<Outcome> settle_size(Machine& machine, State& state, const TensorObject& tensor,
                                   const std::string& kind) {
  if (!tensor.spec->has_open_shape()) return std::nullopt;
  if (kind == "tolist")
    machine.refuse(state, "python.tolist_limit", "tolist() of a tensor whose size is known at run time only",
                   "keep the data in tensors, or read its elements one by one");
  if (const auto question = question_of_one(tensor.spec->shape)) throw protocol::SizeSplit(*question);
  return require_sizes(machine, state, machine.torch.misread(reading_method(kind), tensor.spec));
}

}  // namespace

Outcome read_tensor(Machine& machine, State& state, const AbstractValue& value, const std::string& kind) {
  const auto* tensor = state.heap.get<TensorObject>(value);
  if (tensor == nullptr) {
    const nb::object live = machine.need(state, value, "a tensor that is read");
    return known(live.attr(reading_method(kind).c_str())());
  }
  const TensorObject object = *tensor;
  refuse_unwritten(machine, state, object, kind + "()");
  const DType dtype = object.spec->type.tensor()->dtype;
  if (kind == "index" && dtype != DType::Bool && !is_integer(dtype))
    return raised_by_eager(machine, {}, object.spec->dtype, kind);  // whatever its size is
  if (auto raised = settle_size(machine, state, object, kind)) return *raised;
  TensorRead read(machine, state, object, kind);
  if (kind == "tolist") {
    if (read.count() > kListLimit)
      machine.refuse(state, "python.tolist_limit",
                     "tolist() of a tensor with " + std::to_string(read.count()) + " elements",
                     "keep large data in tensors; tolist() takes up to " + std::to_string(kListLimit));
    return read.list();
  }
  if (read.count() != 1) return raised_by_eager(machine, object.spec->shape, object.spec->dtype, kind);
  const AbstractValue number = learn_from_tensor(state, object.value, read.number());
  if (kind == "int" && is_float(dtype)) return int_of_float(machine, state, number);
  if (kind == "item" || kind == "inner") return number;
  return convert_number(machine, state, number,
                        kind == "bool"                     ? ScalarKind::Bool
                        : kind == "int" || kind == "index" ? ScalarKind::I64
                                                           : ScalarKind::F64);
}

std::optional<ScalarValue> dynamic_index(Machine& machine, State& state, const AbstractValue& value) {
  AbstractValue number = value;
  if (state.heap.get<TensorObject>(value) != nullptr) {
    Outcome read = read_tensor(machine, state, value, "index");
    if (const auto* result = std::get_if<AbstractValue>(&read)) number = *result;
  }
  const ScalarValue* scalar = number.scalar();
  if (scalar == nullptr || scalar->kind == ScalarKind::F64) return std::nullopt;
  if (scalar->kind == ScalarKind::I64) return *scalar;
  const AbstractValue whole = convert_number(machine, state, number, ScalarKind::I64);
  return *whole.scalar();
}

}  // namespace dycl::partial_eval
