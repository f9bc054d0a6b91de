// SPDX-License-Identifier: Apache-2.0
// What the elements of a list are, once the list is a sequence that the HCFG carries. A list of objects is
// carried as columns: one sequence for each number and tensor in an object.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

struct ElementType {
  Type type;                                  // of a number or tensor
  ScalarKind kind = ScalarKind::Bool;         // of numbers
  SpecPtr spec = {};                          // of tensors; null for numbers
  bool is_constant = false;                   // a place in Machine::constants
  std::optional<AbstractValue> same = {};     // a part that is known, and the same in all elements
  std::shared_ptr<const Object> record = {};  // a tuple, list, dict or object; what it holds has no meaning
  std::vector<ElementType> parts = {};        // of a record, in the order of for_each_child
};
std::optional<ElementType> element_type(Machine& machine, const State& state, const AbstractValue& item);

// Adds the items to those whose type is `common`; false: they are not all of one type.
bool add_to_common(Machine& machine, const State& state, std::span<const AbstractValue> items,
                   std::optional<ElementType>& common);

// The types of the columns; one, unless elements are objects.
std::vector<Type> column_types(const ElementType& type);
// The part of an element that lies in a column.
AbstractValue part_in_column(const State& state, const ElementType& type, const AbstractValue& item,
                             std::size_t column);

// The elements of a list of the heap, or of a plain tuple; nullopt: it is neither, or its length depends on
// the path.
std::optional<std::vector<AbstractValue>> known_elements(const State& state, const AbstractValue& value);
bool is_plain_tuple(const State& state, const AbstractValue& value);

// The number of the caller's tensor that this object is.
std::optional<std::size_t> number_of_given_tensor(const Machine& machine, const State& state,
                                                  ObjectRef tensor);
// Whether it is, or holds, what may be an object of the caller's, if the program writes to lists, dicts or
// objects of his.
bool holds_given(const Machine& machine, const State& state, const AbstractValue& item);

// SequenceObject::element: any element, of which only the type is known.
AbstractValue any_element(State& state, const ElementType& type);

// The sequence that has these elements.
ValueId list_of(Machine& machine, State& state, std::vector<ValueId> items, const Type& type);
// A tensor or a number.
ValueId item_id(Machine& machine, State& state, const AbstractValue& item);

}  // namespace dycl::partial_eval
