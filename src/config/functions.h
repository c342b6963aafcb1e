// The functions of the override grammar: int(x), sort([...]), and the sweeps.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "config/override.h"

namespace rangefinder {

struct FunctionCall {
  struct Argument {
    std::string name{};  // empty: positional
    Node value{};
    Override::Sweep sweep = Override::Sweep::kNone;
  };

  std::string name{};
  std::vector<Argument> arguments{};
  std::string text{};  // as typed
};

struct FunctionValue {
  Node node{};
  Override::Sweep sweep = Override::Sweep::kNone;
};

Result<FunctionValue> CallFunction(const FunctionCall& call);

}  // namespace rangefinder
