// SPDX-License-Identifier: Apache-2.0
// Calls of torch on tensors that depend on the input: one operation each.
#include "partial_eval/torch/leaf.h"

#include <algorithm>
#include <set>

#include "base/overloaded.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/data/sizes.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/torch/callables.h"
#include "partial_eval/torch/checks.h"
#include "partial_eval/torch/contexts.h"
#include "partial_eval/torch/layout.h"
#include "partial_eval/torch/ports.h"
#include "partial_eval/torch/read_arguments.h"
#include "partial_eval/torch/read_tensor.h"
#include "partial_eval/torch/tensor_writes.h"
#include "partial_eval/values/handlers.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

std::string described_object(const Object& object) {
  if (const auto* instance = std::get_if<InstanceObject>(&object))
    return "an object of the class " + class_name(instance->type);
  return "a " + kind_name(object) + " that depends on the input";
}

// One call: arguments with slots for what depends on the input.
class LeafRun {
 public:
  LeafRun(Machine& machine, State& state, const nb::object& callee)
      : machine_(machine), state_(state), callee_(callee) {}

  // `may_read`: tensors among the arguments may be read as numbers. Else nullopt, where one would have to be,
  // or where torch takes no number there.
  std::optional<Outcome> run(const Arguments& arguments, bool may_read);
  // What its operation would check of indices is known to hold.
  LeafRun& in_range() {
    is_in_range_ = true;
    return *this;
  }
  Outcome metadata(const Arguments& arguments);

 private:
  // The call with those tensors read as numbers that torch itself would read.
  Outcome read_and_run(const protocol::LeafRefused& refused, const Arguments& arguments);
  // The call after what it requires of sizes was checked.
  Outcome required(const protocol::LeafCall& call, const Arguments& arguments);
  Outcome computed(const protocol::LeafCall& call, const Arguments& arguments);
  Outcome joined(Forked& raising, Outcome outcome);
  struct Given {
    nb::tuple positional;
    nb::dict keywords;
  };

  nb::tuple positional(const Arguments& arguments);
  nb::dict keywords(const Arguments& arguments);
  nb::object argument(const AbstractValue& value);
  nb::object object_argument(ObjectRef ref);
  [[noreturn]] void refuse_argument(const Object& object) const;
  nb::object numpy_argument(const InstanceObject& instance);
  nb::object tensor_slot(ObjectRef ref, const TensorObject& tensor);
  Given given(const Arguments& arguments);
  [[noreturn]] void refuse(const protocol::LeafRefused& refused);

  std::vector<ValueId> inputs(const protocol::LeafCall& call, SourceId source);
  ValueId input(nb::handle operand, SourceId source);
  AbstractValue result(nb::handle structure, const std::vector<ValueId>& outputs);
  AbstractValue tensor_result(const protocol::TensorResult& result, const std::vector<ValueId>& outputs);
  void write_back(const protocol::LeafCall& call, const std::vector<ValueId>& outputs,
                  const Arguments& arguments);
  void refuse_unwritten_inputs(const protocol::LeafCall& call, const Arguments& arguments);
  nb::object written_part(const Arguments& arguments);
  std::vector<ValueId> emitted(const protocol::LoweredPtr& fragment, std::vector<ValueId> inputs,
                               SourceId source);
  std::vector<protocol::Check> open_checks(const protocol::LeafCall& call,
                                           const std::vector<ValueId>& inputs);
  Outcome checked(const std::vector<protocol::Check>& checks, const std::vector<ValueId>& outputs,
                  AbstractValue value, SourceId source);

  Machine& machine_;
  State& state_;
  const nb::object& callee_;
  bool is_in_range_ = false;
  std::map<HeapId, nb::object> tensor_slots_;
  std::vector<ScalarValue> scalars_;  // numbers among the arguments
  std::vector<ObjectRef> operands_;   // tensors among the arguments
  bool has_options_ = false;          // there is more than one argument
};

nb::object LeafRun::tensor_slot(ObjectRef ref, const TensorObject& tensor) {
  nb::object& slot = tensor_slots_[ref.id];
  if (!slot.is_valid()) {
    const auto storage = static_cast<std::int64_t>(tensor.storage.index());
    slot = nb::cast(std::make_shared<const protocol::TensorSlot>(tensor.spec, storage, tensor.at, ref));
    operands_.push_back(ref);
  }
  return slot;
}

nb::object LeafRun::object_argument(ObjectRef ref) {
  const Object& object = state_.heap.at(ref);
  return std::visit(
      Overloaded{
          [&](const TensorObject& tensor) { return tensor_slot(ref, tensor); },
          [&](const ListObject& list) -> nb::object {
            nb::list items;
            for (const AbstractValue& item : list.items) items.append(argument(item));
            return items;
          },
          [&](const TupleObject& tuple) -> nb::object {
            refuse_class_of_items(machine_, state_, tuple.type, short_name(callee_));
            nb::list items;
            for (const AbstractValue& item : tuple.items) items.append(argument(item));
            if (tuple.type.is(reinterpret_cast<PyObject*>(&PyTuple_Type))) return nb::tuple(items);
            return has_attribute(tuple.type, "_make") ? nb::object(tuple.type.attr("_make")(items))
                                                      : nb::object(nb::tuple(items));
          },
          [&](const DictObject& dict) -> nb::object {
            nb::dict entries;
            for (const auto& [key, value] : dict.entries) entries[key] = argument(value);
            return entries;
          },
          [&](const SliceObject& slice) -> nb::object {
            return nb::steal(PySlice_New(argument(slice.start).ptr(), argument(slice.stop).ptr(),
                                         argument(slice.step).ptr()));
          },
          [&](const SequenceObject& sequence) -> nb::object {
            if (sequence.origins) throw Restart{*sequence.origins};
            machine_.refuse(state_, "python.sequence_argument",
                            "a list whose length depends on the path is passed to " + short_name(callee_),
                            "pass a list of known length");
          },
          [&](const InstanceObject& instance) -> nb::object {
            if (stands_for_numpy(instance.type)) return numpy_argument(instance);
            refuse_argument(object);
          },
          [&](const auto&) -> nb::object { refuse_argument(object); },
      },
      object);
}

void LeafRun::refuse_argument(const Object& object) const {
  machine_.refuse(state_, "python.leaf_argument",
                  described_object(object) + " is passed to " + short_name(callee_),
                  "pass tensors, numbers, or lists and tuples of them");
}

// torch makes a tensor of an array, and takes most numbers of numpy for Python's.
nb::object LeafRun::numpy_argument(const InstanceObject& instance) {
  static const std::set<std::string> kMakers{"tensor", "as_tensor", "asarray", "new_tensor"};  // see dtypes
  const std::string shown = text_or_empty(shown_type(instance.type), "__name__");
  const AbstractValue elements = instance.attributes.begin()->second;
  const std::string callee = text_or_empty(callee_, "__name__");
  if (shown == "ndarray")
    machine_.refuse(state_, "python.leaf_argument",
                    "an array of numpy is passed to " + short_name(callee_) + ", which takes tensors",
                    "use torch.from_numpy(array)");
  if (shown.starts_with("bool") || kMakers.contains(callee) ||
      (shown == "float32" && callee == "__setitem__"))
    machine_.refuse(state_, "python.leaf_argument",
                    "a number of numpy of the kind " + shown + " is passed to " + short_name(callee_),
                    "convert it with bool(), int() or float()");
  return argument(read_once(machine_, state_, current(state_, elements)));
}

nb::object LeafRun::argument(const AbstractValue& value) {
  const AbstractValue now = machine_.refined(state_, current(state_, value));
  if (const nb::object* object = now.constant()) {
    refuse_own_items(machine_, state_, *object, short_name(callee_));
    return *object;
  }
  if (const ObjectRef* ref = now.object()) {
    if (state_.heap.get<TensorObject>(now) == nullptr)
      if (auto whole = machine_.reify(state_, now)) return std::move(*whole);
    return object_argument(*ref);
  }
  const ScalarValue& scalar = *now.scalar();
  std::optional<SizeExpr> size;
  if (scalar.kind == ScalarKind::I64) size = size_or_fresh(machine_, state_, scalar);
  scalars_.push_back(scalar);
  return nb::cast(std::make_shared<const protocol::ScalarSlot>(scalar, size));
}

nb::tuple LeafRun::positional(const Arguments& arguments) {
  nb::list list;
  for (const AbstractValue& value : arguments.positional) list.append(argument(value));
  return nb::tuple(list);
}

nb::dict LeafRun::keywords(const Arguments& arguments) {
  nb::dict dict;
  for (const auto& [name, value] : arguments.keywords) dict[name.c_str()] = argument(value);
  return dict;
}

LeafRun::Given LeafRun::given(const Arguments& arguments) {
  Given given{positional(arguments), keywords(arguments)};
  has_options_ = given.positional.size() > 1 || given.keywords.size() > 0;
  note_strides_that_raise(machine_, state_, name_of_callable(callee_), operands_);
  return given;
}

// Raises what eager raises here, whatever the values are.
[[noreturn]] void raise_in_program(const protocol::TorchRaised& raised) {
  const nb::object& own = raised.exception;
  own.attr("__traceback__") = nb::none();  // it was raised while typing, and is the program's now
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(own.ptr())), own.ptr());
  throw nb::python_error();
}

// Numbers and sizes that meetings gave up may be known if the meetings keep their states apart: the call may
// work then.
void LeafRun::refuse(const protocol::LeafRefused& refused) {
  Origins origins;
  for (const ScalarValue& scalar : scalars_) origins = united(origins, scalar.origins);
  for (const ObjectRef operand : operands_)
    origins = united(origins, origins_of_spec(*tensor_at(state_, operand).spec));
  if (origins) throw Restart{.origins = *origins, .needed_at = machine_.place_text(state_)};
  for (const ScalarValue& scalar : scalars_)
    if (scalar.kind == ScalarKind::Bool) throw Split{scalar};
  machine_.refuse(state_, "python.leaf_refused", short_name(callee_) + ": " + refused.reason, refused.hint);
}

ValueId LeafRun::input(nb::handle operand, SourceId source) {
  if (nb::isinstance<protocol::TensorSlot>(operand))
    return tensor_at(state_, nb::cast<const protocol::TensorSlot&>(operand).tensor).value;
  if (nb::isinstance<protocol::ScalarSlot>(operand))
    return machine_.emitter.tensor_of_scalar(state_, nb::cast<const protocol::ScalarSlot&>(operand).scalar,
                                             source);
  if (machine_.torch.is_tensor(operand)) {
    if (current(state_, known(nb::borrow(operand))).object() != nullptr)
      machine_.refuse(state_, "python.stale_object",
                      short_name(callee_) + " computes with a tensor that the program has written to before",
                      "call it before the write, or keep what is written in variables");
    return machine_.emitter.weight(nb::borrow(operand));
  }
  const auto number = known_scalar(known(nb::borrow(operand)));
  if (!number) internal_error("capture lifted something that is no number");
  return machine_.emitter.number(*number);
}

std::vector<ValueId> LeafRun::inputs(const protocol::LeafCall& call, SourceId source) {
  std::vector<ValueId> ids;
  for (const nb::object& operand : call.inputs) ids.push_back(input(operand, source));
  return ids;
}

// Places are counted in elements.
bool is_same_dtype(const SpecPtr& left, const SpecPtr& right) { return left->dtype.is(right->dtype); }

AbstractValue LeafRun::tensor_result(const protocol::TensorResult& result,
                                     const std::vector<ValueId>& outputs) {
  if (result.same_as) {
    const ObjectRef given = result.same_as->tensor;
    const auto apart = same_for_these_strides(state_, name_of_callable(callee_), has_options_, given);
    return apart ? *apart : given;
  }
  if (!result.same_static.is_none()) return known(result.same_static);
  TensorObject tensor;
  tensor.spec = result.spec;
  tensor.value = outputs.at(static_cast<std::size_t>(result.index));
  tensor.outside = result.static_view;
  if (!result.static_base.is_none()) {
    tensor.static_base = result.static_base;
    note_shared(machine_, state_, result.static_base);
  }
  for (const protocol::SlotPtr& slot : result.view_of) {
    const TensorObject& base = tensor_at(state_, slot->tensor);
    tensor.storage = base.storage;
    tensor.outside = tensor.outside || base.outside;
    tensor.escaped = tensor.escaped || base.escaped;
    tensor.free_sharing = tensor.free_sharing || base.free_sharing;
    tensor.sharing = united(tensor.sharing, base.sharing);
    const bool placed = base.at && result.at && is_same_dtype(tensor.spec, base.spec);
    tensor.at = placed ? std::optional(*base.at + *result.at) : std::nullopt;
    tensor.unwritten = unwritten_in_view(machine_, base, tensor);
  }
  if (!tensor.storage.valid()) tensor.storage = fresh_storage();
  note_result_layout(state_, tensor, name_of_callable(callee_), has_options_, operands_);
  return state_.make(std::move(tensor));
}

AbstractValue LeafRun::result(nb::handle structure, const std::vector<ValueId>& outputs) {
  if (nb::isinstance<protocol::TensorResult>(structure))
    return tensor_result(nb::cast<const protocol::TensorResult&>(structure), outputs);
  const bool is_list = PyList_Check(structure.ptr());
  if (!is_list && !PyTuple_Check(structure.ptr())) return known(nb::borrow(structure));
  std::vector<AbstractValue> items;
  for (const nb::handle item : structure) items.push_back(result(item, outputs));
  if (is_list) return state_.make(ListObject{std::move(items)});
  if (Py_IS_TYPE(structure.ptr(), &PyTuple_Type)) return make_tuple(machine_, state_, std::move(items));
  bool any_dynamic = false;
  for (const AbstractValue& item : items) any_dynamic = any_dynamic || item.constant() == nullptr;
  if (!any_dynamic) return known(nb::borrow(structure));
  return state_.make(TupleObject{std::move(items), nb::borrow(structure.type())});
}

void LeafRun::write_back(const protocol::LeafCall& call, const std::vector<ValueId>& outputs,
                         const Arguments& arguments) {
  for (const auto& [slot, output] : call.mutated) {
    UnwrittenAside unwritten(machine_, state_, slot->tensor);
    write_tensor(machine_, state_, slot->tensor, outputs.at(output), short_name(callee_));
    unwritten.put_back(written_part(arguments));
  }
}

std::vector<ValueId> LeafRun::emitted(const protocol::LoweredPtr& fragment, std::vector<ValueId> inputs,
                                      SourceId source) {
  Result<std::vector<ValueId>> outputs =
      machine_.emitter.fragment(state_, fragment, std::move(inputs), source);
  if (outputs) return std::move(*outputs);
  machine_.refuse(state_, "python.leaf_refused",
                  short_name(callee_) + " has no form that a backend takes: " + outputs.error().message,
                  "use another dtype or another operation");
}

// A check of indices and divisors that are known is decided here: typing looks at no values.
std::vector<protocol::Check> LeafRun::open_checks(const protocol::LeafCall& call,
                                                  const std::vector<ValueId>& inputs) {
  std::vector<protocol::Check> checks;
  if (call.checks.empty() || is_in_range_) return checks;
  const std::vector<bool> passed = machine_.emitter.flags_that_are_false(call.fragment, inputs);
  for (const protocol::Check& check : call.checks)
    if (!passed.at(check.output)) checks.push_back(check);
  return checks;
}

Outcome LeafRun::checked(const std::vector<protocol::Check>& checks, const std::vector<ValueId>& outputs,
                         AbstractValue value, SourceId source) {
  Forked forked;
  for (const auto& [output, type, message] : checks)
    if (auto raising = check_flag(machine_, state_, {outputs.at(output), type, message, source}))
      forked.children.push_back(std::move(*raising));
  if (forked.children.empty()) return value;
  forked.children.push_back({state_, std::move(value), std::nullopt});
  return forked;
}

std::optional<Outcome> LeafRun::run(const Arguments& arguments, bool may_read) {
  machine_.torch.note_call(machine_.found.returns + machine_.found.raises.size(),
                           machine_.place_text(state_));
  const auto [positional, keywords] = given(arguments);
  const TorchBridge::CallAnswer answer = [&] {
    const EnteredContexts contexts(state_.contexts);
    return machine_.torch.call(callee_, positional, keywords);
  }();
  if (const auto* refused = std::get_if<protocol::LeafRefused>(&answer); refused != nullptr && refused->reads)
    return may_read ? std::optional(read_and_run(*refused, arguments)) : std::nullopt;
  if (!may_read && std::holds_alternative<protocol::TorchRaised>(answer)) return std::nullopt;
  return std::visit(
      Overloaded{
          [&](const std::shared_ptr<const protocol::LeafCall>& call) { return required(*call, arguments); },
          [&](const protocol::Requirement& unmet) { return *require_sizes(machine_, state_, unmet); },
          [&](const protocol::SizeSplit& split) -> Outcome { throw split; },
          [&](const protocol::TorchRaised& raised) -> Outcome { raise_in_program(raised); },
          [&](const protocol::LeafRefused& refused) -> Outcome { refuse(refused); },
      },
      answer);
}

// The smaller ones first; none of many.
std::vector<std::vector<AbstractValue>> subsets(const std::vector<AbstractValue>& tensors) {
  std::vector<std::vector<AbstractValue>> found;
  if (tensors.size() > 4) return found;
  for (unsigned mask = 1; mask < 1U << tensors.size(); ++mask) {
    std::vector<AbstractValue>& subset = found.emplace_back();
    for (std::size_t index = 0; index < tensors.size(); ++index)
      if ((mask >> index & 1U) != 0) subset.push_back(tensors[index]);
  }
  std::ranges::stable_sort(found, {}, [](const auto& subset) { return subset.size(); });
  return found;
}

// The smallest set of tensors with which the call reads no other is the set that torch reads.
Outcome LeafRun::read_and_run(const protocol::LeafRefused& refused, const Arguments& arguments) {
  for (const std::vector<AbstractValue>& read : subsets(tensors_without_dims(state_, arguments))) {
    const Arguments numbers = with_numbers(machine_, state_, arguments, read);
    if (auto outcome = LeafRun(machine_, state_, callee_).run(numbers, false)) return std::move(*outcome);
  }
  refuse(refused);
}

Outcome LeafRun::required(const protocol::LeafCall& call, const Arguments& arguments) {
  if (is_in_range_) return computed(call, arguments);
  Forked raising;
  for (const protocol::Requirement& requirement : call.requirements) {
    std::optional<Outcome> outcome = require_sizes(machine_, state_, requirement);
    auto* forked = outcome ? std::get_if<Forked>(&*outcome) : nullptr;
    if (outcome && (forked == nullptr || forked->children.size() > 1)) return joined(raising, *outcome);
    if (forked != nullptr) raising.children.push_back(std::move(forked->children.front()));
  }
  return joined(raising, computed(call, arguments));
}

// The ways that raise beside the one that goes on.
Outcome LeafRun::joined(Forked& raising, Outcome outcome) {
  if (raising.children.empty()) return outcome;
  if (auto* forked = std::get_if<Forked>(&outcome))
    std::move(forked->children.begin(), forked->children.end(), std::back_inserter(raising.children));
  else if (auto* raised = std::get_if<Raised>(&outcome))
    raising.children.push_back({state_, std::nullopt, raised->exception});
  else
    raising.children.push_back({state_, std::get<AbstractValue>(std::move(outcome)), std::nullopt});
  return std::move(raising);
}

Outcome LeafRun::computed(const protocol::LeafCall& call, const Arguments& arguments) {
  const SourceId source = machine_.source(state_);
  std::vector<protocol::Check> checks;
  std::vector<ValueId> outputs;
  if (!call.fragment->output_types.empty()) {
    refuse_unwritten_inputs(call, arguments);
    std::vector<ValueId> given = inputs(call, source);
    checks = open_checks(call, given);
    if (!checks.empty()) keep_writes_before_exception(machine_, state_);
    outputs = emitted(call.fragment, std::move(given), source);
  }
  write_back(call, outputs, arguments);
  AbstractValue value = result(call.result, outputs);
  if (arguments.positional.size() == 2 && short_name(callee_) == "getitem")
    note_selection(state_, value, arguments.positional[0], arguments.positional[1]);
  return checked(checks, outputs, std::move(value), source);
}

// Nothing but views of the tensor, or the tensor itself.
bool is_view_of(nb::handle structure, ObjectRef tensor) {
  if (nb::isinstance<protocol::TensorResult>(structure)) {
    const auto& result = nb::cast<const protocol::TensorResult&>(structure);
    if (result.same_as) return result.same_as->tensor == tensor;
    return std::ranges::any_of(result.view_of,
                               [&](const protocol::SlotPtr& slot) { return slot->tensor == tensor; });
  }
  if (!PyList_Check(structure.ptr()) && !PyTuple_Check(structure.ptr())) return false;
  for (const nb::handle item : structure)
    if (!is_view_of(item, tensor)) return false;
  return nb::len(structure) > 0;
}

// Write elements of their first argument and read none of it.
const std::set<std::string> kOverwrites{"fill_", "zero_", "copy_", "setitem", "masked_fill_", "index_fill_"};
const std::set<std::string> kOverwriteAll{"fill_", "zero_", "copy_"};
// Look at the type and the sizes of their first argument.
const std::set<std::string> kReadNoElement{"zeros_like", "ones_like", "full_like",
                                           "new_zeros",  "new_ones",  "new_full"};

// A view reads nothing, and who writes only does not either.
void LeafRun::refuse_unwritten_inputs(const protocol::LeafCall& call, const Arguments& arguments) {
  const std::string name = short_name(callee_);
  for (const nb::object& operand : call.inputs) {
    if (!nb::isinstance<protocol::TensorSlot>(operand)) continue;
    const ObjectRef ref = nb::cast<const protocol::TensorSlot&>(operand).tensor;
    if (!tensor_at(state_, ref).unwritten.is_valid()) continue;
    if (call.mutated.empty() && is_view_of(call.result, ref)) continue;
    const auto is_operand = [&](const AbstractValue& value) {
      const AbstractValue now = current(state_, value);
      return now.object() != nullptr && *now.object() == ref;
    };
    const auto given = std::ranges::count_if(arguments.positional, is_operand);
    if ((kOverwrites.contains(name) || kReadNoElement.contains(name)) && given == 1 &&
        is_operand(arguments.positional.front()))
      continue;
    refuse_unwritten(machine_, state_, tensor_at(state_, ref), name + "()");
  }
}

// The index of what a call writes of its target; null: nobody knows.
nb::object LeafRun::written_part(const Arguments& arguments) {
  const std::string name = short_name(callee_);
  const bool has_out =
      std::ranges::any_of(arguments.keywords, [](const auto& k) { return k.first == "out"; });
  if (has_out || kOverwriteAll.contains(name)) return nb::ellipsis();
  if (name != "setitem" || arguments.positional.size() != 3) return {};
  return machine_.reify(state_, arguments.positional[1]).value_or(nb::object());
}

Outcome LeafRun::metadata(const Arguments& arguments) {
  const auto [positional, keywords] = given(arguments);
  const TorchBridge::MetadataAnswer answer = [&] {
    const EnteredContexts contexts(state_.contexts);
    return machine_.torch.metadata(callee_, positional, keywords);
  }();
  return std::visit(Overloaded{
                        [&](const protocol::Metadata& found) -> Outcome {
                          return value_with_sizes(machine_, state_, found.result);
                        },
                        [&](const protocol::SizeSplit& split) -> Outcome { throw split; },
                        [&](const protocol::TorchRaised& raised) -> Outcome { raise_in_program(raised); },
                        [&](const protocol::LeafRefused& refused) -> Outcome { refuse(refused); },
                    },
                    answer);
}

// The live tensor whose method this is; null: it is none.
nb::object bound_tensor(const Machine& machine, const nb::object& callee) {
  if (!PyCFunction_Check(callee.ptr()) && !PyMethod_Check(callee.ptr())) return {};
  nb::object owner = nb::getattr(callee, "__self__", nb::object());
  return owner.is_valid() && machine.torch.is_tensor(owner) ? owner : nb::object();
}

// A live tensor that the program made itself may be written to: it becomes an object of the heap.
void make_writable(Machine& machine, State& state, const nb::object& callee, AbstractValue& target) {
  const nb::object* live = target.constant();
  if (live == nullptr || !machine.torch.is_tensor(*live)) return;
  if (!machine.ownership.created.contains(*live)) {
    make_state_of(machine, *live);
    machine.refuse(state, "python.write_to_model",
                   short_name(callee) + " writes to a parameter, a buffer or a constant of the model",
                   "write to a copy: x = x.clone(); or keep it from call to call: compile with state=True");
  }
  target = twin_of_tensor(machine, state, nb::object(*live), short_name(callee));
}

Arguments with_writable_target(Machine& machine, State& state, const nb::object& callee,
                               Arguments arguments) {
  if (!writes_in_place(callee, arguments)) return arguments;
  bool has_out = false;
  for (auto& [name, value] : arguments.keywords) {
    if (name != "out") continue;
    has_out = true;
    make_writable(machine, state, callee, value);
  }
  if (!has_out && !arguments.positional.empty())
    make_writable(machine, state, callee, arguments.positional[0]);
  return arguments;
}

}  // namespace

StorageId fresh_storage() {
  static std::size_t last = 0;  // under the GIL
  return StorageId(++last);
}

void let_escape(State& state, StorageId storage) {
  std::vector<ObjectRef> holders;
  state.heap.for_each([&](ObjectRef ref, const Object& object) {
    const auto* tensor = std::get_if<TensorObject>(&object);
    if (tensor != nullptr && tensor->storage == storage && !tensor->escaped) holders.push_back(ref);
  });
  for (const ObjectRef ref : holders) state.heap.edit_as<TensorObject>(ref).escaped = true;
}

std::string read_kind(const std::string& method) {
  if (method == "__bool__" || method == "is_nonzero" || method == "__nonzero__") return "bool";
  if (method == "__index__") return "index";
  if (method == "__int__" || method == "__long__") return "int";
  if (method == "__float__") return "float";
  return method;
}

Outcome call_leaf(Machine& machine, State& state, const nb::object& callee, const Arguments& arguments) {
  if (const nb::object owner = bound_tensor(machine, callee); owner.is_valid()) {
    Arguments whole = arguments;
    whole.positional.insert(whole.positional.begin(), current(state, known(owner)));
    const std::string name = name_of_callable(callee);
    return call_leaf(machine, state, machine.torch.tensor_class().attr(name.c_str()), whole);
  }
  if (short_name(callee) == "setitem" && stores_itself(state, arguments)) return known_none();
  return *LeafRun(machine, state, callee).run(with_writable_target(machine, state, callee, arguments), true);
}

Outcome row_in_range(Machine& machine, State& state, const AbstractValue& tensor,
                     const AbstractValue& index) {
  const nb::object getitem = machine.torch.tensor_class().attr("__getitem__");
  return *LeafRun(machine, state, getitem).in_range().run({{tensor, index}, {}}, true);
}

Outcome call_metadata(Machine& machine, State& state, const nb::object& callee, const Arguments& arguments) {
  const std::string name = name_of_callable(callee);
  if (name == "storage_offset" && !arguments.positional.empty())
    if (const auto* tensor = state.heap.get<TensorObject>(current(state, arguments.positional[0])))
      return storage_offset(machine, state, *tensor);
  if (name == "stride" || name == "is_contiguous" || name == "dim_order") {
    machine.inputs.layout_read = true;
    for (const AbstractValue& argument : arguments.positional)
      if (const auto* tensor = state.heap.get<TensorObject>(current(state, argument)))
        need_one_layout(tensor->layout);
  }
  return LeafRun(machine, state, callee).metadata(arguments);
}

}  // namespace dycl::partial_eval
