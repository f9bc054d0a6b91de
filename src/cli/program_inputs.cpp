// SPDX-License-Identifier: Apache-2.0
#include "cli/program_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/artifact_summary.h"
#include "cli/npz.h"
#include "cli/tensor_argument.h"
#include "runtime/bind_inputs.h"

namespace dycl::cli {
namespace {

using GivenInputs = std::map<std::string, ArgumentValue>;

Result<runtime::RuntimeValue> to_value(const ArgumentValue& argument);

Result<runtime::RuntimeValue> to_sequence(const ArgumentList& list) {
  std::vector<runtime::RuntimeValue> items;
  for (const ArgumentValue& element : list) {
    auto item = to_value(element);
    if (!item) return item;
    items.push_back(std::move(*item));
  }
  return runtime::RuntimeValue::sequence(std::move(items));
}

Result<runtime::RuntimeValue> to_value(const ArgumentValue& argument) {
  if (const auto* tensor = std::get_if<TensorData>(&argument)) {
    auto shared = runtime::RuntimeTensor::share(std::make_shared<const TensorData>(*tensor));
    if (!shared) return failure_of(std::move(shared));
    return runtime::RuntimeValue(std::move(*shared));
  }
  if (const auto* list = std::get_if<ArgumentList>(&argument)) return to_sequence(*list);
  return runtime::RuntimeValue(runtime::NoValue{});
}

std::string signature(const HostPlan& plan) {
  std::string text;
  for (const PlanPort& port : plan.inputs)
    if (!port.is_state())
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", port.name, type_text(plan, port.type));
  return text.empty() ? "the program takes no inputs" : "the program takes " + text;
}

const TensorType* tensor_inside(const Type* type) {
  while (type != nullptr) {
    if (const TensorType* tensor = type->tensor()) return tensor;
    if (const SeqType* sequence = type->seq())
      type = sequence->element.get();
    else if (const OptionalType* optional = type->optional())
      type = optional->element.get();
    else
      return nullptr;
  }
  return nullptr;
}

const PlanPort* find_port(const HostPlan& plan, std::string_view name) {
  const auto known = [&](const PlanPort& port) { return port.name == name && !port.is_state(); };
  const auto found = std::ranges::find_if(plan.inputs, known);
  return found == plan.inputs.end() ? nullptr : &*found;
}

Status check_name(const GivenInputs& given, const HostPlan& plan, const std::string& name) {
  if (find_port(plan, name) == nullptr)
    return fail(Blame::Usage, "run.unknown_input", fmt::format("there is no input '{}'", name), {},
                signature(plan));
  if (given.contains(name))
    return fail(Blame::Usage, "run.input_twice", fmt::format("the input '{}' is given twice", name));
  return {};
}

// A scalar is given as an array of one element: whether it fits is seen when it is there.
Status check_array(const HostPlan& plan, const std::string& name, DType dtype,
                   std::span<const std::int64_t> dims) {
  const PlanPort& port = *find_port(plan, name);
  if (port.type.scalar() != nullptr && element_count(dims) == 1) return {};
  return runtime::check_promised_tensor(plan, port, dtype, dims);
}

Result<GivenInputs> collect(const HostPlan& plan, const InputArguments& arguments) {
  const auto dtype_of = [&plan](const std::string& name) -> std::optional<DType> {
    for (const PlanPort& port : plan.inputs)
      if (const TensorType* tensor = tensor_inside(&port.type); port.name == name && tensor != nullptr)
        return tensor->dtype;
    return std::nullopt;
  };
  GivenInputs given;
  for (const std::string& text : arguments.inputs) {
    auto parts = split_argument(text);
    if (!parts) return failure_of(std::move(parts));
    if (Status checked = check_name(given, plan, parts->first); !checked)
      return failure_of(std::move(checked));
    auto argument = parse_tensor_argument(text, dtype_of);
    if (!argument) return failure_of(std::move(argument));
    given.emplace(std::move(argument->name), std::move(argument->value));
  }
  if (arguments.archive.empty()) return given;
  NpzChecks checks;
  checks.name = [&](const std::string& name) { return check_name(given, plan, name); };
  checks.array = [&](const std::string& name, DType dtype, std::span<const std::int64_t> dims) {
    return check_array(plan, name, dtype, dims);
  };
  auto archive = read_npz_file(arguments.archive, checks);
  if (!archive) return failure_of(std::move(archive));
  for (auto& [name, tensor] : *archive) given.emplace(std::move(name), std::move(tensor));
  return given;
}

// A program's scalar input is written as a 0-d tensor of its kind: n=i64=5.
runtime::RuntimeValue as_declared(const Type& type, runtime::RuntimeValue value) {
  const runtime::RuntimeTensor* tensor = value.tensor();
  const ScalarType* scalar = type.scalar();
  if (tensor == nullptr || scalar == nullptr || tensor->count() != 1) return value;
  if (scalar->kind == ScalarKind::I64 && tensor->dtype == DType::I64)
    return Scalar(*tensor->as<std::int64_t>());
  if (scalar->kind == ScalarKind::F64 && tensor->dtype == DType::F64) return Scalar(*tensor->as<double>());
  if (scalar->kind == ScalarKind::Bool && tensor->dtype == DType::Bool) return Scalar(*tensor->as<bool>());
  return value;
}

}  // namespace

Result<std::vector<runtime::RuntimeValue>> read_inputs(const HostPlan& plan,
                                                       const InputArguments& arguments) {
  auto given = collect(plan, arguments);
  if (!given) return failure_of(std::move(given));
  std::vector<runtime::RuntimeValue> values;
  for (const PlanPort& port : plan.inputs) {
    if (port.is_state()) break;  // the session's own, and those come last
    const auto found = given->find(port.name);
    if (found == given->end() && !port.optional)
      return fail(Blame::Usage, "run.input_missing", fmt::format("the input '{}' is missing", port.name), {},
                  signature(plan));
    auto value =
        found == given->end() ? Result<runtime::RuntimeValue>(runtime::NoValue{}) : to_value(found->second);
    if (!value) return failure_of(std::move(value));
    values.push_back(as_declared(port.type, std::move(*value)));
  }
  return values;
}

}  // namespace dycl::cli
