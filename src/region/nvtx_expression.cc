#include "region/nvtx_expression.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "region/name_pattern.h"

namespace rangefinder::ncu {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

Error Invalid(std::string_view text, std::size_t at, std::string_view why) {
  return {ErrorCode::kUsage,
          fmt::format("ncu refuses '{}' (Invalid configuration): {}, at "
                      "character {}",
                      Printable(text), why, at + 1)};
}

// The first of `wanted` from `from` on that no backslash precedes.
std::size_t FindPlain(std::string_view text, std::string_view wanted,
                      std::size_t from = 0) {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (wanted.find(text[i]) != kNone) {
      return i;
    }
  }
  return kNone;
}

// The pieces of `text` between the unescaped separators.
std::vector<std::string_view> Cut(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (std::size_t from = 0;;) {
    const std::size_t at =
        std::min(FindPlain(text, {&separator, 1}, from), text.size());
    pieces.push_back(text.substr(from, at - from));
    if (at == text.size()) return pieces;
    from = at + 1;
  }
}

// A name as ncu takes it: a backslash before a structural character goes away.
std::string Unescape(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    name += text[i];
  }
  return name;
}

Result<NvtxName> MakeName(std::string_view text, bool regex) {
  if (regex) return NvtxName::Regex(text);
  return NvtxName::Exact(Unescape(text));
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
  NvtxName name;
  name.text_ = expression;
  auto regex = std::make_shared<const re2::RE2>(ValidUtf8(expression), options);
  if (!regex->ok()) return Error(ErrorCode::kUsage, regex->error());
  name.regex_ = std::move(regex);
  return name;
}

bool NvtxName::Matches(std::string_view name) const {
  if (regex_ == nullptr) return name == text_;
  if (IsValidUtf8(name))
    return re2::RE2::PartialMatch({name.data(), name.size()}, *regex_);
  return re2::RE2::PartialMatch(ValidUtf8(name), *regex_);
}

Result<NvtxExpression> ParseNvtxExpression(std::string_view text) {
  NvtxExpression expression;
  expression.text = text;
  std::string_view rest = text;
  const auto here = [&] {
    return static_cast<std::size_t>(rest.data() - text.data());
  };
  const auto name_of = [&](std::string_view part) {
    return MakeName(part, expression.regex);
  };
  if (rest.starts_with(kRegexPrefix)) {
    expression.regex = true;
    rest.remove_prefix(kRegexPrefix.size());
  }
  if (const std::size_t at = FindPlain(rest, "@"); at != kNone) {
    Result<NvtxName> domain = name_of(rest.substr(0, at));
    if (!domain.ok()) return Invalid(text, here(), domain.error().message());
    expression.domain = std::move(domain).value();
    rest.remove_prefix(at + 1);
  }
  if (rest.empty()) return Invalid(text, here(), "no range is named");
  if (FindPlain(rest, "/[]") == kNone) {
    for (const std::string_view part : Cut(rest, ',')) {
      Result<NvtxName> name = name_of(part);
      if (!name.ok()) return Invalid(text, here(), name.error().message());
      expression.names.push_back(std::move(name).value());
    }
    return expression;
  }
  expression.form = NvtxExpression::Form::kPushPop;
  if (rest.starts_with('[')) {
    expression.bottom = true;
    rest.remove_prefix(1);
  }
  if (rest.ends_with(']')) {
    expression.top = true;
    rest.remove_suffix(1);
  } else if (rest.ends_with('/')) {
    rest.remove_suffix(1);
  }
  for (const std::string_view part : Cut(rest, '/')) {
    NvtxStep step;
    const auto at = static_cast<std::size_t>(part.data() - text.data());
    if (part == "*" || part == "+") {
      if (expression.steps.empty())
        return Invalid(text, at, "a quantifier stands before every name");
      step.kind =
          part == "*" ? NvtxStep::Kind::kAnyFrames : NvtxStep::Kind::kOneFrame;
    } else {
      Result<NvtxName> name = name_of(part);
      if (!name.ok()) return Invalid(text, at, name.error().message());
      step.name = std::move(name).value();
    }
    expression.steps.push_back(std::move(step));
  }
  return expression;
}

}  // namespace rangefinder::ncu
