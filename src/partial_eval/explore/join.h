// SPDX-License-Identifier: Apache-2.0
// One state out of several: walks them side by side from their live roots.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/size_join.h"
#include "partial_eval/data/elements.h"
#include "partial_eval/values/same_static.h"

namespace dycl::partial_eval {

// A value that differs between the states: becomes a parameter of the block where they meet.
struct JoinedValue {
  Type type;
  std::string name;
  std::vector<AbstractValue> sides;  // one per state: a scalar, known number, tensor or list
  ValueId parameter;
  bool of_constants = false;  // a list of places in Machine::constants
  // If the value is a column of a list, these say what the elements of the list are, and which column it is.
  std::shared_ptr<const ElementType> element = {};
  std::size_t column = 0;
};

struct JoinOptions {
  bool generalise = true;       // static values that differ may be given up
  bool same_iterations = true;  // false: states of different trips of the innermost loop
  bool commit = false;          // make values in the HCFG for the parameters
  bool exact = false;           // what is known of memory and identity must be the same on all sides
  bool any_sizes = false;       // one side may know more of the sizes of one and the same value
  bool of_calls = false;        // states between calls: memory is shared alike, and no list holds constants
};

// The value of the graph that a side is; nullopt: it is known at compile time.
std::optional<ValueId> id_of(const State& state, const AbstractValue& side);

struct RegisterPlace {
  std::size_t depth;  // of the frame
  program::RegisterId id;
};

class Join {
 public:
  // The states must be aligned.
  Join(Machine& machine, std::vector<const State*> states, JoinOptions options);

  // Joins the states, or gives nullopt if they cannot meet; `obstacle` says then what keeps them apart.
  std::optional<State> run();

  // The register that kept them apart, if it was one of a frame.
  [[nodiscard]] const std::optional<RegisterPlace>& failed() const { return failed_; }
  // Is called instead of run(). Says whether this register alone keeps the states apart.
  bool differ_at(const RegisterPlace& place);

  std::vector<JoinedValue> values;
  std::string obstacle;

 private:
  using Sides = std::vector<AbstractValue>;

  // join.cpp
  bool frames();
  // The calls that lead to a frame, as places name them.
  [[nodiscard]] std::string root_of_frame(std::size_t depth) const;
  void enter_register(const Frame& frame, const std::string& root, program::RegisterId id);
  void note_obstacle(const Frame& frame, program::RegisterId id);
  bool frame(const std::vector<const Frame*>& sides, Frame& joined,
             const std::vector<program::RegisterId>& live, bool is_top);
  bool overlay();
  template <class Number>
  bool belongings(std::map<Number, ObjectRef> State::* of_caller, const char* kind);
  bool drawn();
  std::optional<AbstractValue> value(const Sides& sides);
  std::optional<AbstractValue> statics(const Sides& sides);
  std::optional<AbstractValue> scalars(const Sides& sides);
  std::optional<AbstractValue> objects(const Sides& sides);
  std::optional<AbstractValue> tensors(const Sides& sides);
  std::optional<AbstractValue> tuples(const Sides& sides);
  StorageId storage_of_live(const nb::object& live);
  AbstractValue scalar_parameter(ScalarKind kind, const Sides& sides, bool gives_up);
  ValueId parameter(Type type, const char* name, const Sides& sides);
  [[nodiscard]] Type opened(Type type, const Sides& sides) const;
  [[nodiscard]] bool may_generalise() const;
  Origins origin();
  // One per combination; combinations with a storage in common may share memory, and end up as one.
  StorageId joined_storage(const std::vector<StorageId>& sides);
  StorageId representative(StorageId storage);
  bool is_united(StorageId storage);
  void unite_storages();
  bool freeze_elements();
  std::optional<AbstractValue> split_tensor(const std::vector<HeapId>& ids,
                                            const std::vector<const Object*>& sides);

  // join_objects.cpp
  std::optional<AbstractValue> sequence(const Sides& sides, HeapId id);
  void let_escape_from(std::size_t state, const AbstractValue& item, const Origins& origins);
  // One parameter for each column.
  std::vector<ValueId> column_parameters(const Sides& sides, const ElementType& element);
  [[nodiscard]] bool may_be_sequence(const Sides& sides) const;
  std::optional<ElementType> elements_type(const Sides& sides);
  std::optional<ElementType> type_in_common(const Sides& sides);
  std::optional<ElementType> constants_type(const Sides& sides);
  std::optional<Object> contents(const std::vector<const Object*>& sides);
  std::optional<Object> content(const ListObject& first, const std::vector<const Object*>& sides);
  std::optional<Object> content(const TupleObject& first, const std::vector<const Object*>& sides);
  std::optional<Object> content(const DictObject& first, const std::vector<const Object*>& sides);
  std::optional<Object> content(const InstanceObject& first, const std::vector<const Object*>& sides);
  std::optional<Object> content(const SetObject& first, const std::vector<const Object*>& sides);
  std::optional<Object> content(const FunctionObject& first, const std::vector<const Object*>& sides);
  std::optional<Object> content(const GeneratorObject& first, const std::vector<const Object*>& sides);
  std::optional<Object> plain_content(const Object& first, const std::vector<const Object*>& sides);
  std::optional<Object> tensor_content(const std::vector<const Object*>& sides);
  std::optional<Object> sequence_content(const std::vector<const Object*>& sides);
  bool join_all(std::vector<AbstractValue>& joined,
                const std::vector<const std::vector<AbstractValue>*>& sides);

  // join_sizes.cpp
  // Joins the specs of tensors that differ in sizes at most: what differs is a size of its own from here on.
  // Gives null if they differ in more, or must be kept apart.
  SpecPtr joined_spec(const std::vector<SpecPtr>& specs);
  protocol::Layout joined_layout(const std::vector<SpecPtr>& specs);
  // How a number on the host that differs follows from sizes, where all sides know.
  void join_size(const AbstractValue& joined, const Sides& sides);
  // `exact`: whether the second state's sizes are the first's but for the names of symbols that their
  // meetings bound.
  bool same_but_for_names(const Sizes& left, const Sizes& right);
  SizeJoins& joins();
  bool same_size_facts(const Sides& sides);
  void join_size_facts();

  Machine& machine_;
  std::vector<const State*> states_;
  JoinOptions options_;
  State joined_;
  std::string place_;  // of the root that is walked
  std::optional<RegisterPlace> failed_;
  std::map<std::vector<HeapId>, HeapId> pairs_;
  std::vector<std::map<HeapId, HeapId>> taken_;  // per state: object → joined object
  std::set<HeapId> used_;                        // ids of joined objects
  std::map<std::vector<StorageId>, StorageId> storages_;
  std::map<std::int64_t, StorageId> live_storages_;
  std::map<std::pair<std::size_t, StorageId>, StorageId> storage_of_side_;
  std::map<StorageId, StorageId> united_;
  // What lies in a list that becomes a sequence, by states.
  std::set<std::pair<std::size_t, StorageId>> escaped_;
  std::map<std::pair<std::size_t, HeapId>, Origins> put_into_list_;
  std::optional<SizeJoins> joins_;        // made when sizes differ
  std::optional<SizeRenaming> renaming_;  // made when sizes are compared, of `exact`
};

}  // namespace dycl::partial_eval
