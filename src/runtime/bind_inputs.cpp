// SPDX-License-Identifier: Apache-2.0
#include "runtime/bind_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/flat_plan.h"

namespace dycl::runtime {
namespace {

class InputChecker {
 public:
  explicit InputChecker(const HostPlan& plan) : plan_(plan) {}
  InputChecker(const LoadedProgram& program, std::span<const RuntimeValue> inputs,
               std::span<std::int64_t> symbols)
      : plan_(program.artifact().plan),
        ports_(program.inputs()),
        written_(program.facts().written_inputs),
        inputs_(inputs),
        symbols_(symbols) {}

  Status check_all() {
    if (inputs_.size() != ports_.size()) return wrong_count();
    std::ranges::fill(symbols_, -1);
    for (std::size_t index = 0; index < inputs_.size(); ++index)
      if (Status checked = check_port(index); !checked) return checked;
    if (Status checked = check_overlaps(); !checked) return checked;
    return check_expressions();
  }

  Status check_alone(const PlanPort& port, const RuntimeValue& value) {
    return check_value(port, port.type, value, false);
  }

 private:
  // What is written to one of them is not seen through the other.
  Status check_overlaps() const {
    for (const std::uint32_t written : written_)
      for (std::size_t other = 0; other < inputs_.size(); ++other)
        if (other != written && overlap(inputs_[written], inputs_[other]))
          return fail(Blame::Usage, "run.inputs_overlap",
                      fmt::format("the program writes to the input '{}', whose memory the input '{}' shares",
                                  ports_[written].name, ports_[other].name),
                      {}, "give each of them memory of its own");
    return {};
  }

  static bool overlap(const RuntimeValue& left, const RuntimeValue& right) {
    if (const auto* items = right.items())
      return std::ranges::any_of(*items, [&](const RuntimeValue& item) { return overlap(left, item); });
    const RuntimeTensor* one = left.tensor();
    const RuntimeTensor* other = right.tensor();
    if (one == nullptr || other == nullptr || one->byte_size == 0 || other->byte_size == 0) return false;
    const auto begin = [](const RuntimeTensor& tensor) {
      return reinterpret_cast<std::uintptr_t>(tensor.data);
    };
    return begin(*one) < begin(*other) + other->byte_size && begin(*other) < begin(*one) + one->byte_size;
  }

  [[nodiscard]] Failure wrong_count() const {
    std::string names;
    for (const PlanPort& port : ports_) names += (names.empty() ? "" : ", ") + port.name;
    return fail(Blame::Usage, "run.input_count",
                fmt::format("the program takes {} input{} ({}), {} {} given", ports_.size(),
                            ports_.size() == 1 ? "" : "s", names, inputs_.size(),
                            inputs_.size() == 1 ? "was" : "were"));
  }

  [[nodiscard]] Failure wrong(std::string_view code, const PlanPort& port, const std::string& what) const {
    return fail(Blame::Usage, std::string(code), fmt::format("input '{}' {}", port.name, what), {},
                fmt::format("the program takes {}", type_text(plan_, port.type)));
  }

  Status check_port(std::size_t index) {
    const PlanPort& port = ports_[index];
    const RuntimeValue& value = inputs_[index];
    if (value.has_value()) return check_value(port, port.type, value, true);
    if (port.optional || port.type.optional() != nullptr) return {};
    return wrong("run.input_missing", port, "is missing");
  }

  // `binds`: sizes of this tensor give symbols their values. The elements of a sequence do not: their
  // sizes may differ.
  Status check_value(const PlanPort& port, const Type& type, const RuntimeValue& value, bool binds) {
    if (const OptionalType* optional = type.optional())
      return value.has_value() ? check_value(port, *optional->element, value, binds) : Status();
    if (const TensorType* tensor = type.tensor())
      return value.tensor() == nullptr ? Status(wrong_kind(port, type, value))
                                       : check_tensor(port, *tensor, *value.tensor(), binds);
    if (const SeqType* seq = type.seq()) return check_sequence(port, type, *seq, value);
    if (const ScalarType* scalar = type.scalar()) {
      const bool fits = value.scalar() != nullptr && kind_of(*value.scalar()) == scalar->kind;
      return fits ? Status() : Status(wrong_kind(port, type, value));
    }
    return value.text() == nullptr ? Status(wrong_kind(port, type, value)) : Status();
  }

  [[nodiscard]] Failure wrong_kind(const PlanPort& port, const Type& type, const RuntimeValue& value) const {
    return wrong("run.input_kind", port,
                 fmt::format("must be {}, not {}", type_text(plan_, type), describe(value)));
  }

  Status check_sequence(const PlanPort& port, const Type& type, const SeqType& seq,
                        const RuntimeValue& value) {
    if (value.items() == nullptr) return wrong_kind(port, type, value);
    for (std::size_t index = 0; index < value.items()->size(); ++index) {
      Status checked = check_value(port, *seq.element, (*value.items())[index], false);
      if (checked) continue;
      checked.error().message += fmt::format(" (element {} of the sequence)", index);
      return checked;
    }
    return {};
  }

  Status check_tensor(const PlanPort& port, const TensorType& type, const RuntimeTensor& tensor, bool binds) {
    if (tensor.dtype != type.dtype)
      return wrong("run.input_dtype", port,
                   fmt::format("has dtype {}, not {}", name_of(tensor.dtype), name_of(type.dtype)));
    if (tensor.device != type.device)
      return wrong("run.input_device", port,
                   fmt::format("is on {}, not on {}", to_string(tensor.device), to_string(type.device)));
    if (!type.dims) return {};
    if (tensor.dims.size() != type.dims->size())
      return wrong("run.input_rank", port,
                   fmt::format("has {} dims, not {}", tensor.dims.size(), type.dims->size()));
    for (std::size_t axis = 0; axis < tensor.dims.size(); ++axis)
      if (Status checked = check_dim(port, (*type.dims)[axis], axis, tensor.dims[axis], binds); !checked)
        return checked;
    return {};
  }

  Status check_dim(const PlanPort& port, const Dim& dim, std::size_t axis, std::int64_t size, bool binds) {
    if (dim.is_static()) {
      if (dim.constant == size) return {};
      return wrong("run.input_dim", port,
                   fmt::format("has size {} in dim {}, not {}", size, axis, dim.constant));
    }
    const auto symbol = dim.as_symbol();
    if (symbol) {
      const PlanSymbol& named = plan_.symbols[symbol->index()];
      if (!named.range.contains(size)) return out_of_range(port, named, axis, size);
    }
    if (!binds) return {};
    if (!symbol) {
      has_expressions_ = true;
      return {};
    }
    std::int64_t& bound = symbols_[symbol->index()];
    if (bound < 0) bound = size;
    if (bound == size) return {};
    return wrong("run.input_symbol", port,
                 fmt::format("has size {} in dim {} where '{}' is already {} (from input '{}')", size, axis,
                             plan_.symbols[symbol->index()].name, bound, first_with(*symbol)));
  }

  [[nodiscard]] static Failure out_of_range(const PlanPort& port, const PlanSymbol& symbol, std::size_t axis,
                                            std::int64_t size) {
    const std::string range = to_string(symbol.range);
    return fail(
        Blame::Usage, "run.input_range",
        fmt::format("input '{}' has size {} in dim {}, where '{}' must be in {}", port.name, size, axis,
                    symbol.name, range),
        {}, fmt::format("the program was compiled for {}={}: compile it for more sizes", symbol.name, range));
  }

  [[nodiscard]] static const TensorType* tensor_type(const PlanPort& port) {
    const OptionalType* optional = port.type.optional();
    return (optional == nullptr ? port.type : *optional->element).tensor();
  }

  [[nodiscard]] std::string first_with(SymbolId symbol) const {
    for (std::size_t index = 0; index < inputs_.size(); ++index) {
      const TensorType* type = tensor_type(ports_[index]);
      if (inputs_[index].has_value() && type != nullptr && type->dims &&
          std::ranges::find(*type->dims, Dim(symbol)) != type->dims->end())
        return ports_[index].name;
    }
    return "?";
  }

  // Sizes like 2*n+1, once every n is known.
  Status check_expressions() const {
    if (!has_expressions_) return {};
    const auto value_of = [this](SymbolId symbol) {
      const std::int64_t size = symbols_[symbol.index()];
      return size < 0 ? std::nullopt : std::optional(size);
    };
    for (std::size_t index = 0; index < inputs_.size(); ++index) {
      const TensorType* type = tensor_type(ports_[index]);
      const RuntimeTensor* tensor = inputs_[index].tensor();
      if (type == nullptr || tensor == nullptr || !type->dims) continue;
      for (std::size_t axis = 0; axis < tensor->dims.size(); ++axis) {
        const auto expected = evaluate((*type->dims)[axis], value_of);
        if (expected && *expected != tensor->dims[axis])
          return wrong("run.input_symbol", ports_[index],
                       fmt::format("has size {} in dim {}, where the other inputs require {}",
                                   tensor->dims[axis], axis, *expected));
      }
    }
    return {};
  }

  const HostPlan& plan_;
  std::span<const PlanPort> ports_;
  std::span<const std::uint32_t> written_;
  std::span<const RuntimeValue> inputs_;
  std::span<std::int64_t> symbols_;
  bool has_expressions_ = false;
};

}  // namespace

Status bind_inputs(const LoadedProgram& program, std::span<const RuntimeValue> inputs,
                   std::span<RuntimeValue> slots, std::span<std::int64_t> symbols) {
  if (Status checked = InputChecker(program, inputs, symbols).check_all(); !checked) return checked;
  for (std::size_t index = 0; index < inputs.size(); ++index)
    if (inputs[index].has_value()) slots[program.inputs()[index].slot] = inputs[index];
  return {};
}

Status check_promised_tensor(const HostPlan& plan, const PlanPort& port, DType dtype,
                             std::span<const std::int64_t> dims) {
  if (dims.size() > DYCL_MAX_RANK)
    return fail(Blame::Usage, "run.input_rank",
                fmt::format("input '{}' has {} dims, at most {} are possible", port.name, dims.size(),
                            static_cast<int>(DYCL_MAX_RANK)));
  RuntimeTensor tensor;
  tensor.dtype = dtype;
  tensor.dims = InlineDims(dims);
  return InputChecker(plan).check_alone(port, tensor);
}

}  // namespace dycl::runtime
