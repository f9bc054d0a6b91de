// SPDX-License-Identifier: Apache-2.0
// Legal host operations as a table of shapes: what each takes, gives and needs as attributes.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "hcfg/type_flow.h"
#include "hcfg/verify_parts.h"

namespace dycl {
namespace {

class HostStepChecker {
 public:
  HostStepChecker(const Hcfg& graph, const HostStep& step, Place place)
      : graph_(graph), step_(step), place_(place) {}

  Status check();

 private:
  // What a rule says when the step breaks it; empty when the step is legal.
  using Defect = std::string;

  Defect defect() const;
  Defect arithmetic() const;
  Defect comparison() const;
  Defect logic(std::size_t count) const;
  Defect conversion(ScalarKind to) const;
  Defect item() const;
  Defect to_tensor() const;
  Defect constant() const;
  Defect dim() const;
  Defect seq_of() const;
  Defect seq_change(std::size_t fixed_inputs) const;
  Defect seq_at() const;
  Defect seq_concat() const;
  Defect seq_split() const;
  Defect optional_wrap() const;
  Defect unwrap() const;
  Defect view() const;
  Defect row() const;

  [[nodiscard]] const Type& in(std::size_t index) const { return graph_.type_of(step_.inputs[index]); }
  [[nodiscard]] const Type& out() const { return graph_.type_of(step_.outputs[0]); }
  [[nodiscard]] bool takes(std::size_t least, std::size_t most) const {
    return step_.inputs.size() >= least && step_.inputs.size() <= most;
  }
  [[nodiscard]] bool takes(std::size_t count) const { return takes(count, count); }
  template <class T>
  [[nodiscard]] const T* attribute(const char* name) const {
    const auto found = step_.attributes.find(name);
    return found == step_.attributes.end() ? nullptr : std::get_if<T>(&found->second);
  }

  const Hcfg& graph_;
  const HostStep& step_;
  Place place_;
};

bool is_scalar(const Type& type, ScalarKind kind) { return type == Type(ScalarType{kind}); }
bool is_int(const Type& type) { return is_scalar(type, ScalarKind::I64); }
bool is_bool(const Type& type) { return is_scalar(type, ScalarKind::Bool); }

bool is_number(const TensorType& tensor) {
  return tensor.dtype == DType::Bool || is_integer(tensor.dtype) || is_float(tensor.dtype);
}

const char* unless(bool legal, const char* rule) { return legal ? "" : rule; }

HostStepChecker::Defect HostStepChecker::arithmetic() const {
  const bool legal =
      takes(2) && in(0) == in(1) && out() == in(0) && in(0).scalar() != nullptr && !is_bool(in(0));
  return unless(legal, "takes two ints or two floats and gives one");
}

HostStepChecker::Defect HostStepChecker::comparison() const {
  const bool legal =
      takes(2) && in(0) == in(1) && in(0).scalar() != nullptr && !is_bool(in(0)) && is_bool(out());
  return unless(legal, "takes two ints or two floats and gives a bool");
}

HostStepChecker::Defect HostStepChecker::logic(std::size_t count) const {
  const bool legal = takes(count) && is_bool(in(0)) && is_bool(in(count - 1)) && is_bool(out());
  return unless(legal, "takes and gives bools");
}

HostStepChecker::Defect HostStepChecker::conversion(ScalarKind to) const {
  return unless(takes(1) && in(0).scalar() != nullptr && is_scalar(out(), to),
                "takes a scalar and gives its kind");
}

HostStepChecker::Defect HostStepChecker::item() const {
  if (!takes(1) || in(0).tensor() == nullptr || !is_number(*in(0).tensor()) || out().scalar() == nullptr)
    return "takes a tensor of numbers and gives a scalar";
  const auto& dims = in(0).tensor()->dims;
  const auto is_one = [](const Dim& dim) { return !dim.is_static() || dim.constant == 1; };
  return unless(!dims || std::ranges::all_of(*dims, is_one), "takes a tensor with one element");
}

HostStepChecker::Defect HostStepChecker::to_tensor() const {
  const TensorType* tensor = takes(1) && in(0).scalar() != nullptr ? out().tensor() : nullptr;
  const auto* dtype = attribute<std::string>("dtype");
  if (tensor == nullptr || dtype == nullptr || dtype_from_name(*dtype) != tensor->dtype ||
      !is_number(*tensor))
    return "takes a scalar and gives a tensor of the attribute dtype";
  const auto* sizes = attribute<std::vector<std::int64_t>>("dims");
  const std::vector<std::int64_t> dims = sizes == nullptr ? std::vector<std::int64_t>{} : *sizes;
  const bool legal = (dims.empty() || dims == std::vector<std::int64_t>{1}) &&
                     (!tensor->dims || *tensor->dims == std::vector<Dim>(dims.begin(), dims.end()));
  return unless(legal, "gives a tensor of the attribute dims, [] or [1]");
}

HostStepChecker::Defect HostStepChecker::constant() const {
  const auto* integer = attribute<std::int64_t>("value");
  const bool legal =
      takes(0) && ((is_int(out()) && integer != nullptr) ||
                   (is_bool(out()) && integer != nullptr && (*integer == 0 || *integer == 1)) ||
                   (is_scalar(out(), ScalarKind::F64) && attribute<double>("value") != nullptr));
  return unless(legal, "gives the attribute value: an int, 0 or 1 for a bool, an f64 for a float");
}

HostStepChecker::Defect HostStepChecker::dim() const {
  const auto* axis = attribute<std::int64_t>("axis");
  if (!takes(1) || in(0).tensor() == nullptr || !is_int(out()) || axis == nullptr)
    return "takes a tensor and the attribute axis and gives an int";
  if (!in(0).tensor()->dims) return {};
  const auto rank = static_cast<std::int64_t>(in(0).tensor()->dims->size());
  return unless(*axis >= -rank && *axis < rank, "the axis is not one of the tensor's");
}

HostStepChecker::Defect HostStepChecker::seq_of() const {
  if (out().seq() == nullptr) return "gives a sequence";
  for (std::size_t index = 0; index < step_.inputs.size(); ++index)
    if (!flows_into(in(index), *out().seq()->element))
      return "takes values that fit the sequence's element type";
  return {};
}

// seq_insert and seq_erase: a sequence, for insert a value, and perhaps a position.
HostStepChecker::Defect HostStepChecker::seq_change(std::size_t fixed_inputs) const {
  const char* rule = "takes a sequence, what fits its elements and perhaps a position, and gives a sequence";
  if (!takes(fixed_inputs, fixed_inputs + 1) || in(0).seq() == nullptr || !flows_into(in(0), out()))
    return rule;
  if (fixed_inputs == 2 && !flows_into(in(1), *out().seq()->element)) return rule;
  return unless(step_.inputs.size() == fixed_inputs || is_int(in(fixed_inputs)),
                "takes an int as its position");
}

HostStepChecker::Defect HostStepChecker::seq_at() const {
  const bool legal =
      takes(2) && in(0).seq() != nullptr && is_int(in(1)) && flows_into(*in(0).seq()->element, out());
  return unless(legal, "takes a sequence and an int and gives an element");
}

HostStepChecker::Defect HostStepChecker::seq_concat() const {
  const Type* element = takes(1) && in(0).seq() != nullptr ? in(0).seq()->element.get() : nullptr;
  const bool legal = element != nullptr && element->tensor() != nullptr && same_kind(*element, out());
  if (!legal) return "takes a sequence of tensors and gives a tensor";
  return unless(attribute<std::int64_t>("axis") != nullptr, "needs the attribute axis");
}

HostStepChecker::Defect HostStepChecker::seq_split() const {
  const bool legal = takes(1, 2) && in(0).tensor() != nullptr && out().seq() != nullptr &&
                     same_kind(in(0), *out().seq()->element);
  if (!legal) return "takes a tensor and gives a sequence of tensors";
  if (step_.inputs.size() == 1) return {};
  const TensorType* sizes = in(1).tensor();
  return unless(sizes != nullptr && sizes->dtype == DType::I64, "takes its sizes as an i64 tensor");
}

HostStepChecker::Defect HostStepChecker::optional_wrap() const {
  const bool legal = takes(1) && out().optional() != nullptr && flows_into(in(0), *out().optional()->element);
  return unless(legal, "takes a value and gives an optional of it");
}

HostStepChecker::Defect HostStepChecker::unwrap() const {
  const bool legal = takes(1) && in(0).optional() != nullptr && flows_into(*in(0).optional()->element, out());
  return unless(legal, "takes an optional and gives its value");
}

HostStepChecker::Defect HostStepChecker::view() const {
  const auto* dims = attribute<std::vector<std::int64_t>>("dims");
  if (!takes(1) || in(0).tensor() == nullptr || !same_kind(in(0), out()) || dims == nullptr)
    return "takes a tensor and the attribute dims and gives a tensor of the same elements";
  if (std::ranges::any_of(*dims, [](std::int64_t size) { return size < -1; }) ||
      std::ranges::count(*dims, -1) > 1)
    return "the attribute dims has sizes, 0 to copy one, and at most one -1";
  return unless(!out().tensor()->dims || out().tensor()->dims->size() == dims->size(),
                "gives a tensor of the rank of the attribute dims");
}

HostStepChecker::Defect HostStepChecker::row() const {
  const bool legal = takes(2) && in(0).tensor() != nullptr && is_int(in(1)) && same_kind(in(0), out());
  if (!legal) return "takes a tensor and an int and gives a tensor";
  const auto& dims = in(0).tensor()->dims;
  if (!dims) return unless(!out().tensor()->dims, "gives a tensor of unknown rank");
  if (dims->empty()) return "takes a tensor with at least one axis";
  return unless(
      !out().tensor()->dims || std::ranges::equal(*dims | std::views::drop(1), *out().tensor()->dims),
      "gives the tensor's sizes without the first");
}

HostStepChecker::Defect HostStepChecker::defect() const {
  switch (step_.op) {
    case HostOp::Item: return item();
    case HostOp::ToTensor: return to_tensor();
    case HostOp::Add:
    case HostOp::Sub:
    case HostOp::Mul:
    case HostOp::FloorDiv:
    case HostOp::Mod: return arithmetic();
    case HostOp::Lt:
    case HostOp::Le:
    case HostOp::Eq:
    case HostOp::Ne: return comparison();
    case HostOp::And:
    case HostOp::Or: return logic(2);
    case HostOp::Not: return logic(1);
    case HostOp::ToInt: return conversion(ScalarKind::I64);
    case HostOp::ToFloat: return conversion(ScalarKind::F64);
    case HostOp::ToBool: return conversion(ScalarKind::Bool);
    case HostOp::Const: return constant();
    case HostOp::Dim: return dim();
    case HostOp::Numel:
      return unless(takes(1) && in(0).tensor() != nullptr && is_int(out()),
                    "takes a tensor and gives an int");
    case HostOp::SeqEmpty:
      return unless(takes(0) && out().seq() != nullptr, "takes nothing and gives a sequence");
    case HostOp::SeqOf: return seq_of();
    case HostOp::SeqInsert: return seq_change(2);
    case HostOp::SeqErase: return seq_change(1);
    case HostOp::SeqAt: return seq_at();
    case HostOp::SeqLen:
      return unless(takes(1) && in(0).seq() != nullptr && is_int(out()), "takes a sequence and gives an int");
    case HostOp::SeqConcat: return seq_concat();
    case HostOp::SeqSplit: return seq_split();
    case HostOp::Some: return optional_wrap();
    case HostOp::None:
      return unless(takes(0) && out().optional() != nullptr, "takes nothing and gives an optional");
    case HostOp::HasValue:
      return unless(takes(1) && in(0).optional() != nullptr && is_bool(out()),
                    "takes an optional and gives a bool");
    case HostOp::Unwrap: return unwrap();
    case HostOp::View: return view();
    case HostOp::Row: return row();
  }
  return "is not a host operation";
}

Status HostStepChecker::check() {
  const auto omitted = [](const std::vector<ValueId>& ids) {
    return std::ranges::any_of(ids, [](ValueId id) { return !id.valid(); });
  };
  if (step_.outputs.size() != 1 || omitted(step_.outputs) || omitted(step_.inputs))
    return illegal(graph_, place_, "a host operation has one output and omits nothing");
  const Defect found = defect();
  if (found.empty()) return {};
  std::string given;
  for (const ValueId input : step_.inputs)
    given += (given.empty() ? "" : ", ") + shown(graph_, graph_.type_of(input));
  return illegal(
      graph_, place_,
      fmt::format("{} {}; here ({}) -> {}", name_of(step_.op), found, given, shown(graph_, out())));
}

}  // namespace

Status verify_host_step(const Hcfg& graph, const HostStep& step, Place place) {
  return HostStepChecker(graph, step, place).check();
}

}  // namespace dycl
