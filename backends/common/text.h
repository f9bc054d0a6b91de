// SPDX-License-Identifier: Apache-2.0
// Makes the texts that a plugin returns, and keeps exceptions inside the plugin.
#pragma once

#include <exception>
#include <string_view>

#include "backend/plugin_abi.h"
#include "base/result.h"

namespace dycl::plugin {

// Makes an error to return; it is never NULL, even if there is no memory.
DyclText* make_error(std::string_view message) noexcept;
DyclText* make_error(const Diagnostic& diagnostic) noexcept;

// Fills the caller's struct with a text.
void set_text(DyclText* out, std::string_view content);

// The plugin's free_text function.
void free_text(DyclText* text) noexcept;

// Runs the body of one entry point. `body` returns Status; its diagnostic or exception becomes text.
template <class Body>
DyclText* guarded(Body&& body) noexcept {
  try {
    const Status status = body();
    return status ? nullptr : make_error(status.error());
  } catch (const std::exception& error) {
    return make_error(error.what());
  } catch (...) {
    return make_error("the backend threw something that is not an exception");
  }
}

}  // namespace dycl::plugin
