// SPDX-License-Identifier: Apache-2.0
#include "compile.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace dycl::python {

namespace nb = nanobind;

void ProgressCallback::operator()(const pipeline::Progress& progress) {
  const nb::gil_scoped_acquire acquired;
  if (failure_) return;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!function_.is_none())
      function_(std::string(pipeline::name_of(progress.phase)), progress.done, progress.total, progress.what);
  } catch (nb::python_error& error) {
    failure_.emplace(std::move(error));
  }
}

void ProgressCallback::rethrow() {
  if (failure_) throw nb::python_error(std::move(*failure_));
}

namespace {

std::optional<pipeline::Phase> phase_of(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return value_or_throw(pipeline::find_phase(name));
}

}  // namespace

pipeline::CompileOptions options_of(Runtime& runtime, const CompileRequest& request,
                                    ProgressCallback& callback) {
  pipeline::CompileOptions options;
  options.backend = request.backend;
  for (const auto& [pattern, backend] : request.placement) options.placement.push_back({pattern, backend});
  options.search = runtime.paths();
  options.vendor_libraries = runtime.libraries();
  options.threads = request.threads;
  options.jobs = request.jobs;
  options.backends = &runtime.backends();
  options.optimize = request.optimize;
  options.disabled_passes = request.disabled_passes;
  options.input_types = request.input_types;
  for (const auto& [name, text] : request.dims)
    options.dims.emplace(name, value_or_throw(parse_dim_range(text)));
  options.probe = true;
  options.probe_cache = user_cache_folder();
  options.cache = request.cache.get();
  options.progress = [&callback](const pipeline::Progress& progress) { callback(progress); };
  options.stop_after = phase_of(request.stop_after);
  options.dump_after = phase_of(request.dump_after);
  return options;
}

Compiled compile_with(Runtime& runtime, const CompileRequest& request, nb::object progress,
                      const CompileFunction& compile) {
  ProgressCallback callback(std::move(progress));
  const pipeline::CompileOptions options = options_of(runtime, request, callback);
  std::optional<Result<pipeline::CompileOutcome>> outcome;
  try {
    const nb::gil_scoped_release released;
    outcome.emplace(compile(options, callback));
  } catch (nb::python_error&) {
    callback.rethrow();
    throw;
  }
  callback.rethrow();
  pipeline::CompileOutcome made = value_or_throw(std::move(*outcome));
  Compiled compiled{nullptr, std::move(made.dump), {}};
  for (const pipeline::PhaseTiming& timing : made.timings)
    compiled.seconds.emplace_back(pipeline::name_of(timing.phase), timing.seconds);
  if (options.stop_after) return compiled;
  const nb::gil_scoped_release released;
  compiled.program = std::make_unique<Program>(
      value_or_throw(runtime::LoadedProgram::load(*std::move(made.artifact), runtime.backends(),
                                                  {request.step_limit, request.threads, signal_came, true})));
  return compiled;
}

namespace {

Compiled compile_file(Runtime& runtime, const std::filesystem::path& path, const CompileRequest& request,
                      nb::object progress) {
  return compile_with(runtime, request, std::move(progress),
                      [&](const pipeline::CompileOptions& options, const ProgressCallback&) {
                        return pipeline::compile_onnx_file(path, options);
                      });
}

Compiled compile_bytes(Runtime& runtime, nb::bytes model, const std::filesystem::path& folder,
                       const std::string& name, const CompileRequest& request, nb::object progress) {
  const std::string_view bytes(model.c_str(), model.size());
  return compile_with(runtime, request, std::move(progress),
                      [&](const pipeline::CompileOptions& options, const ProgressCallback&) {
                        return pipeline::compile_onnx_bytes(bytes, folder, name, options);
                      });
}

std::optional<nb::bytes> find_in(DiskCache& cache, const std::string& kind, const std::string& key) {
  const std::optional<std::string> value = cache.find(kind, key);
  if (!value) return std::nullopt;
  return nb::bytes(value->data(), value->size());
}

std::map<std::string, std::pair<std::size_t, std::size_t>> counts_of(const DiskCache& cache) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;
  for (const auto& [kind, count] : cache.counts()) counts[kind] = {count.found, count.missed};
  return counts;
}

std::vector<std::string> phases_from(const std::string& frontend) {
  std::vector<std::string> names;
  for (const pipeline::Phase phase : pipeline::phases_from(value_or_throw(pipeline::find_phase(frontend))))
    names.emplace_back(pipeline::name_of(phase));
  return names;
}

}  // namespace

void init_compile(nb::module_& module) {
  nb::class_<DiskCache>(module, "DiskCache")
      .def(nb::init<std::filesystem::path>(), nb::arg("folder"))
      .def("find", &find_in, nb::arg("kind"), nb::arg("key"))
      .def(
          "keep",
          [](DiskCache& cache, const std::string& kind, const std::string& key, nb::bytes value) {
            cache.keep(kind, key, {value.c_str(), value.size()});
          },
          nb::arg("kind"), nb::arg("key"), nb::arg("value"))
      .def("counts", &counts_of);
  nb::class_<CompileRequest>(module, "CompileRequest")
      .def(nb::init<>())
      .def_rw("backend", &CompileRequest::backend)
      .def_rw("placement", &CompileRequest::placement)
      .def_rw("optimize", &CompileRequest::optimize)
      .def_rw("disabled_passes", &CompileRequest::disabled_passes)
      .def_rw("input_types", &CompileRequest::input_types)
      .def_rw("cache", &CompileRequest::cache, nb::arg().none())
      .def_rw("dims", &CompileRequest::dims)
      .def_rw("step_limit", &CompileRequest::step_limit)
      .def_rw("threads", &CompileRequest::threads)
      .def_rw("jobs", &CompileRequest::jobs)
      .def_rw("stop_after", &CompileRequest::stop_after)
      .def_rw("dump_after", &CompileRequest::dump_after);
  nb::class_<Compiled>(module, "Compiled")
      .def("take_program", [](Compiled& self) { return std::move(self.program); })
      .def_ro("dump", &Compiled::dump)
      .def_ro("seconds", &Compiled::seconds);
  module.def("user_cache_folder", [] {
    const std::filesystem::path folder = user_cache_folder();
    return folder.empty() ? std::nullopt : std::optional(folder);
  });
  module.def("phases_from", &phases_from, nb::arg("frontend"));
  module.def("compile_file", &compile_file, nb::arg("runtime"), nb::arg("path"), nb::arg("request"),
             nb::arg("progress").none());
  module.def("compile_bytes", &compile_bytes, nb::arg("runtime"), nb::arg("model"), nb::arg("folder"),
             nb::arg("name"), nb::arg("request"), nb::arg("progress").none());
}

}  // namespace dycl::python
