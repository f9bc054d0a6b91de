// SPDX-License-Identifier: Apache-2.0
#include "aot_inductor/torch_api.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

namespace dycl::aot_inductor {
namespace {

constexpr std::array<std::pair<DType, std::int32_t>, 10> numbers{{{DType::U8, 0},
                                                                  {DType::I8, 1},
                                                                  {DType::I16, 2},
                                                                  {DType::I32, 3},
                                                                  {DType::I64, 4},
                                                                  {DType::F16, 5},
                                                                  {DType::F32, 6},
                                                                  {DType::F64, 7},
                                                                  {DType::Bool, 11},
                                                                  {DType::BF16, 15}}};

// From torch/version.py: "__version__ = '2.15.0+cu132'".
std::string version_beside(const std::filesystem::path& library) {
  if (auto version = plugin::bundled_version(library)) return *version;
  std::ifstream file(library.parent_path().parent_path() / "version.py");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("__version__")) continue;
    const auto first = line.find_first_of("'\"");
    const auto last = line.find_last_of("'\"");
    if (first < last && last != std::string::npos) return line.substr(first + 1, last - first - 1);
  }
  return "unknown";
}

class Finder {
 public:
  explicit Finder(const plugin::VendorLibrary& library) : library_(library) {}
  template <class Function>
  void find(const char* name, Function& function) {
    auto found = library_.function<Function>(name);
    if (found)
      function = *found;
    else if (status_)
      status_ = failure_of(std::move(found));
  }
  Status status() { return std::move(status_); }

 private:
  const plugin::VendorLibrary& library_;
  Status status_;
};

}  // namespace

Result<TorchApi> TorchApi::open(const std::string& path) {
  auto library = plugin::VendorLibrary::open(path);
  if (!library) return failure_of(std::move(library));
  TorchApi api{};
  Finder finder(*library);
  finder.find("aoti_torch_create_tensor_from_blob", api.create_tensor_from_blob);
  finder.find("aoti_torch_new_tensor_handle", api.new_tensor_handle);
  finder.find("aoti_torch_delete_tensor_object", api.delete_tensor_object);
  finder.find("aoti_torch_get_data_ptr", api.get_data_ptr);
  finder.find("aoti_torch_get_dim", api.get_dim);
  finder.find("aoti_torch_get_sizes", api.get_sizes);
  finder.find("aoti_torch_get_strides", api.get_strides);
  finder.find("aoti_torch_get_dtype", api.get_dtype);
  finder.find("aoti_torch_is_contiguous", api.is_contiguous);
  finder.find("omp_get_max_threads", api.omp_get_max_threads);
  finder.find("omp_set_num_threads", api.omp_set_num_threads);
  if (Status found = finder.status(); !found) return failure_of(std::move(found));
  api.version = version_beside(path);
  return api;
}

std::optional<std::int32_t> to_torch(DType dtype) {
  const auto* found = std::ranges::find(numbers, dtype, &std::pair<DType, std::int32_t>::first);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<DType> from_torch(std::int32_t number) {
  const auto* found = std::ranges::find(numbers, number, &std::pair<DType, std::int32_t>::second);
  return found == numbers.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace dycl::aot_inductor
