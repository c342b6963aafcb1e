// libFuzzer: any report of ncu, from the reader to every document. Most are
// real ones in which fields, results and blocks were changed.
//
//   cmake --preset fuzz && cmake --build --preset fuzz --target fuzz_ncu
//   build/fuzz/fuzz_ncu -max_total_time=60 tests/fuzz/corpus/ncu

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/compressed.h"
#include "ingest/ncu/ncu_reader.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/ncu_mutator.h"
#include "tests/fuzz/report_oracles.h"

using namespace rangefinder;  // NOLINT(google-build-using-namespace)

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t most,
                                               unsigned seed) {
  return testing::Mutate(data, size, most, seed, testing::ChangedNcuReport);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // Traces and databases are for their own fuzzers.
  if (IsNcuReport(bytes) || IsCompressed(bytes))
    testing::ReportOfAnyBytes(bytes);
  return 0;
}
