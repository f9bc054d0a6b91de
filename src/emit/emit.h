// SPDX-License-Identifier: Apache-2.0
// The fifth step's other form: instead of a plan that the runtime walks, the source of a program that an
// application compiles in. It runs the same sub-DNNs and calls the same rules of host operations.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "package/artifact.h"

namespace dycl::emit {

struct EmittedFile {
  std::string path;  // in the folder of the program: "src/net.cpp"
  std::string text;
};

struct EmitOptions {
  std::string name;    // a word of C, which its functions begin with
  bool embed = false;  // make the package part of the program, rather than a file beside it
};

// Writes the program. Fails with emit.unsupported if the model needs what emitted programs cannot hold.
Result<std::vector<EmittedFile>> emit_program(const Artifact& artifact, const EmitOptions& options);

// Makes a name for the program of the file's: "my-net.dycl" gives "my_net".
std::string program_name(const std::string& package);

}  // namespace dycl::emit
