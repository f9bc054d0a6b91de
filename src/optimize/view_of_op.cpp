// SPDX-License-Identifier: Apache-2.0
#include "optimize/view_of_op.h"

#include <algorithm>
#include <limits>

#include "optimize/single_operator.h"

namespace dycl::optimize {
namespace {

using Dims = std::vector<Dim>;
using WantedDims = std::vector<std::optional<Dim>>;  // nullopt: what is left over
using Integers = std::vector<std::int64_t>;

// The `dims` attribute of a view: a size, 0 for "as in the input", -1 for the rest. -1 is used only when
// no other size can be 0, since then nothing follows from the number of elements.
std::optional<Integers> view_dims(const Dims& from, const WantedDims& to) {
  Integers sizes;
  bool copies_unknown = false;
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    const bool same_as_input = axis < from.size() && to[axis] == from[axis];
    const bool is_static = to[axis] && to[axis]->is_static();
    if (is_static && to[axis]->constant > 0)
      sizes.push_back(to[axis]->constant);
    else if (same_as_input)
      sizes.push_back(0);
    else if (is_static)
      return std::nullopt;
    else
      sizes.push_back(-1);
    copies_unknown = copies_unknown || sizes.back() == 0;
  }
  const auto rest = std::ranges::count(sizes, -1);
  if (rest > 1 || (rest == 1 && copies_unknown)) return std::nullopt;
  return sizes;
}

// The product, when it can be written as one size.
std::optional<Dim> product(std::span<const Dim> dims) {
  Dim result(1);
  for (const Dim& dim : dims) {
    const bool writable = result.is_static() || dim.is_static();
    if (!writable) return std::nullopt;
    std::int64_t unused = 0;
    if (result.is_static() && dim.is_static() &&
        __builtin_mul_overflow(result.constant, dim.constant, &unused))
      return std::nullopt;
    result = result.is_static() ? dim * result.constant : result * dim.constant;
  }
  return result;
}

class ViewRules {
 public:
  // The first operand is a value of the graph.
  ViewRules(const Hcfg& graph, const SingleOperator& found)
      : inputs_(found.inputs), op_(*found.op), type_(graph.type_of(tensor()).tensor()) {}

  [[nodiscard]] std::optional<HostView> find() const {
    if (op_.name == "Reshape") return as_view(reshaped());
    if (!type_->dims) return std::nullopt;
    if (op_.name == "Squeeze") return as_view(squeezed());
    if (op_.name == "Unsqueeze") return as_view(unsqueezed());
    if (op_.name == "Flatten") return as_view(flattened());
    if (op_.name == "Gather") return gathered();
    if (op_.name == "Slice") return sliced();
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<HostView> as_view(std::optional<Integers> dims) const {
    if (!dims) return std::nullopt;
    return HostView{tensor(), std::nullopt, std::move(dims)};
  }

  [[nodiscard]] ValueId tensor() const { return inputs_[0].value; }
  [[nodiscard]] const Dims& dims() const { return *type_->dims; }
  [[nodiscard]] std::int64_t rank() const { return static_cast<std::int64_t>(dims().size()); }

  [[nodiscard]] bool has_input(std::size_t index) const {
    return inputs_.size() > index && inputs_[index].is_given();
  }

  [[nodiscard]] std::optional<Integers> known_input(std::size_t index) const {
    return has_input(index) ? integers_of(inputs_[index].contents) : std::nullopt;
  }

  [[nodiscard]] std::optional<Integers> reshaped() const {
    const std::optional<Integers> shape = known_input(1);
    const bool zero_is_a_size = attribute_or(op_.attributes, "allowzero", std::int64_t{0}) != 0;
    if (!shape) return std::nullopt;
    if (zero_is_a_size && std::ranges::count(*shape, 0) != 0) return std::nullopt;
    WantedDims wanted;
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      const std::int64_t size = (*shape)[axis];
      if (size == 0) {
        if (!type_->dims || axis >= dims().size()) return std::nullopt;
        wanted.emplace_back(dims()[axis]);
      } else {
        wanted.push_back(size < 0 ? std::nullopt : std::optional<Dim>(size));
      }
    }
    return view_dims(type_->dims ? dims() : Dims{}, wanted);
  }

  // From an attribute in old operator sets, from a constant input in new ones.
  [[nodiscard]] std::optional<Integers> axes(std::int64_t of_rank) const {
    std::optional<Integers> found = known_input(1);
    if (!found && !has_input(1) && op_.attributes.contains("axes"))
      found = attribute_or(op_.attributes, "axes", Integers{});
    if (!found || found->empty()) return std::nullopt;
    for (std::int64_t& axis : *found) {
      if (axis < 0) axis += of_rank;
      if (axis < 0 || axis >= of_rank) return std::nullopt;
    }
    std::ranges::sort(*found);
    if (std::ranges::adjacent_find(*found) != found->end()) return std::nullopt;
    return found;
  }

  [[nodiscard]] std::optional<Integers> squeezed() const {
    const std::optional<Integers> gone = axes(rank());
    if (!gone) return std::nullopt;
    WantedDims wanted;
    for (std::int64_t axis = 0; axis < rank(); ++axis) {
      const Dim& dim = dims()[static_cast<std::size_t>(axis)];
      if (!std::ranges::binary_search(*gone, axis))
        wanted.emplace_back(dim);
      else if (dim != Dim(1))
        return std::nullopt;  // squeezing a larger axis raises
    }
    return view_dims(dims(), wanted);
  }

  [[nodiscard]] std::optional<Integers> unsqueezed() const {
    const std::size_t added = has_input(1) ? known_input(1).value_or(Integers{}).size()
                                           : attribute_or(op_.attributes, "axes", Integers{}).size();
    const std::int64_t new_rank = rank() + static_cast<std::int64_t>(added);
    const std::optional<Integers> fresh = axes(new_rank);
    if (!fresh) return std::nullopt;
    WantedDims wanted;
    auto next = dims().begin();
    for (std::int64_t axis = 0; axis < new_rank; ++axis)
      wanted.emplace_back(std::ranges::binary_search(*fresh, axis) ? Dim(1) : *next++);
    return view_dims(dims(), wanted);
  }

  [[nodiscard]] std::optional<Integers> flattened() const {
    std::int64_t axis = attribute_or(op_.attributes, "axis", std::int64_t{1});
    if (axis < 0) axis += rank();
    if (axis < 0 || axis > rank()) return std::nullopt;
    const std::span<const Dim> all(dims());
    const auto split = static_cast<std::size_t>(axis);
    return view_dims(dims(), {product(all.first(split)), product(all.subspan(split))});
  }

  // The index as `row` counts: never negative, and in range where the size is known.
  [[nodiscard]] std::optional<std::int64_t> leading_row(std::int64_t index) const {
    const Dim& size = dims()[0];
    if (size.is_static() && index < 0) index += size.constant;
    if (index < 0 || (size.is_static() && index >= size.constant)) return std::nullopt;
    return index;
  }

  [[nodiscard]] std::optional<HostView> gathered() const {
    const std::int64_t axis = attribute_or(op_.attributes, "axis", std::int64_t{0});
    const std::optional<Integers> index = known_input(1);
    if (!index || rank() == 0 || (axis != 0 && axis != -rank())) return std::nullopt;
    if (!inputs_[1].contents->dims.empty()) return std::nullopt;
    const std::optional<std::int64_t> row = leading_row((*index)[0]);
    return row ? std::optional<HostView>(HostView{tensor(), row, std::nullopt}) : std::nullopt;
  }

  // x[k:k+1] of a tensor whose sizes are all known.
  [[nodiscard]] std::optional<HostView> sliced() const {
    const std::optional<Integers> starts = known_input(1);
    const std::optional<Integers> ends = known_input(2);
    if (!type_->is_static() || rank() == 0 || !starts || !ends || starts->size() != 1 || ends->size() != 1)
      return std::nullopt;
    if (has_input(3) && known_input(3) != Integers{0} && known_input(3) != Integers{-rank()})
      return std::nullopt;
    if (has_input(4) && known_input(4) != Integers{1}) return std::nullopt;
    const std::optional<std::int64_t> row = leading_row((*starts)[0]);
    const std::int64_t size = dims()[0].constant;
    const std::int64_t end = (*ends)[0] < 0 ? (*ends)[0] + size : std::min((*ends)[0], size);
    if (!row || end != *row + 1) return std::nullopt;
    Integers sizes{1};
    for (std::size_t axis = 1; axis < dims().size(); ++axis) sizes.push_back(dims()[axis].constant);
    if (std::ranges::count(sizes, 0) != 0) return std::nullopt;
    return HostView{tensor(), row, std::move(sizes)};
  }

  const std::vector<Operand>& inputs_;
  const OnnxOp& op_;
  const TensorType* type_;
};

}  // namespace

std::optional<HostView> view_of_op(const Hcfg& graph, const Producers& producers, const TensorOp& op) {
  if (outputs_of(op).size() != 1 || !outputs_of(op)[0].valid()) return std::nullopt;
  const std::optional<SingleOperator> found = single_operator(producers, op);
  const bool takes_tensor = found && !found->inputs.empty() && found->inputs[0].value.valid();
  return takes_tensor ? ViewRules(graph, *found).find() : std::nullopt;
}

}  // namespace dycl::optimize
