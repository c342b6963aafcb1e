#include "profile/time_spans.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

// "0-5 10-30/12x3": from, to, and where several were joined their time and
// number.
std::string Drawn(SpanKeeper& keeper, std::size_t list = 0) {
  std::string drawn;
  for (const TimeSpan& span : keeper.Take(list)) {
    drawn += fmt::format("{}{}-{}", drawn.empty() ? "" : " ", span.start_ns,
                         span.end_ns);
    if (span.count > 1)
      drawn += fmt::format("/{}x{}", span.busy_ns, span.count);
  }
  return drawn;
}

void Add(SpanKeeper& keeper, std::uint64_t start, std::uint64_t end,
         std::size_t list = 0) {
  keeper.Add(list, {.start_ns = start, .end_ns = end, .busy_ns = end - start});
}

TEST(SpanKeeper, KeepsAllWhileThereIsRoom) {
  SpanKeeper keeper(4);
  for (std::uint64_t at : {0, 10, 20, 30}) Add(keeper, at, at + 5);
  EXPECT_EQ(Drawn(keeper), "0-5 10-15 20-25 30-35");
}

TEST(SpanKeeper, JoinsWhatIsShortAndNearAndKeepsWhatIsLong) {
  SpanKeeper keeper(10);
  for (std::uint64_t at = 0; at < 100; at += 10) Add(keeper, at, at + 5);
  Add(keeper, 2000, 90000);
  Add(keeper, 90000, 90005);
  Add(keeper, 3000, 3005, 1);
  Add(keeper, 3010, 3020, 1);
  Add(keeper, 5000, 5010, 1);
  EXPECT_EQ(Drawn(keeper), "0-95/50x10 2000-90000 90000-90005");
  EXPECT_EQ(Drawn(keeper, 1), "3000-3020/15x2 5000-5010");
}

TEST(SpanKeeper, OfManyFewStayAndNothingIsLost) {
  SpanKeeper keeper(1000);
  for (std::uint64_t i = 0; i < 300'000; ++i)
    Add(keeper, i * 100, i * 100 + 40, i % 3);
  std::uint64_t count = 0, busy = 0, spans = 0;
  for (std::size_t list = 0; list < keeper.lists(); ++list) {
    for (const TimeSpan& span : keeper.Take(list)) {
      count += span.count;
      busy += span.busy_ns;
      ++spans;
    }
  }
  EXPECT_EQ(count, 300'000);
  EXPECT_EQ(busy, 300'000 * 40);
  EXPECT_LE(spans, 1000);
  EXPECT_GE(spans, 100);
}

TEST(SpanKeeper, EveryListKeepsOneHoweverManyThereAre) {
  SpanKeeper keeper(10);
  for (std::size_t list = 0; list < 100; ++list) {
    Add(keeper, list, list + 1, list);
    Add(keeper, list + 5, list + 6, list);
  }
  EXPECT_EQ(Drawn(keeper, 3), "3-9/2x2");
  EXPECT_EQ(Drawn(keeper, 99), "99-105/2x2");
}

}  // namespace
}  // namespace rangefinder
