// SPDX-License-Identifier: Apache-2.0
// Live PyTorch models: rewriting needs the GIL, what follows does not.
#include "partial_eval/rewrite.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "base/sha256.h"
#include "compile.h"
#include "hcfg/text.h"
#include "pipeline/fragment_reader.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;
using partial_eval::Decision;
using partial_eval::Rewritten;

Result<FragmentPtr> read_fragment(pipeline::FragmentReader& reader, const nb::object& fragment) {
  const auto texts = [&](const char* name) {
    return nb::cast<std::vector<std::string>>(fragment.attr(name));
  };
  const auto text = [&](const char* name) { return nb::cast<std::string>(fragment.attr(name)); };
  const auto onnx = nb::cast<nb::bytes>(fragment.attr("onnx"));
  return reader.read({onnx.c_str(), onnx.size()}, texts("input_types"), texts("output_types"), text("name"),
                     text("key"), text("aten"));
}

Rewritten rewrite_model(BackendRegistry& backends, const nb::object& model, const nb::tuple& args,
                        const nb::dict& kwargs, const nb::object& capture,
                        const partial_eval::Options& limits, std::vector<Decision>* found = nullptr) {
  pipeline::FragmentReader reader = value_or_throw(pipeline::FragmentReader::open(backends));
  auto rewritten = partial_eval::rewrite(
      model, args, kwargs, capture, limits,
      [&reader](const nb::object& fragment) { return read_fragment(reader, fragment); }, found);
  return value_or_throw(std::move(rewritten));
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

nb::tuple compile_model(Runtime& runtime, const nb::object& model, const nb::tuple& args,
                        const nb::dict& kwargs, const nb::object& capture,
                        const partial_eval::Options& limits, const std::string& name,
                        const CompileRequest& request, nb::object progress) {
  Rewritten rewritten = rewrite_model(runtime.backends(), model, args, kwargs, capture, limits);
  nb::dict report = report_of(rewritten);
  auto program =
      compile_with(runtime, request, std::move(progress), [&](const pipeline::CompileOptions& options) {
        const std::string hash = sha256_hex(print(rewritten.graph));  // constants are part of the text
        auto outcome = pipeline::compile_graph(std::move(rewritten.graph), name, hash, options);
        if (outcome) outcome->artifact.facts = facts_to_store(rewritten.facts);
        return outcome;
      });
  return nb::make_tuple(std::move(program), report);
}

nb::tuple rewrite_only(Runtime& runtime, const nb::object& model, const nb::tuple& args,
                       const nb::dict& kwargs, const nb::object& capture, const partial_eval::Options& limits,
                       nb::list decisions) {
  std::vector<Decision> found;
  try {
    const Rewritten rewritten =
        rewrite_model(runtime.backends(), model, args, kwargs, capture, limits, &found);
    append(decisions, rewritten.decisions);
    return nb::make_tuple(print(rewritten.graph), report_of(rewritten));
  } catch (const DiagnosticError&) {
    append(decisions, found);
    throw;
  }
}

}  // namespace

void init_rewrite(nb::module_& module) {
  using partial_eval::Options;
  nb::class_<Options>(module, "RewriteLimits")
      .def(nb::init<>())
      .def_rw("states_limit", &Options::states_limit)
      .def_rw("unroll_limit", &Options::unroll_limit)
      .def_rw("roll_limit", &Options::roll_limit)
      .def_rw("blocks_limit", &Options::blocks_limit)
      .def_rw("recursion_limit", &Options::recursion_limit)
      .def_rw("state", &Options::state);
  module.def("compile_model", &compile_model, nb::arg("runtime"), nb::arg("model"), nb::arg("args"),
             nb::arg("kwargs"), nb::arg("capture"), nb::arg("limits"), nb::arg("name"), nb::arg("request"),
             nb::arg("progress").none());
  module.def("rewrite", &rewrite_only, nb::arg("runtime"), nb::arg("model"), nb::arg("args"),
             nb::arg("kwargs"), nb::arg("capture"), nb::arg("limits"), nb::arg("decisions"));
}

}  // namespace dycl::python
