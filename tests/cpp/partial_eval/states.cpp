// SPDX-License-Identifier: Apache-2.0
// States made by hand, for tests: Python describes them, and is told in words what became of them.
// A state is a dict from names of variables to values, at the beginning of a function that takes them. A
// value is
//   ("known", object)            ("number", kind, name)         ("tensor", identity, name, live tensor)
//   ("list", identity, [value])  ("tuple", [value])             ("dict", identity, {key: value})
// Names stand for values of the HCFG and identities for objects of the heap: equal ones are one.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "partial_eval/builtins/builtins.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/explore/meeting.h"
#include "partial_eval/explore/position.h"
#include "partial_eval/torch/leaf.h"

namespace dycl::partial_eval {
namespace {

template <class Known>
Known value_or_throw(Result<Known> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

Result<FragmentPtr> no_fragment(const protocol::Fragment&) {
  return fail(Blame::Internal, "internal", "states made by hand call nothing");
}

class States {
 public:
  explicit States(nb::object capture)
      : torch_(std::move(capture)), machine_(torch_, sources_, options_, marks_, kBuiltins, no_fragment) {}

  // What is left of the states after they met at the beginning of the function.
  std::vector<std::string> meet(const nb::object& function, const nb::list& described) {
    std::vector<State> states;
    for (const nb::handle state : described) states.push_back(state_of(function, nb::cast<nb::dict>(state)));
    std::vector<std::string> texts;
    try {
      for (const State& met : partial_eval::meet(machine_, std::move(states))) texts.push_back(text_of(met));
    } catch (const Refused& refused) {
      throw std::runtime_error(refused.diagnostic.code + ": " + refused.diagnostic.message);
    }
    return texts;
  }

  bool same_statics(const nb::object& function, const nb::dict& earlier, const nb::dict& later) {
    return partial_eval::same_statics(machine_, state_of(function, earlier), state_of(function, later));
  }

  // A variable of the function may not be given up where states meet at its beginning.
  void keep_apart(const nb::object& function, const std::string& variable) {
    const program::Function& ir = lowered(function)->ir;
    const OriginId origin = marks_.origin(ir.file + ":" + ir.qualified_name + ":0:" + variable);
    marks_.keep_apart({origin}, "the test");
  }

  // Of nested calls: one (function, line behind the def, numbers of the trips around it) each.
  Position position(const nb::list& calls) {
    State state;
    for (const nb::handle call : calls) {
      auto frame = std::make_shared<Frame>();
      frame->function = lowered(call[0]);
      const program::Function& ir = frame->function->ir;
      go_to_line(*frame, ir.first_line + nb::cast<std::uint32_t>(call[1]));
      frame->iterations = nb::cast<std::vector<std::uint32_t>>(call[2]);
      if (frame->iterations.size() != frame->function->order.place(frame->block).loops.size())
        throw std::runtime_error("one number per loop around the line");
      state.frames.push_back(std::move(frame));
    }
    return positions_.of(state);
  }

 private:
  import_python::PythonFunctionPtr lowered(nb::handle function) {
    return value_or_throw(sources_.lower(function));
  }

  // The first instruction or terminator of that line.
  static void go_to_line(Frame& frame, std::uint32_t line) {
    for (const program::BlockId id : frame.function->order.order) {
      const program::Block& block = frame.function->ir.block(id);
      const auto found = std::ranges::find_if(
          block.instructions, [&](const auto& instruction) { return instruction.position.line == line; });
      if (found == block.instructions.end() && block.position.line != line) continue;
      frame.block = id;
      frame.instruction = static_cast<std::uint32_t>(found - block.instructions.begin());
      return;
    }
    throw std::runtime_error("nothing stands at this line");
  }

  State state_of(const nb::object& function, const nb::dict& variables) {
    State state;
    state.block = machine_.emitter.new_block();
    auto frame = std::make_shared<Frame>();
    frame->function = lowered(function);
    const program::Function& ir = frame->function->ir;
    frame->registers.resize(ir.registers.size());
    for (std::size_t index = 0; index < ir.registers.size(); ++index)
      if (variables.contains(ir.registers[index].name.c_str()))
        frame->registers[index] = value_of(state, variables[ir.registers[index].name.c_str()]);
    state.frames.push_back(std::move(frame));
    return state;
  }

  ValueId named_value(const std::string& name, const Type& type) {
    const auto [entry, is_new] = values_.try_emplace(name);
    if (is_new) {
      entry->second = machine_.emitter.graph.add_value(type, name);
      names_.emplace(entry->second, name);
    }
    return entry->second;
  }

  AbstractValue object_of(State& state, const std::string& identity, Object object) {
    const auto [entry, is_new] = objects_.try_emplace(identity);
    if (is_new) entry->second = Heap().add(Object(TupleObject{})).id;
    state.heap.put(entry->second, std::move(object));
    return ObjectRef{entry->second};
  }

  std::vector<AbstractValue> values_of(State& state, nb::handle items) {
    std::vector<AbstractValue> values;
    for (const nb::handle item : items) values.push_back(value_of(state, item));
    return values;
  }

  AbstractValue value_of(State& state, nb::handle value) {
    const auto text = [&](int place) { return nb::cast<std::string>(value[place]); };
    const std::string kind = text(0);
    if (kind == "known") return known(value[1]);
    if (kind == "number") {
      const ScalarKind number = text(1) == "int"    ? ScalarKind::I64
                                : text(1) == "bool" ? ScalarKind::Bool
                                                    : ScalarKind::F64;
      return ScalarValue{named_value(text(2), ScalarType{number}), number, nullptr};
    }
    if (kind == "tensor") {
      const SpecPtr spec = torch_.spec_of(nb::object(value[3]));
      const ValueId id = named_value(text(2), spec->type);
      return object_of(state, text(1), TensorObject{.value = id, .spec = spec, .storage = fresh_storage()});
    }
    if (kind == "list") return object_of(state, text(1), ListObject{values_of(state, value[2])});
    if (kind == "tuple")
      return state.make(
          TupleObject{values_of(state, value[1]), nb::borrow(reinterpret_cast<PyObject*>(&PyTuple_Type))});
    if (kind != "dict") throw std::runtime_error("no such kind of value: " + kind);
    DictObject dict{{}, nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type)), {}};
    for (const auto& [key, entry] : nb::cast<nb::dict>(value[2]))
      dict.entries.emplace_back(nb::borrow(key), value_of(state, entry));
    return object_of(state, text(1), std::move(dict));
  }

  // "a = 1, b = int given up, c = [x]": what is live, values of the HCFG by their names or types.
  std::string text_of(const State& state) {
    std::map<HeapId, std::string> seen;
    std::string text;
    const Frame& frame = state.top();
    for (std::size_t index = 0; index < frame.registers.size(); ++index) {
      if (!frame.registers[index].bound()) continue;
      const std::string& name = frame.function->ir.registers[index].name;
      text += (text.empty() ? "" : ", ") + name + " = " + text_of(state, frame.registers[index], name, seen);
    }
    return text;
  }

  using Seen = std::map<HeapId, std::string>;

  std::string text_of(const State& state, const AbstractValue& value, const std::string& variable,
                      Seen& seen) {
    if (const nb::object* live = value.constant())
      return torch_.is_tensor(*live) ? "live tensor" : nb::cast<std::string>(nb::repr(*live));
    if (const ScalarValue* scalar = value.scalar()) {
      const auto name = names_.find(scalar->id);
      if (name != names_.end()) return name->second;
      return std::string(python_name(scalar->kind)) + (scalar->origins ? " given up" : "");
    }
    const auto [entry, is_new] = seen.try_emplace(value.object()->id, variable);
    if (!is_new) return "the same as " + entry->second;
    return text_of_object(state, state.heap.at(*value.object()), variable, seen);
  }

  std::string text_of_object(const State& state, const Object& object, const std::string& variable,
                             Seen& seen) {
    const auto items = [&](const std::vector<AbstractValue>& values) {
      std::string text;
      for (const AbstractValue& item : values)
        text += (text.empty() ? "" : ", ") + text_of(state, item, "an element of " + variable, seen);
      return text;
    };
    if (const auto* tensor = std::get_if<TensorObject>(&object)) {
      const auto name = names_.find(tensor->value);
      return name != names_.end() ? name->second : type_text(tensor->spec);
    }
    if (const auto* list = std::get_if<ListObject>(&object)) return "[" + items(list->items) + "]";
    if (const auto* tuple = std::get_if<TupleObject>(&object)) return "(" + items(tuple->items) + ")";
    if (const auto* sequence = std::get_if<SequenceObject>(&object)) {
      if (!sequence->element.bound()) return "sequence of constants";
      const ScalarValue* scalar = sequence->element.scalar();
      return "sequence of " + (scalar != nullptr
                                   ? std::string(python_name(scalar->kind))
                                   : type_text(state.heap.get<TensorObject>(sequence->element)->spec));
    }
    const auto* dict = std::get_if<DictObject>(&object);
    if (dict == nullptr) return kind_name(object);
    std::string text;
    for (const auto& [key, value] : dict->entries)
      text += (text.empty() ? "" : ", ") + nb::cast<std::string>(nb::repr(key)) + ": " + items({value});
    return "{" + text + "}";
  }

  std::string type_text(const SpecPtr& spec) {
    return to_string(spec->type, [](SymbolId) { return std::string("?"); });
  }

  TorchBridge torch_;
  import_python::SourceLibrary sources_;
  Options options_;
  Marks marks_;
  Machine machine_;
  Positions positions_;
  std::map<std::string, ValueId> values_;
  std::map<ValueId, std::string> names_;
  std::map<std::string, HeapId> objects_;
};

}  // namespace
}  // namespace dycl::partial_eval

NB_MODULE(dycl_states, module) {
  using dycl::partial_eval::States;
  namespace nb = nanobind;
  nb::class_<States>(module, "States")
      .def(nb::init<nb::object>())
      .def("meet", &States::meet)
      .def("same_statics", &States::same_statics)
      .def("keep_apart", &States::keep_apart)
      .def("position", &States::position);
}
