// libFuzzer: the files of any `diff`: two report.json, pairs of names, accepted
// changes and a calibration. Most are real ones in which values were changed.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/diff_oracles.h"
#include "tests/fuzz/mutate.h"

using namespace rangefinder;  // NOLINT(google-build-using-namespace)

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t most,
                                               unsigned seed) {
  return testing::Mutate(data, size, most, seed, testing::ChangedDiff);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  testing::DiffOfAnyBytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
