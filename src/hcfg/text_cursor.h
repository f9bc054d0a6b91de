// SPDX-License-Identifier: Apache-2.0
// Reads the graph's text piece by piece. Blanks, line ends and // comments between pieces are skipped.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/type.h"

namespace dycl {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) { skip_blanks(); }

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] bool sees(std::string_view expected) const { return text_.substr(at_).starts_with(expected); }
  [[nodiscard]] std::size_t position() const { return at_; }

  bool take(std::string_view expected);      // punctuation; false leaves the cursor
  bool take_keyword(std::string_view word);  // a whole word
  [[nodiscard]] std::string_view peek_word() const;
  Status expect(std::string_view expected);
  Status expect_keyword(std::string_view word);

  Result<std::string_view> word(std::string_view what);  // letters, digits, '_' and '.'
  Result<std::string> quoted_text();
  Result<std::string> word_or_quoted(std::string_view what);  // an identifier, or any text in quotes
  Result<std::string_view> value_name();                      // %name, without the %
  Result<std::int64_t> integer();
  Result<std::string_view> number_text();  // digits, sign, point, exponent, nan(0x…), inf
  Result<Type> type(const std::function<SymbolId(std::string_view)>& symbol_of);

  [[nodiscard]] Failure error(std::string message) const { return error_at(at_, std::move(message)); }
  [[nodiscard]] Failure error_at(std::size_t position, std::string message) const;
  [[nodiscard]] Failure unexpected(std::string_view expected) const;

 private:
  void skip_blanks();
  std::string_view advance(std::size_t length);
  Status escape(std::string& text);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace dycl
