// What users mean, said in ncu's language: patterns (region/pattern.h) become
// expressions for --nvtx-include.
//
// ncu reads `LLM@*`, `prefill*` or `A` in ways that select nothing; each
// pattern here becomes expressions for both kinds of range and for every domain
// it may be meant in, escaped and anchored. Where the regions of a program are
// known, the expressions name exactly those that match; otherwise they are
// regular expressions that select at least what the pattern means, but that an
// @ in a name must then be escaped (it ends a domain), and that ncu's letters
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

// A region as text, with how each of its ranges is opened.
struct KnownFrame {
  std::string domain{};  // empty: the default domain
  std::string name{};
  FrameKind kind = FrameKind::kPushPop;
  // What it is shown as where it is one of merged ranges; else empty.
  std::string shown{};
  // Of a merged region: a regular expression for the names of its ranges, in
  // place of `name`. Made by MergedFrame().
  std::string regex{};

  friend auto operator<=>(const KnownFrame&, const KnownFrame&) = default;
};
using KnownPath = std::vector<KnownFrame>;

// The frame for the ranges `names`, which are shown as `shown`: digits where
// that tells them from all others, since another run may count further.
KnownFrame MergedFrame(std::string_view domain, std::string_view shown,
                       FrameKind kind, std::span<const std::string> names);

// Every region that the profile's measurements were launched in, outer regions
// included, in order of first appearance.
std::vector<KnownPath> KnownRegions(const Profile& profile);

struct NvtxTranslation {
  std::vector<std::string> expressions{};
  // What ncu's language cannot say, for people.
  std::vector<std::string> remarks{};
};

// "A;B;A::A1" as three patterns; blanks around them are not part of them.
std::vector<std::string> SplitPatterns(std::string_view text);

// Where the regions are not known, an include may select more than is meant,
// and an exclude must not: a pattern that ncu cannot be given exactly is then
// left out of it, with a remark.
enum class NvtxPurpose { kInclude, kExclude };

// The expressions for one pattern, none where no known region matches. `known`
// is null where the program's regions are not known.
Result<NvtxTranslation> TranslatePattern(
    std::string_view pattern, const std::vector<KnownPath>* known,
    NvtxPurpose purpose = NvtxPurpose::kInclude);

// For several, each of which may be a list with ; in it; each expression once.
Result<NvtxTranslation> TranslatePatterns(
    std::span<const std::string> patterns, const std::vector<KnownPath>* known,
    NvtxPurpose purpose = NvtxPurpose::kInclude);

// The expressions that select any range of any domain.
std::vector<std::string> AnyRange();

// The expression for one region: its innermost range below the ranges of the
// same domain around it. It selects inner regions too, and other regions only
// where they differ in ranges of other domains or in a name that is open twice,
// neither of which ncu can tell. Nothing for a range without a name, which ncu
// cannot address.
std::optional<std::string> ExpressionFor(const KnownPath& region);

// The expression for ranges like this one, wherever they are open.
std::string ExpressionFor(const KnownFrame& range);

}  // namespace rangefinder
