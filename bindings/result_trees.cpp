// SPDX-License-Identifier: Apache-2.0
#include "result_trees.h"

#include <nanobind/stl/string.h>

#include "base/overloaded.h"

namespace dycl::python {

namespace nb = nanobind;

nb::object constant_to_python(const ResultConstant& constant) {
  return std::visit(Overloaded{
                        [](std::monostate) { return nb::object(nb::none()); },
                        [](const auto& value) { return nb::object(nb::cast(value)); },
                    },
                    constant);
}

namespace {

// A key is a constant or a tuple of keys (base/result_tree.h).
nb::object key_to_python(const ResultNode& key) {
  if (const auto* constant = std::get_if<ResultConstant>(&key)) return constant_to_python(*constant);
  nb::list items;
  if (const auto* list = std::get_if<ResultList>(&key))
    for (const ResultNode& item : list->items) items.append(key_to_python(item));
  return nb::tuple(items);
}

const char* word_of(ResultListKind kind) {
  switch (kind) {
    case ResultListKind::Tuple: return "tuple";
    case ResultListKind::List: return "list";
    case ResultListKind::Set: return "set";
  }
  return "tuple";
}

const char* word_of(ResultRecordKind kind) {
  switch (kind) {
    case ResultRecordKind::Dataclass: return "dataclass";
    case ResultRecordKind::NamedTuple: return "namedtuple";
    case ResultRecordKind::Object: return "object";
  }
  return "object";
}

}  // namespace

nb::object tree_to_python(const ResultNode& tree) {
  return std::visit(
      Overloaded{
          [](const ResultValue& value) -> nb::object { return nb::make_tuple("value", value.index); },
          [](const ResultConstant& constant) -> nb::object {
            return nb::make_tuple("constant", constant_to_python(constant));
          },
          [](const ResultList& list) -> nb::object {
            nb::list items;
            for (const ResultNode& item : list.items) items.append(tree_to_python(item));
            return nb::make_tuple(word_of(list.kind), items);
          },
          [](const ResultDict& dict) -> nb::object {
            nb::list items;
            for (const auto& [key, value] : dict.items)
              items.append(nb::make_tuple(key_to_python(key), tree_to_python(value)));
            return nb::make_tuple("dict", items);
          },
          [](const ResultRecord& record) -> nb::object {
            nb::list fields;
            for (const auto& [name, value] : record.fields)
              fields.append(nb::make_tuple(name, tree_to_python(value)));
            return nb::make_tuple(word_of(record.kind), record.class_name, fields);
          },
          [](const ResultArgument& argument) -> nb::object {
            return nb::make_tuple("argument", argument.number);
          },
          [](const ResultSame& same) -> nb::object { return nb::make_tuple("same", same.number); },
      },
      tree);
}

}  // namespace dycl::python
