// Writes the trace that standard input draws as text
// (tests/support/trace_builder.h):
//
//   trace_from_text < FILE > TRACE

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/support/trace_builder.h"

int main() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  try {
    std::cout << rangefinder::testing::BuildTrace(text) << std::flush;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trace_from_text: %s\n", error.what());
    return 1;
  }
  return std::cout ? 0 : 1;
}
