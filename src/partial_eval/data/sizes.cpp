// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/data/sizes.h"

#include <algorithm>
#include <ranges>

#include "base/size_relation.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/values/layouts.h"
#include "partial_eval/values/python_errors.h"

namespace dycl::partial_eval {
namespace {

using program::Operation;

// Of sizes that meetings gave up; null: of none.
Origins origins_of_size(const SizeExpr& size) {
  const std::set<std::size_t> numbers = dycl::origins_of(size);
  if (numbers.empty()) return nullptr;
  auto origins = std::make_shared<std::set<OriginId>>();
  for (const std::size_t number : numbers) origins->insert(OriginId(number));
  return origins;
}

ScalarValue remembered(State& state, ValueId id, const SizeExpr& size) {
  state.sizes.emplace(id, size);
  return {id, ScalarKind::I64, origins_of_size(size)};
}

// Reads sizes off the tensors of the path.
class SizeReader {
 public:
  SizeReader(Machine& machine, State& state)
      : machine_(machine), state_(state), source_(machine.source(state)) {}

  ScalarValue read(const SizeExpr& size) {
    if (const auto found = known_size(state_, size)) return *found->scalar();
    if (const auto found = off_tensor(size)) return remembered(state_, *found, size);
    const SizeSymbolPtr symbol = size.as_symbol();
    return remembered(state_, symbol ? solved(*symbol) : computed(size), size);
  }

  // What can be read in the place of `size` and compares with the number as it does: of a symbol that tensors
  // hold as min(100, n) only, that, for numbers below 100.
  SizeExpr comparable(const SizeExpr& size, const SizeExpr& number) {
    const SizeSymbolPtr symbol = size.as_symbol();
    if (symbol == nullptr || !number.is_known() || known_size(state_, size)) return size;
    if (find([&](const SizeExpr& other) { return linear_in(other, *symbol).has_value(); })) return size;
    const auto place = find([&](const SizeExpr& other) { return is_capped(other, size, number.constant()); });
    return place ? place->size : size;
  }

 private:
  // min(cap, size) with a cap above the number.
  static bool is_capped(const SizeExpr& capped, const SizeExpr& size, std::int64_t number) {
    if (capped.as_symbol()) return false;
    const SizeParts parts = parts_of(capped);
    return parts.operation == "min" && std::ranges::all_of(parts.operands, [&](const SizeExpr& operand) {
             return operand == size || (operand.is_known() && operand.constant() > number);
           });
  }

  ValueId computed(const SizeExpr& size) {
    if (size.is_known()) return machine_.emitter.constant(state_, Scalar(size.constant()));
    if (size.as_symbol()) return read(size).id;
    const SizeParts parts = parts_of(size);
    ValueId total = computed(parts.operands.front());
    for (const SizeExpr& operand : parts.operands | std::views::drop(1))
      total = combined(parts.operation, total, computed(operand));
    return total;
  }

  ValueId combined(std::string_view operation, ValueId left, ValueId right) {
    if (operation == "max" || operation == "min") {
      const ValueId first =
          emit(operation == "max" ? HostOp::Ge : HostOp::Le, {left, right}, ScalarType{ScalarKind::Bool});
      return emit(HostOp::Select, {first, left, right});
    }
    const HostOp op = operation == "+"    ? HostOp::Add
                      : operation == "*"  ? HostOp::Mul
                      : operation == "//" ? HostOp::FloorDiv
                                          : HostOp::Mod;
    return emit(op, {left, right});
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
    SizeExpr size;
  };

  // The first axis of a tensor on this path whose size `accepts`.
  template <class Accepts>
  std::optional<Place> find(const Accepts& accepts) {
    std::optional<Place> found;
    state_.heap.for_each([&](ObjectRef, const Object& object) {
      const auto* tensor = std::get_if<TensorObject>(&object);
      if (found || tensor == nullptr || !tensor->value.valid() || !tensor->spec->has_open_sizes()) return;
      const auto& shape = tensor->spec->shape;
      const auto place = std::ranges::find_if(
          shape, [&](const SizeExpr& size) { return !size.is_known() && accepts(size); });
      if (place != shape.end()) found = Place{tensor->value, place - shape.begin(), *place};
    });
    return found;
  }

  std::optional<ValueId> off_tensor(const SizeExpr& size) {
    const auto place = find([&](const SizeExpr& other) { return other == size; });
    return place ? std::optional(dim_of(place->tensor, place->axis)) : std::nullopt;
  }

  // A symbol that no tensor has as a whole size: from 2*n+1, say.
  ValueId solved(const SizeSymbol& symbol) {
    const auto place = find([&](const SizeExpr& size) { return linear_in(size, symbol).has_value(); });
    if (!place)
      machine_.refuse(state_, "python.size_lost", "a size that is needed here is held by no tensor any more",
                      "keep the tensor, or read its size before");
    const auto [factor, rest] = *linear_in(place->size, symbol);
    const auto number = [&](std::int64_t value) { return machine_.emitter.constant(state_, Scalar(value)); };
    const ValueId multiple = emit(HostOp::Sub, {dim_of(place->tensor, place->axis), number(rest)});
    return emit(HostOp::FloorDiv, {multiple, number(factor)});
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

// A number that was read may lie beyond the ranges of symbols, which are those of sizes: a comparison with
// such a number says nothing.
constexpr std::int64_t kMostOfSizes = SizeRange::kLargest / 2;

bool is_size_like(const SizeExpr& size) {
  return !size.is_known() || (size.constant() > -kMostOfSizes && size.constant() < kMostOfSizes);
}

bool has_known_ends(const SizeExpr& size) {
  const auto [smallest, largest] = range_of(size);
  return smallest > -kMostOfSizes && largest < kMostOfSizes;
}

void note_test(State& state, ValueId result, Operation operation, const std::optional<SizeExpr>& left,
               const std::optional<SizeExpr>& right) {
  if (!left || !right || !is_size_like(*left) || !is_size_like(*right)) return;
  state.size_tests.insert_or_assign(result,
                                    SizeTest{std::string(program::symbol_of(operation)), *left, *right});
}

// Whether it holds: known, or a number on the host.
AbstractValue compared(Machine& machine, State& state, const std::string& relation, const SizeExpr& left,
                       const SizeExpr& right) {
  SizeReader reader(machine, state);
  const AbstractValue first = value_of_size(machine, state, reader.comparable(left, right)),
                      second = value_of_size(machine, state, reader.comparable(right, left));
  const Operation operation = relation_of(relation);
  if (const auto truth = size_comparison(state, operation, first, second)) return known_bool(*truth);
  const auto result = std::get<AbstractValue>(number_compare(machine, state, operation, first, second));
  if (const ScalarValue* scalar = result.scalar()) note_test(state, scalar->id, operation, left, right);
  return result;
}

// The step of this block that computes a number; null: it comes from elsewhere.
const HostStep* step_of(const Machine& machine, const State& state, ValueId number) {
  for (const Step& step : machine.emitter.graph.blocks[state.block.index()].steps | std::views::reverse)
    if (const auto* host = std::get_if<HostStep>(&step))
      if (host->outputs.size() == 1 && host->outputs.front() == number) return host;
  return nullptr;
}

// A number that this block has as a constant.
std::optional<SizeExpr> constant_size(const Machine& machine, const State& state, ValueId number) {
  const HostStep* step = step_of(machine, state, number);
  if (step == nullptr || step->op != HostOp::Const) return std::nullopt;
  return SizeExpr(std::get<std::int64_t>(step->attributes.at("value")));
}

// Of an int and a constant, added or subtracted: arange(i, i + 4) has 4 elements, whatever i is.
std::optional<SizeExpr> size_by_arithmetic(Machine& machine, State& state, ValueId number) {
  const HostStep* step = step_of(machine, state, number);
  if (step == nullptr || (step->op != HostOp::Add && step->op != HostOp::Sub)) return std::nullopt;
  const char* operation = step->op == HostOp::Add ? "+" : "-";
  const std::vector<ValueId> inputs = step->inputs;
  std::optional<SizeExpr> left = constant_size(machine, state, inputs[0]);
  std::optional<SizeExpr> right = constant_size(machine, state, inputs[1]);
  if (left.has_value() == right.has_value()) return std::nullopt;
  std::optional<SizeExpr>& open = left ? right : left;
  open = size_or_fresh(machine, state, {inputs[left ? 1 : 0], ScalarKind::I64, nullptr});
  return computed_size(operation, *left, *right);
}

// An int that this block has read, or one that is so much more or less.
bool is_read_here(const Machine& machine, const State& state, ValueId number) {
  const HostStep* step = step_of(machine, state, number);
  if (step == nullptr) return false;
  if (step->op != HostOp::Add && step->op != HostOp::Sub)
    return step->op == HostOp::Item || step->op == HostOp::ToInt;
  const bool first = constant_size(machine, state, step->inputs[0]).has_value();
  return (first || constant_size(machine, state, step->inputs[1])) &&
         is_read_here(machine, state, step->inputs[first ? 1 : 0]);
}

AbstractValue exception_of(Machine& machine, State& state, const protocol::Requirement& requirement) {
  TextObject text{requirement.message, {}, false};
  const nb::object type = exception_class(requirement.exception);
  for (const SizeExpr& size : requirement.fields) {
    const AbstractValue value = value_of_size(machine, state, size);
    text.scalars.push_back({scalar_id(machine, state, value), ScalarKind::I64, nullptr});
  }
  InstanceObject exception{type, {}, {}};
  const AbstractValue message = state.make(std::move(text));
  const nb::object tuple = nb::borrow(reinterpret_cast<PyObject*>(&PyTuple_Type));
  exception.attributes.set("args", state.make(TupleObject{{message}, tuple}));
  return state.make(std::move(exception));
}

// Of a number about which nothing is known.
SizeExpr fresh_symbol(Machine& machine) {
  return machine.torch.size_symbols().fresh({-SizeRange::kLargest, SizeRange::kLargest});
}

// An int that no number on the host reaches, as it does not fit into 64 bits.
bool is_beyond(const AbstractValue& value) {
  SizeExpr size;
  const nb::object* number = value.constant();
  return number != nullptr && PyLong_CheckExact(number->ptr()) && !nb::try_cast(*number, size);
}

std::int64_t sign_of(const AbstractValue& beyond) {
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(beyond.constant()->ptr(), &overflow);
  return overflow;
}

void replace_in_specs(Machine& machine, State& state, const SizeValues& values) {
  const auto is_replaced = [&](const SizeSymbolPtr& symbol) { return values.contains(symbol->number); };
  std::vector<std::pair<ObjectRef, SpecPtr>> tensors;
  state.heap.for_each([&](ObjectRef ref, const Object& object) {
    const auto* tensor = std::get_if<TensorObject>(&object);
    if (tensor != nullptr && tensor->spec != nullptr &&
        std::ranges::any_of(tensor->spec->symbols, is_replaced))
      tensors.emplace_back(ref, tensor->spec);
  });
  for (const auto& [ref, old] : tensors)
    state.heap.edit_as<TensorObject>(ref).spec = machine.torch.with_layout(*old, substituted(*old, values));
}

// Of what is beyond 64 bits then, nothing is known.
void replace_in_facts(State& state, const SizeValues& values) {
  const auto replaced = [&](const SizeExpr& size) {
    return unless_beyond([&] { return substituted(size, values); });
  };
  std::map<ValueId, SizeExpr> sizes;
  for (const auto& [id, size] : state.sizes)
    if (auto changed = replaced(size)) sizes.emplace(id, std::move(*changed));
  std::map<ValueId, SizeTest> tests;
  for (const auto& [id, test] : state.size_tests) {
    auto left = replaced(test.left), right = replaced(test.right);
    if (left && right) tests.emplace(id, SizeTest{test.relation, std::move(*left), std::move(*right)});
  }
  std::map<ValueId, SizeExpr> held;
  for (const auto& [id, size] : state.held_sizes)
    if (auto changed = replaced(size)) held.emplace(id, std::move(*changed));
  state.sizes = std::move(sizes);
  state.held_sizes = std::move(held);
  state.size_tests = std::move(tests);
}

}  // namespace

AbstractValue value_of_size(Machine& machine, State& state, const SizeExpr& size) {
  if (size.is_known()) return known_int(size.constant());
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
  const nb::object type =
      machine.torch.is_open_shape(structure) ? machine.torch.size_class() : nb::borrow(structure.type());
  return state.make(TupleObject{std::move(items), type});
}

std::optional<SizeExpr> size_of(const State& state, const AbstractValue& value) {
  if (const nb::object* number = value.constant()) {
    SizeExpr size;
    const bool is_size = PyLong_CheckExact(number->ptr()) && nb::try_cast(*number, size);
    return is_size ? std::optional(size) : std::nullopt;
  }
  const ScalarValue* scalar = value.scalar();
  const auto found = scalar == nullptr ? state.sizes.end() : state.sizes.find(scalar->id);
  return found == state.sizes.end() ? std::nullopt : std::optional(found->second);
}

SizeExpr size_or_fresh(Machine& machine, State& state, const ScalarValue& scalar) {
  const auto known = state.sizes.find(scalar.id);
  if (known != state.sizes.end()) return known->second;
  auto size = size_by_arithmetic(machine, state, scalar.id);
  if (!size) size = fresh_symbol(machine);
  return state.sizes.emplace(scalar.id, *size).first->second;
}

void follow_read_number(Machine& machine, State& state, const AbstractValue& number,
                        const AbstractValue& bound) {
  const ScalarValue* scalar = number.scalar();
  if (scalar == nullptr || scalar->kind != ScalarKind::I64) return;
  if (size_of(state, number) || !size_of(state, bound)) return;
  if (is_read_here(machine, state, scalar->id)) (void)size_or_fresh(machine, state, *scalar);
}

void note_size(Machine& machine, State& state, ValueId id, std::size_t smallest) {
  state.sizes[id] = machine.torch.size_symbols().fresh({static_cast<std::int64_t>(smallest)});
}

std::optional<SizeExpr> size_arithmetic(const State& state, Operation operation, const AbstractValue& left,
                                        const AbstractValue& right) {
  const auto first = size_of(state, left), second = size_of(state, right);
  if (!first || !second) return std::nullopt;
  return computed_size(program::symbol_of(operation), *first, *second);
}

std::optional<AbstractValue> known_size(const State& state, const SizeExpr& size) {
  if (size.is_known()) return known_int(size.constant());
  for (const auto& [id, other] : state.sizes)
    if (other == size) return ScalarValue{id, ScalarKind::I64, origins_of_size(size)};
  return std::nullopt;
}

std::optional<bool> size_comparison(const State& state, Operation operation, const AbstractValue& left,
                                    const AbstractValue& right) {
  const auto first = size_of(state, left), second = size_of(state, right);
  const std::string_view relation = program::symbol_of(operation);
  if (first && !first->is_known() && is_beyond(right)) return holds(relation, 0, sign_of(right));
  if (second && !second->is_known() && is_beyond(left)) return holds(relation, sign_of(left), 0);
  if (!first || !second || (first->is_known() && second->is_known())) return std::nullopt;
  const SizeExpr& open = first->is_known() ? *second : *first;
  if (!(is_size_like(*first) && is_size_like(*second)) && !has_known_ends(open)) return std::nullopt;
  return holds(relation, *first, *second);
}

void note_size_test(State& state, ValueId result, Operation operation, const AbstractValue& left,
                    const AbstractValue& right) {
  note_test(state, result, operation, size_of(state, left), size_of(state, right));
}

void note_tensor_test(Machine& machine, State& state, const AbstractValue& result, Operation operation,
                      const AbstractValue& left, const AbstractValue& right) {
  const auto size_held = [&](const AbstractValue& value) -> std::optional<SizeExpr> {
    const auto* tensor = state.heap.get<TensorObject>(value);
    if (tensor == nullptr) return size_of(state, value);
    const bool is_one =
        std::ranges::all_of(tensor->spec->shape, [](const SizeExpr& size) { return size == 1; });
    if (!is_one || tensor->spec->type.tensor()->dtype != DType::I64) return std::nullopt;
    const auto [entry, is_new] = state.held_sizes.try_emplace(tensor->value);
    if (is_new) entry->second = fresh_symbol(machine);
    return entry->second;
  };
  const auto* compared = state.heap.get<TensorObject>(result);
  const bool bounded = left.constant() != nullptr || right.constant() != nullptr;
  if (compared == nullptr || !bounded) return;
  const auto first = size_held(left), second = first ? size_held(right) : std::nullopt;
  note_test(state, compared->value, operation, first, second);
}

AbstractValue learn_from_tensor(State& state, ValueId tensor, const AbstractValue& number) {
  const ScalarValue* scalar = number.scalar();
  if (scalar == nullptr) return number;
  const auto size = state.held_sizes.find(tensor);
  if (scalar->kind == ScalarKind::I64 && size != state.held_sizes.end())
    state.sizes.emplace(scalar->id, size->second);
  const auto found = state.size_tests.find(tensor);
  if (scalar->kind != ScalarKind::Bool || found == state.size_tests.end()) return number;
  const SizeTest test = found->second;
  if (const auto truth = holds(test.relation, test.left, test.right)) return known_bool(*truth);
  state.size_tests.emplace(scalar->id, test);
  return number;
}

void learn_from_test(Machine& machine, State& state, ValueId condition, bool truth) {
  const auto found = state.size_tests.find(condition);
  if (found == state.size_tests.end()) return;
  const SizeTest& test = found->second;
  replace_sizes(machine, state,
                consequence(machine.torch.size_symbols(), test.relation, test.left, test.right, truth));
}

void replace_sizes(Machine& machine, State& state, const SizeValues& values) {
  if (values.empty()) return;
  replace_in_specs(machine, state, values);
  replace_in_facts(state, values);
}

SpecPtr packed_spec(Machine& machine, const protocol::TensorSpec& element, const SizeExpr& length) {
  Sizes shape{length};
  shape.insert(shape.end(), element.shape.begin(), element.shape.end());
  Sizes stride = contiguous_stride(shape);
  return machine.torch.with_layout(element, {std::move(shape), std::move(stride)});
}

std::optional<protocol::SizeSplit> question_of_one(const Sizes& shape) {
  for (const SizeExpr& size : shape) {
    if (size == SizeExpr(1)) continue;
    const auto [smallest, largest] = range_of(size);
    if (size.is_known() || smallest >= 2) return std::nullopt;
    return largest < 2 ? protocol::SizeSplit{"==", size, smallest} : protocol::SizeSplit{"<", size, 2};
  }
  return std::nullopt;
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
  const SizeExpr& left = requirement.left;
  const SizeExpr& right = requirement.right;
  const bool numbers = left.is_known() && right.is_known();  // that differ
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
  if (settles(requirement.relation, left, right)) return forked;
  state = std::move(forked.children[0].state);
  forked.children.erase(forked.children.begin());
  return forked;
}

Origins origins_of_spec(const protocol::TensorSpec& spec) {
  Origins origins;
  for (const SizeSymbolPtr& symbol : spec.symbols)
    origins = united(origins, origins_of_size(SizeExpr(symbol)));
  return origins;
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
