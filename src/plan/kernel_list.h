// The kernels of a capture by GPU time, and the entries of the list that
// `profile pipeline.ncu.kernel_config=FILE` profiles one by one.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/notes.h"
#include "profile/kernel_summary.h"
#include "profile/profile.h"
#include "region/tree.h"

namespace rangefinder {

// All launches of one kernel.
struct TopKernel {
  std::string name{};  // demangled, as stored
  // The compiler's name, where the demangled name differs from ncu's (in
  // traces). Empty otherwise.
  std::string mangled{};
  std::uint64_t calls = 0;
  std::uint64_t timed = 0;         // calls with a duration
  double total_ns = 0;             // of these
  std::optional<double> min_ns{};  // absent if unknown
  std::optional<double> max_ns{};
  double share = 0;  // of the time of all kernels, 0 to 1
  // The regions of its launches, the longest time first; the frames of each as
  // FrameText, none for (unattributed).
  std::vector<std::vector<std::string>> regions{};

  // Absent if no call has a duration.
  std::optional<double> known_ns() const {
    return timed > 0 ? std::optional(total_ns) : std::nullopt;
  }
  std::optional<double> mean_ns() const {
    return timed > 0 ? std::optional(total_ns / static_cast<double>(timed))
                     : std::nullopt;
  }
};

// By time, the longest first; then by calls, then by name. Measurements of
// whole graphs and ranges are left out with a note.
std::vector<TopKernel> TopKernels(const Profile& profile,
                                  const RegionTree& tree, Notes& notes);
// The same from a summary; rows with the same name are one kernel.
std::vector<TopKernel> TopKernels(std::span<const KernelSummaryRow> rows);

// `text` with a backslash before every special character of regular
// expressions, as by Python's re.escape().
std::string EscapeRegex(std::string_view text);

// "^escaped\ name$": a pattern for this name alone.
std::string ExactRegex(std::string_view name);

// One entry of a list of kernels to profile.
struct ListedKernel {
  std::string name{};
  std::string regex{};   // over demangled names, or over mangled ones
  bool mangled = false;  // true: over mangled names
  std::string description{};
};

}  // namespace rangefinder
