// libFuzzer: any bytes as a trace, most of them with checksums made right.
//
// tests/report/corpus_test.cc tries single bytes through the same functions.

#include "tests/fuzz/fuzz_trace.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size > 0 && (data[0] & 1) == 0)
    rangefinder::testing::MakeChecksumsRight(bytes);
  rangefinder::testing::TraceOfAnyBytes(bytes);
  return 0;
}
