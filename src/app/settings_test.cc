#include "app/settings.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/setting.h"
#include "base/text.h"
#include "capture/ncu_options.h"
#include "export/formats.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Words = std::vector<std::string>;

Surroundings Fixed() {
  Surroundings around;
  around.environment = [](const std::string&) { return std::nullopt; };
  around.cwd = "/home/user/dir";
  around.now.tm_year = 126;
  around.now.tm_mon = 10;
  around.now.tm_mday = 21;
  around.now.tm_hour = 3;
  around.now.tm_min = 4;
  around.now.tm_sec = 5;
  return around;
}

Result<Settings> LoadWords(Words overrides) {
  return LoadSettings(
      {.overrides = std::move(overrides), .surroundings = Fixed()});
}

Settings Loaded(Words overrides) {
  Result<Settings> settings = LoadWords(std::move(overrides));
  EXPECT_TRUE(settings.ok())
      << (settings.ok() ? "" : settings.error().message());
  return settings.ok() ? std::move(settings).value() : Settings{};
}

std::string FailureOf(Words overrides) {
  const Result<Settings> settings = LoadWords(std::move(overrides));
  if (settings.ok()) return "(accepted)";
  EXPECT_EQ(settings.error().code(), ErrorCode::kUsage);
  return settings.error().message();
}

const Words kDefaultMetrics = {
    "gpu__time_duration.sum",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed"};

// ---- the defaults ----------------------------------------------------------

TEST(Settings, TheShippedDefaultsEqualThePredecessors) {
  const Settings s = Loaded({});
  EXPECT_FALSE(s.ncu.enable);
  EXPECT_FALSE(s.nsys.enable);
  EXPECT_TRUE(s.ncu.gating_nvtx);
  EXPECT_EQ(s.ncu.replay_mode, "kernel");
  EXPECT_THAT(s.ncu.nvtx_include, IsEmpty());
  EXPECT_EQ(s.ncu.set, "roofline");
  EXPECT_EQ(s.ncu.metrics, kDefaultMetrics);
  EXPECT_THAT(s.ncu.sections,
              ElementsAre("SpeedOfLight", "MemoryWorkloadAnalysis", "Occupancy",
                          "SchedulerStats"));
  EXPECT_THAT(s.ncu.options,
              ElementsAre(Pair("force_overwrite", Words{}),
                          Pair("kernel_name_base", Words{"demangled"}),
                          Pair("target_processes", Words{"all"})));
  EXPECT_TRUE(s.ncu.export_csv);
  EXPECT_THAT(s.ncu.fallback, ElementsAre("app-range", "kernel"));
  EXPECT_THAT(s.nsys.trace, ElementsAre("cuda", "nvtx", "osrt"));
  EXPECT_EQ(s.nsys.capture_range, "none");
  EXPECT_EQ(s.nsys.nvtx_capture, "prefill");
  EXPECT_EQ(s.workload.device, "cuda:0");
  EXPECT_FALSE(s.workload.start_in_run_dir);
  EXPECT_EQ(s.run_dir, "/home/user/dir/tmp/profile-output/20261121-030405");
  EXPECT_THAT(s.report.formats, ElementsAre("md", "json", "html"));
  EXPECT_EQ(s.report.max_rows, 200u);
  EXPECT_THAT(s.warnings, IsEmpty());
}

TEST(Settings, ABudgetIsATimeOrSeconds) {
  const auto budget = [](const std::string& text) {
    return Loaded({"pipeline.ncu.budget=" + text}).ncu.budget_s;
  };
  EXPECT_EQ(budget("5m"), 300);
  EXPECT_EQ(budget("90s"), 90);
  EXPECT_EQ(budget("1h30m"), 5400);
  EXPECT_EQ(budget("300"), 300);
  EXPECT_EQ(budget("0.5"), 0.5);
  EXPECT_EQ(budget("1.5m"), 90);
  EXPECT_EQ(budget("null"), std::nullopt);
  for (const char* bad : {"5x", "m", "1m2h", "1m30", "-5m", "true", "[5m]"}) {
    EXPECT_THAT(FailureOf({std::string("pipeline.ncu.budget=") + bad}),
                HasSubstr("pipeline.ncu.budget: expected a time such as 5m"))
        << bad;
  }
}

TEST(Settings, WithoutAWorkloadTheBundledProgramRuns) {
  const Settings s = Loaded({"infer.batch_size=16", "model.blocks=3"});
  EXPECT_THAT(s.workload.argv, IsEmpty());
  EXPECT_THAT(s.workload.bundled_arguments,
              ElementsAre("--batch", "16", "--repeats", "2", "--channels", "32",
                          "--blocks", "3"));
  EXPECT_THAT(FailureOf({"infer.batch_size=many"}),
              HasSubstr("infer.batch_size: expected a whole number above 0"));
}

TEST(Settings, AWorkloadIsWordsOrAPythonModule) {
  EXPECT_THAT(Loaded({"pipeline.workload.argv=[./prog,-n,5]"}).workload.argv,
              ElementsAre("./prog", "-n", "5"));
  EXPECT_THAT(Loaded({"pipeline.workload.module=a.b"}).workload.argv,
              ElementsAre("python3", "-m", "a.b"));
  EXPECT_THAT(
      Loaded({"pipeline.workload.module=a.b", "pipeline.workload.argv=[--x]"})
          .workload.argv,
      ElementsAre("python3", "-m", "a.b", "--x"));
  EXPECT_THAT(FailureOf({"pipeline.workload.argv='python run.py'"}),
              HasSubstr("write it as [python,run.py]"));
}

// ---- the predecessor's command lines ----------------------------------------

TEST(PredecessorCommands, OneAggregatedResultPerRange) {
  const Settings s = Loaded(
      {"pipeline.ncu.enable=true", "pipeline.ncu.ncu_cli.replay_mode=range",
       "pipeline.ncu.ncu_cli.nvtx.include=LLM@*",
       "pipeline.ncu.ncu_cli.sections=[SpeedOfLight,MemoryWorkloadAnalysis,"
       "Occupancy,SchedulerStats]"});
  EXPECT_TRUE(s.ncu.enable);
  EXPECT_EQ(s.ncu.replay_mode, "range");
  EXPECT_THAT(s.ncu.nvtx_include, ElementsAre("LLM@*"));
  EXPECT_EQ(s.ncu.sections.size(), 4u);
}

TEST(PredecessorCommands, DeterministicRelaunch) {
  const Settings s = Loaded({"pipeline.ncu.enable=true",
                             "pipeline.ncu.ncu_cli.replay_mode=app-range",
                             "pipeline.ncu.ncu_cli.nvtx.include=prefill*"});
  EXPECT_EQ(s.ncu.replay_mode, "app-range");
  EXPECT_THAT(s.ncu.nvtx_include, ElementsAre("prefill*"));
}

TEST(PredecessorCommands, KernelsInsideARangeWithAndWithoutPlus) {
  for (const std::string plus : {"", "+"}) {
    const Settings s = Loaded(
        {"pipeline.ncu.enable=true", "pipeline.ncu.ncu_cli.replay_mode=kernel",
         plus + "pipeline.ncu.ncu_cli.nvtx.include=decode*"});
    EXPECT_THAT(s.ncu.nvtx_include, ElementsAre("decode*"));
  }
}

TEST(PredecessorCommands, RangeAndKernelNameExactAndRegex) {
  const Settings exact = Loaded(
      {"pipeline.ncu.enable=true", "pipeline.ncu.ncu_cli.replay_mode=kernel",
       "pipeline.ncu.ncu_cli.nvtx.include=LLM@*",
       "pipeline.ncu.ncu_cli.kernel_name=my_exact_kernel_name",
       "pipeline.ncu.ncu_cli.kernel_name_base=demangled"});
  EXPECT_THAT(exact.ncu.options.at("kernel_name"),
              ElementsAre("my_exact_kernel_name"));
  const Settings regex =
      Loaded({"pipeline.ncu.ncu_cli.nvtx.include=decode*",
              "pipeline.ncu.ncu_cli.kernel_name=regex:.*matmul.*",
              "pipeline.ncu.ncu_cli.kernel_name_base=demangled",
              "pipeline.ncu.ncu_cli.sections=[SpeedOfLight,"
              "MemoryWorkloadAnalysis,Occupancy]"});
  EXPECT_THAT(regex.ncu.options.at("kernel_name"),
              ElementsAre("regex:.*matmul.*"));
  EXPECT_EQ(regex.ncu.sections.size(), 3u);
  const Settings plus = Loaded({"+pipeline.ncu.ncu_cli.kernel_name=k",
                                "+pipeline.ncu.ncu_cli.launch_skip=200",
                                "pipeline.ncu.ncu_cli.launch_count=1"});
  EXPECT_THAT(plus.ncu.options.at("launch_skip"), ElementsAre("200"));
  EXPECT_THAT(plus.ncu.options.at("launch_count"), ElementsAre("1"));
}

TEST(PredecessorCommands, TheDummyModelEndToEnd) {
  const Settings s = Loaded(
      {"model/dummy_shallow_resnet/arch@model=dummy_shallow_resnet.default",
       "model/dummy_shallow_resnet/infer@infer=dummy_shallow_resnet.default",
       "pipeline.ncu.enable=true", "pipeline.ncu.ncu_cli.replay_mode=range",
       "pipeline.ncu.ncu_cli.sections=[SpeedOfLight,Occupancy]"});
  EXPECT_THAT(s.ncu.sections, ElementsAre("SpeedOfLight", "Occupancy"));
}

TEST(PredecessorCommands, ThreeLabelsNestedAmongThem) {
  const Settings s =
      Loaded({"pipeline.ncu.enable=true", "pipeline.nsys.enable=false",
              "pipeline.ncu.ncu_cli.replay_mode=range",
              "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'", "device=cuda:0",
              "hydra.run.dir=DIR", "hydra.job.chdir=true"});
  EXPECT_THAT(s.ncu.nvtx_include, ElementsAre("A", "B", "A::A1"));
  EXPECT_EQ(s.run_dir, "/home/user/dir/DIR");
}

TEST(PredecessorCommands, WithoutTheQuotesTheMessageSaysWhatToType) {
  EXPECT_EQ(FailureOf({"pipeline.ncu.ncu_cli.nvtx.include=A;B;A::A1"}),
            "Error parsing override "
            "'pipeline.ncu.ncu_cli.nvtx.include=A;B;A::A1'\n"
            "';' needs quoting\n"
            "  1 | pipeline.ncu.ncu_cli.nvtx.include=A;B;A::A1\n"
            "    |                                    ^\n"
            "To pass it as it is, type: "
            "\"pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'\"");
  EXPECT_EQ(FailureOf({"regions.exclude=[(unattributed),a b]"}),
            "Error parsing override 'regions.exclude=[(unattributed),a b]'\n"
            "'(' needs quoting\n"
            "  1 | regions.exclude=[(unattributed),a b]\n"
            "    |                  ^\n"
            "To pass the texts as they are, type: "
            "\"regions.exclude=['(unattributed)','a b']\"");
}

// ---- presets ---------------------------------------------------------------

TEST(Presets, AllComposeAndAreChecked) {
  for (const std::string name :
       {"default", "high", "rtx3090", "rtx3090.compute", "rtx3090.memory",
        "regions", "llm", "roofline", "memory", "compute"}) {
    const Settings s = Loaded({"profiling/ncu@pipeline.ncu=ncu." + name});
    EXPECT_FALSE(s.ncu.metrics.empty() && s.ncu.sections.empty()) << name;
    EXPECT_EQ(s.ncu.options.at("target_processes"), Words{"all"}) << name;
  }
}

TEST(Presets, HighAddsFiveSections) {
  const Settings s = Loaded({"profiling/ncu@pipeline.ncu=ncu.high"});
  EXPECT_EQ(s.ncu.sections.size(), 9u);
  EXPECT_EQ(s.ncu.metrics, kDefaultMetrics);
}

TEST(Presets, RegionsStoresNoCodeAndAsksForNoSections) {
  const Settings s = Loaded({"profiling/ncu@pipeline.ncu=ncu.regions"});
  EXPECT_THAT(s.ncu.sections, IsEmpty());
  EXPECT_EQ(s.ncu.set, std::nullopt);
  EXPECT_EQ(s.ncu.options.at("import_sass"), Words{"no"});
  EXPECT_EQ(s.ncu.options.at("cache_control"), Words{"none"});
  EXPECT_EQ(s.ncu.metrics.front(), "gpu__time_duration.sum");
  EXPECT_EQ(Loaded({"profiling/ncu@pipeline.ncu=ncu.llm"}).ncu.metrics,
            s.ncu.metrics);
}

TEST(Presets, AWrongNameListsTheOptions) {
  const std::string message =
      FailureOf({"profiling/ncu@pipeline.ncu=ncu.regoins"});
  EXPECT_THAT(message, ::testing::StartsWith("In 'config': Could not find "
                                             "'profiling/ncu/ncu.regoins'\n"));
  EXPECT_THAT(message, HasSubstr("Did you mean 'ncu.regions'?"));
  EXPECT_THAT(message, HasSubstr("\n\tncu.rtx3090.memory\n"));
}

// ---- ncu's options ---------------------------------------------------------

TEST(NcuCli, EveryKindOfOption) {
  const std::string cli = "pipeline.ncu.ncu_cli.";
  const Settings s =
      Loaded({cli + "cache_control=none", cli + "kill=true",
              cli + "verbose=true", cli + "quiet=false", cli + "devices=[0,2]",
              cli + "warp_sampling_interval=5", cli + "section_folder=[/a,/b]",
              cli + "metrics='a.sum, b.sum'", cli + "section=LaunchStats"});
  EXPECT_EQ(s.ncu.options.at("cache_control"), Words{"none"});
  EXPECT_EQ(s.ncu.options.at("kill"), Words{"yes"});
  EXPECT_EQ(s.ncu.options.at("verbose"), Words{});
  EXPECT_FALSE(s.ncu.options.contains("quiet"));
  EXPECT_EQ(s.ncu.options.at("devices"), Words{"0,2"});
  EXPECT_EQ(s.ncu.options.at("section_folder"), (Words{"/a", "/b"}));
  EXPECT_THAT(s.ncu.metrics, ElementsAre("a.sum", "b.sum"));
  EXPECT_EQ(s.ncu.sections.back(), "LaunchStats");
}

// conf/profiling/ncu_cli/options.yaml is made of the same table.
TEST(NcuCli, EveryOptionThatCanBeSetIsAKeyOfTheShippedTree) {
  const Result<Composition> composition =
      ComposeConfiguration({.surroundings = Fixed()});
  ASSERT_TRUE(composition.ok()) << composition.error().message();
  for (const NcuOption& option : NcuOptionTable()) {
    const bool there = composition.value().task().FindPath(
                           "pipeline.ncu.ncu_cli." + option.name) != nullptr;
    EXPECT_EQ(there, ReservedNcuOption(option.name).empty() ||
                         option.name == "nvtx" || option.name == "export")
        << option.name;
  }
}

TEST(NcuCli, AnUnknownOptionIsAnErrorWithASuggestion) {
  EXPECT_THAT(FailureOf({"pipeline.ncu.ncu_cli.cache_contrl=none"}),
              HasSubstr("Did you mean 'pipeline.ncu.ncu_cli.cache_control'?"));
  EXPECT_THAT(FailureOf({"+pipeline.ncu.ncu_cli.cache_contrl=none"}),
              HasSubstr("pipeline.ncu.ncu_cli.cache_contrl: ncu has no such "
                        "option; did you mean 'cache_control'?"));
  EXPECT_THAT(FailureOf({"+pipeline.ncu.ncu_cli.log_file=x"}),
              HasSubstr("--log-file cannot be set: it is a file of the run "
                        "directory"));
}

TEST(NcuCli, AWrongValueNamesThePlaceAndTheExpectedValue) {
  EXPECT_EQ(FailureOf({"pipeline.ncu.ncu_cli.clock_control=bas"}),
            "pipeline.ncu.ncu_cli.clock_control: expected one of base, none, "
            "reset, got 'bas'; did you mean 'base'?\n"
            "  at command line:1:36\n"
            "  1 | pipeline.ncu.ncu_cli.clock_control=bas\n"
            "    |                                    ^");
  EXPECT_THAT(FailureOf({"pipeline.ncu.ncu_cli.launch_count=-1"}),
              HasSubstr("expected a whole number that is not negative"));
  EXPECT_THAT(FailureOf({"pipeline.ncu.ncu_cli.replay_mode=rnge"}),
              HasSubstr("did you mean 'range'?"));
  EXPECT_THAT(FailureOf({"pipeline.ncu.ncu_cli.verbose=maybe"}),
              HasSubstr("expected true or false, got 'maybe'"));
}

TEST(NcuCli, OptionsThatNcuRefusesInRangeModesAreRefusedFirst) {
  for (const std::string option :
       {"nvtx.exclude=A", "import_source=true", "profile_from_start=false",
        "app_replay_buffer=memory"}) {
    for (const std::string mode : {"range", "app-range"}) {
      EXPECT_THAT(FailureOf({"pipeline.ncu.ncu_cli.replay_mode=" + mode,
                             "pipeline.ncu.ncu_cli." + option}),
                  HasSubstr("cannot be combined with replay_mode=" + mode));
    }
    Loaded({"pipeline.ncu.ncu_cli.replay_mode=kernel",
            "pipeline.ncu.ncu_cli." + option});
  }
}

// ---- other keys ------------------------------------------------------------

TEST(Settings, TypesAreChecked) {
  EXPECT_THAT(FailureOf({"pipeline.ncu.enable=maybe"}),
              HasSubstr("pipeline.ncu.enable: expected true or false, got str "
                        "'maybe'"));
  EXPECT_THAT(FailureOf({"regions.max_rows=-3"}),
              HasSubstr("expected a whole number that is not negative"));
  EXPECT_THAT(FailureOf({"report.formats=[md,htm]"}),
              HasSubstr("did you mean 'html'?"));
  EXPECT_THAT(FailureOf({"+regions.inclde=A"}),
              HasSubstr("did you mean 'regions.include'?"));
  EXPECT_THAT(FailureOf({"regions.inclde=A"}),
              HasSubstr("Did you mean 'regions.include'?"));
  EXPECT_THAT(FailureOf({"pipeline.ncu.path=???"}),
              HasSubstr("a value has to be given"));
}

TEST(Settings, PatternsAreAListOrATextWithSemicolons) {
  EXPECT_THAT(Loaded({"regions.include=[prefill*,'decode/**']"})
                  .analysis.selection.include,
              ElementsAre("prefill*", "decode/**"));
  EXPECT_THAT(Loaded({"regions.exclude='a;b, c'"}).analysis.selection.exclude,
              ElementsAre("a", "b, c"));
}

TEST(Settings, CaptureRangeNvtxNeedsARange) {
  const Settings s =
      Loaded({"pipeline.nsys.enable=true", "pipeline.nsys.capture_range=nvtx",
              "pipeline.nsys.nvtx_capture=null"});
  EXPECT_EQ(s.nsys.capture_range, "none");
  ASSERT_EQ(s.warnings.size(), 1u);
  EXPECT_THAT(s.warnings[0], HasSubstr("nvtx_capture"));
}

// ---- repeating a run -------------------------------------------------------

class RepeatedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("rangefinder-settings-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Settings From(const std::string& config_yaml, Words overrides = {}) {
    std::ofstream(folder_ / "config.yaml") << config_yaml;
    Result<Settings> settings = LoadSettings({.overrides = std::move(overrides),
                                              .config_dir = folder_.string(),
                                              .surroundings = Fixed()});
    EXPECT_TRUE(settings.ok())
        << (settings.ok() ? "" : settings.error().message());
    return settings.ok() ? std::move(settings).value() : Settings{};
  }

  fs::path folder_;
};

TEST_F(RepeatedRun, TheKeptConfigurationIsTheSameRun) {
  const Settings first = Loaded(
      {"pipeline.ncu.enable=true", "profiling/ncu@pipeline.ncu=ncu.llm",
       "pipeline.ncu.ncu_cli.nvtx.include=['A;B',C]",
       "regions.include=['regex:a\\${b}']", "hydra.run.dir=/somewhere/fixed",
       "+note='\\${literal} and ${device}'"});
  const Settings again = From(first.config_yaml);
  EXPECT_EQ(again.fingerprint, first.fingerprint);
  EXPECT_EQ(again.ncu.options, first.ncu.options);
  EXPECT_EQ(again.analysis.selection.include, first.analysis.selection.include);
  EXPECT_THAT(first.config_yaml, HasSubstr("note: \\${literal} and ${device}"));
  // Not into the directory of the first run.
  EXPECT_EQ(again.run_dir, "/home/user/dir/tmp/profile-output/20261121-030405");
  EXPECT_EQ(From(first.config_yaml, {"device=cuda:1"}).workload.device,
            "cuda:1");
}

TEST_F(RepeatedRun, ReadsTheEnvironmentOnlyIfPermitted) {
  SettingsRequest request{
      .overrides = {"regions.include=['${oc.env:WHICH}',B]",
                    "regions.max_rows='${oc.decode:${oc.env:ROWS}}'",
                    "+note='${regions.include}'"},
      .surroundings = Fixed()};
  request.surroundings.environment = [](const std::string& name) {
    return std::optional<std::string>(name == "ROWS" ? "7" : "secret");
  };
  const Settings first = LoadSettings(request).value();
  EXPECT_THAT(first.analysis.selection.include, ElementsAre("secret", "B"));
  EXPECT_EQ(first.report.max_rows, 7U);
  EXPECT_THAT(first.config_yaml, HasSubstr("- ${oc.env:WHICH}\n"));
  EXPECT_THAT(first.config_yaml, Not(HasSubstr("secret")));

  std::ofstream(folder_ / "config.yaml") << first.config_yaml;
  request.config_dir = folder_.string();
  request.overrides = {};
  request.surroundings.reach = Reach::kTyped;
  const Settings read = LoadSettings(request).value();
  EXPECT_THAT(read.analysis.selection.include, ElementsAre("B"));
  EXPECT_EQ(read.report.max_rows, 200U);
  EXPECT_THAT(
      read.left_out,
      UnorderedElementsAre(HasSubstr("regions.include is ${oc.env:WHICH}"),
                           HasSubstr("regions.max_rows is ${oc.decode:")));
  EXPECT_EQ(read.fingerprint, first.fingerprint);

  request.overrides = {"regions.include=['${oc.env:WHICH}']"};
  EXPECT_THAT(LoadSettings(request).value().analysis.selection.include,
              ElementsAre("secret"));
}

TEST_F(RepeatedRun, ReadsNoFileThatTheRunNames) {
  const fs::path sources = folder_ / "sources.json";
  std::ofstream(sources) << R"({"cppCodeToPost": {"k": ["op"]}})";
  SettingsRequest request{
      .overrides = {"report.provenance='" + sources.string() + "'"},
      .surroundings = Fixed()};
  const Settings first = LoadSettings(request).value();
  EXPECT_TRUE(first.report.kernel_sources);

  std::ofstream(folder_ / "config.yaml") << first.config_yaml;
  SettingsRequest again = request;
  again.config_dir = folder_.string();
  again.surroundings.reach = Reach::kTyped;
  EXPECT_TRUE(LoadSettings(again).value().report.kernel_sources);
  again.overrides = {};
  const Settings read = LoadSettings(again).value();
  EXPECT_FALSE(read.report.kernel_sources);
  EXPECT_THAT(read.left_out,
              ElementsAre(HasSubstr("to have it read: report.provenance=")));
}

TEST_F(RepeatedRun, TheFingerprintCoversKeysThatChangeResults) {
  const Settings base = Loaded({});
  EXPECT_EQ(base.fingerprint.size(), 64u);
  for (const std::string same :
       {"hydra.run.dir=elsewhere", "report.formats=[md]",
        "pipeline.ncu.path=/opt/ncu", "pipeline.ncu.timeout=60"})
    EXPECT_EQ(Loaded({same}).fingerprint, base.fingerprint) << same;
  for (const std::string other : {"pipeline.ncu.ncu_cli.replay_mode=range",
                                  "regions.exclude=[A]", "infer.batch_size=9"})
    EXPECT_NE(Loaded({other}).fingerprint, base.fingerprint) << other;
}

TEST_F(RepeatedRun, AFolderOfTheUsersIsSearchedFirst) {
  fs::create_directories(folder_ / "profiling/ncu");
  std::ofstream(folder_ / "profiling/ncu/ncu.mine.yaml")
      << "ncu_cli:\n  metrics: [mine.sum]\n";
  Result<Settings> settings =
      LoadSettings({.overrides = {"profiling/ncu@pipeline.ncu=ncu.mine"},
                    .config_dir = folder_.string(),
                    .surroundings = Fixed()});
  ASSERT_TRUE(settings.ok()) << settings.error().message();
  EXPECT_THAT(settings.value().ncu.metrics, ElementsAre("mine.sum"));
}

TEST(SettingsTable, ReportFormatsEqualTheTable) {
  EXPECT_EQ(Split(FindSetting("report.formats")->values, '|'),
            FileFormatNames());
}

}  // namespace
}  // namespace rangefinder
