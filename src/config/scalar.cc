#include "config/scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <re2/re2.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// A pattern over bytes. `longest`: Match() takes the longest alternative, as
// ANTLR's lexer does.
class Regex {
 public:
  explicit Regex(const char* pattern, bool longest = false)
      : regex_(pattern, OptionsOf(longest)) {}

  bool IsAll(std::string_view text) const {
    return re2::RE2::FullMatch({text.data(), text.size()}, regex_);
  }
  // The length of the match at the start of `text`; 0: none.
  std::size_t LengthAt(std::string_view text) const {
    re2::StringPiece found;
    const re2::StringPiece whole(text.data(), text.size());
    return regex_.Match(whole, 0, text.size(), re2::RE2::ANCHOR_START, &found,
                        1)
               ? found.size()
               : 0;
  }

 private:
  static re2::RE2::Options OptionsOf(bool longest) {
    re2::RE2::Options options(re2::RE2::Latin1);
    options.set_longest_match(longest);
    return options;
  }

  re2::RE2 regex_;
};

// PyYAML 6's resolver for tag:yaml.org,2002:int.
const Regex& YamlIntPattern() {
  static const Regex regex(
      "[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]+|0"
      "|[1-9][0-9_]*(?::[0-5]?[0-9])*)");
  return regex;
}

// OmegaConf 2.3's resolver for tag:yaml.org,2002:float (get_yaml_loader).
const Regex& YamlFloatPattern() {
  static const Regex regex(
      "[-+]?[0-9][0-9_]*\\.[0-9_]*(?:[eE][-+]?[0-9]+)?"
      "|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+"
      "|\\.[0-9_]+(?:[eE][-+][0-9]+)?"
      "|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\\.[0-9_]*"
      "|[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)");
  return regex;
}

// PyYAML 6's resolver for tag:yaml.org,2002:timestamp.
const Regex& TimestampPattern() {
  static const Regex regex(
      "[0-9]{4}-[0-9]{2}-[0-9]{2}"
      "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \\t]+)"
      "[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]*)?"
      "(?:[ \\t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?");
  return regex;
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

const Regex& GrammarFloatPattern() {
  static const Regex regex(GRAMMAR_FLOAT);
  return regex;
}
const Regex& GrammarIntPattern() {
  static const Regex regex(GRAMMAR_INT);
  return regex;
}

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
  if (number && YamlFloatPattern().IsAll(text)) return YamlTag::kFloat;
  if (number && YamlIntPattern().IsAll(text)) return YamlTag::kInt;
  if (text == "<<") return YamlTag::kMerge;
  if (text == "=") return YamlTag::kValue;
  return YamlTag::kString;
}

bool IsTimestamp(std::string_view text) {
  return TimestampPattern().IsAll(text);
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
  static const Regex regex(GRAMMAR_FLOAT "|" GRAMMAR_INT, true);
  return regex.LengthAt(text);
}

bool IsGrammarInt(std::string_view text) {
  return GrammarIntPattern().IsAll(text);
}

std::optional<Node> PythonInt(std::string_view text) {
  std::string_view digits = Trim(text);
  const bool negative = TakeSign(digits);
  static const Regex pattern("[0-9]+(?:_[0-9]+)*");
  if (!pattern.IsAll(digits)) return std::nullopt;
  return IntegerOf(WithoutUnderscores(digits), negative);
}

std::optional<double> PythonFloatOf(std::string_view text) {
  static const Regex pattern(
      "(?i)[-+]?(?:inf|infinity|nan"
      "|(?:[0-9]+(?:_[0-9]+)*\\.?|(?:[0-9]+(?:_[0-9]+)*)?\\.[0-9]+(?:_[0-9]+)*)"
      "(?:e[-+]?[0-9]+(?:_[0-9]+)*)?)");
  const std::string_view trimmed = Trim(text);
  if (!pattern.IsAll(trimmed)) return std::nullopt;
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
  if (!GrammarFloatPattern().IsAll(text)) return std::nullopt;
  const auto value = ParseDouble(WithoutUnderscores(text));
  if (!value) return std::nullopt;
  return Node::Float(*value);
}

}  // namespace rangefinder
