// Translates patterns of users (region/pattern.h) into ncu's expressions for
// --nvtx-include.
//
// ncu reads `LLM@*`, `prefill*` or `A` in ways that select nothing. A pattern
// becomes escaped and anchored expressions for both kinds of range and for
// every domain that it may mean. If the regions of a program are known, the
// expressions name exactly the matching regions. Otherwise they are regular
// expressions that select at least the regions of the pattern, with two limits:
// an @ in a name must be escaped, since it ends a domain, and ncu's characters
// are bytes.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "profile/profile.h"
#include "region/path.h"
#include "region/pattern.h"

namespace rangefinder {

// A frame of a region as text.
struct KnownFrame {
  std::string domain{};  // empty: the default domain
  std::string name{};
  FrameKind kind = FrameKind::kPushPop;
  // The merged name of merged ranges; else empty.
  std::string shown{};
  // For merged ranges: a regular expression for their names, in place of
  // `name`. MergedFrame() makes it.
  std::string regex{};

  friend auto operator<=>(const KnownFrame&, const KnownFrame&) = default;
};
using KnownPath = std::vector<KnownFrame>;

// The frame for the ranges `names`, merged into `shown`. Its regular expression
// accepts any digits for `*` if all names have digits there, since another run
// may count further.
KnownFrame MergedFrame(std::string_view domain, std::string_view shown,
                       FrameKind kind, std::span<const std::string> names);

// Every region of the profile's measurements, with outer regions, in order of
// first appearance.
std::vector<KnownPath> KnownRegions(const Profile& profile);

struct NvtxTranslation {
  std::vector<std::string> expressions{};
  // Parts of the pattern that ncu's language lacks, as sentences.
  std::vector<std::string> remarks{};
};

// "A;B;A::A1" as three patterns, without the blanks around them.
std::vector<std::string> SplitPatterns(std::string_view text);

// If the regions are unknown, an include may select more than the pattern
// means, but an exclude may not: a pattern without an exact translation is left
// out, with a remark.
enum class NvtxPurpose { kInclude, kExclude };

// The expressions for one pattern; none if no known region matches. `known` is
// null if the program's regions are unknown.
Result<NvtxTranslation> TranslatePattern(
    std::string_view pattern, const std::vector<KnownPath>* known,
    NvtxPurpose purpose = NvtxPurpose::kInclude);

// The expressions for several patterns, each a list separated by ";"; each
// expression once.
Result<NvtxTranslation> TranslatePatterns(
    std::span<const std::string> patterns, const std::vector<KnownPath>* known,
    NvtxPurpose purpose = NvtxPurpose::kInclude);

// The expressions that select any range of any domain.
std::vector<std::string> AnyRange();

// The expression for one region: its innermost range below the outer ranges of
// the same domain. It also selects inner regions, and regions that differ only
// in ranges of other domains or in a name that is open twice, which ncu cannot
// tell apart. Nothing for a range without a name, which ncu cannot address.
std::optional<std::string> ExpressionFor(const KnownPath& region);

// The expression for ranges of this name, domain and kind, wherever they are
// open.
std::string ExpressionFor(const KnownFrame& range);

}  // namespace rangefinder
