#include "report/markup.h"

#include "base/text.h"

namespace rangefinder {

std::string MarkdownText(std::string_view text, std::size_t most) {
  // A name of megabytes is cut before it is looked at cell by cell.
  const std::string line = Ellipsize(Printable(text.substr(0, 8 * most)), most);
  std::string out;
  out.reserve(line.size() + 16);
  for (const char c : line) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      constexpr std::string_view kMarkup = "\\`*_{}[]#|~!@";
      if (kMarkup.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  // An empty cell would look like a missing one.
  return out.empty() ? "(empty name)" : out;
}

std::string CsvText(std::string_view text) {
  std::string value = ValidUtf8(text);
  constexpr std::string_view kFormula = "=+-@\t\r";
  if (!value.empty() && kFormula.find(value[0]) != std::string_view::npos)
    value.insert(0, "'");
  if (value.find_first_of(",\"\r\n") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    quoted += c;
    if (c == '"') quoted += '"';
  }
  return quoted + "\"";
}

}  // namespace rangefinder
