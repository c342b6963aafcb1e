#include "ingest/nsys/nsys_process.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/timed_calls.h"

namespace rangefinder {
namespace {

constexpr std::int64_t kOpen = NsysRange::kNeverClosed;

class NsysProcessTest : public ::testing::Test {
 protected:
  // A push/pop range of thread 1; with an id a start/end range.
  void Range(std::string_view name, std::int64_t start, std::int64_t end,
             std::uint64_t domain = 0, std::uint64_t id = 0,
             std::uint32_t closed_by = 1) {
    process_.AddRange(1,
                      {.start = start,
                       .end = end,
                       .id = id,
                       .label = process_.LabelOf(domain, strings_.Intern(name)),
                       .closed_by = closed_by});
  }
  void Kernel(std::uint32_t correlation, std::int64_t start, std::int64_t end) {
    process_.AddWork({.kind = wire::Gpu::kKernel,
                      .correlation = correlation,
                      .shape = process_.ShapeOf({})},
                     start, end);
  }
  bool Call(std::string_view name, std::uint32_t correlation,
            std::int64_t start, std::int64_t end) {
    return process_.AddCall(1,
                            {.start = start,
                             .end = end,
                             .correlation = correlation,
                             .name = strings_.Intern(name)},
                            wire::TimedCallOf(name));
  }

  std::string Draw(std::uint64_t shift = 0) {
    std::vector<std::string_view> texts;
    for (std::size_t i = 0; i < strings_.size(); ++i)
      texts.push_back(strings_[static_cast<StringId>(i)]);
    const Trace trace = process_.Finish(shift, texts);
    std::string picture;
    for (const TraceStream& stream : trace.threads) {
      picture += fmt::format("thread {}:", stream.thread);
      ForEachEvent(stream.blocks, [&](const TraceEvent& event) {
        picture += EventText(trace, event);
      });
      picture += '\n';
    }
    ForEachGpuRecord(trace.gpu, [&](const TraceGpuRecord& record) {
      picture += fmt::format("work {} {}-{} of {} operand {:#x} {} bytes\n",
                             static_cast<int>(record.kind), record.start_ns,
                             record.end_ns, record.correlation, record.operand,
                             record.bytes);
    });
    ForEachTimedCall(trace.gpu, [&](const TraceTimedCall& call) {
      picture += fmt::format(
          "{} of kind {} in thread {} {}-{}\n", trace.names.Text(call.name),
          static_cast<int>(call.kind), call.thread, call.start_ns, call.end_ns);
    });
    ForEachMigration(trace.gpu, [&](std::uint64_t start, std::uint64_t end) {
      picture += fmt::format("migration {}-{}\n", start, end);
    });
    return picture;
  }

  static std::string EventText(const Trace& trace, const TraceEvent& event) {
    const auto label = [&] {
      const TraceLabel l = trace.names.Label(event.operand);
      const std::string domain(trace.names.DomainName(l.domain));
      return domain + (domain.empty() ? "" : "@") +
             std::string(trace.names.Text(l.string));
    };
    const std::string at = fmt::format("{}", event.ticks);
    switch (event.kind) {
      case wire::Event::kPush:
        return fmt::format(" {}:[{}", at, label());
      case wire::Event::kPop:
        return fmt::format(" {}:{}]", at,
                           trace.names.DomainName(event.operand));
      case wire::Event::kStart:
        return fmt::format(" {}:start {} {}", at, event.extra, label());
      case wire::Event::kEnd:
        return fmt::format(" {}:end {}", at, event.extra);
      case wire::Event::kLaunch:
        return fmt::format(" {}:launch{} {}", at, event.operand, event.extra);
      case wire::Event::kLaunched:
        return fmt::format(" {}:launched", at);
      case wire::Event::kClock:
        return fmt::format(" {}:clock", at);
      default:
        return " ?";
    }
  }

  NsysProcess process_;
  StringPool strings_;
};

TEST_F(NsysProcessTest, RangesOfOneMomentNest) {
  process_.NameDomain(7, strings_.Intern("high"));
  process_.NameDomain(3, strings_.Intern("low"));
  Range("inner", 10, 20);
  Range("outer", 10, 40);
  Range("empty", 10, 10);
  Range("high", 10, 40, 7);
  Range("low", 10, 15, 3);
  Range("late", 20, 30);
  Range("backward", 25, 24);
  Kernel(1, 100, 110);
  Kernel(2, 110, 120);
  EXPECT_TRUE(Call("cudaLaunchKernel", 1, 10, 12));
  EXPECT_TRUE(Call("cudaLaunchKernel", 2, 20, 20));
  EXPECT_EQ(Draw(),
            "thread 1: 10:[outer 10:[inner 10:[empty 10:] 10:[low@low "
            "10:[high@high 10:launch1 1 12:launched 15:low] 20:] 20:[late "
            "20:launch1 2 20:launched 25:[backward 25:] 30:] 40:high] 40:]\n"
            "work 1 100-110 of 1 operand 0x0 0 bytes\n"
            "work 1 110-120 of 2 operand 0x0 0 bytes\n");
}

TEST_F(NsysProcessTest, LongPausesAreBridgedByAClockEvent) {
  Range("A", 5, 10'000'000'000);
  EXPECT_EQ(Draw(), "thread 1: 5:[A 10000000000:clock 10000000000:]\n");
}

TEST_F(NsysProcessTest, GpuWorkThatBeginsFirstBeginsAtOne) {
  Range("A", -20, -10);
  Kernel(1, -30, -25);
  EXPECT_EQ(process_.first(), -31);
  EXPECT_EQ(Draw(31),
            "thread 1: 11:[A 21:]\n"
            "work 1 1-6 of 1 operand 0x0 0 bytes\n");
}

// No program can open ranges that cross, but a file can have them.
TEST_F(NsysProcessTest, RangesThatCrossAreClosedAndOpenedAgain) {
  Range("first", 10, 30);
  Range("second", 20, 40);
  Range("never", 25, kOpen);
  EXPECT_EQ(Draw(),
            "thread 1: 10:[first 20:[second 25:[never 30:] 30:] 30:] "
            "30:[second 30:[never 40:] 40:] 40:[never\n");
  EXPECT_EQ(process_.crossing(), 2U);
}

TEST_F(NsysProcessTest, CrossingCostsTimeLinearInTheRanges) {
  constexpr std::int64_t kMany = 20000;
  for (std::int64_t i = 0; i < kMany; ++i) Range("A", i, kMany + i);
  EXPECT_LT(Draw().size(), kMany * 300U * 16U);
}

TEST_F(NsysProcessTest, AnotherThreadMayEndAStartEndRange) {
  Range("S", 10, 30, 0, 5, 2);
  Range("A", 20, 40);
  EXPECT_EQ(Draw(),
            "thread 1: 10:start 5 S 20:[A 40:]\n"
            "thread 2: 30:end 5\n");
}

TEST_F(NsysProcessTest, CallsThatLaunchNothingHaveAKind) {
  process_.AddWork({.kind = wire::Gpu::kCopy,
                    .operand = 0x321,
                    .correlation = 1,
                    .bytes = 4096},
                   100, 200);
  process_.AddWork({.kind = wire::Gpu::kSet, .correlation = 2, .bytes = 8}, 200,
                   210);
  process_.AddMigration(300, 310);
  EXPECT_TRUE(Call("cudaMemcpy_v3020", 1, 10, 15));
  EXPECT_TRUE(Call("cudaMemsetAsync_v3020", 2, 20, 21));
  EXPECT_FALSE(Call("cudaDeviceSynchronize_v3020", 3, 30, 35));
  EXPECT_FALSE(Call("cudaLaunchKernel_v7000", 4, 40, 41));
  EXPECT_FALSE(Call("cudaEventQuery_v3020", 5, 50, 51));
  process_.AddTimed(wire::TimedCall::kLoad, 9, {.start = 40, .end = 41});
  EXPECT_EQ(Draw(),
            "thread 1: 10:launch3 1 15:launched 20:launch4 2 21:launched\n"
            "work 2 100-200 of 1 operand 0x321 4096 bytes\n"
            "work 3 200-210 of 2 operand 0x0 8 bytes\n"
            "cudaMemcpy_v3020 of kind 3 in thread 1 10-15\n"
            "cudaDeviceSynchronize_v3020 of kind 3 in thread 1 30-35\n"
            "cudaLaunchKernel_v7000 of kind 4 in thread 1 40-41\n"
            "cudaEventQuery_v3020 of kind 5 in thread 1 50-51\n"
            " of kind 1 in thread 9 40-41\n"
            "migration 300-310\n");
}

}  // namespace
}  // namespace rangefinder
