// Text made safe for Markdown: a name that looks like markup stays a name.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

// `text` as one line of plain text in Markdown, tables included: invalid UTF-8
// replaced, control characters written out, markup characters escaped, and cut
// after `most` cells of a terminal.
std::string MarkdownText(std::string_view text, std::size_t most = 200);

// `text` in a code span, in which nothing but the backtick and, in a table, the
// bar has a meaning: those are replaced.
std::string MarkdownCode(std::string_view text);

// A command line, given as its words, as a code block. Long lists of metrics
// are left out, and of a long line the middle: the profiler stands at its
// beginning, the program at its end.
std::string CommandBlock(std::vector<std::string> command);

}  // namespace rangefinder
