#include "region/nvtx_expression.h"

#include <algorithm>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/lists.h"
#include "base/text.h"
#include "region/pattern.h"

namespace rangefinder::ncu {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// std::regex recurses once for each character.
constexpr std::size_t kLongestForStdRegex = 2048;

// Whether the backslash at `i` escapes the next character.
bool Escapes(std::string_view text, std::size_t i, bool regex) {
  if (i + 1 >= text.size()) return false;
  return regex || kSigns.find(text[i + 1]) != kNone;
}

// The first `wanted` from `from` on that is not escaped; kNone: nowhere.
std::size_t FindPlain(std::string_view text, char wanted, bool regex,
                      std::size_t from = 0) {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == wanted) return i;
    if (text[i] == '\\' && Escapes(text, i, regex)) ++i;
  }
  return kNone;
}

bool EndsPlainlyWith(std::string_view text, char wanted, bool regex) {
  std::size_t last = kNone;
  for (std::size_t at = FindPlain(text, wanted, regex); at != kNone;
       at = FindPlain(text, wanted, regex, at + 1))
    last = at;
  return last != kNone && last + 1 == text.size();
}

// The pieces of `text` between the unescaped separators.
std::vector<std::string_view> Cut(std::string_view text, char separator,
                                  bool regex) {
  std::vector<std::string_view> pieces;
  for (std::size_t from = 0;;) {
    const std::size_t at =
        std::min(FindPlain(text, separator, regex, from), text.size());
    pieces.push_back(text.substr(from, at - from));
    if (at == text.size()) return pieces;
    from = at + 1;
  }
}

std::string Unescape(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && Escapes(text, i, false)) ++i;
    name += text[i];
  }
  return name;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : body_(text) {
    expression_.text = text;
  }

  Result<NvtxExpression> Parse() {
    std::string_view rest = body_;
    regex_ = rest.starts_with(kRegexPrefix);
    expression_.regex = regex_;
    bool ends_with_set = false;
    if (regex_) {
      // At the end, /] closes a set of characters: the slash says that the
      // bracket is no top of the stack, and is not part of the name.
      ends_with_set = rest.ends_with("/]");
      if (ends_with_set) body_.erase(body_.size() - 2, 1);
      rest = body_;
      rest.remove_prefix(kRegexPrefix.size());
    }
    TRY(ParseDomain(rest));
    if (rest.empty() && !regex_) return Refuses(rest, "no range is named");
    const bool top = !ends_with_set && EndsPlainlyWith(rest, ']', regex_);
    if (top || rest.starts_with('[') || FindPlain(rest, '/', regex_) != kNone) {
      TRY(ParsePushPop(rest, top));
    } else {
      TRY(ParseStartEnd(rest));
    }
    return std::move(expression_);
  }

 private:
  // An error about `part`, a piece of body_.
  Error Refuses(std::string_view part, std::string_view why) const {
    return {ErrorCode::kUsage,
            fmt::format("ncu refuses '{}' (Invalid configuration): {}, at "
                        "character {}",
                        Printable(expression_.text), why,
                        part.data() - body_.data() + 1)};
  }

  Result<NvtxName> ParseName(std::string_view part) const {
    if (!regex_) return NvtxName::Exact(Unescape(part));
    Result<NvtxName> name = NvtxName::Regex(part);
    if (!name.ok()) return Refuses(part, name.error().message());
    return name;
  }

  Status ParseDomain(std::string_view& rest) {
    const std::size_t at = FindPlain(rest, '@', regex_);
    if (at == kNone) return Ok();
    const std::string_view domain = rest.substr(0, at);
    if (domain.empty() && !regex_)
      return Refuses(domain, "no domain is named before @");
    NvtxName name = TRY(ParseName(domain));
    expression_.domain = std::move(name);
    rest.remove_prefix(at + 1);
    const std::size_t more = FindPlain(rest, '@', regex_);
    if (more != kNone) {
      return Refuses(rest.substr(more),
                     "an expression speaks of one domain only");
    }
    if (rest.empty()) return Refuses(rest, "no range is named after @");
    return Ok();
  }

  Status ParseStartEnd(std::string_view names) {
    for (const std::string_view part : Cut(names, ',', regex_)) {
      NvtxName name = TRY(ParseName(part));
      expression_.names.push_back(std::move(name));
    }
    return Ok();
  }

  // `regex_top`: the last bracket of a regular expression is the top of the
  // stack.
  Status ParsePushPop(std::string_view names, bool regex_top) {
    expression_.form = NvtxExpression::Form::kPushPop;
    std::vector<std::string_view> parts = Cut(names, '/', regex_);
    std::erase(parts, std::string_view());
    if (parts.empty()) {
      // ncu fails on an exact expression; a regular expression matches nothing.
      return regex_ ? Ok() : Status(Refuses(names, "no range is named"));
    }
    // In an exact expression the brackets belong to the first and the last
    // name; in a regular expression to the whole text, so that R[0-9]/ has no
    // top.
    const bool bottom = (regex_ ? names : parts.front()).starts_with('[');
    const bool top =
        regex_ ? regex_top : EndsPlainlyWith(parts.back(), ']', false);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::string_view part = parts[i];
      if (part == "*" || part == "+") {
        if (expression_.steps.empty())
          return Refuses(part, "a quantifier stands before every name");
        // The last of several quantifiers in a row counts.
        expression_.steps.back().gap =
            part == "*" ? NvtxStep::Gap::kAnyFrames : NvtxStep::Gap::kOneFrame;
        continue;
      }
      if (i == 0 && bottom) {
        // A lone name keeps the bracket at its end: [A] is a range named "A]".
        expression_.bottom = true;
        part.remove_prefix(1);
      } else if (i + 1 == parts.size() && top) {
        expression_.top = true;
        part.remove_suffix(1);
      }
      NvtxName name = TRY(ParseName(part));
      expression_.steps.push_back({.name = std::move(name)});
    }
    return Ok();
  }

  std::string body_;
  bool regex_ = false;
  NvtxExpression expression_;
};

// Whether it has a number, in braces or behind a backslash, with more digits
// than std::regex can handle.
bool HasHugeNumber(std::string_view expression) {
  constexpr std::size_t kMostDigits = 9;
  bool counts = false;
  std::size_t digits = 0;
  for (const char c : expression) {
    if (IsAsciiDigit(c)) {
      if (counts && ++digits > kMostDigits) return true;
      continue;
    }
    counts = c == '{' || c == '\\' || (counts && c == ',');
    digits = 0;
  }
  return false;
}

// Whether a stack of names, outermost first, has the steps of a push/pop
// expression.
bool MatchesStack(const NvtxExpression& expression,
                  std::span<const std::string_view> stack) {
  // If a name is open twice, ncu knows the outer range only.
  std::vector<std::string_view> names;
  for (const std::string_view name : stack) AddOnce(names, name);
  using Gap = NvtxStep::Gap;
  const std::size_t n = names.size();
  // reached[i]: whether the steps so far can end with names[i].
  std::vector<bool> reached(n, false);
  Gap gap = Gap::kNone;
  for (std::size_t step = 0; step < expression.steps.size(); ++step) {
    const auto is_reachable = [&](std::size_t i) {
      if (step == 0) return i == 0 || !expression.bottom;
      if (gap == Gap::kNone) return i >= 1 && reached[i - 1];
      if (gap == Gap::kOneFrame) return i >= 2 && reached[i - 2];
      // Any frame after it. In ncu, an exact A/*/A matches a stack with one A.
      const auto end = reached.begin() + static_cast<std::ptrdiff_t>(i) +
                       (expression.regex ? 0 : 1);
      return std::find(reached.begin(), end, true) != end;
    };
    std::vector<bool> next(n, false);
    for (std::size_t i = 0; i < n; ++i) {
      next[i] =
          is_reachable(i) && expression.steps[step].name.Matches(names[i]);
    }
    reached = std::move(next);
    gap = expression.steps[step].gap;
  }
  if (expression.top) return n >= 1 && reached[n - 1];
  if (gap == Gap::kOneFrame) return n >= 2 && reached[n - 2];
  return Has(reached, true);
}

bool MatchesPushPop(const NvtxExpression& expression, const Profile& profile,
                    const Measurement& m, bool all_threads) {
  const NvtxState& state = profile.nvtx_states[Index(m.nvtx)];
  return std::ranges::any_of(state.stacks, [&](const NvtxStack& stack) {
    if (!all_threads && stack.thread != m.thread) return false;
    if (!MatchesDomain(expression,
                       profile.Name(state.domains[stack.domain].name)))
      return false;
    std::vector<std::string_view> names;
    for (const NvtxRange& range : stack.ranges)
      names.push_back(profile.Name(range.name));
    return MatchesStack(expression, names);
  });
}

bool MatchesStartEnd(const NvtxExpression& expression, const Profile& profile,
                     const Measurement& m) {
  const NvtxState& state = profile.nvtx_states[Index(m.nvtx)];
  const auto all_open_in = [&](std::uint32_t domain) {
    return std::ranges::all_of(expression.names, [&](const NvtxName& name) {
      return std::ranges::any_of(
          state.start_end, [&](const NvtxStartEnd& open) {
            return open.domain == domain &&
                   name.Matches(profile.Name(open.range.name));
          });
    });
  };
  for (std::uint32_t i = 0; i < state.domains.size(); ++i) {
    if (MatchesDomain(expression, profile.Name(state.domains[i].name)) &&
        all_open_in(i))
      return true;
  }
  return false;
}

}  // namespace

NvtxName NvtxName::Exact(std::string text) {
  NvtxName name;
  name.text_ = std::move(text);
  return name;
}

Result<NvtxName> NvtxName::Regex(std::string_view expression) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_dot_nl(true);
  NvtxName name;
  name.text_ = expression;
  auto regex = std::make_shared<const re2::RE2>(name.text_, options);
  if (regex->ok()) {
    name.regex_ = std::move(regex);
    return name;
  }
  if ((regex->error_code() == re2::RE2::ErrorBadPerlOp ||
       regex->error_code() == re2::RE2::ErrorBadEscape) &&
      !HasHugeNumber(expression)) {
    try {
      name.wide_regex_ = std::make_shared<const std::regex>(name.text_);
      return name;
    } catch (const std::regex_error&) {
      // RE2's message is the clearer one.
    }
  }
  return Error(ErrorCode::kUsage, regex->error());
}

bool NvtxName::Matches(std::string_view name) const {
  if (regex_ != nullptr)
    return re2::RE2::PartialMatch({name.data(), name.size()}, *regex_);
  if (wide_regex_ == nullptr) return name == text_;
  try {
    name = name.substr(0, kLongestForStdRegex);
    return std::regex_search(name.begin(), name.end(), *wide_regex_);
  } catch (const std::regex_error&) {
    return false;  // too complex, for ncu too
  }
}

Result<NvtxExpression> ParseNvtxExpression(std::string_view text) {
  return Parser(text).Parse();
}

bool MatchesDomain(const NvtxExpression& expression, std::string_view domain) {
  if (!expression.domain) return domain.empty();
  return expression.domain->Matches(domain.empty() ? kDefaultDomain : domain);
}

bool Matches(const NvtxExpression& expression, const Profile& profile,
             const Measurement& m, NvtxScope scope) {
  if (expression.form == NvtxExpression::Form::kStartEnd)
    return MatchesStartEnd(expression, profile, m);
  const bool all_threads = scope == NvtxScope::kProcess ||
                           (scope == NvtxScope::kRecorded &&
                            profile.nvtx_states[Index(m.nvtx)].process_scope);
  return MatchesPushPop(expression, profile, m, all_threads);
}

bool Selects(const NvtxFilter& filter, const Profile& profile,
             const Measurement& m, NvtxScope scope) {
  const auto any = [&](const std::vector<NvtxExpression>& expressions) {
    return std::ranges::any_of(expressions, [&](const auto& expression) {
      return Matches(expression, profile, m, scope);
    });
  };
  return (filter.include.empty() || any(filter.include)) &&
         !any(filter.exclude);
}

}  // namespace rangefinder::ncu
