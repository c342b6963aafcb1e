// Error messages of ncu, with explanations: one row of ncu_messages.json per
// message. docs/errors.md lists them too. If a line contains two texts, the
// first row counts: specific rows stand before general ones.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// Automatic remedies for failures.
enum class Remedy {
  kNone,
  kOtherMode,   // another replay mode
  kNoFilter,    // no NVTX filter; the report selects regions
  kFreeClocks,  // do not lock clocks
};

struct NcuMessage {
  std::string text{};  // the fixed part, as ncu prints it
  ErrorCode code = ErrorCode::kProfiler;
  Remedy remedy = Remedy::kNone;
  // Not specific: another line tells the cause.
  bool general = false;
  std::string what{};
  std::string why{};
  std::string next{};
};

std::span<const NcuMessage> NcuMessages();

// The first row with a text that is in `line`, or nullptr.
const NcuMessage* FindNcuMessage(std::string_view line);

// "WHAT\n  why:  WHY\n  next: NEXT", the form of every explained failure.
std::string Explained(std::string_view what, std::string_view why,
                      std::string_view next);

}  // namespace rangefinder
