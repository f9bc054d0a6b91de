// SPDX-License-Identifier: Apache-2.0
// Live PyTorch models: rewriting needs the GIL, what follows does not.
#include "rewrite.h"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "base/operator_traits.h"
#include "compile.h"
#include "hcfg/text.h"
#include "partial_eval/rewrite.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;
using partial_eval::Decision;
using partial_eval::Rewritten;

Result<Rewritten> rewrite_model(BackendRegistry& backends, const nb::object& model, const nb::tuple& args,
                                const nb::dict& kwargs, const nb::object& capture,
                                const partial_eval::Options& limits,
                                partial_eval::Findings* found = nullptr) {
  Result<pipeline::FragmentReader> reader = pipeline::FragmentReader::open(backends);
  if (!reader) return failure_of(std::move(reader));
  return partial_eval::rewrite(
      model, args, kwargs, capture, limits,
      [&reader](const auto& fragment) { return read_fragment(*reader, fragment); }, found);
}

nb::list spans_to_python(const std::vector<SourceSpan>& spans) {
  nb::list list;
  for (const SourceSpan& span : spans) list.append(nb::make_tuple(span.file, span.line, span.column));
  return list;
}

void append(nb::list& list, const std::vector<Decision>& decisions) {
  for (const Decision& decision : decisions)
    list.append(nb::make_tuple(spans_to_python(decision.spans), decision.kind, decision.outcome));
}

nb::list facts_to_python(const std::vector<partial_eval::Fact>& facts) {
  nb::list list;
  for (const auto& [question, answer, spans] : facts)
    list.append(nb::make_tuple(spans_to_python(spans), question, answer));
  return list;
}

std::vector<AssumedFact> facts_to_store(const std::vector<partial_eval::Fact>& facts) {
  std::vector<AssumedFact> stored;
  for (const auto& [question, answer, spans] : facts)
    stored.push_back({question, answer, spans.empty() ? std::string() : to_string(spans.front())});
  return stored;
}

nb::dict report_of(const Rewritten& rewritten) {
  nb::dict report;
  report["schema"] = rewritten.schema;
  report["facts"] = facts_to_python(rewritten.facts);
  report["warnings"] = rewritten.warnings;
  report["attempts"] = rewritten.attempts;
  report["blocks"] = rewritten.graph.blocks.size();
  return report;
}

// While it lives, every leaf call of the rewriting is told. When whoever listens has raised, the rewriting
// ends as it does for Ctrl-C: any other exception could be taken for one that the model raises.
class ToldProgress {
 public:
  ToldProgress(nb::object capture, const pipeline::ReportWork& report, const ProgressCallback& callback)
      : capture_(std::move(capture)) {
    capture_.attr("tell") = nb::cpp_function(
        [&report, &callback](std::size_t calls, std::size_t paths, const std::string& place) {
          report(calls, fmt::format("leaf calls, {} paths, at {}", paths, place));
          if (!callback.has_failed()) return;
          PyErr_SetNone(PyExc_KeyboardInterrupt);
          throw nb::python_error();
        });
  }
  ToldProgress(const ToldProgress&) = delete;
  ToldProgress& operator=(const ToldProgress&) = delete;
  ~ToldProgress() { capture_.attr("tell") = nb::none(); }

 private:
  nb::object capture_;
};

nb::tuple compile_model(Runtime& runtime, const nb::object& model, const nb::tuple& args,
                        const nb::dict& kwargs, const nb::object& capture,
                        const partial_eval::Options& limits, const std::string& name,
                        const CompileRequest& request, nb::object progress) {
  nb::dict told;
  const auto compile = [&](const pipeline::CompileOptions& options, const ProgressCallback& callback) {
    const auto rewrite = [&](const pipeline::ReportWork& report) -> Result<pipeline::FrontendGraph> {
      const nb::gil_scoped_acquire acquired;
      const ToldProgress telling(capture, report, callback);
      Result<Rewritten> rewritten = rewrite_model(runtime.backends(), model, args, kwargs, capture, limits);
      if (!rewritten) return failure_of(std::move(rewritten));
      told = report_of(*rewritten);
      return pipeline::FrontendGraph{std::move(rewritten->graph), facts_to_store(rewritten->facts)};
    };
    return pipeline::compile_rewritten(rewrite, name, options);
  };
  Compiled compiled = compile_with(runtime, request, std::move(progress), compile);
  return nb::make_tuple(std::move(compiled), told);
}

nb::tuple rewrite_only(Runtime& runtime, const nb::object& model, const nb::tuple& args,
                       const nb::dict& kwargs, const nb::object& capture, const partial_eval::Options& limits,
                       nb::list decisions, nb::list obstacles) {
  partial_eval::Findings found;
  try {
    const Rewritten rewritten =
        value_or_throw(rewrite_model(runtime.backends(), model, args, kwargs, capture, limits, &found));
    append(decisions, rewritten.decisions);
    return nb::make_tuple(print(rewritten.graph), report_of(rewritten));
  } catch (const DiagnosticError&) {
    append(decisions, found.decisions);
    for (const Diagnostic& obstacle : found.obstacles) obstacles.append(exception_of(obstacle));
    throw;
  }
}

}  // namespace

Result<FragmentPtr> read_fragment(pipeline::FragmentReader& reader,
                                  const partial_eval::protocol::Fragment& fragment) {
  return reader.read({fragment.onnx.c_str(), fragment.onnx.size()}, fragment.input_types,
                     fragment.output_types, fragment.name, fragment.key, fragment.aten);
}

void init_rewrite(nb::module_& module) {
  using partial_eval::Options;
  nb::class_<Options>(module, "RewriteLimits")
      .def(nb::init<>())
      .def_rw("states_limit", &Options::states_limit)
      .def_rw("unroll_limit", &Options::unroll_limit)
      .def_rw("roll_limit", &Options::roll_limit)
      .def_rw("blocks_limit", &Options::blocks_limit)
      .def_rw("recursion_limit", &Options::recursion_limit)
      .def_rw("variants_limit", &Options::variants_limit)
      .def_rw("go_on", &Options::go_on)
      .def_rw("draws_limit", &Options::draws_limit)
      .def_rw("state", &Options::state)
      .def_rw("draws", &Options::draws)
      .def_rw("stopped_clock", &Options::stopped_clock)
      .def_rw("draws_bounds", &Options::draws_bounds);
  module.def(
      "is_control_flow", [](const std::string& op) { return has_trait(op, Trait::ControlFlow); },
      nb::arg("operator"));
  module.def("compile_model", &compile_model, nb::arg("runtime"), nb::arg("model"), nb::arg("args"),
             nb::arg("kwargs"), nb::arg("capture"), nb::arg("limits"), nb::arg("name"), nb::arg("request"),
             nb::arg("progress").none());
  module.def("rewrite", &rewrite_only, nb::arg("runtime"), nb::arg("model"), nb::arg("args"),
             nb::arg("kwargs"), nb::arg("capture"), nb::arg("limits"), nb::arg("decisions"),
             nb::arg("obstacles"));
}

}  // namespace dycl::python
