// Exports of real programs, if they are available: the profile equals the
// results of SQL queries.

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingest/nsys/nsys_reader.h"
#include "tests/support/test_database.h"

namespace rangefinder {
namespace {

std::filesystem::path Shared(const std::string& name) {
  const char* shared = std::getenv("RANGEFINDER_SHARED");
  const std::filesystem::path root =
      shared != nullptr
          ? std::filesystem::path(shared)
          : std::filesystem::path(RANGEFINDER_SOURCE_DIR) / ".." / "shared";
  return root / "nsys" / name;
}

bool IsWholeProcess(const Profile& profile, const RegionUse& use) {
  const NvtxState& state = profile.nvtx_states[Index(use.nvtx)];
  return state.stacks.empty() && state.start_end.empty();
}

class RealExport : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto path = Shared(GetParam());
    if (!std::filesystem::exists(path))
      GTEST_SKIP() << "SKIPPED: no " << path << " here";
    Notes notes;
    auto read = ReadNsys(path, notes);
    ASSERT_TRUE(read.ok()) << read.error().message();
    profile_ = std::move(read).value();
    database_.emplace("file:" + path.string() + "?mode=ro&immutable=1");
  }

  Profile profile_{};
  std::optional<Database> database_{};
};

TEST_P(RealExport, TotalsEqualSql) {
  const Profile& profile = profile_;
  Database& database = *database_;
  const std::string kernels = "CUPTI_ACTIVITY_KIND_KERNEL AS k ";
  ASSERT_EQ(static_cast<std::int64_t>(profile.measurements.size()),
            database.Ask("SELECT count(*) FROM " + kernels));
  double total = 0;
  std::map<std::pair<std::uint64_t, std::int32_t>, std::int64_t> by_scope;
  std::int64_t in_ranges = 0;
  std::int64_t depth = 0;
  for (const Measurement& m : profile.measurements) {
    total += DurationNs(profile, m).value_or(0);
    ++by_scope[{profile.processes[Index(m.process)].pid, m.device}];
    const NvtxState& state = profile.nvtx_states[Index(m.nvtx)];
    std::int64_t open = 0;
    for (const NvtxStack& stack : state.stacks)
      open += static_cast<std::int64_t>(stack.ranges.size());
    depth += open;
    in_ranges += open > 0 ? 1 : 0;
  }
  EXPECT_EQ(static_cast<std::int64_t>(total),
            database.Ask("SELECT sum(end - start) FROM " + kernels));
  for (const auto& [scope, count] : by_scope) {
    EXPECT_EQ(count, database.Ask(fmt::format(
                         "SELECT count(*) FROM {} WHERE deviceId = {} AND "
                         "((globalPid >> 24) & 16777215) = {}",
                         kernels, scope.second, scope.first)));
  }
  EXPECT_EQ(static_cast<std::int64_t>(profile.devices.size()),
            database.Ask("SELECT count(DISTINCT deviceId) FROM " + kernels));

  // The same contexts, by a join of the three tables.
  database.Run(
      "CREATE TEMP TABLE pushed AS SELECT globalTid, start, end FROM "
      "NVTX_EVENTS WHERE eventType = 59;"
      "CREATE INDEX temp.by_thread ON pushed (globalTid, start, end);");
  const std::string join =
      kernels +
      "CROSS JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r ON r.correlationId = "
      "k.correlationId AND (r.globalTid >> 24) = (k.globalPid >> 24) "
      "CROSS JOIN pushed AS n ON n.globalTid = r.globalTid "
      "AND n.start <= r.start AND (n.end IS NULL OR n.end > r.start)";
  EXPECT_EQ(depth, database.Ask("SELECT count(*) FROM " + join));
  EXPECT_EQ(in_ranges,
            database.Ask("SELECT count(DISTINCT k.rowid) FROM " + join));
  EXPECT_GT(in_ranges, 0);
}

// Sums of each process on each device, and the union of the times.
TEST_P(RealExport, WorkOfProcessesEqualsSql) {
  const Profile& profile = profile_;
  Database& database = *database_;
  database.Run(
      "CREATE TEMP TABLE work AS SELECT globalPid, deviceId, start, end, 1 AS "
      "kernels, 0 AS copies, 0 AS bytes FROM CUPTI_ACTIVITY_KIND_KERNEL UNION "
      "ALL SELECT globalPid, deviceId, start, end, 0, 1, bytes FROM "
      "CUPTI_ACTIVITY_KIND_MEMCPY");
  if (database.Ask("SELECT count(*) FROM sqlite_master WHERE name = "
                   "'CUPTI_ACTIVITY_KIND_MEMSET'") > 0) {
    database.Run(
        "INSERT INTO work SELECT globalPid, deviceId, start, end, 0, 0, 0 FROM "
        "CUPTI_ACTIVITY_KIND_MEMSET");
  }
  std::size_t uses = 0;
  for (const RegionUse& use : profile.uses) {
    if (!IsWholeProcess(profile, use)) continue;
    for (const GpuUse& gpu : use.gpu) {
      ++uses;
      const std::string here = fmt::format(
          " FROM work WHERE deviceId = {} AND ((globalPid >> 24) & "
          "16777215) = {}",
          gpu.device, profile.processes[Index(use.process)].pid);
      const auto ask = [&](const std::string& sum) {
        return static_cast<std::uint64_t>(
            database.Ask("SELECT sum(" + sum + ")" + here));
      };
      EXPECT_EQ(gpu.kernels, ask("kernels"));
      EXPECT_EQ(gpu.kernel_ns, ask("kernels * (end - start)"));
      EXPECT_EQ(gpu.copies, ask("copies"));
      EXPECT_EQ(gpu.copy_ns, ask("copies * (end - start)"));
      EXPECT_EQ(gpu.copy_bytes, ask("bytes"));
      EXPECT_EQ(
          static_cast<std::int64_t>(gpu.busy_ns),
          database.Ask("SELECT sum(max(0, end - max(start, before))) FROM "
                       "(SELECT start, end, coalesce(max(end) OVER (ORDER "
                       "BY start, end ROWS BETWEEN UNBOUNDED PRECEDING AND "
                       "1 PRECEDING), 0) AS before" +
                       here + ")"));
    }
  }
  EXPECT_EQ(static_cast<std::int64_t>(uses),
            database.Ask("SELECT count(*) FROM (SELECT DISTINCT globalPid, "
                         "deviceId FROM work)"));
}

// The values were computed from the tables alone.
TEST(H100Export, IsBusyWithCopiesFromTheHost) {
  const auto path = Shared("h100_2gpu_1s.sqlite");
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "SKIPPED: no " << path << " here";
  Notes notes;
  const auto read = ReadNsys(path, notes);
  ASSERT_TRUE(read.ok()) << read.error().message();
  std::vector<std::string> drawn;
  const auto ms = [](std::uint64_t ns) {
    return fmt::format("{:.2f} ms", static_cast<double>(ns) / 1e6);
  };
  for (const RegionUse& use : read.value().uses) {
    if (!IsWholeProcess(read.value(), use)) continue;
    for (const GpuUse& gpu : use.gpu) {
      drawn.push_back(fmt::format(
          "GPU {}: {} kernels {}, {} copies {}, busy {} of {}", gpu.device,
          gpu.kernels, ms(gpu.kernel_ns), gpu.copies, ms(gpu.copy_ns),
          ms(gpu.busy_ns), ms(gpu.last_ns - gpu.first_ns)));
    }
  }
  EXPECT_THAT(drawn, ::testing::ElementsAre(
                         "GPU 0: 1721 kernels 22.39 ms, 452 copies 940.49 ms, "
                         "busy 962.89 ms of 969.45 ms",
                         "GPU 1: 1721 kernels 22.44 ms, 452 copies 940.35 ms, "
                         "busy 962.81 ms of 969.26 ms"));
}

INSTANTIATE_TEST_SUITE_P(Nsys, RealExport,
                         ::testing::Values("h100_2gpu_1s.sqlite",
                                           "power_iteration__baseline.sqlite"),
                         [](const auto& each) {
                           return each.param.substr(0, each.param.find('_'));
                         });

}  // namespace
}  // namespace rangefinder
