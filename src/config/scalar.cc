#include "config/scalar.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>

#include <re2/re2.h>

#include "base/text.h"

namespace rangefinder {
namespace {

using re2::RE2;  // all patterns are over bytes: RE2::Latin1

// PyYAML 6's resolver for tag:yaml.org,2002:int.
bool IsYamlInt(std::string_view text) {
  static const RE2 regex(
      "[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]+|0"
      "|[1-9][0-9_]*(?::[0-5]?[0-9])*)",
      RE2::Latin1);
  return RE2::FullMatch(text, regex);
}

// OmegaConf 2.3's resolver for tag:yaml.org,2002:float (get_yaml_loader).
bool IsYamlFloat(std::string_view text) {
  static const RE2 regex(
      "[-+]?[0-9][0-9_]*\\.[0-9_]*(?:[eE][-+]?[0-9]+)?"
      "|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+"
      "|\\.[0-9_]+(?:[eE][-+][0-9]+)?"
      "|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\\.[0-9_]*"
      "|[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)",
      RE2::Latin1);
  return RE2::FullMatch(text, regex);
}

// INT and FLOAT of Hydra 1.3's OverrideLexer.g4, the same as OmegaConf's.
#define GRAMMAR_DIGITS "[0-9](?:_?[0-9])*"
#define GRAMMAR_UNSIGNED "(?:0|[1-9](?:_?[0-9])*)"
#define GRAMMAR_POINT \
  "(?:" GRAMMAR_UNSIGNED "?\\." GRAMMAR_DIGITS "|" GRAMMAR_UNSIGNED "\\.)"
#define GRAMMAR_FLOAT                                                          \
  "[-+]?(?:(?:" GRAMMAR_POINT "|" GRAMMAR_UNSIGNED ")[eE][-+]?" GRAMMAR_DIGITS \
  "|" GRAMMAR_POINT "|[iI][nN][fF]|[nN][aA][nN])"
#define GRAMMAR_INT "[-+]?" GRAMMAR_UNSIGNED

bool IsOneOf(std::string_view text,
             std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::optional<bool> YamlBool(std::string_view text) {
  if (IsOneOf(text,
              {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}))
    return true;
  if (IsOneOf(text, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off",
                     "OFF"}))
    return false;
  return std::nullopt;
}

std::string WithoutUnderscores(std::string_view text) {
  std::string out(text);
  std::erase(out, '_');
  return out;
}

// Takes the sign off `digits`; whether it was a minus.
bool TakeSign(std::string_view& digits) {
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  return negative;
}

std::optional<double> ParseDouble(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size()) return std::nullopt;
  return value;
}

template <typename Number>
std::optional<Number> ParseWhole(std::string_view digits, int base) {
  Number value = 0;
  const auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return value;
}

// "0b101", "0o17" as "017", "0x1F", "1:30" (90), "1_000".
std::optional<Node> YamlInt(std::string_view text) {
  const std::string without = WithoutUnderscores(text);
  std::string_view digits = without;
  const bool negative = TakeSign(digits);
  std::optional<std::int64_t> value;
  if (digits.starts_with("0b")) {
    value = ParseWhole<std::int64_t>(digits.substr(2), 2);
  } else if (digits.starts_with("0x")) {
    value = ParseWhole<std::int64_t>(digits.substr(2), 16);
  } else if (digits.size() > 1 && digits[0] == '0') {
    value = ParseWhole<std::int64_t>(digits.substr(1), 8);
  } else if (digits.find(':') != std::string::npos) {
    value = 0;
    for (const std::string& part : Split(digits, ':')) {
      const auto number = ParseWhole<std::int64_t>(part, 10);
      if (!number || *value > std::numeric_limits<std::int64_t>::max() / 120)
        return std::nullopt;
      value = *value * 60 + *number;
    }
  } else {
    return PythonInt(without);
  }
  if (!value) return std::nullopt;
  return Node::Int(negative ? -*value : *value);
}

std::optional<Node> YamlFloat(std::string_view text) {
  const std::string lower = AsciiLower(WithoutUnderscores(text));
  std::string_view digits = lower;
  const double sign = TakeSign(digits) ? -1 : 1;
  if (digits == ".inf")
    return Node::Float(sign * std::numeric_limits<double>::infinity());
  if (digits == ".nan")
    return Node::Float(std::numeric_limits<double>::quiet_NaN());
  double value = 0;
  for (const std::string& part : Split(digits, ':')) {
    const auto number = ParseDouble(part);
    if (!number) return std::nullopt;
    value = value * 60 + *number;
  }
  return Node::Float(sign * value);
}

// An integer of any length: beyond 64 bits its digits are kept as text.
Node IntegerOf(std::string_view digits, bool negative) {
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  const std::string text = (negative ? "-" : "") + std::string(digits);
  if (const auto value = ParseWhole<std::int64_t>(text, 10))
    return Node::Int(*value);
  Node node = Node::Int(0);
  node.text = text;
  return node;
}

}  // namespace

YamlTag ResolvePlain(std::string_view text) {
  if (text.empty() || IsOneOf(text, {"~", "null", "Null", "NULL"}))
    return YamlTag::kNull;
  if (YamlBool(text)) return YamlTag::kBool;
  // Patterns of numbers begin with one of these.
  const bool number =
      std::string_view("+-.0123456789").find(text[0]) != std::string_view::npos;
  if (number && IsYamlFloat(text)) return YamlTag::kFloat;
  if (number && IsYamlInt(text)) return YamlTag::kInt;
  if (text == "<<") return YamlTag::kMerge;
  if (text == "=") return YamlTag::kValue;
  return YamlTag::kString;
}

// PyYAML 6's resolver for tag:yaml.org,2002:timestamp.
bool IsTimestamp(std::string_view text) {
  static const RE2 regex(
      "[0-9]{4}-[0-9]{2}-[0-9]{2}"
      "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \\t]+)"
      "[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]*)?"
      "(?:[ \\t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?",
      RE2::Latin1);
  return RE2::FullMatch(text, regex);
}

std::optional<Node> MakeScalar(YamlTag tag, std::string_view text) {
  switch (tag) {
    case YamlTag::kNull:
      return Node{};
    case YamlTag::kBool: {
      const auto value = YamlBool(AsciiLower(text));
      if (!value) return std::nullopt;
      return Node::Bool(*value);
    }
    case YamlTag::kInt:
      return YamlInt(text);
    case YamlTag::kFloat:
      return YamlFloat(text);
    case YamlTag::kString:
      return Node::String(std::string(text));
    case YamlTag::kMerge:
    case YamlTag::kValue:
      return std::nullopt;
  }
  return std::nullopt;
}

std::size_t GrammarNumberLength(std::string_view text) {
  static const RE2 regex(GRAMMAR_FLOAT "|" GRAMMAR_INT, [] {
    RE2::Options options(RE2::Latin1);
    options.set_longest_match(true);  // as ANTLR's lexer
    return options;
  }());
  re2::StringPiece found;
  const bool any =
      regex.Match(text, 0, text.size(), RE2::ANCHOR_START, &found, 1);
  return any ? found.size() : 0;
}

bool IsGrammarInt(std::string_view text) {
  static const RE2 regex(GRAMMAR_INT, RE2::Latin1);
  return RE2::FullMatch(text, regex);
}

std::optional<Node> PythonInt(std::string_view text) {
  std::string_view digits = Trim(text);
  const bool negative = TakeSign(digits);
  static const RE2 regex("[0-9]+(?:_[0-9]+)*", RE2::Latin1);
  if (!RE2::FullMatch(digits, regex)) return std::nullopt;
  return IntegerOf(WithoutUnderscores(digits), negative);
}

std::optional<double> PythonFloatOf(std::string_view text) {
  static const RE2 regex(
      "(?i)[-+]?(?:inf|infinity|nan"
      "|(?:[0-9]+(?:_[0-9]+)*\\.?|(?:[0-9]+(?:_[0-9]+)*)?\\.[0-9]+(?:_[0-9]+)*)"
      "(?:e[-+]?[0-9]+(?:_[0-9]+)*)?)",
      RE2::Latin1);
  const std::string_view trimmed = Trim(text);
  if (!RE2::FullMatch(trimmed, regex)) return std::nullopt;
  return ParseDouble(WithoutUnderscores(trimmed));
}

std::optional<std::int64_t> ListIndex(std::string_view text) {
  const auto index = PythonInt(text);
  if (!index || !index->text.empty()) return std::nullopt;
  return index->integer;
}

std::optional<Node> TypedToken(std::string_view text) {
  const std::string lower = AsciiLower(text);
  if (lower == "null") return Node{};
  if (lower == "true") return Node::Bool(true);
  if (lower == "false") return Node::Bool(false);
  if (IsGrammarInt(text)) return PythonInt(text);
  static const RE2 regex(GRAMMAR_FLOAT, RE2::Latin1);
  if (!RE2::FullMatch(text, regex)) return std::nullopt;
  const auto value = ParseDouble(WithoutUnderscores(text));
  if (!value) return std::nullopt;
  return Node::Float(*value);
}

}  // namespace rangefinder
