// The depth to which ranges are kept, and ranges that a program never closes.
//
// A program that forgets a pop in every step opens ranges ever deeper. A range
// inside too many others, of all names or of its own, gets no level of its own:
// its launches count for the region around it. All readers apply these limits
// when a range is opened.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

// Open push/pop ranges of a thread, or start/end ranges of a process. No
// program nests deeper on purpose.
inline constexpr std::size_t kDeepestPath = 128;
// Recursion that halves its work is less deep. The limit is low, so that inner
// ranges still have room below steps that were not closed.
inline constexpr std::size_t kDeepestOfOneName = 32;

// Whether the next range gets no level inside `open`, the open ranges with a
// level. `is_alike`: whether an open range has the same name.
template <typename Open, typename IsAlike>
bool IsTooDeep(const Open& open, IsAlike is_alike) {
  if (open.size() < kDeepestOfOneName) return false;
  return open.size() >= kDeepestPath ||
         static_cast<std::size_t>(std::ranges::count_if(open, is_alike)) >=
             kDeepestOfOneName;
}

// `name` with `*` for each number.
std::string WithoutNumbers(std::string_view name);

// "'step' is opened 4,000 times and never closed: a pop is missing".
std::string LeakText(const Profile& profile, const LeakedRange& leaked);

// Finds leaked ranges from the ranges that are open at the end of a thread or
// process.
class LeakFinder {
 public:
  // A range that `owner` did not close: a thread, or the process of a start/end
  // range.
  void Add(FrameKind kind, std::uint64_t owner, StringId domain, StringId name,
           std::uint64_t count = 1) {
    seen_[{kind, domain, name, owner}].open += count;
  }
  // Start/end ranges that were ended. A program with many open at once may end
  // with some of them open: no leak.
  void AddEnded(std::uint64_t owner, StringId domain, StringId name,
                std::uint64_t count = 1) {
    seen_[{FrameKind::kStartEnd, domain, name, owner}].ended += count;
  }

  // Adds the ranges that one owner has open several times to Profile::leaked,
  // with a note for each, and a note about `too_deep` ranges. An `interrupted`
  // program may be within a recursion, which is no leak.
  void Finish(Profile& profile, std::uint64_t too_deep, bool interrupted,
              Notes& notes, std::string_view where) const;

 private:
  struct Seen {
    std::uint64_t open = 0;
    std::uint64_t ended = 0;
  };

  // The ranges that one owner has open at least `fewest` times.
  std::vector<LeakedRange> Find(Profile& profile, std::uint64_t fewest) const;

  std::map<std::tuple<FrameKind, StringId, StringId, std::uint64_t>, Seen>
      seen_;
};

}  // namespace rangefinder
