#include "ranks/rank_analysis.h"

#include <chrono>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/simulated_ranks.h"

namespace rangefinder {
namespace {

using testing::Plant;
using testing::Simulated;
using testing::SimulatedJob;

std::string PathText(const RankAnalysis& analysis, std::size_t region) {
  std::string text;
  for (const std::string& frame : analysis.regions[region].path)
    text += (text.empty() ? "" : "/") + frame;
  return text.empty() ? "whole" : text;
}

std::string Drawn(const Ranks& ranks, const RankAnalysis& analysis,
                  std::size_t most = 3) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, analysis.late.size()); ++i) {
    const LateRank& late = analysis.late[i];
    text += fmt::format("{}: rank {} last in {} of {} by {:.0f} us\n",
                        PathText(analysis, late.region),
                        ranks.records[late.record].rank, late.last,
                        late.instances, late.late_ns / 1000);
    for (const LatePart& part : late.parts)
      text += fmt::format("  {:.0f} us {} {} {:.2f}\n", part.ns / 1000,
                          LateReasonName(part.reason),
                          PathText(analysis, part.region), part.ratio);
  }
  for (std::size_t i = 0; i < std::min(most, analysis.slow_network.size());
       ++i) {
    const LatePart& part = analysis.slow_network[i];
    text += fmt::format(
        "slow in {} by {:.0f} us {:.2f}x share {:.2f} of rank "
        "{} and {} more\n",
        PathText(analysis, part.region), part.ns / 1000, part.ratio, part.share,
        ranks.records[part.records.front()].rank, part.records.size() - 1);
  }
  for (const std::string& note : analysis.notes) text += note + "\n";
  return text;
}

TEST(SimulatedRanks, DISABLED_Show) {
  for (const Plant plant : {Plant::kNothing, Plant::kCompute, Plant::kWork,
                            Plant::kClock, Plant::kLaunch, Plant::kNetwork}) {
    SimulatedJob job{.plant = plant};
    if (const char* n = std::getenv("RANKS")) job.ranks = std::stoul(n);
    const Ranks ranks = Simulated(job);
    const auto start = std::chrono::steady_clock::now();
    const RankAnalysis analysis = AnalyzeRanks(ranks);
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    fmt::print("---- {} {} s\n{}", static_cast<int>(plant), took.count(),
               Drawn(ranks, analysis));
    for (std::size_t i = 0;
         i < std::min<std::size_t>(analysis.clocks.size(), 3); ++i)
      fmt::print("clock {} {} residual {} of {}\n", analysis.clocks[i].host,
                 analysis.clocks[i].offset_ns, analysis.clocks[i].residual_ns,
                 analysis.clocks[i].collectives);
    fmt::print("groups {}\n", analysis.groups.size());
  }
}

}  // namespace
}  // namespace rangefinder
