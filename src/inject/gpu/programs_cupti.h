// CUPTI as the program has it, or as we load it into the program.

#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/library.h"

namespace rangefinder::inject {

struct ProgramsCupti : cupti::ActivityFunctions {
  void* library = nullptr;
  std::uint32_t version = 0;

  // And writes the version into the trace. False, with the reason in `reason`:
  // there is none, or one that is too old.
  bool Open(char* reason, std::size_t size);

  // Why `step` failed: what `code` means, else that it failed; with CUPTI's
  // name and number of the code.
  void SayFailure(const char* step, cupti::Code code, char* reason,
                  std::size_t size) const;
  // "CUPTI_ERROR_HARDWARE_BUSY"
  const char* NameOf(cupti::Code code) const;
};

}  // namespace rangefinder::inject
