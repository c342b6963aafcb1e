// How deep ranges are kept, and which ones a program forgets to close.
//
// A missing pop a step opens ranges for ever deeper. Where so many are open
// around a range, of all kinds or of its own name, it gets no level of its own:
// it is part of the region around it, which counts all that it launches. All
// readers decide by the same numbers, when a range is opened.

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
#include "profile/nvtx_state.h"

namespace rangefinder {

struct Profile;

// No program nests deeper on purpose: of the push/pop ranges of a thread, and
// of the start/end ranges of a process.
inline constexpr std::size_t kDeepestPath = 128;
// Recursion that halves its work is less deep. Of a step that is not closed,
// the next ones' inner ranges still find room.
inline constexpr std::size_t kDeepestOfOneName = 32;

// Of `open`, those that have a level; `is_alike`: one with the name of the next
// range.
template <typename Open, typename IsAlike>
bool IsTooDeep(const Open& open, IsAlike is_alike) {
  if (open.size() < kDeepestOfOneName) return false;
  return open.size() >= kDeepestPath ||
         static_cast<std::size_t>(std::ranges::count_if(open, is_alike)) >=
             kDeepestOfOneName;
}

// A range that was opened in itself again and again, and not closed.
struct LeakedRange {
  StringId domain{};
  StringId name{};  // where many names have a number in them: `step *`
  FrameKind kind = FrameKind::kPushPop;
  std::uint64_t count = 0;
};

// With `*` for each number.
std::string WithoutNumbers(std::string_view name);

// "'step' is opened 4,000 times and never closed: a pop is missing".
std::string LeakText(const Profile& profile, const LeakedRange& leaked);

// Finds them by what is open when a thread or process ends.
class LeakFinder {
 public:
  // A range of `owner`, a thread or for start/end ranges a process, that was
  // not closed.
  void Add(FrameKind kind, std::uint64_t owner, StringId domain, StringId name,
           std::uint64_t count = 1) {
    seen_[{kind, domain, name, owner}].open += count;
  }
  // Start/end ranges that were ended: of several at once some are on the way
  // when a program ends.
  void AddEnded(std::uint64_t owner, StringId domain, StringId name,
                std::uint64_t count = 1) {
    seen_[{FrameKind::kStartEnd, domain, name, owner}].ended += count;
  }

  // Adds what is open more than a few times over in one of its owners to
  // Profile::leaked, with a note for each; and one for `too_deep` ranges. A
  // program that was `interrupted` may be deep in a recursion.
  void Finish(Profile& profile, std::uint64_t too_deep, bool interrupted,
              Notes& notes, std::string_view where) const;

 private:
  struct Seen {
    std::uint64_t open = 0;
    std::uint64_t ended = 0;
  };

  // Those of which so many are open in one owner.
  std::vector<LeakedRange> Find(Profile& profile, std::uint64_t fewest) const;

  std::map<std::tuple<FrameKind, StringId, StringId, std::uint64_t>, Seen>
      seen_;
};

}  // namespace rangefinder
