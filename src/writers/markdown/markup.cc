#include "writers/markdown/markup.h"

#include <algorithm>

#include "base/text.h"

namespace rangefinder {
namespace {

bool IsWord(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string MarkdownText(std::string_view text, std::size_t most) {
  // A name of megabytes is cut before it is looked at cell by cell.
  const std::string line = Ellipsize(Printable(text.substr(0, 8 * most)), most);
  std::string out;
  out.reserve(line.size() + 16);
  // Within a word these mean nothing, so that decode_2 and LLM@decode stay as
  // they are.
  const auto in_a_word = [&](std::size_t i) {
    return i > 0 && i + 1 < line.size() && IsWord(line[i - 1]) &&
           IsWord(line[i + 1]);
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      constexpr std::string_view kMarkup = "\\`*{}[]|~!";
      constexpr std::string_view kOutsideWords = "_@#";
      if (kMarkup.find(c) != std::string_view::npos ||
          (kOutsideWords.find(c) != std::string_view::npos && !in_a_word(i)))
        out += '\\';
      out += c;
    }
  }
  // An empty cell would look like a missing one.
  return out.empty() ? "(empty name)" : out;
}

std::string MarkdownCode(std::string_view text) {
  std::string code = Printable(text);
  std::ranges::replace(code, '`', '\'');
  std::ranges::replace(code, '|', '/');
  for (std::size_t at = 0; (at = code.find('<', at)) != code.npos;)
    code.replace(at, 1, "‹");  // some renderers look into code spans
  return "`" + Ellipsize(code, 200) + "`";
}

std::string CommandBlock(std::vector<std::string> command) {
  constexpr std::size_t kMost = 480;
  constexpr std::size_t kMostMetrics = 60;
  for (std::size_t i = 0; i + 1 < command.size(); ++i) {
    if (command[i] == "--metrics" && command[i + 1].size() > kMostMetrics)
      command[i + 1] = "…";
  }
  std::string text;
  for (const std::string& word : command)
    text += (text.empty() ? "" : " ") + Printable(word);
  if (text.size() > kMost) {
    const std::string head = Ellipsize(text, 2 * kMost / 3);
    std::size_t tail = text.size() - kMost / 3;
    while (tail < text.size() && (text[tail] & 0xC0) == 0x80) ++tail;
    text = head + " " + text.substr(tail);
  }
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos;)
    text.replace(at, 1, "‹");  // some renderers look into code blocks
  std::string fence = "```";
  while (text.find(fence) != text.npos) fence += '`';
  return fence + "\n" + text + "\n" + fence + "\n";
}

}  // namespace rangefinder
