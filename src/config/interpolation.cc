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
      if (!Text(literal, 0)) return false;
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

  // Takes characters up to an interpolation, the closing `quote` or the end.
  // Backslashes are escapes only directly before "${" and before the quote.
  bool Text(std::string& out, char quote) {
    while (!done()) {
      const std::size_t slashes =
          std::min(rest().find_first_not_of('\\'), rest().size());
      const std::string_view after = rest().substr(slashes);
      const bool interpolation = after.starts_with("${");
      const bool closing = quote != 0 && after.starts_with(quote);
      if (interpolation || closing) {
        out.append(slashes / 2, '\\');
        at_ += slashes;
        if (slashes % 2 == 0) return true;
        const std::size_t n = interpolation ? 2 : 1;
        out += text_.substr(at_, n);
        at_ += n;
        continue;
      }
      if (slashes > 0) {
        out.append(slashes, '\\');
        at_ += slashes;
        continue;
      }
      out += text_[at_++];
    }
    return true;
  }

  bool Nested(Template& out) {
    auto interpolation = std::make_shared<Interpolation>();
    if (!ParseInterpolation(*interpolation)) return false;
    out.push_back({.interpolation = std::move(interpolation)});
    return true;
  }

  // At "${".
  bool ParseInterpolation(Interpolation& out) {
    return Nest([&] { return Inside(out); });
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
      TemplatePiece part;
      if (!KeyPart(part)) return false;
      resolver_name &=
          !bracket && (part.interpolation || IsIdentifier(part.text));
      out.parts.push_back(std::move(part));
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

  bool KeyPart(TemplatePiece& out) {
    if (rest().starts_with("${")) {
      out.interpolation = std::make_shared<Interpolation>();
      auto nested = std::make_shared<Interpolation>();
      if (!ParseInterpolation(*nested)) return false;
      out.interpolation = std::move(nested);
      return true;
    }
    constexpr std::string_view kEnds = "\\{}()[]:. \t'\"";
    const std::size_t n = std::min(rest().find_first_of(kEnds), rest().size());
    out.text = rest().substr(0, n);
    // "$" is part of a key, "${" is not.
    const std::size_t nested = out.text.find("${");
    if (nested != std::string::npos) out.text.resize(nested);
    if (n < rest().size() && rest()[n] == '{' && n > 0 && rest()[n - 1] == '$')
      out.text.pop_back();
    if (out.text.empty())
      return Fail(fmt::format("expected a key, found {}", Found()));
    at_ += out.text.size();
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
    std::string literal;  // since the last interpolation, without `blanks`
    std::string blanks;
    bool any = false;
    bool has_interpolation = false;
    while (true) {
      const ValueToken token = NextValueToken(rest());
      if (token.kind == ValueTokenKind::kInterpolation) {
        literal += blanks;
        blanks.clear();
        Flush(literal, out.pieces);
        if (!Nested(out.pieces)) return false;
        has_interpolation = any = true;
        continue;
      }
      if (token.kind == ValueTokenKind::kBlank) {
        if (any) blanks += token.text;
      } else if (token.kind == ValueTokenKind::kWord ||
                 token.kind == ValueTokenKind::kColon ||
                 token.kind == ValueTokenKind::kEscape) {
        literal += blanks;
        blanks.clear();
        literal += token.kind == ValueTokenKind::kEscape
                       ? Unescape(token.text)
                       : std::string(token.text);
        any = true;
      } else {
        break;
      }
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
    Flush(literal, out.pieces);
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
      if (!Text(literal, quote)) return false;
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
  return Error(
      ErrorCode::kUsage,
      fmt::format("{}\n  {}\n  {:{}}^", failure.message, shown, "", caret));
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
      return Error(ErrorCode::kUsage,
                   fmt::format("{}: in an interpolation: {}",
                               Describe(node.place), parsed.error().message()));
    }
  }
  for (const Node& item : node.items) TRY(ValidateInterpolations(item));
  for (const Entry& entry : node.entries)
    TRY(ValidateInterpolations(entry.value));
  return Ok();
}

}  // namespace rangefinder
