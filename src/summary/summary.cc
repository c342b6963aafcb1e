#include "summary/summary.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace rangefinder {
namespace {

// `order[new] = old` to `places[old] = new`.
std::vector<std::uint32_t> Inverse(const std::vector<std::uint32_t>& order,
                                   std::size_t size) {
  std::vector<std::uint32_t> places(size);
  for (std::size_t i = 0; i < order.size(); ++i)
    places[order[i]] = static_cast<std::uint32_t>(i);
  return places;
}

template <typename List>
void Reorder(List& list, const std::vector<std::uint32_t>& order) {
  List sorted;
  sorted.reserve(order.size());
  for (const std::uint32_t old : order) sorted.push_back(std::move(list[old]));
  list = std::move(sorted);
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
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < used.size(); ++i) {
    if (used[i]) order.push_back(i);
  }
  const auto places = Inverse(order, used.size());
  Reorder(summary.kernels, order);
  for (SummaryRow& row : summary.rows) row.kernel = places[row.kernel];
}

void SortTexts(Summary& summary) {
  std::vector<bool> used(summary.texts.size());
  used[0] = true;
  ForEachText(summary, [&](TextIndex& text) { used[text] = true; });
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < used.size(); ++i) {
    if (used[i]) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::uint32_t i) -> const std::string& {
    return summary.texts[i];
  });
  const auto places = Inverse(order, summary.texts.size());
  Reorder(summary.texts, order);
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
  const auto places = Inverse(order, regions.size());
  Reorder(regions, order);
  for (SummaryRegion& region : regions) region.parent = places[region.parent];
  for (SummaryUse& use : summary.uses) use.region = places[use.region];
  for (SummaryRow& row : summary.rows) row.region = places[row.region];
}

auto KernelOrder(const SummaryKernel& kernel) {
  return std::tie(kernel.name, kernel.device, kernel.kind, kernel.mode,
                  kernel.grid, kernel.block, kernel.dynamic_shared,
                  kernel.attributes);
}

void SortKernels(Summary& summary) {
  for (SummaryKernel& kernel : summary.kernels)
    std::ranges::sort(kernel.attributes);
  std::vector<std::uint32_t> order(summary.kernels.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return KernelOrder(summary.kernels[a]) < KernelOrder(summary.kernels[b]);
  });
  const auto places = Inverse(order, summary.kernels.size());
  Reorder(summary.kernels, order);
  for (SummaryRow& row : summary.rows) row.kernel = places[row.kernel];
}

}  // namespace

void SortSummary(Summary& summary) {
  DropUnusedKernels(summary);  // first: only they may use some texts
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
    std::ranges::sort(row.metrics, {}, [](const SummaryMetric& metric) {
      return std::tuple(metric.metric, metric.folding, metric.weight,
                        metric.times);
    });
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
