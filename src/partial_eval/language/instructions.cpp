// SPDX-License-Identifier: Apache-2.0
// One function per group of instructions; control flow is in control.cpp.
#include "partial_eval/language/instructions.h"

#include <algorithm>

#include "partial_eval/data/containers.h"
#include "partial_eval/data/structures.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/exceptions.h"
#include "partial_eval/language/identity.h"
#include "partial_eval/language/instantiate.h"
#include "partial_eval/language/items.h"
#include "partial_eval/language/iteration.h"
#include "partial_eval/language/matching.h"
#include "partial_eval/language/operators.h"
#include "partial_eval/language/set_attributes.h"
#include "partial_eval/language/text.h"
#include "partial_eval/language/with.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/live_sets.h"

namespace dycl::partial_eval {
namespace {

using program::Instruction;
using program::Op;

bool is_given(const Arguments& arguments, const std::string& name) {
  return std::ranges::any_of(arguments.keywords, [&](const auto& given) { return given.first == name; });
}

class Execution {
 public:
  Execution(Machine& machine, State& state, const Instruction& instruction)
      : machine_(machine), state_(state), instruction_(instruction) {}

  Outcome run();

 private:
  AbstractValue operand(std::uint32_t index) { return operand_of(machine_, state_, instruction_, index); }
  std::vector<AbstractValue> operands(std::uint32_t first = 0) {
    std::vector<AbstractValue> values;
    for (std::uint32_t index = first; index < instruction_.operands.size(); ++index)
      values.push_back(operand(index));
    return values;
  }
  Frame& frame() { return state_.edit_top(); }

  Outcome simple_value();
  Outcome operation();
  Outcome access();
  Outcome display();
  Outcome call_or_make();
  Outcome protocol();

  Outcome load_global();
  Outcome load_cell();
  Outcome store_cell(AbstractValue content);
  Outcome delete_cell();
  AbstractValue cell_content(const AbstractValue& cell);
  Outcome unbound_variable(const std::string& name, bool is_free);
  Outcome build_constant_set();
  Outcome build_dict();
  Outcome extend_list();
  Outcome update_dict();
  Outcome given_twice(const std::string& name);
  Outcome unpack();
  Outcome call_instruction();
  Outcome make_function();
  Outcome import_module();
  Outcome import_from();

  Machine& machine_;
  State& state_;
  const Instruction& instruction_;
};

Outcome Execution::run() {
  const Op op = instruction_.op;
  if (op <= Op::CheckBound) return simple_value();
  if (op <= Op::Length) return operation();
  if (op <= Op::DeleteItem) return access();
  if (op <= Op::FormatValue) return display();
  if (op <= Op::Yield) return call_or_make();
  return protocol();
}

Outcome Execution::simple_value() {
  switch (instruction_.op) {
    case Op::Const: return known(state_.top().function->constants[instruction_.index]);
    case Op::Move: return operand(0);
    case Op::LoadGlobal: return load_global();
    case Op::StoreGlobal:
    case Op::DeleteGlobal:
      machine_.refuse(state_, "python.global_write",
                      "the global variable " + instruction_.name + " is written",
                      "return the value, or keep it in an attribute of the model");
    case Op::LoadCell: return load_cell();
    case Op::StoreCell: return store_cell(operand(1));
    case Op::DeleteCell: return delete_cell();
    case Op::Delete: frame().registers[instruction_.result.index()] = AbstractValue(); return AbstractValue();
    default: break;
  }
  const auto& value = state_.top().registers[instruction_.operands[0].index()];
  return value.bound() ? Outcome(known_none()) : unbound_variable(instruction_.name, false);
}

Outcome Execution::unbound_variable(const std::string& name, bool is_free) {
  if (is_free)
    return machine_.raise(PyExc_NameError,
                          "cannot access free variable '" + name +
                              "' where it is not associated with a value in enclosing scope");
  return machine_.raise(PyExc_UnboundLocalError, "cannot access local variable '" + name +
                                                     "' where it is not associated with a value");
}

Outcome Execution::load_global() {
  const nb::object& globals = state_.top().globals;
  PyObject* name = PyUnicode_InternFromString(instruction_.name.c_str());
  const nb::object key = nb::steal(name);
  if (PyObject* found = PyDict_GetItemWithError(globals.ptr(), key.ptr())) return known(nb::borrow(found));
  const nb::object builtins = nb::module_::import_("builtins").attr("__dict__");
  if (PyObject* found = PyDict_GetItemWithError(builtins.ptr(), key.ptr())) return known(nb::borrow(found));
  return machine_.raise(PyExc_NameError, "name '" + instruction_.name + "' is not defined");
}

AbstractValue Execution::cell_content(const AbstractValue& cell) {
  if (const auto* content = state_.heap.get<CellObject>(cell)) return content->content;
  note_read(machine_, state_, *cell.constant(), "cell_contents");
  PyObject* content = PyCell_Get(cell.constant()->ptr());
  if (content == nullptr) {
    PyErr_Clear();
    return {};
  }
  return known(nb::steal(content));
}

Outcome Execution::load_cell() {
  const AbstractValue content = cell_content(operand(0));
  if (content.bound()) return content;
  const program::Register& variable = state_.top().function->ir.register_of(instruction_.operands[0]);
  return unbound_variable(variable.name, variable.kind == program::RegisterKind::Free);
}

Outcome Execution::store_cell(AbstractValue content) {
  const AbstractValue cell = operand(0);
  const ObjectRef* ref = cell.object();
  if (ref == nullptr) {  // a variable of a live closure: written on a twin
    const nb::object live = *cell.constant();
    const ObjectRef twin = state_.heap.add(Object(CellObject{std::move(content)}));
    state_.overlay.set(live, twin);
    return known_none();
  }
  state_.heap.edit_as<CellObject>(*ref).content = std::move(content);
  return known_none();
}

Outcome Execution::delete_cell() {
  Outcome loaded = load_cell();
  if (!std::holds_alternative<AbstractValue>(loaded)) return loaded;
  return store_cell(AbstractValue());
}

Outcome Execution::operation() {
  switch (instruction_.op) {
    case Op::Unary: return unary(machine_, state_, instruction_.operation, operand(0));
    case Op::Binary:
      return binary(machine_, state_, instruction_.operation, instruction_.inplace, operand(0), operand(1));
    case Op::Compare: return compare(machine_, state_, instruction_.operation, operand(0), operand(1));
    case Op::Is: return is_same(machine_, state_, operand(0), operand(1));
    case Op::IsNot: {
      const AbstractValue same = is_same(machine_, state_, operand(0), operand(1));
      return unary(machine_, state_, program::Operation::Not, same);
    }
    case Op::Contains: return contains(machine_, state_, operand(0), operand(1));
    case Op::Truth: return truth(machine_, state_, operand(0));
    default: return length(machine_, state_, operand(0));
  }
}

Outcome Execution::access() {
  switch (instruction_.op) {
    case Op::GetAttr: return get_attr(machine_, state_, operand(0), instruction_.name);
    case Op::SetAttr: return set_attr(machine_, state_, operand(0), instruction_.name, operand(1));
    case Op::DeleteAttr: return delete_attr(machine_, state_, operand(0), instruction_.name);
    case Op::GetItem: return get_item(machine_, state_, operand(0), operand(1));
    case Op::SetItem: return set_item(machine_, state_, operand(0), operand(1), operand(2));
    default: return delete_item(machine_, state_, operand(0), operand(1));
  }
}

Outcome Execution::display() {
  switch (instruction_.op) {
    case Op::BuildSlice: {
      const AbstractValue slice = state_.make(SliceObject{operand(0), operand(1), operand(2)});
      const auto whole = machine_.reify(state_, slice);
      return whole ? known(*whole) : slice;
    }
    case Op::BuildList: return state_.make(ListObject{operands()});
    case Op::BuildTuple: return make_tuple(machine_, state_, operands());
    case Op::BuildSet: {
      if (instruction_.index != 0) return build_constant_set();
      Arguments list{{state_.make(ListObject{operands()})}, {}};
      return call(machine_, state_, known(nb::borrow(reinterpret_cast<PyObject*>(&PySet_Type))),
                  std::move(list));
    }
    case Op::BuildDict: return build_dict();
    case Op::ListAppend: {
      Arguments element{{operand(1)}, {}};
      return machine_.builtins.call_method(machine_, state_, operand(0), "append", element);
    }
    case Op::ListExtend: return extend_list();
    case Op::SetAdd: {
      if (!is_set(state_, operand(0)))  // one of the prelude's
        return call_prelude(machine_, state_, "add_to_set", Arguments{{operand(0), operand(1)}, {}});
      Arguments element{{operand(1)}, {}};
      return machine_.builtins.call_method(machine_, state_, operand(0), "add", element);
    }
    case Op::SetUpdate: {
      Arguments elements{{operand(1)}, {}};
      return machine_.builtins.call_method(machine_, state_, operand(0), "update", elements);
    }
    case Op::DictSet: return set_item(machine_, state_, operand(0), operand(1), operand(2));
    case Op::DictUpdate: return update_dict();
    case Op::ListToTuple: {
      const AbstractValue list = operand(0);
      if (const auto* items = state_.heap.get<ListObject>(list))
        return make_tuple(machine_, state_, items->items);
      return known(nb::tuple(machine_.need(state_, list, "the length of this tuple")));
    }
    case Op::BuildString: return join_text(machine_, state_, operands());
    default: {  // FormatValue
      const AbstractValue spec = instruction_.operands.size() > 1 ? operand(1) : AbstractValue();
      return format_value(machine_, state_, operand(0), static_cast<char>(instruction_.index), spec);
    }
  }
}

// In which order CPython has put the elements into its constant is not known: a file that was compiled before
// has another order.
Outcome Execution::build_constant_set() {
  nb::list items;
  for (const AbstractValue& element : operands())
    items.append(hashable(machine_, state_, element, "an element of a set"));
  const nb::object constant = builtin(PyFrozenSet_Type)(items);
  nb::object contents = constant;
  if (instruction_.index == 1) {
    contents = builtin(PySet_Type)();
    contents.attr("update")(constant);
  }
  SetObject set{contents, nb::borrow(contents.type())};
  set.is_unordered = !lies_by_hash(contents);
  return state_.make(std::move(set));
}

Outcome Execution::build_dict() {
  const AbstractValue dict =
      state_.make(DictObject{{}, nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type)), {}});
  for (std::uint32_t index = 0; index + 1 < instruction_.operands.size(); index += 2) {
    Outcome stored = set_item(machine_, state_, dict, operand(index), operand(index + 1));
    if (!std::holds_alternative<AbstractValue>(stored)) return stored;
  }
  return dict;
}

Outcome Execution::extend_list() {
  auto elements = need_elements(machine_, state_, operand(1), 1);
  if (auto* outcome = std::get_if<Outcome>(&elements)) return std::move(*outcome);
  Arguments list{{state_.make(ListObject{std::move(std::get<0>(elements))})}, {}};
  return machine_.builtins.call_method(machine_, state_, operand(0), "extend", list);
}

Outcome Execution::update_dict() {
  Arguments mapping{{operand(1)}, {}};
  return machine_.builtins.call_method(machine_, state_, operand(0), "update", mapping);
}

Outcome Execution::unpack() {
  auto elements = need_elements(machine_, state_, operand(0), 0);
  if (auto* outcome = std::get_if<Outcome>(&elements)) return std::move(*outcome);
  std::vector<AbstractValue>& values = std::get<0>(elements);
  const std::size_t wanted = instruction_.results.size();
  const bool starred = instruction_.index != program::kNoIndex;
  if (values.size() + (starred ? 1 : 0) < wanted)
    return machine_.raise(PyExc_ValueError, "not enough values to unpack (expected " +
                                                std::string(starred ? "at least " : "") +
                                                std::to_string(wanted - (starred ? 1 : 0)) + ", got " +
                                                std::to_string(values.size()) + ")");
  if (!starred && values.size() > wanted)
    return machine_.raise(PyExc_ValueError,
                          "too many values to unpack (expected " + std::to_string(wanted) + ")");
  std::size_t next = 0;
  for (std::size_t target = 0; target < wanted; ++target) {
    AbstractValue value;
    if (starred && target == instruction_.index) {
      const std::size_t count = values.size() - (wanted - 1);
      value = state_.make(ListObject{{values.begin() + static_cast<std::ptrdiff_t>(next),
                                      values.begin() + static_cast<std::ptrdiff_t>(next + count)}});
      next += count;
    } else {
      value = values[next++];
    }
    if (instruction_.results[target].valid())
      frame().registers[instruction_.results[target].index()] = std::move(value);
  }
  return AbstractValue();
}

Outcome Execution::call_or_make() {
  switch (instruction_.op) {
    case Op::GetIter: return get_iter(machine_, state_, operand(0));
    case Op::Unpack: return unpack();
    case Op::Call: return call_instruction();
    case Op::Super: {
      const nb::object super_type = nb::module_::import_("builtins").attr("super");
      const AbstractValue callee = operand(0);
      if (callee.constant() == nullptr || !callee.constant()->is(super_type))
        return call(machine_, state_, callee, {});
      return make_super(machine_, state_, operand(1), operand(2));
    }
    case Op::MakeFunction: return make_function();
    case Op::Import: return import_module();
    case Op::ImportFrom: return import_from();
    default: internal_error("yield is a matter of control flow");
  }
}

// CPython's words name the function with its module.
Outcome Execution::given_twice(const std::string& name) {
  const AbstractValue callee = operand(0);
  std::string shown = callee.constant() != nullptr ? full_name_of(*callee.constant()) : std::string();
  if (const auto* function = state_.heap.get<FunctionObject>(callee)) {
    const nb::object module = entry_or_null(function->globals, "__name__");
    shown =
        (module.is_valid() ? nb::cast<std::string>(module) + "." : "") + function->code->ir.qualified_name;
  }
  if (shown.empty())
    machine_.refuse(state_, "python.argument", "the keyword argument '" + name + "' is given twice",
                    "give it once");
  return machine_.raise(PyExc_TypeError,
                        shown + "() got multiple values for keyword argument '" + name + "'");
}

Outcome Execution::call_instruction() {
  Arguments arguments;
  for (std::uint32_t index = 0; index < instruction_.arguments.size(); ++index) {
    const program::Argument& argument = instruction_.arguments[index];
    const AbstractValue value = operand(index + 1);
    switch (argument.kind) {
      case program::ArgumentKind::Keyword:
        if (is_given(arguments, argument.name)) return given_twice(argument.name);
        arguments.keywords.emplace_back(argument.name, value);
        break;
      case program::ArgumentKind::Star: {
        auto elements = need_elements(machine_, state_, value, index + 1);
        if (auto* outcome = std::get_if<Outcome>(&elements)) return std::move(*outcome);
        for (AbstractValue& element : std::get<0>(elements))
          arguments.positional.push_back(std::move(element));
        break;
      }
      case program::ArgumentKind::DoubleStar: {
        auto entries = mapping_entries(machine_, state_, value);
        for (auto& [key, entry] : entries) {
          if (is_given(arguments, key)) return given_twice(key);
          arguments.keywords.emplace_back(std::move(key), std::move(entry));
        }
        break;
      }
      default: arguments.positional.push_back(value);
    }
  }
  return call(machine_, state_, operand(0), std::move(arguments));
}

Outcome Execution::make_function() {
  FunctionObject function;
  function.code = state_.top().function->inner[instruction_.index];
  function.globals = state_.top().globals;
  for (std::uint32_t index = 0; index < instruction_.arguments.size(); ++index) {
    const program::Argument& part = instruction_.arguments[index];
    // Cells are shared as they are: reading an operand would follow the overlay, which is right too.
    const AbstractValue value = operand(index);
    if (part.kind == program::ArgumentKind::Positional) function.defaults.push_back(value);
    if (part.kind == program::ArgumentKind::Keyword) function.keyword_defaults[part.name] = value;
    if (part.kind == program::ArgumentKind::Cell) function.closure.push_back(value);
  }
  return state_.make(std::move(function));
}

Outcome Execution::import_module() {
  const nb::object names = nb::module_::import_("sys").attr("modules");
  nb::list from;
  for (const std::string& name : instruction_.names) from.append(name);
  const std::string package = instruction_.index == 0
                                  ? std::string()
                                  : nb::cast<std::string>(nb::str(state_.top().globals["__package__"]));
  // Importing runs the module's code, once per process: harmless if it is there already.
  if (instruction_.index == 0 && !nb::cast<bool>(names.attr("__contains__")(instruction_.name)))
    machine_.refuse(state_, "python.import",
                    "the module " + instruction_.name + " is imported for the first time here",
                    "move the import to the top of the file");
  PyObject* module = PyImport_ImportModuleLevel(instruction_.name.c_str(), state_.top().globals.ptr(),
                                                nullptr, from.ptr(), static_cast<int>(instruction_.index));
  if (module == nullptr) throw nb::python_error();
  return known(nb::steal(module));
}

Outcome Execution::import_from() {
  const nb::object module = *operand(0).constant();
  if (has_attribute(module, instruction_.name.c_str())) return known(module.attr(instruction_.name.c_str()));
  return machine_.raise(PyExc_ImportError, "cannot import name '" + instruction_.name + "'");
}

Outcome Execution::protocol() {
  switch (instruction_.op) {
    case Op::ExceptionMatches: {
      const nb::object types = machine_.need(state_, operand(1), "the exception class of an except clause");
      return known_bool(exception_matches(machine_, state_, operand(0), types));
    }
    case Op::EnterContext: return enter_context(machine_, state_, operand(0));
    case Op::ExitContext:
      return exit_context(machine_, state_, operand(0),
                          instruction_.operands.size() > 1 ? operand(1) : AbstractValue());
    case Op::MatchSequence: return match_sequence(machine_, state_, operand(0));
    case Op::MatchMapping: return match_mapping(machine_, state_, operand(0));
    case Op::MatchKeys: return match_keys(machine_, state_, operand(0), operand(1));
    default: return match_class(machine_, state_, operand(0), operand(1), instruction_);
  }
}

}  // namespace

AbstractValue read_register(Machine& machine, const State& state, program::RegisterId id) {
  return machine.refined(state, current(state, state.top().registers[id.index()]));
}

AbstractValue operand_of(Machine& machine, const State& state, const Instruction& instruction,
                         std::uint32_t index) {
  for (const auto& [operand, value] : state.top().replaced)
    if (operand == index) return value;
  return read_register(machine, state, instruction.operands[index]);
}

Outcome execute(Machine& machine, State& state, const Instruction& instruction) {
  return Execution(machine, state, instruction).run();
}

}  // namespace dycl::partial_eval
