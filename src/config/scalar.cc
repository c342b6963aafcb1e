#include "config/scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace rangefinder {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// A cursor over a scalar that takes what a pattern allows.
struct Cursor {
  std::string_view rest;

  bool done() const { return rest.empty(); }
  bool Take(char c) {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
  bool TakeAny(std::string_view set) {
    if (rest.empty() || set.find(rest[0]) == std::string_view::npos)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  std::size_t TakeAll(std::string_view set) {
    const std::size_t n = std::min(rest.find_first_not_of(set), rest.size());
    rest.remove_prefix(n);
    return n;
  }
};

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kDigits_ = "0123456789_";

// (:[0-5]?[0-9])+
bool TakeSexagesimal(Cursor& in) {
  bool any = false;
  while (in.Take(':')) {
    if (in.rest.size() >= 2 && in.rest[0] <= '5' && IsDigit(in.rest[0]) &&
        IsDigit(in.rest[1])) {
      in.rest.remove_prefix(2);
    } else if (!in.TakeAny(kDigits)) {
      return false;
    }
    any = true;
  }
  return any;
}

bool IsYamlInt(std::string_view text) {
  Cursor in{text};
  in.TakeAny("+-");
  const Cursor start = in;
  if (in.Take('0')) {
    if (in.done()) return true;
    if (in.Take('b')) return in.TakeAll("01_") > 0 && in.done();
    if (in.Take('x'))
      return in.TakeAll("0123456789abcdefABCDEF_") > 0 && in.done();
    return in.TakeAll("01234567_") > 0 && in.done();
  }
  in = start;
  if (!in.TakeAny("123456789")) return false;
  in.TakeAll(kDigits_);
  return in.done() || (TakeSexagesimal(in) && in.done());
}

bool IsYamlFloat(std::string_view text) {
  const auto exponent = [](Cursor& in, bool sign_needed) {
    if (!in.TakeAny("eE")) return false;
    if (!in.TakeAny("+-") && sign_needed) return false;
    return in.TakeAll(kDigits) > 0;
  };
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  Cursor in{text};
  if (in.Take('.')) {
    Cursor digits = in;
    if (digits.TakeAll(kDigits_) > 0 &&
        (digits.done() || (exponent(digits, true) && digits.done())))
      return true;
  }
  in = {text};
  in.TakeAny("+-");
  if (in.rest == ".inf" || in.rest == ".Inf" || in.rest == ".INF") return true;
  if (!in.TakeAny(kDigits)) return false;
  in.TakeAll(kDigits_);
  if (in.rest.starts_with(':'))
    return TakeSexagesimal(in) && in.Take('.') &&
           (in.TakeAll(kDigits_), in.done());
  if (in.Take('.')) {
    in.TakeAll(kDigits_);
    return in.done() || (exponent(in, false) && in.done());
  }
  return exponent(in, false) && in.done();
}

std::optional<double> ParseDouble(std::string_view text) {
  const std::string copy(text);
  if (copy.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return std::nullopt;
  return value;
}

std::string WithoutUnderscores(std::string_view text) {
  std::string out(text);
  std::erase(out, '_');
  return out;
}

std::optional<Node> YamlInt(std::string_view text) {
  std::string digits = WithoutUnderscores(text);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.erase(0, 1);
  int base = 10;
  if (digits.starts_with("0b")) {
    base = 2;
    digits.erase(0, 2);
  } else if (digits.starts_with("0x")) {
    base = 16;
    digits.erase(0, 2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
    digits.erase(0, 1);
  }
  if (digits.empty()) return std::nullopt;
  if (digits.find(':') != std::string::npos) {
    std::int64_t value = 0;
    for (std::size_t at = 0; at <= digits.size();) {
      const std::size_t end = std::min(digits.find(':', at), digits.size());
      std::int64_t part = 0;
      const auto [stop, error] =
          std::from_chars(digits.data() + at, digits.data() + end, part);
      if (error != std::errc() || stop != digits.data() + end ||
          value > std::numeric_limits<std::int64_t>::max() / 120)
        return std::nullopt;
      value = value * 60 + part;
      at = end + 1;
    }
    return Node::Int(negative ? -value : value);
  }
  if (base == 10) {
    if (!std::ranges::all_of(digits, IsDigit)) return std::nullopt;
    return MakeInteger(digits, negative);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return Node::Int(negative ? -value : value);
}

std::optional<Node> YamlFloat(std::string_view text) {
  std::string digits = WithoutUnderscores(text);
  std::ranges::transform(digits, digits.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.erase(0, 1);
  const double sign = negative ? -1 : 1;
  if (digits == ".inf")
    return Node::Float(sign * std::numeric_limits<double>::infinity());
  if (digits == ".nan")
    return Node::Float(std::numeric_limits<double>::quiet_NaN());
  double value = 0;
  for (std::size_t at = 0; at <= digits.size();) {
    const std::size_t end = std::min(digits.find(':', at), digits.size());
    const auto part =
        ParseDouble(std::string_view(digits).substr(at, end - at));
    if (!part) return std::nullopt;
    value = value * 60 + *part;
    at = end + 1;
  }
  return Node::Float(sign * value);
}

std::optional<bool> YamlBool(std::string_view text) {
  for (const std::string_view word :
       {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
    if (text == word) return true;
  for (const std::string_view word :
       {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})
    if (text == word) return false;
  return std::nullopt;
}

bool IsNullWord(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" ||
         text == "NULL";
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// [0-9]("_"?[0-9])*
bool TakeDigits(Cursor& in) {
  if (!in.TakeAny(kDigits)) return false;
  while (!in.rest.empty()) {
    if (IsDigit(in.rest[0])) {
      in.rest.remove_prefix(1);
    } else if (in.rest[0] == '_' && in.rest.size() > 1 && IsDigit(in.rest[1])) {
      in.rest.remove_prefix(2);
    } else {
      break;
    }
  }
  return true;
}

// "0" | [1-9]("_"?[0-9])*
bool TakeUint(Cursor& in) {
  if (in.Take('0')) return true;
  return !in.rest.empty() && in.rest[0] != '0' && TakeDigits(in);
}

}  // namespace

YamlTag ResolvePlain(std::string_view text) {
  if (IsNullWord(text)) return YamlTag::kNull;
  if (YamlBool(text)) return YamlTag::kBool;
  if (IsYamlFloat(text)) return YamlTag::kFloat;
  if (IsYamlInt(text)) return YamlTag::kInt;
  if (text == "<<") return YamlTag::kMerge;
  if (text == "=") return YamlTag::kValue;
  return YamlTag::kString;
}

std::optional<Node> MakeScalar(YamlTag tag, std::string_view text) {
  switch (tag) {
    case YamlTag::kNull:
      return Node{};
    case YamlTag::kBool: {
      std::string lower(text);
      std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      });
      const auto value = YamlBool(lower);
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

bool IsGrammarInt(std::string_view text) {
  Cursor in{text};
  in.TakeAny("+-");
  return TakeUint(in) && in.done();
}

bool IsGrammarFloat(std::string_view text) {
  Cursor in{text};
  in.TakeAny("+-");
  if (EqualsIgnoringCase(in.rest, "inf") || EqualsIgnoringCase(in.rest, "nan"))
    return true;
  const Cursor start = in;
  bool point = false;
  if (in.Take('.')) {
    point = true;
    if (!TakeDigits(in)) return false;
  } else {
    if (!TakeUint(in)) {
      // digits with a leading zero are none: 01.5 is no float
      in = start;
      return false;
    }
    if (in.Take('.')) {
      point = true;
      if (!in.rest.empty() && IsDigit(in.rest[0]) && !TakeDigits(in))
        return false;
    }
  }
  if (in.done()) return point;
  if (!in.TakeAny("eE")) return false;
  in.TakeAny("+-");
  return TakeDigits(in) && in.done();
}

Node MakeInteger(std::string_view digits, bool negative) {
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  const std::string text = (negative ? "-" : "") + std::string(digits);
  std::int64_t value = 0;
  const auto error =
      std::from_chars(text.data(), text.data() + text.size(), value).ec;
  Node node = Node::Int(value);
  if (error != std::errc()) {
    node.integer = 0;
    node.text = text;
  }
  return node;
}

std::optional<Node> TypedToken(std::string_view text) {
  if (EqualsIgnoringCase(text, "null")) return Node{};
  if (EqualsIgnoringCase(text, "true")) return Node::Bool(true);
  if (EqualsIgnoringCase(text, "false")) return Node::Bool(false);
  if (IsGrammarInt(text)) {
    std::string digits = WithoutUnderscores(text);
    const bool negative = digits.starts_with('-');
    if (negative || digits.starts_with('+')) digits.erase(0, 1);
    return MakeInteger(digits, negative);
  }
  if (IsGrammarFloat(text)) {
    const auto value = ParseDouble(WithoutUnderscores(text));
    if (value) return Node::Float(*value);
  }
  return std::nullopt;
}

}  // namespace rangefinder
