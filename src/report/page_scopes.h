// The part of a large report that people are shown: of a job with many ranks
// the scopes that the report speaks of, of very many regions those with the
// most GPU time. report.json has all of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/report.h"

namespace rangefinder {

inline constexpr std::size_t kMostDocumentScopes = 16;  // of a report.md
// Of the HTML page: 16, and more as far as it opens at once.
std::size_t MostPageScopes(const Report& report);

// The regions of the HTML page: those with the most GPU time. No inner region
// is there without its outer ones.
class PageRegions {
 public:
  explicit PageRegions(const Report& report);

  bool Has(RegionId id) const { return shown_.empty() || shown_[Index(id)]; }
  // The region, or the innermost around it, that the page shows; maybe the
  // root.
  RegionId Around(const Report& report, RegionId id) const;
  // Reported regions that the page does not show.
  std::uint64_t left_out() const { return left_out_; }

 private:
  std::vector<bool> shown_{};  // by RegionId; empty: all
  std::uint64_t left_out_ = 0;
};

// At most `most` of ShownScopes(), in their order: the aggregate, who is late,
// who is typical of a group, then those with the most GPU time.
std::vector<const ScopeRollup*> ScopesOneByOne(const Report& report,
                                               std::size_t most);

// The scopes that `asked` names: a scope's name, the rank that owns it, or
// "all"; empty: the aggregate where there is one. kUsage with the nearest.
Result<std::vector<const ScopeRollup*>> FindScopes(const Report& report,
                                                   const std::string& asked);

}  // namespace rangefinder
