#include "config/yaml_scalars.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace rangefinder {
namespace {

std::string ScanBlockBreaks(YamlCursor& in, int indent) {
  std::string breaks;
  while (true) {
    while (in.Column() < indent && in.Peek() == ' ') in.Forward();
    if (!IsYamlBreak(in.Peek())) return breaks;
    breaks += in.Break();
  }
}

std::string ScanQuotedBreaks(YamlCursor& in, YamlMark start) {
  std::string breaks;
  while (true) {
    if (in.AtDocumentMarker()) in.Fail(start, "this quote is never closed");
    while (in.Peek() == ' ' || in.Peek() == '\t') in.Forward();
    if (!IsYamlBreak(in.Peek())) return breaks;
    breaks += in.Break();
  }
}

void ScanEscape(YamlCursor& in, std::string& text) {
  const YamlMark mark = in.mark();
  const char32_t c = in.Peek();
  in.Forward();
  static constexpr std::u32string_view kFrom = U"0abt\tnvfre \"\\/N_LP";
  static constexpr char32_t kTo[] = {0,    7,   8,    9,    9,      10,
                                     11,   12,  13,   27,   ' ',    '"',
                                     '\\', '/', 0x85, 0xA0, 0x2028, 0x2029};
  const std::size_t found = kFrom.find(c);
  if (c != 0 && found != std::u32string_view::npos) {
    AppendUtf8(kTo[found], text);
    return;
  }
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0) {
    in.Fail(mark, fmt::format("unknown escape '\\' and {}: in single quotes a "
                              "backslash is itself",
                              ShownCharacter(c)));
    return;
  }
  char32_t code = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char32_t d = in.Peek();
    const bool decimal = d >= '0' && d <= '9';
    const bool lower = d >= 'a' && d <= 'f';
    const bool upper = d >= 'A' && d <= 'F';
    if (!decimal && !lower && !upper) {
      in.Fail(in.mark(), fmt::format("expected {} hexadecimal digits, found {}",
                                     digits, ShownCharacter(d)));
    }
    code = code * 16 + (decimal ? d - '0'
                        : lower ? d - 'a' + 10
                                : d - 'A' + 10);
    in.Forward();
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
    in.Fail(mark, "this escape is no Unicode character");
  AppendUtf8(code, text);
}

void ScanQuotedCharacters(YamlCursor& in, char32_t quote, YamlMark start,
                          std::string& text) {
  while (true) {
    const char32_t c = in.Peek();
    if (c == quote) {
      if (quote != '\'' || in.Peek(1) != '\'') return;
      text += '\'';
      in.Forward(2);
    } else if (quote == '"' && c == '\\') {
      in.Forward();
      if (IsYamlBreak(in.Peek())) {
        in.Break();
        text += ScanQuotedBreaks(in, start);
      } else {
        ScanEscape(in, text);
      }
    } else if (IsYamlBlankOrEnd(c)) {
      return;
    } else {
      AppendUtf8(c, text);
      in.Forward();
    }
  }
}

void ScanQuotedBlanks(YamlCursor& in, YamlMark start, std::string& text) {
  std::string blanks;
  while (in.Peek() == ' ' || in.Peek() == '\t') {
    AppendUtf8(in.Peek(), blanks);
    in.Forward();
  }
  if (in.Peek() == 0) in.Fail(start, "this quote is never closed");
  if (!IsYamlBreak(in.Peek())) {
    text += blanks;
    return;
  }
  const std::string line_break = in.Break();
  const std::string breaks = ScanQuotedBreaks(in, start);
  if (line_break != "\n") {
    text += line_break;
  } else if (breaks.empty()) {
    text += ' ';
  }
  text += breaks;
}

bool EndsPlain(const YamlCursor& in, std::size_t ahead, bool flow) {
  const char32_t c = in.Peek(ahead);
  if (IsYamlBlankOrEnd(c)) return true;
  if (c == ':') {
    const char32_t next = in.Peek(ahead + 1);
    return IsYamlBlankOrEnd(next) ||
           (flow && std::u32string_view(U",[]{}").find(next) !=
                        std::u32string_view::npos);
  }
  return flow &&
         std::u32string_view(U",?[]{}").find(c) != std::u32string_view::npos;
}

// Nothing: a document ends here.
std::optional<std::string> ScanPlainSpaces(YamlCursor& in, bool& line_ended) {
  std::string blanks;
  while (in.Peek() == ' ') {
    blanks += ' ';
    in.Forward();
  }
  if (!IsYamlBreak(in.Peek())) return blanks;
  const std::string line_break = in.Break();
  line_ended = true;
  if (in.AtDocumentMarker()) return std::nullopt;
  std::string breaks;
  while (in.Peek() == ' ' || IsYamlBreak(in.Peek())) {
    if (in.Peek() == ' ') {
      in.Forward();
    } else {
      breaks += in.Break();
      if (in.AtDocumentMarker()) return std::nullopt;
    }
  }
  if (line_break != "\n") return line_break + breaks;
  return breaks.empty() ? std::string(" ") : breaks;
}

}  // namespace

std::string ScanBlockText(YamlCursor& in, int parent_indent, bool folded) {
  int chomping = 0;  // -1 strip, 0 clip, 1 keep
  int increment = 0;
  for (int i = 0; i < 2; ++i) {
    if (chomping == 0 && (in.Peek() == '+' || in.Peek() == '-')) {
      chomping = in.Peek() == '+' ? 1 : -1;
      in.Forward();
    } else if (increment == 0 && in.Peek() >= '0' && in.Peek() <= '9') {
      increment = static_cast<int>(in.Peek() - '0');
      if (increment == 0)
        in.Fail(in.mark(), "the indentation of a block text is 1 to 9");
      in.Forward();
    }
  }
  if (!IsYamlBlankOrEnd(in.Peek())) {
    in.Fail(in.mark(),
            fmt::format("expected a new line after '{}', found {}",
                        folded ? '>' : '|', ShownCharacter(in.Peek())));
  }
  while (in.Peek() == ' ') in.Forward();
  if (in.Peek() == '#') {
    while (!IsYamlBreakOrEnd(in.Peek())) in.Forward();
  }
  if (!IsYamlBreakOrEnd(in.Peek())) {
    in.Fail(in.mark(), fmt::format("expected a new line, found {}",
                                   ShownCharacter(in.Peek())));
  }
  in.Break();

  const int least = std::max(parent_indent + 1, 1);
  int indent = 0;
  std::string breaks;
  if (increment == 0) {
    int widest = 0;
    while (in.Peek() == ' ' || IsYamlBreak(in.Peek())) {
      if (in.Peek() == ' ') {
        in.Forward();
        widest = std::max(widest, in.Column());
      } else {
        breaks += in.Break();
      }
    }
    indent = std::max(least, widest);
  } else {
    indent = least + increment - 1;
    breaks = ScanBlockBreaks(in, indent);
  }
  std::string text;
  std::string line_break;
  while (in.Column() == indent && in.Peek() != 0) {
    text += breaks;
    const bool leading_blank = in.Peek() == ' ' || in.Peek() == '\t';
    while (!IsYamlBreakOrEnd(in.Peek())) {
      AppendUtf8(in.Peek(), text);
      in.Forward();
    }
    line_break = in.Break();
    breaks = ScanBlockBreaks(in, indent);
    if (in.Column() != indent || in.Peek() == 0) break;
    const bool next_blank = in.Peek() == ' ' || in.Peek() == '\t';
    if (folded && line_break == "\n" && !leading_blank && !next_blank) {
      if (breaks.empty()) text += ' ';
    } else {
      text += line_break;
    }
  }
  if (chomping != -1) text += line_break;
  if (chomping == 1) text += breaks;
  return text;
}

std::string ScanQuotedText(YamlCursor& in) {
  const char32_t quote = in.Peek();
  const YamlMark mark = in.mark();
  in.Forward();
  std::string text;
  while (!in.failed()) {
    ScanQuotedCharacters(in, quote, mark, text);
    if (in.Peek() == quote) break;
    ScanQuotedBlanks(in, mark, text);
  }
  in.Forward();
  return text;
}

PlainText ScanPlainText(YamlCursor& in, int indent, bool flow) {
  PlainText out;
  std::string spaces;
  while (in.Peek() != '#') {
    std::size_t length = 0;
    while (!EndsPlain(in, length, flow)) ++length;
    if (length == 0) break;
    out.line_ended = false;
    out.text += spaces;
    for (std::size_t i = 0; i < length; ++i) AppendUtf8(in.Peek(i), out.text);
    in.Forward(length);
    const auto between = ScanPlainSpaces(in, out.line_ended);
    if (!between || between->empty() || in.Peek() == '#' ||
        (!flow && in.Column() < indent))
      break;
    spaces = *between;
  }
  return out;
}

}  // namespace rangefinder
