#include "region/selection.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

Result<std::vector<NamePattern>> ParseNames(
    std::span<const std::string> texts) {
  std::vector<NamePattern> patterns;
  for (const std::string& text : texts)
    patterns.push_back(TRY(NamePattern::Parse(text)));
  return patterns;
}

Error NoSuchWord(std::string_view key, std::string_view word,
                 std::span<const std::string> words) {
  std::string message = fmt::format("{}: '{}' is none of {}", key,
                                    Printable(word), fmt::join(words, ", "));
  if (const auto meant = Nearest(word, words))
    message += fmt::format("; did you mean '{}'?", *meant);
  return {ErrorCode::kUsage, std::move(message)};
}

Result<std::size_t> Choose(std::string_view key, std::string_view word,
                           std::span<const std::string> words) {
  const auto at = std::ranges::find(words, word);
  if (at == words.end()) return NoSuchWord(key, word, words);
  return static_cast<std::size_t>(at - words.begin());
}

bool AnyIsNamed(std::span<const NamePattern> patterns, std::string_view name) {
  return std::ranges::any_of(patterns, [&](const NamePattern& pattern) {
    return pattern.Matches(name);
  });
}

}  // namespace

Result<Selection> Selection::Make(const SelectionOptions& options) {
  Selection selection;
  selection.include_ =
      TRY(ParsePatterns(options.include).In("regions.include"));
  selection.exclude_ =
      TRY(ParsePatterns(options.exclude).In("regions.exclude"));
  selection.domains_include_ =
      TRY(ParseNames(options.domains_include).In("regions.domains.include"));
  selection.domains_exclude_ =
      TRY(ParseNames(options.domains_exclude).In("regions.domains.exclude"));
  selection.kernels_include_ =
      TRY(ParseNames(options.kernels_include).In("regions.kernels.include"));
  selection.kernels_exclude_ =
      TRY(ParseNames(options.kernels_exclude).In("regions.kernels.exclude"));
  const std::vector<std::string> bases = {"demangled", "function", "mangled"};
  const std::size_t base =
      TRY(Choose("regions.kernels.base", options.kernels_base, bases));
  selection.base_ = static_cast<KernelNameBase>(base);
  const std::vector<std::string> start_end = {"path", "ignore"};
  const std::size_t choice =
      TRY(Choose("regions.start_end", options.start_end, start_end));
  selection.start_end_ = choice == 0;
  return selection;
}

bool Selection::KeepsRegion(std::span<const FrameName> path) const {
  bool included = include_.empty();
  // The region and its outer regions; (unattributed) has none.
  for (std::size_t length = path.empty() ? 0 : 1; length <= path.size();
       ++length) {
    const std::span<const FrameName> outer = path.first(length);
    if (AnyMatches(exclude_, outer)) return false;
    included = included || AnyMatches(include_, outer);
  }
  return included;
}

bool Selection::KeepsDomain(std::string_view name) const {
  const auto named = [&](std::span<const NamePattern> patterns) {
    return AnyIsNamed(patterns, name) ||
           (name.empty() && AnyIsNamed(patterns, kDefaultDomain));
  };
  if (named(domains_exclude_)) return false;
  return domains_include_.empty() || named(domains_include_);
}

bool Selection::KeepsKernel(const Profile& profile,
                            const Measurement& m) const {
  if (keeps_all_kernels() || m.kind != MeasurementKind::kKernel) return true;
  const auto named = [&](std::span<const NamePattern> patterns) {
    switch (base_) {
      case KernelNameBase::kDemangled:
        return AnyIsNamed(patterns, profile.Name(m.demangled_name));
      case KernelNameBase::kFunction:
        return AnyIsNamed(patterns, profile.Name(m.function_name));
      case KernelNameBase::kMangled:
        return AnyIsNamed(patterns, profile.Name(m.mangled_name));
    }
    return false;
  };
  if (named(kernels_exclude_)) return false;
  return kernels_include_.empty() || named(kernels_include_);
}

}  // namespace rangefinder
