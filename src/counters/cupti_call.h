// Calls of CUPTI that return a Status, and objects that release themselves.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "counters/cupti_library.h"

namespace rangefinder {

// Calls the function of `params`; kProfiler, "FUNCTION: CODE", where it fails.
template <typename Params>
Status CallCupti(const CuptiLibrary& library, Params& params) {
  const cupti::Code code = library.Call(params);
  if (code == cupti::kSuccess) return Ok();
  return Error(ErrorCode::kProfiler,
               fmt::format("{}: {}", Params::kFunction, library.Name(code)));
}

// A host object of this chip; `available` as ConfigImageRequest has it.
inline Result<std::shared_ptr<void>> NewHost(
    const CuptiLibrary& library, cupti::ProfilerType type,
    const std::string& chip, std::span<const std::uint8_t> available = {}) {
  cupti::HostInitialize start;
  start.profiler = type;
  start.chip = chip.c_str();
  start.availability = available.empty() ? nullptr : available.data();
  TRY(CallCupti(library, start));
  return std::shared_ptr<void>(start.host, [library](void* object) {
    cupti::HostDeinitialize end;
    end.host = object;
    library.Call(end);
  });
}

}  // namespace rangefinder
