// Expressions and patterns are users' text, ranges a program's: whatever both
// are, nothing may crash, and what is translated must be what ncu accepts.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/filter_command.h"
#include "region/nvtx_expression.h"
#include "region/nvtx_translate.h"
#include "tests/support/profile_builder.h"

using namespace rangefinder;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data),
                               size < 2048 ? size : 2048);
  // The first line is the expression, the rest a program.
  const std::size_t line = bytes.find('\n');
  const std::string expression(bytes.substr(0, line));
  const Profile profile = testing::BuildProfile(line == std::string_view::npos
                                                    ? testing::kNestedProgram
                                                    : bytes.substr(line + 1));
  for (const bool native : {true, false}) {
    const FilterAnswer answer =
        Filter({.expression = expression, .native = native}, profile);
    FilterText(answer, profile);
    FilterJson(answer);
  }
  const auto blind = TranslatePattern(expression, nullptr);
  if (blind.ok()) {
    for (const std::string& text : blind.value().expressions) {
      if (!ncu::ParseNvtxExpression(text).ok()) std::abort();
    }
  }
  return 0;
}
