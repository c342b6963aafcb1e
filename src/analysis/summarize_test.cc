// A capture and its summary say the same of every region.

#include "analysis/summarize.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/write_file.h"
#include "ranks/rank_records.h"
#include "region/path.h"
#include "summary/summary_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using testing::BuildTrace;

std::string BytesOf(const Analysis& analysis) {
  std::ostringstream out;
  const Ranks ranks = RanksOf(analysis.profile, analysis.tree);
  WriteSummary(out, Summarize(analysis, ranks, {}), ranks);
  return std::move(out).str();
}

std::unique_ptr<Analysis> Read(const std::vector<fs::path>& files) {
  auto analysis = Analyze(files, {});
  EXPECT_TRUE(analysis.ok()) << analysis.error().message();
  return analysis.ok() ? std::move(analysis).value() : EmptyAnalysis();
}

std::unique_ptr<Analysis> ReadBytes(const TempDir& folder,
                                    const std::string& bytes) {
  EXPECT_TRUE(WriteFile(folder / "one.rfsum", bytes).ok());
  return Read({folder / "one.rfsum"});
}

bool Near(double a, double b) {
  return a == b ||
         std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

// By path, kind of frames aside.
std::optional<RegionId> Find(const Analysis& in, const Analysis& of,
                             RegionId id) {
  const std::string path = PathText(of.profile, of.tree.PathTo(id));
  for (std::size_t i = 0; i < in.tree.regions().size(); ++i) {
    const auto other = static_cast<RegionId>(i);
    if (in.tree[other].unattributed == of.tree[id].unattributed &&
        in.tree[other].depth == of.tree[id].depth &&
        PathText(in.profile, in.tree.PathTo(other)) == path)
      return other;
  }
  return std::nullopt;
}

class Agreement {
 public:
  Agreement(const Analysis& run, const Analysis& summary)
      : run_(run), summary_(summary) {}

  void Check() {
    EXPECT_EQ(run_.tree.regions().size(), summary_.tree.regions().size());
    for (std::size_t i = 0; i < run_.tree.regions().size(); ++i) {
      const auto id = static_cast<RegionId>(i);
      const auto other = Find(summary_, run_, id);
      where_ = PathText(run_.profile, run_.tree.PathTo(id));
      ASSERT_TRUE(other) << where_;
      const RegionRollup& a = run_.rollup.scopes[0].regions[i];
      const RegionRollup& b = summary_.rollup.scopes[0].regions[Index(*other)];
      Compare(a.inclusive, b.inclusive);
      Compare(a.exclusive, b.exclusive);
      CompareRows(a.all_kernels(), b.all_kernels());
      // Of several the summary has the mean.
      if (a.measured.size() != 1) continue;
      ASSERT_EQ(b.measured.size(), 1U) << where_;
      EXPECT_EQ(a.measured[0].mode, b.measured[0].mode) << where_;
      Compare(a.measured[0].amounts, b.measured[0].amounts);
    }
  }

  // Cells that the run has and the summary has not, by metric.
  std::set<std::string> missing{};
  std::size_t compared = 0;

 private:
  void Compare(const Amounts& a, const Amounts& b) {
    EXPECT_EQ(a.kernel_count, b.kernel_count) << where_;
    EXPECT_PRED2(Near, a.gpu_time_ns, b.gpu_time_ns) << where_;
    for (std::size_t i = 0; i < a.cells.size(); ++i) {
      const std::string& name = run_.rollup.columns[i].name;
      const auto& columns = summary_.rollup.columns;
      const auto at = std::ranges::find(columns, name, &Column::name);
      if (at == columns.end()) {
        if (a.cells[i].how != How::kAbsent) missing.insert(name);
        continue;
      }
      Compare(name, a.cells[i],
              b.cells[static_cast<std::size_t>(at - columns.begin())]);
    }
  }

  void Compare(const std::string& name, const Cell& a, const Cell& b) {
    if (a.how == How::kAbsent) return;
    if (b.how == How::kAbsent) {
      missing.insert(name);
      return;
    }
    ++compared;
    ASSERT_EQ(a.is_text, b.is_text) << where_ << " " << name;
    if (a.is_text) {
      EXPECT_EQ(run_.profile.Name(a.text), summary_.profile.Name(b.text));
      return;
    }
    EXPECT_PRED2(Near, a.value, b.value)
        << where_ << " " << name << " " << std::string_view(a.rule) << " "
        << std::string_view(a.weight);
  }

  void CompareRows(const std::vector<KernelRow>& a,
                   const std::vector<KernelRow>& b) {
    ASSERT_EQ(a.size(), b.size()) << where_;
    for (const KernelRow& row : a) {
      const auto same = std::ranges::find_if(b, [&](const KernelRow& other) {
        return summary_.profile.Name(other.name) == run_.profile.Name(row.name);
      });
      ASSERT_NE(same, b.end()) << where_;
      EXPECT_EQ(row.calls, same->calls) << where_;
      EXPECT_EQ(row.own_calls, same->own_calls) << where_;
      EXPECT_PRED2(Near, row.total_ns, same->total_ns) << where_;
      EXPECT_LE(std::abs(row.min_ns - same->min_ns), 0.5) << where_;
      EXPECT_LE(std::abs(row.max_ns - same->max_ns), 0.5) << where_;
    }
  }

  const Analysis& run_;
  const Analysis& summary_;
  std::string where_{};
};

TEST(Summarize, OfATraceSaysTheSameOfEveryRegion) {
  const TempDir folder;
  ASSERT_TRUE(WriteFile(folder / "run.rftrace", BuildTrace(R"(
process pid=7 rank=3
gpu 0 NVIDIA_H200
10 push A
12 launch 1
20 push LLM@B
22 launch 2
24 launch 3
30 pop LLM
40 pop
50 push A
51 launch 4
60 pop
70 launch 5
80 push Empty
90 pop
kernel saxpy 15-40 of=1 grid=4 block=64
kernel saxpy 41-44 of=2 grid=4 block=64
kernel gemm 45-60 of=3 grid=8 block=128
kernel saxpy 61-62 of=4 grid=4 block=64
kernel last 90-95 of=5
copy 96-99 of=5 bytes=4096
)"))
                  .ok());
  const auto run = Read({folder / "run.rftrace"});
  const std::string bytes = BytesOf(*run);
  const auto summary = ReadBytes(folder, bytes);
  Agreement agreement(*run, *summary);
  agreement.Check();
  EXPECT_TRUE(agreement.missing.empty());
  ASSERT_EQ(summary->profile.ranks.records.size(), 1U);
  EXPECT_EQ(summary->profile.ranks.records[0].rank, 3);
  EXPECT_EQ(summary->profile.ranks.records[0].pid, 7U);
}

// Metrics that no rule combines, and values about the profiler itself.
class SummarizeReport : public ::testing::TestWithParam<const char*> {};

TEST_P(SummarizeReport, SaysTheSameOfEveryRegionAndMetric) {
  const TempDir folder;
  const fs::path path =
      fs::path(RANGEFINDER_SOURCE_DIR) / "tests/fixtures" / GetParam();
  const auto run = Read({path});
  const auto summary = ReadBytes(folder, BytesOf(*run));
  Agreement agreement(*run, *summary);
  agreement.Check();
  EXPECT_GT(agreement.compared, 0U);
  for (const std::string& name : agreement.missing) {
    EXPECT_TRUE(name.starts_with("profiler__") || name.starts_with("derived"))
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, SummarizeReport,
    ::testing::Values("nested_basic.ncu-rep", "multiproc.ncu-rep",
                      "graph_node.ncu-rep", "graph_graph.ncu-rep",
                      "range_ABprefill.ncu-rep", "apprange_nested.ncu-rep",
                      "nvtx_contexts.ncu-rep"),
    [](const auto& test) {
      std::string name = test.param;
      std::ranges::replace(name, '.', '_');
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace rangefinder
