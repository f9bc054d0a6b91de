// SPDX-License-Identifier: Apache-2.0
#include "program/print.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"

namespace dycl::program {
namespace {

class Printer {
 public:
  explicit Printer(const Function& function) : function_(function) {}

  [[nodiscard]] std::string name(RegisterId id) const {
    return id.valid() ? function_.register_of(id).name : "_";
  }

  [[nodiscard]] std::string list(const std::vector<RegisterId>& ids) const {
    std::string text;
    for (const RegisterId id : ids) text += (text.empty() ? "" : ", ") + name(id);
    return text;
  }

  [[nodiscard]] std::string instruction(const Instruction& in) const {
    const std::string right = right_side(in);
    if (in.op == Op::Unpack) return fmt::format("{} = {}", unpack_targets(in), right);
    if (in.op == Op::Delete) return fmt::format("delete {}", name(in.result));
    return in.result.valid() ? fmt::format("{} = {}", name(in.result), right) : right;
  }

  [[nodiscard]] std::string terminator(const Terminator& terminator) const {
    return std::visit(Overloaded{
                          [](const Jump& jump) { return "jump " + label(jump.target); },
                          [&](const Branch& branch) {
                            return fmt::format("branch {} ? {} : {}", name(branch.condition),
                                               label(branch.then_target), label(branch.else_target));
                          },
                          [&](const ForNext& next) { return for_next(next); },
                          [&](const Return& result) { return "return " + name(result.value); },
                          [&](const Raise& raise) {
                            const std::string text = "raise " + name(raise.exception);
                            return raise.cause.valid() ? text + " from " + name(raise.cause) : text;
                          },
                          [&](const Reraise& raise) { return "reraise " + name(raise.exception); },
                          [](const Unreachable&) { return std::string("unreachable"); },
                      },
                      terminator);
  }

  [[nodiscard]] static std::string label(BlockId id) { return fmt::format("b{}", id.index()); }

  [[nodiscard]] std::string signature() const;
  [[nodiscard]] std::string variables() const;

 private:
  [[nodiscard]] std::string operand(const Instruction& in, std::size_t i) const {
    return i < in.operands.size() ? name(in.operands[i]) : "?";
  }

  [[nodiscard]] std::string for_next(const ForNext& next) const {
    const std::string returned = next.returned.valid() ? ", returned " + name(next.returned) : "";
    return fmt::format("for_next {} = {} ? {} : {}{}", name(next.result), name(next.iterator),
                       label(next.body), label(next.exit), returned);
  }

  [[nodiscard]] std::string unpack_targets(const Instruction& in) const {
    std::string text;
    for (std::size_t i = 0; i < in.results.size(); ++i) {
      text += (i == 0 ? "" : ", ") + std::string(i == in.index ? "*" : "") + name(in.results[i]);
    }
    return text.empty() ? "()" : text;
  }

  [[nodiscard]] std::string arguments(const Instruction& in, std::size_t first) const {
    std::string text;
    for (std::size_t i = first; i < in.operands.size(); ++i) {
      const Argument& argument = in.arguments[i - first];
      text += i == first ? "" : ", ";
      switch (argument.kind) {
        case ArgumentKind::Positional: break;
        case ArgumentKind::Keyword: text += argument.name + "="; break;
        case ArgumentKind::Star: text += "*"; break;
        case ArgumentKind::DoubleStar: text += "**"; break;
        case ArgumentKind::Cell: text += "cell "; break;
      }
      text += name(in.operands[i]);
    }
    return text;
  }

  [[nodiscard]] std::string right_side(const Instruction& in) const;
  [[nodiscard]] std::string named(const Instruction& in) const;

  const Function& function_;
};

std::string Printer::named(const Instruction& in) const {
  std::string text(name_of(in.op));
  if (!in.name.empty()) text += " " + in.name;
  if (!in.names.empty()) text += fmt::format(" ({})", fmt::join(in.names, ", "));
  if (in.index != 0) text += fmt::format(" #{}", in.index);
  return in.operands.empty() ? text : text + " " + list(in.operands);
}

std::string Printer::right_side(const Instruction& in) const {
  const std::string_view op = name_of(in.op);
  switch (in.op) {
    case Op::Const: return fmt::format("const {}", function_.constants[in.index]);
    case Op::Unary: return fmt::format("{} {} {}", op, symbol_of(in.operation), operand(in, 0));
    case Op::Binary:
    case Op::Compare:
      return fmt::format("{} {} {}{} {}", op, operand(in, 0), symbol_of(in.operation), in.inplace ? "=" : "",
                         operand(in, 1));
    case Op::GetAttr:
    case Op::DeleteAttr: return fmt::format("{} {}.{}", op, operand(in, 0), in.name);
    case Op::SetAttr: return fmt::format("{} {}.{} = {}", op, operand(in, 0), in.name, operand(in, 1));
    case Op::GetItem:
    case Op::DeleteItem: return fmt::format("{} {}[{}]", op, operand(in, 0), operand(in, 1));
    case Op::SetItem:
      return fmt::format("{} {}[{}] = {}", op, operand(in, 0), operand(in, 1), operand(in, 2));
    case Op::StoreCell: return fmt::format("{} {} = {}", op, operand(in, 0), operand(in, 1));
    case Op::StoreGlobal: return fmt::format("{} {} = {}", op, in.name, operand(in, 0));
    case Op::LoadCell:
    case Op::DeleteCell:
    case Op::CheckBound: return fmt::format("{} {}", op, operand(in, 0));
    case Op::FormatValue:
      return fmt::format("{} {}{}", op, in.index == 0 ? "" : fmt::format("!{} ", static_cast<char>(in.index)),
                         list(in.operands));
    case Op::Unpack: return fmt::format("{} {}", op, list(in.operands));
    case Op::Call: return fmt::format("{} {}({})", op, operand(in, 0), arguments(in, 1));
    case Op::MakeFunction:
      return fmt::format("{} #{} {}({})", op, in.index, function_.inner_functions[in.index],
                         arguments(in, 0));
    default: return named(in);
  }
}

std::string Printer::signature() const {
  std::string text;
  bool keyword_only = false;
  for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
    const Parameter& parameter = function_.parameters[i];
    text += i == 0 ? "" : ", ";
    if (parameter.kind == ParameterKind::Star) {
      keyword_only = true;
      text += "*";
    } else if (parameter.kind == ParameterKind::DoubleStar) {
      text += "**";
    } else if (parameter.kind == ParameterKind::KeywordOnly && !keyword_only) {
      keyword_only = true;
      text += "*, ";
    }
    text += parameter.name;
    const bool last_positional_only = parameter.kind == ParameterKind::PositionalOnly &&
                                      (i + 1 == function_.parameters.size() ||
                                       function_.parameters[i + 1].kind != ParameterKind::PositionalOnly);
    if (last_positional_only) text += ", /";
  }
  return fmt::format("{} {}({}):\n", function_.is_generator ? "generator" : "function",
                     function_.qualified_name, text);
}

std::string Printer::variables() const {
  std::string cells;
  for (const Register& each : function_.registers) {
    if (each.kind == RegisterKind::Cell) cells += " " + each.name;
  }
  std::string free;
  for (const RegisterId id : function_.free_variables) free += " " + name(id);
  std::string inner;
  for (const std::string& each : function_.inner_functions) inner += " " + each;
  const auto line = [](const char* title, const std::string& names) {
    return names.empty() ? "" : title + names + "\n";
  };
  return line("  cells", cells) + line("  free", free) + line("  inner", inner);
}

std::string at(const Position& position, const PrintOptions& options) {
  if (!options.positions || position.line == 0) return {};
  return fmt::format("  ; {}:{}", position.line, position.column);
}

}  // namespace

std::string to_string(const Function& function, const Instruction& instruction) {
  return Printer(function).instruction(instruction);
}

std::string to_string(const Function& function, const Terminator& terminator) {
  return Printer(function).terminator(terminator);
}

std::string to_string(const Function& function, const PrintOptions& options) {
  const Printer printer(function);
  std::string text = printer.signature() + printer.variables();
  for (std::size_t i = 0; i < function.blocks.size(); ++i) {
    const Block& block = function.blocks[i];
    text += Printer::label(BlockId(i)) + ":";
    if (block.handler) {
      text += fmt::format("  handler {}({})", Printer::label(block.handler->target),
                          printer.name(block.handler->exception));
    }
    text += "\n";
    for (const Instruction& instruction : block.instructions) {
      text += "  " + printer.instruction(instruction) + at(instruction.position, options) + "\n";
    }
    text += "  " + printer.terminator(block.terminator) + at(block.position, options) + "\n";
  }
  return text;
}

}  // namespace dycl::program
