#include "region/merge_pattern.h"

#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"

namespace rangefinder {

Result<MergePattern> MergePattern::Parse(std::string_view text) {
  MergePattern merge;
  if (text.starts_with(kRegexPrefix)) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_dot_nl(true);
    const std::string expression = ValidUtf8(text.substr(kRegexPrefix.size()));
    merge.regex_ = std::make_shared<const re2::RE2>(expression, options);
    if (merge.regex_->ok()) return merge;
    return Error(ErrorCode::kUsage,
                 fmt::format("the pattern '{}': {}", Printable(text),
                             merge.regex_->error()));
  }
  merge.glob_ = TRY(Pattern::Parse(text));
  const auto steps = merge.glob_->steps();
  if (steps.empty() || !steps.back()) {
    return Error(
        ErrorCode::kUsage,
        fmt::format("the pattern '{}': it ends in no name", Printable(text)));
  }
  for (const GlobPiece& piece : GlobPieces(steps.back()->name.text())) {
    if (piece.kind == GlobPiece::Kind::kText)
      merge.shown_ += piece.text;
    else if (!merge.shown_.ends_with('*'))
      merge.shown_ += '*';
  }
  return merge;
}

std::optional<std::string> MergePattern::Shown(
    std::span<const FrameName> path) const {
  if (regex_ != nullptr) return ShownByRegex(path.back().name);
  if (!glob_->Matches(path)) return std::nullopt;
  return shown_;
}

// With groups: they stay, and all the rest is `*`. Without: what is found is.
std::optional<std::string> MergePattern::ShownByRegex(
    std::string_view name) const {
  const std::string valid = ValidUtf8(name);
  const auto groups =
      static_cast<std::size_t>(regex_->NumberOfCapturingGroups());
  if (groups == 0) {
    std::string shown = valid;
    if (re2::RE2::GlobalReplace(&shown, *regex_, "*") == 0) return std::nullopt;
    return shown;
  }
  std::vector<re2::StringPiece> found(groups + 1);
  const re2::StringPiece whole(valid.data(), valid.size());
  if (!regex_->Match(whole, 0, valid.size(), re2::RE2::UNANCHORED, found.data(),
                     static_cast<int>(found.size())))
    return std::nullopt;
  std::string shown;
  const char* from = valid.data();
  for (const re2::StringPiece& group : std::span(found).subspan(1)) {
    // One inside another stays with it.
    if (group.data() == nullptr || group.data() < from) continue;
    if (group.data() > from) shown += '*';
    shown.append(group.data(), group.size());
    from = group.data() + group.size();
  }
  if (from < valid.data() + valid.size()) shown += '*';
  return shown;
}

}  // namespace rangefinder
