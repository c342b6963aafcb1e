// The regions, domains and kernels of a report, selected by the patterns of
// regions.*.
//
// Excluding wins over including. An included region keeps its inner regions,
// since its inclusive values contain them; an excluded region takes its inner
// regions with it. The ranges of an excluded domain are removed from paths as
// if never opened, and excluded kernels are removed from regions.
//
// Without regions.include, the ranges that ncu collects
// (pipeline.ncu.ncu_cli.nvtx) are the included regions: a report of a
// restricted run has no others. regions.only=false lifts both.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "profile/profile.h"
#include "region/nvtx_expression.h"
#include "region/pattern.h"

namespace rangefinder {

// The form of a kernel's name that patterns match. kAny: the demangled name,
// the short name that tables show, or the name of the function.
enum class KernelNameBase : std::uint8_t {
  kAny,
  kDemangled,
  kFunction,
  kMangled
};

// pipeline.ncu.ncu_cli.nvtx.* as written: the ranges that ncu collects.
struct CollectedRanges {
  std::vector<std::string> include{};
  std::vector<std::string> exclude{};
  bool native = false;  // ncu's own expressions, otherwise patterns
};

// regions.* as written.
struct SelectionOptions {
  std::vector<std::string> include{};
  std::vector<std::string> exclude{};
  // Whether the report has the included regions alone; nothing: if there are
  // any.
  std::optional<bool> only{};
  CollectedRanges collected{};
  std::vector<std::string> domains_include{};
  std::vector<std::string> domains_exclude{};
  std::vector<std::string> kernels_include{};
  std::vector<std::string> kernels_exclude{};
  std::string kernels_base = "any";  // any | demangled | function | mangled
  std::string start_end = "path";    // path | ignore

  // The patterns that choose the regions of the report; empty: all regions.
  std::vector<std::string> ChosenRegions() const {
    if (only == false) return {};
    return include.empty() ? collected.include : include;
  }
};

class Selection {
 public:
  // Selects everything.
  Selection() = default;
  // kUsage, naming the key: a pattern or word is wrong.
  static Result<Selection> Make(const SelectionOptions& options);

  // Whether the region at the end of `path` is reported; the empty path is
  // (unattributed). The tree may still contain an outer region of a kept
  // region, as its place.
  bool KeepsRegion(std::span<const FrameName> path) const;

  // The same for the ranges open at a launch, by ncu's own expressions.
  bool KeepsState(const Profile& profile, const Measurement& m) const {
    return !native_ || ncu::Selects(*native_, profile, m);
  }

  // Whether ranges of the domain are frames of paths; "" is the default domain.
  bool KeepsDomain(std::string_view name) const;

  // Whether a kernel with these names counts.
  bool KeepsKernel(std::span<const std::string_view> names) const;
  KernelNameBase kernels_base() const { return base_; }

  // Whether start/end ranges are frames of paths.
  bool start_end() const { return start_end_; }

  // Whether the report is of chosen regions alone.
  bool chooses_regions() const { return !include_.empty() || native_; }
  bool keeps_all_kernels() const {
    return kernels_include_.empty() && kernels_exclude_.empty();
  }
  std::span<const Pattern> include() const { return include_; }
  std::span<const Pattern> exclude() const { return exclude_; }
  // The setting of a pattern in exclude().
  std::string_view KeyOfExclude(const Pattern& pattern) const;

 private:
  Status ChooseRegions(const SelectionOptions& options);

  std::vector<Pattern> include_;
  std::vector<Pattern> exclude_;
  std::size_t own_excludes_ = 0;  // of regions.exclude; ncu's follow
  std::optional<ncu::NvtxFilter> native_;
  std::vector<NamePattern> domains_include_;
  std::vector<NamePattern> domains_exclude_;
  std::vector<NamePattern> kernels_include_;
  std::vector<NamePattern> kernels_exclude_;
  KernelNameBase base_ = KernelNameBase::kAny;
  bool start_end_ = true;
};

// The kernels of a profile that a selection keeps; decides once per name.
class KeptKernels {
 public:
  // Both must outlive it.
  KeptKernels(const Profile& profile, const Selection& selection);

  // Whether a measurement counts. Measurements that are not of kernels always
  // count.
  bool Keeps(const Measurement& m);

 private:
  // The name of the base; of the demangled name for kAny.
  StringId NameOf(const Measurement& m) const;
  bool Judge(const Measurement& m) const;

  const Profile& profile_;
  const Selection& selection_;
  std::unordered_map<StringId, std::string> shown_;  // by demangled name
  std::unordered_map<StringId, bool> known_;         // by the name of the base
};

}  // namespace rangefinder
