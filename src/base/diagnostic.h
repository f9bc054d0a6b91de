// SPDX-License-Identifier: Apache-2.0
// One message for a person: what happened, where, and what to do about it.
#pragma once

#include <string>
#include <vector>

#include "base/source_span.h"

namespace dycl {

// Who can mend it. The command line's exit code follows from this (see exit_code).
enum class Blame {
  Usage,        // wrong arguments, wrong inputs, a file that is not there
  Unsupported,  // the model uses something that is refused
  Backend,      // a vendor library is missing, refused or failed
  Package,      // a .dycl file is damaged, hostile or of another version
  Model,        // the model itself raised
  Internal,     // a bug in DyCL
};

struct Diagnostic {
  Blame blame = Blame::Internal;
  std::string code;     // stable, dotted: "onnx.unsupported_type"; listed in docs/errors.md
  std::string message;  // one sentence
  SourceSpan span;
  std::string hint;                     // a way out; may be empty
  std::vector<std::string> notes = {};  // further lines, e.g. "called from …"
  // What the model raised, as Python names it: "ValueError". Set with Blame::Model, else empty; the
  // message does not repeat it.
  std::string exception_type = {};
};

// The whole message: position, exception type, message, code, notes and hint. No trailing newline.
std::string to_string(const Diagnostic& diagnostic);

// Sets the position to the first of `stack` and lists the others as "called from …".
void locate(Diagnostic& diagnostic, const std::vector<SourceSpan>& stack);

// 2 usage · 3 unsupported · 4 backend · 5 package · 6 the model raised · 70 internal
int exit_code(Blame blame);

}  // namespace dycl
