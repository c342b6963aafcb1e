// Names of kernels in a report, from the bytes of a trace on.

#include "report/kernel_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.h"

namespace rangefinder {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class NamedKernels : public ::testing::Test {
 protected:
  testing::Documents Write(const ReportOptions& options) {
    analysis_ = testing::AnalyzeTrace(trace_ + R"(
10 push A
11 launch 1
12 launch 2
20 pop
kernel burn<256>(int,float*) 20-40 of=1
kernel triton_poi_fused_add_relu_0 50-60 of=2
)");
    return testing::WriteAll(MakeReport(*analysis_, options));
  }
  std::string trace_{};  // before the program's events
  std::unique_ptr<Analysis> analysis_;
};

TEST_F(NamedKernels, HaveShortNamesForPeopleAndBothInJson) {
  const auto documents = Write({});
  for (const std::string& text :
       {documents.markdown, documents.kernels, documents.terminal}) {
    EXPECT_THAT(text, HasSubstr("burn"));
    EXPECT_THAT(text, Not(HasSubstr("float")));
  }
  EXPECT_THAT(
      documents.json,
      ContainsRegex("\"kernel_name\": ?\"burn<256>\\(int,float\\*\\)\""));
  EXPECT_THAT(documents.json, ContainsRegex(R"("short_name": ?"burn<256>")"));
  EXPECT_THAT(documents.csv, HasSubstr("burn<256>(int,float*)"));
  for (const std::string_view key :
       {"source\": [", "source_lines", "model_lines", "source_unknown"})
    EXPECT_THAT(documents.json, Not(HasSubstr(key)));
}

TEST_F(NamedKernels, HaveFullNamesWhereThatIsAsked) {
  const auto documents = Write({.full_kernel_names = true});
  for (const std::string& text :
       {documents.markdown, documents.kernels, documents.terminal})
    EXPECT_THAT(text, HasSubstr("float"));
}

nlohmann::json KernelIn(const std::string& json, std::string_view name) {
  const auto document = nlohmann::json::parse(json);
  for (const auto& kernel : document["scopes"][0]["regions"][0]["kernels"]) {
    if (kernel["kernel_name"] == name) return kernel;
  }
  return {};
}

TEST_F(NamedKernels, HaveOperatorsAndLinesOfTheModel) {
  KernelSources sources;
  sources.by_kernel["triton_poi_fused_add_relu_0"] = {
      .lines = {"/tmp/inductor/ab/cab.py:18"},
      .operators = {"activated", "added", "view"},
      .model_lines = {"/home/a/net.py:7", "/home/a/net.py:9"}};
  const auto documents =
      Write({.kernel_sources = std::make_shared<KernelSources>(sources)});
  for (const std::string& text : {documents.terminal, documents.kernels})
    EXPECT_THAT(text,
                HasSubstr("triton_poi_fused_add_relu_0 (activated, added, "
                          "view; net.py:7, …)"));
  const auto kernel = KernelIn(documents.json, "triton_poi_fused_add_relu_0");
  EXPECT_THAT(kernel["source"], ElementsAre("activated", "added", "view"));
  EXPECT_THAT(kernel["source_lines"],
              ElementsAre("/tmp/inductor/ab/cab.py:18"));
  EXPECT_THAT(kernel["model_lines"],
              ElementsAre("/home/a/net.py:7", "/home/a/net.py:9"));
  const auto other = KernelIn(documents.json, "burn<256>(int,float*)");
  for (const char* key : {"source", "source_lines", "source_unknown"})
    EXPECT_FALSE(other.contains(key)) << key;
}

TEST_F(NamedKernels, HaveTheLineWhereTheyBeginAndTheOthersWhyNot) {
  trace_ = R"(fact source lines
source burn<256>(int,float*) /home/a/burn.cu 17
source burn<256>(int,float*) /home/b/burn.cu 17
source burn<256>(int,float*) /home/a/burn.cu 17
)";
  const auto documents = Write({});
  const auto burn = KernelIn(documents.json, "burn<256>(int,float*)");
  EXPECT_THAT(burn["source_lines"],
              ElementsAre("/home/a/burn.cu:17", "/home/b/burn.cu:17"));
  EXPECT_FALSE(burn.contains("source_unknown"));
  EXPECT_THAT(documents.terminal, HasSubstr("burn<256> (burn.cu:17, …)"));
  EXPECT_THAT(KernelIn(documents.json, "triton_poi_fused_add_relu_0")
                  .value("source_unknown", ""),
              HasSubstr("-lineinfo"));
  EXPECT_THAT(documents.terminal,
              HasSubstr("the lines of 1 of 2 kernels are known, 66.7 % of"));
}

}  // namespace
}  // namespace rangefinder
