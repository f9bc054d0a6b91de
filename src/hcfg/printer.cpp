// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <unordered_map>

#include "base/overloaded.h"
#include "base/scalar.h"
#include "base/sha256.h"
#include "hcfg/fragment.h"
#include "hcfg/text.h"
#include "hcfg/text_attributes.h"
#include "hcfg/text_names.h"
#include "hcfg/text_tree.h"

namespace dycl {
namespace {

constexpr std::size_t kLineWidth = 100;  // a longer list of ports gets a line for each

// Prints graphs that do not verify too, since a person then wants to see them most.
class Printer {
 public:
  Printer(const Hcfg& graph, const PrintOptions& options)
      : graph_(graph),
        options_(options),
        values_(graph.values.size(), UniqueNames::Style::Value),
        symbols_(graph.symbols.size(), UniqueNames::Style::Symbol) {
    for (const Block& each : graph.blocks)
      for (const Step& step : each.steps)
        if (const auto* subnet = std::get_if<SubnetStep>(&step))
          for (const TensorOp& op : subnet->ops)
            if (const auto* call = std::get_if<FragmentCall>(&op)) number(*call->fragment);
    fragment_names_ = UniqueNames(fragments_.size(), UniqueNames::Style::Symbol);
  }

  std::string print();
  std::string print_fragment(const Fragment& fragment, std::string_view name);  // of a graph made from it

 private:
  std::string type_text(const Type& type);
  std::string value_text(ValueId id);
  std::string definition_text(ValueId id);
  std::string list_of_values(const std::vector<ValueId>& ids);
  std::string list_of_definitions(const std::vector<ValueId>& ids);
  std::string input_text(const Port& port);
  [[nodiscard]] std::string initial_text(const Port& state) const;
  std::string output_text(const Port& port);
  std::string edge_text(const Edge& edge);
  std::string terminator_text(const Terminator& terminator);
  void header();
  void ranges();
  void sources();
  void constant(const Constant& constant);
  std::string return_text(const Return& done);
  std::string raise_text(const Raise& raise);
  void fragment(const Fragment& fragment);
  void number(const Fragment& fragment);
  const std::string& fragment_name(const Fragment& fragment);
  void block(std::size_t index);
  void step(const Step& step);
  void op(const OnnxOp& op);
  void call(const FragmentCall& call);
  void line(std::string_view text, SourceId source);

  const Hcfg& graph_;
  const PrintOptions& options_;
  UniqueNames values_;
  UniqueNames symbols_;
  std::unordered_map<const Fragment*, std::size_t> fragments_;  // in order of appearance
  std::vector<const Fragment*> fragment_order_;
  UniqueNames fragment_names_{0, UniqueNames::Style::Symbol};
  std::string text_;
};

std::string Printer::type_text(const Type& type) {
  return to_string(type, [&](SymbolId symbol) -> std::string {
    if (symbol.index() >= graph_.symbols.size()) return fmt::format("?{}", symbol.value);
    return symbols_.name(symbol.index(), graph_.symbols[symbol.index()].name);
  });
}

std::string Printer::value_text(ValueId id) {
  if (!id.valid()) return "_";
  if (id.index() >= graph_.values.size()) return fmt::format("%?{}", id.value);
  return "%" + values_.name(id.index(), graph_.value(id).name);
}

std::string Printer::definition_text(ValueId id) {
  if (id.index() >= graph_.values.size()) return value_text(id);
  const std::string name = value_text(id);
  return fmt::format("{}: {}", name, type_text(graph_.type_of(id)));
}

std::string Printer::list_of_values(const std::vector<ValueId>& ids) {
  std::string text;
  for (const ValueId id : ids) text += (text.empty() ? "" : ", ") + value_text(id);
  return text;
}

std::string Printer::list_of_definitions(const std::vector<ValueId>& ids) {
  std::string text;
  for (const ValueId id : ids) text += (text.empty() ? "" : ", ") + definition_text(id);
  return text.empty() ? "()" : text;
}

std::string port_name(const std::string& name) {
  return name == "optional" || name == "state" ? quoted(name) : identifier_or_quoted(name);
}

std::string Printer::input_text(const Port& port) {
  std::string text = port.optional ? "optional " : "";
  if (port.is_state()) text += "state ";
  if (value_text(port.value) != "%" + port.name) text += port_name(port.name) + " ";
  text += definition_text(port.value);
  const bool declared_so =
      port.value.index() < graph_.values.size() && graph_.type_of(port.value) == port.type;
  if (!declared_so) text += " declared " + type_text(port.type);
  return text;
}

std::string Printer::output_text(const Port& port) {
  return fmt::format("{}{}: {}", port.optional ? "optional " : "", port_name(port.name),
                     type_text(port.type));
}

void Printer::header() {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::size_t width = 0;
  for (const Port& port : graph_.inputs) width += inputs.emplace_back(input_text(port)).size();
  for (const Port& port : graph_.outputs) width += outputs.emplace_back(output_text(port)).size();
  const char* separator = width > kLineWidth ? ",\n    " : ", ";
  const char* open = width > kLineWidth ? "\n    " : "";
  text_ += fmt::format("hcfg {}({}{}) -> ({}{}) {{\n", identifier_or_quoted(graph_.name),
                       inputs.empty() ? "" : open, fmt::join(inputs, separator), outputs.empty() ? "" : open,
                       fmt::join(outputs, separator));
}

// In the order in which the inputs mention the symbols, which is how a reader numbers them.
void Printer::ranges() {
  std::vector<bool> printed(graph_.symbols.size(), false);
  const auto put = [&](const Dim& dim) {
    for (const auto& [symbol, factor] : dim.terms) {
      if (symbol.index() >= printed.size() || printed[symbol.index()]) continue;
      printed[symbol.index()] = true;
      const Symbol& limited = graph_.symbols[symbol.index()];
      if (!limited.range.limited()) continue;
      line(fmt::format("  range {} = {}..{}", symbols_.name(symbol.index(), limited.name),
                       limited.range.smallest, limited.range.largest),
           {});
    }
  };
  for (const Port& port : graph_.inputs) {
    if (port.value.index() < graph_.values.size()) for_each_dim_within(graph_.type_of(port.value), put);
    for_each_dim_within(port.type, put);
  }
  for (std::size_t symbol = 0; symbol < printed.size(); ++symbol) put(Dim(SymbolId(symbol)));
}

void Printer::constant(const Constant& constant) {
  const std::string contents =
      constant.data == nullptr ? "missing" : contents_text(*constant.data, options_.inline_bytes);
  line(fmt::format("  const {} = {}", definition_text(constant.value), contents), {});
}

void Printer::sources() {
  if (!options_.sources) return;
  for (std::size_t index = 0; index < graph_.sources.size(); ++index) {
    const auto& [span, caller] = graph_.sources[index];
    text_ += fmt::format("  source s{} = {}:{}:{}", index, quoted(span.file), span.line, span.column);
    if (!span.node.empty()) text_ += " " + quoted(span.node);
    if (caller.valid()) text_ += fmt::format(" from s{}", caller.value);
    text_ += '\n';
  }
}

void Printer::line(std::string_view text, SourceId source) {
  text_ += text;
  if (options_.sources && source.valid()) text_ += fmt::format(" at s{}", source.value);
  text_ += '\n';
}

void Printer::number(const Fragment& fragment) {
  if (fragments_.try_emplace(&fragment, fragments_.size()).second) fragment_order_.push_back(&fragment);
}

const std::string& Printer::fragment_name(const Fragment& fragment) {
  return fragment_names_.name(fragments_.at(&fragment), fragment.name);
}

void Printer::fragment(const Fragment& fragment) {
  Hcfg local;
  local.values = fragment.values;
  local.symbols = fragment.symbols;
  text_ += Printer(local, options_).print_fragment(fragment, fragment_name(fragment));
}

std::string Printer::print_fragment(const Fragment& fragment, std::string_view name) {
  const std::string inputs = fragment.inputs.empty() ? "" : list_of_definitions(fragment.inputs);
  line(fmt::format("  fragment {}({}) -> ({}) key {} {{", name, inputs, list_of_values(fragment.outputs),
                   quoted(fragment.key)),
       {});
  for (const Constant& each : fragment.constants) {
    text_ += "    ";
    constant(each);
  }
  for (const OnnxOp& each : fragment.ops) op(each);
  if (!fragment.aten.empty()) line("      aten " + quoted(fragment.aten), {});
  line("  }", {});
  return std::move(text_);
}

void Printer::call(const FragmentCall& call) {
  const std::string results = list_of_definitions(call.outputs);
  line(fmt::format("      {} = fragment {}({})", results, fragment_name(*call.fragment),
                   list_of_values(call.inputs)),
       call.source);
}

void Printer::op(const OnnxOp& op) {
  const std::string domain = op.domain.empty() ? "" : identifier_or_quoted(op.domain) + "::";
  const std::string outputs = list_of_definitions(op.outputs);
  line(fmt::format("      {} = {}{}@{}({}){}", outputs, domain, identifier_or_quoted(op.name), op.version,
                   list_of_values(op.inputs), attributes_text(op.attributes, options_.inline_bytes)),
       op.source);
}

void Printer::step(const Step& step) {
  std::visit(
      Overloaded{
          [&](const SubnetStep& subnet) {
            line(fmt::format("    subnet {} {{", identifier_or_quoted(subnet.name)), {});
            for (const TensorOp& each : subnet.ops)
              std::visit(Overloaded{
                             [&](const OnnxOp& plain) { op(plain); },
                             [&](const FragmentCall& called) { call(called); },
                         },
                         each);
            line("    }", {});
          },
          [&](const HostStep& host) {
            const std::string outputs = list_of_definitions(host.outputs);
            line(fmt::format("    {} = {}({}){}", outputs, name_of(host.op), list_of_values(host.inputs),
                             attributes_text(host.attributes, options_.inline_bytes)),
                 host.source);
          },
      },
      step);
}

std::string Printer::edge_text(const Edge& edge) {
  return fmt::format("b{}({})", edge.target.value, list_of_values(edge.arguments));
}

std::string Printer::return_text(const Return& done) {
  const std::size_t count = done.writes.size() > done.values.size() ? 0 : done.result_count();
  const auto begin = done.values.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
  std::string text = "return";
  if (done.tree != nullptr)
    text += " " + tree_text(*done.tree, [&](std::size_t index) {
              return index < count ? value_text(done.values[index]) : fmt::format("%?{}", index);
            });
  else if (count > 0)
    text += " " + list_of_values({begin, end});
  for (std::size_t index = 0; index < done.writes.size() && count + index < done.values.size(); ++index) {
    const std::uint32_t input = done.writes[index];
    text += fmt::format(
        "{} {} = {}", index == 0 ? " writes" : ",",
        input < graph_.inputs.size() ? value_text(graph_.inputs[input].value) : fmt::format("%?{}", input),
        value_text(done.values[count + index]));
  }
  return text;
}

std::string Printer::raise_text(const Raise& raise) {
  const std::vector<ValueId>& all = raise.scalars;
  const std::size_t shown = shown_count(raise.format, all.size(), raise.attributes);
  const auto end_of_shown = all.begin() + static_cast<std::ptrdiff_t>(shown);
  std::string text = fmt::format("raise {} {}({})", identifier_or_quoted(raise.type), quoted(raise.format),
                                 list_of_values({all.begin(), end_of_shown}));
  if (raise.attributes == nullptr) return text;
  return text + " with " + tree_text(*raise.attributes, [&](std::size_t index) {
           return shown + index < all.size() ? value_text(all[shown + index]) : fmt::format("%?{}", index);
         });
}

std::string Printer::terminator_text(const Terminator& terminator) {
  return std::visit(Overloaded{
                        [&](const Jump& jump) { return "jump " + edge_text(jump.edge); },
                        [&](const Branch& branch) {
                          const std::string condition = value_text(branch.condition);
                          const std::string then_text = edge_text(branch.then_edge);
                          return fmt::format("branch {} ? {} : {}", condition, then_text,
                                             edge_text(branch.else_edge));
                        },
                        [&](const Switch& choice) {
                          std::string text = fmt::format("switch {} [", value_text(choice.index));
                          for (std::size_t index = 0; index < choice.cases.size(); ++index)
                            text += (index == 0 ? "" : ", ") + edge_text(choice.cases[index]);
                          return text + "] else " + edge_text(choice.fallback);
                        },
                        [&](const Return& done) { return return_text(done); },
                        [&](const Raise& raise) { return raise_text(raise); },
                    },
                    terminator);
}

void Printer::block(std::size_t index) {
  const Block& block = graph_.blocks[index];
  const std::string parameters =
      block.parameters.empty() ? "" : fmt::format("({})", list_of_definitions(block.parameters));
  line(fmt::format("  b{}{}:", index, parameters), {});
  for (const Step& each : block.steps) step(each);
  line("    " + terminator_text(block.terminator), block.source);
}

std::string Printer::initial_text(const Port& state) const {
  const TensorType* tensor = graph_.type_of(state.value).tensor();
  if (tensor != nullptr && tensor->is_static() && state.initial->size() == 1)
    return contents_text(*state.initial->front(), options_.inline_bytes);
  std::string text;
  for (const TensorPtr& each : *state.initial)
    text += (text.empty() ? "" : ", ") + tensor_text(each, options_.inline_bytes);
  return "[" + text + "]";
}

std::string Printer::print() {
  header();
  ranges();
  sources();
  for (const Port& each : graph_.inputs)
    if (each.is_state())
      line(fmt::format("  initial {} = {}", value_text(each.value), initial_text(each)), {});
  for (const Constant& each : graph_.constants) constant(each);
  for (const Fragment* each : fragment_order_) fragment(*each);
  for (std::size_t index = 0; index < graph_.blocks.size(); ++index) block(index);
  text_ += "}\n";
  return std::move(text_);
}

}  // namespace

std::string print(const Hcfg& graph, const PrintOptions& options) { return Printer(graph, options).print(); }

std::string constant_key(const TensorData& tensor) { return sha256_hex(tensor.bytes); }

}  // namespace dycl
