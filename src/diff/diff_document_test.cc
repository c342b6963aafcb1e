#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "diff/diff_sentences.h"
#include "diff/writers.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {
namespace {

// A step of two regions: mlp is slower by a new kernel, attn was renamed.
Comparison Sample() {
  const auto time = [](double base, double other) {
    return TimeChange{.base_ns = {base},
                      .other_ns = {other},
                      .base = base,
                      .other = other,
                      .ratio = other / base};
  };
  const auto region = [&](std::string path, std::string frame,
                          std::size_t parent, std::size_t depth, double base,
                          double other, DiffVerdict verdict) {
    return RegionChange{.path = std::move(path),
                        .frame = std::move(frame),
                        .parent = parent,
                        .depth = depth,
                        .in_base = true,
                        .in_other = true,
                        .verdict = verdict,
                        .time = time(base, other),
                        .base_mean_ns = base,
                        .other_mean_ns = other};
  };
  Comparison comparison{.base_sources = {"a"}, .other_sources = {"b"}};
  using enum DiffVerdict;
  comparison.regions = {
      region("", "", 0, 0, 1e6, 1.3e6, kSlower),
      region("step", "step", 0, 1, 1e6, 1.3e6, kSlower),
      region("step/attention", "attention", 1, 2, 4e5, 4e5, kRenamed),
      region("step/mlp", "mlp", 1, 2, 6e5, 9e5, kSlower)};
  comparison.regions[2].base_path = "step/attn";
  comparison.regions[2].by = PairedBy::kGuess;
  comparison.regions[3].facts = {{.text = "1 more launch: splitk"}};
  comparison.contributions = {
      {.region = 3, .kernel = "splitk", .change_ns = 3e5, .with = {"new"}}};
  comparison.caveats = {{.text = "driver differs: base 1, new 2"}};
  return comparison;
}

const std::vector<Crossing> kCrossings = {
    {.region = 3, .what = "time", .text = "GPU time +50.0 %"}};

TEST(DiffDocument, IsATreeOnTheTerminal) {
  const Comparison comparison = Sample();
  std::ostringstream out;
  WriteTerminal(DiffDocument({comparison, kCrossings}, {}),
                {.width = 90, .unicode = false}, out);
  EXPECT_EQ(out.str(), R"(What changed
GPU time per run 1.00 ms → 1.30 ms, +30.0 %
GPU time of the regions: 2 slower, 1 renamed
Base a, new b
caveat: driver differs: base 1, new 2
worse: step/mlp: GPU time +50.0 %

Timing gates need at least 5 runs per side: rangefinder compare --runs 5 -- A ::: B

Regions
Region            Base       New   Change                 Verdict
step           1.00 ms   1.30 ms  +30.0 %        |######  SLOWER
|- mlp        600.0 µs  900.0 µs  +50.0 %        |######  SLOWER
`- attention  400.0 µs  400.0 µs   +0.0 %        |        RENAMED
    was step/attn

Contributions to the change of +300.0 µs
   Change  Region    Kernel  Also changed
+300.0 µs  step/mlp  splitk  new

Certain changes
step/mlp: 1 more launch: splitk

1 pair was guessed from similarity, not matched by name: correct with --match FILE, or
forbid guesses with --strict
)");
}

TEST(DiffDocument, BeginsWithTheChangesInMarkdown) {
  const Comparison comparison = Sample();
  std::ostringstream out;
  WriteMarkdown(
      DiffDocument({comparison, kCrossings, true}, {.changes_first = true}),
      out);
  EXPECT_EQ(out.str(), R"(# Got worse

**GPU time per run 1.00 ms → 1.30 ms, +30.0 %**

GPU time of the regions: 2 slower, 1 renamed

*Base `a`, new `b`*

- caveat: driver differs: base 1, new 2
- **worse**: step/mlp: GPU time +50.0 %

*Timing gates need at least 5 runs per side: rangefinder compare --runs 5 -- A ::: B*

## Regions that changed

| Region | Base | New | Change | Verdict |
|:--|--:|--:|--:|:--|
| step | 1.00 ms | 1.30 ms | +30.0 % | **SLOWER** |
| step/mlp | 600.0 µs | 900.0 µs | +50.0 % | **SLOWER** |
| step/attention | 400.0 µs | 400.0 µs | +0.0 % | RENAMED; was step/attn |

## Contributions to the change of +300.0 µs

| Change | Region | Kernel | Also changed |
|--:|:--|:--|:--|
| +300.0 µs | step/mlp | `splitk` | new |

## Certain changes

- step/mlp: 1 more launch: splitk

*1 pair was guessed from similarity, not matched by name: correct with --match FILE, or forbid guesses with --strict*

<details><summary>All regions</summary>

| Region | Base | New | Change | Verdict |
|:--|--:|--:|--:|:--|
| step | 1.00 ms | 1.30 ms | +30.0 % | **SLOWER** |
| &emsp;└ mlp | 600.0 µs | 900.0 µs | +50.0 % | **SLOWER** |
| &emsp;└ attention | 400.0 µs | 400.0 µs | +0.0 % | RENAMED; was step/attn |

</details>
)");
}

TEST(DiffDocument, NamesNoRegionIfTheChangesOfWallTimeCancel) {
  Comparison comparison;
  comparison.regions = {
      {},
      {.path = "load", .depth = 1, .base_wall_ns = 4e6, .other_wall_ns = 6e6},
      {.path = "step", .depth = 1, .base_wall_ns = 6e6, .other_wall_ns = 4e6}};
  EXPECT_EQ(WallTimeText(comparison),
            "Wall time in regions 10.00 ms → 10.00 ms, +0.0 %. Verdicts are on "
            "GPU time alone.");
  comparison.regions[1].other_wall_ns += 1000;
  EXPECT_EQ(WallTimeText(comparison).find("most of it"), std::string::npos);
}

// A region that is certainly the same or slower needs no more runs.
TEST(DiffFacts, AskForMoreRunsOnlyWhereTheyWouldDecide) {
  Comparison comparison = Sample();
  for (RegionChange& region : comparison.regions) region.time.runs_needed = 7;
  comparison.regions[1].verdict = DiffVerdict::kAmbiguous;
  comparison.regions[1].why =
      "may be chance; about 7 runs per side would decide";
  std::string text;
  for (const RankedFact& fact : DiffFacts({comparison, {}}).facts) {
    if (fact.section == "Regions") text += fact.item.text.Plain() + "\n";
  }
  EXPECT_EQ(text,
            "step: AMBIGUOUS (may be chance; about 7 runs per side would "
            "decide), GPU time 1.00 ms → 1.30 ms, +30.0 %\n"
            "step/mlp: SLOWER, GPU time 600.0 µs → 900.0 µs, +50.0 %\n"
            "step/attention: RENAMED, GPU time 400.0 µs → 400.0 µs, +0.0 %\n");
}

TEST(DiffJson, HasTheWallTimesThatAreKnown) {
  Comparison comparison;
  comparison.regions = {{}, {.path = "load", .base_wall_ns = 4e6}};
  std::ostringstream out;
  WriteDiffJson({comparison, {}}, out);
  const auto json = nlohmann::json::parse(out.str());
  const auto& time = json["regions"][1]["time"];
  EXPECT_EQ(time["base_wall_ns"], 4e6);
  EXPECT_EQ(time["new_wall_ns"], nullptr);
}

TEST(DiffDocument, StopsAfterTheReasonWhyRunsCannotBeCompared) {
  Comparison comparison{.base_sources = {"a"}, .other_sources = {"b"}};
  comparison.regions.emplace_back();
  comparison.caveats = {{.fatal = true, .text = "device differs"}};
  std::ostringstream out;
  WriteTerminal(DiffDocument({comparison, {}}, {}), {.unicode = false}, out);
  EXPECT_EQ(out.str(), R"(Not comparable
not comparable: device differs

Every verdict is INCOMPARABLE.
Base a, new b
)");
}

}  // namespace
}  // namespace rangefinder
