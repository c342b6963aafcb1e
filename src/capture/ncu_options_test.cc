#include "capture/ncu_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using OptionTexts = std::map<std::string, std::vector<std::string>>;

NcuValue Bool(bool value) {
  return {.items = {{value ? "true" : "false", true}}};
}

NcuValue Text(const char* text) {
  return {.items = {{text}}};
}

NcuValue Items(std::initializer_list<const char*> texts) {
  NcuValue list{.is_list = true};
  for (const char* text : texts) list.items.push_back({text});
  return list;
}

std::string Words(std::string_view name, const NcuValue& value) {
  const NcuOption* option = FindNcuOption(name);
  if (option == nullptr) return "(no such option)";
  const Result<NcuWords> words = MakeNcuWords(*option, value);
  if (!words.ok()) return "error: " + words.error().message();
  if (!words.value().passed) return "(not passed)";
  std::string out = option->flag;
  for (const std::string& word : words.value().words) out += " " + word;
  return out;
}

TEST(NcuOptions, TheTableHasAll102InNcusOrder) {
  EXPECT_EQ(NcuOptionTable().size(), 102u);
  EXPECT_EQ(NcuOptionTable().front().name, "help");
  EXPECT_EQ(NcuOptionTable().back().name, "print_summary");
  EXPECT_EQ(FindNcuOption("replay_mode")->flag, "--replay-mode");
  EXPECT_TRUE(FindNcuOption("section")->repeatable);
  EXPECT_EQ(FindNcuOption("replay-mode"), nullptr);
}

TEST(NcuOptions, ValuesBecomeWords) {
  EXPECT_EQ(Words("verbose", Bool(true)), "--verbose");
  EXPECT_EQ(Words("verbose", Bool(false)), "(not passed)");
  EXPECT_EQ(Words("kill", Bool(true)), "--kill yes");
  EXPECT_EQ(Words("kill", Text("off")), "--kill no");
  EXPECT_EQ(Words("launch_count", Text("3")), "--launch-count 3");
  EXPECT_EQ(Words("devices", Items({"0", "2, 3"})), "--devices 0,2,3");
  EXPECT_EQ(Words("devices", Items({})), "(not passed)");
  EXPECT_EQ(Words("section_folder", Items({"/a", "/b"})),
            "--section-folder /a /b");
  EXPECT_EQ(Words("warp_sampling_interval", Text("auto")),
            "--warp-sampling-interval auto");
  EXPECT_EQ(Words("kernel_id", Text("::gemm:2")), "--kernel-id ::gemm:2");
}

TEST(NcuOptions, ErrorsOfValuesNameTheExpectedValue) {
  EXPECT_EQ(Words("cache_control", Text("al")),
            "error: expected one of all, none, got 'al'; did you mean 'all'?");
  EXPECT_EQ(Words("launch_skip", Text("-1")),
            "error: expected a whole number that is not negative, got '-1'");
  EXPECT_EQ(Words("launch_skip", Text("1.5")),
            "error: expected a whole number that is not negative, got '1.5'");
  EXPECT_EQ(Words("kill", Text("perhaps")),
            "error: expected true or false, got 'perhaps'");
  EXPECT_EQ(Words("warp_sampling_interval", Text("32")),
            "error: expected auto, or a number from 0 to 31, got '32'");
  EXPECT_EQ(Words("replay_mode", Items({"range"})),
            "error: expected one value, got a list");
  EXPECT_THAT(Words("range_replay_options", Text("enable-greedy-sinc")),
              HasSubstr("did you mean 'enable-greedy-sync'?"));
  EXPECT_THAT(Words("kernel_id", Text("gemm")), HasSubstr("error: expected"));
  EXPECT_THAT(Words("hostname", Text("")), HasSubstr("not empty"));
}

TEST(NcuOptions, OptionsThatAModeLacksAreRefused) {
  for (const std::string name :
       {"import_source", "profile_from_start", "app_replay_buffer",
        "kernel_name", "kernel_id"}) {
    const OptionTexts options = {{name, {"x"}}};
    EXPECT_TRUE(CheckNcuOptions("kernel", options, false).ok());
    EXPECT_TRUE(CheckNcuOptions("application", options, false).ok());
    EXPECT_FALSE(CheckNcuOptions("range", options, false).ok());
    EXPECT_FALSE(CheckNcuOptions("app-range", options, false).ok());
  }
  EXPECT_TRUE(CheckNcuOptions("kernel", {}, true).ok());
  EXPECT_FALSE(CheckNcuOptions("range", {}, true).ok());
  EXPECT_FALSE(
      CheckNcuOptions("app-range", {{"graph_profiling", {"graph"}}}, false)
          .ok());
}

constexpr std::string_view kHelp =
    "usage: ncu [options] [program] [program-arguments]\n\n"
    "General Options:\n"
    "  -h [ --help ]                         Print this help message.\n"
    "  --mode arg (=launch-and-attach)       Select the mode.\n"
    "                                        --not-an-option in a text\n"
    "  -k [ --kernel-name ] arg              Filter by name.\n"
    "  --cache-control arg (=all)            Set the behavior.\n";

TEST(NcuOptions, TheHelpListsTheInstalledOptions) {
  EXPECT_THAT(ParseNcuHelp(kHelp),
              ElementsAre("cache_control", "help", "kernel_name", "mode"));
}

TEST(NcuOptions, AnOptionTheInstalledNcuLacksNamesBothVersions) {
  const std::string_view version = "2022.1.0.0";
  EXPECT_TRUE(
      CheckInstalledNcu({{"cache_control", {"all"}}}, kHelp, version).ok());
  const Status status =
      CheckInstalledNcu({{"cache_kontrol", {"all"}}}, kHelp, version);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message(),
              ::testing::AllOf(HasSubstr("the installed ncu 2022.1.0.0 has no "
                                         "--cache-kontrol"),
                               HasSubstr("ncu 2025.3.1"),
                               HasSubstr("Did you mean 'cache_control'?")));
  // A help text that cannot be read forbids nothing.
  EXPECT_TRUE(CheckInstalledNcu({{"anything", {}}}, "", "").ok());
}

}  // namespace
}  // namespace rangefinder
