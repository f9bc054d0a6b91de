// SPDX-License-Identifier: Apache-2.0
#include "hcfg/type_flow.h"

#include <algorithm>

namespace dycl {
namespace {

constexpr int kMaxDepth = 32;  // as the parser of types allows

const Type* element_of(const Type& type) {
  if (const SeqType* seq = type.seq()) return seq->element.get();
  if (const OptionalType* optional = type.optional()) return optional->element.get();
  return nullptr;
}

// Walks both types inwards while they are containers of one kind; `leaf` judges what is inside.
template <class Leaf>
bool compare(const Type* left, const Type* right, const Leaf& leaf) {
  while (left->index() == right->index()) {
    const Type* inner = element_of(*left);
    if (inner == nullptr) return leaf(*left, *right);
    left = inner;
    right = element_of(*right);
  }
  return false;
}

bool same_element(const TensorType& left, const TensorType& right) {
  return left.dtype == right.dtype && left.device == right.device;
}

bool dims_flow(const TensorType& from, const TensorType& to) {
  if (!to.dims) return true;
  if (!from.dims) return false;
  return std::ranges::equal(*from.dims, *to.dims, [](const Dim& known, const Dim& promised) {
    return !promised.is_static() || known == promised;
  });
}

std::string dim_defect(const Dim& dim, std::size_t symbol_count) {
  if (dim.is_static() && dim.constant < 0) return "a size is negative";
  for (std::size_t term = 0; term < dim.terms.size(); ++term) {
    const auto& [symbol, factor] = dim.terms[term];
    if (symbol.index() >= symbol_count) return "a size names a symbol that is not in the graph";
    if (factor == 0) return "a size has a term with factor 0";
    if (term > 0 && !(dim.terms[term - 1].first < symbol)) return "the terms of a size are not sorted";
  }
  return {};
}

}  // namespace

bool same_kind(const Type& left, const Type& right) {
  return compare(&left, &right, [](const Type& one, const Type& other) {
    return one.tensor() != nullptr ? same_element(*one.tensor(), *other.tensor()) : one == other;
  });
}

bool flows_into(const Type& from, const Type& to) {
  return compare(&from, &to, [](const Type& one, const Type& other) {
    if (one.tensor() == nullptr) return one == other;
    return same_element(*one.tensor(), *other.tensor()) && dims_flow(*one.tensor(), *other.tensor());
  });
}

std::string type_defect(const Type& type, std::size_t symbol_count) {
  const Type* inner = &type;
  for (int depth = 0; inner->seq() != nullptr || inner->optional() != nullptr; ++depth) {
    inner = element_of(*inner);
    if (inner == nullptr) return "a container has no element type";
    if (depth == kMaxDepth) return "the type is nested too deeply";
  }
  const TensorType* tensor = inner->tensor();
  if (tensor == nullptr || !tensor->dims) return {};
  for (const Dim& dim : *tensor->dims)
    if (std::string defect = dim_defect(dim, symbol_count); !defect.empty()) return defect;
  return {};
}

}  // namespace dycl
