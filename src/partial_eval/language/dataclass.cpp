// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/dataclass.h"

#include <algorithm>

#include "partial_eval/data/structures.h"
#include "partial_eval/language/bind_arguments.h"
#include "partial_eval/language/call.h"
#include "partial_eval/language/derived_containers.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

using program::Parameter;
using program::ParameterKind;

// The class along the resolution order whose generated __init__ is in force; null: it is not generated.
nb::object owner_of_init(nb::handle type) {
  const nb::object init = python_method(type, "__init__");
  if (!init.is_valid() || !is_generated(init)) return {};
  for (const nb::handle base : nb::borrow<nb::tuple>(type.attr("__mro__"))) {
    if (!class_entry(base, "__init__").is(init)) continue;
    return class_entry(base, "__dataclass_fields__").is_valid() ? nb::borrow(base) : nb::object();
  }
  return {};
}

Signature signature_of(nb::handle owner, const std::vector<DataclassField>& fields,
                       const AbstractValue& absent) {
  Signature signature{text_or_empty(owner.attr("__init__"), "__qualname__"),
                      {Parameter{"self", ParameterKind::PositionalOnly, {}}},
                      {},
                      {}};
  for (const bool keyword_only : {false, true}) {
    for (const DataclassField& field : fields) {
      if (!field.in_init || field.keyword_only != keyword_only) continue;
      signature.parameters.push_back(
          Parameter{field.name, keyword_only ? ParameterKind::KeywordOnly : ParameterKind::Positional, {}});
      if (!field.default_value.is_valid() && !field.default_factory.is_valid()) continue;
      AbstractValue value = field.default_value.is_valid() ? known(field.default_value) : absent;
      if (keyword_only) {
        signature.keyword_defaults.emplace(field.name, std::move(value));
      } else {
        signature.defaults.push_back(std::move(value));
      }
    }
  }
  return signature;
}

// Factories, property setters and __post_init__ are code of the user's: the prelude goes through them.
class Construction {
 public:
  Construction(Machine& machine, State& state, const nb::object& type, const nb::object& owner)
      : machine_(machine), state_(state), type_(type), owner_(owner), fields_(dataclass_fields(owner)) {}

  Outcome run(Arguments arguments) {
    AbstractValue self = make_instance(state_, type_);
    const AbstractValue absent = known(library_object("dataclasses", "_HAS_DEFAULT_FACTORY"));
    const Signature signature = signature_of(owner_, fields_, absent);
    arguments.positional.insert(arguments.positional.begin(), self);
    auto bound = bind_parameters(machine_, state_, signature, std::move(arguments));
    if (auto* raised = std::get_if<Raised>(&bound)) return std::move(*raised);
    const auto& values = std::get<std::vector<AbstractValue>>(bound);
    for (const DataclassField& field : fields_) {
      const auto named = [&](const Parameter& parameter) { return parameter.name == field.name; };
      const auto place =
          std::ranges::find_if(signature.parameters.begin() + 1, signature.parameters.end(), named);
      if (field.in_init)
        add(field, values[static_cast<std::size_t>(place - signature.parameters.begin())], absent);
      else if (field.default_factory.is_valid())
        add(field, absent, absent);
    }
    return initialise(self);
  }

 private:
  void add(const DataclassField& field, const AbstractValue& value, const AbstractValue& absent) {
    const nb::object* live = value.constant();
    const bool made = live != nullptr && live->is(*absent.constant());
    if (field.init_var) {
      init_vars_.push_back(value);
      return;
    }
    simple_ = simple_ && !made && !is_special(field.name);
    names_.push_back(field.name);
    values_.push_back(made ? known_none() : value);
    factories_.push_back(made ? known(field.default_factory) : known_none());
  }

  // Assigning it runs code of the user's.
  [[nodiscard]] bool is_special(const std::string& name) const {
    const nb::object hook = python_method(type_, "__setattr__");
    if ((hook.is_valid() && !is_generated(hook)) || is_borrowed(type_, "__setattr__")) return true;
    const nb::object descriptor = type_attribute(type_, name);
    return descriptor.is_valid() && is_data_descriptor(descriptor) &&
           Py_TYPE(descriptor.ptr()) != &PyMemberDescr_Type;
  }

  Outcome initialise(const AbstractValue& self) {
    const nb::object post = type_attribute(type_, "__post_init__");
    if (!simple_) return by_prelude(self, post.is_valid());
    auto& instance = state_.heap.edit_as<InstanceObject>(*self.object());
    for (std::size_t index = 0; index < names_.size(); ++index)
      instance.attributes.set(names_[index], values_[index]);
    if (!post.is_valid()) return self;
    Arguments arguments{{self}, {}};
    arguments.positional.insert(arguments.positional.end(), init_vars_.begin(), init_vars_.end());
    return call(machine_, state_, known(post), std::move(arguments), OnReturn::Instance, self);
  }

  Outcome by_prelude(const AbstractValue& self, bool post) {
    std::vector<AbstractValue> names;
    for (const std::string& name : names_) names.push_back(known_text(name));
    const nb::object parameters = owner_.attr("__dataclass_params__");
    const bool frozen = nb::cast<bool>(parameters.attr("frozen"));
    Arguments arguments{{self, make_tuple(machine_, state_, std::move(names)),
                         make_tuple(machine_, state_, values_), make_tuple(machine_, state_, factories_),
                         make_tuple(machine_, state_, init_vars_), known_bool(frozen), known_bool(post)},
                        {}};
    return call_prelude(machine_, state_, "dataclass_init", std::move(arguments));
  }

  Machine& machine_;
  State& state_;
  const nb::object& type_;
  const nb::object& owner_;
  std::vector<DataclassField> fields_;
  bool simple_ = true;  // assigning the values is all there is to do
  std::vector<std::string> names_;
  std::vector<AbstractValue> values_, factories_, init_vars_;
};

}  // namespace

bool is_dataclass(nb::handle type) { return type_attribute(type, "__dataclass_fields__").is_valid(); }

std::vector<DataclassField> dataclass_fields(nb::handle type) {
  const nb::object missing = library_object("dataclasses", "MISSING");
  const nb::object init_var = library_object("dataclasses", "_FIELD_INITVAR");
  const nb::object class_var = library_object("dataclasses", "_FIELD_CLASSVAR");
  const auto given = [&](nb::object value) { return value.is(missing) ? nb::object() : value; };
  std::vector<DataclassField> fields;
  for (const auto& [name, field] : nb::borrow<nb::dict>(type.attr("__dataclass_fields__"))) {
    const nb::object kind = field.attr("_field_type");
    if (kind.is(class_var)) continue;
    fields.push_back({nb::cast<std::string>(name), given(field.attr("default")),
                      given(field.attr("default_factory")), nb::cast<bool>(field.attr("init")),
                      nb::cast<bool>(nb::bool_(nb::object(field.attr("kw_only")))), kind.is(init_var)});
  }
  return fields;
}

std::optional<Outcome> make_dataclass(Machine& machine, State& state, const nb::object& type,
                                      const Arguments& arguments) {
  if (!is_dataclass(type)) return std::nullopt;
  const nb::object owner = owner_of_init(type);
  const bool plain = reinterpret_cast<PyTypeObject*>(type.ptr())->tp_new == PyBaseObject_Type.tp_new ||
                     derives_from_container(type);
  if (!owner.is_valid() || !plain) return std::nullopt;
  return Construction(machine, state, type, owner).run(arguments);
}

}  // namespace dycl::partial_eval
