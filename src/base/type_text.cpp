// SPDX-License-Identifier: Apache-2.0
#include "base/type_text.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <map>

namespace dycl {
namespace {

using SymbolOf = std::function<SymbolId(std::string_view)>;

constexpr int kMaxDepth = 32;          // of seq< and optional<
constexpr std::size_t kMaxRank = 256;  // far above any real tensor

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

Failure bad_type(std::string_view rest, std::string_view expected) {
  constexpr std::size_t kShown = 24;
  const std::string found =
      rest.empty() ? "the end"
                   : fmt::format("'{}{}'", rest.substr(0, kShown), rest.size() > kShown ? "…" : "");
  return fail(Blame::Usage, "type.parse", fmt::format("expected {} in a type, found {}", expected, found));
}

class TypeReader {
 public:
  TypeReader(std::string_view text, const SymbolOf& symbol_of) : rest_(text), symbol_of_(symbol_of) {}

  Result<Type> type(int depth);
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  bool take(char expected);
  std::string_view take_word(bool dotted);
  Result<std::uint64_t> magnitude();
  Result<Type> container(std::string_view word, int depth);
  Result<Type> tensor(DType dtype);
  Result<std::vector<Dim>> dims();
  Result<Dim> dim();
  Status term(bool negative, Dim& dim, std::map<SymbolId, std::int64_t>& factors);
  Result<Device> device();

  std::string_view rest_;
  const SymbolOf& symbol_of_;
};

bool TypeReader::take(char expected) {
  if (rest_.empty() || rest_.front() != expected) return false;
  rest_.remove_prefix(1);
  return true;
}

std::string_view TypeReader::take_word(bool dotted) {
  std::size_t length = 0;
  if (!rest_.empty() && is_letter(rest_[0]))
    while (length < rest_.size() &&
           (is_letter(rest_[length]) || is_digit(rest_[length]) || (dotted && rest_[length] == '.')))
      ++length;
  const std::string_view word = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return word;
}

Result<std::uint64_t> TypeReader::magnitude() {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
  if (error != std::errc()) return bad_type(rest_, "a number that fits into 64 bits");
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return number;
}

// sign * magnitude, if it fits; the smallest int64 has a magnitude of its own.
std::optional<std::int64_t> with_sign(bool negative, std::uint64_t magnitude) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude > kMax + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? -magnitude : magnitude);
}

Status TypeReader::term(bool negative, Dim& dim, std::map<SymbolId, std::int64_t>& factors) {
  const std::string_view before = rest_;
  std::uint64_t magnitude = 1;
  bool symbolic = true;
  if (!rest_.empty() && is_digit(rest_[0])) {
    auto number = this->magnitude();
    if (!number) return failure_of(std::move(number));
    magnitude = *number;
    symbolic = take('*');
  }
  const auto value = with_sign(negative, magnitude);
  if (!value) return bad_type(before, "a number that fits into 64 bits");
  std::int64_t* sum = &dim.constant;
  if (symbolic) {
    const std::string_view name = take_word(true);
    if (name.empty()) return bad_type(rest_, "a size or a symbol");
    sum = &factors[symbol_of_(name)];
  }
  if (__builtin_add_overflow(*sum, *value, sum)) return bad_type(before, "a size that fits into 64 bits");
  return {};
}

Result<Dim> TypeReader::dim() {
  Dim dim;
  std::map<SymbolId, std::int64_t> factors;
  bool negative = take('-');
  do {
    if (auto status = term(negative, dim, factors); !status) return failure_of(std::move(status));
    if (rest_.empty() || (rest_[0] != '+' && rest_[0] != '-')) break;
    negative = rest_[0] == '-';
    rest_.remove_prefix(1);
  } while (true);
  for (const auto& [symbol, factor] : factors)
    if (factor != 0) dim.terms.emplace_back(symbol, factor);
  return dim;
}

Result<std::vector<Dim>> TypeReader::dims() {
  std::vector<Dim> dims;
  if (take(']')) return dims;
  do {
    if (dims.size() == kMaxRank) return bad_type(rest_, fmt::format("at most {} sizes", kMaxRank));
    auto next = dim();
    if (!next) return failure_of(std::move(next));
    dims.push_back(*std::move(next));
  } while (take(','));
  if (!take(']')) return bad_type(rest_, "',' or ']'");
  return dims;
}

Result<Device> TypeReader::device() {
  const std::string_view before = rest_;
  const std::string_view word = take_word(false);
  if (word != "cpu" && word != "cuda") return bad_type(before, "'cpu' or 'cuda'");
  if (!take(':')) return bad_type(rest_, "':' and a device number");
  auto index = magnitude();
  if (!index) return failure_of(std::move(index));
  if (*index > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    return bad_type(before, "a device number that fits into 32 bits");
  return Device{word == "cpu" ? DeviceKind::Cpu : DeviceKind::Cuda, static_cast<std::int32_t>(*index)};
}

Result<Type> TypeReader::tensor(DType dtype) {
  TensorType type;
  type.dtype = dtype;
  if (take('*')) {
    if (!take(']')) return bad_type(rest_, "']'");
  } else {
    auto sizes = dims();
    if (!sizes) return failure_of(std::move(sizes));
    type.dims = *std::move(sizes);
  }
  if (take('@')) {
    auto place = device();
    if (!place) return failure_of(std::move(place));
    type.device = *place;
  }
  return Type(std::move(type));
}

Result<Type> TypeReader::container(std::string_view word, int depth) {
  if (depth == kMaxDepth) return bad_type(rest_, fmt::format("at most {} nested types", kMaxDepth));
  if (!take('<')) return bad_type(rest_, "'<'");
  auto element = type(depth + 1);
  if (!element) return element;
  if (!take('>')) return bad_type(rest_, "'>'");
  return word == "seq" ? seq_of(*std::move(element)) : optional_of(*std::move(element));
}

Result<Type> TypeReader::type(int depth) {
  const std::string_view before = rest_;
  const std::string_view word = take_word(false);
  if (word == "seq" || word == "optional") return container(word, depth);
  if (take('[')) {
    if (const auto dtype = dtype_from_name(word)) return tensor(*dtype);
    return bad_type(before, "an element type");
  }
  if (word == "bool") return Type(ScalarType{ScalarKind::Bool});
  if (word == "int") return Type(ScalarType{ScalarKind::I64});
  if (word == "float") return Type(ScalarType{ScalarKind::F64});
  if (word == "str") return Type(StringType{});
  return bad_type(before, "a type");
}

}  // namespace

Result<Type> parse_type_prefix(std::string_view& text, const SymbolOf& symbol_of) {
  TypeReader reader(text, symbol_of);
  auto type = reader.type(0);
  if (type) text = reader.rest();
  return type;
}

Result<Type> parse_type(std::string_view text, const SymbolOf& symbol_of) {
  auto type = parse_type_prefix(text, symbol_of);
  if (type && !text.empty()) return bad_type(text, "nothing more");
  return type;
}

}  // namespace dycl
