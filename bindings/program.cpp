// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "errors.h"
#include "export_onnx/onnx_file.h"
#include "package/package_file.h"
#include "result_trees.h"
#include "runtime/named_outputs.h"
#include "values.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;

void add(runtime::RunStats& sum, const runtime::RunStats& before, const runtime::RunStats& after) {
  sum.runs += after.runs - before.runs;
  sum.instructions += after.instructions - before.instructions;
  sum.subnet_calls += after.subnet_calls - before.subnet_calls;
  sum.host_ops += after.host_ops - before.host_ops;
  sum.pool_bytes += after.pool_bytes - before.pool_bytes;
  sum.backend_outputs += after.backend_outputs - before.backend_outputs;
}

}  // namespace

bool signal_came() {
  const nb::gil_scoped_acquire acquired;
  return PyErr_CheckSignals() != 0;
}

// A session for one call; returned to the program's idle ones afterwards.
class Program::Borrowed {
 public:
  explicit Borrowed(Program& program) : program_(program) {
    if (program.stateful_) {
      used_ = program.stateful_.get();
    } else {
      const std::lock_guard lock(program.mutex_);
      if (!program.idle_.empty()) {
        session_ = std::move(program.idle_.back());
        program.idle_.pop_back();
      }
    }
    if (used_ == nullptr) {
      if (!session_) session_ = std::make_unique<runtime::RunSession>(program.loaded_);
      used_ = session_.get();
    }
    before_ = used_->stats();
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    const runtime::RunStats after = used_->stats();
    const std::lock_guard lock(program_.mutex_);
    add(program_.finished_, before_, after);
    if (session_) program_.idle_.push_back(std::move(session_));
  }
  runtime::RunSession& operator*() { return *used_; }

 private:
  Program& program_;
  std::unique_ptr<runtime::RunSession> session_;
  runtime::RunSession* used_ = nullptr;
  runtime::RunStats before_;
};

nb::dict counted_edges(const std::map<runtime::TakenEdge, std::uint64_t>& counts) {
  nb::dict edges;
  for (const auto& [edge, count] : counts) edges[nb::make_tuple(edge.from, edge.to, edge.index)] = count;
  return edges;
}

nb::tuple Program::run(const nb::list& inputs) { return run_with(inputs, nullptr); }

nb::tuple Program::run_traced(const nb::list& inputs) {
  runtime::DecisionTrace trace;
  nb::object result = nb::none(), error = nb::none();
  try {
    result = run_with(inputs, &trace);
  } catch (const DiagnosticError& raised) {  // what was decided until then matters too
    error = exception_of(raised.diagnostic());
  }
  const std::vector<PlanInstruction>& code = loaded_->artifact().plan.code;
  nb::list reads;
  for (const runtime::ReadDecision& read : trace.reads) {
    const PlanInstruction& item = code[read.instruction];
    const auto& attributes = std::get<PlanHost>(item.operation).attributes;
    reads.append(
        nb::make_tuple(item.source.file, item.source.line, item.source.column,
                       attribute_or(attributes, "decision", std::string()),
                       std::visit([](auto value) { return nb::object(nb::cast(value)); }, read.value)));
  }
  return nb::make_tuple(result, reads, counted_edges(trace.edges), error);
}

nb::tuple Program::run_with(const nb::list& inputs, runtime::DecisionTrace* decisions) {
  const auto ports = loaded_->inputs();
  if (inputs.size() != ports.size())
    throw_usage("run.input_count", "the program takes " + std::to_string(ports.size()) + " inputs, " +
                                       std::to_string(inputs.size()) + " were given");
  BoundInputs bound;
  for (std::size_t index = 0; index < ports.size(); ++index) bound.add(inputs[index], ports[index]);
  std::vector<runtime::RuntimeValue> outputs;
  const PlanReturn* taken = nullptr;
  std::vector<std::uint32_t> written;
  Status done;
  {
    const nb::gil_scoped_release released;
    Borrowed session(*this);
    (*session).set_decisions(decisions);
    done = (*session).run(bound.values(), outputs);
    (*session).set_decisions(nullptr);
    if (!done && done.error().code == "run.interrupted") {
      const nb::gil_scoped_acquire acquired;
      throw nb::python_error();  // KeyboardInterrupt
    }
    if (!done && outputs.empty()) value_or_throw(std::move(done));
    taken = (*session).last_return();
    written.assign((*session).written_inputs().begin(), (*session).written_inputs().end());
  }
  nb::list results, writes;
  const std::size_t count = outputs.size() - written.size();
  for (std::size_t index = 0; index < count; ++index) results.append(to_python(outputs[index]));
  for (std::size_t index = 0; index < written.size(); ++index)
    writes.append(nb::make_tuple(written[index], to_python(outputs[count + index])));
  nb::object tree = nb::none();
  if (taken != nullptr && taken->tree != nullptr) tree = tree_to_python(*taken->tree);
  // The caller raises it behind the writes.
  const nb::object error = done ? nb::none() : nb::object(exception_of(done.error()));
  return nb::make_tuple(tree, results, writes, error);
}

void Program::reset() {
  if (stateful_) value_or_throw(stateful_->reset());
}

void Program::save(const std::filesystem::path& path, std::string signature, std::string verification) const {
  Artifact artifact = loaded_->artifact();
  artifact.signature = std::move(signature);
  if (!verification.empty()) artifact.verification = std::move(verification);
  value_or_throw(write_package(std::move(artifact), path));
}

runtime::RunStats Program::stats() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

namespace {

// (size | symbol | None per axis), or None when the rank is not known.
nb::object shape_of(const HostPlan& plan, const TensorType& tensor) {
  if (!tensor.dims) return nb::none();
  nb::list sizes;
  for (const Dim& dim : *tensor.dims) {
    if (dim.is_static()) {
      sizes.append(dim.constant);
    } else {
      sizes.append(to_string(dim, [&plan](SymbolId symbol) {
        return symbol.index() < plan.symbols.size() ? plan.symbols[symbol.index()].name : std::string("?");
      }));
    }
  }
  return nb::tuple(sizes);
}

// symbol → (smallest, largest), for the sizes that have limits.
nb::dict ranges_of(const HostPlan& plan, const Type& type) {
  nb::dict ranges;
  for_each_dim_within(type, [&](const Dim& dim) {
    for (const auto& [symbol, factor] : dim.terms)
      if (const PlanSymbol& named = plan.symbols[symbol.index()]; named.range.limited())
        ranges[named.name.c_str()] = nb::make_tuple(named.range.smallest, named.range.largest);
  });
  return ranges;
}

nb::list ports_to_python(const runtime::LoadedProgram& program, std::span<const PlanPort> ports) {
  nb::list list;
  for (const PlanPort& port : ports) {
    nb::dict entry;
    entry["name"] = port.name;
    entry["type"] = program.type_text(port.type);
    entry["optional"] = port.optional;
    const TensorType* tensor = port.type.tensor();
    entry["dtype"] = tensor == nullptr ? nb::none() : nb::cast(std::string(name_of(tensor->dtype)));
    entry["shape"] = tensor == nullptr ? nb::none() : shape_of(program.artifact().plan, *tensor);
    entry["ranges"] = ranges_of(program.artifact().plan, port.type);
    list.append(entry);
  }
  return list;
}

// What each return of a program gives that returns structures: its place, and its values by their paths.
nb::list returns_to_python(const Program& self) {
  nb::list list;
  const HostPlan& plan = self.loaded().artifact().plan;
  for (const PlanInstruction& instruction : plan.code) {
    const auto* taken = std::get_if<PlanReturn>(&instruction.operation);
    if (taken == nullptr || taken->tree == nullptr) continue;
    nb::dict entry;
    entry["place"] = instruction.source.known() ? to_string(instruction.source) : std::string();
    entry["outputs"] = ports_to_python(self.loaded(), runtime::returned_ports(plan, *taken));
    list.append(entry);
  }
  return list;
}

nb::dict stats_to_python(const Program& program) {
  const runtime::RunStats runs = program.stats();
  const runtime::ProgramFacts& facts = program.loaded().facts();
  nb::dict backends;
  for (const auto& [name, stamp] : program.loaded().artifact().backends)
    backends[name.c_str()] = stamp.version;
  nb::dict stats;
  stats["instructions"] = facts.instructions;
  stats["subnets"] = facts.subnets;
  stats["distinct_subnets"] = facts.distinct_subnets;
  stats["weight_bytes"] = facts.weight_bytes;
  stats["threads"] = nb::cast(facts.threads);
  stats["precision"] = program.loaded().artifact().precision;
  stats["backends"] = backends;
  stats["runs"] = runs.runs;
  stats["executed_instructions"] = runs.instructions;
  stats["subnet_calls"] = runs.subnet_calls;
  stats["host_ops"] = runs.host_ops;
  stats["pool_bytes"] = runs.pool_bytes;
  return stats;
}

struct NamedEdge {
  std::uint32_t from;
  std::uint32_t to;
  std::size_t index;  // among those that leave `from`
  const SourceSpan& source;
  std::string outcome;  // of the decision that leads to it: "True", "case 2" …; empty for a jump
};

// In the order of the code; `visit` takes a NamedEdge.
template <class Visit>
void for_each_edge(const HostPlan& plan, const Visit& visit) {
  for (std::size_t block = 0; block < plan.blocks.size(); ++block) {
    const std::size_t end = block + 1 < plan.blocks.size() ? plan.blocks[block + 1].start : plan.code.size();
    const PlanInstruction& last = plan.code[end - 1];
    const auto add = [&](const PlanEdge& edge, std::size_t index, std::string outcome) {
      const auto target = std::ranges::find(plan.blocks, edge.target, &PlanBlock::start);
      if (target != plan.blocks.end())
        visit({plan.blocks[block].number, target->number, index, last.source, std::move(outcome)});
    };
    if (const auto* jump = std::get_if<PlanJump>(&last.operation)) add(jump->edge, 0, {});
    if (const auto* branch = std::get_if<PlanBranch>(&last.operation)) {
      add(branch->then_edge, 0, "True");
      add(branch->else_edge, 1, "False");
    }
    if (const auto* choice = std::get_if<PlanSwitch>(&last.operation)) {
      for (std::size_t number = 0; number < choice->cases.size(); ++number)
        add(choice->cases[number], number, "case " + std::to_string(number));
      add(choice->fallback, choice->cases.size(), "no case");
    }
  }
}

// Every edge of the graph as (from, to, index).
nb::list edges_to_python(const HostPlan& plan) {
  nb::list edges;
  for_each_edge(plan,
                [&](const NamedEdge& edge) { edges.append(nb::make_tuple(edge.from, edge.to, edge.index)); });
  return edges;
}

// Edges that a decision leads to: (from, to, index) → (file, line, column, "True", "case 2" …).
nb::dict outcomes_to_python(const HostPlan& plan) {
  nb::dict outcomes;
  for_each_edge(plan, [&](const NamedEdge& edge) {
    if (edge.outcome.empty()) return;
    outcomes[nb::make_tuple(edge.from, edge.to, edge.index)] =
        nb::make_tuple(edge.source.file, edge.source.line, edge.source.column, edge.outcome);
  });
  return outcomes;
}

std::unique_ptr<Program> load_package(Runtime& runtime, const std::filesystem::path& path, bool allow_native,
                                      std::uint64_t step_limit, int threads) {
  const nb::gil_scoped_release released;
  return std::make_unique<Program>(value_or_throw(runtime::LoadedProgram::load_package(
      path, runtime.backends(), {step_limit, threads, signal_came, allow_native})));
}

std::vector<std::filesystem::path> with_default_folders(std::vector<std::filesystem::path> plugins) {
  const auto beside = default_plugin_folders();
  plugins.insert(plugins.end(), beside.begin(), beside.end());
  return plugins;
}

// The Python packages whose folders hold the vendors' libraries.
std::vector<std::string> vendor_packages(std::vector<std::filesystem::path> plugins) {
  std::vector<std::string> packages;
  for (const KnownBackend& backend : known_backends({with_default_folders(std::move(plugins)), {}}))
    if (backend.traits.vendor)
      packages.push_back(backend.traits.vendor->folder.substr(0, backend.traits.vendor->folder.find('/')));
  return packages;
}

// "onnxruntime 1.31.1": who answers questions about every operator.
std::string reference_version(Runtime& runtime) {
  const auto backend = value_or_throw(runtime.backends().open_reference());
  return fmt::format("{} {}", backend->description().name, backend->description().version);
}

}  // namespace

void init_program(nb::module_& module) {
  nb::class_<Runtime>(module, "Runtime")
      .def(
          "__init__",
          [](Runtime* self, std::vector<std::filesystem::path> plugins,
             std::vector<std::filesystem::path> vendors,
             std::map<std::string, std::filesystem::path> libraries) {
            std::construct_at(self, SearchPaths{with_default_folders(std::move(plugins)), std::move(vendors)},
                              std::move(libraries));
          },
          nb::arg("plugins"), nb::arg("vendors"), nb::arg("libraries"))
      .def("load", &load_package, nb::arg("path"), nb::arg("allow_native"), nb::arg("step_limit"),
           nb::arg("threads"))
      .def_prop_ro("reference", &reference_version);
  module.def("vendor_packages", &vendor_packages, nb::arg("plugins"));
  nb::class_<Program>(module, "Program")
      .def("run", &Program::run, nb::arg("inputs"))
      .def("run_traced", &Program::run_traced, nb::arg("inputs"))
      .def_prop_ro("edges",
                   [](const Program& self) { return edges_to_python(self.loaded().artifact().plan); })
      .def_prop_ro("outcomes",
                   [](const Program& self) { return outcomes_to_python(self.loaded().artifact().plan); })
      .def("save", &Program::save, nb::arg("path"), nb::arg("signature"), nb::arg("verification") = "",
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("signature", [](const Program& self) { return self.loaded().artifact().signature; })
      .def("to_onnx",
           [](const Program& self) {
             const std::string bytes = [&] {
               const nb::gil_scoped_release released;
               return value_or_throw(export_onnx::export_onnx_bytes(self.loaded().artifact()));
             }();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def(
          "save_onnx",
          [](const Program& self, const std::filesystem::path& path) {
            value_or_throw(export_onnx::export_onnx_file(self.loaded().artifact(), path));
          },
          nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("hcfg", [](const Program& self) { return self.loaded().artifact().hcfg; })
      .def_prop_ro("inputs",
                   [](const Program& self) { return ports_to_python(self.loaded(), self.loaded().inputs()); })
      .def_prop_ro(
          "outputs",
          [](const Program& self) { return ports_to_python(self.loaded(), self.loaded().outputs()); })
      .def_prop_ro("returns", &returns_to_python)
      .def_prop_ro("states",
                   [](const Program& self) { return ports_to_python(self.loaded(), self.loaded().states()); })
      .def_prop_ro("facts",
                   [](const Program& self) {
                     std::vector<std::pair<std::string, std::string>> facts;
                     for (const AssumedFact& fact : self.loaded().artifact().facts)
                       facts.emplace_back(fact.question, fact.answer);
                     return facts;
                   })
      .def_prop_ro("written_inputs", [](const Program& self) { return self.loaded().facts().written_inputs; })
      .def("reset", &Program::reset)
      .def("stats", &stats_to_python);
}

}  // namespace dycl::python
