#include "config/functions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "config/scalar.h"

namespace rangefinder {
namespace {

// ---- casts -----------------------------------------------------------------

Result<Node> CastInt(const Node& value) {
  switch (value.kind) {
    case NodeKind::kBool:
      return Node::Int(value.boolean ? 1 : 0);
    case NodeKind::kInt:
      return value;
    case NodeKind::kFloat: {
      if (std::isinf(value.number))
        return UsageError("cannot convert float infinity to integer");
      if (std::isnan(value.number))
        return UsageError("cannot convert float NaN to integer");
      return *PythonInt(fmt::format("{:.0f}", std::trunc(value.number)));
    }
    default:
      break;
  }
  if (auto number = PythonInt(value.text)) return *std::move(number);
  return UsageError("invalid literal for int() with base 10: {}",
                    PythonRepr(value));
}

Result<Node> CastFloat(const Node& value) {
  auto number = PythonNumber(value);
  if (!number) number = PythonFloatOf(value.text);
  if (number) return Node::Float(*number);
  return UsageError("could not convert string to float: {}", PythonRepr(value));
}

Result<Node> CastBool(const Node& value) {
  if (const auto number = PythonNumber(value)) return Node::Bool(*number != 0);
  const std::string word = AsciiLower(value.text);
  if (word == "true") return Node::Bool(true);
  if (word == "false") return Node::Bool(false);
  return UsageError("Cannot cast '{}' to bool", value.text);
}

Result<Node> CastStr(const Node& value) {
  if (value.kind == NodeKind::kBool)
    return Node::String(value.boolean ? "true" : "false");
  return Node::String(PythonStr(value));
}

using Cast = Result<Node> (*)(const Node&);

Result<Node> CastAll(Cast cast, const Node& value) {
  if (value.is_null()) return UsageError("null cannot be cast");
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

// ---- functions -------------------------------------------------------------

// The value of the only argument, which may be named; null if there is not
// exactly one.
const Node* OnlyValue(const FunctionCall& call) {
  return call.arguments.size() == 1 ? &call.arguments[0].value : nullptr;
}

Result<FunctionValue> CallCast(const FunctionCall& call, Cast cast) {
  const Node* value = OnlyValue(call);
  if (value == nullptr)
    return UsageError("No positional args or value specified");
  return FunctionValue{.node = TRY(CastAll(cast, *value))};
}

// Sorts a list as Python does; an error if Python cannot compare the items.
Result<FunctionValue> CallSort(const FunctionCall& call) {
  Node list;
  bool has_list = false;
  bool reverse = false;
  for (const FunctionCall::Argument& argument : call.arguments) {
    if (argument.name != "reverse") {
      list = argument.value;
      has_list = true;
    } else if (argument.value.kind == NodeKind::kBool) {
      reverse = argument.value.boolean;
    } else {
      return UsageError(
          "mismatch type argument reverse: expected true or false");
    }
  }
  if (!has_list) return UsageError("empty sort input");
  std::vector<Node>& items = list.items;
  for (const Node& item : items) {
    if (item.is_string() != items[0].is_string() || item.is_container() ||
        item.is_null()) {
      return UsageError("'<' not supported between instances of '{}' and '{}'",
                        PythonTypeName(item), PythonTypeName(items[0]));
    }
  }
  std::ranges::stable_sort(items, [&](const Node& a, const Node& b) {
    const Node& first = reverse ? b : a;
    const Node& second = reverse ? a : b;
    return a.is_string() ? first.text < second.text
                         : PythonNumber(first) < PythonNumber(second);
  });
  return FunctionValue{.node = std::move(list)};
}

// A shuffled list of several values would make a run that cannot be repeated.
Result<FunctionValue> CallShuffle(const FunctionCall& call) {
  const Node* value = OnlyValue(call);
  if (value == nullptr || !value->is_list() || value->items.size() > 1)
    return UsageError(
        "a shuffled list cannot be repeated: write the order you want");
  return FunctionValue{.node = *value};
}

// The sweep that a call requests: by its name, by several values, or by an
// argument that is a sweep.
SweepKind SweepOf(const FunctionCall& call) {
  for (const std::string_view name : {"choice", "range", "interval", "glob"})
    if (call.name == name) return SweepKind::kNamed;
  SweepKind sweep = SweepKind::kNone;
  std::size_t positional = 0;
  for (const FunctionCall::Argument& argument : call.arguments) {
    if (argument.sweep != SweepKind::kNone) sweep = argument.sweep;
    positional += argument.name.empty();
  }
  const bool tag = call.name == "tag";
  return positional > 1 && !tag ? SweepKind::kSimple : sweep;
}

Result<FunctionValue> Dispatch(const FunctionCall& call) {
  constexpr std::array<std::string_view, 11> kNames = {
      "bool",  "choice",  "float", "glob", "int", "interval",
      "range", "shuffle", "sort",  "str",  "tag"};
  if (!Has(kNames, call.name)) {
    return UsageError(
        "Unknown function '{}'\nAvailable: {}\n"
        "(if it is no function but text, quote it)",
        call.name, fmt::join(kNames, ","));
  }
  if (call.arguments.empty()) return UsageError("it needs an argument");
  // A single run refuses every sweep, so its values do not matter.
  const SweepKind sweep = SweepOf(call);
  if (sweep != SweepKind::kNone) return FunctionValue{.sweep = sweep};
  for (const FunctionCall::Argument& argument : call.arguments) {
    if (!argument.name.empty() && argument.name != "value" &&
        argument.name != "list" && argument.name != "reverse")
      return UsageError("got an unexpected keyword argument '{}'",
                        argument.name);
  }
  if (call.name == "int") return CallCast(call, CastInt);
  if (call.name == "float") return CallCast(call, CastFloat);
  if (call.name == "bool") return CallCast(call, CastBool);
  if (call.name == "str") return CallCast(call, CastStr);
  if (call.name == "sort") return CallSort(call);
  if (call.name == "shuffle") return CallShuffle(call);
  return UsageError("Last argument to tag() must be a sweep");
}

}  // namespace

Result<FunctionValue> CallFunction(const FunctionCall& call) {
  Result<FunctionValue> value = Dispatch(call);
  if (value.ok()) return value;
  return UsageError("while evaluating '{}': {}", Printable(call.text),
                    value.error().message());
}

}  // namespace rangefinder
