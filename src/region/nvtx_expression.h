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
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace re2 {
class RE2;
}

namespace rangefinder::ncu {

// A name of an expression: exact, or a regular expression found anywhere.
class NvtxName {
 public:
  static NvtxName Exact(std::string text);
  static Result<NvtxName> Regex(std::string_view expression);

  bool Matches(std::string_view name) const;
  const std::string& text() const { return text_; }
  bool is_regex() const { return regex_ != nullptr; }

 private:
  std::string text_;
  std::shared_ptr<const re2::RE2> regex_;
};

// One step of a push/pop expression.
struct NvtxStep {
  enum class Kind { kName, kOneFrame /* + */, kAnyFrames /* * */ };

  Kind kind = Kind::kName;
  NvtxName name{};  // of kName
};

struct NvtxExpression {
  enum class Form { kPushPop, kStartEnd };

  std::string text{};  // as it was written
  Form form = Form::kStartEnd;
  bool regex = false;
  std::optional<NvtxName> domain{};  // none: the default domain, and only it
  bool bottom = false;               // [: the first step is the outermost range
  bool top = false;                  // ]: the last step is the innermost range
  std::vector<NvtxStep> steps{};     // of kPushPop, outermost first
  std::vector<NvtxName> names{};     // of kStartEnd: all of them must be open
};

// kUsage where ncu says "Invalid configuration"; the message ends with the
// place.
Result<NvtxExpression> ParseNvtxExpression(std::string_view text);

}  // namespace rangefinder::ncu
