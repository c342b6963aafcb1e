#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "config/scalar.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

constexpr int kWidth = 80;
constexpr int kIndent = 2;

// ---- characters ------------------------------------------------------------

std::vector<std::string_view> Characters(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() &&
           (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

char32_t Code(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  char32_t code = lead & (0x7FU >> character.size());
  for (const char c : character.substr(1))
    code = (code << 6) | (static_cast<unsigned char>(c) & 0x3F);
  return code;
}

bool IsBreak(char32_t c) {
  return c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029;
}
bool IsBlank(char32_t c) {
  return c == 0 || c == ' ' || c == '\t' || c == '\r' || IsBreak(c);
}

// ---- what a text may be written as -----------------------------------------

struct Analysis {
  bool multiline = false;
  bool plain = true;
  bool single_quoted = true;
};

Analysis Analyze(std::string_view text) {
  const auto characters = Characters(text);
  Analysis out;
  bool special = false;
  bool indicators = text.starts_with("---") || text.starts_with("...");
  bool edge = false;         // a blank or break at an end
  bool break_space = false;  // a blank after a break
  bool space_break = false;
  bool after_blank = true;
  bool previous_space = false;
  bool previous_break = false;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const char32_t c = Code(characters[i]);
    const bool before_blank =
        i + 1 >= characters.size() || IsBlank(Code(characters[i + 1]));
    const bool ascii = c < 0x80;
    const auto among = [&](std::string_view set) {
      return ascii && set.find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (i == 0) {
      indicators |= among("#,[]{}&*!|>'\"%@`");
      indicators |= among("?:-") && before_blank;
    } else {
      indicators |= c == ':' && before_blank;
      indicators |= c == '#' && after_blank;
    }
    out.multiline |= IsBreak(c);
    const bool printable = c == '\n' || (c >= 0x20 && c <= 0x7E) || c == 0x85 ||
                           (c >= 0xA0 && c <= 0xD7FF) ||
                           (c >= 0xE000 && c <= 0xFFFD) ||
                           (c >= 0x10000 && c < 0x10FFFF);
    special |= !printable || c == 0xFEFF;
    const bool at_edge = i == 0 || i + 1 == characters.size();
    if (c == ' ') {
      edge |= at_edge;
      break_space |= previous_break;
    } else if (IsBreak(c)) {
      edge |= at_edge;
      space_break |= previous_space;
    }
    previous_space = c == ' ';
    previous_break = IsBreak(c);
    after_blank = IsBlank(c);
  }
  out.plain = !text.empty() && !edge && !break_space && !space_break &&
              !special && !out.multiline && !indicators;
  out.single_quoted = !break_space && !space_break && !special;
  return out;
}

// PyYAML's timestamps, which a reader other than OmegaConf would see.
bool IsTimestamp(std::string_view text) {
  const auto digits = [&](std::size_t least, std::size_t most) {
    std::size_t n = 0;
    while (n < most && n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
    if (n < least) return false;
    text.remove_prefix(n);
    return true;
  };
  const auto take = [&](char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
  };
  const std::string_view whole = text;
  if (digits(4, 4) && take('-') && digits(2, 2) && take('-') && digits(2, 2) &&
      text.empty())
    return true;
  text = whole;
  if (!digits(4, 4) || !take('-') || !digits(1, 2) || !take('-') ||
      !digits(1, 2))
    return false;
  if (!take('T') && !take('t')) {
    const std::size_t n = std::min(text.find_first_not_of(" \t"), text.size());
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  if (!digits(1, 2) || !take(':') || !digits(2, 2) || !take(':') ||
      !digits(2, 2))
    return false;
  if (take('.')) digits(0, text.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (text.empty() || text == "Z") return true;
  if (!take('+') && !take('-')) return false;
  if (!digits(1, 2)) return false;
  if (take(':')) return digits(2, 2) && text.empty();
  return text.empty();
}

// Would a reader take the unquoted text for something else than a string?
bool LooksTyped(std::string_view text) {
  for (const std::string_view word : {"y", "Y", "n", "N"})
    if (text == word) return true;
  if (ResolvePlain(text) != YamlTag::kString || IsTimestamp(text)) return true;
  // Python's int() and float(), which allow blanks around and leading zeros.
  std::string digits;
  bool after_digit = false;
  for (const char c : Trim(text)) {
    const bool digit = c >= '0' && c <= '9';
    if (c == '_') {
      if (!after_digit) return false;
    } else {
      digits += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    after_digit = digit;
  }
  if (digits.empty() ||
      digits.find_first_not_of("+-.0123456789einfatyn") != std::string::npos)
    return false;
  char* end = nullptr;
  std::strtod(digits.c_str(), &end);
  return end == digits.c_str() + digits.size() && digits.back() != '(';
}

// ---- the emitter -----------------------------------------------------------

class Emitter {
 public:
  std::string Run(const Node& node) {
    Value(node, 0, false, false);
    WriteIndent(0);
    return std::move(out_);
  }

 private:
  void Write(std::string_view text) {
    out_ += text;
    column_ += static_cast<int>(Characters(text).size());
  }
  void LineBreak(std::string_view text = "\n") {
    whitespace_ = indention_ = true;
    column_ = 0;
    out_ += text;
  }
  void WriteIndent(int indent) {
    if (!indention_ || column_ > indent || (column_ == indent && !whitespace_))
      LineBreak();
    if (column_ < indent) {
      whitespace_ = true;
      out_.append(static_cast<std::size_t>(indent - column_), ' ');
      column_ = indent;
    }
  }
  void Indicator(std::string_view text, bool need_space,
                 bool whitespace = false, bool indention = false) {
    if (need_space && !whitespace_) Write(" ");
    whitespace_ = whitespace;
    indention_ = indention_ && indention;
    Write(text);
  }

  // `indent`: of the container this stands in. `in_map`: as the value of a key.
  void Value(const Node& node, int indent, bool in_map, bool key) {
    switch (node.kind) {
      case NodeKind::kMap:
        if (node.entries.empty()) return Indicator("{}", true);
        return Map(node, indent);
      case NodeKind::kList:
        if (node.items.empty()) return Indicator("[]", true);
        return List(node, indent, in_map && !indention_);
      case NodeKind::kBytes:
        return Bytes(node, indent);
      default:
        return Scalar(node, indent, key);
    }
  }

  void Map(const Node& node, int indent) {
    const int own = depth_ == 0 ? 0 : indent;
    ++depth_;
    for (const Entry& entry : node.entries) {
      WriteIndent(own);
      if (IsSimpleKey(entry.key)) {
        Value(entry.key, own + kIndent, true, true);
        Indicator(":", false);
      } else {
        Indicator("?", true, false, true);
        Value(entry.key, own + kIndent, true, false);
        WriteIndent(own);
        Indicator(":", true, false, true);
      }
      Value(entry.value, own + kIndent, true, false);
    }
    --depth_;
  }

  void List(const Node& node, int indent, bool indentless) {
    const int own = depth_ == 0 ? 0 : indentless ? indent - kIndent : indent;
    ++depth_;
    for (const Node& item : node.items) {
      WriteIndent(own);
      Indicator("-", true, false, true);
      Value(item, own + kIndent, false, false);
    }
    --depth_;
  }

  static bool IsSimpleKey(const Node& key) {
    constexpr std::size_t kLongest = 128 - 5;  // less the length of "!!str"
    const std::string text = Text(key);
    return !text.empty() && !Analyze(text).multiline &&
           Characters(text).size() < kLongest;
  }

  static std::string Text(const Node& node) {
    switch (node.kind) {
      case NodeKind::kNull:
        return "null";
      case NodeKind::kBool:
        return node.boolean ? "true" : "false";
      case NodeKind::kFloat: {
        if (std::isnan(node.number)) return ".nan";
        if (std::isinf(node.number)) return node.number < 0 ? "-.inf" : ".inf";
        std::string text = PythonFloat(node.number);
        const std::size_t e = text.find('e');
        if (e != std::string::npos && text.find('.') == std::string::npos)
          text.insert(e, ".0");
        return text;
      }
      default:
        return PythonStr(node);
    }
  }

  void Scalar(const Node& node, int indent, bool key) {
    const std::string text = Text(node);
    if (!node.is_string()) return Plain(text, indent, !key);
    const Analysis analysis = Analyze(text);
    if (analysis.plain && !LooksTyped(text) && !(key && analysis.multiline))
      return Plain(text, indent, !key);
    if (analysis.single_quoted && !(key && analysis.multiline))
      return SingleQuoted(text, indent, !key);
    DoubleQuoted(text, indent, !key);
  }

  void Plain(const std::string& text, int indent, bool split) {
    if (!whitespace_) Write(" ");
    whitespace_ = indention_ = false;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t word = std::min(text.find(' ', at), text.size());
      Write(std::string_view(text).substr(at, word - at));
      const std::size_t next =
          std::min(text.find_first_not_of(' ', word), text.size());
      if (next == word + 1 && column_ > kWidth && split) {
        WriteIndent(indent);
        whitespace_ = indention_ = false;
      } else {
        Write(std::string_view(text).substr(word, next - word));
      }
      at = next;
    }
  }

  void SingleQuoted(const std::string& text, int indent, bool split) {
    Indicator("'", true);
    const auto characters = Characters(text);
    for (std::size_t at = 0; at < characters.size();) {
      const char32_t c = Code(characters[at]);
      std::size_t end = at;
      if (c == ' ') {
        while (end < characters.size() && characters[end] == " ") ++end;
        if (end == at + 1 && column_ > kWidth && split && at != 0 &&
            end != characters.size())
          WriteIndent(indent);
        else
          Write(std::string(end - at, ' '));
      } else if (IsBreak(c)) {
        if (c == '\n') LineBreak();
        while (end < characters.size() && IsBreak(Code(characters[end])))
          LineBreak(characters[end++]);
        WriteIndent(indent);
      } else if (c == '\'') {
        Write("''");
        ++end;
      } else {
        Write(characters[end++]);
      }
      at = end;
    }
    Indicator("'", false);
  }

  static std::string Escaped(char32_t c) {
    static constexpr std::u32string_view kFrom = U"\a\b\t\n\v\f\r\x1b\"\\";
    static constexpr std::string_view kTo = "abtnvfre\"\\";
    if (c == 0) return "\\0";
    const std::size_t found = kFrom.find(c);
    if (found != std::u32string_view::npos)
      return std::string("\\") + kTo[found];
    if (c == 0x85) return "\\N";
    if (c == 0xA0) return "\\_";
    if (c == 0x2028) return "\\L";
    if (c == 0x2029) return "\\P";
    if (c <= 0xFF) return fmt::format("\\x{:02X}", static_cast<unsigned>(c));
    if (c <= 0xFFFF) return fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    return fmt::format("\\U{:08X}", static_cast<unsigned>(c));
  }

  void DoubleQuoted(const std::string& text, int indent, bool split) {
    Indicator("\"", true);
    const auto characters = Characters(text);
    const auto piece = [&](std::size_t from, std::size_t to) {
      std::string out;
      for (std::size_t i = from; i < to; ++i) out += characters[i];
      return out;
    };
    std::size_t start = 0;
    for (std::size_t end = 0; end <= characters.size(); ++end) {
      const bool done = end == characters.size();
      const char32_t c = done ? 0 : Code(characters[end]);
      const bool itself =
          !done && c != '"' && c != '\\' && c != 0x85 && c != 0x2028 &&
          c != 0x2029 && c != 0xFEFF &&
          ((c >= 0x20 && c <= 0x7E) || (c >= 0xA0 && c <= 0xD7FF) ||
           (c >= 0xE000 && c <= 0xFFFD));
      if (!itself) {
        if (start < end) Write(piece(start, end));
        start = end;
        if (!done) {
          Write(Escaped(c));
          start = end + 1;
        }
      }
      if (end > 0 && end + 1 < characters.size() &&
          (c == ' ' || start >= end) &&
          column_ + static_cast<int>(end) - static_cast<int>(start) > kWidth &&
          split) {
        if (start < end) {
          Write(piece(start, end));
          start = end;
        }
        Write("\\");
        WriteIndent(indent);
        whitespace_ = indention_ = false;
        if (start < characters.size() && characters[start] == " ") Write("\\");
      }
    }
    Indicator("\"", false);
  }

  void Bytes(const Node& node, int indent) {
    const std::string text = Base64(node.text);
    Indicator("!!binary |", true);
    constexpr std::size_t kLine = 76;
    for (std::size_t at = 0; at < text.size(); at += kLine) {
      LineBreak();
      WriteIndent(indent);
      Write(std::string_view(text).substr(at, kLine));
      whitespace_ = indention_ = false;
    }
  }

  std::string out_;
  int column_ = 0;
  int depth_ = 0;
  bool whitespace_ = true;
  bool indention_ = true;
};

}  // namespace

std::string WriteYaml(const Node& node) {
  return Emitter().Run(node);
}

}  // namespace rangefinder
