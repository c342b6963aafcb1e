#include "region/selection.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "profile/short_name.h"
#include "region/nvtx_translate.h"

namespace rangefinder {
namespace {

Result<std::vector<NamePattern>> ParseNames(
    std::span<const std::string> texts) {
  std::vector<NamePattern> patterns;
  for (const std::string& text : texts)
    patterns.push_back(TRY(NamePattern::Parse(text)));
  return patterns;
}

Result<std::size_t> Choose(std::string_view key, std::string_view word,
                           std::span<const std::string> words) {
  const auto at = std::ranges::find(words, word);
  if (at == words.end())
    return Error(ErrorCode::kUsage,
                 fmt::format("{}: '{}' is none of {}{}", key, Printable(word),
                             fmt::join(words, ", "), DidYouMean(word, words)));
  return static_cast<std::size_t>(at - words.begin());
}

constexpr const char* kExcludeKey = "regions.exclude";
constexpr const char* kCollected = "pipeline.ncu.ncu_cli.nvtx";

Result<std::vector<Pattern>> ParseCollected(
    std::span<const std::string> texts) {
  std::vector<std::string> patterns;
  for (const std::string& text : texts) {
    for (std::string& pattern : SplitPatterns(text))
      patterns.push_back(std::move(pattern));
  }
  return ParsePatterns(patterns).In(kCollected);
}

Result<std::vector<ncu::NvtxExpression>> ParseNative(
    std::span<const std::string> texts) {
  std::vector<ncu::NvtxExpression> expressions;
  for (const std::string& text : texts)
    expressions.push_back(TRY(ncu::ParseNvtxExpression(text).In(kCollected)));
  return expressions;
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
  selection.exclude_ = TRY(ParsePatterns(options.exclude).In(kExcludeKey));
  selection.own_excludes_ = selection.exclude_.size();
  TRY(selection.ChooseRegions(options));
  selection.domains_include_ =
      TRY(ParseNames(options.domains_include).In("regions.domains.include"));
  selection.domains_exclude_ =
      TRY(ParseNames(options.domains_exclude).In("regions.domains.exclude"));
  selection.kernels_include_ =
      TRY(ParseNames(options.kernels_include).In("regions.kernels.include"));
  selection.kernels_exclude_ =
      TRY(ParseNames(options.kernels_exclude).In("regions.kernels.exclude"));
  const std::vector<std::string> bases = {"any", "demangled", "function",
                                          "mangled"};
  const std::size_t base =
      TRY(Choose("regions.kernels.base", options.kernels_base, bases));
  selection.base_ = static_cast<KernelNameBase>(base);
  const std::vector<std::string> start_end = {"path", "ignore"};
  const std::size_t choice =
      TRY(Choose("regions.start_end", options.start_end, start_end));
  selection.start_end_ = choice == 0;
  return selection;
}

Status Selection::ChooseRegions(const SelectionOptions& options) {
  const CollectedRanges& collected = options.collected;
  if (options.only == false) {
    include_.clear();
    return Ok();
  }
  if (!include_.empty() || collected.include.empty()) return Ok();
  if (collected.native) {
    native_.emplace();
    native_->include = TRY(ParseNative(collected.include));
    native_->exclude = TRY(ParseNative(collected.exclude));
    return Ok();
  }
  include_ = TRY(ParseCollected(collected.include));
  for (Pattern& pattern : TRY(ParseCollected(collected.exclude)))
    exclude_.push_back(std::move(pattern));
  return Ok();
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

std::string_view Selection::KeyOfExclude(const Pattern& pattern) const {
  return static_cast<std::size_t>(&pattern - exclude_.data()) < own_excludes_
             ? kExcludeKey
             : kCollected;
}

bool Selection::KeepsDomain(std::string_view name) const {
  const auto named = [&](std::span<const NamePattern> patterns) {
    return AnyIsNamed(patterns, name) ||
           (name.empty() && AnyIsNamed(patterns, kDefaultDomain));
  };
  if (named(domains_exclude_)) return false;
  return domains_include_.empty() || named(domains_include_);
}

bool Selection::KeepsKernel(std::span<const std::string_view> names) const {
  const auto any = [&](std::span<const NamePattern> patterns) {
    return std::ranges::any_of(names, [&](std::string_view name) {
      return AnyIsNamed(patterns, name);
    });
  };
  if (any(kernels_exclude_)) return false;
  return kernels_include_.empty() || any(kernels_include_);
}

KeptKernels::KeptKernels(const Profile& profile, const Selection& selection)
    : profile_(profile), selection_(selection) {
  if (selection.keeps_all_kernels() ||
      selection.kernels_base() != KernelNameBase::kAny)
    return;
  for (const auto* run : {&profile.measurements, &profile.traced}) {
    for (const Measurement& m : *run) shown_.try_emplace(m.demangled_name);
  }
  std::vector<std::string_view> names;
  for (const auto& [id, shown] : shown_) names.push_back(profile.Name(id));
  std::vector<std::string> shorter = ShortKernelNames(names);
  std::size_t i = 0;
  for (auto& [id, shown] : shown_) shown = std::move(shorter[i++]);
}

bool KeptKernels::Keeps(const Measurement& m) {
  if (selection_.keeps_all_kernels() || m.kind != MeasurementKind::kKernel)
    return true;
  const auto [known, is_new] = known_.try_emplace(NameOf(m), false);
  if (is_new) known->second = Judge(m);
  return known->second;
}

StringId KeptKernels::NameOf(const Measurement& m) const {
  const KernelNameBase base = selection_.kernels_base();
  if (base == KernelNameBase::kFunction) return m.function_name;
  if (base == KernelNameBase::kMangled) return m.mangled_name;
  return m.demangled_name;
}

bool KeptKernels::Judge(const Measurement& m) const {
  const std::string_view name = profile_.Name(NameOf(m));
  if (selection_.kernels_base() != KernelNameBase::kAny)
    return selection_.KeepsKernel({&name, 1});
  // The short name by itself, and the short name beside the other kernels of
  // the profile.
  const std::string alone = ShortKernelName(name);
  const auto shown = shown_.find(m.demangled_name);
  const std::string_view names[] = {
      name, profile_.Name(m.function_name), alone,
      shown == shown_.end() ? std::string_view(alone) : shown->second};
  return selection_.KeepsKernel(names);
}

}  // namespace rangefinder
