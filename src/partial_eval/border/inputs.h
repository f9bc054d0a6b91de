// SPDX-License-Identifier: Apache-2.0
// The example arguments: tensors become inputs of the program, everything else is known from then on.
#pragma once

#include <vector>

#include "partial_eval/machine/machine.h"

namespace dycl::partial_eval {

// `schema` tells python/dycl/api.py how to take a call's arguments apart and what to check:
//   {"parameters": [{"name": "x", "kind": "positional", "given": True, "tree": node}, …]}, in the order of
// the signature ("positional_only", "positional", "star", "keyword_only", "double_star"; "given" is False
// where the example left the default). A node has "kind" and "path" ("batch.image"), and:
//   "tensor"    "input": its number, "type": "f32[1,3]", "stride": of the example (none at all: contiguous,
//               of any size), "offset": where in its memory it began, "requires_grad", "parameter":
//               whether it is a torch.nn.Parameter; rewrite() adds "strides_matter" and its like to the
//               schema when a call must have the same
//   "same"      "as": the path of the object that must be the very same one
//   "constant"  "value" (a copy, where it could be changed), "type": its class
//   "list", "tuple"       "items": [node, …]
//   "named_tuple"         "class", "items": [node, …], "fields"
//   "dict"                "class", "items": [(key, node), …]
//   "object"              "class", "items": [(attribute, node), …]
// Nodes are numbered in the order in which one comes to them, parents first.
struct CallersContainer {
  std::size_t number = 0;
  std::string path;
  ObjectRef object;
};

struct PreparedInputs {
  Arguments arguments;
  nb::object schema;
  std::vector<CallersContainer> containers;  // lists, dicts and objects, which the program may write to
};

// Adds the inputs to the machine's graph. Lists and dicts without a tensor are known as they are, unless an
// earlier attempt has found that the program writes to its arguments. Throws Refused; a TypeError when the
// arguments do not fit.
PreparedInputs prepare_inputs(Machine& machine, State& state, const nb::object& callable,
                              const nb::tuple& args, const nb::dict& kwargs);

}  // namespace dycl::partial_eval
