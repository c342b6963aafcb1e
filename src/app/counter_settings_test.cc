#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/settings.h"
#include "counters/counter_host.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SettingsRequest RequestOf(std::vector<std::string> overrides) {
  Surroundings around;
  around.environment = [](const std::string&) { return std::nullopt; };
  around.cwd = "/home/user/dir";
  return {.overrides = std::move(overrides), .surroundings = around};
}

CounterSettings LoadedCounters(std::vector<std::string> overrides) {
  const auto settings = LoadSettings(RequestOf(std::move(overrides)));
  EXPECT_TRUE(settings.ok())
      << (settings.ok() ? "" : settings.error().message());
  return settings.ok() ? settings.value().counters : CounterSettings{};
}

std::string Refused(const std::string& override_word) {
  const auto settings = LoadSettings(RequestOf({override_word}));
  EXPECT_FALSE(settings.ok()) << override_word;
  if (settings.ok()) return "";
  EXPECT_EQ(settings.error().code(), ErrorCode::kUsage);
  return settings.error().message();
}

TEST(CounterSettings, TheDefaultIsToSampleSets) {
  const CounterSettings settings = LoadedCounters({});
  EXPECT_TRUE(settings.enable);
  EXPECT_EQ(settings.mode, CounterMode::kSample);
  EXPECT_THAT(settings.metrics, ::testing::IsEmpty());
  ASSERT_EQ(settings.sets.size(), 3U);
  EXPECT_EQ(settings.sets[0].name, "hopper");
  EXPECT_GE(settings.sets[0].metrics.size(), 21U);
  EXPECT_EQ(settings.sets[1].name, "blackwell");
  EXPECT_EQ(settings.sets[2].name, "any");
  EXPECT_THAT(
      settings.sets[2].metrics,
      ElementsAre("sm__inst_executed.sum", "dram__bytes_read.sum",
                  "dram__bytes_write.sum", "sm__cycles_active.avg",
                  "lts__t_sectors.sum", "sm__pipe_tensor_cycles_active.avg"));
  EXPECT_EQ(settings.optional.size(), 2U);
  EXPECT_EQ(settings.interval_us, std::nullopt);
  EXPECT_TRUE(settings.budget.is_share);
  EXPECT_DOUBLE_EQ(settings.budget.value, 0.05);
  EXPECT_FALSE(settings.check);
}

TEST(CounterSettings, EveryKeyIsRead) {
  const CounterSettings settings = LoadedCounters(
      {"pipeline.counters.mode=count", "pipeline.counters.check=true",
       "pipeline.counters.interval_us=50",
       "pipeline.counters.metrics=[a__b.sum,a__b.sum,c__d.avg]",
       "pipeline.counters.budget=1m30s"});
  EXPECT_EQ(settings.mode, CounterMode::kCount);
  EXPECT_TRUE(settings.check);
  EXPECT_EQ(settings.interval_us, 50U);
  EXPECT_THAT(settings.metrics, ElementsAre("a__b.sum", "c__d.avg"));
  EXPECT_FALSE(settings.budget.is_share);
  EXPECT_DOUBLE_EQ(settings.budget.value, 90);
  EXPECT_EQ(settings.interval_us, 50U);
  EXPECT_EQ(LoadedCounters({"pipeline.counters.interval_us=auto"}).interval_us,
            std::nullopt);
  EXPECT_EQ(LoadedCounters({"pipeline.counters.mode=off"}).mode, std::nullopt);
  EXPECT_DOUBLE_EQ(
      LoadedCounters({"pipeline.counters.budget=12.5%"}).budget.value, 0.125);
}

TEST(CounterSettings, SetsCanBeChangedAndRemoved) {
  const CounterSettings settings = LoadedCounters(
      {"pipeline.counters.sets.hopper=[a__b.sum,a__b.sum,c__d.avg]",
       "pipeline.counters.sets.blackwell=null",
       "pipeline.counters.optional=null"});
  ASSERT_EQ(settings.sets.size(), 2U);
  EXPECT_THAT(settings.sets[0].metrics, ElementsAre("a__b.sum", "c__d.avg"));
  EXPECT_EQ(settings.sets[1].name, "any");
  EXPECT_THAT(settings.optional, ::testing::IsEmpty());
  EXPECT_THAT(Refused("pipeline.counters.sets=none"),
              HasSubstr("pipeline.counters.sets: expected a map"));
  EXPECT_THAT(Refused("+pipeline.counters.sets.mine={a: b}"),
              HasSubstr("pipeline.counters.sets.mine: expected a list"));
  EXPECT_THAT(Refused("pipeline.counters.sets=null"),
              HasSubstr("there is no metric to count"));
}

TEST(CounterSettings, APresetIsChosenLikeAPresetOfNcu) {
  EXPECT_THAT(
      LoadedCounters({"profiling/counters@pipeline.counters=counters.memory"})
          .metrics,
      Contains("l1tex__t_sectors_lookup_hit.sum"));
  EXPECT_THAT(
      LoadedCounters({"profiling/counters@pipeline.counters=counters.nvlink"})
          .metrics,
      Contains("nvltx__bytes.sum"));
}

TEST(CounterSettings, AnErrorNamesTheKeyAndItsPermittedValues) {
  EXPECT_THAT(Refused("pipeline.counters.mode=samples"),
              AllOf(HasSubstr("pipeline.counters.mode"),
                    HasSubstr("one of sample, count, off"),
                    HasSubstr("did you mean 'sample'?")));
  EXPECT_THAT(Refused("pipeline.counters.mode=false"),
              AllOf(HasSubstr("one of sample, count, off"),
                    HasSubstr("'off' has quotes")));
  EXPECT_THAT(
      Refused("pipeline.counters.interval_us=9"),
      HasSubstr("pipeline.counters.interval_us: expected auto, or a whole "
                "number from 10 to 1000000, got 9"));
  EXPECT_THAT(Refused("pipeline.counters.interval_us=null"),
              HasSubstr("expected auto, or a whole number, got null"));
  EXPECT_THAT(Refused("pipeline.counters.interval_us=1000001"),
              HasSubstr("got 1000001"));
  for (const char* budget : {"0%", "much", "-5%", "%", "5%%", "0"}) {
    EXPECT_THAT(
        Refused("pipeline.counters.budget='" + std::string(budget) + "'"),
        HasSubstr("pipeline.counters.budget: expected a share"))
        << budget;
  }
  EXPECT_THAT(Refused("+pipeline.counters.metric=[a__b.sum]"),
              HasSubstr("did you mean 'pipeline.counters.metrics'?"));
}

TEST(CounterSettings, CountersWithoutMetricsAreRefused) {
  EXPECT_THAT(Refused("pipeline.counters.metrics=[]"),
              AllOf(HasSubstr("pipeline.counters.metrics"),
                    HasSubstr("rangefinder counters")));
  const auto off = LoadSettings(RequestOf(
      {"pipeline.counters.metrics=[]", "pipeline.counters.mode=off"}));
  EXPECT_TRUE(off.ok());
}

TEST(CounterSettings, AConfigurationWithoutCountersMeasuresNone) {
  const TempDir folder;
  std::ofstream(folder.path() / "config.yaml") << "device: cuda:0\n";
  SettingsRequest request = RequestOf({});
  request.config_dir = folder.path().string();
  const auto settings = LoadSettings(request);
  ASSERT_TRUE(settings.ok()) << settings.error().message();
  EXPECT_FALSE(settings.value().counters.enable);
}

// Checks the passes of the presets with the installed CUPTI.
TEST(CounterPresets, NeedOnePassToSample) {
  const auto library = CuptiLibrary::Open();
  if (!library.ok() || !library.value().Has<cupti::HostInitialize>())
    GTEST_SKIP() << "no CUPTI: THE PRESETS' PASSES ARE NOT TESTED";
  const auto passes = [&](const char* chip, const std::string& preset) {
    const CounterSettings settings = LoadedCounters(
        {"profiling/counters@pipeline.counters=counters." + preset});
    const auto metrics = settings.metrics.empty() ? settings.sets.back().metrics
                                                  : settings.metrics;
    const auto host =
        CounterHost::Open(library.value(), chip, CounterMode::kSample);
    return host.ok() ? host.value().Passes(metrics) : host.error();
  };
  for (const char* chip : {"GH100", "GB100", "AD102"}) {
    for (const char* preset : {"default", "memory", "tensor"}) {
      const auto number = passes(chip, preset);
      ASSERT_TRUE(number.ok()) << number.error().message();
      EXPECT_EQ(number.value(), 1U) << chip << " " << preset;
    }
  }
  for (const char* chip : {"GH100", "GB100"})
    EXPECT_EQ(passes(chip, "nvlink").value(), 1U) << chip;
  EXPECT_EQ(passes("GA100", "memory").value(), 1U);
  // No NVLink there, which is said and not left out.
  EXPECT_THAT(passes("AD102", "nvlink").error().message(),
              HasSubstr("nvltx__bytes.sum: AD102 has no such metric"));
}

}  // namespace
}  // namespace rangefinder
