#include "config/override.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "config/functions.h"
#include "config/grammar.h"
#include "config/scalar.h"

namespace rangefinder {
namespace {

constexpr int kDeepest = 100;
constexpr std::size_t kLongest = std::size_t{1} << 20;

// Where an override went wrong, and what would have been right.
struct Failure {
  std::size_t at = 0;
  std::string message;
  bool quoting = false;  // quoting the value would have helped
};

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsKeyCharacter(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '$';
}

class Parser {
 public:
  Parser(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::size_t at() const { return at_; }
  const std::optional<Failure>& failure() const { return failure_; }

  bool Key(Override& out) {
    if (Take("++")) {
      out.type = Override::Type::kForceAdd;
    } else if (Take("+")) {
      out.type = Override::Type::kAdd;
    } else if (Take("~")) {
      out.type = Override::Type::kDelete;
    }
    const auto name = Name(true);
    if (!name) return false;
    out.key = *name;
    if (Take("@")) {
      const auto package = Name(false);
      if (!package) return false;
      out.package = *package;
    }
    if (Take("=")) return true;
    if (!done()) {
      return Fail(
          fmt::format("'{}' cannot stand in a key: keys are letters, "
                      "digits, '_', '-' and '$', joined by '.'",
                      Character()));
    }
    if (out.type != Override::Type::kDelete)
      return Fail("expected '=' and a value");
    out.has_value = false;
    return true;
  }

  bool TopValue(Override& out) {
    SkipBlanks();
    if (done()) {
      out.value = Node::String("");
      return true;
    }
    if (!Element(out.value, &out)) return false;
    bool sweep = false;
    Node choices = Node::List();
    while (TakeComma()) {
      if (!sweep) choices.items.push_back(std::move(out.value));
      sweep = true;
      Node next;
      Override other;
      if (!Element(next, &other)) return false;
      choices.items.push_back(std::move(next));
    }
    if (sweep) {
      out.value = std::move(choices);
      out.sweep = Override::Sweep::kSimple;
      out.quote = 0;
    }
    if (done()) return true;
    if (text_[at_] == ' ' || text_[at_] == '\t')
      return Fail(
          "nothing may follow a quoted string, list, dict or call here");
    return Fail(fmt::format("'{}' needs quoting here", Character()), true);
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  bool Take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void SkipBlanks() {
    while (!done() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool TakeComma() {
    const std::size_t start = at_;
    SkipBlanks();
    if (!Take(",")) {
      at_ = start;
      return false;
    }
    SkipBlanks();
    return true;
  }
  std::string Character() const {
    if (done()) return "the end";
    const ValueToken token = NextValueToken(text_.substr(at_));
    return Printable(token.kind == ValueTokenKind::kBad ? token.text
                                                        : text_.substr(at_, 1));
  }
  bool Fail(std::string message, bool quoting = false) {
    if (!failure_) failure_ = Failure{at_, std::move(message), quoting};
    return false;
  }

  // A package, or a group with slashes where `group` allows it.
  std::optional<std::string> Name(bool group) {
    const std::size_t start = at_;
    while (!done() && (IsKeyCharacter(text_[at_]) || text_[at_] == '.' ||
                       (group && text_[at_] == '/')))
      ++at_;
    const std::string name(text_.substr(start, at_ - start));
    if (name.empty()) return name;
    const auto fail = [&](std::size_t offset,
                          std::string message) -> std::optional<std::string> {
      at_ = start + offset;
      Fail(std::move(message));
      return std::nullopt;
    };
    const bool slashes = name.find('/') != std::string::npos;
    const std::vector<std::string> parts = Split(name, slashes ? '/' : '.');
    if (parts.size() > kDeepest) {
      return fail(0, fmt::format("a name of more than {} parts", kDeepest));
    }
    std::size_t offset = 0;
    for (const std::string& part : parts) {
      if (part.empty()) return fail(offset, "expected a name here");
      if (slashes) {
        const auto bad = part.find_first_of(".$");
        if (bad != std::string::npos) {
          return fail(offset + bad,
                      "a group is names joined by '/', without '.' or '$'");
        }
      }
      const bool number = !slashes && parts.size() > 1 && IsGrammarInt(part) &&
                          part[0] >= '0' && part[0] <= '9';
      if (!number && !IsLetter(part[0]) && (slashes || part[0] != '$')) {
        return fail(offset,
                    fmt::format("a name cannot begin with '{}'{}", part[0],
                                parts.size() > 1 && !slashes
                                    ? "; list items are 'list.0'"
                                    : ""));
      }
      offset += part.size() + 1;
    }
    return name;
  }

  // `top`: of the override itself, where a call may make it a sweep.
  bool Element(Node& out, Override* top) {
    if (++depth_ > kDeepest) return Fail("nested too deep");
    const bool ok = ElementInside(out, top);
    --depth_;
    return ok;
  }

  bool ElementInside(Node& out, Override* top) {
    if (done()) return Fail("expected a value");
    switch (text_[at_]) {
      case '\'':
      case '"':
        return Quoted(out, top);
      case '[':
        return List(out);
      case '{':
        return Dict(out);
      default:
        break;
    }
    const std::size_t start = at_;
    Primitive primitive;
    while (true) {
      const ValueToken token = NextValueToken(text_.substr(at_));
      switch (token.kind) {
        case ValueTokenKind::kWord:
        case ValueTokenKind::kColon:
        case ValueTokenKind::kBlank:
        case ValueTokenKind::kEscape:
          primitive.Add(token);
          at_ += token.text.size();
          continue;
        case ValueTokenKind::kInterpolation: {
          const std::size_t close = text_.find('}', at_ + 2);
          if (close == std::string_view::npos)
            return Fail("this '${' is never closed by '}'");
          if (close == at_ + 2) return Fail("expected a name in '${}'");
          primitive.AddText(text_.substr(at_, close + 1 - at_));
          at_ = close + 1;
          continue;
        }
        case ValueTokenKind::kBad:
          return Fail(fmt::format("'{}' needs quoting", Character()), true);
        case ValueTokenKind::kEnd:
        case ValueTokenKind::kStructure:
          break;
      }
      break;
    }
    if (!done()) {
      const char c = text_[at_];
      if (c == '(') {
        if (const auto name = primitive.Identifier())
          return Call(*name, start, out, top);
        return Fail("'(' needs quoting", true);
      }
      if (c == '[' || c == '{' || c == '\'' || c == '"' || c == '=')
        return Fail(fmt::format("'{}' inside a value needs quoting", c), true);
    }
    if (primitive.empty()) {
      return Fail(fmt::format("expected a value, found '{}'", Character()),
                  true);
    }
    out = primitive.Value();
    return true;
  }

  bool Quoted(Node& out, Override* top) {
    const char quote = text_[at_];
    const auto length = QuotedEnd(text_.substr(at_));
    if (!length)
      return Fail(fmt::format("this {} is never closed", quote), true);
    out = Node::String(
        UnquoteOverride(text_.substr(at_ + 1, *length - 2), quote));
    at_ += *length;
    if (top != nullptr) top->quote = quote;
    return true;
  }

  bool List(Node& out) {
    out = Node::List();
    ++at_;
    SkipBlanks();
    if (Take("]")) return true;
    while (true) {
      Node item;
      if (!Element(item, nullptr)) return false;
      out.items.push_back(std::move(item));
      if (TakeComma()) continue;
      SkipBlanks();
      if (Take("]")) return true;
      if (done()) return Fail("expected ',' or ']'");
      return Fail(
          fmt::format("expected ',' or ']', found '{}': quote the item "
                      "if it belongs to it",
                      Character()));
    }
  }

  bool Dict(Node& out) {
    out = Node::Map();
    ++at_;
    SkipBlanks();
    if (Take("}")) return true;
    while (true) {
      Primitive key;
      while (true) {
        const ValueToken token = NextValueToken(text_.substr(at_));
        if (token.kind != ValueTokenKind::kWord &&
            token.kind != ValueTokenKind::kBlank &&
            token.kind != ValueTokenKind::kEscape)
          break;
        key.Add(token);
        at_ += token.text.size();
      }
      if (key.empty() || done() || text_[at_] != ':') {
        return Fail(done() ? "expected ':' after the key"
                           : fmt::format("expected 'key: value', found '{}'; "
                                         "keys cannot be quoted",
                                         Character()));
      }
      ++at_;
      SkipBlanks();
      Node value;
      if (!Element(value, nullptr)) return false;
      SetKey(out, key.Value(), std::move(value));
      if (TakeComma()) continue;
      SkipBlanks();
      if (Take("}")) return true;
      if (done()) return Fail("expected ',' or '}'");
      return Fail(fmt::format("expected ',' or '}}', found '{}'", Character()));
    }
  }

  // As a Python dict does: 1, 1.0 and True are one key.
  static void SetKey(Node& map, Node key, Node value) {
    for (Entry& entry : map.entries) {
      if (PythonEqual(entry.key, key)) {
        entry.value = std::move(value);
        return;
      }
    }
    map.Set(key, std::move(value));
  }

  bool Call(const std::string& name, std::size_t start, Node& out,
            Override* top) {
    ++at_;  // '('
    FunctionCall call;
    call.name = name;
    SkipBlanks();
    if (!Take(")")) {
      while (true) {
        FunctionCall::Argument argument;
        const std::size_t before = at_;
        const ValueToken word = NextValueToken(text_.substr(at_));
        if (word.kind == ValueTokenKind::kWord && IsIdentifier(word.text)) {
          at_ += word.text.size();
          SkipBlanks();
          if (Take("=")) {
            SkipBlanks();
            argument.name = word.text;
          } else {
            at_ = before;
          }
        }
        if (argument.name.empty() && !call.arguments.empty() &&
            !call.arguments.back().name.empty())
          return Fail("positional arguments go before named ones");
        Override inner;
        if (!Element(argument.value, &inner)) return false;
        argument.sweep = inner.sweep;
        call.arguments.push_back(std::move(argument));
        if (TakeComma()) continue;
        SkipBlanks();
        if (Take(")")) break;
        return Fail(done() ? "expected ',' or ')'"
                           : fmt::format("expected ',' or ')', found '{}'",
                                         Character()));
      }
    }
    call.text = text_.substr(start, at_ - start);
    Result<FunctionValue> value = CallFunction(call);
    if (!value.ok()) {
      at_ = start;
      return Fail(value.error().message());
    }
    if (value.value().sweep != Override::Sweep::kNone) {
      if (top == nullptr) {
        at_ = start;
        return Fail("a sweep cannot stand inside a list or dict");
      }
      top->sweep = value.value().sweep;
    }
    out = std::move(value.value().node);
    return true;
  }

  std::string_view text_;
  std::size_t at_;
  int depth_ = 0;
  std::optional<Failure> failure_;
};

std::uint32_t ColumnOf(std::string_view text, std::size_t at) {
  std::uint32_t column = 1;
  for (std::size_t i = 0; i < at && i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++column;
  }
  return column;
}

void SetPlaces(Node& node, const Place& place) {
  node.place = place;
  for (Node& item : node.items) SetPlaces(item, place);
  for (Entry& entry : node.entries) {
    entry.key.place = place;
    SetPlaces(entry.value, place);
  }
}

Error ParseError(const std::shared_ptr<const Source>& source,
                 const Failure& failure, std::size_t value_at) {
  const std::string_view text = source->text;
  // The excerpt shows one line; an override may have several.
  const Place place{
      .source = source,
      .line = static_cast<std::uint32_t>(
          1 + std::ranges::count(text.substr(0, failure.at), '\n')),
      .column =
          ColumnOf(text.substr(text.substr(0, failure.at).rfind('\n') + 1),
                   failure.at - (text.substr(0, failure.at).rfind('\n') + 1))};
  std::string message =
      fmt::format("Error parsing override '{}'\n{}\n{}", Printable(text),
                  failure.message, Excerpt(place));
  if (failure.quoting && value_at > 0) {
    const std::string_view value = text.substr(value_at);
    if (!value.empty() && value[0] != '[' && value[0] != '{') {
      message +=
          fmt::format("To pass it as it is, type: {}\n",
                      ShellOverride(text.substr(0, value_at - 1), value));
    }
  }
  message.pop_back();
  return Error(ErrorCode::kUsage, std::move(message));
}

}  // namespace

std::string Override::KeyElement() const {
  return package ? key + "@" + *package : key;
}

Result<Override> ParseOverride(std::string_view text) {
  Override out;
  out.source = std::make_shared<const Source>(
      Source{.name = "command line", .text = std::string(text)});
  if (text.size() > kLongest)
    return Error(ErrorCode::kUsage, "an override is longer than 1 MiB");
  if (!IsValidUtf8(text)) {
    return Error(
        ErrorCode::kUsage,
        fmt::format("Error parsing override '{}'\nit is not valid UTF-8",
                    Printable(text)));
  }
  Parser key(text, 0);
  if (!key.Key(out)) return ParseError(out.source, *key.failure(), 0);
  if (!out.has_value) return out;
  Parser value(text, key.at());
  if (!value.TopValue(out))
    return ParseError(out.source, *value.failure(), key.at());
  SetPlaces(
      out.value,
      {.source = out.source, .line = 1, .column = ColumnOf(text, key.at())});
  return out;
}

Result<Node> ParseOverrideValue(std::string_view text) {
  Override out = TRY(ParseOverride("value=" + std::string(text)));
  if (out.sweep != Override::Sweep::kNone) return SweepError(out);
  return std::move(out.value);
}

}  // namespace rangefinder
