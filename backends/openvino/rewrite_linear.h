// SPDX-License-Identifier: Apache-2.0
// OpenVINO merges the constants of additions and multiplications that follow each other, as if numbers
// were never rounded and never overflowed: (x + 12582912) - 12582912 comes out as x, x * 1e30 / 1e30 too.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph_editor.h"

namespace dycl::openvino {

// Adds Max(-inf, value) and returns its name, so that OpenVINO cannot merge the operator that computes the
// value with those that read it. Max with -inf is exact, keeps NaN (see rewrite_nan.cpp), and runs in the
// same kernel as its neighbours.
std::string add_barrier(const std::string& value, DType dtype, GraphEditor& editor);

class LinearChains {
 public:
  LinearChains(const std::vector<Node>& nodes, const std::vector<ValueInfo>& outputs,
               const GraphFacts& facts);

  // Returns the node, with a barrier in front of it if it needs one.
  [[nodiscard]] Node separated(const Node& node, GraphEditor& editor) const;

  // Makes both operands of a division larger first, because the reciprocal of a subnormal number is infinite,
  // and so 1e-40 / 1e-40 would be.
  [[nodiscard]] Node with_larger_divisor(const Node& node, GraphEditor& editor) const;

  // OpenVINO divides by multiplying with the reciprocal: 41 / 41 is 0.99999994. Where that shows, because
  // the quotient leaves the graph, is rounded or compared, it is made as exact as a division.
  [[nodiscard]] bool divides_exactly(const Node& node, GraphEditor& editor) const;

 private:
  // How an operator combines its operand with constants.
  struct Link {
    std::size_t operand = 0;  // the input that is no constant
    bool adds = false;
    bool scales = false;
    bool is_weighted = false;  // merged into the weights of a convolution or product, which is worth much
    bool is_extreme = false;   // its constants are so large or small that merging changes results
    bool may_be_of_vectors = false;  // a product: OpenVINO merges factors into the wrong axis of a vector
    bool is_wide = false;            // its constant has several elements
  };
  void add(const Node& node);
  [[nodiscard]] std::optional<Link> link_of(const Node& node) const;
  [[nodiscard]] Link elementwise(const Node& node, bool adds) const;
  [[nodiscard]] Link normalization(const Node& node) const;
  [[nodiscard]] bool is_constant(const std::string& value) const;
  [[nodiscard]] bool may_be_vector(const std::string& value) const;
  [[nodiscard]] bool is_scalar(const std::string& value) const;
  [[nodiscard]] bool lies_within(const std::string& constant, float smallest, float largest) const;
  [[nodiscard]] bool stays_normal(const Node& node) const;
  [[nodiscard]] bool is_merged(const Link& before, const Link& link) const;

  const GraphFacts* facts_;
  std::set<std::string> constants_;    // values that depend on no input's elements
  std::set<std::string> judged_;       // values whose last bit shows
  std::set<std::string> normal_;       // values that are 0 or no smaller than 2^-126, as their operators say
  std::map<std::string, Link> links_;  // of the operator that computes a value, moves left aside
};

}  // namespace dycl::openvino
