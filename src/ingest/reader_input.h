// The input of a reader.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "profile/profile.h"

namespace rangefinder {

// The place of an instance: its process and thread, and when it opened.
struct InstancePlace {
  std::string_view host{};
  std::uint64_t pid = 0;
  std::uint64_t thread = 0;  // OS id
  std::uint64_t open_ns = 0;
  // Number of frames of its path, since an inner range may open at the same
  // moment; 0 for a start/end range.
  std::size_t depth = 0;
  friend auto operator<=>(const InstancePlace&, const InstancePlace&) = default;
};

// The part of a trace that is read into a profile. The rest counts in no sum,
// time or list.
struct ReadSelection {
  // Fills RangeVisits::openings, from which instances are selected.
  bool list_instances = false;
  // Instances that are left out together with everything inside. Empty: none.
  std::function<bool(const InstancePlace&)> leaves_out{};
  // Whether a kernel counts in the times of regions; other kernels remain
  // measurements. Empty: all count.
  std::function<bool(const Profile&, const Measurement&)> counts{};
  // How long a kernel of the profile's last process waited for other ranks,
  // from its start on, in ns: WallPart::kRankWait. Empty: unknown for all
  // kernels.
  std::function<std::uint64_t(const Profile&, const Measurement&)> rank_wait{};
};

inline const ReadSelection kReadAll{};

// The bytes are valid for the time of the call.
struct ReaderInput {
  std::string path{};  // as the user named it; for messages, and for formats
                       // that are opened by path
  std::string_view bytes{};
  // A reader calls this with parts of `bytes` that it will not read again, so
  // that a mapped file does not stay in memory. May be empty.
  std::function<void(std::string_view)> forget{};
  // Parts of `bytes` that are known to be zeros, in order.
  std::span<const FileHole> holes{};
  const ReadSelection* selection = &kReadAll;
};

}  // namespace rangefinder
