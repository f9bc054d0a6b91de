// SPDX-License-Identifier: Apache-2.0
// dycl.verify's look inside a program: each sub-DNN against the reference.
#include "verification/subnet_check.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "errors.h"
#include "program.h"
#include "values.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;

// A checker, and the program whose inputs it takes.
struct Checker {
  std::shared_ptr<const runtime::LoadedProgram> program;
  std::unique_ptr<verification::SubnetChecker> subnets;
};

std::unique_ptr<Checker> make_checker(Runtime& runtime, const Program& program, double tolerance) {
  const nb::gil_scoped_release released;
  auto subnets =
      value_or_throw(verification::SubnetChecker::make(program.shared(), runtime.backends(), tolerance));
  return std::make_unique<Checker>(Checker{program.shared(), std::move(subnets)});
}

// (edge → count, whether the goal was reached, what ended the run or None)
using PythonEdge = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

nb::tuple run(Checker& checker, const nb::list& inputs, std::optional<PythonEdge> goal) {
  const auto ports = checker.program->inputs();
  BoundInputs bound;
  for (std::size_t index = 0; index < ports.size(); ++index) bound.add(inputs[index], ports[index]);
  const verification::ReferenceRun done = [&] {
    const nb::gil_scoped_release released;
    if (!goal) return checker.subnets->run(bound.values());
    const auto [from, to, index] = *goal;
    return checker.subnets->run(bound.values(), runtime::TakenEdge{from, to, index});
  }();
  return nb::make_tuple(counted_edges(done.edges), done.arrived,
                        done.end ? nb::none() : exception_of(done.end.error()));
}

nb::list subnets_to_python(const Checker& checker) {
  nb::list list;
  for (const verification::SubnetCheck& check : checker.subnets->subnets()) {
    nb::dict entry;
    nb::list lines;
    for (const SourceSpan& line : check.lines) lines.append(nb::make_tuple(line.file, line.line, line.node));
    entry["names"] = check.names;
    entry["backend"] = check.backend;
    entry["calls"] = check.calls;
    entry["forced"] = check.forced;
    entry["error"] = check.error;
    entry["lines"] = lines;
    entry["problem"] = check.problem;
    list.append(entry);
  }
  return list;
}

}  // namespace

void init_verification(nb::module_& module) {
  nb::class_<Checker>(module, "SubnetChecker")
      .def("run", &run, nb::arg("inputs"), nb::arg("goal").none())
      .def("reset", [](Checker& checker) { checker.subnets->reset(); })
      .def_prop_ro("subnets", &subnets_to_python);
  module.def("check_subnets", &make_checker, nb::arg("runtime"), nb::arg("program"), nb::arg("tolerance"));
}

}  // namespace dycl::python
