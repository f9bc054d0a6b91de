// SPDX-License-Identifier: Apache-2.0
#include "protocol.h"

#include <string_view>

#include "base/result.h"
#include "base/type_text.h"
#include "partial_eval/data/numbers.h"
#include "partial_eval/values/layouts.h"
#include "partial_eval/values/protocol.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;
namespace protocol = partial_eval::protocol;

template <class Struct, class Member, class Argument>
struct Field {
  Argument argument;
  Member Struct::* member;
};

template <class Struct, class Member>
auto field(const char* name, Member Struct::* member) {
  return Field<Struct, Member, nb::arg>{nb::arg(name), member};
}

template <class Struct, class Member>
auto field_or_none(const char* name, Member Struct::* member) {
  const auto argument = nb::arg(name).none();
  return Field<Struct, Member, decltype(nb::arg(name).none())>{argument, member};
}

// A class whose constructor takes the members in order. They are read only, and it is pickled by them.
template <class Struct, class... Members, class... Arguments>
void bind_struct(nb::module_& module, const char* name, const Field<Struct, Members, Arguments>&... fields) {
  nb::class_<Struct> bound(module, name);
  bound.def(
      "__init__", [](Struct* self, Members... values) { new (self) Struct{std::move(values)...}; },
      fields.argument...);
  (bound.def_ro(fields.argument.name_, fields.member), ...);
  const auto members = [... names = fields.argument.name_](nb::handle self) {
    return nb::make_tuple(nb::object(self.attr(names))...);
  };
  bound.def("__reduce__", [=](nb::handle self) { return nb::make_tuple(self.type(), members(self)); });
  bound.def("__repr__", [=](nb::handle self) {
    return nb::cast<std::string>(self.type().attr("__name__")) + nb::repr(members(self)).c_str();
  });
}

Type parsed(const std::string& text) {
  auto type = parse_type(text, [](std::string_view) { return SymbolId(); });  // as of open_dim()
  if (!type) internal_error("a TensorSpec has a type that does not parse: " + text);
  return std::move(*type);
}

void bind_spec(nb::module_& module) {
  using partial_eval::symbols_of_all;
  using partial_eval::tuple_of;
  using protocol::Sizes;
  using protocol::TensorSpec;
  nb::class_<TensorSpec>(module, "TensorSpec")
      .def(
          "__init__",
          [](TensorSpec* self, nb::object dtype, Sizes shape, Sizes stride, nb::object device,
             const std::string& type_text) {
            Sizes all = shape;
            all.insert(all.end(), stride.begin(), stride.end());
            new (self) TensorSpec{std::move(dtype),  std::move(shape),    std::move(stride),
                                  std::move(device), symbols_of_all(all), parsed(type_text)};
          },
          nb::arg("dtype"), nb::arg("shape"), nb::arg("stride"), nb::arg("device"), nb::arg("type_text"))
      .def_ro("dtype", &TensorSpec::dtype)
      .def_prop_ro("shape", [](const TensorSpec& spec) { return tuple_of(spec.shape); })
      .def_prop_ro("stride", [](const TensorSpec& spec) { return tuple_of(spec.stride); })
      .def_ro("device", &TensorSpec::device)
      .def_prop_ro(
          "symbols",
          [](const TensorSpec& spec) { return tuple_of({spec.symbols.begin(), spec.symbols.end()}); })
      .def_prop_ro("type_text", &TensorSpec::type_text);
}

ScalarKind kind_from_name(std::string_view name) {
  if (name == "bool") return ScalarKind::Bool;
  if (name == "int") return ScalarKind::I64;
  if (name != "float") internal_error("there is no number of the kind " + std::string(name));
  return ScalarKind::F64;
}

void bind_slots(nb::module_& module) {
  using protocol::ScalarSlot;
  using protocol::SpecPtr;
  using protocol::TensorSlot;
  nb::class_<TensorSlot>(module, "TensorSlot")
      .def(
          "__init__",
          [](TensorSlot* self, SpecPtr spec, std::int64_t storage, std::optional<std::int64_t> at) {
            new (self) TensorSlot{std::move(spec), storage, at};
          },
          nb::arg("spec"), nb::arg("storage"), nb::arg("at").none() = 0)
      .def_ro("spec", &TensorSlot::spec)
      .def_ro("storage", &TensorSlot::storage)
      .def_ro("at", &TensorSlot::at);
  nb::class_<ScalarSlot>(module, "ScalarSlot")
      .def(
          "__init__",
          [](ScalarSlot* self, const std::string& kind, std::optional<SizeExpr> size) {
            new (self) ScalarSlot{{ValueId(), kind_from_name(kind), nullptr}, std::move(size)};
          },
          nb::arg("kind"), nb::arg("size").none() = nb::none())
      .def_prop_ro(
          "kind",
          [](const ScalarSlot& slot) { return std::string(partial_eval::python_name(slot.scalar.kind)); })
      .def_ro("size", &ScalarSlot::size);
}

void bind_results(nb::module_& module) {
  using protocol::Check;
  using protocol::Fragment;
  using protocol::LeafCall;
  using protocol::SizeResult;
  using protocol::TensorResult;
  bind_struct(module, "SizeResult", field("size", &SizeResult::size));
  bind_struct(module, "TensorResult", field("index", &TensorResult::index),
              field("spec", &TensorResult::spec), field_or_none("same_as", &TensorResult::same_as),
              field("view_of", &TensorResult::view_of), field("static_view", &TensorResult::static_view),
              field_or_none("same_static", &TensorResult::same_static),
              field_or_none("at", &TensorResult::at),
              field_or_none("static_base", &TensorResult::static_base));
  bind_struct(module, "Check", field("output", &Check::output), field("exception", &Check::exception),
              field("message", &Check::message));
  bind_struct(module, "Fragment", field("name", &Fragment::name),
              field("input_types", &Fragment::input_types), field("output_types", &Fragment::output_types),
              field("onnx", &Fragment::onnx), field("aten", &Fragment::aten), field("key", &Fragment::key));
  bind_struct(module, "LeafCall", field("fragment", &LeafCall::fragment), field("inputs", &LeafCall::inputs),
              field_or_none("result", &LeafCall::result), field("mutated", &LeafCall::mutated),
              field("checks", &LeafCall::checks), field("requirements", &LeafCall::requirements));
  bind_struct(module, "Metadata", field_or_none("result", &protocol::Metadata::result));
}

void bind_answers(nb::module_& module) {
  using protocol::DeclaredSize;
  using protocol::LeafRefused;
  using protocol::Requirement;
  using protocol::SizeSplit;
  using protocol::ViewUpdate;
  bind_struct(module, "Requirement", field("relation", &Requirement::relation),
              field("left", &Requirement::left), field("right", &Requirement::right),
              field("exception", &Requirement::exception), field("message", &Requirement::message),
              field("fields", &Requirement::fields));
  bind_struct(module, "SizeSplit", field("relation", &SizeSplit::relation), field("left", &SizeSplit::left),
              field("right", &SizeSplit::right));
  bind_struct(module, "TorchRaised", field("exception", &protocol::TorchRaised::exception));
  bind_struct(module, "LeafRefused", field("reason", &LeafRefused::reason), field("hint", &LeafRefused::hint),
              field("reads", &LeafRefused::reads));
  bind_struct(module, "DeclaredSize", field("name", &DeclaredSize::name),
              field("smallest", &DeclaredSize::smallest), field("largest", &DeclaredSize::largest),
              field("factor", &DeclaredSize::factor), field("rest", &DeclaredSize::rest));
  bind_struct(module, "ViewUpdate", field("relation", &ViewUpdate::relation),
              field_or_none("function", &ViewUpdate::function), field("arguments", &ViewUpdate::arguments));
}

}  // namespace

void init_protocol(nb::module_& module) {
  bind_spec(module);
  bind_slots(module);
  bind_results(module);
  bind_answers(module);
}

}  // namespace dycl::python
