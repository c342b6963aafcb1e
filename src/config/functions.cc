#include "config/functions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "config/scalar.h"

namespace rangefinder {
namespace {

using Sweep = Override::Sweep;

Error Fail(std::string message) {
  return Error(ErrorCode::kUsage, std::move(message));
}

// ---- casts -----------------------------------------------------------------

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

Result<Node> CastInt(const Node& value) {
  switch (value.kind) {
    case NodeKind::kBool:
      return Node::Int(value.boolean ? 1 : 0);
    case NodeKind::kInt:
      return value;
    case NodeKind::kFloat: {
      if (std::isinf(value.number))
        return Fail("cannot convert float infinity to integer");
      if (std::isnan(value.number))
        return Fail("cannot convert float NaN to integer");
      const double whole = std::trunc(value.number);
      return MakeInteger(fmt::format("{:.0f}", std::abs(whole)), whole < 0);
    }
    default:
      break;
  }
  std::string_view digits = Trim(value.text);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  std::string plain;
  bool after_digit = false;
  bool good = true;
  for (const char c : digits) {
    const bool digit = c >= '0' && c <= '9';
    good &= digit || (c == '_' && after_digit);
    after_digit = digit;
    if (digit) plain += c;
  }
  if (!good || !after_digit) {
    return Fail(fmt::format("invalid literal for int() with base 10: {}",
                            PythonRepr(value)));
  }
  return MakeInteger(plain, negative);
}

Result<Node> CastFloat(const Node& value) {
  switch (value.kind) {
    case NodeKind::kBool:
      return Node::Float(value.boolean ? 1 : 0);
    case NodeKind::kInt:
      return Node::Float(value.text.empty()
                             ? static_cast<double>(value.integer)
                             : std::strtod(value.text.c_str(), nullptr));
    case NodeKind::kFloat:
      return value;
    default:
      break;
  }
  std::string text(Trim(value.text));
  std::erase(text, '_');
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() ||
      Lower(text).find('x') != std::string::npos) {
    return Fail(fmt::format("could not convert string to float: {}",
                            PythonRepr(value)));
  }
  return Node::Float(number);
}

Result<Node> CastBool(const Node& value) {
  switch (value.kind) {
    case NodeKind::kBool:
      return value;
    case NodeKind::kInt:
      return Node::Bool(value.integer != 0 || !value.text.empty());
    case NodeKind::kFloat:
      return Node::Bool(value.number != 0);
    default:
      break;
  }
  const std::string word = Lower(value.text);
  if (word == "true") return Node::Bool(true);
  if (word == "false") return Node::Bool(false);
  return Fail(fmt::format("Cannot cast '{}' to bool", value.text));
}

Result<Node> CastStr(const Node& value) {
  if (value.kind == NodeKind::kBool)
    return Node::String(value.boolean ? "true" : "false");
  return Node::String(PythonStr(value));
}

using Cast = Result<Node> (*)(const Node&);

Result<Node> CastAll(Cast cast, const Node& value) {
  if (value.is_null()) return Fail("null cannot be cast");
  if (value.is_list()) {
    Node out = Node::List();
    for (const Node& item : value.items)
      out.items.push_back(TRY(CastAll(cast, item)));
    return out;
  }
  if (value.is_map()) {
    Node out = Node::Map();
    for (const Entry& entry : value.entries)
      out.Set(entry.key, TRY(CastAll(cast, entry.value)));
    return out;
  }
  return cast(value);
}

// ---- arguments -------------------------------------------------------------

// The arguments of `call` by the names of a signature; null where not given.
Result<std::vector<const FunctionCall::Argument*>> Bind(
    const FunctionCall& call, const std::vector<std::string>& names) {
  std::vector<const FunctionCall::Argument*> out(names.size(), nullptr);
  std::size_t position = 0;
  for (const FunctionCall::Argument& argument : call.arguments) {
    if (argument.name.empty()) {
      if (position >= names.size())
        return Fail("too many positional arguments");
      out[position++] = &argument;
      continue;
    }
    const auto it = std::ranges::find(names, argument.name);
    if (it == names.end()) {
      return Fail(fmt::format("got an unexpected keyword argument '{}'",
                              argument.name));
    }
    auto& slot = out[static_cast<std::size_t>(it - names.begin())];
    if (slot != nullptr)
      return Fail(
          fmt::format("multiple values for argument '{}'", argument.name));
    slot = &argument;
  }
  return out;
}

Status NeedNumber(std::string_view name,
                  const FunctionCall::Argument& argument) {
  if (argument.value.kind == NodeKind::kInt ||
      argument.value.kind == NodeKind::kFloat)
    return Ok();
  return Fail(
      fmt::format("mismatch type argument {}: {} is incompatible with "
                  "Union[int, float]",
                  name, PythonTypeName(argument.value)));
}

// ---- functions -------------------------------------------------------------

Result<FunctionValue> CallCast(const FunctionCall& call, Cast cast) {
  const std::string& to = call.name;
  std::vector<const FunctionCall::Argument*> positional;
  const FunctionCall::Argument* named = nullptr;
  for (const FunctionCall::Argument& argument : call.arguments) {
    if (argument.name.empty()) {
      positional.push_back(&argument);
    } else if (argument.name == "value") {
      named = &argument;
    } else {
      return Fail(fmt::format("got an unexpected keyword argument '{}'",
                              argument.name));
    }
  }
  if (named != nullptr && !positional.empty())
    return Fail("cannot use both position and named arguments");
  if (named != nullptr) positional.push_back(named);
  if (positional.empty()) return Fail("No positional args or value specified");
  if (positional.size() > 1) {
    FunctionValue out{.node = Node::List(), .sweep = Sweep::kSimple};
    for (const auto* argument : positional)
      out.node.items.push_back(TRY(CastAll(cast, argument->value)));
    return out;
  }
  const FunctionCall::Argument& only = *positional[0];
  if (only.sweep == Sweep::kInterval && to != "int" && to != "float")
    return Fail(fmt::format("Intervals cannot be cast to {}", to));
  if (only.sweep == Sweep::kRange && to != "int" && to != "float")
    return Fail("Range can only be cast to int or float");
  return FunctionValue{.node = TRY(CastAll(cast, only.value)),
                       .sweep = only.sweep};
}

Result<FunctionValue> CallSort(const FunctionCall& call) {
  std::vector<Node> items;
  bool reverse = false;
  bool list = false;
  Sweep sweep = Sweep::kNone;
  std::size_t positional = 0;
  for (const FunctionCall::Argument& argument : call.arguments) {
    if (argument.name == "reverse") {
      if (argument.value.kind != NodeKind::kBool)
        return Fail("mismatch type argument reverse: expected true or false");
      reverse = argument.value.boolean;
    } else if (argument.name.empty() || argument.name == "list" ||
               argument.name == "sweep") {
      ++positional;
      if (argument.sweep != Sweep::kNone) sweep = argument.sweep;
      if (argument.value.is_list()) {
        list = true;
        items.insert(items.end(), argument.value.items.begin(),
                     argument.value.items.end());
      } else {
        items.push_back(argument.value);
      }
    } else {
      return Fail(fmt::format("got an unexpected keyword argument '{}'",
                              argument.name));
    }
  }
  if (positional == 0) return Fail("empty sort input");
  if (positional > 1) sweep = Sweep::kSimple;
  const auto number = [](const Node& node) {
    return node.kind == NodeKind::kFloat  ? node.number
           : node.kind == NodeKind::kBool ? (node.boolean ? 1.0 : 0.0)
                                          : static_cast<double>(node.integer);
  };
  if (!list && items.size() == 1)
    return FunctionValue{.node = std::move(items[0]), .sweep = sweep};
  for (const Node& item : items) {
    if (item.is_string() != items[0].is_string() || item.is_container() ||
        item.is_null()) {
      return Fail(
          fmt::format("'<' not supported between instances of '{}' "
                      "and '{}'",
                      PythonTypeName(item), PythonTypeName(items[0])));
    }
  }
  std::ranges::stable_sort(items, [&](const Node& a, const Node& b) {
    if (a.is_string()) return reverse ? b.text < a.text : a.text < b.text;
    return reverse ? number(b) < number(a) : number(a) < number(b);
  });
  FunctionValue out{.node = Node::List(), .sweep = sweep};
  out.node.items = std::move(items);
  return out;
}

Result<FunctionValue> CallShuffle(const FunctionCall& call) {
  if (call.arguments.empty()) return Fail("empty shuffle input");
  // One value or an empty list has one order; more would make a run that
  // cannot be repeated.
  const FunctionCall::Argument& first = call.arguments[0];
  if (call.arguments.size() > 1)
    return FunctionValue{.node = Node::List(), .sweep = Sweep::kSimple};
  if (first.sweep != Sweep::kNone)
    return FunctionValue{.node = first.value, .sweep = first.sweep};
  if (!first.value.is_list() || first.value.items.size() > 1)
    return Fail("a shuffled list cannot be repeated: write the order you want");
  return FunctionValue{.node = first.value};
}

Result<FunctionValue> CallChoice(const FunctionCall& call) {
  if (call.arguments.empty()) return Fail("empty choice is not legal");
  FunctionValue out{.node = Node::List(), .sweep = Sweep::kChoice};
  for (const FunctionCall::Argument& argument : call.arguments) {
    if (!argument.name.empty()) {
      return Fail(fmt::format("got an unexpected keyword argument '{}'",
                              argument.name));
    }
    if (argument.sweep == Sweep::kChoice || argument.sweep == Sweep::kSimple)
      return Fail("nesting choices is not supported");
    out.node.items.push_back(argument.value);
  }
  return out;
}

Result<FunctionValue> CallRange(const FunctionCall& call) {
  const std::vector<std::string> names = {"start", "stop", "step"};
  const auto bound = TRY(Bind(call, names));
  FunctionValue out{.node = Node::List(), .sweep = Sweep::kRange};
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (bound[i] == nullptr) continue;
    TRY(NeedNumber(names[i], *bound[i]));
    out.node.items.push_back(bound[i]->value);
  }
  if (bound[0] == nullptr && bound[1] == nullptr)
    return Fail("missing a required argument: 'start'");
  return out;
}

Result<FunctionValue> CallInterval(const FunctionCall& call) {
  const std::vector<std::string> names = {"start", "end"};
  const auto bound = TRY(Bind(call, names));
  FunctionValue out{.node = Node::List(), .sweep = Sweep::kInterval};
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (bound[i] == nullptr)
      return Fail(fmt::format("missing a required argument: '{}'", names[i]));
    TRY(NeedNumber(names[i], *bound[i]));
    out.node.items.push_back(bound[i]->value);
  }
  return out;
}

Result<FunctionValue> CallGlob(const FunctionCall& call) {
  const auto bound = TRY(Bind(call, {"include", "exclude"}));
  if (bound[0] == nullptr)
    return Fail("missing a required argument: 'include'");
  return FunctionValue{.node = bound[0]->value, .sweep = Sweep::kGlob};
}

Result<FunctionValue> CallTag(const FunctionCall& call) {
  const FunctionCall::Argument* sweep = nullptr;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const FunctionCall::Argument& argument = call.arguments[i];
    if (argument.sweep != Sweep::kNone) {
      sweep = &argument;
    } else if (!argument.value.is_string()) {
      return Fail(
          fmt::format("mismatch type argument args[{}]: {} is "
                      "incompatible with Union[str, Sweep]",
                      i, PythonTypeName(argument.value)));
    }
  }
  if (sweep == nullptr) return Fail("Last argument to tag() must be a sweep");
  return FunctionValue{.node = sweep->value, .sweep = sweep->sweep};
}

Result<FunctionValue> Dispatch(const FunctionCall& call) {
  if (call.name == "int") return CallCast(call, CastInt);
  if (call.name == "float") return CallCast(call, CastFloat);
  if (call.name == "bool") return CallCast(call, CastBool);
  if (call.name == "str") return CallCast(call, CastStr);
  if (call.name == "sort") return CallSort(call);
  if (call.name == "shuffle") return CallShuffle(call);
  if (call.name == "choice") return CallChoice(call);
  if (call.name == "range") return CallRange(call);
  if (call.name == "interval") return CallInterval(call);
  if (call.name == "glob") return CallGlob(call);
  if (call.name == "tag") return CallTag(call);
  return Fail(fmt::format(
      "Unknown function '{}'\n"
      "Available: "
      "bool,choice,float,glob,int,interval,range,shuffle,sort,str,tag\n"
      "(if it is no function but text, quote it)",
      call.name));
}

}  // namespace

Result<FunctionValue> CallFunction(const FunctionCall& call) {
  Result<FunctionValue> value = Dispatch(call);
  if (value.ok()) return value;
  return Fail(fmt::format("while evaluating '{}': {}", Printable(call.text),
                          value.error().message()));
}

}  // namespace rangefinder
