// Adds summaries without rounding, so that the result does not depend on the
// order or the grouping of merges.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "summary/summary.h"

namespace rangefinder {

// Adds one summary after the other. Memory grows with their distinct regions,
// kernels and texts, not with their number.
class SummaryMerger {
 public:
  SummaryMerger();

  // The caller adds each source once: see summary/merge_files.h.
  void Add(const Summary& summary);
  // The sum, sorted. The merger is empty afterwards.
  Summary Take();

 private:
  struct PairHash {
    std::size_t operator()(std::uint64_t key) const {
      return (key ^ key >> 32) * 0x9E3779B97F4A7C15U;
    }
  };
  using Places = std::unordered_map<std::uint64_t, std::uint32_t, PairHash>;

  // Indices of the added summary to indices of the sum.
  using Moved = std::vector<std::uint32_t>;
  Moved AddTexts(const Summary& summary);
  Moved AddRegions(const Summary& summary, const Moved& texts);
  Moved AddKernels(const Summary& summary, const Moved& texts);
  void AddUses(const Summary& summary, const Moved& texts,
               const Moved& regions);
  void AddRows(const Summary& summary, const Moved& texts, const Moved& regions,
               const Moved& kernels);
  void AddFacts(const Summary& summary);

  Summary all_{};
  std::unordered_map<std::string, std::uint32_t> texts_{};
  // By parent, then by domain and name.
  std::unordered_map<std::uint64_t, Places> regions_{};
  std::map<SummaryKernel, std::uint32_t> kernels_{};
  Places uses_{};  // by region and device
  Places rows_{};  // by region and kernel
  std::map<std::tuple<std::string, std::string, std::string>, SummaryFact>
      facts_{};
  std::map<std::tuple<std::uint8_t, std::string, std::string>, SummaryNote>
      notes_{};
};

}  // namespace rangefinder
