# SPDX-License-Identifier: Apache-2.0
"""One namespace per folder of src/ and backends/, and no name that two folders define in the same namespace:
a linker may keep either of two inline functions of that name (say, destructors of two structs) for both."""

from collections import defaultdict

from lint.cpp_names import UNNAMED, definitions
from lint.sources import CPP, files, shown

# Folders whose words all others use; they share the namespace dycl.
VOCABULARY = ("base", "hcfg", "backend", "package")
# Folders outside of src/ and backends/, whose files lie in the folder itself or are users' to see.
HOMES = {"bindings": ("dycl", "python"), "include": ("dycl",), "backends/common": ("dycl", "plugin")}
# Every program and every plugin has one of them, in the global namespace.
ENTRIES = ("main", "dycl_backend_entry")


def folder_of(path):
    """src/hcfg/… → hcfg, backends/tvm/… → backends/tvm, bindings/… → bindings."""
    parts = path.split("/")
    return {"src": parts[1], "backends": "/".join(parts[:2])}.get(parts[0], parts[0])


def home_of(path):
    """The namespace that the files of a folder define their names in."""
    folder = folder_of(path)
    if folder in HOMES:
        return HOMES[folder]
    return ("dycl",) if folder in VOCABULARY else ("dycl", folder.split("/")[-1])


def defined_twice(texts):
    """Names that several folders define in one namespace. `texts` are files by their path from the root."""
    folders = defaultdict(lambda: defaultdict(set))
    for path, text in texts.items():
        for definition in definitions(text):
            if UNNAMED not in definition.namespace and definition.name not in ENTRIES:
                folders[definition][folder_of(path)].add(path)
    return [
        f"{name} is defined in the namespace '{namespace}' by {', '.join(sorted(set().union(*of.values())))}"
        for (namespace, name), of in folders.items()
        if len(of) > 1
    ]


def strangers(path, text):
    """What a file defines in the namespace of another folder, or in that of the vocabulary."""
    home = home_of(path)
    found = []
    for namespace, name in definitions(text):
        parts = tuple(namespace.split("::"))
        if parts[0] == "dycl" and parts[: len(home)] != home:
            found.append(f"{path} defines {name} in {namespace}, not in {'::'.join(home)}")
    return found


def sources():
    return {
        shown(path): path.read_text()
        for path in files(*CPP, folders=("src", "include", "bindings", "backends"))
    }


def test_no_two_folders_define_a_name_in_the_same_namespace():
    found = defined_twice(sources())
    assert not found, "\n".join(found)


def test_every_folder_defines_in_its_own_namespace():
    found = [stranger for path, text in sources().items() for stranger in strangers(path, text)]
    assert not found, "\n".join(found)


# What src/import_onnx/importer.h and src/import_python/scopes.h once were.
ONNX_SCOPE = "namespace dycl {\n// Values of the graph.\nstruct Scope {\n  Scope* parent = nullptr;\n};\n}\n"
PYTHON_SCOPE = "namespace dycl {\nstruct Scope {\n  std::set<std::string> bound = {};\n};\n}\n"


def test_a_struct_of_two_folders_is_found():
    two = {"src/import_onnx/importer.h": ONNX_SCOPE, "src/import_python/scopes.h": PYTHON_SCOPE}
    (found,) = defined_twice(two)
    assert "Scope" in found
    assert all(path in found for path in two)
    assert strangers("src/import_onnx/importer.h", ONNX_SCOPE)
    apart = {
        path: text.replace("namespace dycl", "namespace dycl::" + path.split("/")[1])
        for path, text in two.items()
    }
    assert not defined_twice(apart)
    assert not any(strangers(path, text) for path, text in apart.items())


def test_names_outside_of_src_are_found():
    graph = "namespace dycl {\nstruct Value { int type; };\n}\n"
    assert defined_twice({"src/hcfg/hcfg.h": graph, "include/dycl/value.hpp": graph})
    assert strangers("bindings/compile.cpp", graph)
    assert strangers("backends/tvm/call.cpp", graph)
    assert strangers("backends/tvm/call.cpp", graph.replace("namespace dycl", "namespace dycl::openvino"))
    assert not strangers(
        "backends/common/worker.cpp", graph.replace("namespace dycl", "namespace dycl::plugin")
    )
    entry = 'extern "C" __attribute__((visibility("default"))) int* dycl_backend_entry() {\n  return 0;\n}\n'
    assert not defined_twice({"backends/tvm/plugin.cpp": entry, "backends/openvino/plugin.cpp": entry})
    assert defined_twice(
        {"backends/tvm/a.cpp": entry.replace("entry", "x"), "src/base/a.cpp": entry.replace("entry", "x")}
    )


def test_other_names_of_two_folders_are_found():
    def twice(one, other):
        wrap = "namespace dycl {{\nnamespace zip {{\n{}\n}}\n}}\n".format
        return defined_twice({"src/base/a.h": wrap(one), "src/package/b.cpp": wrap(other)})

    assert twice("inline int f(int a = {}) { return a; }", "int f(double) { return 1; }")
    assert twice(
        "template <typename T, typename U = V<T>>\nclass C final : public B {};", "enum class C : int { A };"
    )
    assert twice("using Name = std::string;", "struct Name { int a; };")
    assert twice("inline constexpr int kMost = 3;", "inline constexpr std::array<int, 2> kMost{1, 2};")
    assert twice('extern "C" {\nvoid g() {}\n}', 'extern "C" void g() {}')


def test_names_that_do_not_meet_are_not_found():
    def apart(one, other):
        texts = {
            "src/base/a.h": f"namespace dycl {{\n{one}\n}}\n",
            "src/package/b.cpp": f"namespace dycl {{\n{other}\n}}\n",
        }
        return not defined_twice(texts)

    assert apart("struct S { int a; };", "struct S;\nclass S;")
    assert apart("int f(int a);", "int f(int a) { return a; }")
    assert apart("void f() {}", "namespace {\nvoid f() {}\n}")
    assert apart(
        "void f() {}", "static void f() {}\nvoid S::f() { if (a) { f(); } }\nstruct T { void f() {} };"
    )
    assert apart("namespace detail {\nstruct S { int a; };\n}", "struct S { int a; };")
    assert apart("// struct S {};\nint a = 1;", 'const char* s = "struct S {}";\nstruct S {};')
    overloads = "namespace dycl {\nvoid f(int) {}\nvoid f(double) {}\n}\n"
    assert not defined_twice({"src/base/a.cpp": overloads, "src/base/b.cpp": overloads})
