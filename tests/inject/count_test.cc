// Mode `count` with a stand-in for CUPTI: it counts the work that the program
// reports, and ends the program for calls that the real CUPTI does not survive.

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/write_file.h"
#include "inject/counters/count_plan.h"
#include "region/path.h"
#include "tests/inject/traced_program.h"

namespace rangefinder {
namespace {

using testing::HasSubstr;
using Environment = std::map<std::string, std::string>;

constexpr char kAll[] =
    "rangefinder-count\t1\n"
    "row\t0\t1\t0\t0\t1\tsplit\t\tA\n"
    "row\t0\t1\t0\t0\t1\twhole\t\tA\t\tA1\n"
    "row\t0\t1\t0\t0\t1\twhole\t\tB\n";

// A region a line: its path, how many instances its values are the mean of, and
// for each metric the mean, with the instances' own values.
//   A/A1 x2 one.sum=10 (10 10) two.avg=20 (20 20)
std::string DrawCounts(const Profile& profile) {
  std::string text;
  for (const Measurement& m : profile.measurements) {
    EXPECT_EQ(m.kind, MeasurementKind::kRange);
    EXPECT_EQ(m.mode, ReplayMode::kCounters);
    const char* separator = "";
    for (const Frame& frame : PathOf(profile, m)) {
      text += separator;
      text += FrameText(profile, frame);
      separator = "/";
    }
    text += fmt::format(" x{}", m.counted);
    for (const Sample& sample : profile.SamplesOf(m)) {
      text += fmt::format(" {}={:g}", profile.MetricName(sample.metric),
                          *sample.value().number());
      for (const InstanceRef& ref : m.instances) {
        if (ref.metric != sample.metric) continue;
        separator = " (";
        for (const Instance& i : profile.instance_lists[ref.list]) {
          text += fmt::format("{}{:g}", separator, *i.value.number());
          separator = " ";
        }
        text += ")";
      }
    }
    text += "\n";
  }
  return text;
}

// The instances that were not counted, with reasons: a note a line.
std::string DrawSkips(const Notes& notes) {
  std::string text;
  for (const Note& note : notes.all()) {
    if (note.kind != "counted")
      text += fmt::format("{} {}: {}\n", note.count, note.kind, note.text);
  }
  return text;
}

struct CountedBuild {
  std::string name, program, library, cupti, driver;

  friend void PrintTo(const CountedBuild& build, std::ostream* out) {
    *out << build.name;
  }
};

class CountedPrograms : public testing::TestWithParam<CountedBuild> {
 protected:
  ProgramRun Run(std::vector<std::string> arguments, const std::string& plan,
                 Environment more = {}) {
    const CountedBuild& build = GetParam();
    arguments.insert(arguments.begin(), build.program);
    const std::string path = (folder_.path() / "plan").string();
    EXPECT_TRUE(WriteFile(path, plan).ok());
    Environment environment = {
        {"RANGEFINDER_INJECT_MODE", "count"},
        {"RANGEFINDER_INJECT_METRICS", "one.sum,two.avg"},
        {"RANGEFINDER_INJECT_COUNT_PLAN", path},
        {"RANGEFINDER_CUPTI_PATH", build.cupti},
        {"FAKE_DRIVER", build.driver}};
    for (const auto& [name, value] : more) environment[name] = value;
    return RunProgram(arguments, build.library, folder_.path(), environment);
  }
  // The counts of a run that ended well.
  std::string Count(std::vector<std::string> arguments, const std::string& plan,
                    Environment more = {}) {
    const ProgramRun run = Run(std::move(arguments), plan, std::move(more));
    EXPECT_EQ(run.status, 0) << run.output << run.errors;
    return DrawCounts(ReadTraces(folder_.path(), notes_));
  }
  // The counts of a killed program.
  std::string CountKilled(std::vector<std::string> arguments,
                          const std::string& plan, Environment more = {}) {
    const ProgramRun run = Run(std::move(arguments), plan, std::move(more));
    EXPECT_TRUE(WIFSIGNALED(run.status)) << run.errors;
    return DrawCounts(ReadTraces(folder_.path(), notes_));
  }
  // Of a run in which nothing could be counted.
  std::string ReasonOf(const std::string& plan, Environment more) {
    EXPECT_EQ(Count({"steps"}, plan, std::move(more)), "");
    return DrawSkips(notes_);
  }
  Folder folder_;
  Notes notes_;
};

const CountedBuild kBuilds[] = {
    {"plain", INJECT_COUNTED, INJECT_LIBRARY, INJECT_FAKE_CUPTI,
     INJECT_FAKE_DRIVER},
#ifdef INJECT_LIBRARY_TSAN
    {"tsan", INJECT_COUNTED_TSAN, INJECT_LIBRARY_TSAN, INJECT_FAKE_CUPTI_TSAN,
     INJECT_FAKE_DRIVER_TSAN},
    {"asan", INJECT_COUNTED_ASAN, INJECT_LIBRARY_ASAN, INJECT_FAKE_CUPTI_ASAN,
     INJECT_FAKE_DRIVER_ASAN},
#endif
};

INSTANTIATE_TEST_SUITE_P(Builds, CountedPrograms, testing::ValuesIn(kBuilds),
                         [](const auto& one) { return one.param.name; });

// The sanitizers know of no cancellation at any instruction.
class PlainCountedPrograms : public CountedPrograms {};
INSTANTIATE_TEST_SUITE_P(Build, PlainCountedPrograms,
                         testing::Values(CountedBuild{
                             "plain", INJECT_COUNTED, INJECT_LIBRARY,
                             INJECT_FAKE_CUPTI, INJECT_FAKE_DRIVER}));

// A program that does another thing in every second instance.
TEST(CountedInstances, AreOfEveryKind) {
  std::size_t odd = 0;
  for (std::uint64_t window = 0; window < 100; ++window) {
    std::size_t chosen = 0;
    for (std::uint64_t number = window * 4; number < window * 4 + 4; ++number) {
      if (!inject::IsTheOneOf(number, 4, 7)) continue;
      ++chosen;
      odd += number % 2;
    }
    EXPECT_EQ(chosen, 1U);
  }
  EXPECT_GT(odd, 30U);
  EXPECT_LT(odd, 70U);
  EXPECT_TRUE(inject::IsTheOneOf(12, 1, 7));
}
TEST(CountedInstances, TakeTurnsThatAreNoPatternOfTheProgram) {
  std::size_t even_first = 0;
  for (std::uint64_t number = 0; number < 200; number += 2) {
    const std::uint32_t first = inject::SlotOf(number, 2);
    EXPECT_NE(first, inject::SlotOf(number + 1, 2));
    if (number < 8) {
      EXPECT_EQ(first, 0U);
    }
    even_first += first;
  }
  EXPECT_GT(even_first, 30U);
  EXPECT_LT(even_first, 70U);
}

TEST_P(CountedPrograms, NestedRegionsOfOneInstanceAreCountedInItsParts) {
  EXPECT_EQ(Count({"steps", "2"}, kAll),
            "A x2 one.sum=111 (111 111) two.avg=222 (222 222)\n"
            "A/A1 x2 one.sum=10 (10 10) two.avg=20 (20 20)\n"
            "B x2 one.sum=1000.5 (1000 1001) two.avg=2001 (2000 2002)\n");
  EXPECT_EQ(DrawSkips(notes_), "");
  ASSERT_EQ(notes_.all().size(), 1U);
  EXPECT_THAT(notes_.all()[0].text,
              HasSubstr("6 instances of 3 regions were counted"));
  EXPECT_THAT(notes_.all()[0].text, HasSubstr("took 10 MiB"));
}

TEST_P(CountedPrograms, APlanSaysWhichInstances) {
  EXPECT_EQ(Count({"steps", "20"},
                  "rangefinder-count\t1\n# a remark\n"
                  "row\t2\t4\t3\t0\t1\twhole\t\tB\n"),
            "B x3 one.sum=1008.33 (1005 1008 1012) "
            "two.avg=2016.67 (2010 2016 2024)\n");
}

TEST_P(CountedPrograms, LevelsTakeTurnsOverTheInstancesOfTheOutermost) {
  EXPECT_EQ(Count({"steps", "6"},
                  "rangefinder-count\t1\n"
                  "row\t0\t1\t0\t0\t2\twhole\t\tA\n"
                  "row\t0\t1\t0\t1\t2\twhole\t\tA\t\tA1\n"),
            "A x3 one.sum=111 (111 111 111) two.avg=222 (222 222 222)\n"
            "A/A1 x3 one.sum=10 (10 10 10) two.avg=20 (20 20 20)\n");
  EXPECT_EQ(DrawSkips(notes_), "");
}

TEST_P(CountedPrograms, WhatIsInsideAWholeRegionIsSkippedAndCounted) {
  EXPECT_EQ(Count({"steps", "3"},
                  "rangefinder-count\t1\n"
                  "row\t0\t1\t0\t0\t1\twhole\t\tA\n"
                  "row\t0\t1\t0\t0\t1\twhole\t\tA\t\tA1\n"),
            "A x3 one.sum=111 (111 111 111) two.avg=222 (222 222 222)\n");
  EXPECT_EQ(DrawSkips(notes_),
            "3 not_counted: instances of A / A1 were not counted: the region "
            "around it was being counted\n");
}

// The stand-in ends a program that pushes more ranges than were configured.
TEST_P(CountedPrograms, ThousandsOfRangesGoThroughAFewPlaces) {
  EXPECT_THAT(Count({"steps", "2000"}, std::string(kAll) + "ranges\t5\n"),
              HasSubstr("A/A1 x2000 one.sum=10 "));
  EXPECT_EQ(DrawSkips(notes_), "");
}

// Outer ranges are in many images, in some of them without an inner range.
TEST_P(CountedPrograms, PartsOfManyImagesAreOneInstance) {
  EXPECT_THAT(Count({"deep"},
                    "rangefinder-count\t1\nranges\t6\n"
                    "row\t0\t1\t0\t0\t1\tsplit\t\tA\n"
                    "row\t0\t1\t0\t0\t1\tsplit\t\tA\t\tB\n"
                    "row\t0\t1\t0\t0\t1\twhole\t\tA\t\tB\t\tC\n"),
              HasSubstr("A x1 one.sum=5022 two.avg=10044\n"
                        "A/B x1 one.sum=5020 two.avg=10040\n"
                        "A/B/C x50 one.sum=100 "));
  EXPECT_EQ(DrawSkips(notes_), "");
}

// Passes come in their order; an instance has the metrics of the one that is
// on.
TEST_P(CountedPrograms, EachPassHasItsInstances) {
  EXPECT_EQ(Count({"steps", "8"},
                  "rangefinder-count\t1\ninstances\t2\n"
                  "row\t0\t1\t0\t0\t1\twhole\t\tB\n",
                  {{"FAKE_RANGES", "passes=2"}}),
            "B x8 one.sum=1002.5 (1000 1001 1004 1005) "
            "two.avg=2009 (2004 2006 2012 2014)\n");
}

TEST_P(CountedPrograms, NothingIsMeasuredWhileAStreamIsCaptured) {
  EXPECT_EQ(Count({"captures"},
                  "rangefinder-count\t1\nrow\t0\t1\t0\t0\t1\twhole\t\tA\n"),
            "A x3 one.sum=111 (111 111 111) two.avg=222 (222 222 222)\n");
  EXPECT_EQ(DrawSkips(notes_),
            "3 not_counted: instances of A were not counted: a stream was "
            "being captured\n");
}

TEST_P(CountedPrograms, OneContextIsMeasuredUntilItEnds) {
  EXPECT_EQ(Count({"contexts"},
                  "rangefinder-count\t1\nrow\t0\t1\t0\t0\t1\twhole\t\tA\n"),
            "A x1 one.sum=111 two.avg=222\n");
  EXPECT_EQ(DrawSkips(notes_),
            "1 not_counted: instances of A were not counted: its thread had no "
            "CUDA context yet\n"
            "1 not_counted: instances of A were not counted: its thread used "
            "another CUDA context than the counted one\n"
            "1 not_counted: instances of A were not counted: the program, "
            "its CUDA context or the window ended in it\n"
            "1 no_counts: regions were counted no longer: the program "
            "destroyed its context\n");
}

TEST_P(CountedPrograms, OneThreadsRangeIsMeasuredAtATime) {
  EXPECT_EQ(Count({"threads"}, kAll),
            "A x2 one.sum=611.5 (1112 111) two.avg=1223 (2224 222)\n"
            "A/A1 x1 one.sum=10 two.avg=20\n"
            "B x1 one.sum=1000 two.avg=2000\n");
  EXPECT_EQ(DrawSkips(notes_),
            "1 not_counted: instances of A were not counted: a region of "
            "another thread was being counted\n"
            "1 not_counted: instances of A / A1 were not counted: a region of "
            "another thread was being counted\n"
            "1 not_counted: instances of B were not counted: a region of "
            "another thread was being counted\n");
}

// Each instance is either counted or skipped; a range that its thread left open
// is in nobody's way.
TEST_P(CountedPrograms, ManyThreadsTakeTurns) {
  const ProgramRun run =
      Run({"many"},
          "rangefinder-count\t1\nrow\t0\t1\t0\t0\t1\twhole\t\tB\n"
          "row\t0\t1\t0\t0\t1\twhole\t\tA\n");
  EXPECT_EQ(run.status, 0) << run.output << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  std::uint64_t counted = 0, skipped = 0;
  for (const Measurement& m : profile.measurements) counted += m.counted;
  for (const Note& note : notes_.all()) {
    if (note.kind == "not_counted") skipped += note.count;
  }
  EXPECT_EQ(counted + skipped, 2U * 8 * 200 + 1);
  EXPECT_GE(counted, 100U);
}

TEST_P(CountedPrograms, PathsAreThoseOfTheTrace) {
  EXPECT_EQ(Count({"crossed"},
                  "rangefinder-count\t1\n"
                  "row\t0\t1\t0\t0\t1\tsplit\t\tA\n"
                  "row\t0\t1\t0\t0\t1\twhole\t\tA\tother\tX\n"
                  "row\t0\t1\t0\t0\t1\tsplit\tother\tX\n"
                  "row\t0\t1\t0\t0\t1\twhole\tother\tX\t\tA\n"
                  "row\t0\t1\t0\t0\t1\twhole\t\tjob\t\tA\n"),
            "A x1 one.sum=111 two.avg=222\n"
            "job/A x1 one.sum=111 two.avg=222\n");
  EXPECT_THAT(DrawSkips(notes_),
              HasSubstr("it ended before a range that began in it"));
}

TEST_P(CountedPrograms, AChildIsLeftAlone) {
  EXPECT_EQ(Count({"fork"}, kAll), "A x1 one.sum=1 two.avg=2\n");
}

TEST_P(CountedPrograms, AnOpenRangeAtTheEndIsNoInstance) {
  EXPECT_EQ(Count({"open"}, kAll), "");
  EXPECT_THAT(DrawSkips(notes_),
              HasSubstr("the program, its CUDA context or the window ended"));
}

// Of 1 + 8 ranges, five were read at a time; two passes are read at no time
// but then.
TEST_P(CountedPrograms, AKilledProgramHasWhatWasWrittenBefore) {
  EXPECT_EQ(CountKilled({"killed", "8"},
                        "rangefinder-count\t1\nranges\t5\n"
                        "row\t0\t1\t0\t0\t1\twhole\t\tB\n",
                        {{"FAKE_RANGES", "passes=2"}}),
            "B x4 one.sum=1001.5 (1000 1001 1002 1003)\n");
  EXPECT_EQ(DrawSkips(notes_),
            "1 no_counts: the counts of 4 measured instances are missing: the "
            "program ended before they were read\n");
}

TEST_P(CountedPrograms, CountsAreWrittenWithTheLastInstanceOfThePlan) {
  EXPECT_EQ(CountKilled({"killed", "3"},
                        "rangefinder-count\t1\n"
                        "row\t0\t1\t2\t0\t1\twhole\t\tB\n"),
            "B x2 one.sum=1000.5 (1000 1001) two.avg=2001 (2000 2002)\n");
  EXPECT_EQ(DrawSkips(notes_), "");
}

// A is in the plan, and no instance of it is chosen.
TEST_P(CountedPrograms, CountsThatHaveWaitedAreWritten) {
  EXPECT_EQ(CountKilled({"pause", "2"},
                        "rangefinder-count\t1\n"
                        "row\t0\t1\t0\t0\t1\twhole\t\tB\n"
                        "row\t1000\t1\t0\t0\t1\twhole\t\tA\n"),
            "B x2 one.sum=1000.5 (1000 1001) two.avg=2001 (2000 2002)\n");
  EXPECT_EQ(DrawSkips(notes_), "");
}

// The profiler is disabled then: the stand-in would end the program with 9.
TEST_P(CountedPrograms, AHandlerThatEndsTheProgramWaitsForTheProfiler) {
  const ProgramRun run = Run({"handler"}, kAll, {{"FAKE_RANGES", "raise=10"}});
  EXPECT_EQ(WEXITSTATUS(run.status), 6) << run.errors;
}

TEST_P(CountedPrograms, ASignalWithoutAHandlerActsAtOnce) {
  const ProgramRun run = Run({"steps"}, kAll, {{"FAKE_RANGES", "raise=15"}});
  EXPECT_TRUE(WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGTERM)
      << run.errors;
}

// A fault's handler may end the program inside the profiler, which is said.
TEST_P(CountedPrograms, AnEndInsideTheProfilerIsSaid) {
  const ProgramRun run = Run({"handler"}, kAll, {{"FAKE_RANGES", "raise=11"}});
  EXPECT_THAT(run.errors, HasSubstr("a profiler was enabled at the end"));
  EXPECT_EQ(DrawCounts(ReadTraces(folder_.path(), notes_)), "");
  EXPECT_THAT(DrawSkips(notes_),
              HasSubstr("regions were not counted: a signal handler ended the "
                        "program inside a call of the profiler"));
}

TEST_P(PlainCountedPrograms, ACancelledThreadKeepsNoLock) {
  EXPECT_THAT(Count({"cancelled"}, kAll), HasSubstr("A x1 one.sum=111 "));
}

TEST_P(CountedPrograms, WhatCuptiDropsIsMissing) {
  EXPECT_EQ(Count({"steps", "3"},
                  "rangefinder-count\t1\nrow\t0\t1\t0\t0\t1\twhole\t\tB\n",
                  {{"FAKE_RANGES", "drop=2"}}),
            "B x2 one.sum=1001 (1000 1002) two.avg=2002 (2000 2004)\n");
  EXPECT_EQ(DrawSkips(notes_),
            "1 not_counted: instances of B were not counted: CUPTI dropped "
            "it\n");
}

TEST_P(CountedPrograms, TheProgramsOwnOutputAndStatusAreItsOwn) {
  const ProgramRun run = Run({"output", "3"}, kAll);
  EXPECT_EQ(WEXITSTATUS(run.status), 5);
  EXPECT_EQ(run.output, "out");
  EXPECT_EQ(run.errors, "err");
}

TEST_P(CountedPrograms, EveryFailureIsSaidAndTheProgramGoesOn) {
  const std::pair<const char*, const char*> failures[] = {
      {"initialize=999", "cuptiProfilerInitialize failed"},
      {"enable=35", "only administrators may profile this GPU"},
      {"start=26",
       "another profiler has the counters (CUPTI_ERROR_HARDWARE_BUSY, 26)"},
      {"data_size=8", "there is not memory enough for the counters' buffers"},
      {"data=1", "cuptiRangeProfilerCounterDataImageInitialize failed"},
      {"configure=1", "cuptiRangeProfilerSetConfig failed"},
      {"push=999", "cuptiRangeProfilerPushRange failed"},
      {"pop=999", "cuptiRangeProfilerPopRange failed"},
      {"stop=999", "cuptiRangeProfilerStop failed"},
      {"decode=999", "cuptiRangeProfilerDecodeData failed"},
  };
  for (const auto& [fake, why] : failures) {
    const Folder folder;
    const std::string path = (folder.path() / "plan").string();
    ASSERT_TRUE(WriteFile(path, kAll).ok());
    const CountedBuild& build = GetParam();
    const ProgramRun run =
        RunProgram({build.program, "steps", "3"}, build.library, folder.path(),
                   {{"RANGEFINDER_INJECT_MODE", "count"},
                    {"RANGEFINDER_INJECT_COUNT_PLAN", path},
                    {"RANGEFINDER_CUPTI_PATH", build.cupti},
                    {"FAKE_DRIVER", build.driver},
                    {"FAKE_RANGES", fake}});
    EXPECT_EQ(run.status, 0) << fake << run.errors;
    Notes notes;
    EXPECT_EQ(DrawCounts(ReadTraces(folder.path(), notes)), "") << fake;
    EXPECT_THAT(DrawSkips(notes), HasSubstr(why)) << fake;
  }
}

TEST_P(CountedPrograms, AMetricThatTheChipLacksIsNamed) {
  EXPECT_THAT(
      ReasonOf(kAll, {{"RANGEFINDER_INJECT_METRICS", "one.sum,unknown.sum"}}),
      HasSubstr("GH100 has no metric unknown.sum that can be counted"));
}

TEST_P(CountedPrograms, APlanThatMakesNoSenseIsSaid) {
  const std::pair<const char*, const char*> plans[] = {
      {"", "it is no plan of this version"},
      {"rangefinder-count\t1\n", "it has no row"},
      {"rangefinder-count\t1\nrow\t0\t1\t0\t0\t1\twhole\n", "too few"},
      {"rangefinder-count\t1\nrow\t0\t0\t0\t0\t1\twhole\t\tA\n",
       "numbers make no sense"},
      {"rangefinder-count\t1\nrow\tx\t1\t0\t0\t1\twhole\t\tA\n",
       "something else where a number belongs"},
      {"rangefinder-count\t1\nranges\t3\n", "no number from 4 to 1024"},
      {"rangefinder-count\t1\nrow\t0\t1\t0\t0\t1\twhole\t\tA\n"
       "row\t0\t1\t0\t0\t1\twhole\t\tA\n",
       "a row is there twice"},
  };
  for (const auto& [plan, why] : plans) {
    notes_ = Notes();
    EXPECT_THAT(ReasonOf(plan, {}), HasSubstr(why)) << plan;
  }
}

}  // namespace
}  // namespace rangefinder
