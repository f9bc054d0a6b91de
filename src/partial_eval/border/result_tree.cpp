// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/border/result_tree.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>

#include "base/overloaded.h"
#include "partial_eval/data/elements.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/language/attributes.h"
#include "partial_eval/language/dataclass.h"
#include "partial_eval/language/sequences.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

constexpr std::size_t kDeepestResult = 60;

class TreeMaker {
 public:
  TreeMaker(Machine& machine, State& state) : machine_(machine), state_(state) {}

  Return run(const AbstractValue& result) {
    Return made;
    const std::vector<std::size_t> changed = changed_containers();
    ResultNode returned = changed.empty() ? node(result) : with_writes(result, changed);
    made.tree = std::make_shared<const ResultNode>(std::move(returned));
    made.values = std::move(values_);
    return made;
  }

  // What Python sets on an exception: its attributes, and its arguments where the message does not give them.
  void add_attributes(const AbstractValue& exception, Departure& departure) {
    begin();
    ResultDict attributes;
    for (const auto& [name, attribute] : attributes_of(*receiver_of(state_, exception)))
      if (name != "args")
        attributes.items.emplace_back(ResultConstant(name), attribute_node(name, attribute));
    const AbstractValue args = arguments_of_exception(state_, exception);
    if (!is_said_by_message(args) && TreeMaker(machine_, state_).plain_node(args))
      attributes.items.emplace_back(ResultConstant("args"), node(args));
    if (attributes.items.empty()) return;
    departure.attributes = std::make_shared<const ResultNode>(std::move(attributes));
    departure.scalars.insert(departure.scalars.end(), values_.begin(), values_.end());
  }

  // What a list, dict or object of the caller's holds. The caller's own tensors in it stay his.
  ResultNode contents_of_container(ObjectRef container) {
    in_container_ = true;
    ResultNode contents =
        std::visit(Overloaded{
                       [&](const ListObject& list) { return list_of(ResultListKind::List, list.items); },
                       [&](const SequenceObject& sequence) { return list_node(sequence); },
                       [&](const DictObject& dict) { return ResultNode(entries_of(dict.entries)); },
                       [&](const InstanceObject&) { return attributes_node(container); },
                       [&](const auto& object) -> ResultNode { refuse_kind(kind_name(Object(object))); },
                   },
                   state_.heap.at(container));
    in_container_ = false;
    return contents;
  }

  // Asked of a maker that has made nothing yet.
  bool has_changed(std::size_t number, ObjectRef container) {
    const Step step(*this, machine_.inputs.containers.at(number).path);
    return contents_of_container(container) != machine_.inputs.containers.at(number).contents;
  }

 private:
  std::vector<std::size_t> changed_containers() {
    std::vector<std::size_t> changed;
    for (const auto& [number, container] : state_.containers) {
      TreeMaker probe(machine_, state_);
      if (!probe.has_changed(number, container)) continue;
      changed.push_back(number);
      for (const auto& [id, place] : probe.made_) of_containers_.insert(id);
    }
    return changed;
  }

  ResultNode with_writes(const AbstractValue& result, const std::vector<std::size_t>& changed) {
    begin();
    ResultNode returned = node(result);
    begin();
    ResultDict written;
    for (const std::size_t number : changed) {
      const std::string& path = machine_.inputs.containers.at(number).path;
      const Step step(*this, path);
      written.items.emplace_back(ResultConstant(path), written_record(number));
    }
    return ResultRecord{ResultRecordKind::Object,
                        "dycl.results:WithWrites",
                        {{"result", std::move(returned)}, {"written", std::move(written)}}};
  }

  // A list, dict or record begins; those in it follow.
  void begin() { ++begun_; }

  // ---- exceptions
  ResultNode attribute_node(const std::string& name, const AbstractValue& attribute) {
    if (!TreeMaker(machine_, state_).plain_node(attribute))
      machine_.refuse(state_, "python.exception_arguments",
                      fmt::format("an exception may leave the program here with the attribute '{}', which is "
                                  "no number, text, None or structure of these",
                                  name),
                      "leave the attribute out, or catch the exception inside of the model");
    return node(attribute);
  }

  // nullopt: it cannot be given back, or not without tensors and objects of the caller's.
  std::optional<ResultNode> plain_node(const AbstractValue& value) {
    if (state_.heap.get<TextObject>(value) != nullptr) return std::nullopt;
    try {
      ResultNode made = node(value);
      const bool is_plain = std::ranges::all_of(
          values_, [&](ValueId id) { return machine_.emitter.graph.type_of(id).scalar() != nullptr; });
      return is_plain && !holds_argument(made) ? std::optional(std::move(made)) : std::nullopt;
    } catch (const Refused&) {
      return std::nullopt;
    }
  }

  // One text or number, or nothing: the exception's type and text say it.
  [[nodiscard]] bool is_said_by_message(const AbstractValue& args) const {
    const auto items = known_elements(state_, args);
    if (!items || items->empty()) return true;
    if (items->size() > 1) return false;
    const AbstractValue only = current(state_, items->front());
    const nb::object* live = only.constant();
    if (live == nullptr) return only.scalar() != nullptr || state_.heap.get<TextObject>(only) != nullptr;
    PyObject* object = live->ptr();
    return PyUnicode_CheckExact(object) || PyBool_Check(object) || PyLong_CheckExact(object) ||
           PyFloat_CheckExact(object);
  }

  ResultNode written_record(std::size_t number) {
    begin();
    const ObjectRef container = state_.containers.at(number);
    ResultNode contents = contents_of_container(container);
    const bool is_object = std::holds_alternative<InstanceObject>(state_.heap.at(container));
    return ResultRecord{
        ResultRecordKind::Object,
        "dycl.results:Written",
        {{"argument", ResultArgument{number}}, {is_object ? "attributes" : "items", std::move(contents)}}};
  }

  ResultNode attributes_node(ObjectRef object) {
    begin();
    ResultDict attributes;
    for (const auto& [name, attribute] : attributes_of(*receiver_of(state_, AbstractValue(object)))) {
      const Step step(*this, name);
      if (name != kContents)  // is a container of its own
        attributes.items.emplace_back(ResultConstant(name), node(attribute));
    }
    return attributes;
  }

  // The number of the caller's object that this is.
  [[nodiscard]] std::optional<std::size_t> number_of(const AbstractValue& now) const {
    if (const nb::object* live = now.constant()) {
      const std::size_t* number = in_container_ ? machine_.ownership.callers_objects.find(*live) : nullptr;
      return number == nullptr || is_atom(*live) ? std::nullopt : std::optional(*number);
    }
    if (now.object() == nullptr) return std::nullopt;
    for (const auto& [number, container] : state_.containers)
      if (container == *now.object()) return number;
    const auto* tensor = state_.heap.get<TensorObject>(now);
    if (tensor == nullptr || !in_container_) return std::nullopt;
    if (tensor->identity) throw Restart{*tensor->identity};
    return number_of_given_tensor(machine_, state_, *now.object());
  }

  // ---- where we are, for messages
  struct Step {
    Step(TreeMaker& maker, std::string name) : maker_(maker) {
      maker.path_.push_back(std::move(name));
      if (maker.path_.size() > kDeepestResult)
        maker.refuse("nests deeper than 60, or contains itself", "return less structure");
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { maker_.path_.pop_back(); }
    TreeMaker& maker_;
  };

  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const {
    std::string path;
    for (const std::string& name : path_) path += (path.empty() ? "" : ".") + name;
    machine_.refuse(state_, "python.result",
                    path.empty() ? fmt::format("the returned value {}", what)
                                 : fmt::format("the part '{}' of the returned value {}", path, what),
                    hint);
  }

  [[noreturn]] void refuse_kind(const std::string& kind) const {
    refuse(fmt::format("is a {}, which a compiled program cannot give back", kind),
           "return tensors, numbers, strings, None, tuples, lists, dicts, dataclasses or named tuples");
  }

  // ---- values
  ResultNode value(ValueId id) {
    const auto [place, fresh] = indices_.emplace(id, values_.size());
    if (fresh) values_.push_back(id);
    return ResultValue{place->second};
  }

  ResultNode node(const AbstractValue& given) {
    const AbstractValue now = machine_.refined(state_, current(state_, given));
    if (const auto number = number_of(now)) return ResultArgument{*number};
    if (const nb::object* live = now.constant()) {
      kept_.push_back(*live);
      return made_once(made_live_, live->ptr(), [&] { return live_node(*live); });
    }
    if (const ScalarValue* scalar = now.scalar()) return value(scalar->id);
    if (!now.bound()) internal_error("an unbound value is returned");
    const HeapId id = now.object()->id;
    const bool in_container = std::exchange(in_container_, in_container_ || of_containers_.contains(id));
    // Nothing is written to the heap meanwhile.
    ResultNode made = made_once(made_, id, [&] {
      return std::visit([&](const auto& object) { return heap_node(object, now); },
                        state_.heap.at(*now.object()));
    });
    in_container_ = in_container;
    return made;
  }

  // One object in several places stays one.
  template <class Key, class Make>
  ResultNode made_once(std::map<Key, std::size_t>& made, const Key& key, const Make& make) {
    if (const auto found = made.find(key); found != made.end()) return ResultSame{found->second};
    const std::size_t number = begun_;
    ResultNode node = make();
    if (begun_ > number) made.emplace(key, number);  // no tensor, number or text
    return node;
  }

  ResultNode list_of(ResultListKind kind, const std::vector<AbstractValue>& items) {
    begin();
    ResultList list{kind, {}};
    for (std::size_t index = 0; index < items.size(); ++index) {
      const Step step(*this, std::to_string(index));
      list.items.push_back(node(items[index]));
    }
    return list;
  }

  ResultNode dict_of(nb::handle type, const std::vector<std::pair<nb::object, AbstractValue>>& entries) {
    const bool is_ordered = type.is(library_object("collections", "OrderedDict"));
    if (!type.is(reinterpret_cast<PyObject*>(&PyDict_Type)) && !is_ordered)
      refuse(fmt::format("is a {}", class_name(type)), "return dict(...) of it");
    if (is_ordered) begin();
    ResultDict dict = entries_of(entries);
    if (!is_ordered) return dict;
    return ResultRecord{
        ResultRecordKind::Object, "collections:OrderedDict", {{kContents, ResultNode(std::move(dict))}}};
  }

  ResultDict entries_of(const std::vector<std::pair<nb::object, AbstractValue>>& entries) {
    begin();
    ResultDict dict;
    for (const auto& [key, entry] : entries) {
      const Step step(*this, nb::cast<std::string>(nb::str(key)));
      dict.items.emplace_back(key_node(key), node(entry));
    }
    return dict;
  }

  // What an instance of a class that derives from dict or list holds as such.
  ResultNode contents_node(const AbstractValue& container) {
    if (const auto* dict = state_.heap.get<DictObject>(container)) return entries_of(dict->entries);
    return node(container);
  }

  ResultNode key_node(const nb::object& key) {
    if (PyTuple_CheckExact(key.ptr())) {
      ResultList list{ResultListKind::Tuple, {}};
      for (const nb::handle item : nb::borrow<nb::tuple>(key))
        list.items.push_back(key_node(nb::borrow(item)));
      return list;
    }
    if (auto constant = constant_of(key)) return std::move(*constant);
    refuse(fmt::format("has a key of type {}", class_name(type_of_live(key))), "use strings or ints as keys");
  }

  // A number, string or None of exactly that type.
  std::optional<ResultNode> constant_of(const nb::object& live) const {
    PyObject* object = live.ptr();
    if (object == Py_None) return ResultConstant(std::monostate{});
    if (PyBool_Check(object)) return ResultConstant(object == Py_True);
    if (PyFloat_CheckExact(object)) return ResultConstant(PyFloat_AS_DOUBLE(object));
    if (PyUnicode_CheckExact(object)) return ResultConstant(nb::cast<std::string>(live));
    if (!PyLong_CheckExact(object)) return std::nullopt;
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) refuse("is an int beyond 64 bits", "return it as a string or a float");
    return ResultConstant(static_cast<std::int64_t>(number));
  }

  // ---- live objects
  ResultNode live_node(const nb::object& live) {
    if (auto constant = constant_of(live)) return std::move(*constant);
    if (machine_.torch.is_tensor(live)) return value(machine_.emitter.weight(live));
    PyObject* object = live.ptr();
    if (PyTuple_Check(object)) return tuple_node(type_of_live(live), elements(live));
    if (PyList_CheckExact(object)) return list_of(ResultListKind::List, elements(live));
    if (PySet_CheckExact(object)) return list_of(ResultListKind::Set, elements(live));
    if (PyDict_Check(object)) {
      std::vector<std::pair<nb::object, AbstractValue>> entries;
      for (const auto& [key, entry] : nb::borrow<nb::dict>(live))
        entries.emplace_back(nb::borrow(key), known(nb::borrow(entry)));
      return dict_of(type_of_live(live), entries);
    }
    return instance_node(*receiver_of(state_, known(live)));
  }

  static std::vector<AbstractValue> elements(const nb::object& live) {
    std::vector<AbstractValue> items;
    for (const nb::handle item : live) items.push_back(known(nb::borrow(item)));
    return items;
  }

  // ---- objects of the heap
  template <class Kind>
  ResultNode heap_node(const Kind& object, const AbstractValue&) {
    refuse_kind(kind_name(Object(object)));
  }
  ResultNode heap_node(const TensorObject& tensor, const AbstractValue&) {
    refuse_unwritten(machine_, state_, tensor, "the caller");
    return value(tensor.value);
  }
  ResultNode heap_node(const SequenceObject& sequence, const AbstractValue&) {
    if (!sequence.is_tuple) return list_node(sequence);
    begin();
    return ResultRecord{
        ResultRecordKind::Object, "dycl.results:TupleOfRun", {{"elements", list_node(sequence)}}};
  }
  ResultNode list_node(const SequenceObject& sequence) {
    if (in_container_ && sequence.holds_given) keep_lengths_apart(sequence);
    const bool holds_objects =
        sequence.element.object() != nullptr && state_.heap.get<TensorObject>(sequence.element) == nullptr;
    if (holds_objects) return records_node(sequence);
    if (sequence.element.bound()) return value(sequence.value);
    begin();
    begin();
    ResultList constants{ResultListKind::List, {}};
    for (const nb::object& constant : machine_.constants.all())
      constants.items.push_back(*constant_of(constant));
    return ResultRecord{ResultRecordKind::Object,
                        "dycl.results:ListOfConstants",
                        {{"constants", std::move(constants)}, {"places", value(sequence.value)}}};
  }
  // The run does not know which of the elements are the caller's own objects.
  [[noreturn]] void keep_lengths_apart(const SequenceObject& sequence) const {
    if (!machine_.marks.from_cycle(sequence.origins)) restart_if_given_up(sequence.origins);
    machine_.refuse(
        state_, "python.write_to_argument",
        "a list that was passed to the program holds objects of the caller's and gets a length "
        "that depends on the path, so that nobody knows which of its elements these are",
        "put copies into it (x.clone()), or collect in a list of the model's own and return that");
  }
  // An element in whose parts the columns stand. Each row makes its objects anew.
  ResultNode records_node(const SequenceObject& sequence) {
    begin();
    const bool in_container = std::exchange(in_container_, false);
    auto made_live = made_live_;
    ResultNode element = node(element_with(state_, sequence, sequence.columns()));
    made_live_ = std::move(made_live);
    in_container_ = in_container;
    return ResultRecord{ResultRecordKind::Object, "dycl.results:ListOfRecords", {{"element", element}}};
  }
  ResultNode heap_node(const ListObject& list, const AbstractValue&) {
    return list_of(ResultListKind::List, list.items);
  }
  ResultNode heap_node(const TupleObject& tuple, const AbstractValue&) {
    return tuple_node(tuple.type, tuple.items);
  }
  ResultNode heap_node(const DictObject& dict, const AbstractValue&) {
    return dict_of(dict.type, dict.entries);
  }
  ResultNode heap_node(const SetObject& set, const AbstractValue&) {
    if (!set.type.is(reinterpret_cast<PyObject*>(&PySet_Type))) refuse_kind(class_name(set.type));
    std::vector<AbstractValue> items;
    for (const nb::handle item : set.contents) items.push_back(known(nb::borrow(item)));
    return list_of(ResultListKind::Set, items);
  }
  ResultNode heap_node(const InstanceObject&, const AbstractValue& value) {
    return instance_node(*receiver_of(state_, value));
  }
  ResultNode heap_node(const TextObject& text, const AbstractValue&) {
    Origins origins;  // of numbers that each path would know
    for (const ScalarValue& scalar : text.scalars) origins = united(origins, scalar.origins);
    if (origins) throw Restart{*origins};
    refuse("is a text with numbers that depend on the input", "return the numbers");
  }

  ResultNode tuple_node(const nb::object& type, const std::vector<AbstractValue>& items) {
    if (type.is(reinterpret_cast<PyObject*>(&PyTuple_Type))) return list_of(ResultListKind::Tuple, items);
    if (type.is(machine_.torch.size_class())) return size_node(type, items);
    const nb::object fields = attribute_or_null(type, "_fields");
    if (!fields.is_valid())
      refuse(fmt::format("is a {}", full_name_of(type)), "return tuple(...) of it, or its parts");
    begin();
    ResultRecord record{ResultRecordKind::NamedTuple, importable_name(type), {}};
    std::size_t index = 0;
    for (const nb::handle field : nb::borrow<nb::tuple>(fields)) {
      const Step step(*this, nb::cast<std::string>(field));
      record.fields.emplace_back(nb::cast<std::string>(field), node(items.at(index++)));
    }
    return record;
  }

  ResultNode size_node(const nb::object& type, const std::vector<AbstractValue>& items) {
    begin();
    ResultRecord record{ResultRecordKind::Object, importable_name(type), {}};
    for (std::size_t index = 0; index < items.size(); ++index)
      record.fields.emplace_back(std::to_string(index), node(items[index]));
    return record;
  }

  std::string importable_name(const nb::object& type) const {
    return fmt::format("{}:{}", module_name_of(type), text_or_empty(type, "__qualname__"));
  }

  // ---- instances
  ResultNode instance_node(const Receiver& receiver) {
    if (stands_for_numpy(receiver.type)) return numpy_node(receiver);
    if (stands_for_another(receiver.type)) refuse_kind(full_name_of(shown_type(receiver.type)));
    refuse_odd_instance(receiver);
    begin();
    const AttributeTable attributes = attributes_of(receiver);
    const bool regular = is_dataclass(receiver.type) && is_regular(receiver.type, attributes);
    ResultRecord record{
        regular ? ResultRecordKind::Dataclass : ResultRecordKind::Object, importable_name(receiver.type), {}};
    std::vector<std::string> order;
    if (is_dataclass(receiver.type))
      for (const DataclassField& field : dataclass_fields(receiver.type))
        if (attributes.contains(field.name)) order.push_back(field.name);
    for (const auto& [name, attribute] : attributes)
      if (std::ranges::find(order, name) == order.end()) order.push_back(name);
    for (const std::string& name : order) {
      const Step step(*this, name);
      const AbstractValue& attribute = attributes.at(name);
      record.fields.emplace_back(name, name == kContents ? contents_node(attribute) : node(attribute));
    }
    return record;
  }

  // An array or number of numpy: rebuilt from the tensor.
  ResultNode numpy_node(const Receiver& receiver) {
    const nb::object shown = shown_type(receiver.type);
    begin();
    return ResultRecord{ResultRecordKind::Object,
                        "dycl.results:OfNumpy",
                        {{"kind", ResultNode(ResultConstant(text_or_empty(shown, "__name__")))},
                         {"elements", node(receiver.object->attributes.begin()->second)}}};
  }

  void refuse_odd_instance(const Receiver& receiver) const {
    const nb::object& type = receiver.type;
    const bool plain = reinterpret_cast<PyTypeObject*>(type.ptr())->tp_new == PyBaseObject_Type.tp_new;
    const bool module = receiver.live.is_valid() && machine_.torch.is_module(receiver.live);
    const bool derived = receiver.object != nullptr && receiver.object->attributes.contains(kContents);
    if ((!plain && !derived) || module || is_exception_type(type) ||
        (is_library(type) && !is_dataclass(type)))
      refuse_kind(class_name(type));
  }

  // Everything that the object holds itself, as it is now.
  [[nodiscard]] AttributeTable attributes_of(const Receiver& receiver) const {
    AttributeTable attributes;
    if (receiver.live.is_valid()) {
      if (const nb::object dict = instance_dict(receiver.live); dict.is_valid())
        for (const auto& [name, attribute] : nb::borrow<nb::dict>(dict))
          attributes.set(nb::cast<std::string>(name), known(nb::borrow(attribute)));
      for (const std::string& name : slots_of(receiver.type))
        if (const nb::object attribute = attribute_or_null(receiver.live, name.c_str()); attribute.is_valid())
          attributes.set(name, known(attribute));
    }
    if (receiver.object == nullptr) return attributes;
    if (!receiver.object->forgotten.empty()) throw Restart{{}, receiver.object->forgotten};
    for (const auto& [name, attribute] : receiver.object->attributes)
      if (name == kDict || !attribute.bound())
        attributes.erase(name);
      else
        attributes.set(name, attribute);
    if (receiver.dict == nullptr) return attributes;
    for (const auto& [name, attribute] : receiver.dict->entries) {
      if (!PyUnicode_Check(name.ptr())) refuse_kind(class_name(receiver.type));
      attributes.set(nb::cast<std::string>(name), attribute);
    }
    return attributes;
  }

  static std::vector<std::string> slots_of(nb::handle type) {
    std::vector<std::string> names;
    for (const nb::handle base : nb::borrow<nb::tuple>(type.attr("__mro__"))) {
      // Members of exceptions that C defines are set by their __init__.
      if ((reinterpret_cast<PyTypeObject*>(base.ptr())->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) continue;
      for (const auto& [name, entry] : class_entries(base))
        if (Py_TYPE(entry.ptr()) == &PyMemberDescr_Type) names.push_back(nb::cast<std::string>(name));
    }
    return names;
  }

  // Calling the class with the fields makes the same object again.
  static bool is_regular(nb::handle type, const AttributeTable& attributes) {
    const nb::object init = python_method(type, "__init__");
    if (!init.is_valid() || !is_generated(init) || type_attribute(type, "__post_init__").is_valid())
      return false;
    const std::vector<DataclassField> fields = dataclass_fields(type);
    return std::cmp_equal(fields.size(), attributes.end() - attributes.begin()) &&
           std::ranges::all_of(fields, [&](const DataclassField& field) {
             return field.in_init && !field.init_var && attributes.contains(field.name);
           });
  }

  Machine& machine_;
  State& state_;
  std::vector<ValueId> values_;
  std::map<ValueId, std::size_t> indices_;
  std::vector<std::string> path_;
  std::size_t begun_ = 0;                       // lists, dicts and records
  std::map<HeapId, std::size_t> made_;          // their numbers, by the objects that they are made of
  std::map<PyObject*, std::size_t> made_live_;  // likewise
  std::vector<nb::object> kept_;                // addresses in `made_live_` stay taken
  std::set<HeapId> of_containers_;              // what lies in changed containers of the caller's
  bool in_container_ = false;                   // of the caller's
};

}  // namespace

Return return_of(Machine& machine, State& state, const AbstractValue& result) {
  return TreeMaker(machine, state).run(result);
}

void add_attributes(Machine& machine, State& state, const AbstractValue& exception, Departure& departure) {
  TreeMaker(machine, state).add_attributes(exception, departure);
}

void follow_containers(Machine& machine, State& state, const std::vector<CallersContainer>& containers) {
  for (const auto& [number, path, container] : containers) state.containers.emplace(number, container);
  for (const auto& [number, path, container] : containers)
    machine.inputs.containers.emplace(
        number, GivenContainer{path, TreeMaker(machine, state).contents_of_container(container)});
}

void refuse_exception_after_change(Machine& machine, const State& state) {
  State now = state;
  for (const auto& [number, container] : state.containers)
    if (TreeMaker(machine, now).has_changed(number, container))
      machine.refuse(state, "python.write_before_raise",
                     "an exception may leave the program here, after it has changed a list, dict or object "
                     "that was passed to it: the caller would not see that change",
                     "check first and change it afterwards, or change a copy and return it");
}

}  // namespace dycl::partial_eval
