#include "capture/doctor.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/fake_runner.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNcuHelp =
    "  --nvtx-include arg\n  --replay-mode arg\n  --log-file arg\n"
    "  --config-file arg\n  --target-processes arg\n  --metrics arg\n"
    "  --section arg\n  -o [ --export ] arg\n";

// A machine made of files, of programs that answer, and of an environment; at
// first one where everything is well.
class DoctorTest : public ::testing::Test {
 protected:
  DoctorTest() {
    Write("proc/driver/nvidia/version",
          "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04"
          "  Release Build  (x)\n");
    Write("proc/driver/nvidia/params",
          "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 0\n");
    Write("proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
    Write("proc/17/comm", "bash\n");
    std::filesystem::create_directories(root_ / "tmp");
    where_.root = root_.path();
    where_.cwd = root_.path();
    where_.getenv = [this](const char* name) -> const char* {
      const auto at = environment_.find(name);
      return at == environment_.end() ? nullptr : at->second.c_str();
    };
    where_.can_load = [this](const std::string& library) {
      return libraries_.contains(library);
    };
  }

  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  Result<Finished> Answer(const Command& command) {
    Finished finished;
    if (command.argv[0] == "nvidia-smi") {
      finished.out = gpus_;
    } else if (command.argv[1] == "--version") {
      finished.out = version_;
    } else {
      finished.out = help_;
    }
    return finished;
  }

  std::vector<Check> Checks() { return Examine(runner_, where_); }

  Check Get(const std::string& name) {
    for (const Check& check : Checks()) {
      if (check.name == name) return check;
    }
    ADD_FAILURE() << "no check " << name;
    return {};
  }

  TempDir root_;
  DoctorSurroundings where_;
  std::map<std::string, std::string> environment_;
  std::set<std::string> libraries_ = {"libcuda.so.1"};
  std::string gpus_ = "0, NVIDIA H200, GPU-8b9e, 143771 MiB, 9.0, Disabled\n";
  std::string version_ = "Copyright\nVersion 2025.3.1.0 (build 36398880)\n";
  std::string help_ = kNcuHelp;
  FakeRunner runner_{
      [this](const Command& command, const Watch&) { return Answer(command); }};
};

TEST_F(DoctorTest, AMachineThatCanProfile) {
  const std::vector<Check> checks = Checks();
  for (const Check& check : checks) EXPECT_TRUE(check.ok) << check.name;
  EXPECT_TRUE(CanProfile(checks));
  EXPECT_EQ(Get("GPU").found, "NVIDIA H200");
  EXPECT_EQ(Get("driver").found, "580.159.04");
  EXPECT_EQ(Get("ncu").found, "/usr/bin/ncu");
  EXPECT_EQ(Get("ncu version").found, "2025.3.1.0");
}

TEST_F(DoctorTest, MissingPartsHaveAFix) {
  gpus_.clear();
  std::filesystem::remove_all(root_ / "proc/driver");
  runner_.missing = {"ncu", "nsys"};
  libraries_.clear();

  const std::vector<Check> checks = Checks();
  EXPECT_FALSE(CanProfile(checks));
  for (const Check& check : checks) {
    EXPECT_FALSE(check.found.empty()) << check.name;
    if (!check.ok) {
      EXPECT_FALSE(check.fix.empty()) << check.name;
    }
  }
  EXPECT_FALSE(Get("GPU").ok);
  EXPECT_FALSE(Get("ncu").ok);
  EXPECT_THAT(Get("ncu").fix, HasSubstr("pipeline.ncu.path"));
  EXPECT_FALSE(Get("permission").ok);
}

TEST_F(DoctorTest, WithoutNvidiaSmiTheDriverNamesTheGpus) {
  gpus_.clear();
  Write("proc/driver/nvidia/gpus/0000:01:00.0/information",
        "Model: \t\t NVIDIA A100\nGPU UUID: \t GPU-1\nDevice Minor: \t 0\n");
  Write("proc/driver/nvidia/gpus/0000:02:00.0/information",
        "Model: \t\t NVIDIA A100\nGPU UUID: \t GPU-2\nDevice Minor: \t 1\n");
  EXPECT_EQ(Get("GPU").found, "2 x NVIDIA A100");
}

TEST_F(DoctorTest, NcuIsFoundWhereNvidiaInstallsIt) {
  runner_.missing = {"ncu"};
  Write("opt/nvidia/nsight-compute/2025.9.0/ncu", "");
  Write("opt/nvidia/nsight-compute/2025.10.1/ncu", "");
  EXPECT_EQ(Get("ncu").found,
            (root_ / "opt/nvidia/nsight-compute/2025.10.1/ncu").string());
  Write("usr/local/cuda-13.0/bin/ncu", "");
  EXPECT_EQ(Get("ncu").found, (root_ / "usr/local/cuda-13.0/bin/ncu").string());
}

TEST_F(DoctorTest, PermissionIsOfTheDriverOrOfTheProcess) {
  Write("proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n");
  EXPECT_FALSE(Get("permission").ok);
  EXPECT_THAT(Get("permission").fix,
              HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  where_.is_root = true;
  EXPECT_THAT(Get("permission").fix, HasSubstr("--cap-add=SYS_ADMIN"));

  Write("proc/self/status", "CapEff:\t000001fffeffffff\n");
  EXPECT_TRUE(Get("permission").ok);
}

TEST_F(DoctorTest, OtherProfilersAreNamed) {
  Write("proc/31/comm", "nv-hostengine\n");
  EXPECT_THAT(Get("other profilers").found, HasSubstr("nv-hostengine (31)"));
  EXPECT_THAT(Get("other profilers").fix, HasSubstr("dcgmi profile --pause"));
  // They need not be in the way.
  EXPECT_TRUE(CanProfile(Checks()));

  environment_["NVTX_INJECTION64_PATH"] = "/x.so";
  EXPECT_FALSE(Get("environment").ok);
  EXPECT_THAT(Get("environment").fix, HasSubstr("unset NVTX_INJECTION64_PATH"));
}

TEST_F(DoctorTest, AnOldNcuLacksOptions) {
  help_ = "  --metrics arg\n";
  EXPECT_FALSE(Get("ncu options").ok);
  EXPECT_THAT(Get("ncu options").found, HasSubstr("--nvtx-include"));
  EXPECT_FALSE(CanProfile(Checks()));
}

TEST_F(DoctorTest, AnNcuThatDoesNotRunIsReported) {
  version_ = "ncu: error while loading shared libraries\n";
  EXPECT_FALSE(Get("ncu version").ok);
  EXPECT_FALSE(CanProfile(Checks()));
}

TEST_F(DoctorTest, AStrayConfigIsFoundAndHarmless) {
  Write("config.ncu-cfg", "[Launch and attach]\n");
  EXPECT_TRUE(Get("config.ncu-cfg").ok);
  EXPECT_THAT(Get("config.ncu-cfg").found, HasSubstr("ignore"));
}

TEST_F(DoctorTest, MigHasAnExplanation) {
  gpus_ = "0, NVIDIA H200, GPU-8b9e, 143771 MiB, 9.0, Enabled\n";
  EXPECT_FALSE(Get("MIG").ok);
  EXPECT_THAT(Get("MIG").fix, HasSubstr("clock_control=none"));
  EXPECT_TRUE(CanProfile(Checks()));
}

TEST_F(DoctorTest, AnotherUsersLockIsReported) {
  if (::geteuid() == 0) GTEST_SKIP() << "NOT TESTED: root may write every file";
  Write("tmp/nsight-compute-lock", "");
  ::chmod((root_ / "tmp/nsight-compute-lock").c_str(), 0400);
  EXPECT_FALSE(Get("lock files").ok);
}

}  // namespace
}  // namespace rangefinder
