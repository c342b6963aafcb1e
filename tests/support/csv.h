// Reads comma-separated values by RFC 4180.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rangefinder::testing {

inline std::vector<std::vector<std::string>> ParseCsv(std::string_view text) {
  std::vector<std::vector<std::string>> rows(1);
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      field += c;
    } else if (c == ',') {
      rows.back().push_back(std::exchange(field, {}));
    } else if (c == '\n') {
      rows.back().push_back(std::exchange(field, {}));
      rows.emplace_back();
    } else if (c != '\r') {
      field += c;
    }
  }
  rows.pop_back();
  return rows;
}

}  // namespace rangefinder::testing
