// Foreign text made harmless where it is put: Markdown, CSV.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

// `text` as one line of plain text in Markdown, tables included: invalid UTF-8
// replaced, control characters written out, markup characters escaped, and cut
// after `most` terminal cells.
std::string MarkdownText(std::string_view text, std::size_t most = 200);

// `text` in a code span, in which nothing but the backtick and, in a table, the
// bar has a meaning: those are replaced.
std::string MarkdownCode(std::string_view text);

// One RFC 4180 field: invalid UTF-8 replaced, control characters but ends of
// lines and tabs written out as Printable() does. Text that a spreadsheet would
// take for a formula (it begins with = + - @, a tab or a carriage return) is
// led in by an apostrophe.
std::string CsvText(std::string_view text);

// A command line, given as its words, as a code block. Long lists of metrics
// are left out, and of a long line the middle: the profiler stands at its
// beginning, the program at its end.
std::string CommandBlock(std::vector<std::string> command);

}  // namespace rangefinder
