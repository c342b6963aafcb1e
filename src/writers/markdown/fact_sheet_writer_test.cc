#include "writers/markdown/fact_sheet_writer.h"

#include <sstream>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

FactSheet Sheet() {
  FactSheet sheet{.title = "Why it is slow"};
  sheet.Add("Run", 0, {.text = "1 GPU"});
  sheet.Add("Causes", 1, {.text = "first", .details = {"to do: this"}});
  sheet.Add("Causes", 3, {.text = std::string(300, 'x')});
  sheet.Add("Kernels", 2, {.text = "gemm"});
  sheet.Add("Kernels", 4, {.text = std::string(300, 'y')});
  return sheet;
}

std::string Written(std::uint64_t tokens) {
  std::ostringstream out;
  WriteFactSheet(Sheet(), tokens, out);
  return std::move(out).str();
}

TEST(FactSheet, WithoutABudgetHasAllFactsBySections) {
  EXPECT_EQ(Written(0),
            "# Why it is slow\n\n## Run\n\n- 1 GPU\n\n## Causes\n\n- first. To "
            "do: this.\n- " +
                std::string(300, 'x') + "\n\n## Kernels\n\n- gemm\n- " +
                std::string(300, 'y') + "\n");
}

TEST(FactSheet, LeavesOutWholeFactsOfTheHighestRank) {
  EXPECT_EQ(Written(130),
            "# Why it is slow\n\n## Run\n\n- 1 GPU\n\n## Causes\n\n- first. To "
            "do: this.\n- " +
                std::string(300, 'x') +
                "\n\n## Kernels\n\n- gemm\n\n*Left out for the budget: 1 of 2 "
                "in Kernels; --budget 174 holds all.*\n");
  EXPECT_EQ(Written(100),
            "# Why it is slow\n\n## Run\n\n- 1 GPU\n\n## Causes\n\n- first. To "
            "do: this.\n"
            "\n## Kernels\n\n- gemm\n\n*Left out for the "
            "budget: 1 of 2 in Causes, 1 of 2 in Kernels; --budget 174 holds "
            "all.*\n");
}

TEST(FactSheet, NeverTakesMoreThanItsBudget) {
  const std::string all = Written(0);
  for (std::uint64_t tokens = kLeastTokens; tokens < 250; ++tokens)
    EXPECT_LE(Written(tokens).size(), 4 * tokens);
  EXPECT_EQ(Written(all.size() / 4 + 1), all);
}

}  // namespace
}  // namespace rangefinder
