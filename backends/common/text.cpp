// SPDX-License-Identifier: Apache-2.0
#include "common/text.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

namespace dycl::plugin {
namespace {

// One block holds the DyclText of an error and the characters after it; `data` alone leads back to
// the block, so errors and filled structs are freed alike.
using Unit = std::max_align_t;
static_assert(sizeof(Unit) >= sizeof(DyclText));

std::size_t unit_count(std::size_t characters) {
  return 1 + (characters + sizeof(Unit)) / sizeof(Unit);  // one unit of header, one byte of terminator
}

DyclText* make_text(std::string_view content) {
  Unit* block = std::allocator<Unit>().allocate(unit_count(content.size()));
  auto* characters = reinterpret_cast<char*>(block + 1);
  std::ranges::copy(content, characters);
  characters[content.size()] = '\0';
  return std::construct_at(reinterpret_cast<DyclText*>(block), DyclText{characters, content.size()});
}

const DyclText out_of_memory{nullptr, 0};  // free_text leaves it alone

}  // namespace

DyclText* make_error(std::string_view message) noexcept {
  try {
    return make_text(message);
  } catch (const std::bad_alloc&) {
    return const_cast<DyclText*>(&out_of_memory);  // the ABI's texts are mutable, this one is never written
  }
}

// As plugin_abi.h has it: what a person may do about it stays apart from what happened.
DyclText* make_error(const Diagnostic& diagnostic) noexcept {
  try {
    const nlohmann::json error = {
        {"message", diagnostic.message}, {"code", diagnostic.code}, {"hint", diagnostic.hint}};
    return make_error(error.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } catch (const std::exception&) {
    return make_error(diagnostic.message);
  }
}

void set_text(DyclText* out, std::string_view content) { *out = *make_text(content); }

void free_text(DyclText* text) noexcept {
  if (text == nullptr || text->data == nullptr) return;
  const std::size_t units = unit_count(text->size);
  std::allocator<Unit>().deallocate(reinterpret_cast<Unit*>(text->data) - 1, units);
}

}  // namespace dycl::plugin
