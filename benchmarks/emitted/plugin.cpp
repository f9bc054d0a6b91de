// SPDX-License-Identifier: Apache-2.0
// A backend that computes nothing, under the name BACKEND_NAME: what is left of a run's time is DyCL's own.
// Every result is whatever lies in the memory that was offered, but for bools of one element, which are true.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "backend/plugin_abi.h"

namespace {

DyclText* give(DyclText* target, const char* text) {
  target->size = std::strlen(text);
  target->data = static_cast<char*>(std::malloc(target->size + 1));
  std::memcpy(target->data, text, target->size + 1);
  return nullptr;
}

void free_text(DyclText* text) { std::free(text->data); }

DyclText* open(const char*, DyclBackend** backend) {
  static char nothing;
  *backend = reinterpret_cast<DyclBackend*>(&nothing);
  return nullptr;
}
void close(DyclBackend*) {}

DyclText* describe(DyclBackend*, DyclText* json) {
  return give(json,
              R"({"name": ")" BACKEND_NAME R"(", "version": "0", "library": "", "opset": 21, "ir_version": 10,
                  "dtypes": {"f32": "yes"}, "notes": [], "rewrites": [], "checks": [], "takes_aten": false,
                  "deterministic_blob": true})");
}

DyclText* check(DyclBackend*, const DyclGraph*, DyclRefusal* refusal) { return give(&refusal->reason, ""); }
DyclText* infer_types(DyclBackend*, const DyclGraph*, DyclText* json) { return give(json, "[]"); }
DyclText* compile(DyclBackend*, const DyclGraph*, DyclText* blob) { return give(blob, ""); }

DyclText* load(DyclBackend*, const DyclGraph*, DyclBytes, DyclExecutable** executable) {
  static char nothing;
  *executable = reinterpret_cast<DyclExecutable*>(&nothing);
  return nullptr;
}
void unload(DyclExecutable*) {}

DyclText* create_call(DyclExecutable*, DyclCall** call) {
  static char nothing;
  *call = reinterpret_cast<DyclCall*>(&nothing);
  return nullptr;
}
void destroy_call(DyclCall*) {}

std::size_t width_of(std::int32_t dtype) {
  if (dtype == 7 || dtype == 11) return 8;
  return dtype == 9 ? 1 : 4;
}

DyclText* run(DyclCall*, const DyclTensor*, std::size_t, DyclOutput* outputs, std::size_t count) {
  for (std::size_t index = 0; index < count; ++index) {
    DyclOutput& output = outputs[index];
    output.byte_size = width_of(output.dtype);
    for (std::int32_t axis = 0; axis < output.rank; ++axis)
      output.byte_size *= static_cast<std::size_t>(output.dims[axis]);
    output.data = output.buffer;
    if (output.byte_size == 1) *static_cast<char*>(output.buffer) = 1;
  }
  return nullptr;
}

const DyclBackendApi kApi{DYCL_BACKEND_ABI,
                          sizeof(DyclBackendApi),
                          BACKEND_NAME,
                          R"({"blob": "none", "preference": 1})",
                          free_text,
                          open,
                          close,
                          describe,
                          check,
                          infer_types,
                          compile,
                          load,
                          unload,
                          create_call,
                          destroy_call,
                          run};

}  // namespace

extern "C" __attribute__((visibility("default"))) const DyclBackendApi* dycl_backend_entry() { return &kApi; }
