// The clocks of hosts against each other, as far as communicators tie them: a
// clock of each is a line through the first one's, a constant distance and a
// small drift.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ranks/rank_analysis.h"

namespace rangefinder {

// The same moment on two clocks: when it was on one, and what has to be added
// to that to get the other.
struct ClockSample {
  double ns = 0;
  double offset_ns = 0;
};

// What to add at a time: offset + drift × (time − around).
struct ClockLine {
  double offset_ns = 0;
  double drift = 0;
  double around_ns = 0;

  double At(double ns) const {
    return ns + offset_ns + drift * (ns - around_ns);
  }
};

// Through the medians of the first and the last third, so that a third of the
// samples may be anything. With less than half a second from first to last, or
// few samples, no drift is seen.
ClockLine FitClock(std::vector<ClockSample> samples);

class HostClocks {
 public:
  explicit HostClocks(std::size_t hosts);

  // On the clock of the host that `host` is tied to, in the end.
  double Shared(std::size_t host, double ns) const {
    return lines_[host].At(ns);
  }
  // The clocks of processes on one host: what to add to a record's shared
  // times.
  double ShiftOf(std::size_t record) const {
    return record < shifts_.size() ? shifts_[record] : 0;
  }
  void SetShifts(std::vector<double> by_record) {
    shifts_ = std::move(by_record);
  }
  // All hosts that are tied together share it.
  std::size_t group(std::size_t host) const { return groups_[host]; }
  bool AreTied(std::size_t a, std::size_t b) const {
    return groups_[a] == groups_[b];
  }
  // Nothing changes where they are tied already. `line` takes times of `host`
  // to the shared clock of `to`.
  void Tie(std::size_t to, std::size_t host, const ClockLine& line);
  // Puts one host right by what its ends were away from the others': samples on
  // its shared clock. Their median distance afterwards is its residual.
  void Correct(std::size_t host, const std::vector<ClockSample>& samples);

  // None of one host.
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
