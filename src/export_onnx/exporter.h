// SPDX-License-Identifier: Apache-2.0
// The state shared by the files of this folder while one graph is written.
//
// Structure follows dominance. Whatever a block dominates is written in its graph or in subgraphs of it,
// so that values are in sight where they are used. Blocks that several edges reach are written behind the
// block that dominates them: the paths before them end with a number that says which of these blocks is
// next, and with its arguments. A loop is one Loop node whose body ends with "once more" or with a way out.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "export_onnx/host_nodes.h"
#include "export_onnx/node_writer.h"
#include "export_onnx/result_ports.h"
#include "export_onnx/structure.h"
#include "subnet/stamp.h"

namespace dycl::export_onnx {

class Exporter {
 public:
  // `graph` has ONNX operators only: fragments are expanded. It checks at the ends of blocks only.
  Exporter(const Hcfg& graph, const Structure& structure, const ResultPorts& results);

  Result<onnx::GraphProto> run();
  [[nodiscard]] std::int64_t needed_opset() const { return writer_.needed_opset(); }

 private:
  using Names = NodeWriter::Names;

  // Where the paths of a region end, with the arguments of the block that is next there.
  struct Exit {
    BlockId target;
    Names values;
  };
  struct Outcome {
    std::string which;  // 0-d i64: the number of the block that is next; empty when there is only one
    std::vector<Exit> exits;

    [[nodiscard]] const Exit* find(BlockId target) const;
  };
  using Write = std::function<Outcome()>;

  // The loop whose body is being written.
  struct Frame {
    const LoopRegion* loop = nullptr;
    Names carried;  // the header's parameters in this trip
  };

  // Names of values, innermost subgraph last.
  using Scope = std::unordered_map<ValueId, std::string>;

  struct Arm {
    Subgraph subgraph;
    Outcome outcome;
  };

  // blocks (write_blocks.cpp)
  Outcome write_block(BlockId block);
  Outcome write_terminator(BlockId block);
  Outcome write_return(BlockId block);
  Outcome write_switch(const Switch& choice, const std::string& index, std::size_t first);
  Outcome follow(const Edge& edge);
  Outcome go_to(BlockId target, Names arguments);
  Outcome enter(BlockId target, const Names& arguments);
  void check_targets(const Outcome& outcome, std::initializer_list<BlockId> targets) const;  // no other
  Outcome settle(Outcome outcome, const std::vector<BlockId>& pending);
  Outcome choose(const std::string& condition, const Write& then_branch, const Write& else_branch);
  Arm write_arm(const Write& write);
  void finish_arm(Arm& arm, const std::vector<BlockId>& targets);
  [[nodiscard]] std::vector<Type> slots_of(BlockId target) const;
  std::string stand_in(BlockId target, std::size_t slot, const Type& type);

  // loops (write_loops.cpp)
  Outcome write_loop(BlockId header);
  Outcome write_testing_loop(const LoopRegion& loop);
  Outcome write_general_loop(const LoopRegion& loop);
  Outcome leave(BlockId target, const Names& arguments);
  [[nodiscard]] std::vector<Type> leaving_types(const LoopRegion& loop) const;
  Outcome ways_out(const LoopRegion& loop, const Names& values);
  Names open_body(Subgraph& body, const std::vector<Type>& carried);
  std::string loop_test(const LoopRegion& loop);

  // steps (write_steps.cpp)
  void write_steps(BlockId block);
  void write_op(const OnnxOp& op);
  std::string name_of(ValueId value);
  Names names_of(const std::vector<ValueId>& values);
  void bind(const std::vector<ValueId>& values, const Names& names);
  void define(ValueId value, std::string name) { scopes_.back()[value] = std::move(name); }
  void write_inputs();
  std::string checked_input(const Port& port, std::string name);
  std::string unless_failed(BlockId block, const std::string& name, const Type& type);
  std::string unless(const std::string& fails, const std::string& name, const Type& type);
  void write_outputs(const Outcome& outcome);
  std::string symbol_name(SymbolId symbol) const;
  void name_symbols();

  [[nodiscard]] BlockId once_more() const { return BlockId(graph_.blocks.size()); }
  [[nodiscard]] BlockId way_out() const { return BlockId(graph_.blocks.size() + 1); }
  [[nodiscard]] BlockId finished() const { return BlockId(graph_.blocks.size() + 2); }

  const Hcfg& graph_;
  const Structure& structure_;
  const ResultPorts& results_;
  NodeWriter writer_;
  ScalarNodes scalars_;
  HostNodes host_;
  ConstantTable constants_;
  std::unordered_map<ValueId, std::string> constant_names_;
  std::unordered_map<SymbolId, std::string> symbol_names_;
  std::vector<Scope> scopes_{1};
  std::set<BlockId> pending_;  // blocks that are written further out
  std::vector<Frame> frames_;
  std::size_t depth_ = 0;
  std::optional<Diagnostic> problem_;
};

}  // namespace dycl::export_onnx
