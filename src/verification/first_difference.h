// SPDX-License-Identifier: Apache-2.0
// Which operation of a wrong sub-DNN is wrong first.
#pragma once

#include <string>
#include <vector>

#include "backend/backend.h"
#include "hcfg/interpreter.h"
#include "subnet/subnets.h"

namespace dycl::verification {

struct WrongSubnet {
  const Hcfg& graph;  // that it was stamped from
  const subnet::SubnetInstance& subnet;
  const Backend& backend;
  const std::string& stored;  // its ONNX graph in the program
  ValueId result;             // that is wrong
  double tolerance = 0;
};

// A clause for people: "first differing operation: Mul at model.py:12:5". `tensors` are the reference's.
std::string first_difference(const WrongSubnet& wrong, const InterpreterObserver::Tensors& tensors);

// The graph's outputs for the reference's inputs.
Result<std::vector<TensorPtr>> run_on(BackendCall& call, const subnet::StampedGraph& graph,
                                      const InterpreterObserver::Tensors& tensors);

}  // namespace dycl::verification
