// SPDX-License-Identifier: Apache-2.0
// Lowers one function of a source file to the control-flow IR, statement by statement. Evaluation order is
// CPython's. The methods are spread over lower_*.cpp by what they lower.
#pragma once

#include <exception>
#include <map>
#include <string>
#include <vector>

#include "import_python/builder.h"
#include "import_python/source_file.h"

namespace dycl::import_python {

Result<PythonFunctionPtr> lower_scope(const SourceFile& file, const Scope& scope);

// A construct is refused. This is thrown inside the lowering only, because results at every level of a
// recursive descent would hide the code.
class SyntaxRefused : public std::exception {
 public:
  explicit SyntaxRefused(Diagnostic diagnostic) : diagnostic_(std::move(diagnostic)) {}
  [[nodiscard]] const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

class Lowering {
 public:
  using Op = program::Op;
  using RegisterId = program::RegisterId;
  using BlockId = program::BlockId;

  Lowering(const SourceFile& file, const Scope& scope);
  std::shared_ptr<const PythonFunction> run();

 private:
  // The regions that `return`, `break` and `continue` leave, innermost last.
  struct Region {
    enum class Kind : std::uint8_t { Loop, Handlers, Finally, With, NamedException };
    Kind kind = Kind::Handlers;
    FunctionBuilder::Handler outer_handler = {};
    std::size_t exceptions = 0;      // being handled outside
    BlockId break_target = {};       // Loop
    BlockId continue_target = {};    // Loop
    std::vector<Node> cleanup = {};  // Finally
    RegisterId manager = {};         // With
    std::string name = {};           // NamedException
  };
  // Returns the registers of the pattern's captures, in the order in which they were made.
  using Captures = std::vector<std::pair<std::string, RegisterId>>;

  // Sets the position of the instructions that are emitted while this object lives.
  class At {
   public:
    At(Lowering& lowering, Node node);
    ~At() { builder_.set_position(saved_); }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

   private:
    FunctionBuilder& builder_;
    program::Position saved_;
  };

  // Functions (lowering.cpp).
  void declare_registers();
  void declare_parameters(Node arguments);
  void declare_parameter(const std::string& name, program::ParameterKind kind);
  [[noreturn]] void refuse(Node node, const std::string& what, const std::string& hint);
  std::string mangled(const std::string& name) const { return mangle(name, scope_.class_name); }
  RegisterId read_name(const std::string& name);
  void write_name(const std::string& name, RegisterId value);
  void delete_name(const std::string& name);
  RegisterId none() { return builder_.constant(nanobind::none()); }

  // Expressions (lower_expression.cpp).
  RegisterId lower(Node expression);
  RegisterId lower_simple(Node expression);
  RegisterId lower_binary(Node node);
  RegisterId lower_unary(Node node);
  RegisterId lower_bool_op(Node node);
  RegisterId lower_compare(Node node);
  RegisterId compare_once(const std::string& comparison, RegisterId left, RegisterId right);
  RegisterId lower_conditional(Node node);
  RegisterId lower_named(Node node);
  RegisterId lower_slice(Node node);
  RegisterId lower_yield(Node node);
  RegisterId lower_yield_from(Node node);
  // Sends control to one of two blocks; it asks each operand for its truth at most once.
  void lower_condition(Node expression, BlockId then_target, BlockId else_target);
  void condition_of_bool_op(Node expression, BlockId then_target, BlockId else_target);
  void condition_of_compare(Node expression, BlockId then_target, BlockId else_target);

  // Displays and strings (lower_display.cpp).
  RegisterId lower_list(const std::vector<Node>& elements);
  RegisterId lower_tuple(const std::vector<Node>& elements);
  RegisterId lower_walked(Node node);
  RegisterId lower_set(const std::vector<Node>& elements);
  RegisterId lower_dict(Node node);
  RegisterId lower_joined_string(Node node);
  RegisterId lower_formatted_value(Node node);
  std::vector<RegisterId> lower_all(const std::vector<Node>& expressions);

  // Calls, functions and comprehensions (lower_call.cpp).
  RegisterId lower_call(Node node);
  void lower_keywords(const std::vector<Node>& keywords, program::Instruction& call);
  bool is_bare_super(Node call);
  RegisterId lower_super(Node call);
  RegisterId make_function(Node node);
  RegisterId make_function(Node node, program::Instruction instruction);
  RegisterId lower_comprehension(Node node);
  void comprehension_body(Node node);
  void comprehension_loops(Node node, std::size_t depth, RegisterId collected);
  void comprehension_element(Node node, RegisterId collected);

  // Statements (lower_statement.cpp).
  void lower_body(const std::vector<Node>& statements);
  void lower_statement(Node statement);
  void lower_control(Node statement);
  void lower_if(Node node);
  void lower_while(Node node);
  void lower_for(Node node);
  // Jumps to the header, which puts the next element into the target, and goes on in the body.
  void loop_body(Node node, BlockId header, BlockId exhausted, BlockId end);
  void loop_header(Node target, RegisterId iterator, BlockId header, BlockId body, BlockId exit);
  void lower_return(Node node);
  void lower_loop_exit(Node node);
  void lower_assert(Node node);
  void lower_raise(Node node);
  void lower_function_def(Node node);
  void lower_import(Node node);
  void lower_import_from(Node node);

  // Assignments (lower_assignment.cpp).
  void lower_assign(Node node);
  void lower_annotated_assign(Node node);
  void lower_augmented_assign(Node node);
  void lower_delete(Node target);
  void assign(Node target, RegisterId value);
  void assign_name(Node target, RegisterId value);
  void unpack(Node target, RegisterId value);

  // try, with and ways out of them (lower_try.cpp).
  void lower_try(Node node);
  void lower_try_except(Node node);
  void lower_handlers(Node node, RegisterId exception, BlockId end);
  void lower_handler_body(Node handler, RegisterId exception);
  void lower_with(Node node, std::size_t item);
  void enter_region(Region region);
  void leave_region();
  // Emits the cleanup of the regions above `depth`, then the terminator. The regions stay for the code that
  // follows.
  void leave_by(std::size_t depth, const program::Terminator& terminator);
  void clean_up(const Region& region);
  void forget_exception(const std::string& name);

  // match (lower_match.cpp).
  void lower_match(Node node);
  void match(Node pattern, RegisterId subject, BlockId otherwise, Captures& captures);
  void match_or(Node pattern, RegisterId subject, BlockId otherwise, Captures& captures);
  void match_sequence(Node pattern, RegisterId subject, BlockId otherwise, Captures& captures);
  void match_elements(const std::vector<Node>& patterns, std::size_t star, RegisterId subject,
                      BlockId otherwise, Captures& captures);
  void match_mapping(Node pattern, RegisterId subject, BlockId otherwise, Captures& captures);
  void match_class(Node pattern, RegisterId subject, BlockId otherwise, Captures& captures);
  void match_parts(const std::vector<Node>& patterns, RegisterId parts, BlockId otherwise,
                   Captures& captures);
  void go_on_if(RegisterId condition, BlockId otherwise);

  const SourceFile& file_;
  const Scope& scope_;
  std::shared_ptr<PythonFunction> function_;
  FunctionBuilder builder_;
  std::map<std::string, RegisterId> variables_;
  std::vector<Region> regions_;
  std::vector<RegisterId> exceptions_;  // being handled here, innermost last
};

}  // namespace dycl::import_python
