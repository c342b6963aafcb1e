// A matrix of ranks × regions for documents: which ranks and regions it shows,
// and the numbers of each region in each rank. At most 200 regions and 2,000
// ranks; the others are counted.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profile/rank_record.h"
#include "ranks/joined_regions.h"
#include "ranks/rank_analysis.h"

namespace rangefinder {

inline constexpr std::size_t kMostMatrixRegions = 200;
inline constexpr std::size_t kMostMatrixRanks = 2000;

// At most `most` (at least 1) of RankAnalysis::regions: the regions with the
// most time and their outer regions, each before its inner regions, siblings by
// time.
std::vector<std::size_t> LongestRegions(const RankAnalysis& analysis,
                                        std::size_t most);

// One number of a region in a rank.
struct RankQuantity {
  std::string_view name;  // in JSON: "compute_ns"
  std::optional<double> (*of)(const RankRecord&, std::size_t node);
};
// The waiting time is not among them: RankMatrix::Waiting() has it.
std::span<const RankQuantity> RankQuantities();

class RankMatrix {
 public:
  RankMatrix(const Ranks& ranks, const RankAnalysis& analysis);

  // Indices into RankAnalysis::regions and Ranks::records; the latter in order.
  const std::vector<std::size_t>& regions() const { return regions_; }
  const std::vector<std::size_t>& records() const { return records_; }
  std::size_t regions_left_out() const;
  std::size_t records_left_out() const;

  // Nothing if the rank lacks the region or the number. `region`: an index into
  // regions().
  std::optional<double> Of(const RankQuantity& quantity, std::size_t record,
                           std::size_t region) const;
  std::optional<double> Waiting(std::size_t record, std::size_t region) const;

 private:
  void ChooseRecords();
  // The node of a region in the record's tree, or JoinedRegions::kNone.
  std::size_t NodeOf(std::size_t record, std::size_t region) const;

  const Ranks& ranks_;
  const RankAnalysis& analysis_;
  JoinedRegions joined_;  // same indices as RankAnalysis::regions
  std::vector<std::size_t> regions_{};
  std::vector<std::size_t> records_{};
};

}  // namespace rangefinder
