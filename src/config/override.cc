#include "config/override.h"

#include <fmt/format.h>

#include "base/text.h"
#include "config/functions.h"
#include "config/grammar.h"
#include "config/scalar.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostNameParts = 100;
constexpr std::size_t kLongest = std::size_t{1} << 20;

bool IsKeyCharacter(char c) {
  return IsLetter(c) || IsAsciiDigit(c) || c == '-' || c == '$';
}

class OverrideParser : public GrammarCursor {
 public:
  OverrideParser(std::string_view text, std::size_t at)
      : GrammarCursor(text, at) {}

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
          fmt::format("{} cannot stand in a key: keys are letters, "
                      "digits, '_', '-' and '$', joined by '.'",
                      Found()));
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
    return Fail(fmt::format("{} needs quoting here", Found()), true);
  }

 private:
  // Takes a package or key; with `group` also a group, which may have slashes.
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
    if (parts.size() > kMostNameParts) {
      return fail(0,
                  fmt::format("a name of more than {} parts", kMostNameParts));
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
                          IsAsciiDigit(part[0]);
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

  // `top`: the override, if this element is its whole value, which may be a
  // sweep.
  bool Element(Node& out, Override* top) {
    return Nest([&] { return ElementInside(out, top); });
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
      const ValueToken token = NextValueToken(rest());
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
          primitive.Add({token.kind, text_.substr(at_, close + 1 - at_)});
          at_ = close + 1;
          continue;
        }
        case ValueTokenKind::kBad:
          return Fail(fmt::format("{} needs quoting", Found()), true);
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
      return Fail(fmt::format("expected a value, found {}", Found()), true);
    }
    out = primitive.Value();
    return true;
  }

  bool Quoted(Node& out, Override* top) {
    const std::size_t start = at_;
    const char quote = text_[at_++];
    std::string value;
    TakeText(value, quote, false);
    if (done()) {
      at_ = start;
      return Fail(fmt::format("this {} is never closed", quote), true);
    }
    ++at_;
    out = Node::String(std::move(value));
    if (top != nullptr) top->quote = quote;
    return true;
  }

  bool List(Node& out) {
    out = Node::List();
    return TakeItems(
        "]", [&] { return Element(out.items.emplace_back(), nullptr); });
  }

  bool Dict(Node& out) {
    out = Node::Map();
    return TakeItems("}", [&] {
      std::optional<Node> key = TakeMapKey();
      Node value;
      if (!key || !Element(value, nullptr)) return false;
      SetKey(out, *std::move(key), std::move(value));
      return true;
    });
  }

  // As in a Python dict, 1, 1.0 and True are one key.
  static void SetKey(Node& map, Node key, Node value) {
    for (Entry& entry : map.entries) {
      if (PythonEqual(entry.key, key)) {
        entry.value = std::move(value);
        return;
      }
    }
    map.Set(key, std::move(value));
  }

  bool Argument(FunctionCall& call) {
    FunctionCall::Argument argument;
    const std::size_t before = at_;
    const ValueToken word = NextValueToken(rest());
    if (word.kind == ValueTokenKind::kWord && IsIdentifier(word.text)) {
      at_ += word.text.size();
      if (TakeAfterBlanks("=")) {
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
    return true;
  }

  // At the "(" of a call that begins at `start`.
  bool Call(const std::string& name, std::size_t start, Node& out,
            Override* top) {
    FunctionCall call{.name = name};
    if (!TakeItems(")", [&] { return Argument(call); })) return false;
    call.text = text_.substr(start, at_ - start);
    Result<FunctionValue> value = CallFunction(call);
    at_ = value.ok() ? at_ : start;
    if (!value.ok()) return Fail(value.error().message());
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
};

void SetPlaces(Node& node, const Place& place) {
  node.place = place;
  for (Node& item : node.items) SetPlaces(item, place);
  for (Entry& entry : node.entries) {
    entry.key.place = place;
    SetPlaces(entry.value, place);
  }
}

Error ParseError(const std::shared_ptr<const Source>& source,
                 const GrammarCursor::Failure& failure, std::size_t value_at) {
  const std::string_view text = source->text;
  // An override may have several lines; the excerpt shows the line of the
  // error.
  const Place place = PlaceAt(source, text.substr(0, failure.at));
  std::string message =
      fmt::format("Error parsing override '{}'\n{}\n{}", Printable(text),
                  failure.message, Excerpt(place));
  if (failure.quoting && value_at > 0) {
    const std::string_view value = text.substr(value_at);
    if (!value.empty() && value[0] != '[' && value[0] != '{') {
      message +=
          fmt::format("\nTo pass it as it is, type: {}",
                      ShellOverride(text.substr(0, value_at - 1), value));
    } else if (value.ends_with(']') &&
               value.find_first_of("[]{}'\"\\$`!\n", 1) == value.size() - 1) {
      std::string items;
      for (const std::string& item :
           Split(value.substr(1, value.size() - 2), ','))
        items += (items.empty() ? "" : ",") + QuoteOverrideValue(Trim(item));
      message +=
          fmt::format("\nTo pass the texts as they are, type: \"{}[{}]\"",
                      Printable(text.substr(0, value_at)), Printable(items));
    }
  }
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
    return UsageError("an override is longer than 1 MiB");
  if (!IsValidUtf8(text)) {
    return UsageError("Error parsing override '{}'\nit is not valid UTF-8",
                      Printable(text));
  }
  OverrideParser key(text, 0);
  if (!key.Key(out)) return ParseError(out.source, *key.failure(), 0);
  if (!out.has_value) return out;
  OverrideParser value(text, key.at());
  if (!value.TopValue(out))
    return ParseError(out.source, *value.failure(), key.at());
  SetPlaces(out.value, PlaceAt(out.source, text.substr(0, key.at())));
  return out;
}

Error SweepError(const Override& sweep) {
  if (sweep.sweep == Override::Sweep::kSimple) {
    return UsageError(
        "Ambiguous value for argument '{0}'\n"
        "1. To use it as a list, use key=[value1,value2]\n"
        "2. To use it as string, quote the value: key='value1,value2'\n"
        "3. To sweep over it, run Rangefinder once a value; it does one run at "
        "a time\n"
        "With quotes for the shell: {1}",
        sweep.input(),
        ShellOverride(sweep.input().substr(0, sweep.input().find('=')),
                      sweep.input().substr(sweep.input().find('=') + 1)));
  }
  return UsageError(
      "Sweep parameters '{}' requires --multirun\n"
      "Rangefinder does one run at a time and has no --multirun: give one "
      "value",
      sweep.input());
}

std::string QuoteOverrideValue(std::string_view value) {
  const char quote = value.find('\'') != std::string_view::npos &&
                             value.find('"') == std::string_view::npos
                         ? '"'
                         : '\'';
  std::string out(1, quote);
  for (std::size_t at = 0; at <= value.size(); ++at) {
    std::size_t count = 0;
    while (at < value.size() && value[at] == '\\') {
      ++count;
      ++at;
    }
    const bool before_quote = at == value.size() || value[at] == quote;
    out.append(before_quote ? 2 * count : count, '\\');
    if (at == value.size()) break;
    if (value[at] == quote) out += '\\';
    out += value[at];
  }
  return out + quote;
}

std::string ShellOverride(std::string_view key, std::string_view value) {
  const std::string text = fmt::format("{}={}", key, QuoteOverrideValue(value));
  if (text.find_first_of("\"$`\\!\n") == std::string::npos)
    return "\"" + text + "\"";
  return ShellQuote(std::string_view(text));
}

}  // namespace rangefinder
