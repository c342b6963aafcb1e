// The functions of the override grammar: int(x), sort([...]), and sweeps such
// as choice(a, b).

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

// The kind of sweep that a value requests. A single run refuses all sweeps;
// kSimple is `a=1,2`, which a user may not have meant as a sweep; kNamed is a
// function such as `choice(1, 2)`.
enum class SweepKind { kNone, kSimple, kNamed };

struct FunctionCall {
  struct Argument {
    std::string name{};  // empty: positional
    Node value{};
    SweepKind sweep = SweepKind::kNone;
  };

  std::string name{};
  std::vector<Argument> arguments{};
  std::string text{};  // as typed
};

struct FunctionValue {
  Node node{};
  SweepKind sweep = SweepKind::kNone;
};

Result<FunctionValue> CallFunction(const FunctionCall& call);

}  // namespace rangefinder
