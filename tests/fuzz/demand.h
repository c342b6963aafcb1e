// Demand(law) ends the process where an input breaks a law, and libFuzzer keeps
// that input.

#pragma once

#include <cstdio>
#include <cstdlib>

namespace rangefinder::testing {

inline void Demand(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "law broken: %s\n", law);
  std::abort();
}

}  // namespace rangefinder::testing
