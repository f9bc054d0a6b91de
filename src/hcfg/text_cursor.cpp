// SPDX-License-Identifier: Apache-2.0
#include "hcfg/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/type_text.h"
#include "hcfg/text_names.h"

namespace dycl {
namespace {

std::size_t word_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_name_character) - text.begin());
}

}  // namespace

void TextCursor::skip_blanks() {
  constexpr std::string_view kBlanks = " \t\r\n";
  while (at_ < text_.size()) {
    if (kBlanks.find(text_[at_]) != std::string_view::npos)
      ++at_;
    else if (sees("//"))
      at_ = std::min(text_.find('\n', at_), text_.size());
    else
      return;
  }
}

std::string_view TextCursor::advance(std::size_t length) {
  const std::string_view piece = text_.substr(at_, length);
  at_ += piece.size();
  skip_blanks();
  return piece;
}

bool TextCursor::take(std::string_view expected) {
  if (!sees(expected)) return false;
  advance(expected.size());
  return true;
}

std::string_view TextCursor::peek_word() const {
  const std::string_view rest = text_.substr(at_);
  return rest.substr(0, word_length(rest));
}

bool TextCursor::take_keyword(std::string_view word) {
  if (peek_word() != word) return false;
  advance(word.size());
  return true;
}

Status TextCursor::expect(std::string_view expected) {
  if (take(expected)) return {};
  return unexpected(fmt::format("'{}'", expected));
}

Status TextCursor::expect_keyword(std::string_view word) {
  if (take_keyword(word)) return {};
  return unexpected(fmt::format("'{}'", word));
}

Result<std::string_view> TextCursor::word(std::string_view what) {
  const std::string_view found = peek_word();
  if (found.empty()) return unexpected(what);
  return advance(found.size());
}

Result<std::string> TextCursor::word_or_quoted(std::string_view what) {
  if (sees("\"")) return quoted_text();
  const std::string_view found = peek_word();
  if (!is_identifier(found)) return unexpected(what);
  return std::string(advance(found.size()));
}

Result<std::string_view> TextCursor::value_name() {
  const std::size_t length = sees("%") ? word_length(text_.substr(at_ + 1)) : 0;
  if (length == 0) return unexpected("a value like %x");
  return advance(length + 1).substr(1);
}

Status TextCursor::escape(std::string& text) {
  const std::string_view rest = text_.substr(at_);
  const char kind = rest.size() < 2 ? '\0' : rest[1];
  std::size_t length = 2;
  switch (kind) {
    case '"':
    case '\\': text += kind; break;
    case 'n': text += '\n'; break;
    case 't': text += '\t'; break;
    case 'x': {
      unsigned int byte = 0;
      const std::string_view digits = rest.substr(2, 2);
      const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16).ptr;
      if (digits.size() != 2 || end != digits.data() + 2) return error("a \\x escape needs two hex digits");
      text += static_cast<char>(byte);
      length = 4;
      break;
    }
    default: return error("unknown escape in quoted text");
  }
  at_ += length;
  return {};
}

Result<std::string> TextCursor::quoted_text() {
  const std::size_t begin = at_;
  if (!sees("\"")) return unexpected("quoted text");
  ++at_;
  std::string text;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
    if (text_[at_] != '\\') {
      text += text_[at_++];
    } else if (auto status = escape(text); !status) {
      return failure_of(std::move(status));
    }
  }
  if (!sees("\"")) return error_at(begin, "quoted text does not end on its line");
  advance(1);
  return text;
}

Result<std::int64_t> TextCursor::integer() {
  const std::string_view rest = text_.substr(at_);
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (problem == std::errc::result_out_of_range) return error("a number does not fit into 64 bits");
  if (problem != std::errc()) return unexpected("a number");
  advance(static_cast<std::size_t>(end - rest.data()));
  return number;
}

Result<std::string_view> TextCursor::number_text() {
  const std::string_view rest = text_.substr(at_);
  std::size_t length = 0;
  const auto is_part = [](char c) { return is_name_character(c) || c == '+' || c == '-'; };
  if (rest.starts_with("nan("))
    length = std::min(rest.find(')'), rest.size() - 1) + 1;
  else
    while (length < rest.size() && is_part(rest[length])) ++length;
  if (length == 0) return unexpected("a number");
  return advance(length);
}

Result<Type> TextCursor::type(const std::function<SymbolId(std::string_view)>& symbol_of) {
  std::string_view rest = text_.substr(at_);
  const std::size_t before = rest.size();
  auto parsed = parse_type_prefix(rest, symbol_of);
  if (!parsed) return error(parsed.error().message);
  advance(before - rest.size());
  return parsed;
}

Failure TextCursor::error_at(std::size_t position, std::string message) const {
  const std::string_view before = text_.substr(0, position);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  SourceSpan span;
  span.line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
  span.column = static_cast<std::uint32_t>(position - line_start + 1);
  return fail(Blame::Usage, "hcfg.parse",
              fmt::format("line {}, column {}: {}", span.line, span.column, message), span);
}

Failure TextCursor::unexpected(std::string_view expected) const {
  constexpr std::size_t kShown = 20;
  const std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
  const std::string found = at_end() ? "the end" : quoted(line.substr(0, kShown));
  return error(fmt::format("expected {}, found {}", expected, found));
}

}  // namespace dycl
