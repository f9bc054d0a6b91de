// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/type.h"
#include "base/utf8.h"
#include "package/entry.h"
#include "package/error.h"
#include "package/safetensors.h"
#include "package/safetensors_dtype.h"
#include "package/safetensors_names.h"

namespace dycl {
namespace {

using nlohmann::json;

constexpr std::array<std::byte, 64> kZeros{};

std::size_t gap_before_next(std::size_t offset) {
  return (kZeros.size() - offset % kZeros.size()) % kZeros.size();
}

std::string type_text(const TensorData& tensor) {
  TensorType type;
  type.dtype = tensor.dtype;
  type.dims = std::vector<Dim>(tensor.dims.begin(), tensor.dims.end());
  return to_string(Type(type), [](SymbolId) { return std::string(); });
}

class ImageMaker {
 public:
  void add(const std::string& name, const TensorData& tensor) {
    if (const auto dtype = safetensors_name(tensor.dtype)) {
      add_range(name, *dtype, tensor.dims, tensor.bytes);
    } else {
      metadata_[name] = type_text(tensor);
      add_range(name, "U8", {static_cast<std::int64_t>(tensor.bytes.size())}, tensor.bytes);
    }
    if (const std::size_t gap = gap_before_next(offset_); gap != 0)
      add_range(fmt::format("{}{}", kPaddingPrefix, padding_count_++), "U8", {static_cast<std::int64_t>(gap)},
                std::span(kZeros).first(gap));
  }

  SafetensorsImage finish() {
    if (!metadata_.empty()) header_["__metadata__"] = metadata_;
    std::string text = header_.dump();
    text.append(gap_before_next(text.size() + 8), ' ');  // the data starts at a multiple of 64 too
    for (std::size_t index = 0; index < 8; ++index)
      image_.header += static_cast<char>(static_cast<unsigned char>(text.size() >> (8 * index)));
    image_.header += text;
    return std::move(image_);
  }

 private:
  void add_range(const std::string& name, std::string_view dtype, const std::vector<std::int64_t>& dims,
                 std::span<const std::byte> bytes) {
    header_[name] = {{"dtype", dtype}, {"shape", dims}, {"data_offsets", {offset_, offset_ + bytes.size()}}};
    offset_ += bytes.size();
    image_.tensors.push_back(bytes);
  }

  json header_ = json::object();
  json metadata_ = json::object();
  SafetensorsImage image_;
  std::size_t offset_ = 0;
  std::size_t padding_count_ = 0;
};

}  // namespace

std::vector<std::span<const std::byte>> SafetensorsImage::pieces() const {
  std::vector<std::span<const std::byte>> all{bytes_of(header)};
  all.insert(all.end(), tensors.begin(), tensors.end());
  return all;
}

Result<SafetensorsImage> make_safetensors(const std::map<std::string, TensorPtr>& weights) {
  ImageMaker maker;
  for (const auto& [name, tensor] : weights) {
    if (is_reserved_weight_name(name) || !is_utf8(name))
      return package_error("bad_weight", fmt::format("a weight cannot be named '{}'", shown(name)),
                           "rename it");
    if (tensor == nullptr)
      return package_error("bad_weight", fmt::format("the weight '{}' has no contents", shown(name)));
    if (auto status = check_tensor(*tensor); !status) {
      status.error().message = fmt::format("the weight '{}': {}", shown(name), status.error().message);
      return failure_of(std::move(status));
    }
    maker.add(name, *tensor);
  }
  return maker.finish();
}

}  // namespace dycl
