// SPDX-License-Identifier: Apache-2.0
// Writes returned structures as JSON in two forms: for program.json as a flat list of nodes, each followed by
// its children, so that a hostile one cannot be nested deeply; and nested, for those who read results.
#pragma once

#include <string>

#include "base/result_tree.h"
#include "package/json_reader.h"

namespace dycl {

// {"value":0} · {"none":0} · {"bool":true} · {"int":3} · {"float":"3ff8000000000000"} · {"text":"…"} ·
// {"tuple":n}, {"list":n}, {"set":n} then n nodes · {"dict":n} then n keys and values ·
// {"record":"module:Name","kind":"dataclass","fields":["x"]} then one node per field
Json tree_to_json(const ResultNode& tree);
ResultTree tree_from_json(const JsonCursor& list);  // null after a complaint

// {"value":0} · null, true, 3, "text" · {"float":"0.5"} · {"tuple":[…]}, {"list":[…]}, {"set":[…]} ·
// {"dict":[[key,value],…]} · {"record":"module:Name","kind":"dataclass","fields":{"x":…}}
std::string nested_json(const ResultNode& tree);

}  // namespace dycl
