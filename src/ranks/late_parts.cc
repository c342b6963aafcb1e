#include "ranks/late_parts.h"

#include <algorithm>
#include <cmath>

#include "ranks/middle.h"

namespace rangefinder {
namespace {

// What is less is left to kUnknown.
constexpr double kLeastPart = 0.02;
constexpr std::size_t kMostParts = 16;
// Numbers of launches and clocks that differ by less are equal.
constexpr double kSameLaunches = 0.005;
constexpr double kSameClock = 0.003;

double Ratio(double own, double typical) {
  return typical > 0 ? own / typical : 0;
}

// The parts of one finding as they are found; `nodes` are those of the times.
class Parts {
 public:
  Parts(const LateFinding& finding, std::vector<std::size_t> regions)
      : finding_(finding), regions_(std::move(regions)) {
    // The sums are over all instances, and it is named for those in which it
    // came last.
    if (finding.mean_late_ns > 0)
      scale_ = finding.late.late_ns / finding.mean_late_ns;
  }

  std::vector<LatePart> Find(const std::vector<ExclusiveTimes>& own,
                             const std::vector<ExclusiveTimes>& typical) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      AddCompute(i, own[i], typical[i]);
      Add(LateReason::kNetwork, i, own[i].transfer_ns - typical[i].transfer_ns,
          Ratio(own[i].transfer_ns, typical[i].transfer_ns));
      Add(LateReason::kUnknown, i, own[i].copy_ns - typical[i].copy_ns,
          Ratio(own[i].copy_ns, typical[i].copy_ns));
    }
    AddLaunch(own, typical);
    AddIdle(own, typical);
    return Finish();
  }

 private:
  void Add(LateReason reason, std::size_t node, double ns, double ratio) {
    if (ns > 0)
      parts_.push_back({.reason = reason,
                        .region = regions_[node],
                        .ns = ns * scale_,
                        .ratio = ratio});
  }

  // More launches, slower ones because of the clock, and slower ones.
  void AddCompute(std::size_t i, const ExclusiveTimes& own,
                  const ExclusiveTimes& typical) {
    double rest = own.compute_ns - typical.compute_ns;
    if (rest <= 0) return;
    const double more = own.kernels - typical.kernels;
    double work = 0;
    if (more > kSameLaunches * typical.kernels) {
      const double each = typical.kernels > 0
                              ? typical.compute_ns / typical.kernels
                              : own.compute_ns / own.kernels;
      work = std::min(rest, more * each);
      Add(LateReason::kWork, i, work, Ratio(own.kernels, typical.kernels));
      rest -= work;
    }
    if (own.sm_clock_hz && typical.sm_clock_hz && *own.sm_clock_hz > 0) {
      const double slower = *typical.sm_clock_hz / *own.sm_clock_hz - 1;
      if (slower > kSameClock) {
        const double clock =
            std::min(rest, (typical.compute_ns + work) * slower);
        Add(LateReason::kClock, i, clock,
            Ratio(*own.sm_clock_hz, *typical.sm_clock_hz));
        rest -= clock;
      }
    }
    Add(LateReason::kCompute, i, rest,
        Ratio(own.compute_ns - work, typical.compute_ns));
  }

  double Left() const {
    double left = finding_.late.late_ns;
    for (const LatePart& part : parts_) left -= part.ns;
    return std::max(left, 0.0);
  }

  // Spreads `ns`, of late_ns, over the nodes by their weights.
  void Spread(LateReason reason, double ns,
              const std::vector<double>& weights) {
    double sum = 0;
    for (const double weight : weights) sum += weight;
    if (ns <= 0) return;
    if (sum <= 0) return Add(reason, 0, ns / scale_, 0);
    for (std::size_t i = 0; i < weights.size(); ++i)
      Add(reason, i, ns / scale_ * weights[i] / sum, 0);
  }

  // Where the CPU came late, its time in a region is longer; else the GPU
  // waited there.
  void AddLaunch(const std::vector<ExclusiveTimes>& own,
                 const std::vector<ExclusiveTimes>& typical) {
    const double ns = std::min(Left(), finding_.launch_late_ns.value_or(0));
    std::vector<double> cpu, idle;
    double most = 0, sum = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      cpu.push_back(std::max(own[i].wall_ns - typical[i].wall_ns, 0.0));
      idle.push_back(std::max(own[i].idle_ns - typical[i].idle_ns, 0.0));
      most = std::max(most, cpu.back());
      sum += cpu.back();
    }
    for (double& one : cpu) one = one < most / 20 ? 0 : one;
    Spread(LateReason::kLaunch, ns, sum * scale_ >= ns / 2 ? cpu : idle);
  }

  void AddIdle(const std::vector<ExclusiveTimes>& own,
               const std::vector<ExclusiveTimes>& typical) {
    std::vector<double> idle;
    double sum = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      idle.push_back(std::max(own[i].idle_ns - typical[i].idle_ns, 0.0));
      sum += idle.back();
    }
    if (sum > 0)
      Spread(LateReason::kIdle, std::min(Left(), sum * scale_), idle);
  }

  // Parts that say more than there is are made smaller, all alike.
  std::vector<LatePart> Finish() {
    const double late = finding_.late.late_ns;
    double sum = 0;
    for (const LatePart& part : parts_) sum += part.ns;
    if (sum > late) {
      for (LatePart& part : parts_) part.ns *= late / sum;
    }
    std::erase_if(parts_, [&](const LatePart& part) {
      return part.ns < kLeastPart * late;
    });
    std::ranges::stable_sort(
        parts_, [](const auto& a, const auto& b) { return a.ns > b.ns; });
    parts_.resize(std::min(parts_.size(), kMostParts));
    if (const double left = Left(); left > 0) {
      const LatePart rest{.region = finding_.late.region, .ns = left};
      parts_.insert(std::ranges::upper_bound(parts_, left, std::greater<>(),
                                             &LatePart::ns),
                    rest);
    }
    return std::move(parts_);
  }

  const LateFinding& finding_;
  std::vector<std::size_t> regions_;
  double scale_ = 1;
  std::vector<LatePart> parts_{};
};

}  // namespace

std::vector<ExclusiveTimes> LateParts::TimesOf(std::size_t record,
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
  return ExclusiveTimesOf(of, ranks_.trees[of.tree], waits_.waiting_ns[record],
                          counts->second, top);
}

std::vector<ExclusiveTimes> LateParts::TypicalOf(const LateFinding& finding,
                                                 std::size_t top) {
  std::vector<std::vector<ExclusiveTimes>> peers;
  for (const std::size_t record : finding.records) {
    if (record == finding.late.record ||
        ranks_.records[record].tree != ranks_.records[finding.late.record].tree)
      continue;
    std::vector<ExclusiveTimes> times = TimesOf(record, top);
    if (!times.empty()) peers.push_back(std::move(times));
  }
  if (peers.empty()) return {};
  std::vector<ExclusiveTimes> typical(peers.front().size());
  std::vector<double> values;
  for (std::size_t i = 0; i < typical.size(); ++i) {
    for (const auto field :
         {&ExclusiveTimes::compute_ns, &ExclusiveTimes::copy_ns,
          &ExclusiveTimes::idle_ns, &ExclusiveTimes::wall_ns,
          &ExclusiveTimes::transfer_ns, &ExclusiveTimes::latency_ns,
          &ExclusiveTimes::kernels}) {
      values.clear();
      for (const auto& peer : peers) values.push_back(peer[i].*field);
      typical[i].*field = Median(values);
    }
    values.clear();
    for (const auto& peer : peers) {
      if (peer[i].sm_clock_hz) values.push_back(*peer[i].sm_clock_hz);
    }
    if (!values.empty()) typical[i].sm_clock_hz = Median(values);
  }
  return typical;
}

std::vector<LatePart> LateParts::Of(const LateFinding& finding) {
  const RankRecord& record = ranks_.records[finding.late.record];
  const std::size_t top = regions_.NodeIn(record, finding.late.region);
  std::vector<ExclusiveTimes> own, typical;
  if (top != JoinedRegions::kNone) {
    own = TimesOf(finding.late.record, top);
    typical = TypicalOf(finding, top);
  }
  std::vector<std::size_t> regions;
  for (std::size_t i = 0; i < own.size(); ++i)
    regions.push_back(regions_.Of(record, top + i));
  if (own.empty() || typical.empty())
    return {{.region = finding.late.region, .ns = finding.late.late_ns}};
  return Parts(finding, std::move(regions)).Find(own, typical);
}

}  // namespace rangefinder
