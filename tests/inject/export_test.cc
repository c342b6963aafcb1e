#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "export/formats.h"
#include "region/selection.h"
#include "tests/inject/traced_program.h"

namespace rangefinder {
namespace {

using Json = nlohmann::json;

class Export : public testing::Test {
 protected:
  void SetUp() override {
    const ProgramRun run =
        RunProgram({INJECT_PROGRAM, "gpu", "3"}, INJECT_LIBRARY, folder_.path(),
                   {{"RANGEFINDER_CUPTI_PATH", INJECT_FAKE_CUPTI}});
    ASSERT_EQ(run.status, 0);
    profile_ = ReadTraces(folder_.path(), notes_);
  }
  Folder folder_;
  Notes notes_;
  Profile profile_;
  RegionTree tree_;
  Report OfProfile() {
    tree_ = BuildRegionTree(profile_, Selection{}, notes_);
    Report report;
    report.profile = &profile_;
    report.tree = &tree_;
    return report;
  }
  std::ostringstream out_;
};

TEST_F(Export, FoldedStacksHaveRegionsAndKernels) {
  WriteFolded(OfProfile(), out_);
  EXPECT_EQ(out_.str(),
            "step;void gemm<float>(float*) 3000\n"
            "step;graph() 9000\n"
            "before() 1000\n");
}

TEST_F(Export, HatchetHasInclusiveTimes) {
  WriteHatchet(OfProfile(), out_);
  const Json json = Json::parse(out_.str());
  ASSERT_EQ(json.size(), 2U);
  const Json& step = json[0];
  EXPECT_EQ(step["frame"]["name"], "step");
  EXPECT_EQ(step["frame"]["type"], "region");
  EXPECT_DOUBLE_EQ(step["metrics"]["time"], 0);
  EXPECT_DOUBLE_EQ(step["metrics"]["time (inc)"], 12000e-9);
  EXPECT_EQ(step["metrics"]["kernels"], 12);
  EXPECT_EQ(step["metrics"]["instances"], 3);
  EXPECT_EQ(step["children"].size(), 3U);  // copy, and two kernels
}

TEST_F(Export, PerfettoHasSlicesKernelsAndArrowsThatMeet) {
  const auto traces = TracesIn(folder_.path());
  ASSERT_TRUE(WritePerfetto(traces, out_, notes_).ok());
  const Json json = Json::parse(out_.str());
  std::map<std::string, int> phases;
  std::set<std::uint64_t> begun, met;
  int kernels = 0, ranges = 0;
  for (const Json& event : json["traceEvents"]) {
    const std::string phase = event["ph"];
    ++phases[phase];
    if (phase == "s") begun.insert(event["id"].get<std::uint64_t>());
    if (phase == "f") met.insert(event["id"].get<std::uint64_t>());
    if (phase == "X" && event["cat"] == "gpu") ++kernels;
    if (phase == "X" && event["cat"] == "nvtx") ++ranges;
  }
  EXPECT_EQ(ranges, 6);
  EXPECT_EQ(kernels, 16);  // and copies
  EXPECT_EQ(phases["s"], 10);
  EXPECT_EQ(phases["f"], 16);  // a graph's kernels share a launch
  EXPECT_EQ(begun, met);
}

TEST(ExportNames, AreTextWhateverTheyHold) {
  Profile profile;
  profile.processes.push_back({});
  Measurement m{};
  m.demangled_name = profile.strings.Intern("a;b\n\"\xff 7");
  m.start_ns = 1;
  m.end_ns = 6;
  profile.measurements.push_back(m);
  std::ostringstream folded, hatchet;
  Notes notes;
  const RegionTree tree = BuildRegionTree(profile, Selection{}, notes);
  Report report;
  report.profile = &profile;
  report.tree = &tree;
  WriteFolded(report, folded);
  EXPECT_EQ(folded.str(), "a:b\\n\"\xEF\xBF\xBD 7 5\n");
  WriteHatchet(report, hatchet);
  EXPECT_EQ(Json::parse(hatchet.str())[0]["frame"]["name"],
            "a;b\n\"\xEF\xBF\xBD 7");
}

}  // namespace
}  // namespace rangefinder
