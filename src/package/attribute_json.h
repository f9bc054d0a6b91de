// SPDX-License-Identifier: Apache-2.0
// Attributes as JSON, bit for bit: {"axis": {"i": 1}, "scale": {"f": "3f800000"}, …}.
#pragma once

#include "base/attribute.h"
#include "package/json_reader.h"

namespace dycl {

Json attributes_to_json(const Attributes& attributes);
Attributes attributes_from_json(const JsonCursor& object);

}  // namespace dycl
