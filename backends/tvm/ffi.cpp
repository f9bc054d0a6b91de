// SPDX-License-Identifier: Apache-2.0
#include "tvm/ffi.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "common/vendor_library.h"
#include "tvm/functions.h"

namespace dycl::tvm {
namespace {

namespace fs = std::filesystem;

// What every object begins with.
struct Header {
  std::uint64_t references = 0;
  std::int32_t kind = 0;
  std::uint32_t padding = 0;
  void (*deleter)(void*, int) = nullptr;
};
struct Sequence {
  const Any* data = nullptr;
  std::int64_t size = 0;
};
struct Sizes {
  const std::int64_t* data = nullptr;
  std::size_t size = 0;
};
struct Error {
  Bytes kind;
  Bytes message;
};
struct Version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;
};

template <class Contents>
const Contents& contents_of(const void* object) {
  return *reinterpret_cast<const Contents*>(static_cast<const char*>(object) + sizeof(Header));
}

// The first line that says something.
std::string one_line(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \n\t");
  if (start == std::string_view::npos) return "unknown error";
  return std::string(text.substr(start, text.find('\n', start) - start));
}

Result<std::string> find_ffi(const fs::path& runtime) {
  const fs::path folder = runtime.parent_path();
  std::error_code error;
  for (const fs::path& place : {folder, folder.parent_path().parent_path() / "tvm_ffi" / "lib"})
    if (fs::is_regular_file(place / "libtvm_ffi.so", error)) return (place / "libtvm_ffi.so").string();
  return fail(Blame::Backend, "tvm.no_ffi",
              fmt::format("libtvm_ffi.so lies neither beside '{}' nor in its own wheel", runtime.string()),
              {}, "pip install dycl[tvm]");
}

// Sorting and top-k, in a library of its own; what needs it is an error without it.
Status open_extra(const fs::path& runtime) {
  const fs::path extra = runtime.parent_path() / "libtvm_runtime_extra.so";
  std::error_code error;
  if (!fs::is_regular_file(extra, error)) return {};
  auto opened = plugin::VendorLibrary::open(extra.string());
  return opened ? Status() : failure_of(std::move(opened));
}

// "0.27.0.post1", as the wheel's own folder is called; the library itself does not know.
std::string version_of(const fs::path& runtime, const Version& ffi) {
  if (auto version = plugin::bundled_version(runtime)) return *version;
  constexpr std::string_view prefix = "apache_tvm-";
  constexpr std::string_view ending = ".dist-info";
  std::error_code error;
  const fs::path wheels = runtime.parent_path().parent_path().parent_path();
  for (fs::directory_iterator entry(wheels, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(ending))
      return name.substr(prefix.size(), name.size() - prefix.size() - ending.size());
  }
  return fmt::format("unknown (ffi {}.{}.{})", ffi.major, ffi.minor, ffi.patch);
}

Status bind(const plugin::VendorLibrary& library, FfiFunctions& functions) {
  Status done;
  const auto one = [&]<class Function>(const char* name, Function& into) {
    if (!done) return;
    auto found = library.function<Function>(name);
    if (found)
      into = *found;
    else
      done = failure_of(std::move(found));
  };
  one("TVMFFIObjectDecRef", functions.decrease);
  one("TVMFFIObjectIncRef", functions.increase);
  one("TVMFFIFunctionGetGlobal", functions.find_global);
  one("TVMFFIFunctionCall", functions.call);
  one("TVMFFIFunctionCreate", functions.create_function);
  one("TVMFFIFunctionSetGlobal", functions.set_global);
  one("TVMFFIErrorMoveFromRaised", functions.take_error);
  one("TVMFFIErrorSetRaisedFromCStr", functions.set_error);
  one("TVMFFITensorFromDLPack", functions.from_dlpack);
  return done;
}

}  // namespace

std::int32_t Object::kind() const {
  return object_ == nullptr ? std::int32_t{Any::None} : static_cast<const Header*>(object_)->kind;
}

Any Object::view() const {
  Any result;
  result.kind = kind();
  result.object = object_;
  return result;
}

const DLTensor& tensor_in(const void* object) { return contents_of<DLTensor>(object); }

std::span<const std::int64_t> sizes_in(const void* object) {
  const auto& sizes = contents_of<Sizes>(object);
  return {sizes.data, sizes.size};
}

std::span<const Any> Object::elements() const {
  const auto& sequence = contents_of<Sequence>(object_);
  return {sequence.data, static_cast<std::size_t>(sequence.size)};
}

Object Object::share(void* element) const {
  ffi_->increase(element);
  return {*ffi_, element};
}

Result<std::shared_ptr<const Ffi>> Ffi::open(const std::string& runtime) {
  auto path = find_ffi(runtime);
  if (!path) return failure_of(std::move(path));
  // First, so that the runtime finds it loaded: its own search path does not lead there.
  auto library = plugin::VendorLibrary::open(*path);
  if (!library) return failure_of(std::move(library));
  auto machine = plugin::VendorLibrary::open(runtime);
  if (!machine) return failure_of(std::move(machine));
  if (Status more = open_extra(runtime); !more) return failure_of(std::move(more));
  auto ffi = std::make_shared<Ffi>();
  if (Status bound = bind(*library, ffi->functions_); !bound) return failure_of(std::move(bound));
  auto ask_version = library->function<void (*)(Version*)>("TVMFFIGetVersion");
  if (!ask_version) return failure_of(std::move(ask_version));
  Version version;
  (*ask_version)(&version);
  ffi->version_ = version_of(runtime, version);
  ffi->path_ = runtime;
  auto get_function = ffi->global("ffi.ModuleGetFunction");
  if (!get_function) return failure_of(std::move(get_function));
  ffi->get_function_ = std::move(*get_function);
  if (Status added = register_functions(ffi->functions_); !added) return failure_of(std::move(added));
  return ffi;
}

Diagnostic Ffi::raised() const {
  void* error = nullptr;
  functions_.take_error(&error);
  const Object owned(functions_, error);
  if (error == nullptr) return fail(Blame::Backend, "tvm.error", "TVM failed without a reason").value();
  const auto& told = contents_of<Error>(error);
  return fail(Blame::Backend, "tvm.error",
              fmt::format("{}: {}", std::string_view(told.kind.data, told.kind.size),
                          one_line({told.message.data, told.message.size})))
      .value();
}

Result<Object> Ffi::global(const char* name) const {
  const Bytes text{name, std::char_traits<char>::length(name)};
  void* function = nullptr;
  if (functions_.find_global(&text, &function) != 0) return Failure(raised());
  if (function == nullptr)
    return fail(Blame::Backend, "backend.library_too_old",
                fmt::format("'{}' has no function {}", path_, name));
  return Object(functions_, function);
}

Result<Object> Ffi::call(const Object& function, std::span<Any> arguments) const {
  Any result;
  const auto count = static_cast<std::int32_t>(arguments.size());
  if (functions_.call(function.get(), arguments.data(), count, &result) != 0) return Failure(raised());
  return result.kind >= Any::FirstObject ? Object(functions_, result.object) : Object();
}

Result<Object> Ffi::view(DLManagedTensor& managed) const {
  void* tensor = nullptr;
  if (functions_.from_dlpack(&managed, 0, 1, &tensor) != 0) return Failure(raised());
  return Object(functions_, tensor);
}

Result<Object> Ffi::function_of(const Object& module, const char* name) const {
  Any query_imports = any(std::int64_t{0});
  query_imports.kind = Any::Boolean;
  std::array arguments{module.view(), any(name), query_imports};
  auto function = call(get_function_, arguments);
  if (function && function->get() == nullptr)
    return fail(Blame::Backend, "tvm.error", fmt::format("the compiled library has no function {}", name));
  return function;
}

}  // namespace dycl::tvm
