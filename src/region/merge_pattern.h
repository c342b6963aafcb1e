// regions.merge.patterns: which names are instances of one region, and what
// that region is called.
//
//   layer[0-9]*        a glob, of a name, a domain@name or a path, as
//                      region/pattern.h has them; shown as `layer*`
//   regex:(layer)\d+   found in the name; the groups stay and the rest is `*`
//   regex:\d+$          without a group: what is found is `*`

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "region/pattern.h"

namespace rangefinder {

class MergePattern {
 public:
  // kUsage when it is none.
  static Result<MergePattern> Parse(std::string_view text);

  // What the range at the end of `path` is shown as; nothing where it is not
  // meant.
  std::optional<std::string> Shown(std::span<const FrameName> path) const;

 private:
  std::optional<std::string> ShownByRegex(std::string_view name) const;

  std::optional<Pattern> glob_;
  std::string shown_;  // of a glob
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace rangefinder
