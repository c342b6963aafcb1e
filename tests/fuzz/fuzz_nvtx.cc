// libFuzzer: expressions and patterns are text of users, ranges are names of a
// program. Nothing crashes on either, and a translated expression is one that
// ncu accepts.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/nvtx_filter.h"
#include "region/nvtx_expression.h"
#include "region/nvtx_translate.h"
#include "tests/fuzz/demand.h"
#include "tests/fuzz/growth.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/profile_builder.h"

using namespace rangefinder;  // NOLINT(google-build-using-namespace)

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t most,
                                               unsigned seed) {
  return testing::MutateText(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data),
                               size < 2048 ? size : 2048);
  const testing::Growth growth;
  // The first line is the expression, the rest a program.
  const std::size_t line = bytes.find('\n');
  const std::string expression(bytes.substr(0, line));
  const Profile profile = testing::BuildProfile(line == std::string_view::npos
                                                    ? testing::kNestedProgram
                                                    : bytes.substr(line + 1));
  std::size_t written = 0;
  for (const bool native : {true, false}) {
    const FilterAnswer answer =
        Filter({.expression = expression, .native = native}, profile);
    written += FilterText(answer, profile).size() + FilterJson(answer).size();
  }
  const auto blind = TranslatePattern(expression, nullptr);
  if (blind.ok()) {
    for (const std::string& text : blind.value().expressions) {
      testing::Demand(ncu::ParseNvtxExpression(text).ok(),
                      "what is translated is what ncu accepts");
    }
  }
  testing::DemandLinear(bytes.size(), written, growth);
  return 0;
}
