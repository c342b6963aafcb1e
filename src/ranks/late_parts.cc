#include "ranks/late_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "ranks/middle.h"

namespace rangefinder {
namespace {

// ---- Exclusive times -------------------------------------------------------

constexpr std::array kFields{
    &ExclusiveTimes::compute_ns,  &ExclusiveTimes::copy_ns,
    &ExclusiveTimes::idle_ns,     &ExclusiveTimes::wall_ns,
    &ExclusiveTimes::transfer_ns, &ExclusiveTimes::kernels};

double Number(std::uint64_t number) {
  return static_cast<double>(number);
}

// The number of nodes of the subtree at `top`; they follow each other. Nodes
// are in depth-first order: the next node has a parent before `top`.
std::size_t NodesFrom(const RankTree& tree, std::size_t top) {
  std::size_t end = top + 1;
  while (end < tree.nodes.size() && tree.nodes[end].parent >= top) ++end;
  return end - top;
}

// The times of the subtree at `top` of the record's tree, divided by
// `instances`, which is not 0. `waiting_ns` and `collectives` are by node;
// collectives count in their innermost region.
std::vector<ExclusiveTimes> ExclusiveTimesOf(
    const RankRecord& record, const RankTree& tree,
    const std::vector<std::optional<double>>& waiting_ns,
    const std::vector<std::uint32_t>& collectives, std::size_t top,
    std::uint64_t instances) {
  const std::size_t count = NodesFrom(tree, top);
  const double scale = 1 / Number(instances);
  std::vector<ExclusiveTimes> times(count);
  for (std::size_t i = 0; i < count; ++i) {
    const RankRegion& region = record.regions[top + i];
    const double exposed = Number(region.exposed_ns);
    const ExclusiveTimes own{
        .compute_ns = Number(region.compute_ns + region.overlapped_ns) * scale,
        .copy_ns = Number(region.copy_ns) * scale,
        .idle_ns = Number(region.idle_ns) * scale,
        .wall_ns = Number(region.wall_ns) * scale,
        .transfer_ns =
            (exposed - std::min(exposed, waiting_ns[top + i].value_or(0))) *
            scale,
        .kernels = Number(region.kernels) * scale};
    for (const auto field : kFields) {
      times[i].*field += own.*field;
      if (i > 0) times[tree.nodes[top + i].parent - top].*field -= own.*field;
    }
    times[i].sm_clock_hz = region.sm_clock_hz;
    times[i].kernels -= Number(collectives[top + i]) * scale;
  }
  return times;
}

// ---- Reasons ---------------------------------------------------------------

// At least this many other ranks give a usual distance.
constexpr std::size_t kLeastForDistance = 4;
// The search ends when this share is explained.
constexpr double kEnough = 0.5;
// An outer region has to explain this much more.
constexpr double kWorthIt = 0.05;

// Smaller parts become kUnknown.
constexpr double kLeastPart = 0.02;
constexpr std::size_t kMostParts = 16;
// Smaller differences of launches and clocks count as equal.
constexpr double kSameLaunches = 0.005;
constexpr double kSameClock = 0.003;
// Times within this many median distances are usual: three standard deviations
// of a normal distribution.
constexpr double kFarOut = 4.45;

double Ratio(double own, double typical) {
  return typical > 0 ? own / typical : 0;
}

double SumOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Explains the lateness of a rank by its differences to the median rank.
class Reasons {
 public:
  // All by node: `own` are the times of the rank, `regions` the nodes' regions.
  Reasons(const LateFinding& finding, const std::vector<std::size_t>& regions,
          const std::vector<ExclusiveTimes>& own, const TypicalTimes& typical)
      : finding_(finding), regions_(regions), own_(own), typical_(typical) {
    // The sums cover all instances, late_ns only those in which the rank came
    // last.
    if (finding.mean_late_ns > 0)
      scale_ = finding.late.late_ns / finding.mean_late_ns;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const ExclusiveTimes& middle = typical.middle[i];
      if (Beyond(i, &ExclusiveTimes::compute_ns) > 0)
        AddCompute(i, own[i], middle);
      Add(LateReason::kNetwork, i, Beyond(i, &ExclusiveTimes::transfer_ns),
          Ratio(own[i].transfer_ns, middle.transfer_ns));
      Add(LateReason::kUnknown, i, Beyond(i, &ExclusiveTimes::copy_ns),
          Ratio(own[i].copy_ns, middle.copy_ns));
    }
    AddWaits();
    // Parts that exceed the lateness are scaled down.
    double sum = 0;
    for (const LatePart& part : parts_) sum += part.ns;
    if (sum > finding_.late.late_ns) {
      for (LatePart& part : parts_) part.ns *= finding_.late.late_ns / sum;
    }
  }

  // The share of late_ns that is explained, at most 1.
  double explained() const { return 1 - Left() / finding_.late.late_ns; }

  // At most late_ns in all.
  std::vector<LatePart> Take() { return std::move(parts_); }

 private:
  // How far a node's time exceeds the median; 0 if it is usual.
  double Beyond(std::size_t node, double ExclusiveTimes::*field) const {
    const double more = own_[node].*field - typical_.middle[node].*field;
    return more > kFarOut * typical_.distance[node].*field ? more : 0;
  }

  void Add(LateReason reason, std::size_t node, double ns, double ratio) {
    if (ns <= 0) return;
    parts_.push_back({.reason = reason,
                      .region = regions_[node],
                      .ns = ns * scale_,
                      .ratio = ratio});
  }

  // Divides longer compute into more launches, a slower clock, and slower
  // kernels.
  void AddCompute(std::size_t node, const ExclusiveTimes& own,
                  const ExclusiveTimes& typical) {
    double rest = own.compute_ns - typical.compute_ns;
    const double more = own.kernels - typical.kernels;
    double work = 0;
    if (more > kSameLaunches * typical.kernels) {
      const double each = typical.kernels > 0
                              ? typical.compute_ns / typical.kernels
                              : own.compute_ns / own.kernels;
      work = std::min(rest, more * each);
      Add(LateReason::kWork, node, work, Ratio(own.kernels, typical.kernels));
      rest -= work;
    }
    if (own.sm_clock_hz && typical.sm_clock_hz && *own.sm_clock_hz > 0) {
      const double slower = *typical.sm_clock_hz / *own.sm_clock_hz - 1;
      if (slower > kSameClock) {
        const double clock =
            std::min(rest, (typical.compute_ns + work) * slower);
        Add(LateReason::kClock, node, clock,
            Ratio(*own.sm_clock_hz, *typical.sm_clock_hz));
        rest -= clock;
      }
    }
    Add(LateReason::kCompute, node, rest,
        Ratio(own.compute_ns - work, typical.compute_ns));
  }

  // Explains longer idle time of the GPU. If launch calls were late too, the
  // CPU is the reason, and its wall times show where; otherwise the reason is
  // kIdle.
  void AddWaits() {
    std::vector<double> cpu, idle;
    for (std::size_t i = 0; i < own_.size(); ++i) {
      cpu.push_back(Beyond(i, &ExclusiveTimes::wall_ns));
      idle.push_back(Beyond(i, &ExclusiveTimes::idle_ns));
    }
    const double most = std::ranges::max(cpu);
    for (double& one : cpu) one = one < most / 20 ? 0 : one;
    const double seen = std::max(SumOf(cpu), SumOf(idle)) * scale_;
    const double launch =
        std::min({Left(), finding_.launch_late_ns.value_or(0), seen});
    Spread(LateReason::kLaunch, launch,
           SumOf(cpu) * scale_ >= launch / 2 ? cpu : idle);
    Spread(LateReason::kIdle,
           std::min(Left(), std::max(0.0, SumOf(idle) * scale_ - launch)),
           idle);
  }

  // Divides `ns` of late_ns over the nodes by weight.
  void Spread(LateReason reason, double ns,
              const std::vector<double>& weights) {
    const double sum = SumOf(weights);
    if (ns <= 0 || sum <= 0) return;
    for (std::size_t i = 0; i < weights.size(); ++i)
      Add(reason, i, ns / scale_ * weights[i] / sum, 0);
  }

  double Left() const {
    double left = finding_.late.late_ns;
    for (const LatePart& part : parts_) left -= part.ns;
    return std::max(left, 0.0);
  }

  const LateFinding& finding_;
  const std::vector<std::size_t>& regions_;
  const std::vector<ExclusiveTimes>& own_;
  const TypicalTimes& typical_;
  double scale_ = 1;
  std::vector<LatePart> parts_{};
};

// Adds the unexplained rest, and sorts the parts by size, largest first.
std::vector<LatePart> Completed(const LateFinding& finding,
                                std::vector<LatePart> parts) {
  const double late = finding.late.late_ns;
  std::erase_if(
      parts, [&](const LatePart& part) { return part.ns < kLeastPart * late; });
  std::ranges::stable_sort(parts, std::greater<>(), &LatePart::ns);
  if (parts.size() > kMostParts) parts.resize(kMostParts);
  double left = late;
  for (const LatePart& part : parts) left -= part.ns;
  const bool is_rest = left > late * 1e-9;
  // Only the launch calls explain the lateness.
  const double launch = finding.launch_late_ns.value_or(0);
  const bool by_launch = parts.empty() && launch >= late / 2;
  if (is_rest) {
    const LatePart rest{
        .reason = by_launch ? LateReason::kLaunch : LateReason::kUnknown,
        .region = finding.late.region,
        .ns = left};
    parts.insert(
        std::ranges::upper_bound(parts, left, std::greater<>(), &LatePart::ns),
        rest);
  }
  return parts;
}

}  // namespace

std::vector<ExclusiveTimes> LateParts::TimesOf(std::size_t record,
                                               const LateFinding& finding,
                                               std::size_t top) {
  const RankRecord& late = ranks_.records[finding.late.record];
  const RankRecord& of = ranks_.records[record];
  const std::size_t other_top =
      of.tree == late.tree ? top : regions_.NodeIn(of, regions_.Of(late, top));
  const std::size_t node = regions_.NodeIn(of, finding.late.region);
  if (other_top == JoinedRegions::kNone || node == JoinedRegions::kNone)
    return {};
  const std::uint64_t instances = finding.by_collective
                                      ? finding.collectives.at(record)
                                      : of.regions[node].instances;
  if (instances == 0) return {};
  const auto [counts, is_new] = collectives_.try_emplace(record);
  if (is_new) {
    counts->second.resize(of.regions.size());
    for (const Collective& collective : of.collectives) {
      if (collective.region < of.regions.size())
        ++counts->second[collective.region];
    }
  }
  std::vector<ExclusiveTimes> own =
      ExclusiveTimesOf(of, ranks_.trees[of.tree], waits_.waiting_ns[record],
                       counts->second, other_top, instances);
  if (of.tree == late.tree) return own;
  std::vector<ExclusiveTimes> times(NodesFrom(ranks_.trees[late.tree], top));
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t at = regions_.NodeIn(of, regions_.Of(late, top + i));
    if (at >= other_top && at < other_top + own.size())
      times[i] = own[at - other_top];
  }
  return times;
}

TypicalTimes LateParts::TypicalOf(const LateFinding& finding, std::size_t top) {
  const std::uint32_t tree = ranks_.records[finding.late.record].tree;
  const bool has_alike =
      std::ranges::any_of(finding.records, [&](std::size_t record) {
        return record != finding.late.record &&
               ranks_.records[record].tree == tree;
      });
  std::vector<std::vector<ExclusiveTimes>> peers;
  for (const std::size_t record : finding.records) {
    const bool alike = ranks_.records[record].tree == tree;
    if (record == finding.late.record || alike != has_alike) continue;
    std::vector<ExclusiveTimes> times = TimesOf(record, finding, top);
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
    Reasons reasons(finding, regions, own, typical);
    if (reasons.explained() > explained + kWorthIt) {
      explained = reasons.explained();
      best = reasons.Take();
    }
    if (explained >= kEnough || !widen || top == 0) break;
  }
  return Completed(finding, std::move(best));
}

}  // namespace rangefinder
