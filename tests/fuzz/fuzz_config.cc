// libFuzzer: any YAML, override, interpolation or composition.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/config_oracles.h"
#include "tests/fuzz/growth.h"
#include "tests/fuzz/mutate.h"

using namespace rangefinder;  // NOLINT(google-build-using-namespace)

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t most,
                                               unsigned seed) {
  return testing::MutateText(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const testing::Growth growth;
  testing::ConfigOfAnyBytes({reinterpret_cast<const char*>(data), size});
  testing::DemandLinear(size, 0, growth);
  return 0;
}
