// SPDX-License-Identifier: Apache-2.0
// The kinds of objects on the abstract heap.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "partial_eval/values/abstract_value.h"
#include "partial_eval/values/attribute_table.h"
#include "partial_eval/values/frame.h"
#include "partial_eval/values/protocol.h"

namespace dycl::partial_eval {

using StorageId = Id<struct StorageTag>;

// A view tensor[index] whose place only the run knows.
struct Selection {
  HeapId base;
  AbstractValue index;
  std::vector<ValueId> index_values;  // as they were
};

// A tensor whose elements depend on the input. Its identity is the object; an in-place operation
// gives it a new value. Objects with one storage are views of one another.
struct TensorObject {
  ValueId value;
  protocol::SpecPtr spec;
  StorageId storage;
  bool outside = false;  // the storage belongs to an input, a parameter or a buffer
  // Meetings after which this is one object with another on some paths, and not on others.
  Origins identity = {};
  std::optional<std::int64_t> at = 0;  // place of the first element in the storage; none: not known
  std::shared_ptr<const Selection> selection = {};
  bool escaped = false;          // its value also lives in a list of the host
  nb::object static_base = {};   // the live tensor that this is a view of, if it is
  bool free_layout = false;      // its strides follow those of inputs, which another call may give otherwise
  bool free_sharing = false;     // whether it shares memory with others depends on such strides
  bool made_contiguous = false;  // by contiguous(), which gives the tensor itself if its strides allow it
  Origins layout = {};           // meetings after which its strides depend on the path
  Origins sharing = {};          // and those after which that decides whether it shares memory with others
  nb::object unwritten = {};     // elements of the storage that nobody has written yet: TorchBridge says how
};

// A numpy array that the program has written to. `contents` is never changed: a write puts another in place.
struct ArrayObject {
  nb::object contents;
  bool viewed = false;  // something shares its memory, or walks over it
};

struct ListObject {
  std::vector<AbstractValue> items;
};

// A list or tuple whose length or order depends on the path.
struct SequenceObject {
  ValueId value;                // the first column
  std::vector<ValueId> others;  // further columns, of a list of objects: data/elements.h
  // A stand-in: a TensorObject, a scalar, or an object that holds such, of the elements' type. Unbound: they
  // are places in Machine::constants.
  AbstractValue element;
  Origins origins;
  std::size_t shortest = 0;  // it has so many elements at least
  bool is_tuple = false;
  bool holds_given = false;  // an object of the caller's may be among the elements, or in one

  [[nodiscard]] std::vector<ValueId> columns() const {
    std::vector<ValueId> all{value};
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
  void set_columns(std::vector<ValueId> columns) {
    value = columns.front();
    others.assign(columns.begin() + 1, columns.end());
  }
};

struct TupleObject {
  std::vector<AbstractValue> items;
  nb::object type;  // tuple, or a named tuple's class
};

// Compares two keys as dicts and sets do, but that tensors are told apart by identity, and 0.1 is not numpy's
// float32 that equals it.
bool is_same_key(nb::handle one, nb::handle other);

struct DictObject {
  std::vector<std::pair<nb::object, AbstractValue>> entries;  // in order of insertion
  nb::object type;                                            // dict, OrderedDict, defaultdict
  AbstractValue default_factory;                              // of a defaultdict

  [[nodiscard]] std::optional<std::size_t> find(nb::handle key) const;
};

struct SetObject {
  nb::object contents;        // a live set or frozenset of static elements, which is never changed
  nb::object type;            // set or frozenset
  Origins order = {};         // meetings after which the order of its elements depends on the path
  bool is_unordered = false;  // nobody knows the order
};

// An instance of a class of the user's, or what was written to a live object (`live`): its attributes
// then hide those of the live object.
struct InstanceObject {
  nb::object type;
  nb::object live;  // null: made during the run
  AttributeTable attributes;
  // Attributes that some of the paths that met have written, and that were dropped because nothing was known
  // to read them.
  std::set<std::string> forgotten = {};
  // Attributes whose value is, on some of the paths that met, still that of the live object.
  std::set<std::string> from_live = {};
  bool unordered = false;  // paths that met have set them in different orders
};

// The attribute of an InstanceObject in which an instance of a class that derives from dict or list has what
// the dict or list holds. No program can write this name.
inline constexpr const char* kContents = "<contents>";

// … and the one in which an object that the run made has its `__dict__`, once that was read: a dict of the
// heap, in which all other attributes are from then on, but those that are kept in slots.
inline constexpr const char* kDict = "<dict>";

struct CellObject {
  AbstractValue content;
};

// A function made during the run.
struct FunctionObject {
  LoweredRef code;
  nb::object globals;
  std::vector<AbstractValue> defaults;  // of the last positional parameters
  std::map<std::string, AbstractValue> keyword_defaults;
  std::vector<AbstractValue> closure;  // cells, one per free variable
  std::map<std::string, AbstractValue> attributes;
};

struct MethodObject {  // a function bound to a value
  AbstractValue self;
  AbstractValue function;
};

// A method of a builtin type bound to an abstract value: native code runs it.
struct NativeMethodObject {
  AbstractValue self;
  std::string name;
};

// range() with bounds that depend on the input.
struct RangeObject {
  AbstractValue start, stop;
  std::int64_t step = 1;
};

// Walks a list (live: sees later appends), tuple, range or tuple of keys.
struct IteratorObject {
  AbstractValue source;
  AbstractValue position;  // an index; in a RangeObject the next element
  bool ended = false;      // it stays so, whatever happens to the list
  nb::object shown = {};   // its class, such as zip; null: that of an iterator over such a source
};

struct GeneratorObject {
  Frame frame;
  bool started = false;
  bool running = false;
  bool finished = false;
  nb::object shown = {};  // the class that a model of the prelude stands for, such as zip; null: generator
};

struct PartialObject {  // functools.partial with abstract parts
  AbstractValue function;
  std::vector<AbstractValue> arguments;
  AbstractValue keywords;  // a dict of the heap
};

struct SliceObject {
  AbstractValue start, stop, step;
};

struct SuperObject {
  nb::object type;
  AbstractValue self;
};

// A str with numbers that depend on the input: for messages, not for decisions.
struct TextObject {
  std::string format;  // as of Raise
  std::vector<ScalarValue> scalars;
  bool opaque = false;  // shows a tensor: may be printed or logged (which is dropped), nothing else
};

using Object =
    std::variant<TensorObject, ArrayObject, ListObject, SequenceObject, TupleObject, DictObject, SetObject,
                 InstanceObject, CellObject, FunctionObject, MethodObject, NativeMethodObject, RangeObject,
                 IteratorObject, GeneratorObject, PartialObject, SliceObject, SuperObject, TextObject>;

// Calls `visit` for every value that the object holds.
void for_each_child(const Object& object, const std::function<void(const AbstractValue&)>& visit);

// Puts other values in their places, in the order of for_each_child.
void replace_children(Object& object, std::vector<AbstractValue> values);

// "list", "Tensor", "function": for messages.
std::string kind_name(const Object& object);

}  // namespace dycl::partial_eval
