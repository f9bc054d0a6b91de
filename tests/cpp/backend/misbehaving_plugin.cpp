// SPDX-License-Identifier: Apache-2.0
// A backend that misbehaves in open(): {"precision": "SIGILL" | "SIGSEGV" | "hang" | "exit"}; anything
// else is an error text.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "backend/plugin_abi.h"

namespace {

char message[] = "it does not want to";
DyclText refusal{message, sizeof message - 1};

DyclText* open(const char* options, DyclBackend**) {
  const std::string_view text(options);
  const auto asked = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (asked("SIGILL")) raise(SIGILL);
  if (asked("SIGSEGV")) raise(SIGSEGV);
  if (asked("exit")) std::_Exit(3);
  while (asked("hang")) sleep(1);
  return &refusal;
}

void free_text(DyclText*) {}
void close(DyclBackend*) {}
DyclText* tell(DyclBackend*, DyclText*) { return &refusal; }
DyclText* judge(DyclBackend*, const DyclGraph*, DyclRefusal*) { return &refusal; }
DyclText* answer(DyclBackend*, const DyclGraph*, DyclText*) { return &refusal; }
DyclText* load(DyclBackend*, const DyclGraph*, DyclBytes, DyclExecutable**) { return &refusal; }
void unload(DyclExecutable*) {}
DyclText* create_call(DyclExecutable*, DyclCall**) { return &refusal; }
void destroy_call(DyclCall*) {}
DyclText* run(DyclCall*, const DyclTensor*, size_t, DyclOutput*, size_t) { return &refusal; }

const DyclBackendApi table{DYCL_BACKEND_ABI,
                           sizeof(DyclBackendApi),
                           "misbehaving",
                           R"({"blob": "native"})",
                           free_text,
                           open,
                           close,
                           tell,
                           judge,
                           answer,
                           answer,
                           load,
                           unload,
                           create_call,
                           destroy_call,
                           run};

}  // namespace

extern "C" __attribute__((visibility("default"))) const DyclBackendApi* dycl_backend_entry() {
  return &table;
}
