// Sums the times in which one kind of GPU work ran alone, and in which kinds
// overlapped: the union of intervals in order of start, in constant time per
// interval and constant memory.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace rangefinder {

enum class ActivityClass : std::uint8_t { kCompute, kCommunication, kCopy };

class ActivitySweep {
 public:
  // Add intervals by start. An interval that ends before its start adds
  // nothing.
  void Add(ActivityClass what, std::uint64_t start_ns, std::uint64_t end_ns) {
    Advance(start_ns);
    std::uint64_t& until = until_[static_cast<std::size_t>(what)];
    until = std::max(until, end_ns);
  }

  // Call after the last interval; the sums are complete then.
  void Finish() { Advance(~std::uint64_t{0}); }

  std::uint64_t compute_ns = 0;     // compute without communication
  std::uint64_t overlapped_ns = 0;  // compute and communication
  std::uint64_t exposed_ns = 0;     // communication alone
  std::uint64_t copy_ns = 0;        // copies alone

 private:
  // The latest end of each kind tells whether it runs at a moment: all added
  // intervals began before.
  void Advance(std::uint64_t to) {
    while (at_ < to) {
      std::uint64_t next = to;
      bool any = false;
      for (const std::uint64_t until : until_) {
        if (until <= at_) continue;
        any = true;
        next = std::min(next, until);
      }
      if (any) Count(next - at_);
      at_ = next;
    }
  }

  void Count(std::uint64_t ns) {
    const bool compute = until_[0] > at_;
    if (until_[1] > at_) {
      (compute ? overlapped_ns : exposed_ns) += ns;
    } else {
      (compute ? compute_ns : copy_ns) += ns;
    }
  }

  std::uint64_t at_ = 0;
  std::array<std::uint64_t, 3> until_{};
};

}  // namespace rangefinder
