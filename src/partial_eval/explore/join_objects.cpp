// SPDX-License-Identifier: Apache-2.0
// Joining objects of the heap, kind by kind.
#include "partial_eval/explore/join.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/overloaded.h"
#include "partial_eval/data/elements.h"
#include "partial_eval/data/unwritten.h"
#include "partial_eval/torch/tensor_writes.h"
#include "partial_eval/values/live_object.h"
#include "partial_eval/values/live_sets.h"
#include "partial_eval/values/live_state.h"

namespace dycl::partial_eval {
namespace {

template <class Kind>
std::vector<const Kind*> all_of_kind(const std::vector<const Object*>& sides) {
  std::vector<const Kind*> found;
  for (const Object* side : sides) {
    const Kind* object = std::get_if<Kind>(side);
    if (object == nullptr) return {};
    found.push_back(object);
  }
  return found;
}

template <class Kind, class Member>
bool all_equal(const std::vector<const Kind*>& sides, Member member) {
  return std::all_of(sides.begin(), sides.end(),
                     [&](const Kind* side) { return member(*side) == member(*sides.front()); });
}

std::vector<std::string_view> names_in(const InstanceObject& instance) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : instance.attributes) names.push_back(name);
  return names;
}

}  // namespace

bool Join::join_all(std::vector<AbstractValue>& joined,
                    const std::vector<const std::vector<AbstractValue>*>& sides) {
  for (const auto* side : sides)
    if (side->size() != sides.front()->size()) return false;
  for (std::size_t index = 0; index < sides.front()->size(); ++index) {
    Sides values;
    for (const auto* side : sides) values.push_back((*side)[index]);
    auto result = value(values);
    if (!result) return false;
    joined.push_back(std::move(*result));
  }
  return true;
}

std::optional<Object> Join::contents(const std::vector<const Object*>& sides) {
  const Object& first = *sides.front();
  for (const Object* side : sides)
    if (side->index() != first.index()) return std::nullopt;
  return std::visit(Overloaded{
                        [&](const ListObject& object) { return content(object, sides); },
                        [&](const TupleObject& object) { return content(object, sides); },
                        [&](const DictObject& object) { return content(object, sides); },
                        [&](const InstanceObject& object) { return content(object, sides); },
                        [&](const FunctionObject& object) { return content(object, sides); },
                        [&](const SetObject& object) { return content(object, sides); },
                        [&](const GeneratorObject& object) { return content(object, sides); },
                        [&](const auto&) { return plain_content(first, sides); },
                    },
                    first);
}

std::optional<Object> Join::content(const ListObject&, const std::vector<const Object*>& sides) {
  const auto lists = all_of_kind<ListObject>(sides);
  std::vector<const std::vector<AbstractValue>*> items;
  for (const ListObject* list : lists) items.push_back(&list->items);
  ListObject joined;
  if (!join_all(joined.items, items)) return std::nullopt;
  return Object(std::move(joined));
}

std::optional<Object> Join::content(const TupleObject& first, const std::vector<const Object*>& sides) {
  const auto tuples_found = all_of_kind<TupleObject>(sides);
  std::vector<const std::vector<AbstractValue>*> items;
  for (const TupleObject* tuple : tuples_found) {
    if (!tuple->type.is(first.type)) return std::nullopt;
    items.push_back(&tuple->items);
  }
  TupleObject joined{{}, first.type};
  if (!join_all(joined.items, items)) return std::nullopt;
  return Object(std::move(joined));
}

std::optional<Object> Join::content(const DictObject& first, const std::vector<const Object*>& sides) {
  const auto dicts = all_of_kind<DictObject>(sides);
  DictObject joined{{}, first.type, {}};
  Sides factories;
  for (const DictObject* dict : dicts) {
    if (dict->entries.size() != first.entries.size() || !dict->type.is(first.type)) return std::nullopt;
    factories.push_back(dict->default_factory);
  }
  auto factory = value(factories);
  if (!factory) return std::nullopt;
  joined.default_factory = std::move(*factory);
  for (std::size_t index = 0; index < first.entries.size(); ++index) {
    Sides values;
    for (const DictObject* dict : dicts) {
      const nb::object& key = dict->entries[index].first;
      if (!same_key(key, first.entries[index].first)) return std::nullopt;
      values.push_back(dict->entries[index].second);
    }
    auto entry = value(values);
    if (!entry) return std::nullopt;
    joined.entries.emplace_back(first.entries[index].first, std::move(*entry));
  }
  return Object(std::move(joined));
}

// Equal sets may have another order on each path: whoever asks for it undoes the meeting.
std::optional<Object> Join::content(const SetObject& first, const std::vector<const Object*>& sides) {
  const auto sets = all_of_kind<SetObject>(sides);
  SetObject joined = first;
  for (const SetObject* set : sets) {
    if (!set->type.is(first.type) || !same_elements(set->contents, first.contents)) return std::nullopt;
    joined.order = united(joined.order, set->order);
    joined.is_unordered = joined.is_unordered || set->is_unordered;
    if (options_.exact && set->is_unordered != first.is_unordered) return std::nullopt;
    if (options_.exact && !set->order != !first.order) return std::nullopt;
    if (set->order || lie_alike(set->contents, first.contents)) continue;
    if (!may_generalise()) return std::nullopt;
    joined.order = united(joined.order, origin());
  }
  return Object(std::move(joined));
}

std::optional<Object> Join::content(const InstanceObject& first, const std::vector<const Object*>& sides) {
  const auto instances = all_of_kind<InstanceObject>(sides);
  InstanceObject joined{first.type, first.live, {}, {}, {}};
  std::vector<std::string> names;  // in the order of the first that has them
  for (const InstanceObject* instance : instances) {
    if (!instance->type.is(first.type)) return std::nullopt;
    for (const auto& [name, value] : instance->attributes)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    joined.unordered =
        joined.unordered || instance->unordered || !std::ranges::equal(names_in(*instance), names_in(first));
    joined.forgotten.insert(instance->forgotten.begin(), instance->forgotten.end());
    joined.from_live.insert(instance->from_live.begin(), instance->from_live.end());
  }
  const std::string root = place_;
  for (const std::string& name : names) {
    if (joined.forgotten.contains(name)) continue;
    place_ = root + "." + name;
    Sides values;
    for (const InstanceObject* instance : instances) {
      const AbstractValue* found = instance->attributes.find(name);
      const bool from_live =
          found == nullptr && first.live.is_valid() && has_attribute(first.live, name.c_str());
      if (from_live) joined.from_live.insert(name);
      values.push_back(found != nullptr ? *found
                       : from_live      ? known(first.live.attr(name.c_str()))
                                        : AbstractValue());
    }
    auto attribute = value(values);
    const bool may_forget =
        first.live.is_valid() && options_.generalise && !machine_.marks.read_attributes.contains(name);
    if (attribute)
      joined.attributes.set(name, std::move(*attribute));
    else if (may_forget)
      joined.forgotten.insert(name);
    else
      return std::nullopt;
  }
  place_ = root;
  return Object(std::move(joined));
}

std::optional<Object> Join::content(const FunctionObject& first, const std::vector<const Object*>& sides) {
  const auto functions = all_of_kind<FunctionObject>(sides);
  if (!all_equal(functions, [](const FunctionObject& function) { return function.code.get(); }))
    return std::nullopt;
  FunctionObject joined = first;
  joined.defaults.clear();
  joined.closure.clear();
  std::vector<const std::vector<AbstractValue>*> defaults, closures;
  for (const FunctionObject* function : functions) {
    defaults.push_back(&function->defaults);
    closures.push_back(&function->closure);
  }
  if (!join_all(joined.defaults, defaults) || !join_all(joined.closure, closures)) return std::nullopt;
  for (const auto named : {&FunctionObject::keyword_defaults, &FunctionObject::attributes}) {
    if (!all_equal(functions, [&](const FunctionObject& function) { return (function.*named).size(); }))
      return std::nullopt;
    for (auto& [name, joined_value] : joined.*named) {
      Sides values;
      for (const FunctionObject* function : functions) {
        const auto found = (function->*named).find(name);
        if (found == (function->*named).end()) return std::nullopt;
        values.push_back(found->second);
      }
      auto result = value(values);
      if (!result) return std::nullopt;
      joined_value = std::move(*result);
    }
  }
  return Object(std::move(joined));
}

std::optional<Object> Join::content(const GeneratorObject& first, const std::vector<const Object*>& sides) {
  const auto generators = all_of_kind<GeneratorObject>(sides);
  const auto flags = [](const GeneratorObject& generator) {
    return std::tuple(generator.started, generator.running, generator.finished, generator.shown.ptr());
  };
  if (!all_equal(generators, flags)) return std::nullopt;
  GeneratorObject joined = first;
  if (first.running || first.finished) {
    joined.frame = Frame{};  // on the stack, or never run again
    return Object(std::move(joined));
  }
  std::vector<const Frame*> frames_of;
  for (const GeneratorObject* generator : generators) frames_of.push_back(&generator->frame);
  const std::string root = place_;
  place_ += ">";
  if (!frame(frames_of, joined.frame, live_registers(first.frame), false)) return std::nullopt;
  place_ = root;
  return Object(std::move(joined));
}

std::optional<Object> Join::tensor_content(const std::vector<const Object*>& sides) {
  const auto tensors_found = all_of_kind<TensorObject>(sides);
  TensorObject joined = *tensors_found.front();
  std::vector<SpecPtr> specs;
  std::vector<StorageId> storages;
  Sides values_of;
  for (const TensorObject* tensor : tensors_found) {
    specs.push_back(tensor->spec);
    const bool as_first = tensor->outside == tensors_found.front()->outside &&
                          tensor->free_layout == tensors_found.front()->free_layout &&
                          tensor->free_sharing == tensors_found.front()->free_sharing &&
                          tensor->made_contiguous == tensors_found.front()->made_contiguous &&
                          tensor->escaped == tensors_found.front()->escaped &&
                          tensor->at == tensors_found.front()->at &&
                          !tensor->identity == !tensors_found.front()->identity &&
                          !tensor->layout == !tensors_found.front()->layout &&
                          !tensor->sharing == !tensors_found.front()->sharing &&
                          same_unwritten(machine_, tensor->unwritten, tensors_found.front()->unwritten);
    if (options_.exact && !as_first) return std::nullopt;
    storages.push_back(tensor->storage);
    joined.outside = joined.outside || tensor->outside;
    joined.escaped = joined.escaped || tensor->escaped;
    joined.free_layout = joined.free_layout || tensor->free_layout;
    joined.free_sharing = joined.free_sharing || tensor->free_sharing;
    joined.made_contiguous = joined.made_contiguous || tensor->made_contiguous;
    joined.layout = united(joined.layout, tensor->layout);
    joined.sharing = united(joined.sharing, tensor->sharing);
    if (joined.at != tensor->at) joined.at = std::nullopt;
    joined.unwritten = joined_unwritten(machine_, joined.unwritten, tensor->unwritten, joined.at.has_value());
    joined.identity = united(joined.identity, tensor->identity);
    values_of.push_back(ScalarValue{tensor->value, ScalarKind::Bool, nullptr});  // carries the id alone
  }
  joined.spec = joined_spec(specs);
  if (joined.spec == nullptr) return std::nullopt;
  if (!options_.exact && !have_one_layout(specs)) joined.layout = united(joined.layout, origin());
  joined.storage = joined_storage(storages);
  joined.selection = nullptr;
  if (!all_equal(tensors_found, [](const TensorObject& tensor) { return tensor.value; }))
    joined.value = parameter(joined.spec->type, "x", values_of);
  return Object(std::move(joined));
}

namespace {

void copy_stand_in(const AbstractValue& element, const State& from, State& to) {
  const ObjectRef* ref = element.object();
  if (ref == nullptr || to.heap.contains(ref->id)) return;
  to.heap.put(ref->id, from.heap.at(*ref));
  for_each_child(from.heap.at(*ref), [&](const AbstractValue& part) { copy_stand_in(part, from, to); });
}

}  // namespace

std::optional<Object> Join::sequence_content(const std::vector<const Object*>& sides) {
  const auto sequences = all_of_kind<SequenceObject>(sides);
  SequenceObject joined = *sequences.front();
  const auto types_of_columns = [&](const SequenceObject& sequence) {
    std::vector<Type> types;
    for (const ValueId column : sequence.columns()) types.push_back(machine_.emitter.graph.type_of(column));
    return types;
  };
  if (!all_equal(sequences, types_of_columns)) return std::nullopt;
  if (!all_equal(sequences, [](const SequenceObject& list) { return list.element.bound(); }))
    return std::nullopt;
  if (!all_equal(sequences, [](const SequenceObject& list) { return list.is_tuple; })) return std::nullopt;
  std::optional<ElementType> element;
  for (std::size_t index = 0; index < sequences.size(); ++index) {
    if (options_.exact && sequences[index]->shortest != joined.shortest) return std::nullopt;
    if (options_.exact && sequences[index]->holds_given != joined.holds_given) return std::nullopt;
    joined.holds_given = joined.holds_given || sequences[index]->holds_given;
    joined.shortest = std::min(joined.shortest, sequences[index]->shortest);
    joined.origins = united(joined.origins, sequences[index]->origins);
    const bool is_object = !joined.others.empty() || !sequences[index]->others.empty();
    if (is_object &&
        !add_to_common(machine_, *states_[index], std::array{sequences[index]->element}, element))
      return std::nullopt;
  }
  // The stand-in for an element holds a type, not a value: that of the first state serves.
  copy_stand_in(joined.element, *states_.front(), joined_);
  std::vector<ValueId> columns = joined.columns();
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const auto value_in = [&](const SequenceObject& sequence) { return sequence.columns()[column]; };
    if (all_equal(sequences, value_in)) continue;
    Sides values_of;
    for (const SequenceObject* sequence : sequences)
      values_of.push_back(ScalarValue{value_in(*sequence), ScalarKind::Bool, nullptr});
    columns[column] = parameter(types_of_columns(*sequences.front())[column], "list", values_of);
  }
  joined.set_columns(std::move(columns));
  return Object(std::move(joined));
}

namespace {

bool same_array(const ArrayObject& left, const ArrayObject& right) {
  for (const char* fact : {"dtype", "shape", "strides"})
    if (!left.contents.attr(fact).equal(right.contents.attr(fact))) return false;
  return left.viewed == right.viewed &&
         left.contents.attr("tobytes")().equal(right.contents.attr("tobytes")());
}

// Whatever is neither a value nor to be joined is equal.
bool same_facts(const Object& left, const Object& right) {
  return std::visit(
      Overloaded{
          [&](const ArrayObject& array) { return same_array(array, std::get<ArrayObject>(right)); },
          [&](const NativeMethodObject& method) {
            return method.name == std::get<NativeMethodObject>(right).name;
          },
          [&](const IteratorObject& iterator) {
            const auto& other = std::get<IteratorObject>(right);
            return iterator.ended == other.ended && iterator.shown.is(other.shown);
          },
          [&](const RangeObject& range) { return range.step == std::get<RangeObject>(right).step; },
          [&](const PartialObject& partial) {
            return partial.arguments.size() == std::get<PartialObject>(right).arguments.size();
          },
          [&](const SuperObject& super) { return super.type.is(std::get<SuperObject>(right).type); },
          [&](const TextObject& text) {
            const auto& other = std::get<TextObject>(right);
            if (text.format != other.format || text.opaque != other.opaque) return false;
            for (std::size_t index = 0; index < text.scalars.size(); ++index)
              if (text.scalars[index].id != other.scalars[index].id) return false;
            return true;
          },
          [](const auto&) { return true; },
      },
      left);
}

}  // namespace

std::optional<Object> Join::plain_content(const Object& first, const std::vector<const Object*>& sides) {
  if (std::holds_alternative<TensorObject>(first)) return tensor_content(sides);
  if (std::holds_alternative<SequenceObject>(first)) return sequence_content(sides);
  std::vector<std::vector<AbstractValue>> children;
  for (const Object* side : sides) {
    if (!same_facts(first, *side)) return std::nullopt;
    auto& values_of = children.emplace_back();
    for_each_child(*side, [&](const AbstractValue& child) { values_of.push_back(child); });
  }
  std::vector<const std::vector<AbstractValue>*> pointers;
  for (const auto& side : children) pointers.push_back(&side);
  std::vector<AbstractValue> results;
  if (!join_all(results, pointers)) return std::nullopt;
  Object joined = first;
  replace_children(joined, std::move(results));
  return joined;
}

// The one type of all elements of all sides.
std::optional<ElementType> Join::type_in_common(const Sides& sides) {
  std::optional<ElementType> element;
  for (std::size_t index = 0; index < sides.size(); ++index) {
    const auto list = known_elements(*states_[index], sides[index]);
    const auto* sequence = states_[index]->heap.get<SequenceObject>(sides[index]);
    if (!list && (sequence == nullptr || !sequence->element.bound())) return std::nullopt;
    const std::vector<AbstractValue> items = list ? *list : std::vector<AbstractValue>{sequence->element};
    if (!add_to_common(machine_, *states_[index], items, element)) return std::nullopt;
  }
  return element;
}

// Of strings, numbers and None in any mixture. A sequence of numbers that is among them would have had to
// be made as one of constants.
std::optional<ElementType> Join::constants_type(const Sides& sides) {
  Origins of_numbers;
  for (std::size_t index = 0; index < sides.size(); ++index) {
    const auto list = known_elements(*states_[index], sides[index]);
    const auto* sequence = states_[index]->heap.get<SequenceObject>(sides[index]);
    if (!list && sequence == nullptr) return std::nullopt;
    if (list && !std::ranges::all_of(*list, is_plain_constant)) return std::nullopt;
    if (sequence == nullptr || !sequence->element.bound()) continue;
    if (sequence->element.scalar() == nullptr || !sequence->origins) return std::nullopt;
    of_numbers = united(of_numbers, sequence->origins);
  }
  if (!of_numbers)
    return ElementType{.type = ScalarType{ScalarKind::I64}, .kind = ScalarKind::I64, .is_constant = true};
  if (!machine_.marks.all_mixed(*of_numbers)) throw Restart{.origins = {}, .mixed_lists = *of_numbers};
  return std::nullopt;
}

std::optional<ElementType> Join::elements_type(const Sides& sides) {
  if (machine_.marks.mixed(place_))
    if (auto constants = constants_type(sides)) return constants;
  if (auto common = type_in_common(sides)) return common;
  return constants_type(sides);
}

bool Join::may_be_sequence(const Sides& sides) const {
  const auto is_tuple = [&](std::size_t index) { return is_plain_tuple(*states_[index], sides[index]); };
  const auto length = [&](std::size_t index) {
    const auto items = known_elements(*states_[index], sides[index]);
    return items ? std::optional(items->size()) : std::nullopt;
  };
  bool differ = false;
  for (std::size_t index = 0; index < sides.size(); ++index) {
    if (is_tuple(index) != is_tuple(0)) return false;
    differ = differ || length(index) != length(0) || !length(index);
  }
  return differ || !is_tuple(0);  // tuples of one length are told apart by their elements
}

void Join::let_escape_from(std::size_t state, const AbstractValue& item, const Origins& origins) {
  const AbstractValue now = current(*states_[state], item);
  if (const nb::object* live = now.constant()) return note_shared(machine_, joined_, *live);
  const ObjectRef* ref = now.object();
  if (ref == nullptr) return;
  if (const auto* tensor = states_[state]->heap.get<TensorObject>(now)) {
    escaped_.emplace(state, tensor->storage);
  } else if (put_into_list_.try_emplace({state, ref->id}, origins).second) {
    for_each_child(states_[state]->heap.at(*ref),
                   [&](const AbstractValue& part) { let_escape_from(state, part, origins); });
  }
}

std::vector<ValueId> Join::column_parameters(const Sides& sides, const ElementType& element) {
  const auto shared = std::make_shared<const ElementType>(element);
  std::vector<ValueId> parameters;
  for (const Type& type : column_types(element)) {
    const std::size_t column = parameters.size();
    Sides columns;
    for (std::size_t index = 0; index < sides.size(); ++index) {
      const auto* sequence = states_[index]->heap.get<SequenceObject>(sides[index]);
      columns.push_back(sequence == nullptr ? sides[index]
                                            : AbstractValue(ScalarValue{sequence->columns()[column],
                                                                        ScalarKind::Bool, nullptr}));
    }
    parameters.push_back(parameter(seq_of(type), "list", columns));
    values.back().of_constants = element.is_constant;
    values.back().element = shared;
    values.back().column = column;
  }
  return parameters;
}

// Lists or tuples that differ in length become one sequence when their elements are of one type.
std::optional<AbstractValue> Join::sequence(const Sides& sides, HeapId id) {
  if (!may_generalise() || !may_be_sequence(sides)) return std::nullopt;
  const std::optional<ElementType> element = options_.of_calls ? type_in_common(sides) : elements_type(sides);
  if (!element || (options_.of_calls && element->record != nullptr)) return std::nullopt;
  SequenceObject joined;
  joined.is_tuple = is_plain_tuple(*states_.front(), sides.front());
  joined.origins = origin();
  joined.shortest = std::numeric_limits<std::size_t>::max();
  for (std::size_t index = 0; index < sides.size(); ++index) {
    if (const auto* sequence = states_[index]->heap.get<SequenceObject>(sides[index])) {
      joined.origins = united(joined.origins, sequence->origins);
      joined.shortest = std::min(joined.shortest, sequence->shortest);
      joined.holds_given = joined.holds_given || sequence->holds_given;
    }
    const auto list = known_elements(*states_[index], sides[index]);
    if (!list) continue;
    joined.shortest = std::min(joined.shortest, list->size());
    for (const AbstractValue& item : *list) {
      joined.holds_given = joined.holds_given || holds_given(machine_, *states_[index], item);
      let_escape_from(index, item, joined.origins);
    }
  }
  joined.set_columns(column_parameters(sides, *element));
  if (!element->is_constant) joined.element = any_element(joined_, *element);
  joined_.heap.put(id, Object(std::move(joined)));
  return ObjectRef{id};
}

}  // namespace dycl::partial_eval
