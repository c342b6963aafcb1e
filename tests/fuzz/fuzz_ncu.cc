// libFuzzer: any bytes as a report, from the reader to every document.
//
//   cmake --preset fuzz && cmake --build --preset fuzz --target fuzz_ncu
//   build/fuzz/fuzz_ncu -max_total_time=60 tests/fuzz/corpus/ncu
//
// tests/report/corpus_test.cc runs the corpus through the same function.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/fuzz_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // What a trace or a database holds is for their own fuzzers.
  if (rangefinder::IsNcuReport(bytes) ||
      rangefinder::IsCompressedNcuReport(bytes))
    rangefinder::testing::ReportOfAnyBytes(bytes);
  return 0;
}
