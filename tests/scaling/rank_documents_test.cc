// The cost of the documents on ranks is linear in the ranks and in their
// regions.

#include <sstream>

#include <gtest/gtest.h>

#include "region/tree.h"
#include "report/documents.h"
#include "tests/scaling/cost.h"
#include "tests/support/composed.h"
#include "tests/support/profile_builder.h"
#include "tests/support/rank_job.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/report_writers.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder::testing {
namespace {

// The cost of all documents of a job, without the cost of making the job.
Cost CostOfDocuments(std::size_t ranks, std::size_t regions) {
  const RankJob job = MadeRankJob(ranks, regions);
  const Composed composed(BuildProfile("kernel f ns=10 @ decode\n"));
  Report report = composed.MakeReport();
  report.ranks = job.ranks;
  report.rank_analysis = job.analysis;
  return CostOfWork([&] {
    std::ostringstream out;
    WriteJson(report, out);
    RunJson(report).WritePage(out);
    WriteMarkdown(GlanceDocument(report), out);
    WriteTerminal(ShowDocument(report, {}), {}, out);
    EXPECT_FALSE(out.str().empty());
  });
}

TEST(ScalingOfRanks, DocumentsCostAsThereAreRanks) {
  ExpectLinear(
      [](int count) {
        return CostOfDocuments(static_cast<std::size_t>(count) + 4, 20);
      },
      1000);
}

TEST(ScalingOfRanks, DocumentsCostAsThereAreRegions) {
  ExpectLinear(
      [](int count) {
        return CostOfDocuments(8, static_cast<std::size_t>(count));
      },
      2000);
}

}  // namespace
}  // namespace rangefinder::testing
