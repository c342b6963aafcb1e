#include "analysis/kernel_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write_file.h"
#include "capture/tracer.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

constexpr std::string_view kLog =
    "V1 f.py:1] {\"artifact\": {\"name\": "
    "\"inductor_provenance_tracking_node_mappings\"}}\n"
    "\t{\"cppCodeToPost\": {\"triton_a_0:1\": [\"add\"]}}\n";

class KeptSources : public ::testing::Test {
 protected:
  KeptSources() {
    fs::create_directories(log_.parent_path());
    EXPECT_TRUE(WriteFile(log_, kLog).ok());
  }
  TempDir folder_;
  fs::path log_ = TorchTraceFolder(folder_.path()) / "dedicated.log";
};

TEST_F(KeptSources, ReplaceTheLogsAndAreReadBesideTheTraces) {
  ASSERT_TRUE(KeepKernelSources(folder_.path()).ok());
  EXPECT_FALSE(fs::exists(log_.parent_path()));
  // Another rank's.
  ASSERT_TRUE(
      WriteFile(folder_.path() / "kernel_sources.1.json",
                R"({"kernels": {"triton_b_0": {"operators": ["mul"]}}})")
          .ok());
  KernelSources sources;
  Notes notes;
  ReadKernelSources({folder_.path() / "1.rftrace"}, sources, notes);
  EXPECT_THAT(sources.Find("triton_a_0")->operators, ElementsAre("add"));
  EXPECT_THAT(sources.Find("triton_b_0")->operators, ElementsAre("mul"));
}

TEST_F(KeptSources, LeaveTheLogsWhereTheyCannotBeWritten) {
  const fs::path taken =
      folder_.path() /
      ("kernel_sources." + std::to_string(::getpid()) + ".json");
  fs::create_directories(taken / "in the way");
  EXPECT_FALSE(KeepKernelSources(folder_.path()).ok());
  EXPECT_TRUE(fs::exists(log_));
}

}  // namespace
}  // namespace rangefinder
