// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/border/inputs.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "partial_eval/language/dataclass.h"
#include "partial_eval/language/derived_containers.h"
#include "partial_eval/torch/leaf.h"
#include "partial_eval/values/layouts.h"
#include "partial_eval/values/live_kinds.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

constexpr std::size_t kDeepestInput = 60;

struct Prepared {
  AbstractValue value;
  nb::dict node;
};

[[noreturn]] void refuse_input(const std::string& path, const std::string& what, const std::string& hint) {
  throw Refused{
      {Blame::Unsupported, "python.input", fmt::format("the argument '{}' {}", path, what), {}, hint}};
}

[[noreturn]] void refuse_depth(const std::string& path) {
  refuse_input(path.substr(0, path.find('.')), "nests too deeply, or contains itself", "pass less structure");
}

class Preparation {
 public:
  Preparation(Machine& machine, State& state) : machine_(machine), state_(state) {}

  Prepared prepare(const nb::object& object, const std::string& wanted_path) {
    if (path_depth_ > kDeepestInput) refuse_depth(wanted_path);
    const std::string path = unique_path(wanted_path);
    const std::size_t number = next_number_++;
    if (!holds_tensor(object) && !may_be_written(object)) return constant(object, path, number);
    // A tensor that the example gives twice is two inputs: the next call may give two tensors.
    const auto found = seen_.find(object.ptr());
    if (found != seen_.end() && !machine_.torch.is_tensor(object)) return same(found->second, path);
    ++path_depth_;
    Prepared made = structure(object, path);
    --path_depth_;
    if (machine_.torch.is_tensor(object)) machine_.inputs.numbers.push_back(number);
    note_container(made.value, path, number);
    if (!PyTuple_Check(object.ptr())) {
      kept_.push_back(object);
      seen_.emplace(object.ptr(), Seen{made.value, path});
    }
    return made;
  }

  std::vector<CallersContainer> containers;

 private:
  // Without a tensor in it.
  [[nodiscard]] bool may_be_written(const nb::object& object) const {
    return machine_.marks.writes_arguments &&
           (PyList_CheckExact(object.ptr()) || PyDict_CheckExact(object.ptr()));
  }

  void note_container(const AbstractValue& made, const std::string& path, std::size_t number) {
    if (state_.heap.get<TensorObject>(made) == nullptr && state_.heap.get<TupleObject>(made) == nullptr)
      containers.push_back({number, path, *made.object()});
  }

  struct Seen {
    AbstractValue value;
    std::string path;
  };

  static nb::dict node_of(const char* kind, const std::string& path) {
    nb::dict node;
    node["kind"] = kind;
    node["path"] = path;
    return node;
  }

  static Prepared same(const Seen& seen, const std::string& path) {
    nb::dict node = node_of("same", path);
    node["as"] = seen.path;
    return {seen.value, node};
  }

  // ---- what is frozen
  Prepared constant(const nb::object& object, const std::string& path, std::size_t number) {
    const std::string name = full_name_of(type_of_live(object));
    if (name == "numpy.ndarray")
      refuse_input(path, "is a numpy array", "pass a tensor: torch.from_numpy(array)");
    if (PyIter_Check(object.ptr()))
      refuse_input(path, fmt::format("is an iterator ({})", name), "pass a list");
    if (!machine_.ownership.callers_objects.contains(object))
      machine_.ownership.callers_objects.set(object, number);
    nb::dict node = node_of("constant", path);
    node["value"] = copied(object, path);
    node["type"] = type_of_live(object);
    return {known(object), node};
  }

  // The caller may change a list or dict later: the check compares with what was compiled for.
  static nb::object copied(const nb::object& object, const std::string& path) {
    const bool container = PyList_Check(object.ptr()) || PyDict_Check(object.ptr()) ||
                           PyAnySet_Check(object.ptr()) || PyTuple_Check(object.ptr());
    if (!container) return object;
    try {
      return library_object("copy", "deepcopy")(object);
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_RecursionError)) refuse_depth(path);
      return object;
    }
  }

  // ---- what holds tensors
  // At any depth, and without recursion: whoever nests a tensor too deeply must hear of it.
  bool holds_tensor(const nb::object& root) const {
    std::unordered_set<PyObject*> seen{root.ptr()};
    std::vector<nb::object> inside{root};  // all of them, so that addresses stay taken
    const auto add = [&](nb::handle object) {
      if (seen.insert(object.ptr()).second) inside.push_back(nb::borrow(object));
    };
    for (std::size_t index = 0; index < inside.size(); ++index) {
      const nb::object object = inside[index];
      if (machine_.torch.is_tensor(object)) return true;
      if (PyTuple_Check(object.ptr())) {  // what it holds, whatever its class says of its items
        for (const nb::handle item : nb::borrow<nb::tuple>(object)) add(item);
      } else if (PyList_CheckExact(object.ptr())) {
        for (const nb::handle item : object) add(item);
      } else if (PyDict_Check(object.ptr())) {
        for (const auto& [key, value] : nb::borrow<nb::dict>(object)) add(value);
      } else if (is_record(object)) {
        for (const auto& [name, value] : attributes_of(object)) add(value);
      }
    }
    return false;
  }

  // An instance of a plain class of the user's.
  [[nodiscard]] bool is_record(nb::handle object) const {
    const nb::object type = type_of_live(object);
    const auto* raw = reinterpret_cast<PyTypeObject*>(type.ptr());
    return (raw->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 && raw->tp_new == PyBaseObject_Type.tp_new &&
           !machine_.torch.is_module(object) && !PyType_Check(object.ptr()) &&
           (!is_library(type) || is_dataclass(type));
  }

  static std::vector<std::pair<std::string, nb::object>> attributes_of(nb::handle object) {
    std::vector<std::pair<std::string, nb::object>> attributes;
    std::set<std::string> names;
    if (const nb::object dict = instance_dict(object); dict.is_valid())
      for (const auto& [name, value] : nb::borrow<nb::dict>(dict))
        if (names.insert(nb::cast<std::string>(name)).second)
          attributes.emplace_back(nb::cast<std::string>(name), nb::borrow(value));
    for (const nb::handle base : nb::borrow<nb::tuple>(type_of_live(object).attr("__mro__")))
      for (const auto& [key, entry] : class_entries(base)) {
        const auto name = nb::cast<std::string>(key);
        if (Py_TYPE(entry.ptr()) != &PyMemberDescr_Type || !names.insert(name).second) continue;
        if (nb::object value = attribute_or_null(object, name.c_str()); value.is_valid())
          attributes.emplace_back(name, std::move(value));
      }
    return attributes;
  }

  Prepared structure(const nb::object& object, const std::string& path) {
    if (machine_.torch.is_tensor(object)) return tensor(object, path);
    if (PyTuple_Check(object.ptr())) return tuple(object, path);
    if (PyList_Check(object.ptr())) return list(object, path);
    const nb::object type = type_of_live(object);
    const bool is_derived =
        !type.is(library_object("collections", "OrderedDict")) && derives_from_container(type);
    if (PyDict_Check(object.ptr()) && !is_derived) return dict(object, path);
    return record(object, path);
  }

  Prepared tensor(const nb::object& object, const std::string& path) {
    const auto answer = machine_.torch.input_spec(object, path);
    if (const auto* refused = std::get_if<protocol::LeafRefused>(&answer))
      refuse_input(path, "is " + refused->reason, refused->hint);
    const SpecPtr spec = std::get<SpecPtr>(answer);
    const Type type = with_declared_sizes(*spec);
    Hcfg& graph = machine_.emitter.graph;
    const std::string name = unique(path);
    const ValueId value = graph.add_value(type, name);
    nb::dict node = node_of("tensor", path);
    node["stride"] = spec->has_open_sizes() ? nb::tuple() : tuple_of(spec->stride);
    node["input"] = graph.inputs.size();
    node["type"] = spec->type_text();
    graph.inputs.push_back({name, value, type, false});
    note_for_each_call(object, node);
    TensorObject made{value, spec, storage_of(object), true};
    if (shares_storage_) made.at = std::nullopt;
    made.free_layout = true;
    machine_.inputs.offsets.try_emplace(made.storage, nb::cast<std::int64_t>(node["offset"]));
    const AbstractValue object_made = state_.make(std::move(made));
    machine_.inputs.objects.push_back(*object_made.object());
    return {object_made, node};
  }

  // What each call is held against, if the program asks for it.
  void note_for_each_call(const nb::object& tensor, nb::dict& node) {
    node["offset"] = tensor.attr("storage_offset")();
    node["requires_grad"] = tensor.attr("requires_grad");
    const bool is_parameter = nb::isinstance(tensor, library_object("torch.nn", "Parameter"));
    node["parameter"] = nb::bool_(is_parameter);
    machine_.inputs.gradients.push_back(nb::cast<bool>(node["requires_grad"]));
    machine_.inputs.parameters.push_back(is_parameter);
    machine_.inputs.own_attributes.push_back(instance_dict(tensor));
  }

  // Keys of dicts are any texts: {1: x, "1": y} and {"a.b": x, "a": {"b": y}} would share a path.
  std::string unique_path(const std::string& wanted) {
    std::string path = wanted;
    for (int number = 2; !paths_.insert(path).second; ++number) path = fmt::format("{}#{}", wanted, number);
    return path;
  }

  // Sizes that the caller declared as dynamic are symbols of the graph, checked at every call.
  Type with_declared_sizes(const protocol::TensorSpec& spec) {
    Type type = spec.type;
    std::size_t axis = 0;
    for (Dim& dim : *std::get<TensorType>(type).dims) {
      if (!dim.is_static()) dim = declared(spec.shape[axis]);
      ++axis;
    }
    return type;
  }

  Dim declared(const SizeExpr& size) {
    const protocol::DeclaredSize found = machine_.torch.declared(size);
    const auto [entry, is_new] = sizes_.try_emplace(found.name);
    if (is_new) {
      Hcfg& graph = machine_.emitter.graph;
      entry->second = graph.add_symbol(found.name);
      graph.symbols[entry->second.index()].range = {found.smallest, found.largest};
    }
    for (const SizeSymbolPtr& symbol : symbols_of(size))
      machine_.inputs.sizes.emplace(symbol->number, entry->second);
    return Dim(entry->second) * found.factor + Dim(found.rest);
  }

  // Tensors of the example that share memory may share it at every call.
  StorageId storage_of(const nb::object& tensor) {
    const nb::object storage = tensor.attr("untyped_storage")();
    const auto [place, fresh] =
        storages_.emplace(nb::cast<std::int64_t>(storage.attr("_cdata")), StorageId());
    if (fresh) place->second = fresh_storage();
    shares_storage_ = !fresh;
    return place->second;
  }

  std::string unique(const std::string& path) {
    std::string name = path;
    for (int number = 2; !names_.insert(name).second; ++number) name = fmt::format("{}_{}", path, number);
    return name;
  }

  std::vector<AbstractValue> items(const nb::object& object, const std::string& path, nb::list& nodes) {
    std::vector<AbstractValue> values;
    for (const nb::handle item : object) {
      Prepared made = prepare(nb::borrow(item), fmt::format("{}.{}", path, values.size()));
      values.push_back(std::move(made.value));
      nodes.append(made.node);
    }
    return values;
  }

  Prepared tuple(const nb::object& object, const std::string& path) {
    const nb::object type = type_of_live(object);
    const bool plain = PyTuple_CheckExact(object.ptr());
    const nb::object fields = attribute_or_null(type, "_fields");
    if (!plain && !fields.is_valid())
      refuse_input(path, fmt::format("is a {}", full_name_of(type)), "pass a tuple");
    std::string odd = plain ? "" : odd_member_of_named_tuple(type);
    if (odd.empty() && python_method(type, "__iter__").is_valid()) odd = "__iter__";
    if (!odd.empty())
      refuse_input(path, fmt::format("is a {}, which defines {}", full_name_of(type), odd), "pass a tuple");
    nb::list nodes;
    std::vector<AbstractValue> values;
    std::size_t index = 0;
    for (const nb::handle item : object) {
      const std::string part =
          plain ? std::to_string(index) : nb::cast<std::string>(nb::borrow<nb::tuple>(fields)[index]);
      Prepared made = prepare(nb::borrow(item), fmt::format("{}.{}", path, part));
      values.push_back(std::move(made.value));
      nodes.append(made.node);
      ++index;
    }
    nb::dict node = node_of(plain ? "tuple" : "named_tuple", path);
    node["items"] = nodes;
    node["class"] = type;
    if (!plain) node["fields"] = fields;
    return {state_.make(TupleObject{std::move(values), type}), node};
  }

  Prepared list(const nb::object& object, const std::string& path) {
    if (!PyList_CheckExact(object.ptr()))
      refuse_input(path, fmt::format("is a {}", full_name_of(type_of_live(object))), "pass a list");
    nb::list nodes;
    std::vector<AbstractValue> values = items(object, path, nodes);
    nb::dict node = node_of("list", path);
    node["items"] = nodes;
    return {state_.make(ListObject{std::move(values)}), node};
  }

  Prepared dict(const nb::object& object, const std::string& path) {
    const nb::object type = type_of_live(object);
    const bool ordered = type.is(library_object("collections", "OrderedDict"));
    if (!PyDict_CheckExact(object.ptr()) && !ordered)
      refuse_input(path, fmt::format("is a {}", full_name_of(type)), "pass a dict");
    nb::list nodes;
    DictObject made{{}, type, {}};
    for (const auto& [key, value] : nb::borrow<nb::dict>(object)) {
      Prepared part =
          prepare(nb::borrow(value), fmt::format("{}.{}", path, nb::cast<std::string>(nb::str(key))));
      made.entries.emplace_back(nb::borrow(key), std::move(part.value));
      nodes.append(nb::make_tuple(key, part.node));
    }
    nb::dict node = node_of("dict", path);
    node["items"] = nodes;
    node["class"] = type;
    return {state_.make(std::move(made)), node};
  }

  Prepared record(const nb::object& object, const std::string& path) {
    nb::list nodes;
    InstanceObject made{type_of_live(object), {}, {}};
    if (PyDict_Check(object.ptr())) {  // of a class that derives from dict
      const bool ordered = is_subtype(made.type, library_object("collections", "OrderedDict"));
      nb::object contents = nb::steal(PyDict_Copy(object.ptr()));
      const std::size_t number = next_number_++;
      Prepared part = dict(ordered ? library_object("collections", "OrderedDict")(contents) : contents, path);
      note_container(part.value, path, number);
      made.attributes.set(kContents, std::move(part.value));
      nodes.append(nb::make_tuple(kContents, part.node));
    }
    for (const auto& [name, value] : attributes_of(object)) {
      Prepared part = prepare(value, fmt::format("{}.{}", path, name));
      made.attributes.set(name, std::move(part.value));
      nodes.append(nb::make_tuple(name, part.node));
    }
    nb::dict node = node_of("object", path);
    node["items"] = nodes;
    node["class"] = made.type;
    return {state_.make(std::move(made)), node};
  }

  Machine& machine_;
  State& state_;
  std::size_t path_depth_ = 0;
  std::size_t next_number_ = 0;
  std::vector<nb::object> kept_;  // addresses in `seen_` stay taken
  std::unordered_map<PyObject*, Seen> seen_;
  std::map<std::int64_t, StorageId> storages_;
  bool shares_storage_ = false;  // the last input asked for lies in the storage of another
  std::set<std::string> names_;
  std::set<std::string> paths_;
  std::map<std::string, SymbolId> sizes_;
};

const char* kind_name_of(const nb::object& parameter) {
  const auto kind = nb::cast<int>(nb::int_(nb::object(parameter.attr("kind"))));
  static constexpr const char* kNames[] = {"positional_only", "positional", "star", "keyword_only",
                                           "double_star"};
  return kNames[kind];
}

// A callable without a signature: parameters by their places.
nb::object signature_of(const nb::object& callable, const nb::tuple& args, const nb::dict& kwargs) {
  const nb::object inspect = nb::module_::import_("inspect");
  try {
    return inspect.attr("signature")(callable);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
  }
  const nb::object parameter = inspect.attr("Parameter");
  nb::list parameters;
  for (std::size_t index = 0; index < nb::len(args); ++index)
    parameters.append(parameter(fmt::format("arg{}", index), parameter.attr("POSITIONAL_ONLY")));
  for (const auto& [name, value] : kwargs) parameters.append(parameter(name, parameter.attr("KEYWORD_ONLY")));
  return inspect.attr("Signature")(parameters);
}

// Arguments for the call, by position and by keyword as the example gives them: hooks, wrappers and a
// __call__ of the model's own see the difference.
class ArgumentList {
 public:
  explicit ArgumentList(const nb::dict& kwargs) : kwargs_(kwargs) {}

  void add(const std::string& kind, const std::string& name, Prepared prepared, const State& state) {
    if (kind == "star") {
      for (AbstractValue& value : elements(prepared.value, state)) positional_.push_back(std::move(value));
    } else if (kind == "double_star") {
      add_keywords(prepared.value, state);
    } else if (kind != "positional_only" && kwargs_.contains(name.c_str())) {
      by_name_.insert_or_assign(name, std::move(prepared.value));
    } else {
      positional_.push_back(std::move(prepared.value));
    }
  }

  // The keywords are in the order in which the example has them.
  [[nodiscard]] Arguments arguments() const {
    Arguments made{positional_, {}};
    for (const auto& [key, given] : kwargs_) {
      const auto name = nb::cast<std::string>(key);
      made.keywords.emplace_back(name, by_name_.at(name));
    }
    return made;
  }

 private:
  static std::vector<AbstractValue> elements(const AbstractValue& tuple, const State& state) {
    if (const auto* object = state.heap.get<TupleObject>(tuple)) return object->items;
    std::vector<AbstractValue> items;
    for (const nb::handle item : *tuple.constant()) items.push_back(known(nb::borrow(item)));
    return items;
  }

  void add_keywords(const AbstractValue& dict, const State& state) {
    if (const auto* object = state.heap.get<DictObject>(dict)) {
      for (const auto& [key, value] : object->entries)
        by_name_.insert_or_assign(nb::cast<std::string>(key), value);
      return;
    }
    for (const auto& [key, value] : nb::borrow<nb::dict>(*dict.constant()))
      by_name_.insert_or_assign(nb::cast<std::string>(key), known(nb::borrow(value)));
  }

  const nb::dict& kwargs_;
  std::vector<AbstractValue> positional_;
  std::map<std::string, AbstractValue> by_name_;
};

}  // namespace

PreparedInputs prepare_inputs(Machine& machine, State& state, const nb::object& callable,
                              const nb::tuple& args, const nb::dict& kwargs) {
  // A module's own __call__ takes anything: its forward knows the names.
  const nb::object signature = signature_of(
      machine.torch.is_module(callable) ? nb::object(callable.attr("forward")) : callable, args, kwargs);
  const nb::object bound = signature.attr("bind")(*args, **kwargs);
  const nb::dict given = nb::dict(bound.attr("arguments"));
  Preparation preparation(machine, state);
  ArgumentList list(kwargs);
  nb::list parameters;
  for (const nb::handle parameter : nb::object(signature.attr("parameters").attr("values")())) {
    const auto name = nb::cast<std::string>(parameter.attr("name"));
    const std::string kind = kind_name_of(nb::borrow(parameter));
    const nb::object value = entry_or_null(given, name);
    const bool variadic = kind == "star" || kind == "double_star";
    nb::dict entry;
    entry["name"] = name;
    entry["kind"] = kind;
    entry["given"] = value.is_valid();
    if (value.is_valid()) {
      Prepared prepared = preparation.prepare(value, name);
      entry["tree"] = prepared.node;
      list.add(kind, name, std::move(prepared), state);
    } else if (!variadic) {
      // The function's own default: it stays the very object.
      nb::dict node;
      node["kind"] = "constant";
      node["path"] = name;
      node["value"] = nb::object(parameter.attr("default"));
      node["type"] = type_of_live(nb::object(parameter.attr("default")));
      entry["tree"] = node;
    }
    parameters.append(entry);
  }
  nb::dict schema;
  schema["parameters"] = parameters;
  return {list.arguments(), schema, std::move(preparation.containers)};
}

}  // namespace dycl::partial_eval
