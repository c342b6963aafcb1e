#include "writers/csv/csv_text.h"

#include "base/characters.h"
#include "base/text.h"

namespace rangefinder {

std::string CsvText(std::string_view text) {
  std::string value = PrintableIn(TextPlace::kCsv, text);
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
