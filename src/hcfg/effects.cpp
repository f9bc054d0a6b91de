// SPDX-License-Identifier: Apache-2.0
#include "hcfg/effects.h"

namespace dycl {
namespace {

bool is_scalar_of(const Type& type, ScalarKind kind) {
  return type.scalar() != nullptr && type.scalar()->kind == kind;
}

bool has_one_element(const TensorType& type) {
  if (!type.is_static()) return false;
  for (const Dim& dim : *type.dims)
    if (dim.constant != 1) return false;
  return true;
}

bool item_raises(const Hcfg& graph, const HostStep& step) {
  const TensorType& tensor = *graph.type_of(step.inputs[0]).tensor();
  if (is_float(tensor.dtype) && is_scalar_of(graph.type_of(step.outputs[0]), ScalarKind::I64)) return true;
  return step.attributes.contains("decision") && !has_one_element(tensor);
}

}  // namespace

bool has_effect(const Hcfg& graph, const HostStep& step) {
  if (step.op == HostOp::ToInt) return is_scalar_of(graph.type_of(step.inputs[0]), ScalarKind::F64);
  if (step.op == HostOp::Item) return item_raises(graph, step);
  return family_of(step.op) == HostOpFamily::Effect || may_raise(step.op);
}

}  // namespace dycl
