// The cost of a run directory is linear in the ranks that left a manifest in
// it.

#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/write_file.h"
#include "capture/record.h"
#include "tests/scaling/cost.h"
#include "tests/support/temp_dir.h"

namespace rangefinder::testing {
namespace {

TEST(ScalingOfManifests, RunDirectoriesCostAsThereAreRanks) {
  ExpectLinear(
      [](int count) {
        const TempDir run;
        std::string runs;
        for (int i = 0; i < 20; ++i) {
          runs += fmt::format(
              R"({}{{"name": "r{}", "mode": "kernel", "outcome": "ok"}})",
              i == 0 ? "" : ", ", i);
        }
        std::filesystem::create_directory(run / "ncu");
        for (int rank = 0; rank < count; ++rank) {
          const Status written =
              WriteFile(run / fmt::format("ncu/manifest.rank{}.json", rank),
                        fmt::format(R"({{"schema": "rangefinder.capture/1", )"
                                    R"("rank": {{"rank": {}}}, "runs": [{}]}})",
                                    rank, runs));
          EXPECT_TRUE(written.ok());
        }
        return CostOfWork([&] {
          const auto read = ReadCapture(run.path());
          ASSERT_TRUE(read.ok()) << read.error().message();
          EXPECT_EQ(read.value().runs.size(),
                    20 * static_cast<std::size_t>(count));
        });
      },
      300);
}

}  // namespace
}  // namespace rangefinder::testing
