// SPDX-License-Identifier: Apache-2.0
#include "import_python/import_python.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "import_python/lowering.h"
#include "import_python/source_file.h"

namespace dycl::import_python {
namespace {

namespace nb = nanobind;

// The code object behind a function, bound method or code object; none: there is none.
nb::object code_of(nb::handle function) {
  if (PyCode_Check(function.ptr())) return nb::borrow(function);
  if (PyMethod_Check(function.ptr())) return code_of(PyMethod_GET_FUNCTION(function.ptr()));
  if (PyFunction_Check(function.ptr())) return nb::borrow(PyFunction_GetCode(function.ptr()));
  return nb::none();
}

std::string text_of(nb::handle object, const char* attribute) {
  const nb::object value = nb::getattr(object, attribute, nb::none());
  return nb::isinstance<nb::str>(value) ? nb::cast<std::string>(value) : std::string();
}

std::string describe(nb::handle function) {
  if (PyCode_Check(function.ptr())) return text_of(function, "co_qualname");
  const std::string name = text_of(function, "__qualname__");
  if (name.empty()) return nb::cast<std::string>(nb::repr(function));
  const std::string module = text_of(function, "__module__");
  return module.empty() ? name : module + "." + name;
}

SourceSpan span_of(nb::handle code) {
  return {text_of(code, "co_filename"), nb::cast<std::uint32_t>(code.attr("co_firstlineno")), 1, {}};
}

Failure no_source(nb::handle function, SourceSpan span) {
  return fail(
      Blame::Unsupported, "python.no_source",
      fmt::format("there is no Python source of {}, so its control flow cannot be read", describe(function)),
      std::move(span), "define it with def in a file or notebook cell");
}

Failure source_changed(nb::handle function, nb::handle code) {
  // pytest compiles test modules from a syntax tree of its own.
  const bool by_pytest = nb::cast<bool>(nb::repr(code.attr("co_names")).attr("__contains__")("@pytest_ar"));
  return fail(Blame::Unsupported, "python.source_changed",
              fmt::format("the source of {} is not the one that it was compiled from", describe(function)),
              span_of(code),
              by_pytest ? "pytest rewrites asserts of test modules: define it in a module that is not a test"
                        : "the file has changed since it was imported: import it anew");
}

// The lines that CPython itself would show in a traceback.
nb::list lines_of(nb::handle code, nb::handle function) {
  const nb::object linecache = nb::module_::import_("linecache");
  const nb::object globals = nb::getattr(function, "__globals__", nb::none());
  return nb::list(linecache.attr("getlines")(code.attr("co_filename"), globals));
}

constexpr int kFutureFlags = PyCF_MASK;

}  // namespace

SourceLibrary::SourceLibrary() = default;
SourceLibrary::~SourceLibrary() = default;

std::shared_ptr<SourceFile> SourceLibrary::source_file(nb::handle code, nb::handle function) {
  const nb::list lines = lines_of(code, function);
  if (nb::len(lines) == 0) return nullptr;
  const auto name = nb::cast<std::string>(code.attr("co_filename"));
  const int flags = nb::cast<int>(code.attr("co_flags")) & kFutureFlags;
  std::shared_ptr<SourceFile>& known = files_[fmt::format("{}:{}", flags, name)];
  if (!known || !known->has_text(lines)) known = std::make_shared<SourceFile>(name, lines, flags);
  return known;
}

Result<PythonFunctionPtr> SourceLibrary::lower(nb::handle function) {
  const nb::object code = code_of(function);
  if (code.is_none()) return no_source(function, {});
  if (const auto known = functions_.find(code.ptr()); known != functions_.end()) {
    return known->second.function;
  }
  try {
    std::shared_ptr<SourceFile> file = source_file(code, function);
    if (!file) return no_source(function, span_of(code));
    const Scope* scope = file->find(code);
    if (scope == nullptr) {
      // The lines may be older than the code: look at the file again before giving up.
      nb::module_::import_("linecache").attr("checkcache")(code.attr("co_filename"));
      file = source_file(code, function);
      scope = file ? file->find(code) : nullptr;
    }
    if (scope == nullptr) return source_changed(function, code);
    Result<PythonFunctionPtr> lowered = lower_scope(*file, *scope);
    if (lowered) functions_.emplace(code.ptr(), Entry{code, *lowered});
    return lowered;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_SyntaxError)) throw;
    return source_changed(function, code);
  }
}

}  // namespace dycl::import_python
