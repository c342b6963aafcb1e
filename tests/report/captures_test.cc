// The recorded captures: every kernel in the region in which the program's
// source launches it (tests/fixtures/README.md), and the law of conservation.

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ingest/reader.h"
#include "profile/baseline_run.h"
#include "tests/support/analyze.h"
#include "tests/support/draw.h"
#include "tests/support/profile_builder.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

using testing::AnalyzeFile;
using testing::Documents;
using testing::Draw;
using testing::Fixture;
using ::testing::HasSubstr;
using testing::WriteAll;

std::string TreeOf(std::string_view name) {
  const auto analysis = AnalyzeFile(Fixture(name));
  return Draw(analysis->profile, analysis->tree);
}

// nested.cu, launch for launch.
constexpr std::string_view kNested =
    "(unattributed) 4/4\n"
    "A 6/3\n"
    "  A::A1 3/3\n"
    "B 2/2\n"
    "LLM@prefill 3/1\n"
    "  LLM@attn 2/2\n"
    "LLM@decode_0 2/2\n"
    "LLM@decode_1 2/2\n"
    "LLM@decode_2 2/2\n"
    "S1 2/1\n"
    "  S2 1/1\n"
    "S2 1/1\n"
    "T0 1/1\n"
    "T1 2/2\n"
    "weird/na me,[x]@y* 1/1\n";

TEST(Captures, NestedKernelsAreWhereTheSourceLaunchesThem) {
  const auto analysis = AnalyzeFile(Fixture("nested_basic.ncu-rep"));
  EXPECT_EQ(Draw(analysis->profile, analysis->tree), kNested);
  EXPECT_EQ(analysis->rollup.scopes.size(), 2U);
}

// The set `full` has the peaks and the operations; the derived metrics that
// they make are the shipped ones.
TEST(Captures, TheRooflineIsThereForRegionsAndKernels) {
  const auto analysis = AnalyzeFile(Fixture("nested_full_A.ncu-repz"));
  const Settings settings = ShippedSettings();
  const Documents documents =
      WriteAll(MakeReport(*analysis, ReportOptionsOf(settings)));
  EXPECT_THAT(
      documents.markdown,
      HasSubstr("| **region** | fp32 | 2.23 GFLOP | 16.15 FLOP/B | 20.62 "
                "TFLOP/s | 66.38 TFLOP/s | 31.06 % | compute |\n"));
  EXPECT_THAT(documents.markdown,
              HasSubstr("| stencil | fp32 | 62.91 MFLOP | 1.20 FLOP/B |"));
  const auto json = nlohmann::json::parse(documents.json);
  const auto& a = json["scopes"][0]["regions"][0];
  EXPECT_EQ(a["roofline"].size(), 2);
  EXPECT_EQ(a["roofline"][0]["precision"], "fp32");
  EXPECT_EQ(a["kernels"][0]["roofline"][0]["precision"], "fp32");
  EXPECT_GT(a["metrics"]["arithmetic_intensity"], 16);
}

TEST(Captures, TwoProcessesAreTwoScopesOfOneTree) {
  const auto analysis = AnalyzeFile(Fixture("multiproc.ncu-rep"));
  ASSERT_EQ(analysis->rollup.scopes.size(), 3U);
  EXPECT_TRUE(analysis->rollup.scopes[0].scope.aggregate);
  EXPECT_EQ(analysis->rollup.scopes[0].totals.kernel_count, 56U);
  EXPECT_EQ(analysis->rollup.scopes[1].totals.kernel_count, 28U);
  EXPECT_EQ(analysis->rollup.scopes[2].totals.kernel_count, 28U);
  for (const Region& region : analysis->tree.regions()) {
    if (region.depth < 0) continue;
    EXPECT_EQ(region.kernels.size() % 2, 0U);
  }
}

TEST(Captures, AFilteredCaptureHoldsTheFilteredRegionsAlone) {
  EXPECT_EQ(TreeOf("nested_full_A.ncu-repz"),
            "A 6/3\n"
            "  A::A1 3/3\n");
}

TEST(Captures, RangesMeasuredAsAWholeAreNoKernels) {
  EXPECT_EQ(TreeOf("range_ABprefill.ncu-rep"),
            "A 0/0 1r\n"
            "B 0/0 1r\n"
            "LLM@prefill 0/0 1r\n");
  EXPECT_EQ(TreeOf("apprange_nested.ncu-rep"), "LLM@prefill 0/0 1r\n");
}

TEST(Captures, GraphNodesAndGraphsBelongToTheLaunch) {
  EXPECT_EQ(TreeOf("graph_node.ncu-rep"), "replay 12/12\n");
  EXPECT_EQ(TreeOf("graph_graph.ncu-rep"), "replay 2/2\n");
}

TEST(Captures, ModesAreToldApart) {
  const auto mode = [](std::string_view name) {
    const auto analysis = AnalyzeFile(Fixture(name));
    return std::string(ModeName(analysis->profile.measurements.at(0).mode));
  };
  EXPECT_EQ(mode("nested_basic.ncu-rep"), "kernel");
  EXPECT_EQ(mode("range_ABprefill.ncu-rep"), "range");
  EXPECT_EQ(mode("apprange_nested.ncu-rep"), "app-range");
}

// A repeated range is one region whose executions are counted.
TEST(Captures, InstancesAreCountedWhereTheCaptureTells) {
  const auto analysis = AnalyzeFile(Fixture("graph_node.ncu-rep"));
  EXPECT_EQ(analysis->tree.regions()[1].executions.size(), 2U);
}

TEST(Captures, AFileNamedTwiceIsReadOnce) {
  const std::string capture = Fixture("graph_graph.ncu-rep").string();
  const TempDir folder;
  std::filesystem::create_symlink(capture, folder.path() / "link.ncu-rep");
  const std::vector<std::string> paths = {capture, folder.path().string(),
                                          capture};
  const auto files = FindArtifacts(paths);
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(files.value().size(), 1U);
}

TEST(Captures, AFileBesideItsCompressedCopyIsReadOnce) {
  const TempDir folder;
  const std::filesystem::path plain = folder.path() / "a.rftrace";
  const std::filesystem::path compressed = folder.path() / "a.rftrace.zst";
  std::filesystem::copy_file(Fixture("graph_graph.ncu-rep"), plain);
  std::ofstream(compressed).put('\n');
  const std::vector<std::string> paths = {folder.path().string()};
  EXPECT_EQ(FindArtifacts(paths).value(), std::vector{plain});
  // But not if it cannot be read.
  std::filesystem::resize_file(plain, 0);
  EXPECT_EQ(FindArtifacts(paths).value(), (std::vector{plain, compressed}));
}

// Reading the files then gives their notes.
TEST(Captures, AFolderListsUnreadableFilesWithTheNameOfACapture) {
  const TempDir folder;
  const auto put = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder.path() / name, std::ios::binary) << bytes;
  };
  for (const char* name :
       {"a.ncu-rep", "b.ncu-repz", "c.rftrace", "d.rftrace.zst", "e.rfsum"})
    put(name, "");
  put("f.sqlite", "garbage!");
  std::filesystem::create_symlink("gone", folder.path() / "g.ncu-rep");
  for (const char* name : {"h.rftrace.part", "i.log", "j.zst", "k.csv", "l"})
    put(name, "garbage!");
  std::filesystem::create_directory(folder.path() / "m.ncu-rep");
  const auto names = [&] {
    const std::vector<std::string> paths = {folder.path().string()};
    const auto files = FindArtifacts(paths);
    std::string text;
    for (const auto& file : files.value()) {
      text += file.parent_path().filename() == "regions" ? "regions/" : "";
      text += file.filename().string() + " ";
    }
    return text;
  };
  constexpr std::string_view kUnreadable =
      "a.ncu-rep b.ncu-repz c.rftrace d.rftrace.zst e.rfsum f.sqlite "
      "g.ncu-rep ";
  EXPECT_EQ(names(), kUnreadable);

  // They are no captures in place of which no report is read.
  std::filesystem::create_directories(folder.path() / "ncu/regions");
  put("ncu/regions/report.json", R"({"schema": "rangefinder.report/2"})");
  put("ncu/regions/report.sqlite", "");
  EXPECT_EQ(names(), std::string(kUnreadable) + "regions/report.json ");
}

TEST(Captures, TracedKernelsAreNotAddedToProfiledOnes) {
  const auto left = [](std::vector<ReplayMode> modes, MeasurementKind first) {
    Profile profile = testing::BuildProfile("kernel k\nkernel k\nkernel k\n");
    for (std::size_t i = 0; i < modes.size(); ++i)
      profile.measurements[i].mode = modes[i];
    profile.measurements[0].kind = first;
    Notes notes;
    SetBaselineRunApart(profile, notes);
    EXPECT_EQ(profile.measurements.size() + profile.traced.size(), 3U);
    return profile.measurements.size();
  };
  using enum ReplayMode;
  EXPECT_EQ(left({kKernel, kTrace, kTrace}, MeasurementKind::kKernel), 1U);
  EXPECT_EQ(left({kTrace, kTrace, kTrace}, MeasurementKind::kKernel), 3U);
  EXPECT_EQ(left({kRange, kTrace, kTrace}, MeasurementKind::kRange), 1U);
}

// ncu, our tracer and Nsight Systems ran the program once each.
TEST(Captures, ASecondTraceIsLeftOutWithItsRegions) {
  Profile profile = testing::BuildProfile("kernel k\nkernel k\nkernel k\n");
  profile.artifacts = {
      {.format = "ncu-rep"}, {.format = "trace"}, {.format = "nsys-sqlite"}};
  profile.processes.assign(3, {});
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto process = static_cast<ProcessId>(i);
    profile.processes[i].pid = 10 + i;
    Measurement& m = profile.measurements[i];
    m.artifact = i;
    m.process = process;
    m.mode = i == 0 ? ReplayMode::kKernel : ReplayMode::kTrace;
    if (i == 0) continue;
    profile.visits.push_back({.process = process, .instances = i});
    profile.uses.push_back({.process = process, .thread = i});
    profile.copies.push_back({.process = process, .bytes = i});
  }
  Notes notes;
  SetBaselineRunApart(profile, notes);
  ASSERT_EQ(profile.traced.size(), 1U);
  EXPECT_EQ(profile.traced[0].artifact, 1U);
  ASSERT_EQ(profile.visits.size(), 1U);
  EXPECT_EQ(profile.visits[0].instances, 1U);
  ASSERT_EQ(profile.uses.size(), 1U);
  EXPECT_EQ(profile.uses[0].thread, 1U);
  ASSERT_EQ(profile.copies.size(), 1U);
  EXPECT_EQ(profile.copies[0].bytes, 1U);
}

}  // namespace
}  // namespace rangefinder
