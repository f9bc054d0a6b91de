// SPDX-License-Identifier: Apache-2.0
// Compares each compiled sub-DNN of a program with the reference: its operations, one by one, on the values
// that arrive there when the reference interpreter runs the program's graph.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "hcfg/interpreter.h"
#include "runtime/decisions.h"
#include "runtime/program.h"
#include "runtime/value.h"
#include "subnet/backend_evaluator.h"
#include "subnet/subnets.h"
#include "verification/route.h"

namespace dycl::verification {

// The result of comparing one distinct sub-DNN on its backend.
struct SubnetCheck {
  std::vector<std::string> names;  // of the sub-DNNs that are this one: "s3"
  std::string hash;
  std::string backend;
  std::vector<SourceSpan> lines;  // where its operations come from, each line once
  std::uint64_t calls = 0;        // how many calls were compared
  std::uint64_t forced = 0;       // how many of them came after a forced decision
  double error = 0;               // the largest error, see tensor_difference
  std::string problem = {};       // the first call beyond the tolerance; empty if there is none
};

struct ReferenceRun {
  std::map<runtime::TakenEdge, std::uint64_t> edges;  // how often each was taken
  bool arrived = false;                               // whether the run took the edge that was asked for
  Status end;                                         // what the model raised, or why the run could not go on
};

class SubnetChecker final : private InterpreterObserver {
  struct OnlyMake {};

 public:
  static Result<std::unique_ptr<SubnetChecker>> make(std::shared_ptr<const runtime::LoadedProgram> program,
                                                     BackendRegistry& backends, double tolerance);

  // Interprets the program, comparing every sub-DNN that is reached. With a goal, decisions are forced until
  // that edge is taken, and loops behind it end after a few trips. States are as the runs without a goal left
  // them since the last reset.
  ReferenceRun run(std::span<const runtime::RuntimeValue> inputs,
                   std::optional<runtime::TakenEdge> goal = {});
  void reset();
  // Returns the results in the order in which the program first calls the sub-DNNs.
  [[nodiscard]] const std::vector<SubnetCheck>& subnets() const { return checks_; }

  SubnetChecker(OnlyMake, std::shared_ptr<const runtime::LoadedProgram> program, Hcfg graph,
                std::shared_ptr<const Backend> reference, double tolerance);

 private:
  struct Compiled {
    const subnet::SubnetInstance* subnet = nullptr;
    std::size_t executable = 0;  // also the place in `checks_`
  };
  using Instances =
      std::map<std::string, std::vector<subnet::SubnetInstance>>;  // by backend, all in one order

  Status find_subnets(BackendRegistry& backends);
  void add_subnet(std::uint32_t number, std::size_t place);
  void keep_states(const InterpreterOutcome& outcome);
  Status after_subnet(Place place, const Tensors& tensors) override;
  std::optional<EdgeId> take(EdgeId decided) override;
  Result<std::vector<TensorPtr>> computed(const Compiled& compiled, const Tensors& tensors);
  void compare(const Compiled& compiled, const std::vector<TensorPtr>& results, const Tensors& tensors);
  [[nodiscard]] std::string described(const Compiled& compiled, std::size_t result, double error,
                                      const Tensors& tensors) const;

  std::shared_ptr<const runtime::LoadedProgram> program_;
  Hcfg graph_;    // the graph that is interpreted
  Hcfg stamped_;  // the same graph, with what stamping added
  subnet::BackendEvaluator reference_;
  double tolerance_;
  runtime::OpenedBackends backends_;
  Instances instances_;
  std::map<std::pair<BlockId, std::size_t>, Compiled> by_place_;
  std::vector<SubnetCheck> checks_;
  std::vector<InterpreterValue> states_;
  std::optional<Route> route_;
  ReferenceRun current_;
};

}  // namespace dycl::verification
