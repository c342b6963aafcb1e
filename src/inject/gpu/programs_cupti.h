// The CUPTI of the program, or the copy that the library loads into the
// program.

#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/library.h"

namespace rangefinder::inject {

struct ProgramsCupti : cupti::ActivityFunctions {
  void* library = nullptr;
  std::uint32_t version = 0;

  // Opens CUPTI and writes its version into the trace. False: there is none, or
  // it is too old; `reason` has the reason.
  bool Open(char* reason, std::size_t size);

  // Writes why `step` failed into `reason`: the meaning of `code` if it is
  // known, else that the step failed; and CUPTI's name and number of the code.
  void SayFailure(const char* step, cupti::Code code, char* reason,
                  std::size_t size) const;
  // "CUPTI_ERROR_HARDWARE_BUSY"
  const char* NameOf(cupti::Code code) const;
};

}  // namespace rangefinder::inject
