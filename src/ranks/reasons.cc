#include "ranks/reasons.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace rangefinder {
namespace {

// What is less is left to kUnknown.
constexpr double kLeastPart = 0.02;
constexpr std::size_t kMostParts = 16;
// Numbers of launches and clocks that differ by less are equal.
constexpr double kSameLaunches = 0.005;
constexpr double kSameClock = 0.003;
// What lies no farther out is as the others are: three standard deviations,
// where they are normal.
constexpr double kFarOut = 4.45;

double Ratio(double own, double typical) {
  return typical > 0 ? own / typical : 0;
}

// Of one number, how far it is beyond the middle; 0 where it is not beyond
// what the others are.
double Beyond(const ExclusiveTimes& own, const ExclusiveTimes& middle,
              const ExclusiveTimes& distance, double ExclusiveTimes::*field) {
  const double more = own.*field - middle.*field;
  return more > kFarOut * distance.*field ? more : 0;
}

double SumOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

Reasons::Reasons(const LateFinding& finding, std::vector<std::size_t> regions)
    : finding_(finding), regions_(std::move(regions)) {
  // The sums are over all instances, and it is named for those in which it came
  // last.
  if (finding.mean_late_ns > 0)
    scale_ = finding.late.late_ns / finding.mean_late_ns;
}

void Reasons::Find(const std::vector<ExclusiveTimes>& own,
                   const TypicalTimes& typical) {
  for (std::size_t i = 0; i < own.size(); ++i) {
    const ExclusiveTimes& middle = typical.middle[i];
    const auto beyond = [&](double ExclusiveTimes::*field) {
      return Beyond(own[i], middle, typical.distance[i], field);
    };
    if (beyond(&ExclusiveTimes::compute_ns) > 0) AddCompute(i, own[i], middle);
    Add(LateReason::kNetwork, i, beyond(&ExclusiveTimes::transfer_ns),
        Ratio(own[i].transfer_ns, middle.transfer_ns));
    Add(LateReason::kUnknown, i, beyond(&ExclusiveTimes::copy_ns),
        Ratio(own[i].copy_ns, middle.copy_ns));
  }
  AddWaits(own, typical);
  // Parts that say more than there is are made smaller, all alike.
  double sum = 0;
  for (const LatePart& part : parts_) sum += part.ns;
  if (sum > finding_.late.late_ns) {
    for (LatePart& part : parts_) part.ns *= finding_.late.late_ns / sum;
  }
}

double Reasons::explained() const {
  return 1 - Left() / finding_.late.late_ns;
}

std::vector<LatePart> Reasons::Take() {
  return std::move(parts_);
}

void Reasons::Add(LateReason reason, std::size_t node, double ns,
                  double ratio) {
  if (ns <= 0) return;
  parts_.push_back({.reason = reason,
                    .region = regions_[node],
                    .ns = ns * scale_,
                    .ratio = ratio});
}

// More launches, slower ones because of the clock, and slower ones.
void Reasons::AddCompute(std::size_t node, const ExclusiveTimes& own,
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
      const double clock = std::min(rest, (typical.compute_ns + work) * slower);
      Add(LateReason::kClock, node, clock,
          Ratio(*own.sm_clock_hz, *typical.sm_clock_hz));
      rest -= clock;
    }
  }
  Add(LateReason::kCompute, node, rest,
      Ratio(own.compute_ns - work, typical.compute_ns));
}

// The GPU had nothing to do for longer. Where its launch calls came late as
// well, that is why, and the CPU's time says where; else it waited for
// something else.
void Reasons::AddWaits(const std::vector<ExclusiveTimes>& own,
                       const TypicalTimes& typical) {
  std::vector<double> cpu, idle;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto beyond = [&](double ExclusiveTimes::*field) {
      return Beyond(own[i], typical.middle[i], typical.distance[i], field);
    };
    cpu.push_back(beyond(&ExclusiveTimes::wall_ns));
    idle.push_back(beyond(&ExclusiveTimes::idle_ns));
  }
  const double most = std::ranges::max(cpu);
  for (double& one : cpu) one = one < most / 20 ? 0 : one;
  const double seen = std::max(SumOf(cpu), SumOf(idle)) * scale_;
  const double launch =
      std::min({Left(), finding_.launch_late_ns.value_or(0), seen});
  Spread(LateReason::kLaunch, launch,
         SumOf(cpu) * scale_ >= launch / 2 ? cpu : idle);
  Spread(LateReason::kIdle,
         std::min(Left(), std::max(0.0, SumOf(idle) * scale_ - launch)), idle);
}

// `ns` of late_ns over the nodes by their weights.
void Reasons::Spread(LateReason reason, double ns,
                     const std::vector<double>& weights) {
  const double sum = SumOf(weights);
  if (ns <= 0 || sum <= 0) return;
  for (std::size_t i = 0; i < weights.size(); ++i)
    Add(reason, i, ns / scale_ * weights[i] / sum, 0);
}

double Reasons::Left() const {
  double left = finding_.late.late_ns;
  for (const LatePart& part : parts_) left -= part.ns;
  return std::max(left, 0.0);
}

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
  // Nothing but the launch calls says anything.
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

}  // namespace rangefinder
