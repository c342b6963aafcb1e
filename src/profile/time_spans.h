// Intervals of time in lists, as many as there may be: where there are too
// many, short ones of one list that lie close together become one, which knows
// how many it stands for.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rangefinder {

struct TimeSpan {
  std::uint64_t start_ns = 0;  // on the profile's clock
  std::uint64_t end_ns = 0;
  std::uint64_t busy_ns = 0;  // summed over all that it stands for
  std::uint64_t count = 1;
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

// The same intervals in the same order give the same lists.
class SpanKeeper {
 public:
  static constexpr std::size_t kMost = 100000;

  // Keeps at most `most`, but for one a list.
  explicit SpanKeeper(std::size_t most = kMost) : most_(most) {}

  // Within a list by start.
  void Add(std::size_t list, const TimeSpan& span);

  std::size_t lists() const { return lists_.size(); }
  // Of a list that nothing was added to: empty.
  std::vector<TimeSpan> Take(std::size_t list);

 private:
  bool Join(std::vector<TimeSpan>& list, const TimeSpan& span) const;
  void Coarsen();

  std::size_t most_;
  std::size_t count_ = 0;
  // What is shorter is joined with its like of the same step; 0: nothing is.
  std::uint64_t step_ns_ = 0;
  std::vector<std::vector<TimeSpan>> lists_{};
};

}  // namespace rangefinder
