// SPDX-License-Identifier: Apache-2.0
#include "sizes.h"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>

#include "base/size_relation.h"
#include "base/size_symbols.h"
#include "partial_eval/values/layouts.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;
using partial_eval::OpenSize;
using partial_eval::protocol::Sizes;

nb::tuple tuple_of(const std::vector<SizeSymbolPtr>& symbols) {
  Sizes sizes;
  for (const SizeSymbolPtr& symbol : symbols) sizes.emplace_back(symbol);
  return partial_eval::tuple_of(sizes);
}

std::pair<std::int64_t, std::int64_t> limits_of(const SizeExpr& size) {
  const SizeRange range = range_of(size);
  return {range.smallest, range.largest};
}

std::size_t number_of(const SizeExpr& symbol) {
  const SizeSymbolPtr found = symbol.as_symbol();
  if (!found) throw nb::value_error("a size is named by a symbol");
  return found->number;
}

// Of {symbol: size}.
SizeValues values_of(const nb::dict& given) {
  SizeValues values;
  for (const auto& [symbol, size] : given)
    values.insert_or_assign(number_of(nb::cast<SizeExpr>(symbol)), nb::cast<SizeExpr>(size));
  return values;
}

std::optional<std::int64_t> value_at(const SizeExpr& size, const nb::dict& given) {
  std::map<std::size_t, std::int64_t> values;
  for (const auto& [symbol, value] : given)
    values.insert_or_assign(number_of(nb::cast<SizeExpr>(symbol)), nb::cast<std::int64_t>(value));
  return evaluate(size, values);
}

// Number, smallest and largest value. Origins are left out: they are places of one compilation, and what is
// written down is for others.
using WrittenSymbol = std::tuple<std::size_t, std::int64_t, std::int64_t>;

OpenSize read_size(std::string_view text, const std::vector<WrittenSymbol>& symbols) {
  const auto symbol_of = [&](std::size_t wanted) -> SizeSymbolPtr {
    for (const auto& [number, smallest, largest] : symbols)
      if (number == wanted)
        return std::make_shared<const SizeSymbol>(SizeSymbol{number, {smallest, largest}, {}});
    return nullptr;
  };
  auto read = parse_size(text, symbol_of);
  if (!read || read->is_known()) throw nb::value_error("this is not the text of an open size");
  return {std::move(*read)};
}

nb::tuple written(nb::handle self, const SizeExpr& size) {
  std::vector<WrittenSymbol> symbols;
  for (const SizeSymbolPtr& symbol : symbols_of(size))
    symbols.emplace_back(symbol->number, symbol->range.smallest, symbol->range.largest);
  return nb::make_tuple(self.type(), nb::make_tuple(to_string(size), symbols));
}

std::pair<std::string_view, nb::tuple> operation_of(const SizeExpr& size) {
  const SizeParts parts = parts_of(size);
  return {parts.operation, partial_eval::tuple_of(parts.operands)};
}

// The operator with the size on the left, and on the right of an int. An int beyond 64 bits is no SizeExpr.
template <class Function>
void bind_operator(nb::class_<OpenSize>& bound, const std::string& name, const Function& function) {
  const auto beyond = [](const OpenSize&, const nb::int_&) -> SizeExpr {
    throw std::overflow_error("a size is beyond 64 bits");
  };
  const std::string left = "__" + name + "__", right = "__r" + name + "__";
  bound.def(
      left.c_str(), [=](const OpenSize& one, const SizeExpr& other) { return function(one.expr, other); },
      nb::is_operator());
  bound.def(left.c_str(), beyond, nb::is_operator());
  bound.def(
      right.c_str(), [=](const OpenSize& one, const SizeExpr& other) { return function(other, one.expr); },
      nb::is_operator());
  bound.def(right.c_str(), beyond, nb::is_operator());
}

void bind_arithmetic(nb::class_<OpenSize>& bound) {
  using Size = const SizeExpr&;
  bind_operator(bound, "add", [](Size left, Size right) { return left + right; });
  bind_operator(bound, "sub", [](Size left, Size right) { return left - right; });
  bind_operator(bound, "mul", [](Size left, Size right) { return left * right; });
  bind_operator(bound, "floordiv", [](Size left, Size right) { return floor_div(left, right); });
  bind_operator(bound, "mod", [](Size left, Size right) { return mod(left, right); });
  bound.def("__neg__", [](const OpenSize& size) { return -size.expr; });
}

void bind_size(nb::module_& module) {
  nb::class_<OpenSize> bound(module, "SizeExpr");
  bound
      .def(
          "__init__",
          [](OpenSize* self, std::string_view text, const std::vector<WrittenSymbol>& symbols) {
            new (self) OpenSize(read_size(text, symbols));
          },
          nb::arg("text"), nb::arg("symbols"))
      .def_prop_ro("symbols", [](const OpenSize& size) { return tuple_of(symbols_of(size.expr)); })
      .def_prop_ro("is_symbol", [](const OpenSize& size) { return size.expr.as_symbol() != nullptr; })
      .def_prop_ro("number", [](const OpenSize& size) { return number_of(size.expr); })
      .def_prop_ro("range", [](const OpenSize& size) { return limits_of(size.expr); })
      .def_prop_ro("parts", [](const OpenSize& size) { return operation_of(size.expr); })
      .def(
          "substituted",
          [](const OpenSize& size, const nb::dict& values) {
            return substituted(size.expr, values_of(values));
          },
          nb::arg("values"))
      .def(
          "value_at",
          [](const OpenSize& size, const nb::dict& values) { return value_at(size.expr, values); },
          nb::arg("values"))
      .def(
          "linear_in",
          [](const OpenSize& size, const SizeExpr& symbol) {
            number_of(symbol);
            return linear_in(size.expr, *symbol.as_symbol());
          },
          nb::arg("symbol"))
      .def(
          "__eq__", [](const OpenSize& size, const OpenSize& other) { return size.expr == other.expr; },
          nb::is_operator())
      .def("__hash__", [](const OpenSize& size) { return hash_of(size.expr); })
      .def("__str__", [](const OpenSize& size) { return to_string(size.expr); })
      .def("__repr__", [](const OpenSize& size) { return to_string(size.expr); })
      .def("__reduce__", [](nb::handle self) { return written(self, nb::cast<const OpenSize&>(self).expr); });
  bind_arithmetic(bound);
}

void bind_symbols(nb::module_& module) {
  nb::class_<SizeSymbols>(module, "SizeSymbols")
      .def(nb::init<const Sizes&>(), nb::arg("used") = Sizes())
      .def(
          "fresh",
          [](SizeSymbols& symbols, std::int64_t smallest, std::int64_t largest) {
            return symbols.fresh({smallest, largest});
          },
          nb::arg("smallest") = 0, nb::arg("largest") = SizeRange::kLargest);
  module.attr("LARGEST_SIZE") = SizeRange::kLargest;
}

void bind_functions(nb::module_& module) {
  module.def("max_of_sizes", [](const Sizes& sizes) { return max_of(sizes); }, nb::arg("sizes"));
  module.def("min_of_sizes", [](const Sizes& sizes) { return min_of(sizes); }, nb::arg("sizes"));
  module.def(
      "symbols_of_sizes", [](const Sizes& sizes) { return tuple_of(partial_eval::symbols_of_all(sizes)); },
      nb::arg("sizes"));
  module.def("size_relation_holds", &holds, nb::arg("relation"), nb::arg("left"), nb::arg("right"));
  module.def("size_relation_splits", &splits, nb::arg("relation"), nb::arg("left"), nb::arg("right"));
  module.def(
      "contiguous_stride",
      [](const Sizes& shape) { return partial_eval::tuple_of(partial_eval::contiguous_stride(shape)); },
      nb::arg("shape"));
  module.def(
      "substituted_layout",
      [](const partial_eval::protocol::TensorSpec& spec, const nb::dict& values) {
        const auto layout = partial_eval::substituted(spec, values_of(values));
        return std::pair(partial_eval::tuple_of(layout.shape), partial_eval::tuple_of(layout.stride));
      },
      nb::arg("spec"), nb::arg("values"));
}

}  // namespace

void init_sizes(nb::module_& module) {
  bind_size(module);
  bind_symbols(module);
  bind_functions(module);
}

}  // namespace dycl::python
