// The regions, domains and kernels of a report: regions.* as patterns.
//
// Excluding wins over including. An included region keeps its inner regions,
// since its inclusive values contain them; an excluded region takes them with
// it. The ranges of an excluded domain are cut out of paths as if never opened,
// and excluded kernels are cut out of regions.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "profile/profile.h"
#include "region/pattern.h"

namespace rangefinder {

enum class KernelNameBase : std::uint8_t { kDemangled, kFunction, kMangled };

// regions.* as written.
struct SelectionOptions {
  std::vector<std::string> include{};
  std::vector<std::string> exclude{};
  std::vector<std::string> domains_include{};
  std::vector<std::string> domains_exclude{};
  std::vector<std::string> kernels_include{};
  std::vector<std::string> kernels_exclude{};
  std::string kernels_base = "demangled";  // demangled | function | mangled
  std::string start_end = "path";          // path | ignore
};

class Selection {
 public:
  // Selects everything.
  Selection() = default;
  // kUsage, naming the key, where a pattern or word is wrong.
  static Result<Selection> Make(const SelectionOptions& options);

  // Whether the region at the end of `path` is reported; the empty path is
  // (unattributed). An outer region of a kept region that is not kept itself is
  // in the tree for its place only.
  bool KeepsRegion(std::span<const FrameName> path) const;

  // Whether ranges of the domain are frames of paths; "" is the default domain.
  bool KeepsDomain(std::string_view name) const;

  // Whether a measurement counts. Measurements of other kinds than kernels
  // always count.
  bool KeepsKernel(const Profile& profile, const Measurement& m) const;

  // Whether start/end ranges are frames of paths.
  bool start_end() const { return start_end_; }

  bool keeps_all_regions() const {
    return include_.empty() && exclude_.empty();
  }
  bool keeps_all_domains() const {
    return domains_include_.empty() && domains_exclude_.empty();
  }
  bool keeps_all_kernels() const {
    return kernels_include_.empty() && kernels_exclude_.empty();
  }
  std::span<const Pattern> include() const { return include_; }
  std::span<const Pattern> exclude() const { return exclude_; }

 private:
  std::vector<Pattern> include_;
  std::vector<Pattern> exclude_;
  std::vector<NamePattern> domains_include_;
  std::vector<NamePattern> domains_exclude_;
  std::vector<NamePattern> kernels_include_;
  std::vector<NamePattern> kernels_exclude_;
  KernelNameBase base_ = KernelNameBase::kDemangled;
  bool start_end_ = true;
};

}  // namespace rangefinder
