#include "app/doctor_text.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tests/support/fake_runner.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {
namespace {

const std::vector<Check> kChecks = {
    {.name = "GPU",
     .required = true,
     .found = "none",
     .fix = "buy one, or two"},
    {.name = "other profilers", .ok = true, .found = "none"},
    {.name = "nsys",
     .found = "not found",
     .fix = "a fix that is so long that it has to be broken into several lines "
            "to fit into the width of the terminal"}};

TEST(DoctorCommand, TheTableFitsAndSaysWhatToDo) {
  std::ostringstream out;
  WriteTerminal(DoctorDocument(kChecks), {.width = 80}, out);
  const std::string table = out.str();
  EXPECT_THAT(table, ::testing::StartsWith(
                         "GPU              MISSING  none\n"
                         "                          -> buy one, or two\n"
                         "other profilers  ok       none\n"
                         "nsys             note     not found\n"));
  for (const std::string& line : Split(table, '\n'))
    EXPECT_LE(DisplayWidth(line), 80U) << line;
}

TEST(DoctorCommand, TheJsonIsAListOfChecks) {
  const auto json = nlohmann::json::parse(DoctorJson(kChecks));
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0], (nlohmann::json{{"check", "GPU"},
                                     {"ok", false},
                                     {"found", "none"},
                                     {"fix", "buy one, or two"}}));
}

TEST(DoctorCommand, NamesVariablesAndPackagesThatAFrameworkLacks) {
  const std::vector<Framework> frameworks = {
      {.id = "vllm",
       .title = "vLLM",
       .python = "vllm",
       .environment = {"VLLM_NVTX_SCOPES_FOR_PROFILING=1"},
       .packages = {"nvtx"}},
      {.id = "sglang", .title = "SGLang", .python = "sglang"}};
  std::string installed = "vllm\n";
  FakeRunner runner(
      [&](const Command&, const Watch&) { return Finished{.out = installed}; });
  const char* variable = nullptr;
  const auto check = [&] {
    return FrameworkChecks(
        runner, [&](const char*) { return variable; }, frameworks);
  };
  auto checks = check();
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].name, "vLLM ranges");
  EXPECT_FALSE(checks[0].ok);
  EXPECT_FALSE(checks[0].required);
  EXPECT_EQ(checks[0].fix,
            "start it with VLLM_NVTX_SCOPES_FOR_PROFILING=1, pip install nvtx");
  installed = "nvtx\nvllm\nno_such_name\n";
  variable = "1";
  checks = check();
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_TRUE(checks[0].ok);
  EXPECT_EQ(checks[0].fix, "");
  runner.missing = {"python3"};
  EXPECT_TRUE(check().empty());
}

}  // namespace
}  // namespace rangefinder
