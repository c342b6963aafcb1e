#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/characters.h"
#include "base/lists.h"

namespace rangefinder {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct CodeRange {
  char32_t first;
  char32_t last;
};

bool In(char32_t code, std::span<const CodeRange> ranges) {
  return std::ranges::any_of(ranges, [&](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

// East Asian Width W and F of Unicode 15, for the characters that occur in
// names.
constexpr std::array kWide = std::to_array<CodeRange>(
    {{0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23F3},
     {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},
     {0x26A1, 0x26A1},   {0x2705, 0x2705},   {0x2728, 0x2728},
     {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2795, 0x2797},
     {0x2B1B, 0x2B1C},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
     {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
     {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
     {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
     {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
     {0x20000, 0x3FFFD}});
constexpr std::array kZero = std::to_array<CodeRange>({{0x0300, 0x036F},
                                                       {0x0483, 0x0489},
                                                       {0x0591, 0x05BD},
                                                       {0x0610, 0x061A},
                                                       {0x064B, 0x065F},
                                                       {0x0900, 0x0902},
                                                       {0x0E34, 0x0E3A},
                                                       {0x1AB0, 0x1AFF},
                                                       {0x1DC0, 0x1DFF},
                                                       {0x200B, 0x200F},
                                                       {0x20D0, 0x20FF},
                                                       {0xFE00, 0xFE0F},
                                                       {0xFE20, 0xFE2F},
                                                       {0xFEFF, 0xFEFF},
                                                       {0xE0100, 0xE01EF}});

std::size_t Width(char32_t code) {
  if (In(code, kZero)) return 0;
  return In(code, kWide) ? 2 : 1;
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  if (IsPlainAscii(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const FirstCharacter d = FirstCharacterOf(text);
    out += d.ok ? text.substr(0, d.length) : kReplacement;
    text.remove_prefix(d.length);
  }
  return out;
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    if (static_cast<unsigned char>(text[0]) < 0x80) {
      text.remove_prefix(1);
      continue;
    }
    const FirstCharacter d = FirstCharacterOf(text);
    if (!d.ok) return false;
    text.remove_prefix(d.length);
  }
  return true;
}

std::string Printable(std::string_view text) {
  return PrintableIn(TextPlace::kLine, text);
}

std::string MarkupText(std::string_view text) {
  constexpr std::pair<char, std::string_view> kEntities[] = {{'&', "&amp;"},
                                                             {'<', "&lt;"},
                                                             {'>', "&gt;"},
                                                             {'"', "&quot;"},
                                                             {'\'', "&apos;"}};
  std::string out;
  for (const char c : Printable(text)) {
    const auto* const entity = std::ranges::find(
        kEntities, c, &std::pair<char, std::string_view>::first);
    if (entity == std::end(kEntities))
      out += c;
    else
      out += entity->second;
  }
  return out;
}

std::size_t DisplayWidth(std::string_view text) {
  if (IsPlainAscii(text)) return text.size();
  std::size_t width = 0;
  while (!text.empty()) {
    const FirstCharacter d = FirstCharacterOf(text);
    width += d.ok ? Width(d.code) : 1;
    text.remove_prefix(d.length);
  }
  return width;
}

std::string Ellipsize(std::string_view text, std::size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const FirstCharacter d = FirstCharacterOf(text);
    const std::size_t cells = d.ok ? Width(d.code) : 1;
    if (used + cells > width - 1) break;
    used += cells;
    out += text.substr(0, d.length);
    text.remove_prefix(d.length);
  }
  return out + "…";
}

std::string PadRight(std::string text, std::size_t width) {
  const std::size_t used = DisplayWidth(text);
  if (used < width) text.append(width - used, ' ');
  return text;
}

std::string PadLeft(std::string text, std::size_t width) {
  const std::size_t used = DisplayWidth(text);
  if (used < width) text.insert(0, width - used, ' ');
  return text;
}

namespace {

// "(30", "+1,024" or "0.5".
bool IsNumber(std::string_view word) {
  return !word.empty() && IsAsciiDigit(word.back()) &&
         word.find_first_not_of("(+-±~0123456789.,") == word.npos;
}

// "%", "ms;" or "GB/s)".
bool IsUnit(std::string_view word) {
  constexpr std::string_view kUnits[] = {"%",   "ns",  "µs",  "ms",   "s",
                                         "B",   "kB",  "MB",  "GB",   "TB",
                                         "KiB", "MiB", "GiB", "GB/s", "TB/s"};
  word = word.substr(0, word.find_last_not_of(").,;:") + 1);
  return Has(kUnits, word);
}

}  // namespace

std::vector<std::string> Wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> words;
  for (std::string& word : Split(text, ' ')) {
    if (!words.empty() && IsNumber(words.back()) && IsUnit(word))
      words.back() += " " + word;
    else
      words.push_back(std::move(word));
  }
  std::vector<std::string> lines(1);
  for (const std::string& word : words) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (DisplayWidth(line) + 1 + DisplayWidth(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string Backslashed(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ShellQuote(std::string_view argument) {
  const auto plain = [](char c) {
    return IsAsciiLetter(c) || IsAsciiDigit(c) ||
           std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
  };
  if (!argument.empty() && std::ranges::all_of(argument, plain))
    return std::string(argument);
  std::string out = "'";
  for (const char c : argument) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

std::string ShellQuote(std::span<const std::string> argv) {
  std::string out;
  for (const std::string& argument : argv) {
    if (!out.empty()) out += ' ';
    out += ShellQuote(std::string_view(argument));
  }
  return out;
}

std::optional<std::string> Nearest(std::string_view name,
                                   std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  std::vector<std::size_t> row;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    row.resize(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substitute =
            diagonal + (name[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
      }
    }
    const std::size_t distance = row.back();
    if (distance * 3 > longer) continue;
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view name,
                       std::span<const std::string> candidates,
                       std::size_t most) {
  std::vector<std::string> left(candidates.begin(), candidates.end());
  std::vector<std::string> near;
  while (near.size() < most) {
    const auto next = Nearest(name, left);
    if (!next) break;
    std::erase(left, *next);
    near.push_back("'" + Printable(*next) + "'");
  }
  if (near.empty()) return {};
  return "; did you mean " + JoinedAsList(near, "or") + "?";
}

std::string AsciiLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string JoinedAsList(std::span<const std::string> words,
                         std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : fmt::format(" {} ", last);
    text += words[i];
  }
  return text;
}

std::string FirstListed(std::span<const std::string> words, std::size_t most) {
  const auto first = words.first(std::min(words.size(), most));
  std::string text = fmt::format("{}", fmt::join(first, ", "));
  if (words.size() > most)
    text += fmt::format(" and {} more", words.size() - most);
  return text;
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, bad] = std::from_chars(text.data(), end, number);
  if (bad != std::errc() || stop != end) return std::nullopt;
  return number;
}
template std::optional<int> ParseNumber<int>(std::string_view);
template std::optional<long> ParseNumber<long>(std::string_view);
template std::optional<unsigned> ParseNumber<unsigned>(std::string_view);
template std::optional<std::uint16_t> ParseNumber<std::uint16_t>(
    std::string_view);
template std::optional<std::size_t> ParseNumber<std::size_t>(std::string_view);
template std::optional<double> ParseNumber<double>(std::string_view);

std::optional<double> ParseDuration(std::string_view text) {
  double seconds = 0;
  double last_unit = 0;  // units only get smaller
  while (!text.empty()) {
    if (!IsAsciiDigit(text[0])) return std::nullopt;
    double number = 0;
    const auto [end, bad] =
        std::from_chars(text.data(), text.data() + text.size(), number,
                        std::chars_format::fixed);
    if (bad != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    double unit = 1;
    if (text.empty()) {
      if (last_unit != 0) return std::nullopt;  // "1h30"
    } else {
      unit = text[0] == 'h' ? 3600 : text[0] == 'm' ? 60 : 1;
      if (unit == 1 && text[0] != 's') return std::nullopt;
      text.remove_prefix(1);
    }
    if (last_unit != 0 && unit >= last_unit) return std::nullopt;
    last_unit = unit;
    seconds += number * unit;
  }
  if (last_unit == 0) return std::nullopt;
  return seconds;
}

std::string UtcText(std::time_t time, const char* format) {
  std::tm utc{};
  if (::gmtime_r(&time, &utc) == nullptr) return {};
  const int year = utc.tm_year + 1900;
  if (year < 0 || year > 9999) return {};
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), format, &utc);
  return text.data();
}

}  // namespace rangefinder
