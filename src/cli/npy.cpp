// SPDX-License-Identifier: Apache-2.0
#include "cli/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include "base/packed_elements.h"
#include "cli/npy_header.h"
#include "cli/npy_strings.h"

namespace dycl::cli {
namespace {

struct ElementForm {
  DType dtype = DType::F32;
  std::size_t size = 0;       // bytes of one element in the file
  std::size_t swap_unit = 1;  // bytes to reverse when the file is big-endian
  char kind = 'f';
};

struct NamedForm {
  std::string_view name;
  DType dtype;
  std::size_t size;
  std::size_t swap_unit;
};

constexpr std::array kNumpyForms{NamedForm{"b1", DType::Bool, 1, 1}, NamedForm{"i1", DType::I8, 1, 1},
                                 NamedForm{"u1", DType::U8, 1, 1},   NamedForm{"i2", DType::I16, 2, 2},
                                 NamedForm{"u2", DType::U16, 2, 2},  NamedForm{"i4", DType::I32, 4, 4},
                                 NamedForm{"u4", DType::U32, 4, 4},  NamedForm{"i8", DType::I64, 8, 8},
                                 NamedForm{"u8", DType::U64, 8, 8},  NamedForm{"f2", DType::F16, 2, 2},
                                 NamedForm{"f4", DType::F32, 4, 4},  NamedForm{"f8", DType::F64, 8, 8},
                                 NamedForm{"c8", DType::C64, 8, 4},  NamedForm{"c16", DType::C128, 16, 8}};

Failure refused(std::string message, std::string hint = {}) {
  return fail(Blame::Usage, "npy.unsupported", std::move(message), {}, std::move(hint));
}

bool stored_raw(DType dtype) {
  return dtype != DType::String &&
         std::ranges::none_of(kNumpyForms, [&](const NamedForm& form) { return form.dtype == dtype; });
}

std::size_t raw_size(DType dtype) { return bit_width(dtype) <= 8 ? 1 : bit_width(dtype) / 8; }

Result<ElementForm> raw_form(std::size_t size, std::optional<DType> raw_as) {
  if (!raw_as || !stored_raw(*raw_as))
    return refused(fmt::format("the array holds raw {}-byte elements and nothing says what they mean", size));
  if (raw_size(*raw_as) != size)
    return refused(
        fmt::format("the array holds raw {}-byte elements, {} was expected", size, name_of(*raw_as)));
  return ElementForm{*raw_as, size, 1, 'V'};
}

Result<ElementForm> element_form(std::string_view descr, std::optional<DType> raw_as) {
  const auto unknown = [&] { return refused(fmt::format("the element type '{}' is not supported", descr)); };
  if (descr.size() < 2 || std::string_view("<>|=").find(descr.front()) == std::string_view::npos)
    return unknown();
  const std::string_view name = descr.substr(1);
  if (name.front() == 'O')
    return refused("the array holds pickled Python objects, which are never loaded",
                   "save strings with dtype=str, numbers with a numeric dtype");
  for (const NamedForm& form : kNumpyForms)
    if (name == form.name) return ElementForm{form.dtype, form.size, form.swap_unit, name.front()};
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), length);
  if (error != std::errc{} || end != name.data() + name.size() || length > (1u << 28)) return unknown();
  if (name.front() == 'V') return raw_form(length, raw_as);
  if (name.front() == 'U') return ElementForm{DType::String, length * 4, 4, 'U'};
  if (name.front() == 'S') return ElementForm{DType::String, length, 1, 'S'};
  return unknown();
}

void swap_bytes(std::span<std::byte> data, std::size_t unit) {
  for (std::size_t begin = 0; begin + unit <= data.size(); begin += unit)
    std::ranges::reverse(data.subspan(begin, unit));
}

// Column-major to row-major: walks the output in order, keeping the source offset by an odometer.
std::vector<std::byte> to_row_major(std::span<const std::byte> data, const std::vector<std::int64_t>& dims,
                                    std::size_t element) {
  std::vector<std::size_t> stride(dims.size());
  std::size_t step = element;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    stride[axis] = step;
    step *= static_cast<std::size_t>(dims[axis]);
  }
  std::vector<std::byte> result(data.size());
  std::vector<std::int64_t> index(dims.size(), 0);
  std::size_t source = 0;
  for (std::size_t target = 0; target < result.size(); target += element) {
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(source), element,
                result.begin() + static_cast<std::ptrdiff_t>(target));
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      source += stride[axis];
      if (++index[axis] < dims[axis]) break;
      source -= stride[axis] * static_cast<std::size_t>(dims[axis]);
      index[axis] = 0;
    }
  }
  return result;
}

Result<TensorData> assemble(const ElementForm& form, std::vector<std::int64_t> dims,
                            std::vector<std::byte> data) {
  if (form.dtype == DType::String)
    return strings_from_npy(std::move(dims), data, form.size, form.kind == 'U');
  if (form.dtype == DType::Bool &&
      std::ranges::any_of(data, [](std::byte value) { return value > std::byte{1}; }))
    return refused("a bool in the array is neither 0 nor 1");
  if (const std::size_t bits = bit_width(form.dtype); bits < 8) data = pack_elements(data, bits);
  return make_tensor(form.dtype, std::move(dims), std::move(data));
}

std::string descr_of(DType dtype) {
  for (const NamedForm& form : kNumpyForms)
    if (form.dtype == dtype) return fmt::format("{}{}", form.size == 1 ? '|' : '<', form.name);
  return fmt::format("|V{}", raw_size(dtype));
}

struct Layout {
  NpyHeader header;
  ElementForm form;
  std::size_t data_size = 0;
};

Result<Layout> read_layout(std::span<const std::byte> start, std::optional<DType> raw_as) {
  auto header = read_npy_header(start);
  if (!header) return failure_of(std::move(header));
  auto form = element_form(header->descr, raw_as);
  if (!form) return failure_of(std::move(form));
  const auto count = element_count(header->shape);
  std::size_t size = 0;
  std::size_t end = 0;
  if (!count || __builtin_mul_overflow(static_cast<std::size_t>(*count), form->size, &size) ||
      __builtin_add_overflow(size, header->data_offset, &end))
    return refused("the array's shape is beyond what memory can hold");
  if (form->size == 0 && *count > (1 << 24)) return refused("the array has absurdly many empty strings");
  return Layout{std::move(*header), *form, size};
}

}  // namespace

Result<NpyFacts> read_npy_facts(std::span<const std::byte> start, std::optional<DType> raw_as) {
  auto layout = read_layout(start, raw_as);
  if (!layout) return failure_of(std::move(layout));
  return NpyFacts{layout->form.dtype, std::move(layout->header.shape),
                  layout->header.data_offset + layout->data_size};
}

Result<TensorData> read_npy(std::span<const std::byte> bytes, std::optional<DType> raw_as) {
  auto layout = read_layout(bytes, raw_as);
  if (!layout) return failure_of(std::move(layout));
  NpyHeader& header = layout->header;
  const auto body = bytes.subspan(header.data_offset);
  if (body.size() != layout->data_size)
    return fail(Blame::Usage, "npy.damaged",
                fmt::format("not a valid .npy array: {} bytes of data expected, {} found", layout->data_size,
                            body.size()));
  std::vector<std::byte> data(body.begin(), body.end());
  if (header.descr.front() == '>') swap_bytes(data, layout->form.swap_unit);
  if (header.fortran_order && header.shape.size() > 1)
    data = to_row_major(data, header.shape, layout->form.size);
  return assemble(layout->form, std::move(header.shape), std::move(data));
}

Result<TensorData> read_npy_file(const std::filesystem::path& path, std::optional<DType> raw_as) {
  auto text = read_file(path);
  if (!text) return failure_of(std::move(text));
  auto tensor = read_npy(std::as_bytes(std::span(*text)), raw_as);
  if (!tensor) tensor.error().message = fmt::format("{}: {}", path.string(), tensor.error().message);
  return tensor;
}

Result<std::string> write_npy(const TensorData& tensor) {
  if (tensor.dtype == DType::String) return strings_to_npy(tensor);
  std::string text = write_npy_header(descr_of(tensor.dtype), tensor.dims);
  std::vector<std::byte> wide;
  std::span<const std::byte> elements = tensor.bytes;
  if (bit_width(tensor.dtype) < 8) {
    wide = unpack_elements(tensor.bytes, tensor.dtype, static_cast<std::size_t>(tensor.count()));
    elements = wide;
  }
  return text.append(reinterpret_cast<const char*>(elements.data()), elements.size());
}

Result<std::string> read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return fail(Blame::Usage, "file.missing", fmt::format("there is no file {}", path.string()));
  if (std::filesystem::is_directory(path, error))
    return fail(Blame::Usage, "file.unreadable", fmt::format("{} is a folder", path.string()));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream contents;
  contents << file.rdbuf();
  if (!file || contents.fail()) {
    if (file.is_open() && std::filesystem::file_size(path, error) == 0) return std::string();
    return fail(Blame::Usage, "file.unreadable", fmt::format("{} cannot be read", path.string()));
  }
  return std::move(contents).str();
}

}  // namespace dycl::cli
