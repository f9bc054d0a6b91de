// SPDX-License-Identifier: Apache-2.0
#include "emit/slots.h"

#include <fmt/format.h>

#include "base/tensor_data.h"

namespace dycl::emit {
namespace {

// Finds what cannot be held; null if all can.
const Type* part_that_cannot_be_held(const Type& type) {
  if (const SeqType* sequence = type.seq()) return part_that_cannot_be_held(*sequence->element);
  if (const OptionalType* optional = type.optional()) return part_that_cannot_be_held(*optional->element);
  if (type.scalar() != nullptr) return nullptr;
  const TensorType* tensor = type.tensor();
  const bool fits =
      tensor != nullptr && tensor->dtype != DType::String && tensor->device.kind == DeviceKind::Cpu;
  return fits ? nullptr : &type;
}

Status check_type(const HostPlan& plan, const Type& type, const std::string& what) {
  const Type* part = part_that_cannot_be_held(type);
  if (part == nullptr) return {};
  return unsupported(
      fmt::format("hold {} of type {}: no texts, and tensors on the CPU only", what, type_text(plan, type)));
}

}  // namespace

Failure unsupported(const std::string& what, SourceSpan place, const std::string& hint) {
  return fail(Blame::Unsupported, "emit.unsupported", "dycl emit cannot " + what, std::move(place), hint);
}

Status check_slots(const HostPlan& plan) {
  for (const PlanPort& port : plan.inputs) {
    if (port.optional && port.type.optional() == nullptr)
      return unsupported(fmt::format("leave out the input '{}'", port.name));
    const std::string what = fmt::format("the {} '{}'", port.is_state() ? "state" : "input", port.name);
    if (Status known = check_type(plan, port.type, what); !known) return known;
  }
  for (const PlanInstruction& instruction : plan.code) {
    const auto* call = std::get_if<PlanCall>(&instruction.operation);
    const auto* host = std::get_if<PlanHost>(&instruction.operation);
    if (call == nullptr && host == nullptr) continue;
    for (const SlotIndex slot : call != nullptr ? call->outputs : host->outputs)
      if (Status known = check_type(plan, plan.slots[slot], "a value"); !known) {
        known.error().span = instruction.source;
        return known;
      }
  }
  for (std::size_t slot = 0; slot < plan.slots.size(); ++slot)
    if (Status known = check_type(plan, plan.slots[slot], "a value"); !known) return known;
  return {};
}

std::vector<std::int64_t> sizes_of(const TensorType& type) {
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : *type.dims) sizes.push_back(dim.constant);
  return sizes;
}

bool has_known_sizes(const Type& type) {
  const TensorType* tensor = type.tensor();
  return tensor != nullptr && tensor->dims && tensor->is_static();
}

std::string value_type(const Type& type) {
  if (const SeqType* sequence = type.seq()) {
    const ScalarType* number = sequence->element->scalar();
    const bool is_bool = number != nullptr && number->kind == ScalarKind::Bool;
    return fmt::format("emitted::List<{}>", is_bool ? "std::uint8_t" : value_type(*sequence->element));
  }
  if (const OptionalType* optional = type.optional())
    return fmt::format("emitted::Maybe<{}>", value_type(*optional->element));
  return type.scalar() == nullptr ? "emitted::Tensor" : number_type(type.scalar()->kind);
}

std::string number_type(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Bool: return "bool";
    case ScalarKind::I64: return "int64_t";
    case ScalarKind::F64: return "double";
  }
  return "int64_t";
}

std::string item_function(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Bool: return "emitted::item_bool";
    case ScalarKind::I64: return "emitted::item_int";
    case ScalarKind::F64: return "emitted::item_float";
  }
  return "emitted::item_int";
}

std::size_t bytes_of(const TensorType& type) {
  const auto count = element_count(sizes_of(type));
  return byte_size(type.dtype, count.value_or(0)).value_or(0);
}

std::string element_type(DType dtype) {
  switch (dtype) {
    case DType::F32: return "float";
    case DType::F64: return "double";
    case DType::I8: return "int8_t";
    case DType::I16: return "int16_t";
    case DType::I32: return "int32_t";
    case DType::I64: return "int64_t";
    case DType::U8:
    case DType::Bool: return "uint8_t";
    case DType::U16:
    case DType::F16:
    case DType::BF16: return "uint16_t";
    case DType::U32: return "uint32_t";
    case DType::U64: return "uint64_t";
    default: return "void";
  }
}

}  // namespace dycl::emit
