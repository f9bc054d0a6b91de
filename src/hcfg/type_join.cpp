// SPDX-License-Identifier: Apache-2.0
#include "hcfg/type_join.h"

#include <algorithm>
#include <utility>

namespace dycl {
namespace {

Failure mismatch(const Type& left, const Type& right) {
  const auto names = [](SymbolId) { return std::string("?"); };
  return fail(Blame::Unsupported, "hcfg.types_do_not_join",
              "values of different types meet: " + to_string(left, names) + " and " + to_string(right, names),
              {}, "make both branches, or the loop's entry and body, produce the same element type");
}

Result<Type> join_tensors(const TensorType& left, const TensorType& right, SymbolScope scope,
                          const DimSource& fresh) {
  if (left.dtype != right.dtype || left.device != right.device) return mismatch(left, right);
  TensorType joined = left;
  if (!left.dims || !right.dims || left.dims->size() != right.dims->size()) {
    joined.dims.reset();
    return Type(joined);
  }
  for (std::size_t axis = 0; axis < left.dims->size(); ++axis) {
    const Dim& dim = (*left.dims)[axis];
    if (dim != (*right.dims)[axis] || !scope.visible(dim)) (*joined.dims)[axis] = fresh();
  }
  return Type(joined);
}

template <class ChangeDim>
Type map_dims(const Type& type, const ChangeDim& change) {
  if (const SeqType* seq = type.seq()) return seq_of(map_dims(*seq->element, change));
  if (const OptionalType* optional = type.optional())
    return optional_of(map_dims(*optional->element, change));
  if (const TensorType* tensor = type.tensor(); tensor != nullptr && tensor->dims) {
    TensorType changed = *tensor;
    for (Dim& dim : *changed.dims) dim = change(dim);
    return changed;
  }
  return type;
}

bool tensor_fits(const TensorType& from, const TensorType& to, SymbolScope scope) {
  if (from.dtype != to.dtype || from.device != to.device) return false;
  if (!to.dims) return true;
  if (!from.dims || from.dims->size() != to.dims->size()) return false;
  for (std::size_t axis = 0; axis < to.dims->size(); ++axis) {
    const Dim& wanted = (*to.dims)[axis];
    if (scope.visible(wanted) && wanted != (*from.dims)[axis]) return false;
  }
  return true;
}

}  // namespace

bool SymbolScope::visible(const Dim& dim) const {
  return std::ranges::all_of(dim.terms, [&](const auto& term) { return term.first.index() < first_local; });
}

DimSource fresh_symbols(Hcfg& graph) {
  return [&graph] { return Dim(graph.add_symbol("d")); };
}

Dim open_dim() { return Dim(SymbolId{}); }

Result<Type> join_types(const Type& left, const Type& right, SymbolScope scope, const DimSource& fresh) {
  if (const OptionalType* optional = left.optional()) {
    const Type& other = right.optional() != nullptr ? *right.optional()->element : right;
    return join_types(*optional->element, other, scope, fresh).map(optional_of);
  }
  if (right.optional() != nullptr) return join_types(right, left, scope, fresh);
  if (left.tensor() != nullptr && right.tensor() != nullptr)
    return join_tensors(*left.tensor(), *right.tensor(), scope, fresh);
  if (left.seq() != nullptr && right.seq() != nullptr)
    return join_types(*left.seq()->element, *right.seq()->element, scope, fresh).map(seq_of);
  if (left == right) return left;
  return mismatch(left, right);
}

Type generalise(const Type& type, SymbolScope scope, const DimSource& fresh) {
  return map_dims(type, [&](const Dim& dim) { return scope.visible(dim) ? dim : fresh(); });
}

Type refresh_symbols(const Type& type, const DimSource& fresh) {
  return map_dims(type, [&](const Dim& dim) { return dim.is_static() ? dim : fresh(); });
}

bool fits(const Type& from, const Type& to, SymbolScope scope) {
  if (from.index() != to.index()) return false;
  if (to.tensor() != nullptr) return tensor_fits(*from.tensor(), *to.tensor(), scope);
  if (to.seq() != nullptr) return fits(*from.seq()->element, *to.seq()->element, scope);
  if (to.optional() != nullptr) return fits(*from.optional()->element, *to.optional()->element, scope);
  return from == to;
}

}  // namespace dycl
