// SPDX-License-Identifier: Apache-2.0
#include "program/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/print.h"

namespace dycl::program {
namespace {

struct Counts {
  std::size_t least = 0;
  std::size_t most = 0;
};
constexpr std::size_t kAny = static_cast<std::size_t>(-1);

Counts operand_counts(Op op) {
  switch (op) {
    case Op::Const:
    case Op::LoadGlobal:
    case Op::DeleteGlobal:
    case Op::Delete:
    case Op::Import: return {0, 0};
    case Op::Move:
    case Op::StoreGlobal:
    case Op::LoadCell:
    case Op::DeleteCell:
    case Op::CheckBound:
    case Op::Unary:
    case Op::Truth:
    case Op::Length:
    case Op::GetAttr:
    case Op::DeleteAttr:
    case Op::ListToTuple:
    case Op::GetIter:
    case Op::Unpack:
    case Op::ImportFrom:
    case Op::Yield:
    case Op::EnterContext:
    case Op::MatchSequence:
    case Op::MatchMapping: return {1, 1};
    case Op::StoreCell:
    case Op::Binary:
    case Op::Compare:
    case Op::Is:
    case Op::IsNot:
    case Op::Contains:
    case Op::SetAttr:
    case Op::GetItem:
    case Op::DeleteItem:
    case Op::ListAppend:
    case Op::ListExtend:
    case Op::SetAdd:
    case Op::SetUpdate:
    case Op::DictUpdate:
    case Op::ExceptionMatches:
    case Op::MatchKeys:
    case Op::MatchClass: return {2, 2};
    case Op::FormatValue:
    case Op::ExitContext: return {1, 2};
    case Op::SetItem:
    case Op::BuildSlice:
    case Op::DictSet:
    case Op::Super: return {3, 3};
    case Op::BuildList:
    case Op::BuildTuple:
    case Op::BuildSet:
    case Op::BuildDict:
    case Op::BuildString:
    case Op::MakeFunction: return {0, kAny};
    case Op::Call: return {1, kAny};
  }
  return {};
}

class Verifier {
 public:
  explicit Verifier(const Function& function) : function_(function) {}

  std::string first_complaint() {
    if (function_.blocks.empty()) return "it has no blocks";
    for (const Parameter& parameter : function_.parameters) check_parameter(parameter);
    for (const RegisterId id : function_.free_variables) {
      expect(in_range(id) && kind(id) == RegisterKind::Free, "a free variable is not a free register");
    }
    for (std::size_t i = 0; i < function_.blocks.size(); ++i) {
      where_ = fmt::format("b{}: ", i);
      check(function_.blocks[i]);
    }
    return complaint_;
  }

 private:
  void check_parameter(const Parameter& parameter) {
    expect(in_range(parameter.register_id) && (kind(parameter.register_id) == RegisterKind::Local ||
                                               kind(parameter.register_id) == RegisterKind::Cell),
           "the parameter " + parameter.name + " has no register");
  }

  void check(const Block& block) {
    for (const Instruction& instruction : block.instructions) check(instruction);
    for (const BlockId target : successors(block)) {
      expect(target.index() < function_.blocks.size(), "a target is out of range");
    }
    for (const RegisterId id : operands_of(block.terminator)) check_plain(id, "the terminator reads");
    if (const auto* next = std::get_if<ForNext>(&block.terminator)) {
      check_plain(next->result, "the terminator writes");
      if (next->returned.valid()) check_plain(next->returned, "the terminator writes");
    }
    if (block.handler) check_plain(block.handler->exception, "the handler writes");
  }

  void check(const Instruction& in) {
    const Counts counts = operand_counts(in.op);
    const std::string name(name_of(in.op));
    expect(in.operands.size() >= counts.least && in.operands.size() <= counts.most,
           name + " has a wrong number of operands");
    if (in.result.valid()) check_plain(in.result, name + " writes");
    for (const RegisterId id : in.results) check_plain(id, name + " writes");
    check_operands(in, name);
    check_immediates(in, name);
  }

  void check_operands(const Instruction& in, const std::string& name) {
    const bool first_is_cell = in.op == Op::LoadCell || in.op == Op::StoreCell || in.op == Op::DeleteCell;
    for (std::size_t i = 0; i < in.operands.size(); ++i) {
      const bool cell = (i == 0 && first_is_cell) || (in.op == Op::MakeFunction && i < in.arguments.size() &&
                                                      in.arguments[i].kind == ArgumentKind::Cell);
      if (cell) {
        expect(in_range(in.operands[i]) && is_cell(in.operands[i]), name + " needs a cell");
      } else {
        check_plain(in.operands[i], name + " reads");
      }
    }
  }

  void check_immediates(const Instruction& in, const std::string& name) {
    const std::size_t tagged = in.op == Op::Call           ? in.operands.size() - 1
                               : in.op == Op::MakeFunction ? in.operands.size()
                                                           : 0;
    expect(in.arguments.size() == tagged, name + " has a wrong number of tagged arguments");
    expect(in.op != Op::Const || in.index < function_.constants.size(), "a constant is out of range");
    expect(in.op != Op::MakeFunction || in.index < function_.inner_functions.size(),
           "an inner function is out of range");
    expect(in.op == Op::Unpack || in.results.empty(), name + " has several results");
    expect(in.op != Op::Unpack || in.index == kNoIndex || in.index < in.results.size(),
           "the starred target is out of range");
    expect(in.op != Op::Delete || in.result.valid(), "delete names no local");
    expect(in.op != Op::BuildDict || in.operands.size() % 2 == 0, "build_dict has a key without a value");
  }

  void check_plain(RegisterId id, const std::string& what) {
    expect(in_range(id), what + " a register out of range");
    if (in_range(id)) expect(!is_cell(id), what + " the cell " + function_.register_of(id).name);
  }

  [[nodiscard]] bool in_range(RegisterId id) const {
    return id.valid() && id.index() < function_.registers.size();
  }
  [[nodiscard]] RegisterKind kind(RegisterId id) const { return function_.register_of(id).kind; }
  [[nodiscard]] bool is_cell(RegisterId id) const {
    return kind(id) == RegisterKind::Cell || kind(id) == RegisterKind::Free;
  }

  void expect(bool holds, const std::string& otherwise) {
    if (!holds && complaint_.empty()) complaint_ = where_ + otherwise;
  }

  const Function& function_;
  std::string where_;
  std::string complaint_;
};

}  // namespace

Status verify(const Function& function) {
  const std::string complaint = Verifier(function).first_complaint();
  if (complaint.empty()) return {};
  return fail(Blame::Internal, "program.malformed",
              fmt::format("the IR of {} is malformed: {}", function.qualified_name, complaint));
}

}  // namespace dycl::program
