// libFuzzer: any trace, from the reader to every document. Most are real ones
// in which records, blocks and the header were changed.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/trace/trace_blocks.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/report_oracles.h"
#include "tests/fuzz/trace_mutator.h"

using namespace rangefinder;  // NOLINT(google-build-using-namespace)

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t most,
                                               unsigned seed) {
  return testing::Mutate(data, size, most, seed, testing::ChangedTrace);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (IsTrace(bytes)) testing::ReportOfAnyBytes(bytes, "any.rftrace");
  return 0;
}
