#include "rollup/traced.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

// Two runs of one program. A kernel with ns= is of the baseline run; other
// kernels have their time under replay as gpu__time_duration.sum.
class TracedRunTest : public ::testing::Test {
 protected:
  void Runs(std::string_view text) {
    profile_ = testing::BuildProfile(text);
    std::vector<Measurement> measured;
    for (Measurement& m : profile_.measurements) {
      const bool traced = m.end_ns > 0;
      m.launch_ns = static_cast<std::uint64_t>(&m - &profile_.measurements[0]);
      (traced ? profile_.traced : measured).push_back(std::move(m));
    }
    profile_.measurements = std::move(measured);
    Notes notes;
    tree_ = BuildRegionTree(profile_, Selection(), notes);
    rollup_ = RollUp(profile_, tree_, {}, notes);
    run_.emplace(profile_, tree_, rollup_);
  }
  const TracedRegion& Of(std::size_t region) {
    return run_->Of(rollup_.scopes[0], static_cast<RegionId>(region));
  }
  std::string Draw(std::size_t region) {
    const TracedRegion& of = Of(region);
    std::string text =
        fmt::format("{}x{} own {}x{}, {}/{} of them measured, {} of {} ns",
                    of.inclusive.count, of.inclusive.ns, of.exclusive.count,
                    of.exclusive.ns, of.coverage.measured, of.coverage.launches,
                    of.coverage.covered_ns, of.coverage.ns);
    for (const TracedKernel& kernel : of.kernels) {
      text +=
          fmt::format("; {}: {}x{}, measured {}x{}", profile_.Name(kernel.name),
                      kernel.traced.count, kernel.traced.ns,
                      kernel.measured.count, kernel.measured.ns);
    }
    return text;
  }
  std::string Scaled(std::size_t region) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < rollup_.columns.size(); ++i)
      columns.push_back(i);
    std::string text;
    for (const ScaledMetric& metric : run_->Scaled(
             rollup_.scopes[0], static_cast<RegionId>(region), columns)) {
      text += fmt::format("{} {:g}", rollup_.columns[metric.column].name,
                          metric.value);
      if (metric.error) text += fmt::format(" +- {:g}", *metric.error);
      if (metric.single > 0) text += fmt::format(" ({} single)", metric.single);
      text += "; ";
    }
    return text;
  }
  std::string Notes_() {
    Notes notes;
    run_->NoteDifferences(notes);
    std::string text;
    for (const Note& note : notes.all())
      text += fmt::format("{} {}; ", note.kind, note.count);
    return text;
  }

  Profile profile_;
  RegionTree tree_;
  Rollup rollup_;
  std::optional<TracedRun> run_;
};

TEST_F(TracedRunTest, KeepsTheRegionsOfProcessesApart) {
  std::string text;
  for (int p = 0; p < 3; ++p)
    text += fmt::format(
        "kernel k pid={0} ns=100 @ all/only{0}\n"
        "kernel k pid={0} gpu__time_duration.sum=100 @ all/only{0}\n",
        p);
  Runs(text);
  ASSERT_EQ(rollup_.scopes.size(), 4U);
  for (std::size_t scope = 1; scope < 4; ++scope) {
    for (std::size_t region = 0; region < 5; ++region) {
      const TracedRegion& of =
          run_->Of(rollup_.scopes[scope], static_cast<RegionId>(region));
      const bool is_its_own = region < 2 || region == scope + 1;
      EXPECT_EQ(of.inclusive.count, is_its_own ? 1U : 0U) << scope << region;
    }
  }
}

TEST_F(TracedRunTest, WithoutABaselineRunThereIsNone) {
  Runs("kernel k gpu__time_duration.sum=10 @ A");
  EXPECT_FALSE(run_->there());
  EXPECT_FALSE(run_->ratio());
  EXPECT_EQ(Notes_(), "");
}

TEST_F(TracedRunTest, LaunchesAreCountedByRegionKernelGridAndBlock) {
  Runs(R"(
    kernel k grid=1 gpu__time_duration.sum=15 @ A
    kernel k grid=1 ns=10 @ A
    kernel k grid=1 ns=12 @ A
    kernel k grid=2 ns=100 @ A
    kernel j ns=30 @ A/B
    kernel j gpu__time_duration.sum=40 @ A/B
    kernel k grid=1 device=1 ns=7 @ A
  )");
  EXPECT_EQ(Draw(0), "5x159 own 0x0, 2/5 of them measured, 52 of 159 ns");
  EXPECT_EQ(Draw(1),
            "5x159 own 4x129, 2/5 of them measured, 52 of 159 ns; "
            "k: 3x122, measured 1x15; k: 1x7, measured 0x0");
  EXPECT_EQ(Draw(2),
            "1x30 own 1x30, 1/1 of them measured, 30 of 30 ns; "
            "j: 1x30, measured 1x40");
  EXPECT_FALSE(Of(1).coverage.complete());
  EXPECT_TRUE(Of(2).coverage.complete());
  EXPECT_DOUBLE_EQ(Of(1).coverage.time_share(), 52.0 / 159);
}

TEST_F(TracedRunTest, AScopeHasItsOwnLaunchesOnly) {
  Runs(R"(
    kernel k pid=1 gpu__time_duration.sum=15 @ A
    kernel k pid=2 gpu__time_duration.sum=16 @ A
    kernel k pid=1 ns=10 @ A
    kernel k pid=2 ns=20 @ A
    kernel k pid=2 ns=30 @ A
  )");
  ASSERT_EQ(rollup_.scopes.size(), 3U);
  const auto ns = [&](std::size_t scope) {
    return run_->Of(rollup_.scopes[scope], RegionTree::kRoot).inclusive.ns;
  };
  EXPECT_EQ(ns(0), 60);
  EXPECT_EQ(ns(1), 10);
  EXPECT_EQ(ns(2), 50);
}

TEST_F(TracedRunTest, ALaunchHasTheTimeOfItsPlaceWhereCountsAgree) {
  Runs(R"(
    kernel k gpu__time_duration.sum=1 @ A
    kernel k gpu__time_duration.sum=1 @ A
    kernel j gpu__time_duration.sum=1 @ A
    kernel k ns=10 @ A
    kernel k ns=20 @ A
    kernel j ns=30 @ A
    kernel j ns=40 @ A
  )");
  EXPECT_EQ(run_->UndisturbedNs(MeasurementId{0}), 10);
  EXPECT_EQ(run_->UndisturbedNs(MeasurementId{1}), 20);
  EXPECT_EQ(run_->UndisturbedNs(MeasurementId{2}), std::nullopt);
}

TEST_F(TracedRunTest, ARowFindsItsKernelWhereBothRunsHaveIt) {
  Runs(R"(
    kernel k gpu__time_duration.sum=1 @ A
    kernel only gpu__time_duration.sum=1 @ A
    kernel k ns=10 @ A
    kernel traced ns=10 @ A
  )");
  const auto find = [&](std::string_view name) {
    return run_->Find(rollup_.scopes[0], RegionId{1},
                      {.name = *profile_.strings.Find(name), .device = 0});
  };
  ASSERT_NE(find("k"), nullptr);
  EXPECT_EQ(find("k")->traced.ns, 10);
  EXPECT_EQ(find("only"), nullptr);
  EXPECT_EQ(find("traced"), nullptr);
}

// Two of four: mean 12, and the variance of a total drawn without replacement
// is 4 * 4 * (1 - 2/4) * 8 / 2.
TEST_F(TracedRunTest, SumsAreScaledToAllLaunchesOfTheirClass) {
  Runs(R"(
    kernel k dram__bytes.sum=10 x__y.avg.per_second=1 @ A
    kernel k dram__bytes.sum=14 x__y.avg.per_second=1 @ A
    kernel k ns=1 @ A
    kernel k ns=1 @ A
    kernel k ns=1 @ A
    kernel k ns=1 @ A
    kernel j dram__bytes.sum=100 @ A/B
    kernel j ns=1 @ A/B
    kernel j ns=1 @ A/B
    kernel whole dram__bytes.sum=1000 @ C
    kernel whole ns=1 @ C
  )");
  EXPECT_EQ(Scaled(1), "dram__bytes.sum 248 +- 5.65685 (1 single); ");
  EXPECT_EQ(Scaled(2), "dram__bytes.sum 200 (1 single); ");
  EXPECT_EQ(Scaled(3), "dram__bytes.sum 1000; ");
  EXPECT_EQ(Scaled(0), "dram__bytes.sum 1248 +- 5.65685 (1 single); ");
}

TEST_F(TracedRunTest, TheRatioIsTheMedianOverKernelsThatAreLongEnough) {
  Runs(R"(
    kernel a gpu__time_duration.sum=30000 @ A
    kernel a ns=20000 @ A
    kernel b gpu__time_duration.sum=19999 @ A
    kernel b ns=19999 @ A
  )");
  EXPECT_EQ(run_->ratio()->median, 1.5);
  EXPECT_EQ(run_->ratio()->kernels, 1U);
  EXPECT_EQ(Notes_(), "replay_times_differ 1; ");
  Runs(R"(
    kernel a gpu__time_duration.sum=20 @ A
    kernel a ns=10 @ A
    kernel b gpu__time_duration.sum=10 @ A
    kernel b ns=10 @ A
    kernel c gpu__time_duration.sum=8 @ A
    kernel c gpu__time_duration.sum=12 @ B
    kernel c ns=10 @ A
    kernel c ns=30 @ B
    kernel d gpu__time_duration.sum=30 @ A
    kernel d ns=10 @ A
  )");
  // 0.5 (over both regions), 1, 2 and 3.
  const auto ratio = run_->ratio();
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->median, 1.5);
  EXPECT_EQ(ratio->low, 0.5);
  EXPECT_EQ(ratio->high, 3);
  EXPECT_EQ(ratio->kernels, 4U);
}

TEST_F(TracedRunTest, LaunchesThatOnlyTheMeasuredRunMadeAreNoted) {
  Runs(R"(
    kernel a gpu__time_duration.sum=10 @ A
    kernel a gpu__time_duration.sum=10 @ A
    kernel a gpu__time_duration.sum=10 @ A
    kernel b gpu__time_duration.sum=10 @ B
    kernel a ns=10 @ A
  )");
  EXPECT_EQ(Notes_(), "runs_differ 3; ");
  Runs(R"(
    kernel a gpu__time_duration.sum=11 @ A
    kernel a ns=10 @ A
    kernel a ns=10 @ A
  )");
  EXPECT_EQ(Notes_(), "");
}

}  // namespace
}  // namespace rangefinder
