#include "config/interpolation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "config/grammar.h"

namespace rangefinder {
namespace {

class InterpolationParser : public GrammarCursor {
 public:
  explicit InterpolationParser(std::string_view text) : GrammarCursor(text) {}

  bool Top(Template& out) {
    std::string literal;
    while (!done()) {
      TakeText(literal, 0, true);
      if (done()) break;
      Flush(literal, out);
      if (!Nested(out)) return false;
    }
    Flush(literal, out);
    return true;
  }

  bool Value(ResolverArgument& out) {
    if (!Element(out)) return false;
    if (!done()) return Fail("expected the end of the value");
    return true;
  }

 private:
  static void Flush(std::string& literal, Template& out) {
    if (!literal.empty()) out.push_back({.text = std::move(literal)});
    literal.clear();
  }

  // At "${".
  bool Nested(Template& out) {
    auto interpolation = std::make_shared<Interpolation>();
    if (!Nest([&] { return Inside(*interpolation); })) return false;
    out.push_back({.interpolation = std::move(interpolation)});
    return true;
  }

  bool Inside(Interpolation& out) {
    at_ += 2;
    SkipBlanks();
    while (Take(".")) ++out.dots;
    bool resolver_name = out.dots == 0;
    bool first = true;
    while (true) {
      const bool bracket = Take("[");
      if (!bracket && !first && !Take(".")) break;
      if (!KeyPart(out.parts)) return false;
      const TemplatePiece& part = out.parts.back();
      resolver_name &=
          !bracket && (part.interpolation || IsIdentifier(part.text));
      if (bracket && !Take("]"))
        return Fail(fmt::format("expected ']', found {}", Found()));
      first = false;
    }
    if (TakeAfterBlanks("}")) return true;
    if (resolver_name && TakeAfterBlanks(":")) {
      out.resolver = true;
      return Arguments(out);
    }
    if (done()) return Fail("expected '}': this '${' is never closed");
    return Fail(fmt::format(
        "expected '}}'{} here, found {}",
        resolver_name ? ", '.', '[' or ':'" : ", '.' or '['", Found()));
  }

  bool KeyPart(Template& out) {
    if (rest().starts_with("${")) return Nested(out);
    constexpr std::string_view kEnds = "\\{}()[]:. \t'\"";
    const std::size_t n = std::min(rest().find_first_of(kEnds), rest().size());
    std::string_view key = rest().substr(0, n);
    // "$" is part of a key, "${" is not.
    if (key.ends_with('$') && rest().substr(n).starts_with('{'))
      key.remove_suffix(1);
    if (key.empty())
      return Fail(fmt::format("expected a key, found {}", Found()));
    out.push_back({.text = std::string(key)});
    at_ += key.size();
    return true;
  }

  // After "name:".
  bool Arguments(Interpolation& out) {
    SkipBlanks();
    if (Take("}")) return true;
    while (true) {
      ResolverArgument argument;
      const std::size_t start = at_;
      SkipBlanks();
      if (rest().starts_with(",") || rest().starts_with("}")) {
        argument.value = Node::String("");
      } else {
        at_ = start;
        if (!Element(argument)) return false;
      }
      out.arguments.push_back(std::move(argument));
      if (TakeAfterBlanks("}")) return true;
      if (!TakeComma()) {
        return Fail(
            done() ? "expected '}': this '${' is never closed"
                   : fmt::format("expected ',' or '}}', found {}", Found()));
      }
    }
  }

  bool Element(ResolverArgument& out) {
    return Nest([&] { return ElementInside(out); });
  }

  bool ElementInside(ResolverArgument& out) {
    if (done()) return Fail("expected a value");
    switch (text_[at_]) {
      case '\'':
      case '"':
        return Quoted(out);
      case '[':
        return List(out);
      case '{':
        return Map(out);
      default:
        return Unquoted(out);
    }
  }

  bool Unquoted(ResolverArgument& out) {
    Primitive primitive;
    bool has_interpolation = false;
    while (true) {
      const ValueToken token = NextValueToken(rest());
      if (token.kind == ValueTokenKind::kInterpolation) {
        // A token without text, so that the blanks before it stay.
        primitive.Add({token.kind, ""});
        Flush(primitive.text(), out.pieces);
        if (!Nested(out.pieces)) return false;
        has_interpolation = true;
        continue;
      }
      if (token.kind != ValueTokenKind::kBlank &&
          token.kind != ValueTokenKind::kWord &&
          token.kind != ValueTokenKind::kColon &&
          token.kind != ValueTokenKind::kEscape)
        break;
      primitive.Add(token);
      at_ += token.text.size();
    }
    if (!done() && text_[at_] != ',' && text_[at_] != ']' && text_[at_] != '}')
      return Fail(fmt::format("{} needs quoting here", Found()));
    if (!has_interpolation) {
      if (primitive.empty())
        return Fail(fmt::format("expected a value, found {}", Found()));
      out.kind = ResolverArgument::Kind::kValue;
      out.value = primitive.Value();
      return true;
    }
    Flush(primitive.text(), out.pieces);
    out.kind = ResolverArgument::Kind::kTemplate;
    return true;
  }

  bool Quoted(ResolverArgument& out) {
    const std::size_t start = at_;
    const char quote = text_[at_++];
    std::string literal;
    out.kind = ResolverArgument::Kind::kTemplate;
    out.quoted = true;
    while (true) {
      TakeText(literal, quote, true);
      if (done()) {
        at_ = start;
        return Fail("this quote is never closed");
      }
      if (text_[at_] == quote) break;
      Flush(literal, out.pieces);
      if (!Nested(out.pieces)) return false;
    }
    ++at_;
    Flush(literal, out.pieces);
    return true;
  }

  bool List(ResolverArgument& out) {
    out.kind = ResolverArgument::Kind::kList;
    return TakeItems("]", [&] { return Element(out.items.emplace_back()); });
  }

  bool Map(ResolverArgument& out) {
    out.kind = ResolverArgument::Kind::kMap;
    return TakeItems("}", [&] {
      const std::optional<Node> key = TakeMapKey();
      ResolverArgument item;
      if (!key || !Element(item)) return false;
      const auto same = std::ranges::find_if(
          out.keys, [&](const Node& k) { return PythonEqual(k, *key); });
      if (same != out.keys.end()) {
        out.items[static_cast<std::size_t>(same - out.keys.begin())] =
            std::move(item);
      } else {
        out.keys.push_back(*key);
        out.items.push_back(std::move(item));
      }
      return true;
    });
  }
};

Error SyntaxError(std::string_view text,
                  const GrammarCursor::Failure& failure) {
  constexpr std::size_t kShown = 160;
  std::string shown = Printable(text.substr(0, failure.at));
  const std::size_t caret = std::min(DisplayWidth(shown), kShown);
  shown = Printable(text);
  if (shown.size() > kShown) shown = Ellipsize(shown, kShown);
  return UsageError("{}\n  {}\n  {:{}}^", failure.message, shown, "", caret);
}

}  // namespace

Result<Template> ParseTemplate(std::string_view text) {
  InterpolationParser parser(text);
  Template out;
  if (!parser.Top(out)) return SyntaxError(text, *parser.failure());
  return out;
}

Result<ResolverArgument> ParseResolverValue(std::string_view text) {
  InterpolationParser parser(text);
  ResolverArgument out;
  if (!parser.Value(out)) return SyntaxError(text, *parser.failure());
  return out;
}

Status ValidateInterpolations(const Node& node) {
  if (node.is_interpolation()) {
    Result<Template> parsed = ParseTemplate(node.text);
    if (!parsed.ok()) {
      return UsageError("{}: in an interpolation: {}", Describe(node.place),
                        parsed.error().message());
    }
  }
  for (const Node& item : node.items) TRY(ValidateInterpolations(item));
  for (const Entry& entry : node.entries)
    TRY(ValidateInterpolations(entry.value));
  return Ok();
}

}  // namespace rangefinder
