// SPDX-License-Identifier: Apache-2.0
// The state shared by the files of this folder while one model is imported.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "hcfg/builder.h"
#include "hcfg/type_join.h"
#include "import_onnx/external_data.h"
#include "import_onnx/import_onnx.h"

namespace dycl::import_onnx {

// What domains and attributes mean inside the model's main graph or one expansion of a model-local function.
struct Frame {
  std::map<std::string, std::int64_t> opsets;                     // domain → version
  std::map<std::string, const onnx::AttributeProto*> attributes;  // of the function call
};

// The value names of one graph. A subgraph also sees those of the graphs around it.
struct Scope {
  const Scope* parent = nullptr;
  const Frame* frame = nullptr;
  std::string path;  // "main/loop_body"
  int depth = 0;
  std::unordered_map<std::string, ValueId> names = {};
  std::set<std::string> omitted = {};  // a function's inputs that its caller left out
};

// One cycle of blocks. `body` is imported at least once, and again whenever a carried value turns out to
// change its type from trip to trip.
struct LoopSpec {
  std::string key;                     // of this loop, the same at each attempt
  std::optional<ValueId> trip_count;   // scalar int
  std::optional<ValueId> keep_going;   // scalar bool at entry; the body gives the next one
  std::vector<ValueId> carried;        // entry values
  std::vector<bool> collect_in_front;  // one per value that the body collects into a sequence

  struct Iteration {
    ValueId index;  // scalar int
    std::optional<ValueId> keep_going;
    std::vector<ValueId> carried;
  };
  struct Outcome {
    std::optional<ValueId> keep_going;
    std::vector<ValueId> carried;
    std::vector<ValueId> collected;
  };
  std::function<Result<Outcome>(const Iteration&)> body;
};

// A scan whose scanned inputs have the scanned axis in front.
struct ScanSpec {
  std::string key;
  const onnx::GraphProto* body = nullptr;
  std::vector<ValueId> states;
  std::vector<ValueId> scanned;
  std::vector<bool> backwards;         // one per scanned input
  std::vector<bool> collect_in_front;  // one per collected output
};

struct LoopResult {
  std::vector<ValueId> carried;
  std::vector<ValueId> collected;  // sequences
};

class Importer {
 public:
  Importer(const onnx::ModelProto& model, TypeInference& inference, const OnnxImportOptions& options);
  Result<Hcfg> run();

 private:
  using Node = onnx::NodeProto;

  // graphs and nodes (importer.cpp)
  Status import_inputs(Scope& scope);
  Status pin_input(const std::string& name, const TensorSpec& pin, Type& type) const;
  [[nodiscard]] Type with_pinned_dims(const Type& type) const;
  Status check_pins(const std::map<std::string, SymbolId>& symbols, const std::set<std::string>& pinned);
  Result<ValueId> value_or(ValueId given, ValueId fallback);
  Status import_initializers(const onnx::GraphProto& graph, Scope& scope);
  Status import_nodes(const google::protobuf::RepeatedPtrField<Node>& nodes, Scope& scope);
  Status check_depth(const Scope& outer) const;
  // The path of a graph or function inside of the scope, cut where names are long.
  static std::string inner_path(const Scope& outer, const std::string& name);
  Status import_node(const Node& node, Scope& scope);
  Result<std::vector<ValueId>> import_subgraph(const onnx::GraphProto& graph, const Scope& outer,
                                               const std::vector<ValueId>& inputs);
  Result<std::vector<ValueId>> outputs_of(const onnx::GraphProto& graph, const Scope& scope);
  Status import_outputs(const Scope& scope);

  // tensor operations and constants (import_tensor_op.cpp)
  Status import_tensor_op(const Node& node, Scope& scope);
  Status import_constant(const Node& node, Scope& scope);
  Result<Attributes> attributes_of(const Node& node, const Scope& scope);

  // model-local functions (import_function.cpp)
  const onnx::FunctionProto* function_of(const Node& node) const;
  Status import_function(const Node& node, const onnx::FunctionProto& function, Scope& scope);

  // control flow (import_if.cpp, import_loop.cpp, import_scan.cpp, import_sequence_map.cpp)
  Status import_if(const Node& node, Scope& scope);
  Status import_loop(const Node& node, Scope& scope);
  Status import_scan(const Node& node, Scope& scope);
  Status import_scan_8(const Node& node, Scope& scope);
  Status import_sequence_map(const Node& node, Scope& scope);
  struct ScanOperands {
    const onnx::GraphProto* body = nullptr;
    std::vector<ValueId> inputs;  // states, then scanned
    std::size_t states = 0;
    std::size_t scanned = 0;
    std::size_t collected = 0;  // outputs of the body behind the states
  };
  Result<ScanOperands> scan_operands(const Node& node, int first, const Scope& scope);
  Result<LoopResult> scan_rows(const ScanSpec& scan, const Scope& scope);
  Result<ValueId> move_axis_to_front(ValueId tensor, std::int64_t axis);
  Result<ValueId> row_of(ValueId tensor, ValueId index);
  Result<ValueId> common_length(const std::vector<ValueId>& tensors);
  std::string loop_key(const Node& node, const Scope& scope) const;
  Result<ValueId> stack_rows(ValueId sequence, std::int64_t axis, const std::string& name);

  // cycles (build_loop.cpp)
  struct Checkpoint;
  struct LoopAttempt {
    BlockId header;
    BlockId exit;
    ValueId index;
    std::vector<ValueId> carried;    // header parameters
    std::vector<ValueId> sequences;  // header parameters
    LoopSpec::Outcome outcome;
    bool widened = false;
  };
  Checkpoint checkpoint() const;
  void restore(const Checkpoint& point);
  Result<LoopResult> build_loop(const LoopSpec& spec);
  Result<LoopAttempt> try_loop(const LoopSpec& spec, std::vector<Type>& types, std::size_t sequences,
                               SymbolScope outside);
  Result<LoopResult> finish_loop(const LoopSpec& spec, LoopAttempt& made, BlockId before,
                                 std::vector<ValueId> entry, const std::vector<ValueId>& sequences,
                                 SymbolScope outside);

  // sequences and optionals (import_sequence.cpp)
  Status import_sequence_op(const Node& node, Scope& scope);
  Status import_sequence_construct(const Node& node, Scope& scope);
  Status import_split_to_sequence(const Node& node, Scope& scope);
  Status append_position(const Node& node, int index, const Scope& scope, std::vector<ValueId>& inputs);
  Status import_optional_op(const Node& node, Scope& scope);
  Result<ValueId> widen_to_i64(ValueId tensor);

  // shared small steps (values.cpp)
  Result<ValueId> lookup(const std::string& name, const Scope& scope) const;
  Result<ValueId> input(const Node& node, int index, const Scope& scope) const;  // must be given
  Result<std::optional<ValueId>> optional_input(const Node& node, int index, const Scope& scope) const;
  const onnx::AttributeProto* attribute(const Node& node, const std::string& name, const Scope& scope) const;
  std::int64_t int_attribute(const Node& node, const std::string& name, std::int64_t fallback,
                             const Scope& scope) const;
  std::vector<std::int64_t> ints_attribute(const Node& node, const std::string& name,
                                           const Scope& scope) const;
  Result<const onnx::GraphProto*> graph_attribute(const Node& node, const std::string& name,
                                                  const Scope& scope) const;
  void define(const Node& node, int output, ValueId value, Scope& scope);
  Status define_results(const Node& node, const std::vector<ValueId>& values, Scope& scope);
  Result<ValueId> to_scalar(ValueId tensor, ScalarKind kind);
  ValueId to_tensor(ValueId scalar, DType dtype, std::vector<std::int64_t> dims);
  Result<ValueId> to_seq(ValueId value);
  Result<ValueId> plain(ValueId value);                     // unwraps an optional
  Result<ValueId> coerce(ValueId value, const Type& type);  // wraps or unwraps the value to fit a type
  Result<Type> type_of(ValueId value);                      // calls settle() first
  Status settle();                                          // infers the types of pending operations
  ValueId host(HostOp op, std::vector<ValueId> inputs, Type result, std::string name,
               Attributes attributes = {});
  std::int64_t opset(const Node& node, const Scope& scope) const;
  SourceSpan span_of(const Node& node, const Scope& scope) const;
  Failure bad_operand() const;  // makes the error that problem_ describes
  Failure refuse(std::string code, std::string message, std::string hint) const;

  const onnx::ModelProto& model_;
  TypeInference& inference_;
  const OnnxImportOptions& options_;
  ExternalFiles files_;
  Hcfg graph_;
  HcfgBuilder builder_;
  std::size_t pending_ = 0;  // operations at the end of the current block whose types are not known yet
  std::map<std::string, std::vector<Type>> loop_types_;  // by loop: carried types as far as widened
  std::map<std::string, const onnx::FunctionProto*> functions_;
  std::vector<const onnx::FunctionProto*> expanding_;
  std::size_t expanded_ = 0;  // nodes inside functions, counted at each call
  std::size_t most_expanded_ = 0;
  std::optional<std::string> problem_;  // what a malformed model made wrong in a host operation
};

}  // namespace dycl::import_onnx
