// Text: UTF-8 made safe, quoting for a shell, names that are nearly right.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

// `text` with every byte sequence that is not valid UTF-8 replaced by U+FFFD,
// one per maximal ill-formed part (Unicode 15, section 3.9, "best practice").
std::string ValidUtf8(std::string_view text);
bool IsValidUtf8(std::string_view text);

// One line that is safe to print: invalid UTF-8 replaced; control characters
// (C0, DEL, C1) and line or bidirectional separators written as \n, \t, \x1b,
// \u202e.
std::string Printable(std::string_view text);

// How many terminal cells `text` takes: 0 for combining marks, 2 for wide East
// Asian characters and emoji, by wcwidth in a UTF-8 locale's manner.
std::size_t DisplayWidth(std::string_view text);

// `text` cut to at most `width` cells, the cut marked by a one-cell ellipsis.
std::string Ellipsize(std::string_view text, std::size_t width);

// `text` in lines of at most `width` cells, broken at blanks; a longer word has
// a line of its own. At least one line.
std::vector<std::string> Wrapped(std::string_view text, std::size_t width);

// `argument` as one word of a POSIX shell.
std::string ShellQuote(std::string_view argument);
std::string ShellQuote(std::span<const std::string> argv);

// The candidate nearest to `name` by edit distance, when near enough to be what
// was meant: at most a third of the longer one's length.
std::optional<std::string> Nearest(std::string_view name,
                                   std::span<const std::string> candidates);

std::vector<std::string> Split(std::string_view text, char separator);
// "a, b and c", where `last` is "and".
std::string JoinedAsList(std::span<const std::string> words,
                         std::string_view last);
std::string_view Trim(std::string_view text);

// Seconds of "90", "90s", "5m", "1h30m" or "1.5h"; nothing for any other text.
std::optional<double> ParseDuration(std::string_view text);

}  // namespace rangefinder
