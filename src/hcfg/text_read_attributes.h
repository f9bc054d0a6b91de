// SPDX-License-Identifier: Apache-2.0
// Reads what text_attributes.h writes.
#pragma once

#include "hcfg/text.h"
#include "hcfg/text_cursor.h"

namespace dycl {

// "{axis=1}", or nothing: no attributes.
Result<Attributes> read_attributes(TextCursor& cursor, const ConstantSource& constant_of);

// hex "…" or key "…" as the contents of a tensor of this type, which must be static.
Result<TensorPtr> read_contents(TextCursor& cursor, const Type& type, const ConstantSource& constant_of);

// tensor f32[2] hex "…", behind the word "tensor".
Result<TensorPtr> read_typed_tensor(TextCursor& cursor, const ConstantSource& constant_of);

}  // namespace dycl
