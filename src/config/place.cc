#include "config/place.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

std::string_view FirstCharacters(std::string_view text, std::size_t count) {
  return text.substr(0, text.size() - AfterCharacters(text, count).size());
}

}  // namespace

bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

std::size_t CharacterLength(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && IsContinuation(text[length])) ++length;
  return length;
}

std::string_view AfterCharacters(std::string_view text, std::size_t count) {
  for (; !text.empty() && count > 0; --count)
    text.remove_prefix(CharacterLength(text));
  return text;
}

Place PlaceAt(const std::shared_ptr<const Source>& source,
              std::string_view before) {
  Place place{.source = source, .line = 1, .column = 1};
  for (const char c : before) {
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else if (!IsContinuation(c)) {
      ++place.column;
    }
  }
  return place;
}

bool IsTyped(const Place& place) {
  return place.source && place.source->name == "command line";
}

std::string Describe(const Place& place) {
  if (!place.source) return "(unknown)";
  if (place.line == 0) return place.source->name;
  return fmt::format("{}:{}:{}", place.source->name, place.line, place.column);
}

std::string Excerpt(const Place& place, std::size_t width) {
  if (!place.source || place.line == 0) return {};
  std::string_view line = place.source->text;
  for (std::uint32_t n = 1; n < place.line; ++n) {
    const std::size_t end = line.find_first_of("\n\r");
    if (end == std::string_view::npos) {
      line = {};
      break;
    }
    const bool crlf = line[end] == '\r' && line.substr(end + 1, 1) == "\n";
    line.remove_prefix(end + (crlf ? 2 : 1));
  }
  line = line.substr(0, line.find_first_of("\n\r"));
  constexpr std::size_t kLongest = 200;
  std::size_t column = place.column == 0 ? 0 : place.column - 1;
  std::string_view ellipsis;
  if (column > kLongest) {  // keep the caret on the screen
    line = AfterCharacters(line, column - kLongest / 2);
    column = kLongest / 2 + 3;
    ellipsis = "...";
  }
  std::string shown =
      std::string(ellipsis) + std::string(FirstCharacters(line, kLongest));
  const std::string before = Printable(FirstCharacters(shown, column));
  shown = Printable(shown);
  const std::string number = std::to_string(place.line);
  return fmt::format("  {} | {}\n  {:{}} | {:{}}{:^>{}}", number, shown, "",
                     number.size(), "", DisplayWidth(before), "^",
                     std::max<std::size_t>(width, 1));
}

Error ErrorAt(const Place& place, std::string_view message, std::size_t width) {
  std::string excerpt = Excerpt(place, width);
  if (!excerpt.empty()) excerpt.insert(0, "\n");
  return UsageError("{}: {}{}", Describe(place), message, excerpt);
}

Error ErrorAbove(const Place& place, std::string message) {
  if (place.line > 0)
    message += fmt::format("\n  at {}\n{}", Describe(place), Excerpt(place));
  return Error(ErrorCode::kUsage, std::move(message));
}

std::string DidYouMeanLine(std::string_view name,
                           std::span<const std::string> candidates) {
  const auto near = Nearest(name, candidates);
  return near ? fmt::format("\nDid you mean '{}'?", *near) : "";
}

}  // namespace rangefinder
