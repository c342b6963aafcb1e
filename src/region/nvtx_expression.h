// ncu's language for NVTX ranges, as --nvtx-include and --nvtx-exclude read it,
// and the selection of measurements by it. docs/nvtx-filters.md describes the
// language and how each rule was found.
//
//   [regex:][domain@]names
//   names of push/pop ranges:   A/  A/B  [A/*/B]     (one of / [ ] is in it)
//   names of start/end ranges:  S1  S1,S2
//
// Patterns of users (region/pattern.h) are another language;
// region/nvtx_translate.h translates them.

#pragma once

#include <memory>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "profile/profile.h"

namespace re2 {
class RE2;
}

namespace rangefinder::ncu {

// A name of an expression: exact, or a regular expression found anywhere.
//
// ncu uses Boost.Regex over bytes. RE2 reads the syntax that it shares with
// Boost; std::regex reads the rest (look-ahead, back references).
class NvtxName {
 public:
  static NvtxName Exact(std::string text);
  static Result<NvtxName> Regex(std::string_view expression);

  bool Matches(std::string_view name) const;
  const std::string& text() const { return text_; }
  bool is_regex() const { return regex_ != nullptr || wide_regex_ != nullptr; }

 private:
  std::string text_;
  std::shared_ptr<const re2::RE2> regex_;
  std::shared_ptr<const std::regex> wide_regex_;
};

// One name of a push/pop expression, and the frames that may stand between it
// and the next name (after the last name: between it and the innermost range).
struct NvtxStep {
  enum class Gap { kNone, kOneFrame /* + */, kAnyFrames /* * */ };

  NvtxName name{};
  Gap gap = Gap::kNone;
};

struct NvtxExpression {
  enum class Form { kPushPop, kStartEnd };

  std::string text{};  // as written
  Form form = Form::kStartEnd;
  bool regex = false;
  std::optional<NvtxName> domain{};  // none: the default domain alone
  bool bottom = false;            // [: the first name is the outermost range's
  bool top = false;               // ]: the last name is the innermost range's
  std::vector<NvtxStep> steps{};  // of kPushPop, outermost first
  std::vector<NvtxName> names{};  // of kStartEnd: all of them must be open
};

// kUsage if ncu reports "Invalid configuration"; the message ends with the
// place in `text`.
Result<NvtxExpression> ParseNvtxExpression(std::string_view text);

// The signs that a backslash makes ordinary in an exact expression. Before
// other characters a backslash is plain text.
inline constexpr std::string_view kSigns = "@,[]/*+";

// The threads whose push/pop ranges count for a launch: --nvtx-push-pop-scope.
enum class NvtxScope {
  kRecorded,  // as in the run that was measured
  kThread,    // the launching thread
  kProcess,   // all threads
};

// The expressions of one command line.
struct NvtxFilter {
  std::vector<NvtxExpression> include{};  // empty: all; else one must match
  std::vector<NvtxExpression> exclude{};  // none may match
};

bool Matches(const NvtxExpression& expression, const Profile& profile,
             const Measurement& m, NvtxScope scope = NvtxScope::kRecorded);

bool Selects(const NvtxFilter& filter, const Profile& profile,
             const Measurement& m, NvtxScope scope = NvtxScope::kRecorded);

// Whether the domain of the expression matches; "" is the default domain.
bool MatchesDomain(const NvtxExpression& expression, std::string_view domain);

}  // namespace rangefinder::ncu
