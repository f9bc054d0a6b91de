// SPDX-License-Identifier: Apache-2.0
// Finds the first wrong operation of a wrong sub-DNN.
#pragma once

#include <string>
#include <vector>

#include "backend/backend.h"
#include "hcfg/interpreter.h"
#include "subnet/subnets.h"

namespace dycl::verification {

struct WrongSubnet {
  const Hcfg& graph;  // the graph that it was stamped from
  const subnet::SubnetInstance& subnet;
  const Backend& backend;
  const std::string& stored;  // its ONNX graph in the program
  ValueId result;             // the result that is wrong
  double tolerance = 0;
};

// Returns a clause for people: "first differing operation: Mul at model.py:12:5". `tensors` are the
// reference's.
std::string first_difference(const WrongSubnet& wrong, const InterpreterObserver::Tensors& tensors);

// Returns the graph's outputs for the reference's inputs.
Result<std::vector<TensorPtr>> run_on(BackendCall& call, const subnet::StampedGraph& graph,
                                      const InterpreterObserver::Tensors& tensors);

}  // namespace dycl::verification
