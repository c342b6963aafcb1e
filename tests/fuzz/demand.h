// A law that every input keeps; an input that breaks it ends the process, and
// libFuzzer writes it down.

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
