// SPDX-License-Identifier: Apache-2.0
// The C functions of plugin_abi.h over a plugin's C++ classes, written once:
//
//   struct Plugin {
//     using Backend = …;     static Result<std::unique_ptr<Backend>> open(const OpenOptions&);
//                            Description describe() const;
//                            Result<std::optional<Refusal>> check(const DyclGraph&) const;
//                            Result<std::string> infer_types(const DyclGraph&) const;  JSON
//                            Result<std::string> compile(const DyclGraph&) const;      the blob
//                            Result<std::unique_ptr<Executable>> load(const DyclGraph&, std::string_view
//                            blob) const;
//     using Executable = …;  Result<std::unique_ptr<Call>> create_call() const;
//     using Call = …;        Status run(std::span<const DyclTensor>, std::span<DyclOutput>);
//     static bool may_free();  false: objects are left to the ending process
//   };
//   constexpr DyclBackendApi table = plugin::api_of<Plugin>("name", R"({traits})");
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/plugin_abi.h"
#include "common/open_options.h"
#include "common/refusal.h"
#include "common/text.h"

namespace dycl::plugin {

template <class Plugin>
class Glue {
  using Backend = typename Plugin::Backend;
  using Executable = typename Plugin::Executable;
  using Call = typename Plugin::Call;

 public:
  static DyclText* open(const char* json, DyclBackend** backend) {
    return guarded([&]() -> Status {
      Result<OpenOptions> options = parse_open_options(json);
      if (!options) return failure_of(std::move(options));
      return give(Backend::open(*options), backend);
    });
  }
  static void close(DyclBackend* backend) { free(from(backend)); }

  static DyclText* describe(DyclBackend* backend, DyclText* json) {
    return guarded([&]() -> Status {
      set_text(json, to_json(from(backend)->describe()));
      return {};
    });
  }
  static DyclText* check(DyclBackend* backend, const DyclGraph* graph, DyclRefusal* refusal) {
    return guarded([&] { return give(from(backend)->check(*graph), refusal); });
  }
  static DyclText* infer_types(DyclBackend* backend, const DyclGraph* graph, DyclText* json) {
    return guarded([&] { return give(from(backend)->infer_types(*graph), json); });
  }
  static DyclText* compile(DyclBackend* backend, const DyclGraph* graph, DyclText* blob) {
    return guarded([&] { return give(from(backend)->compile(*graph), blob); });
  }
  static DyclText* load(DyclBackend* backend, const DyclGraph* graph, DyclBytes blob,
                        DyclExecutable** executable) {
    const std::string_view bytes(static_cast<const char*>(blob.data), blob.size);
    return guarded([&] { return give(from(backend)->load(*graph, bytes), executable); });
  }
  static void unload(DyclExecutable* executable) { free(from(executable)); }

  static DyclText* create_call(DyclExecutable* executable, DyclCall** call) {
    return guarded([&] { return give(from(executable)->create_call(), call); });
  }
  static void destroy_call(DyclCall* call) { free(from(call)); }

  static DyclText* run(DyclCall* call, const DyclTensor* inputs, std::size_t input_count, DyclOutput* outputs,
                       std::size_t output_count) {
    return guarded([&] { return from(call)->run({inputs, input_count}, {outputs, output_count}); });
  }

 private:
  // The ABI's opaque types are the plugin's own classes.
  static Backend* from(DyclBackend* backend) { return reinterpret_cast<Backend*>(backend); }
  static Executable* from(DyclExecutable* executable) { return reinterpret_cast<Executable*>(executable); }
  static Call* from(DyclCall* call) { return reinterpret_cast<Call*>(call); }

  static Status give(Result<std::string>&& text, DyclText* out) {
    if (!text) return failure_of(std::move(text));
    set_text(out, *text);
    return {};
  }
  static Status give(Result<std::optional<Refusal>>&& found, DyclRefusal* out) {
    if (!found) return failure_of(std::move(found));
    if (!*found) return {};
    out->node = (*found)->node ? static_cast<std::int64_t>(*(*found)->node) : -1;
    set_text(&out->reason, (*found)->reason);
    return {};
  }
  template <class Object, class Opaque>
  static Status give(Result<std::unique_ptr<Object>>&& object, Opaque** out) {
    if (!object) return failure_of(std::move(object));
    *out = reinterpret_cast<Opaque*>(object->release());
    return {};
  }
  template <class Object>
  static void free(Object* object) {
    if (Plugin::may_free()) std::unique_ptr<Object>(object).reset();
  }
};

template <class Plugin>
constexpr DyclBackendApi api_of(const char* name, const char* traits) {
  using G = Glue<Plugin>;
  return {DYCL_BACKEND_ABI,
          sizeof(DyclBackendApi),
          name,
          traits,
          free_text,
          G::open,
          G::close,
          G::describe,
          G::check,
          G::infer_types,
          G::compile,
          G::load,
          G::unload,
          G::create_call,
          G::destroy_call,
          G::run};
}

}  // namespace dycl::plugin
