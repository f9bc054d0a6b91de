// SPDX-License-Identifier: Apache-2.0
// Rewrites a live PyTorch model: a Python program goes in, an HCFG comes out.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "hcfg/hcfg.h"
#include "partial_eval/machine/decision.h"
#include "partial_eval/machine/emitter.h"
#include "partial_eval/machine/machine.h"
#include "partial_eval/machine/options.h"

namespace dycl::partial_eval {

struct Rewritten {
  Hcfg graph;
  nb::object schema;  // see inputs.h
  std::vector<Decision> decisions;
  std::vector<Fact> facts;
  std::vector<std::string> warnings;
  std::size_t attempts = 1;  // evaluations until no meeting had to be undone
};

// `model` is called with the example's arguments, of which only the types are looked at. Needs the GIL.
// `found` is given what was found before a refusal; with options.go_on also what was found behind it.
Result<Rewritten> rewrite(const nb::object& model, const nb::tuple& args, const nb::dict& kwargs,
                          const nb::object& capture, const Options& options,
                          const FragmentMaker& make_fragment, Findings* found = nullptr);

}  // namespace dycl::partial_eval
