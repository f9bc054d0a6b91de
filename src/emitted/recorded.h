// SPDX-License-Identifier: Apache-2.0
// Runs an emitted program on recorded inputs and compares what it returns with what was recorded.
//
// The file has, in the numbers of the machine (little-endian): how many runs; of each, its inputs; 0 and the
// results with their names, or 1 and the type and message of the model's exception. A value is an i32: 0 is
// None, -1 a list (u64 items), else an element type, followed by the rank, the sizes, the bytes and the data.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace dycl::emitted {

// A recorded value, whose parts stay where they are.
template <class View>
struct RecordedValue {
  std::int32_t dtype = 0;
  std::vector<std::int64_t> dims;
  std::vector<char> data;
  std::deque<RecordedValue> items;
  std::vector<View> views;

  View view() {
    views.clear();
    for (RecordedValue& item : items) views.push_back(item.view());
    return {"",           dtype,       static_cast<std::int32_t>(dims.size()),
            dims.data(),  data.data(), data.size(),
            views.data(), views.size()};
  }
};

template <class View>
class RecordedFile {
 public:
  explicit RecordedFile(const char* path) : file_(std::fopen(path, "rb")) {}
  ~RecordedFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  RecordedFile(const RecordedFile&) = delete;
  RecordedFile& operator=(const RecordedFile&) = delete;

  bool is_open() const { return file_ != nullptr; }

  template <class T>
  T number() {
    T value{};
    if (std::fread(&value, sizeof value, 1, file_) != 1) is_good_ = false;
    return value;
  }

  std::string text() {
    std::string value(is_good_ ? number<std::uint64_t>() : 0, ' ');
    if (!value.empty() && std::fread(value.data(), value.size(), 1, file_) != 1) is_good_ = false;
    return value;
  }

  RecordedValue<View> value() {
    RecordedValue<View> result;
    result.dtype = number<std::int32_t>();
    if (result.dtype == 0 || !is_good_) return result;
    if (result.dtype == -1) {
      for (auto count = number<std::uint64_t>(); count > 0 && is_good_; --count)
        result.items.push_back(value());
      return result;
    }
    for (auto rank = number<std::int32_t>(); rank > 0 && is_good_; --rank)
      result.dims.push_back(number<std::int64_t>());
    result.data.resize(is_good_ ? number<std::uint64_t>() : 0);
    if (!result.data.empty() && std::fread(result.data.data(), result.data.size(), 1, file_) != 1)
      is_good_ = false;
    result.data.reserve(1);  // an address, also without elements
    return result;
  }

  bool is_good() const { return is_good_; }

 private:
  std::FILE* file_;
  bool is_good_ = true;
};

template <class T>
bool near(const void* one, const void* other, std::size_t bytes) {
  for (std::size_t offset = 0; offset < bytes; offset += sizeof(T)) {
    T left{};
    T right{};
    std::memcpy(&left, static_cast<const char*>(one) + offset, sizeof left);
    std::memcpy(&right, static_cast<const char*>(other) + offset, sizeof right);
    const T room = static_cast<T>(1e-4) * (1 + std::fabs(right));
    const bool both_nan = std::isnan(left) && std::isnan(right);
    if (!(std::fabs(left - right) <= room) && left != right && !both_nan) return false;
  }
  return true;
}

// Floats may differ a little, as another processor may add them in another order.
template <class View>
bool is_same(const View& given, const RecordedValue<View>& wanted) {
  if (wanted.dtype == -1 && given.dtype > 0) {  // a list of numbers is a tensor of one dim
    if (given.rank != 1 || given.dims[0] != static_cast<std::int64_t>(wanted.items.size())) return false;
    const std::size_t width = wanted.items.empty() ? 0 : given.byte_size / wanted.items.size();
    for (std::size_t index = 0; index < wanted.items.size(); ++index) {
      const View item{"",    given.dtype, 0, nullptr, static_cast<const char*>(given.data) + index * width,
                      width, nullptr,     0};
      if (!is_same(item, wanted.items[index])) return false;
    }
    return true;
  }
  if (given.dtype != wanted.dtype) return false;
  if (wanted.dtype == 0) return true;
  if (wanted.dtype == -1) {
    bool same = given.item_count == wanted.items.size();
    for (std::size_t index = 0; same && index < given.item_count; ++index)
      same = is_same(given.items[index], wanted.items[index]);
    return same;
  }
  if (given.rank != static_cast<std::int32_t>(wanted.dims.size()) || given.byte_size != wanted.data.size())
    return false;
  for (std::size_t axis = 0; axis < wanted.dims.size(); ++axis)
    if (given.dims[axis] != wanted.dims[axis]) return false;
  if (wanted.dtype == 1) return near<float>(given.data, wanted.data.data(), wanted.data.size());
  if (wanted.dtype == 11) return near<double>(given.data, wanted.data.data(), wanted.data.size());
  return wanted.data.empty() || std::memcmp(given.data, wanted.data.data(), wanted.data.size()) == 0;
}

// `Net` has the emitted functions: run (0 if it succeeds), list, exception and message. Returns how many runs
// differ, and says which.
template <class Net, class View>
int count_differences(Net& net, RecordedFile<View>& file) {
  int different = 0;
  const auto runs = file.template number<std::uint64_t>();
  for (std::uint64_t run = 0; run < runs && file.is_good(); ++run) {
    std::deque<RecordedValue<View>> inputs;
    for (auto count = file.template number<std::uint64_t>(); count > 0 && file.is_good(); --count)
      inputs.push_back(file.value());
    std::vector<View> views;
    for (RecordedValue<View>& input : inputs) views.push_back(input.view());
    const bool returned = net.run(views) == 0;
    bool same = returned == (file.template number<std::int32_t>() == 0);
    if (!same) {
      std::printf("run %d: %s\n", static_cast<int>(run),
                  returned ? "it did not raise" : net.message().c_str());
      return different + 1;  // what follows in the file is of the other kind
    }
    if (!returned) {
      const std::string exception = file.text();
      same = file.text() == net.message() && exception == net.exception();
    } else {
      const std::vector<View> results = net.list();
      const auto count = file.template number<std::uint64_t>();
      same = count == results.size();
      for (std::uint64_t index = 0; index < count && file.is_good(); ++index) {
        const std::string name = file.text();
        const RecordedValue<View> wanted = file.value();
        same = same && name == results[index].name && is_same(results[index], wanted);
      }
    }
    if (!same) std::printf("run %d differs\n", static_cast<int>(run));
    different += same ? 0 : 1;
  }
  if (!file.is_good()) std::printf("the recorded file is damaged\n");
  if (different == 0 && file.is_good()) std::printf("%d runs are equal\n", static_cast<int>(runs));
  return different + (file.is_good() ? 0 : 1);
}

}  // namespace dycl::emitted
