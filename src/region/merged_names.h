// Merges ranges whose names differ by a counter into one region.
//
// `decode_0` to `decode_63` are one region that ran 64 times, `decode_*`. The
// names to merge are decided once, from all ranges of a profile. From then on
// PathOf() gives merged names, and trees, plans and reports know no others. The
// names that the program gave are in Frame::given. docs/attribution.md, section
// 9, has the rules and their reasons.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "profile/profile.h"
#include "region/frameworks.h"
#include "region/pattern.h"

namespace rangefinder {

// ---- rules of the user: regions.merge --------------------------------------

// A pattern of regions.merge.patterns: the names that it merges, and the name
// of the merged region.
//
//   layer[0-9]*        a glob over a name, a domain@name or a path, as in
//                      region/pattern.h; shown as `layer*`
//   regex:(layer)\d+   found in the name; the groups stay, the rest is `*`
//   regex:\d+$         without a group: the text found is `*`
class MergePattern {
 public:
  // kUsage: `text` is no pattern.
  static Result<MergePattern> Parse(std::string_view text);

  // The merged name of the range at the end of `path`; nothing if the pattern
  // does not match.
  std::optional<std::string> Shown(std::span<const FrameName> path) const;

 private:
  std::optional<std::string> ShownByRegex(std::string_view name) const;

  std::optional<Pattern> glob_;
  std::string shown_;  // of a glob
  std::shared_ptr<const re2::RE2> regex_;
};

// regions.merge as written, regions.framework and the rows of frameworks.
struct MergeOptions {
  bool by_itself = true;  // regions.merge.auto
  std::vector<std::string> patterns{};
  std::string framework = "auto";
  std::vector<Framework> frameworks{};
};

class NameMerging {
 public:
  // The default options.
  NameMerging() = default;
  // kUsage, naming the key: a pattern is wrong.
  static Result<NameMerging> Make(const MergeOptions& options);

  bool by_itself() const { return by_itself_; }
  std::span<const MergePattern> patterns() const { return patterns_; }
  const FrameworkNames& frameworks() const { return frameworks_; }

 private:
  bool by_itself_ = true;
  std::vector<MergePattern> patterns_;
  FrameworkNames frameworks_;
};

// Fills Profile::merged, in time linear in the paths of `profile` (except for
// sorting them).
KnownNames MergeNames(const NameMerging& merging, Profile& profile);

// Merges the names that are merged in `known`, another run of the same program.
void MergeNamesAs(const Profile& known, Profile& profile);

// ---- rules by the names alone ----------------------------------------------

// The name with `*` for each address and each value of `op_id = 5`, `seq = 5`,
// `sizes = [[2]]` and the like, which PyTorch writes; nothing if the name has
// none.
std::optional<std::string> WithoutOperands(std::string_view name);

// The meaning of a number in a name, by the word before it.
enum class NumberMeaning : std::uint8_t {
  kLoop,     // step, iter, batch: the number of a turn of a loop
  kCount,    // decode, query, run: the number of an instance
  kIndex,    // layer, rank, size: a different thing for each number
  kUnknown,  // any other word
};

struct NameNumber {
  std::size_t begin = 0, end = 0;
  std::uint64_t value = 0;
  NumberMeaning meaning = NumberMeaning::kUnknown;
};

// The numbers in a name, without numbers in words (`2d`, `3x3`) and numbers
// beyond 64 bits.
std::vector<NameNumber> NumbersIn(std::string_view name);

// One of the names under the same parent.
struct SiblingName {
  std::string_view domain{};
  std::string_view name{};
  std::uint64_t since = 0;  // grows with the time of its first opening
  bool recurs = false;      // the same name ran again
  // It ran inside one instance of a range that is itself merged by a counter.
  bool of_counter = false;
};

// The merged name of each sibling that differs from others by a counter;
// nothing for the others.
std::vector<std::optional<std::string>> MergeCounters(
    std::span<const SiblingName> siblings);

}  // namespace rangefinder
