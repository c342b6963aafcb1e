// The clocks of hosts relative to each other, as far as communicators tie them.
// Each clock is a line on a shared clock: a constant offset and a small drift.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ranks/rank_findings.h"

namespace rangefinder {

// The same moment on two clocks: the time on the first clock, and the offset to
// add for the second clock.
struct ClockSample {
  double ns = 0;
  double offset_ns = 0;
};

// Adds offset + drift × (time − around) to a time.
struct ClockLine {
  double offset_ns = 0;
  double drift = 0;
  double around_ns = 0;

  double At(double ns) const {
    return ns + offset_ns + drift * (ns - around_ns);
  }
};

// A line through the medians of the first and the last third of the samples, so
// that a third of them may be wrong. The drift is 0 for few samples, and for
// less than half a second between the medians.
ClockLine FitClock(std::vector<ClockSample> samples);

class HostClocks {
 public:
  explicit HostClocks(std::size_t hosts);

  // A time of `host` on the shared clock of its group.
  double Shared(std::size_t host, double ns) const {
    return lines_[host].At(ns);
  }
  // The offset of a process's clock on its host, to add to shared times.
  double ShiftOf(std::size_t record) const {
    return record < shifts_.size() ? shifts_[record] : 0;
  }
  void SetShifts(std::vector<double> by_record) {
    shifts_ = std::move(by_record);
  }
  // Hosts that are tied together have the same group.
  std::size_t group(std::size_t host) const { return groups_[host]; }
  bool AreTied(std::size_t a, std::size_t b) const {
    return groups_[a] == groups_[b];
  }
  // Joins the groups of two hosts; does nothing if they are tied already.
  // `line` takes times of `host` to the shared clock of `to`.
  void Tie(std::size_t to, std::size_t host, const ClockLine& line);
  // Corrects the clock of a host by samples on its shared clock. The residual
  // is the median distance that remains.
  void Correct(std::size_t host, const std::vector<ClockSample>& samples);

  // Empty for a single host.
  std::vector<HostClock> Describe(std::span<const std::string> names) const;

 private:
  std::vector<ClockLine> lines_;
  std::vector<std::size_t> groups_;
  std::vector<std::vector<std::size_t>> members_;  // by group
  std::vector<double> residual_ns_;
  std::vector<std::size_t> samples_;
  std::vector<double> shifts_;  // by record
};

}  // namespace rangefinder
