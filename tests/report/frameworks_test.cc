// Runs of known frameworks, from the names of their ranges to the phases of a
// report.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "insight/phase_times.h"
#include "tests/support/analyze.h"
#include "tests/support/framework_streams.h"
#include "tests/support/trace_builder.h"

namespace rangefinder {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

struct Reported {
  std::unique_ptr<Analysis> analysis{};
  Report report{};
};

Reported ReportOf(const std::string& trace,
                  const std::string& choice = "auto") {
  const TempDir folder;
  Settings settings = ShippedSettings();
  settings.analysis.merge.framework = choice;
  Reported made{testing::AnalyzeFile(
      testing::WriteTo(folder, "a.rftrace", testing::BuildTrace(trace)),
      settings)};
  made.report = MakeReport(*made.analysis, ReportOptionsOf(settings));
  return made;
}

std::map<std::string, double> SharesOf(const Report& report) {
  std::map<std::string, double> shares;
  for (const PhaseTime& one :
       PhaseTimes(report, report.rollup->scopes.front(), report.phases))
    shares[std::string(report.profile->Name(one.phase))] = one.share;
  return shares;
}

std::vector<std::string> RegionsOf(const Report& report) {
  std::vector<std::string> names;
  for (std::size_t r = 1; r < report.tree->regions().size(); ++r)
    names.push_back(RegionName(report, static_cast<RegionId>(r)));
  return names;
}

struct Stream {
  std::string title{};
  std::string trace{};
  std::vector<std::string> phases{};
};

class FrameworkStreams : public ::testing::TestWithParam<int> {
 public:
  static const std::vector<Stream>& All() {
    static const std::vector<Stream> all = {
        {"vLLM",
         testing::VllmStream(),
         {"decode", "prefill", "mixed", "sampling", "host", "draft"}},
        {"SGLang",
         testing::SglangStream(),
         {"decode", "prefill", "mixed", "scheduling", "host", "denoising"}},
        {"TensorRT-LLM",
         testing::TensorRtLlmStream(),
         {"decode", "prefill", "mixed", "sampling", "communication", "host"}},
        {"Megatron-LM",
         testing::MegatronStream(),
         {"forward", "backward", "communication", "optimizer", "decode",
          "prefill", "sampling", "draft", "mixed"}},
        {"DeepSpeed",
         testing::DeepSpeedStream(),
         {"forward", "backward", "communication", "optimizer"}},
        {"DeepSpeed",
         testing::DeepSpeedStream(""),
         {"forward", "backward", "communication", "optimizer"}},
        {"PyTorch",
         testing::PyTorchStream(),
         {"forward", "backward", "communication", "optimizer", "data"}},
        {"PyTorch",
         testing::LightningStream(),
         {"forward", "backward", "optimizer", "data"}},
        {"NeMo",
         testing::NemoStream(),
         {"forward", "backward", "communication", "optimizer"}},
        {"NCCL", testing::NcclStream(), {"communication"}}};
    return all;
  }
};

TEST_P(FrameworkStreams, HaveNamedPhasesAndFewRegions) {
  const Stream& stream = All()[static_cast<std::size_t>(GetParam())];
  SCOPED_TRACE(stream.title);
  const Reported made = ReportOf(stream.trace);
  EXPECT_THAT(made.analysis->names->frameworks, Contains(stream.title));
  std::map<std::string, double> shares = SharesOf(made.report);
  for (const std::string& phase : stream.phases)
    EXPECT_GT(shares[phase], 0) << phase;
  EXPECT_LE(shares[""], 0.05);
  EXPECT_LE(RegionsOf(made.report).size(), 200U);
  // Without knowledge of the framework there are no phases.
  EXPECT_THAT(SharesOf(ReportOf(stream.trace, "none").report), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All, FrameworkStreams,
    ::testing::Range(0, static_cast<int>(FrameworkStreams::All().size())));

TEST(Frameworks, AReportSaysThePhasesOnceInAllFormats) {
  const Reported made = ReportOf(testing::VllmStream());
  const testing::Documents documents = testing::WriteAll(made.report);
  EXPECT_THAT(documents.terminal, HasSubstr("Phases"));
  EXPECT_THAT(documents.terminal, HasSubstr("names of vLLM"));
  EXPECT_THAT(documents.markdown, HasSubstr("decode"));
  const Json json = Json::parse(documents.json);
  EXPECT_EQ(json["capture"]["frameworks"], Json({"vLLM"}));
  const Json& scope = json["scopes"][0];
  double share = 0;
  for (const Json& phase : scope["phases"])
    share += phase["share"].get<double>();
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_TRUE(scope["phases"].back()["phase"].is_null());
  for (const Json& region : scope["regions"]) {
    if (region["name"] == "execute (decode)") {
      EXPECT_EQ(region["phase"], "decode");
    }
    if (region["name"] == "gpu_model_runner: sample") {
      EXPECT_EQ(region["phase"], "sampling");
    }
  }
}

TEST(Frameworks, OneIsChosenByName) {
  testing::NameStream out;
  for (int i = 0; i < 3; ++i) out.Work("Sample", 10);
  // Such a name alone tells nothing.
  EXPECT_THAT(SharesOf(ReportOf(out.Trace()).report), IsEmpty());
  EXPECT_EQ(SharesOf(ReportOf(out.Trace(), "vllm").report),
            (std::map<std::string, double>{{"sampling", 1}}));
  Settings settings = ShippedSettings();
  settings.analysis.merge.framework = "vlm";
  const auto wrong = NameMerging::Make(settings.analysis.merge);
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message(), HasSubstr("vllm"));
}

TEST(Frameworks, AUsersOwnIsAddedAsData) {
  auto settings = LoadSettings(
      {.overrides = {"+frameworks.mine.names.step={match: "
                     "'turn_(?P<iteration>\\d+)_(?P<kind>[a-z]+)', name: "
                     "'turn {kind}', phase: decode}"}});
  ASSERT_TRUE(settings.ok()) << settings.error().message();
  testing::NameStream out;
  for (int i = 0; i < 30; ++i)
    out.Work(fmt::format("turn_{}_{}", i, i % 2 == 0 ? "even" : "odd"), 10);
  const TempDir folder;
  const auto analysis = testing::AnalyzeFile(
      testing::WriteTo(folder, "a.rftrace", testing::BuildTrace(out.Trace())),
      settings.value());
  const Report report = testing::ShippedReport(*analysis);
  EXPECT_EQ(RegionsOf(report),
            (std::vector<std::string>{"turn even", "turn odd"}));
  EXPECT_EQ(SharesOf(report), (std::map<std::string, double>{{"decode", 1}}));
}

TEST(Frameworks, HostileNamesAreTextAndNoNumbers) {
  testing::NameStream out;
  const std::string digits(400, '9');
  for (const std::string& name :
       {"execute_context_0(0)_generation_" + digits + "(" + digits + ")",
        std::string("execute_context_0(0)_generation_1e300(1e300)"),
        std::string("execute_context_(_generation_)(("),
        std::string("step[DECODE bs=-5]"), std::string("step[DECODE bs=3"),
        std::string("{'Module': 'top.\xff\xfe.layers.3"),
        std::string("{'Module': 'top.layers.3.") + std::string(5000, '[') +
            "'}",
        std::string(
            "[Executor] _forward_step 1: 2 ctx reqs, 18446744073709551616"
            " gen reqs"),
        std::string("denoising_step_1_t") + digits})
    out.Work(name, 10);
  const Reported made = ReportOf(out.Trace());
  for (const auto& [key, facts] : made.analysis->names->facts) {
    for (const auto& number : facts.numbers) {
      EXPECT_LE(number.value_or(0), 9007199254740992.0);
    }
  }
  EXPECT_THAT(RegionsOf(made.report), Contains("execute (decode)"));
  testing::WriteAll(made.report);
}

}  // namespace
}  // namespace rangefinder
