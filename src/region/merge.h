// Ranges whose names differ by a counter are instances of one region.
//
// `decode_0` to `decode_63` are one region that ran 64 times, `decode_*`. Which
// names are, is decided once, of all that a profile saw; from then on PathOf()
// gives the merged names, and trees, plans and reports have no others. The
// names that the program gave stay in Frame::given.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "profile/profile.h"
#include "region/merge_pattern.h"

namespace rangefinder {

// regions.merge as written.
struct MergeOptions {
  bool by_itself = true;  // regions.merge.auto
  std::vector<std::string> patterns{};
};

class NameMerging {
 public:
  // What is merged where nothing else is asked.
  NameMerging() = default;
  // kUsage, naming the key, when a pattern is none.
  static Result<NameMerging> Make(const MergeOptions& options);

  bool by_itself() const { return by_itself_; }
  std::span<const MergePattern> patterns() const { return patterns_; }

 private:
  bool by_itself_ = true;
  std::vector<MergePattern> patterns_;
};

// Decides it for `profile`, in time linear in its paths (but for sorting them).
void MergeNames(const NameMerging& merging, Profile& profile);

// Decides as it was decided for `known`, another run of the same program.
void MergeNamesAs(const Profile& known, Profile& profile);

}  // namespace rangefinder
