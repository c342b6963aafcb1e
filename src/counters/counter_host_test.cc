// Answers of the installed CUPTI about chips; no GPU is needed.

#include "counters/counter_host.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Names = std::vector<std::string>;

class CounterHostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto library = CuptiLibrary::Open();
    if (!library.ok() || !library.value().Has<cupti::HostInitialize>())
      GTEST_SKIP() << "no CUPTI: WHAT IT SAYS OF CHIPS IS NOT TESTED";
    library_ = std::make_unique<CuptiLibrary>(std::move(library).value());
  }

  CounterHost Host(std::string_view chip, CounterMode mode) {
    auto host = CounterHost::Open(*library_, chip, mode);
    EXPECT_TRUE(host.ok()) << host.error().message();
    return std::move(host).value();
  }

  std::string FailureOf(const CounterHost& host, const Names& metrics) {
    const auto passes = host.Passes(metrics);
    return passes.ok() ? "none" : passes.error().message();
  }

  std::unique_ptr<CuptiLibrary> library_;
};

TEST_F(CounterHostTest, ChipsAreKnownByName) {
  EXPECT_THAT(library_->path(), HasSubstr("libcupti.so"));
  EXPECT_GE(library_->version(), 18U);
  const auto chips = SupportedChips(*library_);
  ASSERT_TRUE(chips.ok());
  EXPECT_THAT(chips.value(), AllOf(Contains("GH100"), Contains("GA100")));

  const auto unknown =
      CounterHost::Open(*library_, "GX100", CounterMode::kCount);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code(), ErrorCode::kUsage);
  EXPECT_THAT(unknown.error().message(),
              AllOf(HasSubstr("'GX100'"), HasSubstr("GH100")));
}

TEST_F(CounterHostTest, AChipWithoutPmSamplingSaysSo) {
  EXPECT_TRUE(CounterHost::Open(*library_, "GV100", CounterMode::kCount).ok());
  const auto sampled =
      CounterHost::Open(*library_, "GV100", CounterMode::kSample);
  ASSERT_FALSE(sampled.ok());
  EXPECT_EQ(sampled.error().code(), ErrorCode::kProfiler);
  EXPECT_THAT(sampled.error().message(),
              HasSubstr("GV100 has no metrics in mode sample"));
}

TEST_F(CounterHostTest, MetricsHaveTypesSuffixesAndMeaning) {
  const CounterHost host = Host("GH100", CounterMode::kCount);
  EXPECT_TRUE(std::ranges::is_sorted(host.metrics(), {}, &BaseMetric::name));
  const BaseMetric* const bytes = host.Find("dram__bytes_read");
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(bytes->type, cupti::MetricType::kCounter);
  EXPECT_EQ(UsualMetric(*bytes), "dram__bytes_read.sum");
  const auto suffixes = host.Suffixes(*bytes);
  ASSERT_TRUE(suffixes.ok());
  EXPECT_THAT(suffixes.value(),
              AllOf(Contains(".sum"), Contains(".avg.per_second"),
                    Contains(".sum.pct_of_peak_sustained_elapsed")));
  const auto properties = host.Properties(bytes->name);
  ASSERT_TRUE(properties.ok());
  EXPECT_EQ(properties.value().unit, "byte");
  EXPECT_EQ(properties.value().description, "# of bytes read from DRAM");

  const BaseMetric* const rate = host.Find("lts__t_sector_hit_rate");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->type, cupti::MetricType::kRatio);
  const BaseMetric* const throughput = host.Find("sm__throughput");
  ASSERT_NE(throughput, nullptr);
  EXPECT_EQ(throughput->type, cupti::MetricType::kThroughput);
  EXPECT_EQ(host.Find("dram__bytes_rea"), nullptr);
}

// The usual form of every kind of metric exists.
TEST_F(CounterHostTest, TheUsualFormIsAMetric) {
  for (const CounterMode mode : {CounterMode::kSample, CounterMode::kCount}) {
    const CounterHost host = Host("GH100", mode);
    for (const BaseMetric& metric : host.metrics()) {
      const Names one = {UsualMetric(metric)};
      const Status checked = host.Check(one);
      EXPECT_TRUE(checked.ok()) << checked.error().message();
    }
  }
}

TEST_F(CounterHostTest, CuptisSchedulerGivesTheNumberOfPasses) {
  const CounterHost sample = Host("GH100", CounterMode::kSample);
  const CounterHost count = Host("GH100", CounterMode::kCount);
  const Names tensor = {"sm__inst_executed.sum", "sm__cycles_active.avg",
                        "sm__pipe_tensor_cycles_active.avg"};
  EXPECT_EQ(sample.Passes(tensor).value(), 1U);
  EXPECT_EQ(Host("GA100", CounterMode::kSample).Passes(tensor).value(), 2U);
  const Names throughput = {"sm__throughput.avg.pct_of_peak_sustained_elapsed"};
  EXPECT_GT(sample.Passes(throughput).value(), 10U);
  EXPECT_GT(count.Passes(throughput).value(), 4U);
}

TEST_F(CounterHostTest, ErrorsOfUnknownMetricsNameSimilarMetrics) {
  const CounterHost host = Host("GH100", CounterMode::kSample);
  EXPECT_THAT(FailureOf(host, {"sm__inst_executed.sum", "dram__byte_read.sum"}),
              AllOf(HasSubstr("dram__byte_read.sum: GH100 has no such metric"),
                    HasSubstr("'dram__bytes_read'")));
  EXPECT_THAT(FailureOf(host, {"sm__inst_executed.smu"}),
              AllOf(HasSubstr("no '.smu'"),
                    HasSubstr("it has .avg, .max, .min, .sum")));
  EXPECT_THAT(FailureOf(host, {"sm__inst_executed.sum.per_sec"}),
              HasSubstr("did you mean '.sum.per_second'"));
  EXPECT_THAT(FailureOf(host, {"sm__inst_executed"}),
              AllOf(HasSubstr("a suffix is missing"),
                    HasSubstr("sm__inst_executed.sum")));
  EXPECT_THAT(
      FailureOf(host, {"sm__sass_thread_inst_executed_op_fadd_pred_on.sum"}),
      HasSubstr("GH100 offers it in mode count alone"));
  EXPECT_THAT(FailureOf(host, {"x\n\x1b"}), Not(HasSubstr("\n")));
}

TEST_F(CounterHostTest, MetricsThatCannotBeCountedTogetherAreRefused) {
  const CounterHost host = Host("GH100", CounterMode::kCount);
  const Names both = {"sm__inst_executed.sum", "nvltx__bytes.sum"};
  const auto passes = host.Passes(both);
  ASSERT_FALSE(passes.ok());
  EXPECT_EQ(passes.error().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(passes.error().message(),
              HasSubstr("does not measure these together in mode count"));
  const auto sets = host.OnePassSets(both);
  ASSERT_TRUE(sets.ok());
  EXPECT_THAT(sets.value().sets, SizeIs(2));
}

TEST_F(CounterHostTest, AListIsCutIntoSetsOfOnePass) {
  const CounterHost host = Host("GH100", CounterMode::kSample);
  const Names metrics = {"sm__inst_executed.sum",
                         "sm__cycles_active.avg",
                         "dram__bytes_read.sum",
                         "l1tex__t_sectors.sum",
                         "l1tex__t_sectors_lookup_hit.sum",
                         "sm__warps_active.avg",
                         "sm__pipe_tensor_cycles_active.avg",
                         "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                         "nvltx__bytes.sum"};
  const auto cut = host.OnePassSets(metrics);
  ASSERT_TRUE(cut.ok()) << cut.error().message();
  EXPECT_THAT(cut.value().too_large,
              ElementsAre("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_THAT(cut.value().sets, SizeIs(::testing::Le(3)));
  std::size_t placed = 0;
  for (const Names& set : cut.value().sets) {
    EXPECT_EQ(host.Passes(set).value(), 1U);
    placed += set.size();
  }
  EXPECT_EQ(placed, metrics.size() - 1);
  const Names unknown = {"sm__nothing.sum"};
  EXPECT_EQ(host.OnePassSets(unknown).error().code(), ErrorCode::kUsage);
}

TEST(CuptiLibraryTest, AMissingLibraryIsAnError) {
  ::setenv("RANGEFINDER_CUPTI_PATH", "/nonexistent/libcupti.so", 1);
  const auto library = CuptiLibrary::Open();
  ::unsetenv("RANGEFINDER_CUPTI_PATH");
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().code(), ErrorCode::kProfiler);
  EXPECT_THAT(library.error().message(),
              AllOf(HasSubstr("RANGEFINDER_CUPTI_PATH"),
                    HasSubstr("/nonexistent/libcupti.so")));
}

}  // namespace
}  // namespace rangefinder
