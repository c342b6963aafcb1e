#include "ranks/late_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ranks/middle.h"
#include "ranks/reasons.h"

namespace rangefinder {
namespace {

// As many peers say how far apart they usually are.
constexpr std::size_t kLeastForDistance = 4;
// What explains as much needs no more looking.
constexpr double kEnough = 0.5;
// A wider look has to explain that much more.
constexpr double kWorthIt = 0.05;

constexpr std::array kFields{
    &ExclusiveTimes::compute_ns,  &ExclusiveTimes::copy_ns,
    &ExclusiveTimes::idle_ns,     &ExclusiveTimes::wall_ns,
    &ExclusiveTimes::transfer_ns, &ExclusiveTimes::kernels};

}  // namespace

std::vector<ExclusiveTimes> LateParts::TimesOf(std::size_t record,
                                               const LateFinding& finding,
                                               std::size_t top) {
  const RankRecord& of = ranks_.records[record];
  const auto [counts, is_new] = collectives_.try_emplace(record);
  if (is_new) {
    counts->second.resize(of.regions.size());
    for (const Collective& collective : of.collectives) {
      if (collective.region < of.regions.size())
        ++counts->second[collective.region];
    }
  }
  const std::size_t node = regions_.NodeIn(of, finding.late.region);
  if (node == JoinedRegions::kNone || of.regions[node].instances == 0)
    return {};
  // What was taken by its collectives, one by one, has as many instances.
  return ExclusiveTimesOf(of, ranks_.trees[of.tree], waits_.waiting_ns[record],
                          counts->second, top,
                          finding.by_collective ? finding.late.instances
                                                : of.regions[node].instances);
}

// The times of a rank whose tree is another, in the order of this one's nodes;
// of a region that it has not, nothing.
std::vector<ExclusiveTimes> LateParts::TimesAs(const RankTree& tree,
                                               const RankRecord& like,
                                               std::size_t record,
                                               const LateFinding& finding,
                                               std::size_t top) {
  const RankRecord& of = ranks_.records[record];
  const std::size_t other_top = regions_.NodeIn(of, regions_.Of(like, top));
  if (other_top == JoinedRegions::kNone) return {};
  const std::vector<ExclusiveTimes> theirs =
      TimesOf(record, finding, other_top);
  if (theirs.empty()) return {};
  std::vector<ExclusiveTimes> times(NodesFrom(tree, top));
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t node = regions_.NodeIn(of, regions_.Of(like, top + i));
    if (node >= other_top && node < other_top + theirs.size())
      times[i] = theirs[node - other_top];
  }
  return times;
}

TypicalTimes LateParts::TypicalOf(const LateFinding& finding, std::size_t top) {
  const RankRecord& late = ranks_.records[finding.late.record];
  const RankTree& tree = ranks_.trees[late.tree];
  const bool has_alike =
      std::ranges::any_of(finding.records, [&](std::size_t record) {
        return record != finding.late.record &&
               ranks_.records[record].tree == late.tree;
      });
  std::vector<std::vector<ExclusiveTimes>> peers;
  for (const std::size_t record : finding.records) {
    const bool alike = ranks_.records[record].tree == late.tree;
    if (record == finding.late.record || alike != has_alike) continue;
    std::vector<ExclusiveTimes> times =
        alike ? TimesOf(record, finding, top)
              : TimesAs(tree, late, record, finding, top);
    if (!times.empty()) peers.push_back(std::move(times));
  }
  TypicalTimes typical;
  if (peers.empty()) return typical;
  typical.middle.resize(peers.front().size());
  typical.distance.resize(peers.front().size());
  std::vector<double> values;
  for (std::size_t i = 0; i < typical.middle.size(); ++i) {
    for (const auto field : kFields) {
      values.clear();
      for (const auto& peer : peers) values.push_back(peer[i].*field);
      const double middle = Median(values);
      typical.middle[i].*field = middle;
      if (peers.size() >= kLeastForDistance)
        typical.distance[i].*field = MedianDistance(values, middle);
    }
    values.clear();
    for (const auto& peer : peers) {
      if (peer[i].sm_clock_hz) values.push_back(*peer[i].sm_clock_hz);
    }
    if (!values.empty()) typical.middle[i].sm_clock_hz = Median(values);
  }
  return typical;
}

std::vector<LatePart> LateParts::Of(const LateFinding& finding, bool widen) {
  const RankRecord& record = ranks_.records[finding.late.record];
  const RankTree& tree = ranks_.trees[record.tree];
  std::vector<LatePart> best;
  double explained = -1;
  std::size_t top = regions_.NodeIn(record, finding.late.region);
  for (; top != JoinedRegions::kNone; top = tree.nodes[top].parent) {
    const std::vector<ExclusiveTimes> own =
        TimesOf(finding.late.record, finding, top);
    const TypicalTimes typical = TypicalOf(finding, top);
    if (own.empty() || typical.middle.empty()) break;
    std::vector<std::size_t> regions;
    for (std::size_t i = 0; i < own.size(); ++i)
      regions.push_back(regions_.Of(record, top + i));
    Reasons reasons(finding, std::move(regions));
    reasons.Find(own, typical);
    if (reasons.explained() > explained + kWorthIt) {
      explained = reasons.explained();
      best = reasons.Take();
    }
    if (explained >= kEnough || !widen || top == 0) break;
  }
  return Completed(finding, std::move(best));
}

}  // namespace rangefinder
