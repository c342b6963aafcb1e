// Programs that open a range in each step and never close it: the report stays
// small, has the work of every step, and names the range.

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/analyze.h"
#include "tests/support/rep_builder.h"

namespace rangefinder {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Steps of 10 µs; `step` has %n for its number, and the time of its lines is
// from its beginning. Each launches a kernel in `launch` at +4.
std::string Steps(int count, std::string_view opened) {
  std::string trace = "process pid=7 exe=/bin/app\n";
  std::string kernels;
  for (int i = 1; i <= count; ++i) {
    const int now = 10 * i;
    trace +=
        fmt::format(fmt::runtime(opened), fmt::arg("n", i), fmt::arg("at", now),
                    fmt::arg("next", now + 3), fmt::arg("end", now + 6));
    kernels += fmt::format("kernel k {}-{} of={}\n", now + 4, now + 5, i);
  }
  return trace + kernels;
}

// "path kernels-of-its-own", outermost regions first, most of them left out.
std::string DrawnPaths(const Analysis& analysis) {
  std::string lines;
  const auto& regions = analysis.tree.regions();
  for (std::size_t i = 1; i < regions.size(); ++i) {
    const Region& region = regions[i];
    if (region.kernels.empty()) continue;
    std::string path;
    std::size_t alike = 0;
    StringId last{};
    for (const Frame& frame : analysis.tree.PathTo(static_cast<RegionId>(i))) {
      if (frame.name == last) {
        ++alike;
        continue;
      }
      if (alike > 0) path += fmt::format("*{}", alike + 1);
      alike = 0;
      last = frame.name;
      path += "/" + std::string(analysis.profile.Name(frame.name));
    }
    if (alike > 0) path += fmt::format("*{}", alike + 1);
    lines += fmt::format("{} {}\n", path, region.kernels.size());
  }
  return lines;
}

std::string Lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> Warnings(const Analysis& analysis) {
  std::vector<std::string> texts;
  for (const Note& note : analysis.notes.all()) {
    if (note.severity == Severity::kWarning)
      texts.push_back(fmt::format("{} x{}", note.text, note.count));
  }
  return texts;
}

constexpr std::string_view kTooDeep =
    "ranges opened inside 128 others, or inside 32 of their own name, count "
    "for "
    "the region around them x";

TEST(LeakedRanges, AMissingPopAStepKeepsTheInnerRangesOfAllSteps) {
  const auto analysis = testing::AnalyzeTrace(
      Steps(300,
            "{at} push step\n{next} push forward\n{next} launch {n}\n"
            "{end} pop\n"));
  EXPECT_THAT(DrawnPaths(*analysis), StartsWith("/step/forward 1\n"));
  EXPECT_THAT(DrawnPaths(*analysis), HasSubstr("/step*31/forward 1\n"));
  EXPECT_THAT(DrawnPaths(*analysis), HasSubstr("/step*32/forward 269\n"));
  EXPECT_EQ(analysis->tree.regions().size(), 1U + 2 * 32);
  EXPECT_EQ(analysis->rollup.scopes.at(0).totals.kernel_count, 300U);
  EXPECT_EQ(Lines(Warnings(*analysis)),
            "'step' is opened 300 times and never closed: a pop is missing "
            "x1\n" +
                std::string(kTooDeep) + "268\n");
}

TEST(LeakedRanges, TheTopOfTheReportSaysWhichRangeIsNeverClosed) {
  const auto analysis =
      testing::AnalyzeTrace(Steps(4000, "{at} push step\n{next} launch {n}\n"));
  const Report report = testing::ShippedReport(*analysis);
  ASSERT_FALSE(report.diagnosis.headlines.empty());
  const Headline& headline = report.diagnosis.headlines.front();
  EXPECT_EQ(headline.cause.text,
            "'step' is opened 4,000 times and never closed: a pop is missing");
  EXPECT_EQ((*report.tree)[headline.region].depth, 0);
  const testing::Documents documents = testing::WriteAll(report);
  for (const std::string* document :
       {&documents.json, &documents.markdown, &documents.terminal})
    EXPECT_THAT(*document, HasSubstr("is opened 4,000 times and never closed"));
  EXPECT_LT(documents.json.size(), 2'000'000U);
}

TEST(LeakedRanges, AStartedRangeThatIsNotEndedKeepsTheStepsApart) {
  const auto analysis = testing::AnalyzeTrace(
      Steps(300,
            "{at} start request id={n}\n{next} push step\n"
            "{next} launch {n}\n{end} pop\n"));
  EXPECT_THAT(DrawnPaths(*analysis), HasSubstr("/request*32/step 269\n"));
  EXPECT_EQ(analysis->rollup.scopes.at(0).totals.kernel_count, 300U);
  EXPECT_EQ(Lines(Warnings(*analysis)),
            "'request' is opened 300 times and never closed: a range end is "
            "missing x1\n" +
                std::string(kTooDeep) + "268\n");
}

TEST(LeakedRanges, OfNamesWithANumberAreOneFinding) {
  const auto analysis = testing::AnalyzeTrace(
      Steps(300, "{at} push step_{n}\n{next} launch {n}\n"));
  EXPECT_THAT(Warnings(*analysis),
              Contains("'step_*' is opened 300 times and never closed: a pop "
                       "is missing x1"));
  const Report report = testing::ShippedReport(*analysis);
  ASSERT_FALSE(report.diagnosis.headlines.empty());
  EXPECT_THAT(report.diagnosis.headlines.front().cause.text,
              StartsWith("'step_*' is opened"));
}

TEST(LeakedRanges, RecursionStaysAsItIs) {
  std::string trace = "process pid=7 exe=/bin/app\n";
  for (int i = 1; i <= 32; ++i) trace += fmt::format("{} push solve\n", i);
  trace += "40 launch 1\n";
  for (int i = 1; i <= 32; ++i) trace += fmt::format("{} pop\n", 40 + i);
  const auto analysis = testing::AnalyzeTrace(trace + "kernel k 41-42 of=1\n");
  EXPECT_EQ(DrawnPaths(*analysis), "/solve*32 1\n");
  EXPECT_EQ(Lines(Warnings(*analysis)), "");
}

// Where a pop comes after all, it closes the range that has no level.
TEST(LeakedRanges, WhatIsClosedAgainLeavesTheOuterOnesAsTheyWere) {
  std::string trace = "process pid=7 exe=/bin/app\n1 push run\n";
  int now = 10;
  for (int i = 0; i < 100; ++i) trace += fmt::format("{} push solve\n", now++);
  for (int i = 0; i < 100; ++i) trace += fmt::format("{} pop\n", now++);
  trace += fmt::format("{} push after\n{} launch 1\n{} pop\n{} pop\n", now,
                       now + 1, now + 2, now + 3);
  const auto analysis = testing::AnalyzeTrace(
      trace + fmt::format("kernel k {}-{} of=1\n", now + 4, now + 5));
  EXPECT_EQ(DrawnPaths(*analysis), "/run/after 1\n");
  EXPECT_EQ(Lines(Warnings(*analysis)), std::string(kTooDeep) + "68\n");
}

// A report of ncu has all that is open with each of its kernels.
TEST(LeakedRanges, AreFoundInReportsOfNcu) {
  std::string program;
  std::string open = "step";
  for (int i = 1; i <= 100; ++i) {
    program += "kernel k gpu__time_duration.sum=5 @ " + open + "/forward\n";
    open += "/step";
  }
  const auto analysis = testing::AnalyzeText(program);
  EXPECT_THAT(DrawnPaths(*analysis), HasSubstr("/step*32/forward 69\n"));
  EXPECT_EQ(analysis->rollup.scopes.at(0).totals.kernel_count, 100U);
  EXPECT_EQ(Lines(Warnings(*analysis)),
            "'step' is opened 100 times and never closed: a pop is missing "
            "x1\n" +
                std::string(kTooDeep) + "68\n");
}

TEST(LeakedRanges, ARootOfAnEndlessNameIsNotWrittenForEachOfItsChildren) {
  std::string program;
  const std::string root(1 << 20, 'R');
  for (int i = 0; i < 20; ++i)
    program += fmt::format("kernel k gpu__time_duration.sum=5 @ {}/child {}\n",
                           root, static_cast<char>('a' + i));
  const auto analysis = testing::AnalyzeText(program);
  EXPECT_EQ(analysis->tree.regions().size(), 22U);
  const testing::Documents documents =
      testing::WriteAll(testing::ShippedReport(*analysis));
  EXPECT_LT(documents.json.size(), 500'000U);
  EXPECT_LT(documents.markdown.size(), 500'000U);
  EXPECT_LT(documents.csv.size(), 500'000U);
}

}  // namespace
}  // namespace rangefinder
