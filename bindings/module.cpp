// SPDX-License-Identifier: Apache-2.0
// The extension module dycl._core: one init function per area.
#include <nanobind/nanobind.h>

#include "arguments.h"
#include "compile.h"
#include "errors.h"
#include "import_python.h"
#include "program.h"
#include "protocol.h"
#include "rewrite.h"
#include "sizes.h"

NB_MODULE(_core, module) {
  module.doc() = "DyCL's compiler and runtime; use the package dycl.";
  module.attr("__version__") = DYCL_VERSION;
  // A program that some thread still holds when Python ends is no mistake that a user should read about.
  nanobind::set_leak_warnings(false);
  dycl::python::init_errors(module);
  dycl::python::init_program(module);
  dycl::python::init_compile(module);
  dycl::python::init_arguments(module);
  dycl::python::init_import_python(module);
  dycl::python::init_sizes(module);
  dycl::python::init_protocol(module);
  dycl::python::init_rewrite(module);
  dycl::python::init_trial(module);
  dycl::python::init_verification(module);
}
