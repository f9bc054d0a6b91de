// SPDX-License-Identifier: Apache-2.0
// How a Python operation on abstract values ends.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "partial_eval/values/state.h"

namespace dycl::partial_eval {

// A frame was pushed; the instruction is complete when it returns (see OnReturn).
struct Pushed {};

// Python would raise this exception here.
struct Raised {
  AbstractValue exception;
};

// The path splits. A child with a result has executed the instruction; one without executes it again.
struct Forked {
  struct Child {
    State state;
    std::optional<AbstractValue> result;
    std::optional<AbstractValue> raised;  // instead of a result
  };
  std::vector<Child> children;
};

using Outcome = std::variant<AbstractValue, Pushed, Raised, Forked>;

struct Arguments {
  std::vector<AbstractValue> positional;
  std::vector<std::pair<std::string, AbstractValue>> keywords;
};

// This is thrown where the program contains something that is refused.
struct Refused {
  Diagnostic diagnostic;
};

// This is thrown to evaluate the program again, with what was found: these meetings must keep their states
// apart, these attributes must not be forgotten, this loop should become a cycle, the lists of these meetings
// hold constants of several types.
struct Restart {
  std::set<OriginId> origins;
  std::set<std::string> attributes = {};
  std::optional<LoopPlace> cycle = {};
  std::set<OriginId> mixed_lists = {};
  std::string needed_at = {};          // where the origins are, for messages
  bool calls = false;                  // more is known of what one call leaves for the next
  std::vector<SourceSpan> stack = {};  // where it is thrown
};

// This is thrown where a bool must be known: the path splits on it and the instruction is executed again.
struct Split {
  ScalarValue condition;
};

// The known numbers of which states that met gave one up are needed after all.
inline void restart_if_given_up(const Origins& origins) {
  if (origins && !origins->empty()) throw Restart{*origins};
}

}  // namespace dycl::partial_eval
