// The GPU's counters over time for the page's timeline: a line of at most
// kMostPoints points for every device and metric, however many samples there
// were (docs/report-json.md).

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

class SampleTracks {
 public:
  static constexpr std::size_t kMostPoints = 2000;

  // Borrows the profile.
  explicit SampleTracks(const Profile& profile);

  bool empty() const { return tracks_.empty(); }
  // When the first sample began and the last ended, on the profile's clock.
  std::uint64_t start_ns() const { return start_ns_; }
  std::uint64_t end_ns() const { return end_ns_; }

  // Appends the list of devices as JSON, with times since `zero_ns`.
  void Append(std::uint64_t zero_ns, std::string& out) const;

 private:
  const Profile& profile_;
  std::vector<const CounterSamples*> tracks_{};  // with samples
  std::uint64_t start_ns_ = ~std::uint64_t{0};
  std::uint64_t end_ns_ = 0;
};

}  // namespace rangefinder
