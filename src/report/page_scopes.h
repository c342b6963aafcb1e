// The part of a large report for people: with many ranks, the scopes that
// findings name; with very many regions, those with the most GPU time.
// report.json has all of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/report.h"

namespace rangefinder {

inline constexpr std::size_t kMostDocumentScopes = 16;  // in a report.md
// In the HTML page: at least 16, and more if the page still opens at once.
std::size_t MostPageScopes(const Report& report);

// The regions of the HTML page: those with the most GPU time. An inner region
// is there only with its outer regions.
class PageRegions {
 public:
  explicit PageRegions(const Report& report);

  bool Has(RegionId id) const { return shown_.empty() || shown_[Index(id)]; }
  // The region itself, or the nearest outer region that the page shows; maybe
  // the root.
  RegionId Around(const Report& report, RegionId id) const;
  // Reported regions that the page does not show.
  std::uint64_t left_out() const { return left_out_; }

 private:
  std::vector<bool> shown_{};  // by RegionId; empty: all
  std::uint64_t left_out_ = 0;
};

// At most `most` of ShownScopes(), in their order: the aggregate, late ranks,
// typical ranks of groups, then those with the most GPU time.
std::vector<const ScopeRollup*> ScopesOneByOne(const Report& report,
                                               std::size_t most);

// The scopes that `asked` names: the name of a scope, the rank that owns it, or
// "all"; empty: the aggregate if there is one. kUsage with the nearest name.
Result<std::vector<const ScopeRollup*>> FindScopes(const Report& report,
                                                   const std::string& asked);

}  // namespace rangefinder
