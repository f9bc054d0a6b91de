// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/sizes.h"

#include <ranges>

#include "partial_eval/data/numbers.h"

namespace dycl::partial_eval {
namespace {

using program::Operation;

Origins origins_of(const nb::object& numbers) {
  if (nb::len(numbers) == 0) return nullptr;
  auto origins = std::make_shared<std::set<OriginId>>();
  for (const nb::handle number : numbers) origins->insert(OriginId(nb::cast<std::size_t>(number)));
  return origins;
}

// Of sizes that meetings gave up.
Origins origins_of_size(const nb::object& size) { return origins_of(sizes_module().attr("origins")(size)); }

ScalarValue remembered(State& state, ValueId id, const nb::object& size) {
  state.sizes.emplace(id, size);
  return {id, ScalarKind::I64, origins_of_size(size)};
}

// Reads sizes off the tensors of the path.
class SizeReader {
 public:
  SizeReader(Machine& machine, State& state)
      : machine_(machine), state_(state), source_(machine.source(state)) {}

  ScalarValue read(const nb::object& size) {
    if (const auto found = known_size(state_, size)) return *found->scalar();
    if (const auto found = off_tensor(size)) return remembered(state_, *found, size);
    const nb::object recipe = sizes_module().attr("recipe")(size);
    if (!PyTuple_Check(recipe.ptr())) return remembered(state_, solved(size), size);
    const ScalarValue computed = followed(recipe);
    return remembered(state_, computed.id, size);
  }

 private:
  ScalarValue followed(const nb::object& recipe) {
    if (is_known_size(recipe)) {
      const auto number = nb::cast<std::int64_t>(recipe);
      return {machine_.emitter.constant(state_, Scalar(number)), ScalarKind::I64, nullptr};
    }
    if (!PyTuple_Check(recipe.ptr())) return read(recipe);
    const auto operation = nb::cast<std::string>(recipe[0]);
    const ScalarValue left = followed(recipe[1]), right = followed(recipe[2]);
    if (operation == "max" || operation == "min") {
      const ValueId first = emit(operation == "max" ? HostOp::Ge : HostOp::Le, {left.id, right.id},
                                 ScalarType{ScalarKind::Bool});
      return {emit(HostOp::Select, {first, left.id, right.id}), ScalarKind::I64, nullptr};
    }
    const HostOp op = operation == "+"    ? HostOp::Add
                      : operation == "*"  ? HostOp::Mul
                      : operation == "//" ? HostOp::FloorDiv
                                          : HostOp::Mod;
    return {emit(op, {left.id, right.id}), ScalarKind::I64, nullptr};
  }

  ValueId emit(HostOp op, std::vector<ValueId> inputs, Type type = ScalarType{ScalarKind::I64},
               Attributes attributes = {}) {
    return machine_.emitter.host(state_, op, std::move(inputs), std::move(type), std::string(name_of(op)),
                                 std::move(attributes), source_);
  }

  ValueId dim_of(ValueId tensor, std::int64_t axis) {
    return emit(HostOp::Dim, {tensor}, ScalarType{ScalarKind::I64}, {{"axis", axis}});
  }

  struct Place {
    ValueId tensor;
    std::int64_t axis;
    nb::object size;
  };

  // The first axis of a tensor on this path whose size `accepts`.
  template <class Accepts>
  std::optional<Place> find(const Accepts& accepts) {
    std::optional<Place> found;
    state_.heap.for_each([&](ObjectRef, const Object& object) {
      const auto* tensor = std::get_if<TensorObject>(&object);
      if (found || tensor == nullptr || !tensor->value.valid() || !tensor->spec->has_open_sizes()) return;
      std::int64_t axis = 0;
      for (const nb::handle size : tensor->spec->shape) {
        if (!found && !PyLong_Check(size.ptr()) && accepts(nb::borrow(size)))
          found = Place{tensor->value, axis, nb::borrow(size)};
        ++axis;
      }
    });
    return found;
  }

  std::optional<ValueId> off_tensor(const nb::object& size) {
    const auto place = find([&](const nb::object& other) { return same_size(other, size); });
    return place ? std::optional(dim_of(place->tensor, place->axis)) : std::nullopt;
  }

  // A symbol that no tensor has as a whole size: from 2*n+1, say.
  ValueId solved(const nb::object& symbol) {
    const nb::object inverse = sizes_module().attr("inverse");
    const auto place = find([&](const nb::object& size) { return !inverse(size, symbol).is_none(); });
    if (!place)
      machine_.refuse(state_, "python.size_lost", "a size that is needed here is held by no tensor any more",
                      "keep the tensor, or read its size before");
    const nb::object parts = inverse(place->size, symbol);
    const auto number = [&](std::size_t index) {
      return machine_.emitter.constant(state_, Scalar(nb::cast<std::int64_t>(parts[index])));
    };
    const ValueId rest = emit(HostOp::Sub, {dim_of(place->tensor, place->axis), number(1)});
    return emit(HostOp::FloorDiv, {rest, number(0)});
  }

  Machine& machine_;
  State& state_;
  SourceId source_;
};

Operation relation_of(const std::string& text) {
  return text == "=="   ? Operation::Equal
         : text == "!=" ? Operation::NotEqual
         : text == "<"  ? Operation::Less
         : text == "<=" ? Operation::LessEqual
         : text == ">"  ? Operation::Greater
                        : Operation::GreaterEqual;
}

// Whether it holds: known, or a number on the host.
AbstractValue compared(Machine& machine, State& state, const std::string& relation, const nb::object& left,
                       const nb::object& right) {
  const AbstractValue first = value_of_size(machine, state, left),
                      second = value_of_size(machine, state, right);
  const Operation operation = relation_of(relation);
  if (const auto truth = size_comparison(state, operation, first, second)) return known_bool(*truth);
  const Outcome outcome = number_compare(machine, state, operation, first, second);
  return std::get<AbstractValue>(outcome);
}

// The step of this block that computes a number; null: it comes from elsewhere.
const HostStep* step_of(const Machine& machine, const State& state, ValueId number) {
  for (const Step& step : machine.emitter.graph.blocks[state.block.index()].steps | std::views::reverse)
    if (const auto* host = std::get_if<HostStep>(&step))
      if (host->outputs.size() == 1 && host->outputs.front() == number) return host;
  return nullptr;
}

// Of an int and a constant, added or subtracted: arange(i, i + 4) has 4 elements, whatever i is.
nb::object size_by_arithmetic(Machine& machine, State& state, ValueId number) {
  const HostStep* step = step_of(machine, state, number);
  if (step == nullptr || (step->op != HostOp::Add && step->op != HostOp::Sub)) return {};
  const std::string operation = step->op == HostOp::Add ? "+" : "-";
  const std::vector<ValueId> inputs = step->inputs;
  std::vector<nb::object> operands;
  for (const ValueId input : inputs) {
    const HostStep* known = step_of(machine, state, input);
    const bool is_constant = known != nullptr && known->op == HostOp::Const;
    operands.push_back(is_constant
                           ? nb::object(nb::int_(std::get<std::int64_t>(known->attributes.at("value"))))
                           : nb::object());
  }
  if (operands[0].is_valid() == operands[1].is_valid()) return {};
  const std::size_t open = operands[0].is_valid() ? 1 : 0;
  operands[open] = size_or_fresh(machine, state, {inputs[open], ScalarKind::I64, nullptr});
  return sizes_module().attr("arithmetic")(operation, operands[0], operands[1]);
}

AbstractValue exception_of(Machine& machine, State& state, const protocol::Requirement& requirement) {
  TextObject text{requirement.message, {}, false};
  const nb::object type = nb::module_::import_("builtins").attr(requirement.exception.c_str());
  for (const Size& size : requirement.fields) {
    const AbstractValue value = value_of_size(machine, state, size);
    text.scalars.push_back({scalar_id(machine, state, value), ScalarKind::I64, nullptr});
  }
  InstanceObject exception{type, {}, {}};
  const AbstractValue message = state.make(std::move(text));
  const nb::object tuple = nb::borrow(reinterpret_cast<PyObject*>(&PyTuple_Type));
  exception.attributes.emplace("args", state.make(TupleObject{{message}, tuple}));
  return state.make(std::move(exception));
}

}  // namespace

AbstractValue value_of_size(Machine& machine, State& state, const nb::object& size) {
  if (is_known_size(size)) return known(size);
  return SizeReader(machine, state).read(size);
}

AbstractValue value_with_sizes(Machine& machine, State& state, nb::handle structure) {
  if (nb::isinstance<protocol::SizeResult>(structure))
    return value_of_size(machine, state, nb::cast<const protocol::SizeResult&>(structure).size);
  if (!PyTuple_Check(structure.ptr())) return known(nb::borrow(structure));
  bool all_known = true;
  std::vector<AbstractValue> items;
  for (const nb::handle item : nb::borrow(structure)) {
    items.push_back(value_with_sizes(machine, state, item));
    all_known = all_known && items.back().constant() != nullptr;
  }
  if (all_known) return known(nb::borrow(structure));
  const nb::object type = machine.torch.is_open_shape(structure)
                              ? nb::object(nb::module_::import_("torch").attr("Size"))
                              : nb::borrow(structure.type());
  return state.make(TupleObject{std::move(items), type});
}

nb::object size_of(const State& state, const AbstractValue& value) {
  if (const nb::object* number = value.constant())
    return PyLong_CheckExact(number->ptr()) ? *number : nb::object();
  const ScalarValue* scalar = value.scalar();
  const auto found = scalar == nullptr ? state.sizes.end() : state.sizes.find(scalar->id);
  return found == state.sizes.end() ? nb::object() : found->second;
}

nb::object size_or_fresh(Machine& machine, State& state, const ScalarValue& scalar) {
  const auto known = state.sizes.find(scalar.id);
  if (known != state.sizes.end()) return known->second;
  nb::object size = size_by_arithmetic(machine, state, scalar.id);
  if (!size.is_valid()) size = sizes_module().attr("unlimited")();
  return state.sizes.emplace(scalar.id, size).first->second;
}

void note_size(State& state, ValueId id, std::size_t smallest) {
  state.sizes[id] = sizes_module().attr("fresh")(smallest);
}

nb::object size_arithmetic(const State& state, Operation operation, const AbstractValue& left,
                           const AbstractValue& right) {
  const nb::object first = size_of(state, left), second = size_of(state, right);
  if (!first.is_valid() || !second.is_valid()) return {};
  const nb::object size =
      sizes_module().attr("arithmetic")(std::string(program::symbol_of(operation)), first, second);
  return size.is_none() ? nb::object() : size;
}

std::optional<AbstractValue> known_size(const State& state, const nb::object& size) {
  if (is_known_size(size)) return known(size);
  for (const auto& [id, other] : state.sizes)
    if (same_size(other, size)) return ScalarValue{id, ScalarKind::I64, origins_of_size(size)};
  return std::nullopt;
}

std::optional<bool> size_comparison(const State& state, Operation operation, const AbstractValue& left,
                                    const AbstractValue& right) {
  const nb::object first = size_of(state, left), second = size_of(state, right);
  if (!first.is_valid() || !second.is_valid() || (is_known_size(first) && is_known_size(second)))
    return std::nullopt;
  const nb::object truth =
      sizes_module().attr("comparison")(std::string(program::symbol_of(operation)), first, second);
  return truth.is_none() ? std::nullopt : std::optional(nb::cast<bool>(truth));
}

void note_size_test(State& state, ValueId result, Operation operation, const AbstractValue& left,
                    const AbstractValue& right) {
  const nb::object first = size_of(state, left), second = size_of(state, right);
  if (!first.is_valid() || !second.is_valid()) return;
  state.size_tests.insert_or_assign(result,
                                    SizeTest{std::string(program::symbol_of(operation)), first, second});
}

void learn_from_test(Machine& machine, State& state, ValueId condition, bool truth) {
  const auto found = state.size_tests.find(condition);
  if (found == state.size_tests.end()) return;
  const SizeTest test = found->second;
  replace_sizes(machine, state,
                sizes_module().attr("consequence")(test.relation, test.left, test.right, truth));
}

void replace_sizes(Machine& machine, State& state, const nb::object& values) {
  if (nb::len(values) == 0) return;
  std::vector<ObjectRef> tensors;
  state.heap.for_each([&](ObjectRef ref, const Object& object) {
    if (std::holds_alternative<TensorObject>(object)) tensors.push_back(ref);
  });
  for (const ObjectRef ref : tensors) {
    const SpecPtr old = tensor_at(state, ref).spec;
    if (old == nullptr || !old->has_open_sizes()) continue;
    const SpecPtr changed = machine.torch.substituted(old, values);
    if (changed != old) state.heap.edit_as<TensorObject>(ref).spec = changed;
  }
  const nb::object in_size = sizes_module().attr("substituted");
  for (auto& [id, size] : state.sizes) size = in_size(size, values);
  for (auto& [id, test] : state.size_tests) {
    test.left = in_size(test.left, values);
    test.right = in_size(test.right, values);
  }
}

Forked split_on_size(Machine& machine, State& state, const protocol::SizeSplit& split) {
  const AbstractValue condition = compared(machine, state, split.relation, split.left, split.right);
  if (condition.scalar() == nullptr)  // typing knows less of numbers than the path does
    machine.refuse(state, "python.leaf_refused", "a number that depends on the input cannot be a size here",
                   "use a number that is known while compiling");
  return split_on(machine, state, *condition.scalar());
}

std::optional<Outcome> require_sizes(Machine& machine, State& state,
                                     const protocol::Requirement& requirement) {
  const Size& left = requirement.left;
  const Size& right = requirement.right;
  const bool numbers = is_known_size(left) && is_known_size(right);  // that differ
  const AbstractValue holds =
      numbers ? known_bool(false) : compared(machine, state, requirement.relation, left, right);
  if (holds.scalar() == nullptr) {
    if (holds.constant()->is(nb::bool_(true))) return std::nullopt;
    return Raised{exception_of(machine, state, requirement)};
  }
  const AbstractValue exception =
      exception_of(machine, state, requirement);  // the sizes still have their names
  Forked forked = split_on(machine, state, *holds.scalar());
  forked.children[1].raised = exception;
  if (machine.torch.settles(requirement)) return forked;
  state = std::move(forked.children[0].state);
  forked.children.erase(forked.children.begin());
  return forked;
}

Origins origins_of_spec(const protocol::TensorSpec& spec) {
  Origins origins;
  for (const nb::handle symbol : spec.symbols) origins = united(origins, origins_of_size(nb::borrow(symbol)));
  return origins;
}

bool same_size(const nb::object& left, const nb::object& right) {
  return left.is(right) || left.equal(right);
}

Forked split_on(Machine& machine, State& state, const ScalarValue& condition) {
  const SourceId where = machine.source(state);
  const dycl::BlockId then_block = machine.emitter.new_block();
  const dycl::BlockId else_block = machine.emitter.new_block();
  machine.emitter.branch(state, condition.id, then_block, else_block, where);
  Forked forked;
  for (const bool outcome : {true, false}) {
    State child = state;
    child.block = outcome ? then_block : else_block;
    child.truths[condition.id] = outcome;
    learn_from_test(machine, child, condition.id, outcome);
    forked.children.push_back({std::move(child), std::nullopt, std::nullopt});
  }
  return forked;
}

}  // namespace dycl::partial_eval
