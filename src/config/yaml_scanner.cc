#include "config/yaml_scanner.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

using enum YamlTokenKind;

constexpr std::size_t kLargestFile = std::size_t{4} << 20;
constexpr int kDeepestFlow = 200;
constexpr std::size_t kLongestSimpleKey = 1024;

// The UTF-8 text as characters, a NUL at its end.
std::u32string Decode(std::string_view text) {
  std::u32string out;
  out.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                                             : 4;
    char32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i)
      code = (code << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3F);
    out += code;
    at += length;
  }
  out += U'\0';
  return out;
}

void Encode(char32_t code, std::string& out) {
  const auto byte = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

bool IsPrintableInYaml(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7E) ||
         c == 0x85 || (c >= 0xA0 && c <= 0xD7FF) ||
         (c >= 0xE000 && c <= 0xFFFD) || c >= 0x10000;
}

bool IsBreak(char32_t c) {
  return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}
bool IsBreakOrEnd(char32_t c) {
  return c == 0 || IsBreak(c);
}
bool IsBlankOrEnd(char32_t c) {
  return c == ' ' || c == '\t' || IsBreakOrEnd(c);
}
bool IsWordCharacter(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

struct Mark {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// Thrown and caught in this file.
struct Failure {
  Mark mark;
  std::string message;
};

class Scanner {
 public:
  explicit Scanner(std::u32string text) : in_(std::move(text)) {}

  std::vector<YamlToken> Run() {
    while (tokens_.empty() || tokens_.back().kind != kStreamEnd) Fetch();
    return std::move(tokens_);
  }

 private:
  struct SimpleKey {
    std::size_t token = 0;
    bool required = false;
    std::size_t index = 0;
    Mark mark;
  };

  // ---- characters ----
  char32_t Peek(std::size_t ahead = 0) const {
    return at_ + ahead < in_.size() ? in_[at_ + ahead] : U'\0';
  }
  void Forward(std::size_t count = 1) {
    for (; count > 0 && at_ + 1 < in_.size(); --count) {
      const char32_t c = in_[at_++];
      if (IsBreak(c) && !(c == '\r' && Peek() == '\n')) {
        ++mark_.line;
        mark_.column = 1;
      } else if (c != 0xFEFF) {
        ++mark_.column;
      }
    }
  }
  int Column() const { return static_cast<int>(mark_.column) - 1; }
  [[noreturn]] void Fail(Mark mark, std::string message) const {
    throw Failure{mark, std::move(message)};
  }
  std::string Shown(char32_t c) const {
    if (c == 0) return "the end of the file";
    std::string text;
    Encode(c, text);
    return "'" + Printable(text) + "'";
  }

  // ---- tokens ----
  YamlToken& Add(YamlTokenKind kind, Mark mark, std::string text = {}) {
    YamlToken token;
    token.kind = kind;
    token.text = std::move(text);
    token.line = mark.line;
    token.column = mark.column;
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }
  void Insert(std::size_t at, YamlTokenKind kind, Mark mark) {
    YamlToken token;
    token.kind = kind;
    token.line = mark.line;
    token.column = mark.column;
    tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(at), token);
    for (auto& [level, key] : keys_) {
      if (key.token >= at) ++key.token;
    }
  }

  void Fetch() {
    SkipToToken();
    DropStaleKeys();
    Unwind(Column());
    const char32_t c = Peek();
    const Mark mark = mark_;
    if (c == 0) return FetchEnd();
    if (Column() == 0) {
      if (c == '%') return FetchDirective();
      const auto marker = [&](char32_t m) {
        return Peek() == m && Peek(1) == m && Peek(2) == m &&
               IsBlankOrEnd(Peek(3));
      };
      if (marker('-') || marker('.')) {
        Unwind(-1);
        RemoveKey();
        simple_key_allowed_ = false;
        Forward(3);
        Add(c == '-' ? kDocumentStart : kDocumentEnd, mark);
        return;
      }
    }
    switch (c) {
      case '[':
        return FetchFlowStart(kFlowSequenceStart);
      case '{':
        return FetchFlowStart(kFlowMappingStart);
      case ']':
        return FetchFlowEnd(kFlowSequenceEnd);
      case '}':
        return FetchFlowEnd(kFlowMappingEnd);
      case ',':
        simple_key_allowed_ = true;
        RemoveKey();
        Forward();
        Add(kFlowEntry, mark);
        return;
      case '*':
        return FetchAnchor(kAlias);
      case '&':
        return FetchAnchor(kAnchor);
      case '!':
        return FetchTag();
      case '\'':
      case '"':
        return FetchQuoted(c);
      default:
        break;
    }
    const bool blank_next = IsBlankOrEnd(Peek(1));
    if (c == '-' && blank_next) return FetchBlockEntry();
    if (c == '?' && (flow_ > 0 || blank_next)) return FetchKey();
    if (c == ':' && (flow_ > 0 || blank_next)) return FetchValue();
    if (c == '|' && flow_ == 0) return FetchBlockScalar(false);
    if (c == '>' && flow_ == 0) return FetchBlockScalar(true);
    const bool indicator =
        IsBlankOrEnd(c) ||
        std::u32string_view(U"-?:,[]{}#&*!|>'\"%@`").find(c) !=
            std::u32string_view::npos;
    const bool plain =
        !indicator ||
        (!blank_next && (c == '-' || (flow_ == 0 && (c == '?' || c == ':'))));
    if (plain) return FetchPlain();
    if (c == '\t') {
      Fail(mark,
           "a tab cannot stand here: YAML is indented and separated by "
           "spaces");
    }
    Fail(mark, fmt::format("a value cannot begin with {}: quote it", Shown(c)));
  }

  void SkipToToken() {
    if (at_ == 0 && Peek() == 0xFEFF) Forward();
    while (true) {
      while (Peek() == ' ') Forward();
      if (Peek() == '#') {
        while (!IsBreakOrEnd(Peek())) Forward();
      }
      if (!IsBreak(Peek())) return;
      ScanBreak();
      if (flow_ == 0) simple_key_allowed_ = true;
    }
  }

  // A line break as YAML 1.1 normalises it.
  std::string ScanBreak() {
    const char32_t c = Peek();
    if (!IsBreak(c)) return {};
    if (c == '\r' && Peek(1) == '\n') Forward();
    Forward();
    if (c == 0x2028 || c == 0x2029) {
      std::string text;
      Encode(c, text);
      return text;
    }
    return "\n";
  }

  // ---- simple keys and indentation ----
  void DropStaleKeys() {
    for (auto it = keys_.begin(); it != keys_.end();) {
      const SimpleKey& key = it->second;
      if (key.mark.line == mark_.line && at_ - key.index <= kLongestSimpleKey) {
        ++it;
        continue;
      }
      if (key.required) Fail(key.mark, "expected ':' after this key");
      it = keys_.erase(it);
    }
  }
  void SaveKey() {
    const bool required = flow_ == 0 && indent_ == Column();
    if (!simple_key_allowed_) return;
    RemoveKey();
    keys_[flow_] = {tokens_.size(), required, at_, mark_};
  }
  void RemoveKey() {
    const auto it = keys_.find(flow_);
    if (it == keys_.end()) return;
    if (it->second.required)
      Fail(it->second.mark, "expected ':' after this key");
    keys_.erase(it);
  }
  void Unwind(int column) {
    if (flow_ > 0) return;
    while (indent_ > column) {
      indent_ = indents_.back();
      indents_.pop_back();
      Add(kBlockEnd, mark_);
    }
  }
  bool AddIndent(int column) {
    if (indent_ >= column) return false;
    indents_.push_back(indent_);
    indent_ = column;
    return true;
  }

  // ---- one token each ----
  void FetchEnd() {
    Unwind(-1);
    RemoveKey();
    simple_key_allowed_ = false;
    keys_.clear();
    Add(kStreamEnd, mark_);
  }

  void FetchDirective() {
    Unwind(-1);
    RemoveKey();
    simple_key_allowed_ = false;
    const Mark mark = mark_;
    std::string text;
    while (!IsBreakOrEnd(Peek())) {
      Encode(Peek(), text);
      Forward();
    }
    ScanBreak();
    Add(kDirective, mark, std::move(text));
  }

  void FetchFlowStart(YamlTokenKind kind) {
    SaveKey();
    if (++flow_ > kDeepestFlow)
      Fail(mark_,
           fmt::format("brackets nested more than {} deep", kDeepestFlow));
    simple_key_allowed_ = true;
    const Mark mark = mark_;
    Forward();
    Add(kind, mark);
  }

  void FetchFlowEnd(YamlTokenKind kind) {
    RemoveKey();
    if (flow_ > 0) --flow_;
    simple_key_allowed_ = false;
    const Mark mark = mark_;
    Forward();
    Add(kind, mark);
  }

  void FetchBlockEntry() {
    const Mark mark = mark_;
    if (flow_ == 0) {
      if (!simple_key_allowed_)
        Fail(mark, "a list item ('- ') cannot begin here");
      if (AddIndent(Column())) Add(kBlockSequenceStart, mark);
    }
    simple_key_allowed_ = true;
    RemoveKey();
    Forward();
    Add(kBlockEntry, mark);
  }

  void FetchKey() {
    const Mark mark = mark_;
    if (flow_ == 0) {
      if (!simple_key_allowed_) Fail(mark, "a key ('? ') cannot begin here");
      if (AddIndent(Column())) Add(kBlockMappingStart, mark);
    }
    simple_key_allowed_ = flow_ == 0;
    RemoveKey();
    Forward();
    Add(kKey, mark);
  }

  void FetchValue() {
    const Mark mark = mark_;
    const auto it = keys_.find(flow_);
    if (it != keys_.end()) {
      const SimpleKey key = it->second;
      keys_.erase(it);
      Insert(key.token, kKey, key.mark);
      if (flow_ == 0 && AddIndent(static_cast<int>(key.mark.column) - 1))
        Insert(key.token, kBlockMappingStart, key.mark);
      simple_key_allowed_ = false;
    } else {
      if (flow_ == 0) {
        if (!simple_key_allowed_) {
          Fail(mark,
               "a second ': ' in one line: quote the value if the colon "
               "belongs to it");
        }
        if (AddIndent(Column())) Add(kBlockMappingStart, mark);
      }
      simple_key_allowed_ = flow_ == 0;
      RemoveKey();
    }
    Forward();
    Add(kValue, mark);
  }

  void FetchAnchor(YamlTokenKind kind) {
    SaveKey();
    simple_key_allowed_ = false;
    const Mark mark = mark_;
    Forward();
    std::string name;
    while (IsWordCharacter(Peek())) {
      Encode(Peek(), name);
      Forward();
    }
    const bool ends =
        IsBlankOrEnd(Peek()) || std::u32string_view(U"?:,]}%@`").find(Peek()) !=
                                    std::u32string_view::npos;
    if (name.empty() || !ends) {
      Fail(mark_, fmt::format("expected a name of letters and digits after "
                              "'{}', found {}: quote the value",
                              kind == kAlias ? '*' : '&', Shown(Peek())));
    }
    Add(kind, mark, std::move(name));
  }

  void FetchTag() {
    SaveKey();
    simple_key_allowed_ = false;
    const Mark mark = mark_;
    std::string text;
    while (!IsBlankOrEnd(Peek()) &&
           (flow_ == 0 || (Peek() != ',' && Peek() != ']' && Peek() != '}'))) {
      Encode(Peek(), text);
      Forward();
    }
    Add(kTag, mark, std::move(text));
  }

  void FetchBlockScalar(bool folded) {
    simple_key_allowed_ = true;
    RemoveKey();
    const Mark mark = mark_;
    Forward();
    int chomping = 0;  // -1 strip, 0 clip, 1 keep
    int increment = 0;
    for (int i = 0; i < 2; ++i) {
      if (chomping == 0 && (Peek() == '+' || Peek() == '-')) {
        chomping = Peek() == '+' ? 1 : -1;
        Forward();
      } else if (increment == 0 && Peek() >= '0' && Peek() <= '9') {
        increment = static_cast<int>(Peek() - '0');
        if (increment == 0)
          Fail(mark_, "the indentation of a block text is 1 to 9");
        Forward();
      }
    }
    if (!IsBlankOrEnd(Peek())) {
      Fail(mark_, fmt::format("expected a new line after '{}', found {}",
                              folded ? '>' : '|', Shown(Peek())));
    }
    while (Peek() == ' ') Forward();
    if (Peek() == '#') {
      while (!IsBreakOrEnd(Peek())) Forward();
    }
    if (!IsBreakOrEnd(Peek())) {
      Fail(mark_, fmt::format("expected a new line, found {}", Shown(Peek())));
    }
    ScanBreak();

    const int least = std::max(indent_ + 1, 1);
    int indent = 0;
    std::string breaks;
    if (increment == 0) {
      int widest = 0;
      while (Peek() == ' ' || IsBreak(Peek())) {
        if (Peek() == ' ') {
          Forward();
          widest = std::max(widest, Column());
        } else {
          breaks += ScanBreak();
        }
      }
      indent = std::max(least, widest);
    } else {
      indent = least + increment - 1;
      breaks = ScanBlockBreaks(indent);
    }
    std::string text;
    std::string line_break;
    while (Column() == indent && Peek() != 0) {
      text += breaks;
      const bool leading_blank = Peek() == ' ' || Peek() == '\t';
      while (!IsBreakOrEnd(Peek())) {
        Encode(Peek(), text);
        Forward();
      }
      line_break = ScanBreak();
      breaks = ScanBlockBreaks(indent);
      if (Column() != indent || Peek() == 0) break;
      const bool next_blank = Peek() == ' ' || Peek() == '\t';
      if (folded && line_break == "\n" && !leading_blank && !next_blank) {
        if (breaks.empty()) text += ' ';
      } else {
        text += line_break;
      }
    }
    if (chomping != -1) text += line_break;
    if (chomping == 1) text += breaks;
    Add(kScalar, mark, std::move(text));
  }

  std::string ScanBlockBreaks(int indent) {
    std::string breaks;
    while (true) {
      while (Column() < indent && Peek() == ' ') Forward();
      if (!IsBreak(Peek())) return breaks;
      breaks += ScanBreak();
    }
  }

  void FetchQuoted(char32_t quote) {
    SaveKey();
    simple_key_allowed_ = false;
    const Mark mark = mark_;
    Forward();
    std::string text;
    while (true) {
      ScanQuotedCharacters(quote, mark, text);
      if (Peek() == quote) break;
      ScanQuotedBlanks(mark, text);
    }
    Forward();
    Add(kScalar, mark, std::move(text));
  }

  void ScanQuotedCharacters(char32_t quote, Mark start, std::string& text) {
    while (true) {
      const char32_t c = Peek();
      if (c == quote) {
        if (quote != '\'' || Peek(1) != '\'') return;
        text += '\'';
        Forward(2);
      } else if (quote == '"' && c == '\\') {
        Forward();
        if (IsBreak(Peek())) {
          ScanBreak();
          text += ScanQuotedBreaks(start);
        } else {
          ScanEscape(text);
        }
      } else if (IsBlankOrEnd(c)) {
        return;
      } else {
        Encode(c, text);
        Forward();
      }
    }
  }

  void ScanEscape(std::string& text) {
    const Mark mark = mark_;
    const char32_t c = Peek();
    Forward();
    static constexpr std::u32string_view kFrom = U"0abt\tnvfre \"\\/N_LP";
    static constexpr char32_t kTo[] = {0,    7,   8,    9,    9,      10,
                                       11,   12,  13,   27,   ' ',    '"',
                                       '\\', '/', 0x85, 0xA0, 0x2028, 0x2029};
    const std::size_t found = kFrom.find(c);
    if (c != 0 && found != std::u32string_view::npos) {
      Encode(kTo[found], text);
      return;
    }
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits == 0) {
      Fail(mark, fmt::format("unknown escape '\\' and {}: in single quotes a "
                             "backslash is itself",
                             Shown(c)));
    }
    char32_t code = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const char32_t d = Peek();
      const bool decimal = d >= '0' && d <= '9';
      const bool lower = d >= 'a' && d <= 'f';
      const bool upper = d >= 'A' && d <= 'F';
      if (!decimal && !lower && !upper) {
        Fail(mark_, fmt::format("expected {} hexadecimal digits, found {}",
                                digits, Shown(d)));
      }
      code = code * 16 + (decimal ? d - '0'
                          : lower ? d - 'a' + 10
                                  : d - 'A' + 10);
      Forward();
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      Fail(mark, "this escape is no Unicode character");
    Encode(code, text);
  }

  void ScanQuotedBlanks(Mark start, std::string& text) {
    std::string blanks;
    while (Peek() == ' ' || Peek() == '\t') {
      Encode(Peek(), blanks);
      Forward();
    }
    if (Peek() == 0) Fail(start, "this quote is never closed");
    if (!IsBreak(Peek())) {
      text += blanks;
      return;
    }
    const std::string line_break = ScanBreak();
    const std::string breaks = ScanQuotedBreaks(start);
    if (line_break != "\n") {
      text += line_break;
    } else if (breaks.empty()) {
      text += ' ';
    }
    text += breaks;
  }

  std::string ScanQuotedBreaks(Mark start) {
    std::string breaks;
    while (true) {
      if (AtDocumentMarker()) Fail(start, "this quote is never closed");
      while (Peek() == ' ' || Peek() == '\t') Forward();
      if (!IsBreak(Peek())) return breaks;
      breaks += ScanBreak();
    }
  }

  bool AtDocumentMarker() const {
    const char32_t c = Peek();
    return (c == '-' || c == '.') && Peek(1) == c && Peek(2) == c &&
           IsBlankOrEnd(Peek(3));
  }

  void FetchPlain() {
    SaveKey();
    simple_key_allowed_ = false;
    const Mark mark = mark_;
    const int indent = indent_ + 1;
    std::string text;
    std::string spaces;
    while (Peek() != '#') {
      std::size_t length = 0;
      while (!EndsPlain(length)) ++length;
      if (length == 0) break;
      simple_key_allowed_ = false;
      text += spaces;
      for (std::size_t i = 0; i < length; ++i) Encode(Peek(i), text);
      Forward(length);
      const auto between = ScanPlainSpaces();
      if (!between || between->empty() || Peek() == '#' ||
          (flow_ == 0 && Column() < indent))
        break;
      spaces = *between;
    }
    Add(kScalar, mark, std::move(text)).plain = true;
  }

  bool EndsPlain(std::size_t ahead) const {
    const char32_t c = Peek(ahead);
    if (IsBlankOrEnd(c)) return true;
    if (c == ':') {
      const char32_t next = Peek(ahead + 1);
      return IsBlankOrEnd(next) ||
             (flow_ > 0 && std::u32string_view(U",[]{}").find(next) !=
                               std::u32string_view::npos);
    }
    return flow_ > 0 &&
           std::u32string_view(U",?[]{}").find(c) != std::u32string_view::npos;
  }

  // Nothing: a document ends here.
  std::optional<std::string> ScanPlainSpaces() {
    std::string blanks;
    while (Peek() == ' ') {
      blanks += ' ';
      Forward();
    }
    if (!IsBreak(Peek())) return blanks;
    const std::string line_break = ScanBreak();
    simple_key_allowed_ = true;
    if (AtDocumentMarker()) return std::nullopt;
    std::string breaks;
    while (Peek() == ' ' || IsBreak(Peek())) {
      if (Peek() == ' ') {
        Forward();
      } else {
        breaks += ScanBreak();
        if (AtDocumentMarker()) return std::nullopt;
      }
    }
    if (line_break != "\n") return line_break + breaks;
    return breaks.empty() ? std::string(" ") : breaks;
  }

  std::u32string in_;
  std::size_t at_ = 0;
  Mark mark_;
  std::vector<YamlToken> tokens_;
  int flow_ = 0;
  int indent_ = -1;
  std::vector<int> indents_;
  bool simple_key_allowed_ = true;
  std::map<int, SimpleKey> keys_;  // by flow level
};

}  // namespace

std::string_view TokenName(YamlTokenKind kind) {
  switch (kind) {
    case kStreamEnd:
      return "the end of the file";
    case kDirective:
      return "a directive";
    case kDocumentStart:
      return "'---'";
    case kDocumentEnd:
      return "'...'";
    case kBlockSequenceStart:
    case kBlockEntry:
      return "'- '";
    case kBlockMappingStart:
      return "a key";
    case kBlockEnd:
      return "the end of the block";
    case kFlowSequenceStart:
      return "'['";
    case kFlowMappingStart:
      return "'{'";
    case kFlowSequenceEnd:
      return "']'";
    case kFlowMappingEnd:
      return "'}'";
    case kFlowEntry:
      return "','";
    case kKey:
      return "a key";
    case kValue:
      return "':'";
    case kAlias:
      return "an alias";
    case kAnchor:
      return "an anchor";
    case kTag:
      return "a tag";
    case kScalar:
      return "a value";
  }
  return "something else";
}

Error ErrorAt(const Place& place, std::string_view message, std::size_t width) {
  std::string excerpt = Excerpt(place, width);
  if (!excerpt.empty()) {
    excerpt.pop_back();
    excerpt.insert(0, "\n");
  }
  return Error(ErrorCode::kUsage,
               fmt::format("{}: {}{}", Describe(place), message, excerpt));
}

Result<std::vector<YamlToken>> ScanYaml(std::shared_ptr<const Source> source) {
  const std::string& text = source->text;
  if (text.size() > kLargestFile) {
    return Error(ErrorCode::kUsage,
                 fmt::format("{}: {} bytes are too many for a configuration "
                             "file (the limit is {} MiB)",
                             source->name, text.size(), kLargestFile >> 20));
  }
  Place place{.source = source, .line = 1, .column = 1};
  if (!IsValidUtf8(text)) {
    std::size_t end = 0;  // of the valid part, found by halving
    for (std::size_t low = 0, high = text.size(); low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      const std::string_view head(text.data(), middle + 1);
      // A head that merely ends inside a character is valid up to there.
      std::size_t cut = head.size();
      while (cut > 0 && head.size() - cut < 3 &&
             !IsValidUtf8(head.substr(0, cut)))
        --cut;
      if (IsValidUtf8(head.substr(0, cut)) && head.size() - cut < 3) {
        low = middle + 1;
        end = cut;
      } else {
        high = middle;
      }
    }
    for (std::size_t i = 0; i < end; ++i) {
      if (text[i] == '\n') ++place.line;
    }
    return Error(
        ErrorCode::kUsage,
        fmt::format(
            "{}:{}: byte {:#04x} is not valid UTF-8 (at offset "
            "{}); save the file as UTF-8",
            source->name, place.line,
            static_cast<unsigned char>(text[std::min(end, text.size() - 1)]),
            end));
  }
  std::u32string decoded = Decode(text);
  for (std::size_t i = 0; i + 1 < decoded.size(); ++i) {
    if (!IsPrintableInYaml(decoded[i])) {
      return ErrorAt(place,
                     fmt::format("character U+{:04X} is not allowed here; "
                                 "write it as an escape in double quotes",
                                 static_cast<unsigned>(decoded[i])));
    }
    ++place.column;
    if (decoded[i] == '\n') {
      ++place.line;
      place.column = 1;
    }
  }
  try {
    return Scanner(std::move(decoded)).Run();
  } catch (const Failure& failure) {
    place.line = failure.mark.line;
    place.column = failure.mark.column;
    return ErrorAt(place, failure.message);
  }
}

}  // namespace rangefinder
