// What ncu prints when something is wrong, and what it means to somebody who
// wants a profile. One row a message; docs/errors.md lists the same.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// What this program can do about a failure by itself.
enum class Remedy {
  kNone,
  kOtherMode,   // another replay mode
  kNoFilter,    // no NVTX filter; the report selects instead
  kFreeClocks,  // leave the clocks as they are
};

struct NcuMessage {
  std::string_view text{};  // the fixed part, as ncu prints it
  ErrorCode code = ErrorCode::kProfiler;
  Remedy remedy = Remedy::kNone;
  // Says only that there is an error; a later line says which.
  bool general = false;
  std::string_view what{};
  std::string_view why{};
  std::string_view next{};
};

std::span<const NcuMessage> NcuMessages();

// The first row whose text is in `line`, or nullptr.
const NcuMessage* FindNcuMessage(std::string_view line);

// "WHAT\n  why:  WHY\n  next: NEXT", the form of every explained failure.
std::string Explained(std::string_view what, std::string_view why,
                      std::string_view next);

}  // namespace rangefinder
