// SPDX-License-Identifier: Apache-2.0
#include "optimize/producers.h"

#include <cstring>

#include "base/overloaded.h"

namespace dycl::optimize {
namespace {

template <class T>
std::vector<std::int64_t> widened(const TensorData& tensor) {
  std::vector<T> raw(tensor.bytes.size() / sizeof(T));
  if (!raw.empty()) std::memcpy(raw.data(), tensor.bytes.data(), raw.size() * sizeof(T));
  return {raw.begin(), raw.end()};
}

}  // namespace

const Step* Producers::step(ValueId value) const {
  const Definition& definition = table_.definition(value);
  if (definition.kind != DefinitionKind::Step) return nullptr;
  return &graph_.blocks[definition.place.block.index()].steps[definition.place.step];
}

const HostStep* Producers::host_step(ValueId value) const {
  const Step* found = step(value);
  return found == nullptr ? nullptr : std::get_if<HostStep>(found);
}

const HostStep* Producers::host_step(ValueId value, HostOp op) const {
  const HostStep* found = host_step(value);
  return found != nullptr && found->op == op ? found : nullptr;
}

const TensorOp* Producers::tensor_op(ValueId value) const {
  const Step* found = step(value);
  const auto* subnet = found == nullptr ? nullptr : std::get_if<SubnetStep>(found);
  return subnet == nullptr ? nullptr : &subnet->ops[table_.definition(value).place.op];
}

TensorPtr Producers::tensor(ValueId value) const {
  const Definition& definition = table_.definition(value);
  return definition.kind == DefinitionKind::Constant ? graph_.constants[definition.index].data : nullptr;
}

std::optional<Scalar> Producers::scalar(ValueId value) const {
  const HostStep* found = host_step(value, HostOp::Const);
  const ScalarType* type = graph_.type_of(value).scalar();
  if (found == nullptr || type == nullptr) return std::nullopt;
  return scalar_of_const(*found, type->kind);
}

HostStep const_step(const Scalar& scalar, ValueId output, SourceId source) {
  const Attribute value = std::visit(Overloaded{
                                         [](bool truth) { return Attribute(std::int64_t{truth ? 1 : 0}); },
                                         [](std::int64_t integer) { return Attribute(integer); },
                                         [](double number) { return Attribute(number); },
                                     },
                                     scalar);
  return HostStep{HostOp::Const, {{"value", value}}, {}, {output}, source};
}

std::optional<std::vector<std::int64_t>> integers_of(const TensorPtr& tensor) {
  if (tensor == nullptr) return std::nullopt;
  if (tensor->dtype == DType::I64) return widened<std::int64_t>(*tensor);
  if (tensor->dtype == DType::I32) return widened<std::int32_t>(*tensor);
  return std::nullopt;
}

}  // namespace dycl::optimize
