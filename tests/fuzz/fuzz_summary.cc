// libFuzzer: any summary of ranks, from the reader to merges and every
// document. Most are real ones in which sections and their bodies were changed.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "summary/sections.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/summary_mutator.h"
#include "tests/fuzz/summary_oracles.h"

using namespace rangefinder;  // NOLINT(google-build-using-namespace)

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t most,
                                               unsigned seed) {
  return testing::Mutate(data, size, most, seed, testing::ChangedSummary);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (IsSummary(bytes)) testing::SummaryOfAnyBytes(bytes);
  return 0;
}
