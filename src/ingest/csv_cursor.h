// The records of a CSV text (RFC 4180), and the numbers in them.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace rangefinder {

// The number that is the whole of `text`. NVIDIA's tools group digits: 1,234.5.
template <typename Number>
std::optional<Number> NumberIn(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ',');
  return ParseNumber<Number>(digits);
}

// kCorrupt, with the number of a line in the text.
Error ErrorAtLine(std::size_t line, std::string_view message);

class CsvCursor {
 public:
  // `line`: the number of the first line of `text`.
  explicit CsvCursor(std::string_view text, std::size_t line = 1)
      : text_(text), line_(line) {}

  bool AtEnd() const { return at_ == text_.size(); }
  std::size_t line() const { return line_; }  // of the next record

  // The fields of the next record; one empty field for an empty line.
  Result<std::vector<std::string>> Next();

 private:
  Result<std::string> Field();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_;
};

}  // namespace rangefinder
