// libFuzzer: any manifest of a run directory, from reading it to every
// document. Most are real ones in which values were changed.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/run_directory.h"

using namespace rangefinder;  // NOLINT(google-build-using-namespace)

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t most,
                                               unsigned seed) {
  return testing::Mutate(data, size, most, seed, testing::ChangedJson);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  testing::ReportOfAnyManifest({reinterpret_cast<const char*>(data), size});
  return 0;
}
