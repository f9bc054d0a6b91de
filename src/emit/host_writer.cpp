// SPDX-License-Identifier: Apache-2.0
#include "emit/host_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/attribute.h"
#include "base/scalar.h"
#include "base/scalar_format.h"
#include "base/tensor_data.h"
#include "emit/body_writer.h"
#include "emit/results.h"
#include "emit/slots.h"

namespace dycl::emit {
namespace {

Failure unsupported_operation(HostOp op, const std::string& what) {
  return unsupported(fmt::format("write the host operation '{}': {}", name_of(op), what));
}

}  // namespace

const std::string& HostWriter::name(SlotIndex slot) const { return parts_.names[slot]; }
ScalarKind HostWriter::kind_of(SlotIndex slot) const { return parts_.plan.slots[slot].scalar()->kind; }
const TensorType& HostWriter::type_of(SlotIndex slot) const { return *parts_.plan.slots[slot].tensor(); }

Result<std::string> HostWriter::write(const PlanHost& host, const std::vector<SlotIndex>& dead,
                                      const std::string& buffer) const {
  switch (family_of(host.op)) {
    case HostOpFamily::Constant: return constant(host);
    case HostOpFamily::Scalar: return fmt::format("{} = {};", name(host.outputs[0]), scalar(host));
    case HostOpFamily::Tensor: return tensor(host, buffer);
    case HostOpFamily::Effect: return host.op == HostOp::Check ? check(host) : keep_written(host);
    case HostOpFamily::Sequence: return sequence(host, dead);
    case HostOpFamily::Optional: return optional(host);
  }
  return unsupported_operation(host.op, "it is not known here");
}

std::string HostWriter::constant(const PlanHost& host) const {
  const SlotIndex slot = host.outputs[0];
  const auto integer = attribute_or<std::int64_t>(host.attributes, "value", 0);
  std::string value = literal(integer);
  if (kind_of(slot) == ScalarKind::Bool) value = integer != 0 ? "true" : "false";
  if (kind_of(slot) == ScalarKind::F64)
    value = literal(attribute_or<double>(host.attributes, "value", static_cast<double>(integer)));
  return fmt::format("{} = {};", name(slot), value);
}

std::string HostWriter::scalar(const PlanHost& host) const {
  std::vector<std::string> operands;
  for (const SlotIndex slot : host.inputs) operands.push_back(name(slot));
  const auto call = [&](std::string_view function) {
    return fmt::format("py::{}({})", function, fmt::join(operands, ", "));
  };
  const bool to_int = kind_of(host.outputs[0]) == ScalarKind::I64;
  switch (host.op) {
    case HostOp::And: return fmt::format("{} && {}", operands[0], operands[1]);
    case HostOp::Or: return fmt::format("{} || {}", operands[0], operands[1]);
    case HostOp::Not: return "!" + operands[0];
    case HostOp::Select: return fmt::format("{} ? {} : {}", operands[0], operands[1], operands[2]);
    case HostOp::Pow: return call(to_int ? "power_to_int" : "power_to_float");
    case HostOp::Floor:
    case HostOp::Ceil:
    case HostOp::Trunc:
      if (kind_of(host.inputs[0]) != ScalarKind::F64) return call("to_int");
      return call(name_of(host.op));
    case HostOp::Math: return call("math_" + attribute_or(host.attributes, "function", std::string()));
    default: return call(name_of(host.op));
  }
}

Result<std::string> HostWriter::tensor(const PlanHost& host, const std::string& buffer) const {
  const SlotIndex output = host.outputs[0];
  const std::string& target = name(output);
  if (host.op == HostOp::Item) return item(host);
  if (host.op == HostOp::ToTensor ? parts_.is_value(output) : parts_.is_value(host.inputs[0]))
    return fmt::format("{} = {};", target, value_of_tensor(host));
  switch (host.op) {
    case HostOp::Row: return row(host);
    case HostOp::Numel:
      return fmt::format("{} = {};", target,
                         literal(element_count(sizes_of(type_of(host.inputs[0]))).value_or(0)));
    case HostOp::Dim: {
      const std::vector<std::int64_t> sizes = sizes_of(type_of(host.inputs[0]));
      auto axis = attribute_or<std::int64_t>(host.attributes, "axis", 0);
      if (axis < 0) axis += static_cast<std::int64_t>(sizes.size());
      if (axis < 0 || axis >= std::ssize(sizes))
        return unsupported_operation(host.op, "the tensor has no such axis");
      return fmt::format("{} = {};", target, literal(sizes[static_cast<std::size_t>(axis)]));
    }
    case HostOp::View:
      if (bytes_of(type_of(host.inputs[0])) != bytes_of(type_of(output)))
        return unsupported_operation(host.op, "the view has another number of elements");
      return fmt::format("{} = {};", target, name(host.inputs[0]));
    case HostOp::ToTensor: {
      const TensorType& type = type_of(output);
      return fmt::format("{} = made<{}>({}, {}, {});", target, element_type(type.dtype), name(host.inputs[0]),
                         static_cast<int>(type.dtype), buffer);
    }
    default: return unsupported_operation(host.op, "it is not known here");
  }
}

// An operation whose operand has sizes that are known only while the program runs.
std::string HostWriter::value_of_tensor(const PlanHost& host) const {
  const std::string operand = name(host.inputs[0]);
  const auto sizes = attribute_or<std::vector<std::int64_t>>(host.attributes, "dims", {});
  const auto axis = attribute_or<std::int64_t>(host.attributes, "axis", 0);
  switch (host.op) {
    case HostOp::Numel: return operand + ".count()";
    case HostOp::Dim: return fmt::format("emitted::size_along({}, {})", operand, axis);
    case HostOp::View: return fmt::format("emitted::viewed({}, {{{}}})", operand, fmt::join(sizes, ", "));
    case HostOp::ToTensor:
      return fmt::format("emitted::scalar_tensor(memory(), {}, {}, {{{}}})", operand,
                         static_cast<int>(type_of(host.outputs[0]).dtype), fmt::join(sizes, ", "));
    default: break;
  }
  if (host.attributes.contains("draws"))
    return fmt::format("emitted::draw_of(memory(), {}, {}, {})", operand, name(host.inputs[1]),
                       quoted(attribute_or(host.attributes, "draws", std::string())));
  return fmt::format("emitted::row_of(memory(), {}, {})", operand, name(host.inputs[1]));
}

std::string HostWriter::as_tensor(SlotIndex slot) const {
  if (parts_.is_value(slot)) return name(slot);
  return fmt::format("emitted::tensor_over({}, {{{}}}, {}, false)", static_cast<int>(type_of(slot).dtype),
                     fmt::join(sizes_of(type_of(slot)), ", "), name(slot));
}

std::string HostWriter::element_address(SlotIndex slot) const {
  return parts_.is_value(slot) ? fmt::format("emitted::single({})", name(slot)) : name(slot);
}

std::string HostWriter::taken(const PlanHost& host, std::size_t index,
                              const std::vector<SlotIndex>& dead) const {
  const SlotIndex slot = host.inputs[index];
  const bool again = std::find(host.inputs.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                               host.inputs.end(), slot) != host.inputs.end();
  const bool dies = std::ranges::find(dead, slot) != dead.end() && parts_.is_value(slot);
  return dies && !again ? fmt::format("std::move({})", name(slot)) : name(slot);
}

Result<std::string> HostWriter::sequence(const PlanHost& host, const std::vector<SlotIndex>& dead) const {
  const std::string& target = name(host.outputs[0]);
  const auto give = [&](const std::string& text) { return fmt::format("{} = {};", target, text); };
  const std::string place = host.inputs.size() == 3 ? ", " + name(host.inputs[2]) : "";
  const std::string index = host.inputs.size() == 2 ? ", " + name(host.inputs[1]) : "";
  switch (host.op) {
    case HostOp::SeqEmpty: return give("{}");
    case HostOp::SeqOf: return sequence_of(host);
    case HostOp::SeqInsert:
      return give(
          fmt::format("emitted::inserted({}, {}{})", taken(host, 0, dead), taken(host, 1, dead), place));
    case HostOp::SeqErase: return give(fmt::format("emitted::erased({}{})", taken(host, 0, dead), index));
    case HostOp::SeqAt:
      return give(fmt::format(
          "emitted::item_at({}, {}){}", name(host.inputs[0]), name(host.inputs[1]),
          parts_.is_number(host.outputs[0]) && kind_of(host.outputs[0]) == ScalarKind::Bool ? " != 0" : ""));
    case HostOp::SeqLen: return give(fmt::format("emitted::length({})", name(host.inputs[0])));
    case HostOp::SeqConcat: return give(concatenation(host));
    case HostOp::SeqSplit: return give(split(host));
    default: return unsupported_operation(host.op, "it is not known here");
  }
}

// One element after the other, so that a list of thousands is no expression of thousands.
std::string HostWriter::sequence_of(const PlanHost& host) const {
  std::string text = fmt::format("{} = {{}};", name(host.outputs[0]));
  for (const SlotIndex slot : host.inputs)
    text += fmt::format(" {}.own_items().push_back({});", name(host.outputs[0]), name(slot));
  return text;
}

std::string HostWriter::concatenation(const PlanHost& host) const {
  const TensorType& type = type_of(host.outputs[0]);
  const auto axis = attribute_or<std::int64_t>(host.attributes, "axis", 0);
  const bool new_axis = attribute_or<std::int64_t>(host.attributes, "new_axis", 0) != 0;
  const auto given = attribute_or<std::vector<std::int64_t>>(host.attributes, "dims", {});
  std::string empty =
      "py::raise_exception(\"ValueError\", \"an empty sequence cannot be concatenated: the result's rank is "
      "not "
      "known\"); return emitted::Tensor{}";
  std::vector<std::string> sizes;
  for (const std::int64_t size : given) sizes.push_back(std::to_string(size));
  if (given.empty() && type.dims) {
    const std::int64_t along = axis < 0 ? axis + std::ssize(*type.dims) : axis;
    for (const Dim& dim : *type.dims)
      sizes.push_back(std::ssize(sizes) == along ? "0" : size_text(parts_, dim));
  }
  if (!given.empty() || type.dims)
    empty = fmt::format("return emitted::empty_tensor(memory(), {}, {{{}}})", static_cast<int>(type.dtype),
                        fmt::join(sizes, ", "));
  return fmt::format("emitted::concatenated(memory(), {}, {}, {}, [&] {{ {}; }})", name(host.inputs[0]), axis,
                     new_axis, empty);
}

std::string HostWriter::split(const PlanHost& host) const {
  const auto axis = attribute_or<std::int64_t>(host.attributes, "axis", 0);
  const bool keepdims = attribute_or<std::int64_t>(host.attributes, "keepdims", 1) != 0;
  const std::string tensor = as_tensor(host.inputs[0]);
  if (host.inputs.size() == 1)
    return fmt::format("emitted::split_rows(memory(), {}, {}, {})", tensor, axis, keepdims);
  return fmt::format("emitted::split_by(memory(), {}, {}, {})", tensor, axis, as_tensor(host.inputs[1]));
}

Result<std::string> HostWriter::optional(const PlanHost& host) const {
  const std::string& target = name(host.outputs[0]);
  switch (host.op) {
    case HostOp::None: return fmt::format("{} = {{}};", target);
    case HostOp::Some: return fmt::format("{} = {};", target, name(host.inputs[0]));
    case HostOp::HasValue: return fmt::format("{} = {}.has_value();", target, name(host.inputs[0]));
    case HostOp::Unwrap: return fmt::format("{} = emitted::unwrapped({});", target, name(host.inputs[0]));
    default: return unsupported_operation(host.op, "it is not known here");
  }
}

Result<std::string> HostWriter::item(const PlanHost& host) const {
  const TensorType& type = type_of(host.inputs[0]);
  if (parts_.is_address(host.inputs[0]) && element_count(sizes_of(type)) != 1)
    return fmt::format("py::raise_exception(\"ValueError\", {});",
                       quoted(fmt::format("only a tensor with one element can become a scalar, this is {}",
                                          to_string(Type(type), [](SymbolId) { return std::string(); }))));
  return fmt::format("{} = {}<{}>({});", name(host.outputs[0]), item_function(kind_of(host.outputs[0])),
                     static_cast<int>(type.dtype), element_address(host.inputs[0]));
}

Result<std::string> HostWriter::row(const PlanHost& host) const {
  const TensorType& from = type_of(host.inputs[0]);
  const std::vector<std::int64_t> sizes = sizes_of(from);
  const std::size_t bytes = bytes_of(type_of(host.outputs[0]));
  if (sizes.empty()) return unsupported_operation(host.op, "the tensor has no rows");
  if (static_cast<std::size_t>(sizes[0]) * bytes != bytes_of(from))
    return unsupported_operation(host.op, "a row is not a whole number of bytes");
  const std::string draws = attribute_or(host.attributes, "draws", std::string());
  if (host.attributes.contains("draws"))
    return fmt::format("{} = emitted::draw_row({}, {}, {}, {}, {});", name(host.outputs[0]),
                       name(host.inputs[0]), name(host.inputs[1]), sizes[0], bytes, quoted(draws));
  return fmt::format("{} = emitted::row({}, {}, {}, {});", name(host.outputs[0]), name(host.inputs[0]),
                     name(host.inputs[1]), sizes[0], bytes);
}

std::string HostWriter::check(const PlanHost& host) const {
  const SlotIndex slot = host.inputs[0];
  std::string condition = name(slot);
  if (parts_.plan.slots[slot].tensor() != nullptr)
    condition = fmt::format("emitted::item_bool<{}>({})", static_cast<int>(type_of(slot).dtype),
                            element_address(slot));
  return fmt::format("if ({}) py::raise_exception({}, {});", condition,
                     quoted(exception_name(attribute_or(host.attributes, "type", std::string()))),
                     quoted(attribute_or(host.attributes, "message", std::string())));
}

// What an input of the caller's shall contain if the model raises from here on.
std::string HostWriter::keep_written(const PlanHost& host) const {
  const SlotIndex value = host.inputs[0];
  return fmt::format("{}_left_ = emitted::{}(memory(), {});",
                     name(parts_.plan.inputs[written_input(host)].slot),
                     parts_.is_value(value) ? "owned" : "copied", as_tensor(value));
}

std::string HostWriter::write_raise(const PlanRaise& raise) const {
  std::string message;
  std::size_t next = 0;
  for (const FormatField& field : format_fields(raise.format)) {
    std::string part = field.literal.empty() ? "" : quoted(field.literal);
    if (field.is_field) {
      const std::string text =
          fmt::format("py::formatted({}, {})", name(raise.scalars[next++]), quoted(field.spec));
      part = part.empty() ? text : fmt::format("{} + {}", part, text);
    }
    if (part.empty()) continue;
    message += (message.empty() ? "" : " + ") + part;
  }
  if (message.empty()) message = "\"\"";
  return fmt::format("py::raise_exception({}, {});", quoted(exception_name(raise.type)), message);
}

}  // namespace dycl::emit
