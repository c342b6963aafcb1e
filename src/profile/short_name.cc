#include "profile/short_name.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/lists.h"
#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::string_view kLeftOut = "…";
constexpr std::size_t kMostArguments = 3;
// Compilers nest less deeply; a hostile name must not exhaust the stack.
constexpr int kDeepest = 64;

// Templates of PyTorch around the functor that computes.
constexpr std::array<std::string_view, 11> kWrappers = {
    "AUnaryFunctor",     "ArgReduceOps",      "BUnaryFunctor",
    "BinaryFunctor",     "ParallelForAgent",  "ReduceOp",
    "UnaryFunctor",      "WelfordOps",        "func_wrapper_t",
    "unary_transform_f", "binary_transform_f"};

// Types about how a kernel works, not what it computes.
constexpr std::array<std::string_view, 16> kPlumbingNames = {
    "Array",
    "LoadWithCast",
    "LoadWithoutCast",
    "OffsetCalculator",
    "StoreWithCast",
    "StoreWithoutCast",
    "TensorListMetadata",
    "TrivialOffsetCalculator",
    "__identity",
    "always_true_predicate",
    "array",
    "identity",
    "identity_decomposer_t",
    "integral_constant",
    "no_stencil_tag",
    "tuple"};

// Classes that are types of numbers.
constexpr std::array<std::string_view, 10> kNumberTypes = {
    "Half",          "BFloat16", "half_t",  "bfloat16_t",    "__half",
    "__nv_bfloat16", "half",     "complex", "Float8_e4m3fn", "Float8_e5m2"};

bool IsNameByte(char c) {
  return IsWordByte(c) || c == '$';
}

// The end of the operator's name at `at`, such as `operator ()`; `at` if there
// is none.
std::size_t EndOfOperator(std::string_view text, std::size_t at) {
  constexpr std::string_view kWord = "operator";
  if (!text.substr(at).starts_with(kWord) ||
      (at > 0 && IsNameByte(text[at - 1])))
    return at;
  std::size_t end = at + kWord.size();
  if (end < text.size() && IsNameByte(text[end])) return at;
  while (end < text.size() && text[end] == ' ') ++end;
  if (text.substr(end).starts_with("()") || text.substr(end).starts_with("[]"))
    return end + 2;
  while (end < text.size() &&
         std::string_view("<>=!+-*/%&|^~").find(text[end]) !=
             std::string_view::npos)
    ++end;
  return end;
}

// The end of the token at `at`: a pair of brackets with its content, an
// operator's name, else one byte. Nothing if a bracket has no partner.
std::optional<std::size_t> Next(std::string_view text, std::size_t at) {
  if (const std::size_t end = EndOfOperator(text, at); end > at) return end;
  constexpr std::string_view kOpen = "<([{";
  constexpr std::string_view kClose = ">)]}";
  if (kClose.find(text[at]) != kClose.npos) return std::nullopt;
  if (kOpen.find(text[at]) == kOpen.npos) return at + 1;
  std::string partners;
  for (std::size_t i = at; i < text.size();) {
    if (const std::size_t end = EndOfOperator(text, i); end > i) {
      i = end;
      continue;
    }
    const char c = text[i];
    if (const std::size_t open = kOpen.find(c); open != kOpen.npos) {
      partners += kClose[open];
    } else if (kClose.find(c) != kClose.npos) {
      if (partners.back() != c) return std::nullopt;
      partners.pop_back();
    }
    ++i;
    if (partners.empty()) return i;
  }
  return std::nullopt;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The parts of `text` between separators outside all brackets; nothing if a
// bracket has no partner.
std::optional<std::vector<std::string_view>> Cut(std::string_view text,
                                                 std::string_view separator) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with(separator)) {
      parts.push_back(Trimmed(text.substr(from, i - from)));
      i = from = i + separator.size();
      continue;
    }
    const auto next = Next(text, i);
    if (!next) return std::nullopt;
    i = *next;
  }
  parts.push_back(Trimmed(text.substr(from)));
  return parts;
}

// One step of a qualified name.
struct NamePart {
  std::string_view name{};
  std::string_view arguments{};  // of the template, without < >
  std::string_view
      parameters{};  // a pointer to a function or a lambda, without ( )
  std::string_view number{};  // of a lambda in its function
  bool is_function = false;
  bool is_lambda = false;
};

NamePart PartOf(std::string_view text) {
  NamePart part;
  for (const std::string_view lambda : {"[lambda", "{lambda"}) {
    if (!text.starts_with(lambda)) continue;
    part.is_lambda = true;
    const std::size_t open = text.find('(');
    if (open == text.npos) return part;
    const auto end = Next(text, open);
    if (!end) return part;
    part.parameters = text.substr(open + 1, *end - open - 2);
    // `(instance 1)]` or `#1}`.
    const std::size_t number = text.find_first_of("0123456789", *end);
    if (number != text.npos) {
      part.number = text.substr(
          number, text.find_first_not_of("0123456789", number) - number);
    }
    return part;
  }
  std::size_t i = EndOfOperator(text, 0);
  while (i < text.size() && text[i] != '<' && text[i] != '(') ++i;
  part.name = Trimmed(text.substr(0, i));
  if (i < text.size() && text[i] == '<') {
    const auto end = Next(text, i);
    if (!end) return part;
    part.arguments = text.substr(i + 1, *end - i - 2);
    i = *end;
  }
  if (i < text.size() && text[i] == '(') {
    part.is_function = true;
    if (const auto end = Next(text, i))
      part.parameters = text.substr(i + 1, *end - i - 2);
  }
  return part;
}

// `text` without the words before the name, such as a return type or const.
std::string_view WithoutType(std::string_view text) {
  while (true) {
    std::size_t i = 0;
    while (i < text.size() && IsNameByte(text[i])) ++i;
    if (i == 0 || i == text.size() || text[i] != ' ') return text;
    const std::string_view rest = Trimmed(text.substr(i));
    // `float *` and `unsigned int` are types.
    if (rest.empty() ||
        (!IsNameByte(rest[0]) && rest[0] != '<' && rest[0] != '(') ||
        text.starts_with("operator"))
      return text;
    text = rest;
  }
}

// The parts of a name to keep.
enum class Detail : std::uint8_t {
  kCore,  // the computation and the first few arguments
  kMore,  // also the wrappers around it and the number of a lambda
};

// The state of the walk through a name.
struct Place {
  Detail detail = Detail::kCore;
  int depth = 0;

  Place Inside() const { return {detail, depth + 1}; }
  bool too_deep() const { return depth > kDeepest; }
};

enum class Meaning : std::uint8_t { kNumber, kType, kClass, kPlumbing };

struct Argument {
  std::string text{};
  Meaning meaning = Meaning::kType;
};

Argument Understand(std::string_view text, Place place);

// `<float, 128, …>`: consecutive equal types once, and only the first few.
std::string Listed(std::string_view arguments, Place place) {
  if (arguments.empty()) return {};
  const auto parts = Cut(arguments, ",");
  if (!parts || place.too_deep()) return "<" + std::string(kLeftOut) + ">";
  std::vector<std::string> shown;
  bool left_out = false;
  for (const std::string_view part : *parts) {
    const Argument argument = Understand(part, place.Inside());
    if (argument.meaning == Meaning::kPlumbing) {
      left_out = true;
    } else if (argument.meaning == Meaning::kClass &&
               argument.text.find('<') != std::string::npos) {
      left_out = true;
      if (shown.empty())
        break;  // the arguments behind it mean little without it
    } else if (shown.empty() || shown.back() != argument.text ||
               argument.meaning == Meaning::kNumber) {
      shown.push_back(argument.text);
    }
  }
  if (place.detail == Detail::kCore && shown.size() > kMostArguments) {
    shown.resize(kMostArguments);
    left_out = true;
  }
  std::string text = "<";
  for (const std::string& one : shown)
    text.append(text.size() > 1 ? ", " : "").append(one);
  if (left_out) text.append(shown.empty() ? "" : ", ").append(kLeftOut);
  return text + ">";
}

// The first argument that names the computation; nothing if there is none.
std::optional<std::string> CoreOf(std::string_view arguments, Place place) {
  const auto parts = Cut(arguments, ",");
  if (!parts || place.too_deep()) return std::nullopt;
  for (const std::string_view part : *parts) {
    Argument argument = Understand(part, place.Inside());
    if (argument.meaning == Meaning::kClass) return std::move(argument.text);
  }
  return std::nullopt;
}

// `#1.8`: the numbers of the lambdas, outermost first.
std::string LambdaNumbers(const std::vector<NamePart>& parts) {
  std::string text;
  for (const NamePart& part : parts) {
    if (!part.is_lambda || part.number.empty()) continue;
    text.append(text.empty() ? "#" : ".").append(part.number);
  }
  return text;
}

// A lambda gets the name of the function around it, with its own parameters.
Argument OfLambda(const std::vector<NamePart>& parts, Place place) {
  const auto function = std::ranges::find_if(parts, [](const NamePart& part) {
    return part.is_function && !part.is_lambda;
  });
  std::string text = "lambda";
  if (function != parts.end()) {
    text = function->name;
    if (text.starts_with("operator") && function != parts.begin()) {
      const NamePart& outer = *(function - 1);
      if (!outer.is_lambda)
        return {std::string(outer.name) + Listed(outer.arguments, place),
                Meaning::kClass};
    }
    if (text.starts_with("gpu_kernel_impl")) {
      if (auto core = CoreOf(function->arguments, place))
        return {*std::move(core), Meaning::kClass};
    }
  }
  const auto lambda =
      std::find_if(parts.rbegin(), parts.rend(),
                   [](const NamePart& part) { return part.is_lambda; });
  text.append("(").append(lambda->parameters).append(")");
  if (place.detail == Detail::kMore) text += LambdaNumbers(parts);
  return {std::move(text), Meaning::kClass};
}

bool IsPlumbing(const std::vector<NamePart>& parts) {
  const std::string_view name = parts.back().name;
  if (Has(kPlumbingNames, name)) return true;
  return name.starts_with("Policy") || name.ends_with("Policy") ||
         name.find("Param") != name.npos;
}

Argument Understand(std::string_view text, Place place) {
  text = Trimmed(text);
  if (text.starts_with("&(") && text.ends_with(')'))  // of a function
    text = Trimmed(text.substr(2, text.size() - 3));
  if (text.starts_with('(')) {  // (int)128
    const auto end = Next(text, 0);
    if (end && *end < text.size() && !text.substr(*end).starts_with("::"))
      return {std::string(text.substr(*end)), Meaning::kNumber};
  }
  const bool digit = !text.empty() && IsAsciiDigit(text[0]);
  if (text.empty() || digit || text[0] == '-')
    return {std::string(text), Meaning::kNumber};
  if (text == "true" || text == "false")
    return {std::string(text), Meaning::kNumber};
  const auto steps = Cut(WithoutType(text), "::");
  if (!steps) return {std::string(kLeftOut), Meaning::kPlumbing};
  std::vector<NamePart> parts;
  for (const std::string_view step : *steps) parts.push_back(PartOf(step));
  const bool lambda = std::ranges::any_of(
      parts, [](const NamePart& part) { return part.is_lambda; });
  if (lambda) return OfLambda(parts, place);
  if (IsPlumbing(parts)) return {std::string(kLeftOut), Meaning::kPlumbing};
  const NamePart& own = parts.back();
  if (Has(kWrappers, own.name)) {
    if (auto core = CoreOf(own.arguments, place)) {
      if (place.detail == Detail::kCore)
        return {*std::move(core), Meaning::kClass};
      return {std::string(own.name).append("<…").append(*core) + ">",
              Meaning::kClass};
    }
  }
  const bool is_class = (parts.size() > 1 || !own.arguments.empty() ||
                         own.is_function || own.name.size() > 16) &&
                        !Has(kNumberTypes, own.name) && !text.ends_with('*') &&
                        !text.ends_with('&');
  if (!is_class && own.arguments.empty() && parts.size() == 1) {
    std::string type(text);
    std::erase(type, '*');
    std::string_view plain = Trimmed(type);
    return {std::string(plain) + std::string(static_cast<std::size_t>(
                                                 std::ranges::count(text, '*')),
                                             '*'),
            Meaning::kType};
  }
  return {std::string(own.name) + Listed(own.arguments, place),
          is_class ? Meaning::kClass : Meaning::kType};
}

// The last step of the kernel's name; nothing if the name cannot be parsed.
std::optional<NamePart> KernelPart(std::string_view name) {
  for (const std::string_view clone : {" [clone", " (.", " [."}) {
    if (const std::size_t at = name.find(clone); at != name.npos)
      name = name.substr(0, at);
  }
  const auto steps = Cut(WithoutType(name), "::");
  if (!steps) return std::nullopt;
  NamePart part = PartOf(steps->back());
  if (part.is_lambda || part.name.empty() || part.name.starts_with("operator"))
    return std::nullopt;
  return part;
}

bool IsPlain(std::string_view name) {
  return name.find_first_of("<(:") == name.npos;
}

// `name` without return type, parameters and the namespaces of libraries.
std::string LongKernelName(std::string_view name) {
  const auto part = KernelPart(name);
  if (!part) return std::string(name);
  std::string text(part->name);
  if (!part->arguments.empty())
    text.append("<").append(part->arguments).append(">");
  for (const std::string_view space :
       {"at::native::", "binary_internal::", "<unnamed>::",
        "(anonymous namespace)::", "c10::", "at::", "cuda::std::__4::"}) {
    for (std::size_t at = text.find(space); at != text.npos;
         at = text.find(space, at))
      text.erase(at, space.size());
  }
  return text;
}

std::string Shortened(std::string_view name, Detail detail) {
  if (IsPlain(name)) return std::string(name);
  const auto part = KernelPart(name);
  if (!part) return std::string(name);
  std::string text(part->name);
  if (part->arguments.empty()) return text;
  const auto arguments = Cut(part->arguments, ",");
  if (!arguments) return std::string(name);
  if (const auto core = CoreOf(part->arguments, {detail})) {
    const bool alone = arguments->size() == 1;
    return text.append("<").append(alone ? "" : kLeftOut).append(*core) + ">";
  }
  return text + Listed(part->arguments, {detail});
}

}  // namespace

std::string ShortKernelName(std::string_view name) {
  return Shortened(name, Detail::kCore);
}

std::vector<std::string> ShortKernelNames(
    std::span<const std::string_view> names) {
  std::vector<std::string> shown;
  for (const std::string_view name : names)
    shown.push_back(ShortKernelName(name));
  const auto lengthen = [&](auto longer) {
    std::map<std::string, std::set<std::string_view>> of;
    for (std::size_t i = 0; i < names.size(); ++i)
      of[shown[i]].insert(names[i]);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (of.at(shown[i]).size() > 1) shown[i] = longer(names[i]);
    }
  };
  lengthen(
      [](std::string_view name) { return Shortened(name, Detail::kMore); });
  lengthen(LongKernelName);
  lengthen([](std::string_view name) { return std::string(name); });
  return shown;
}

}  // namespace rangefinder
