// ncu's own language for NVTX ranges, as --nvtx-include and --nvtx-exclude read
// it; docs/nvtx-filters.md is its description and says how each rule was found.
//
//   [regex:][domain@]names
//   names of push/pop ranges:   A/  A/B  [A/*/B]     (one of / [ ] is in it)
//   names of start/end ranges:  S1  S1,S2
//
// Users' own patterns are region/pattern.h; region/nvtx_translate.h makes these
// of those.

#pragma once

#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace re2 {
class RE2;
}

namespace rangefinder::ncu {

// A name of an expression: exact, or a regular expression found anywhere.
//
// ncu's expressions are Boost.Regex's, over bytes. RE2 reads those that it has
// in common with Boost; the others (look-ahead, back references) are left to
// std::regex.
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

// One name of a push/pop expression, and what may stand between it and the next
// (after the last one: between it and the innermost range).
struct NvtxStep {
  enum class Gap { kNone, kOneFrame /* + */, kAnyFrames /* * */ };

  NvtxName name{};
  Gap gap = Gap::kNone;
};

struct NvtxExpression {
  enum class Form { kPushPop, kStartEnd };

  std::string text{};  // as it was written
  Form form = Form::kStartEnd;
  bool regex = false;
  std::optional<NvtxName> domain{};  // none: the default domain, and only it
  bool bottom = false;            // [: the first name is the outermost range's
  bool top = false;               // ]: the last name is the innermost range's
  std::vector<NvtxStep> steps{};  // of kPushPop, outermost first
  std::vector<NvtxName> names{};  // of kStartEnd: all of them must be open
};

// kUsage where ncu says "Invalid configuration"; the message ends with the
// place.
Result<NvtxExpression> ParseNvtxExpression(std::string_view text);

}  // namespace rangefinder::ncu
