#include "summary/summary.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace rangefinder {
namespace {

// Keeps the entries with the indices `order`, in this order. Returns the new
// index of each old index.
template <typename List>
std::vector<std::uint32_t> Reorder(List& list,
                                   const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> places(list.size());
  List sorted;
  sorted.reserve(order.size());
  for (const std::uint32_t old : order) {
    places[old] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(list[old]));
  }
  list = std::move(sorted);
  return places;
}

// The indices of the entries that are true.
std::vector<std::uint32_t> IndicesOf(const std::vector<bool>& used) {
  std::vector<std::uint32_t> indices;
  for (std::uint32_t i = 0; i < used.size(); ++i) {
    if (used[i]) indices.push_back(i);
  }
  return indices;
}

// Calls `see` with every TextIndex.
template <typename See>
void ForEachText(Summary& summary, See see) {
  for (SummaryKernel& kernel : summary.kernels) {
    see(kernel.name);
    see(kernel.device);
    for (SummaryValue& value : kernel.attributes) {
      see(value.metric);
      if (value.kind != ValueKind::kText) continue;
      auto text = static_cast<TextIndex>(value.bits);
      see(text);
      value.bits = text;
    }
  }
  for (SummaryUse& use : summary.uses) see(use.device);
  for (SummaryRow& row : summary.rows) {
    for (SummaryMetric& metric : row.metrics) {
      see(metric.metric);
      see(metric.weight);
      see(metric.times);
    }
  }
  for (SummaryRegion& region : summary.regions) {
    see(region.domain);
    see(region.name);
  }
}

// Drops kernels without a row.
void DropUnusedKernels(Summary& summary) {
  std::vector<bool> used(summary.kernels.size());
  for (const SummaryRow& row : summary.rows) used[row.kernel] = true;
  const auto places = Reorder(summary.kernels, IndicesOf(used));
  for (SummaryRow& row : summary.rows) row.kernel = places[row.kernel];
}

void SortTexts(Summary& summary) {
  std::vector<bool> used(summary.texts.size());
  used[0] = true;
  ForEachText(summary, [&](TextIndex& text) { used[text] = true; });
  std::vector<std::uint32_t> order = IndicesOf(used);
  std::ranges::sort(order, {}, [&](std::uint32_t i) -> const std::string& {
    return summary.texts[i];
  });
  const auto places = Reorder(summary.texts, order);
  ForEachText(summary, [&](TextIndex& text) { text = places[text]; });
}

void SortRegions(Summary& summary) {
  std::vector<SummaryRegion>& regions = summary.regions;
  std::vector<std::vector<std::uint32_t>> inner(regions.size());
  for (std::uint32_t i = 1; i < regions.size(); ++i)
    inner[regions[i].parent].push_back(i);
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> waiting = {0};
  while (!waiting.empty()) {
    const std::uint32_t at = waiting.back();
    waiting.pop_back();
    order.push_back(at);
    // The stack returns the last sibling first, so they are pushed in reverse.
    std::ranges::sort(inner[at], std::greater<>(), [&](std::uint32_t i) {
      const SummaryRegion& region = regions[i];
      return std::tuple(region.unattributed, region.domain, region.name);
    });
    waiting.insert(waiting.end(), inner[at].begin(), inner[at].end());
  }
  const auto places = Reorder(regions, order);
  for (SummaryRegion& region : regions) region.parent = places[region.parent];
  for (SummaryUse& use : summary.uses) use.region = places[use.region];
  for (SummaryRow& row : summary.rows) row.region = places[row.region];
}

void SortKernels(Summary& summary) {
  for (SummaryKernel& kernel : summary.kernels)
    std::ranges::sort(kernel.attributes);
  std::vector<std::uint32_t> order(summary.kernels.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) -> const SummaryKernel& {
    return summary.kernels[i];
  });
  const auto places = Reorder(summary.kernels, order);
  for (SummaryRow& row : summary.rows) row.kernel = places[row.kernel];
}

}  // namespace

void SortSummary(Summary& summary) {
  DropUnusedKernels(summary);  // first: SortTexts() then drops their texts
  SortTexts(summary);
  SortRegions(summary);
  SortKernels(summary);
  std::ranges::sort(summary.uses, {}, [](const SummaryUse& use) {
    return std::pair(use.region, use.device);
  });
  std::ranges::sort(summary.rows, {}, [](const SummaryRow& row) {
    return std::pair(row.region, row.kernel);
  });
  for (SummaryRow& row : summary.rows) {
    std::ranges::sort(row.metrics, {}, &SummaryMetric::Key);
  }
  std::ranges::sort(summary.facts, {}, [](const SummaryFact& fact) {
    return std::tie(fact.kind, fact.key, fact.value);
  });
  std::ranges::sort(summary.notes, {}, [](const SummaryNote& note) {
    return std::tie(note.severity, note.kind, note.text);
  });
  std::ranges::sort(summary.sources);
}

}  // namespace rangefinder
