// What the kernels of a report are called, from the bytes of a trace on.

#include "report/kernel_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.h"
#include "tests/support/trace_builder.h"

namespace rangefinder {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

// As PyTorch's own tests state it, with the numbers of calls.
constexpr std::string_view kMappings = R"({
  "preToPost": {"added": ["add"], "activated": ["relu"]},
  "postToPre": {"add": ["added"], "relu": ["activated"]},
  "cppCodeToPost": {
    "triton_poi_fused_add_relu_0:1": ["relu", "add", "view"],
    "triton_poi_fused_add_relu_0:2": ["add"],
    "extern_kernels.mm:3": ["mm_default"]
  },
  "postToCppCode": {"add": ["triton_poi_fused_add_relu_0:1"]},
  "version": 2.0
})";

TEST(KernelSources, AreTheNodesBeforeInductorsPasses) {
  EXPECT_THAT(ParseKernelSources(kMappings).value(),
              ElementsAre(Pair("extern_kernels.mm", ElementsAre("mm_default")),
                          Pair("triton_poi_fused_add_relu_0",
                               ElementsAre("activated", "added", "view"))));
  EXPECT_THAT(
      ParseKernelSources(R"({"triton_a_0": ["mul", 3, "mul"]})").value(),
      ElementsAre(Pair("triton_a_0", ElementsAre("mul"))));
}

TEST(KernelSources, OfAnotherFileAreAnError) {
  EXPECT_EQ(ParseKernelSources("[").error().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(ParseKernelSources("[]").error().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(ParseKernelSources("{}").error().code(), ErrorCode::kUsage);
  EXPECT_EQ(ParseKernelSources(R"({"cppCodeToPost": 3})").error().code(),
            ErrorCode::kUsage);
}

class NamedKernels : public ::testing::Test {
 protected:
  testing::Documents Write(const ReportOptions& options) {
    const TempDir folder;
    analysis_ = testing::AnalyzeFile(
        testing::WriteTo(folder, "a.rftrace", testing::BuildTrace(R"(
10 push A
11 launch 1
12 launch 2
20 pop
kernel burn<256>(int,float*) 20-40 of=1
kernel triton_poi_fused_add_relu_0 50-60 of=2
)")));
    return testing::WriteAll(MakeReport(*analysis_, options));
  }
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
  EXPECT_THAT(documents.json, Not(HasSubstr("\"source\": [")));
}

TEST_F(NamedKernels, HaveFullNamesWhereThatIsAsked) {
  const auto documents = Write({.full_kernel_names = true});
  for (const std::string& text :
       {documents.markdown, documents.kernels, documents.terminal})
    EXPECT_THAT(text, HasSubstr("float"));
}

TEST_F(NamedKernels, HaveTheOperatorsOfTheModel) {
  const auto documents =
      Write({.kernel_sources = std::make_shared<KernelSources>(
                 ParseKernelSources(kMappings).value())});
  EXPECT_THAT(
      documents.terminal,
      HasSubstr("triton_poi_fused_add_relu_0 (activated, added, view)"));
  const auto json = nlohmann::json::parse(documents.json);
  for (const auto& kernel : json["scopes"][0]["regions"][0]["kernels"]) {
    if (kernel["kernel_name"] == "triton_poi_fused_add_relu_0") {
      EXPECT_THAT(kernel["source"], ElementsAre("activated", "added", "view"));
    } else {
      EXPECT_FALSE(kernel.contains("source"));
    }
  }
}

}  // namespace
}  // namespace rangefinder
