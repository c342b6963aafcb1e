// Text made safe for CSV.

#pragma once

#include <string>
#include <string_view>

namespace rangefinder {

// One RFC 4180 field: invalid UTF-8 replaced, control characters but ends of
// lines and tabs written out as Printable() does. Text that a spreadsheet would
// take for a formula (it begins with = + - @, a tab or a carriage return) is
// led in by an apostrophe.
std::string CsvText(std::string_view text);

}  // namespace rangefinder
