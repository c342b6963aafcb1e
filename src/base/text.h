// Text: safe UTF-8, its width on a terminal, words for a shell, and similar
// names.

#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

// `text` with every byte sequence that is not valid UTF-8 replaced by U+FFFD,
// once for each maximal ill-formed part (Unicode 15, section 3.9, "best
// practice").
std::string ValidUtf8(std::string_view text);
bool IsValidUtf8(std::string_view text);

// ValidUtf8() in one line that is safe to print: controls and characters that
// change how the text around them looks are written as \n, \x1b, \u202e.
std::string Printable(std::string_view text);
// Printable() as text of XML 1.0 and HTML, also for the values of attributes.
std::string MarkupText(std::string_view text);

// The terminal cells that `text` takes: 0 for a combining mark, 2 for a wide
// East Asian character or an emoji, as wcwidth in a UTF-8 locale.
std::size_t DisplayWidth(std::string_view text);
// `text` cut to at most `width` cells; an ellipsis of one cell marks the cut.
std::string Ellipsize(std::string_view text, std::size_t width);
// Text in a field of `width` cells, at its left or right; wider text stays.
std::string PadRight(std::string text, std::size_t width);
std::string PadLeft(std::string text, std::size_t width);
// `text` in lines of at most `width` cells, broken at blanks, but not between a
// number and its unit; a longer word has a line of its own. At least one line.
std::vector<std::string> Wrapped(std::string_view text, std::size_t width);

// `text` with a backslash before each character of `special`.
std::string Backslashed(std::string_view text, std::string_view special);

// `argument` as one word of a POSIX shell; `argv` as a command line.
std::string ShellQuote(std::string_view argument);
std::string ShellQuote(std::span<const std::string> argv);

// The candidate with the smallest edit distance from `name`; nothing if that
// distance is more than a third of the longer name.
std::optional<std::string> Nearest(std::string_view name,
                                   std::span<const std::string> candidates);
// "; did you mean 'x'?" with the nearest candidates, at most `most`; empty if
// none is similar.
std::string DidYouMean(std::string_view name,
                       std::span<const std::string> candidates,
                       std::size_t most = 1);

constexpr bool IsAsciiDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool IsAsciiLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
// Whether `c` may be part of an identifier. Bytes of other alphabets count as
// letters.
constexpr bool IsWordByte(char c) {
  return IsAsciiDigit(c) || IsAsciiLetter(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
// `text` with A to Z as lower-case letters.
std::string AsciiLower(std::string_view text);
std::string_view Trim(std::string_view text);
std::vector<std::string> Split(std::string_view text, char separator);
// "a, b and c", where `last` is "and".
std::string JoinedAsList(std::span<const std::string> words,
                         std::string_view last);
// "a, b and 7 more": the first `most` words, and the number of the others.
std::string FirstListed(std::span<const std::string> words, std::size_t most);

// The number that is the whole of `text`, as std::from_chars reads it. text.cc
// has the types.
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text);

// Seconds of "90", "90s", "5m", "1h30m" or "1.5h"; nothing for any other text.
std::optional<double> ParseDuration(std::string_view text);

// A time in UTC, in a format of strftime() whose text has at most 60
// characters; empty outside of the years 0 to 9999.
std::string UtcText(std::time_t time, const char* format);

}  // namespace rangefinder
