#include "profile/wall_time.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using enum WallPart;

// The work and the ranges of one process.
struct WallTimeline {
  struct Instance {
    std::uint32_t thread = 0;
    std::uint64_t open_ns = 0;
    std::uint64_t close_ns = 0;
  };
  struct Work {
    WallPart part = kKernels;
    // The instances that were open at its launch call: so many of `owners`.
    std::uint32_t first_owner = 0;
    std::uint32_t owner_count = 0;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
  };
  struct Call {
    WallPart part = kOtherCalls;
    std::uint32_t thread = 0;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
  };
  std::vector<Instance> instances{};
  std::vector<std::uint32_t> owners{};  // indices of instances
  std::vector<Work> work{};
  std::vector<Call> calls{};
  std::vector<WallInterval> migrations{};
  // Readings of CPU times; a thread runs when `runs` holds.
  std::map<std::uint64_t, std::vector<CpuReading>> cpu{};
  std::map<std::uint64_t, std::vector<bool>> runs{};
  std::uint32_t threads = 0;
  bool calls_known = false;
};

std::vector<WallTime> WallTimesOf(WallTimeline timeline) {
  std::ranges::stable_sort(timeline.work, {}, &WallTimeline::Work::start_ns);
  std::vector<OwnGpuWork> own;
  for (const auto& one : timeline.instances)
    own.emplace_back(one.open_ns, one.close_ns);
  std::vector<WallInterval> all;
  for (const auto& work : timeline.work) {
    all.push_back({work.start_ns, work.end_ns});
    for (std::uint32_t i = 0; i < work.owner_count; ++i)
      own[timeline.owners[work.first_owner + i]].Add(work.part, work.start_ns,
                                                     work.end_ns);
  }
  std::map<std::uint64_t, std::vector<WallCall>> calls;
  for (const auto& call : timeline.calls)
    calls[call.thread].push_back({call.part, call.start_ns, call.end_ns});
  const ProcessWallTimes process(
      all, timeline.migrations,
      timeline.calls_known ? std::optional(std::move(calls)) : std::nullopt,
      timeline.cpu);
  std::vector<WallTime> times;
  for (std::size_t i = 0; i < own.size(); ++i) {
    times.push_back(process.Between(timeline.instances[i].thread,
                                    own[i].open_ns(), own[i].close_ns()));
    own[i].MoveTo(times.back());
  }
  return times;
}

// "kernels 9 launching 1".
std::string Draw(const WallTime& time) {
  std::string text;
  for (std::size_t part = 0; part < kWallTimes; ++part)
    if (time.ns[part] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : " ",
                          NameOf(static_cast<WallPart>(part)), time.ns[part]);
  return text;
}

std::vector<std::string> Draw(const WallTimeline& timeline) {
  std::vector<std::string> lines;
  for (const WallTime& time : WallTimesOf(timeline))
    lines.push_back(Draw(time));
  return lines;
}

// The definition, moment by moment: the part of instance `index` at [ns, ns+1).
WallPart PartAt(const WallTimeline& timeline, std::uint32_t index,
                std::uint64_t ns) {
  const auto holds = [&](const auto& one) {
    return one.start_ns <= ns && ns < one.end_ns;
  };
  const auto is_own = [&](const WallTimeline::Work& work) {
    const auto owners =
        std::span(timeline.owners).subspan(work.first_owner, work.owner_count);
    return std::ranges::find(owners, index) != owners.end();
  };
  for (const WallPart part : {kKernels, kRankWait, kCopies})
    for (const auto& work : timeline.work)
      if (work.part == part && holds(work) && is_own(work)) return part;
  if (std::ranges::any_of(timeline.work, holds)) return kOtherGpuWork;
  if (std::ranges::any_of(timeline.migrations, holds)) return kPageMigration;
  if (!timeline.calls_known) return kUnknown;
  for (const WallPart part : {kProfiler, kLoading, kAllocating, kSynchronising,
                              kLaunching, kOtherCalls})
    for (const auto& call : timeline.calls)
      if (call.part == part && holds(call) &&
          call.thread == timeline.instances[index].thread)
        return part;
  return kHost;
}

// Threads with nested instances, and work, calls and migrations at random
// times.
class RandomTimeline {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit RandomTimeline(std::uint32_t seed) : random_(seed) {}

  WallTimeline Make() {
    WallTimeline made;
    made.threads = Pick(3) + 1;
    made.calls_known = Pick(4) > 0;
    for (std::uint32_t thread = 0; thread < made.threads; ++thread)
      AddInstances(made, thread, kNone, Pick(30), 120 + Pick(80), 0);
    const auto instances = static_cast<std::uint32_t>(made.instances.size());
    for (std::uint32_t i = Pick(25); i > 0; --i) {
      const std::uint32_t start = Pick(220);
      const auto first = static_cast<std::uint32_t>(made.owners.size());
      // The launch's instance and those around it; now and then one of another
      // thread, as a start/end range is.
      if (instances > 0 && Pick(5) > 0) {
        std::uint32_t at = Pick(instances);
        if (Pick(8) == 0 && Pick(instances) < at) made.owners.push_back(0);
        for (; at != kNone; at = parents_[at]) made.owners.push_back(at);
      }
      made.work.push_back(
          {std::array{kKernels, kKernels, kRankWait, kCopies}[Pick(4)], first,
           static_cast<std::uint32_t>(made.owners.size()) - first, start,
           start + Pick(40)});
    }
    for (std::uint32_t i = Pick(25); i > 0; --i) {
      const std::uint32_t start = Pick(220);
      made.calls.push_back({std::array{kLoading, kAllocating, kSynchronising,
                                       kLaunching, kOtherCalls}[Pick(5)],
                            Pick(made.threads), start, start + Pick(20)});
    }
    for (std::uint32_t i = Pick(4); i > 0; --i) {
      const std::uint32_t start = Pick(220);
      made.migrations.push_back({start, start + Pick(30)});
    }
    return made;
  }

  // Adds readings of the CPU times of threads that run and wait at random, at
  // all openings and closings and some times between.
  void AddCpuTimes(WallTimeline& made) {
    constexpr std::uint32_t kEnd = 300;
    for (std::uint32_t thread = 0; thread < made.threads; ++thread) {
      std::vector<bool> read(kEnd);
      for (const auto& one : made.instances) {
        if (one.thread == thread) read[one.open_ns] = read[one.close_ns] = true;
      }
      std::vector<bool>& runs = made.runs[thread];
      std::uint64_t cpu_ns = 0;
      for (std::uint32_t ns = 0; ns < kEnd; ++ns) {
        if (read[ns] || Pick(30) == 0) made.cpu[thread].push_back({ns, cpu_ns});
        runs.push_back(ns == 0 || Pick(12) == 0 ? Pick(2) == 0 : runs.back());
        cpu_ns += runs.back() ? 1 : 0;
      }
    }
  }

  const std::vector<std::uint32_t>& parents() const { return parents_; }

 private:
  std::uint32_t Pick(std::uint32_t below) {
    return below == 0 ? 0 : static_cast<std::uint32_t>(random_() % below);
  }

  void AddInstances(WallTimeline& made, std::uint32_t thread,
                    std::uint32_t parent, std::uint32_t from, std::uint32_t to,
                    int depth) {
    while (from < to && Pick(6) > 0) {
      const std::uint32_t open = from + Pick(to - from);
      const std::uint32_t close = open + Pick(to - open + 1);
      const auto index = static_cast<std::uint32_t>(made.instances.size());
      made.instances.push_back({thread, open, close});
      parents_.push_back(parent);
      if (depth < 4) AddInstances(made, thread, index, open, close, depth + 1);
      from = close + 1;
    }
  }

  std::mt19937 random_;
  std::vector<std::uint32_t> parents_{};  // by instance
};

// forward launches 3 ms of kernels in 1 ms and closes; log waits for them.
TEST(WallTimeTest, DeferredWorkIsOtherGpuWorkOfTheRegionThatWaits) {
  const WallTimeline timeline{
      .instances = {{0, 0, 3200}, {0, 0, 1000}, {0, 1000, 3200}},
      .owners = {0, 1},
      .work = {{kKernels, 0, 2, 100, 3100}},
      .calls = {{kLaunching, 0, 0, 1000}, {kSynchronising, 0, 1000, 3200}},
      .threads = 1,
      .calls_known = true};
  EXPECT_EQ(Draw(timeline), (std::vector<std::string>{
                                "kernels 3000 synchronising 100 launching 100",
                                "kernels 900 launching 100",
                                "other_gpu_work 2100 synchronising 100"}));
}

TEST(WallTimeTest, ACopyBesideAKernelIsTheKernels) {
  const WallTimeline timeline{.instances = {{0, 0, 100}},
                              .owners = {0},
                              .work = {{kKernels, 0, 1, 10, 40},
                                       {kCopies, 0, 1, 30, 60},
                                       {kRankWait, 0, 1, 55, 70}},
                              .threads = 1,
                              .calls_known = true};
  EXPECT_EQ(Draw(timeline), std::vector<std::string>{
                                "kernels 30 rank_wait 15 copies 15 host 40"});
}

TEST(WallTimeTest, WorkOfAnotherThreadIsOtherGpuWork) {
  const WallTimeline timeline{.instances = {{0, 0, 50}, {1, 20, 90}},
                              .owners = {1},
                              .work = {{kKernels, 0, 1, 30, 60}},
                              .threads = 2,
                              .calls_known = true};
  EXPECT_EQ(Draw(timeline),
            (std::vector<std::string>{"other_gpu_work 20 host 30",
                                      "kernels 30 host 40"}));
}

// A start/end range of thread 0 contains the launch of thread 1, and overlaps
// the range of thread 0 without containing it.
TEST(WallTimeTest, WorkBelongsToEveryInstanceThatWasOpenAtItsLaunch) {
  const WallTimeline timeline{
      .instances = {{0, 0, 50}, {0, 20, 90}, {1, 10, 80}},
      .owners = {1, 2},
      .work = {{kKernels, 0, 2, 30, 60}},
      .threads = 2,
      .calls_known = true};
  EXPECT_EQ(Draw(timeline), (std::vector<std::string>{
                                "other_gpu_work 20 host 30",
                                "kernels 30 host 40", "kernels 30 host 40"}));
}

TEST(WallTimeTest, WithoutCallsTheCpuIsOnePart) {
  const WallTimeline timeline{.instances = {{0, 0, 50}},
                              .owners = {0},
                              .work = {{kCopies, 0, 1, 30, 60}},
                              .threads = 1};
  EXPECT_EQ(Draw(timeline), std::vector<std::string>{"copies 20 unknown 30"});
}

TEST(WallTimeTest, EmptyAndReversedIntervalsCountNothing) {
  const WallTimeline timeline{
      .instances = {{0, 50, 50}, {0, 60, 40}, {0, 70, 80}},
      .owners = {2},
      .work = {{kKernels, 0, 1, 78, 72}},
      .calls = {{kLaunching, 0, 75, 75}},
      .threads = 1,
      .calls_known = true};
  EXPECT_EQ(Draw(timeline), (std::vector<std::string>{"", "", "host 10"}));
}

TEST(WallTimeTest, EveryMomentHasThePartOfTheDefinition) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const WallTimeline timeline = RandomTimeline(seed).Make();
    const std::vector<WallTime> times = WallTimesOf(timeline);
    ASSERT_EQ(times.size(), timeline.instances.size());
    for (std::uint32_t i = 0; i < times.size(); ++i) {
      const auto& instance = timeline.instances[i];
      WallTime expected;
      for (std::uint64_t ns = instance.open_ns; ns < instance.close_ns; ++ns)
        ++expected[PartAt(timeline, i, ns)];
      ASSERT_EQ(Draw(times[i]), Draw(expected)) << "seed " << seed << " " << i;
      ASSERT_EQ(times[i].total(), instance.close_ns - instance.open_ns);
    }
  }
}

TEST(WallTimeTest, AThreadOutsideOfCudaRunsOrWaits) {
  WallTimeline timeline{
      .instances = {{0, 0, 1000}, {0, 0, 400}, {0, 400, 1000}},
      .calls = {{kSynchronising, 0, 0, 100}},
      .cpu = {{0, {{0, 50}, {400, 100}, {1000, 650}}}},
      .threads = 1,
      .calls_known = true};
  // It may run in the call, for 50 of the 100 ns.
  EXPECT_EQ(Draw(timeline),
            (std::vector<std::string>{
                "synchronising 100 host 900 host_waiting 300 host_running 550",
                "synchronising 100 host 300 host_waiting 250",
                "host 600 host_waiting 50 host_running 550"}));
  // The thread's id was another thread's before.
  timeline.cpu[0][0].cpu_ns = 1000;
  EXPECT_EQ(Draw(timeline)[1], "synchronising 100 host 300");
  // A part of a time between two readings: it ran at its beginning.
  timeline.instances = {{0, 400, 500}, {0, 500, 1000}};
  EXPECT_EQ(Draw(timeline), (std::vector<std::string>{
                                "host 100 host_running 100",
                                "host 500 host_waiting 50 host_running 450"}));
}

// A thread that always runs, by a clock that the system moves every 4 ms.
TEST(WallTimeTest, ACoarseClockSaysNothingOfAThread) {
  constexpr std::uint64_t kMs = 1'000'000;
  WallTimeline timeline{
      .instances = {{0, 0, 20 * kMs}}, .threads = 1, .calls_known = true};
  for (std::uint64_t ms = 0; ms <= 20; ++ms)
    timeline.cpu[0].push_back({ms * kMs, ms / 4 * 4 * kMs});
  EXPECT_EQ(Draw(timeline), std::vector<std::string>{"host 20000000"});
  for (auto& [at_ns, cpu_ns] : timeline.cpu[0]) cpu_ns = at_ns;
  EXPECT_EQ(Draw(timeline),
            std::vector<std::string>{"host 20000000 host_running 20000000"});
}

TEST(WallTimeTest, AThreadRunsAndWaitsAtLeastAsLongAsItSays) {
  std::uint64_t known = 0, host = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    RandomTimeline random(seed);
    WallTimeline timeline = random.Make();
    random.AddCpuTimes(timeline);
    const std::vector<WallTime> times = WallTimesOf(timeline);
    for (std::uint32_t i = 0; i < times.size(); ++i) {
      const auto& instance = timeline.instances[i];
      std::uint64_t waits = 0, runs = 0;
      for (std::uint64_t ns = instance.open_ns; ns < instance.close_ns; ++ns) {
        if (PartAt(timeline, i, ns) == kHost)
          ++(timeline.runs[instance.thread][ns] ? runs : waits);
      }
      EXPECT_LE(times[i][kHostWaiting], waits) << "seed " << seed;
      EXPECT_LE(times[i][kHostRunning], runs) << "seed " << seed;
      known += times[i][kHostWaiting] + times[i][kHostRunning];
      host += waits + runs;
    }
  }
  EXPECT_GT(known, host / 2);
}

// Exclusive time is the time without the inner instances: no part from
// kPageMigration on is negative, nor is the sum of the parts before it.
TEST(WallTimeTest, InnerInstancesTakeNoMoreThanTheirParentHas) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    RandomTimeline random(seed);
    WallTimeline timeline = random.Make();
    random.AddCpuTimes(timeline);
    const std::vector<WallTime> times = WallTimesOf(timeline);
    std::vector<WallTime> inner(times.size());
    for (std::size_t i = 0; i < times.size(); ++i)
      if (random.parents()[i] != RandomTimeline::kNone)
        inner[random.parents()[i]] += times[i];
    for (std::size_t i = 0; i < times.size(); ++i) {
      std::uint64_t gpu = 0, gpu_inner = 0;
      for (std::size_t part = 0; part < kWallTimes; ++part) {
        if (static_cast<WallPart>(part) < kPageMigration) {
          gpu += times[i].ns[part];
          gpu_inner += inner[i].ns[part];
        } else {
          EXPECT_GE(times[i].ns[part], inner[i].ns[part]) << "seed " << seed;
        }
      }
      EXPECT_GE(gpu, gpu_inner) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace rangefinder
