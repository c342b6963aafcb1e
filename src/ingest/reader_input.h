// The file that a reader gets.

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

// An execution of a range: who opened it, and when.
struct InstancePlace {
  std::string_view host{};
  std::uint64_t pid = 0;
  std::uint64_t thread = 0;  // OS id
  std::uint64_t open_ns = 0;
  // The frames of its path, since an inner range may open at the same moment; 0
  // of a start/end range.
  std::size_t depth = 0;
  friend auto operator<=>(const InstancePlace&, const InstancePlace&) = default;
};

// The part of a trace that a profile is of. The rest is in no sum, time or
// list.
struct ReadSelection {
  // Fills RangeVisits::openings, from which instances are chosen.
  bool list_instances = false;
  // Instances that are left out with all that is inside. Empty: none.
  std::function<bool(const InstancePlace&)> leaves_out{};
  // Whether a kernel counts in the times of regions; the others remain
  // measurements. Empty: all do.
  std::function<bool(const Profile&, const Measurement&)> counts{};
  // How long a kernel of the profile's last process waited for other ranks from
  // its start on, in ns: WallPart::kRankWait. Empty: not known of any.
  std::function<std::uint64_t(const Profile&, const Measurement&)> rank_wait{};
};

// The bytes are valid for the time of the call.
struct ReaderInput {
  std::string path{};  // as the user named it; for messages, and for formats
                       // that are opened by path
  std::string_view bytes{};
  // A reader calls this with parts of `bytes` that it will not read again, so
  // that a mapped file need not stay in memory. May be empty.
  std::function<void(std::string_view)> forget{};
  // Parts of `bytes` that are known to be zeros, in order.
  std::span<const FileHole> holes{};
  const ReadSelection* selection = nullptr;  // null: all
};

}  // namespace rangefinder
