#include "config/yaml_scanner.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "config/yaml_scalars.h"

namespace rangefinder {
namespace {

using enum YamlTokenKind;

constexpr int kDeepestFlow = 200;
constexpr std::size_t kLongestSimpleKey = 1024;

bool IsWordCharacter(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

class Scanner {
 public:
  explicit Scanner(YamlCursor text) : in_(std::move(text)) {}

  Result<std::vector<YamlToken>> Run() {
    while (tokens_.empty() || tokens_.back().kind != kStreamEnd) Fetch();
    if (in_.failed()) return in_.failure();
    return std::move(tokens_);
  }

 private:
  struct SimpleKey {
    std::size_t token = 0;
    bool required = false;
    std::size_t index = 0;
    YamlMark mark;
  };

  // ---- tokens ----
  YamlToken& Add(YamlTokenKind kind, YamlMark mark, std::string text = {}) {
    YamlToken token;
    token.kind = kind;
    token.text = std::move(text);
    token.line = mark.line;
    token.column = mark.column;
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }
  void Insert(std::size_t at, YamlTokenKind kind, YamlMark mark) {
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
    Unwind(in_.Column());
    const char32_t c = in_.Peek();
    const YamlMark mark = in_.mark();
    if (c == 0) return FetchEnd();
    if (in_.Column() == 0) {
      if (c == '%') return FetchDirective();
      const auto marker = [&](char32_t m) {
        return in_.Peek() == m && in_.Peek(1) == m && in_.Peek(2) == m &&
               IsYamlBlankOrEnd(in_.Peek(3));
      };
      if (marker('-') || marker('.')) {
        Unwind(-1);
        RemoveKey();
        simple_key_allowed_ = false;
        in_.Forward(3);
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
        in_.Forward();
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
        return FetchQuoted();
      default:
        break;
    }
    const bool blank_next = IsYamlBlankOrEnd(in_.Peek(1));
    if (c == '-' && blank_next) return FetchBlockEntry();
    if (c == '?' && (flow_ > 0 || blank_next)) return FetchKey();
    if (c == ':' && (flow_ > 0 || blank_next)) return FetchValue();
    if (c == '|' && flow_ == 0) return FetchBlockScalar(false);
    if (c == '>' && flow_ == 0) return FetchBlockScalar(true);
    const bool indicator =
        IsYamlBlankOrEnd(c) ||
        std::u32string_view(U"-?:,[]{}#&*!|>'\"%@`").find(c) !=
            std::u32string_view::npos;
    const bool plain =
        !indicator ||
        (!blank_next && (c == '-' || (flow_ == 0 && (c == '?' || c == ':'))));
    if (plain) return FetchPlain();
    if (c == '\t') {
      in_.Fail(mark,
               "a tab cannot stand here: YAML is indented and separated by "
               "spaces");
    }
    in_.Fail(mark, fmt::format("a value cannot begin with {}: quote it",
                               ShownCharacter(c)));
  }

  void SkipToToken() {
    if (in_.index() == 0 && in_.Peek() == 0xFEFF) in_.Forward();
    while (true) {
      while (in_.Peek() == ' ') in_.Forward();
      if (in_.Peek() == '#') {
        while (!IsYamlBreakOrEnd(in_.Peek())) in_.Forward();
      }
      if (!IsYamlBreak(in_.Peek())) return;
      in_.Break();
      if (flow_ == 0) simple_key_allowed_ = true;
    }
  }

  // ---- simple keys and indentation ----
  void DropStaleKeys() {
    for (auto it = keys_.begin(); it != keys_.end();) {
      const SimpleKey& key = it->second;
      if (key.mark.line == in_.mark().line &&
          in_.index() - key.index <= kLongestSimpleKey) {
        ++it;
        continue;
      }
      if (key.required) in_.Fail(key.mark, "expected ':' after this key");
      it = keys_.erase(it);
    }
  }
  void SaveKey() {
    const bool required = flow_ == 0 && indent_ == in_.Column();
    if (!simple_key_allowed_) return;
    RemoveKey();
    keys_[flow_] = {tokens_.size(), required, in_.index(), in_.mark()};
  }
  void RemoveKey() {
    const auto it = keys_.find(flow_);
    if (it == keys_.end()) return;
    if (it->second.required)
      in_.Fail(it->second.mark, "expected ':' after this key");
    keys_.erase(it);
  }
  void Unwind(int column) {
    if (flow_ > 0) return;
    while (indent_ > column) {
      indent_ = indents_.back();
      indents_.pop_back();
      Add(kBlockEnd, in_.mark());
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
    Add(kStreamEnd, in_.mark());
  }

  void FetchDirective() {
    Unwind(-1);
    RemoveKey();
    simple_key_allowed_ = false;
    const YamlMark mark = in_.mark();
    std::string text;
    while (!IsYamlBreakOrEnd(in_.Peek())) {
      AppendUtf8(in_.Peek(), text);
      in_.Forward();
    }
    in_.Break();
    Add(kDirective, mark, std::move(text));
  }

  void FetchFlowStart(YamlTokenKind kind) {
    SaveKey();
    if (++flow_ > kDeepestFlow)
      in_.Fail(in_.mark(),
               fmt::format("brackets nested more than {} deep", kDeepestFlow));
    simple_key_allowed_ = true;
    const YamlMark mark = in_.mark();
    in_.Forward();
    Add(kind, mark);
  }

  void FetchFlowEnd(YamlTokenKind kind) {
    RemoveKey();
    if (flow_ > 0) --flow_;
    simple_key_allowed_ = false;
    const YamlMark mark = in_.mark();
    in_.Forward();
    Add(kind, mark);
  }

  void FetchBlockEntry() {
    const YamlMark mark = in_.mark();
    if (flow_ == 0) {
      if (!simple_key_allowed_)
        in_.Fail(mark, "a list item ('- ') cannot begin here");
      if (AddIndent(in_.Column())) Add(kBlockSequenceStart, mark);
    }
    simple_key_allowed_ = true;
    RemoveKey();
    in_.Forward();
    Add(kBlockEntry, mark);
  }

  void FetchKey() {
    const YamlMark mark = in_.mark();
    if (flow_ == 0) {
      if (!simple_key_allowed_)
        in_.Fail(mark, "a key ('? ') cannot begin here");
      if (AddIndent(in_.Column())) Add(kBlockMappingStart, mark);
    }
    simple_key_allowed_ = flow_ == 0;
    RemoveKey();
    in_.Forward();
    Add(kKey, mark);
  }

  void FetchValue() {
    const YamlMark mark = in_.mark();
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
          in_.Fail(mark,
                   "a second ': ' in one line: quote the value if the colon "
                   "belongs to it");
        }
        if (AddIndent(in_.Column())) Add(kBlockMappingStart, mark);
      }
      simple_key_allowed_ = flow_ == 0;
      RemoveKey();
    }
    in_.Forward();
    Add(kValue, mark);
  }

  void FetchAnchor(YamlTokenKind kind) {
    SaveKey();
    simple_key_allowed_ = false;
    const YamlMark mark = in_.mark();
    in_.Forward();
    std::string name;
    while (IsWordCharacter(in_.Peek())) {
      AppendUtf8(in_.Peek(), name);
      in_.Forward();
    }
    const bool ends = IsYamlBlankOrEnd(in_.Peek()) ||
                      std::u32string_view(U"?:,]}%@`").find(in_.Peek()) !=
                          std::u32string_view::npos;
    if (name.empty() || !ends) {
      in_.Fail(
          in_.mark(),
          fmt::format("expected a name of letters and digits after "
                      "'{}', found {}: quote the value",
                      kind == kAlias ? '*' : '&', ShownCharacter(in_.Peek())));
    }
    Add(kind, mark, std::move(name));
  }

  void FetchTag() {
    SaveKey();
    simple_key_allowed_ = false;
    const YamlMark mark = in_.mark();
    std::string text;
    while (!IsYamlBlankOrEnd(in_.Peek()) &&
           (flow_ == 0 ||
            (in_.Peek() != ',' && in_.Peek() != ']' && in_.Peek() != '}'))) {
      AppendUtf8(in_.Peek(), text);
      in_.Forward();
    }
    Add(kTag, mark, std::move(text));
  }

  void FetchBlockScalar(bool folded) {
    simple_key_allowed_ = true;
    RemoveKey();
    const YamlMark mark = in_.mark();
    in_.Forward();
    Add(kScalar, mark, ScanBlockText(in_, indent_, folded));
  }

  void FetchQuoted() {
    SaveKey();
    simple_key_allowed_ = false;
    const YamlMark mark = in_.mark();
    Add(kScalar, mark, ScanQuotedText(in_));
  }

  void FetchPlain() {
    SaveKey();
    const YamlMark mark = in_.mark();
    PlainText plain = ScanPlainText(in_, indent_ + 1, flow_ > 0);
    simple_key_allowed_ = plain.line_ended;
    Add(kScalar, mark, std::move(plain.text)).plain = true;
  }

  YamlCursor in_;
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

Result<std::vector<YamlToken>> ScanYaml(std::shared_ptr<const Source> source) {
  YamlCursor text = TRY(YamlCursor::Open(std::move(source)));
  return Scanner(std::move(text)).Run();
}

}  // namespace rangefinder
