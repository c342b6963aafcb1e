#include "summary/merge.h"

#include <algorithm>
#include <limits>
#include <map>

namespace rangefinder {
namespace {

std::uint64_t Both(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

// A damaged file may have any number of launches; a sum that wraps would be
// less than the number of their times, which no file may have.
std::uint64_t SaturatedSum(std::uint64_t one, std::uint64_t other) {
  const std::uint64_t sum = one + other;
  return sum < one ? std::numeric_limits<std::uint64_t>::max() : sum;
}

void AddMetric(SummaryMetric& to, const SummaryMetric& more) {
  to.present += more.present;
  to.sum.Add(more.sum);
  to.weights.Add(more.weights);
  to.low = std::min(to.low, more.low);
  to.high = std::max(to.high, more.high);
}

// Metrics of one row, with indices into one list of texts.
void AddMetrics(std::vector<SummaryMetric>& metrics,
                const std::vector<SummaryMetric>& more) {
  std::map<decltype(metrics[0].Key()), std::size_t> places;
  // The place of a metric if both lists have the same order.
  std::size_t next = 0;
  for (const SummaryMetric& metric : more) {
    const auto key = metric.Key();
    if (next == metrics.size() || metrics[next].Key() != key) {
      for (std::size_t i = places.size(); i < metrics.size(); ++i)
        places.emplace(metrics[i].Key(), i);
      next = places.try_emplace(key, metrics.size()).first->second;
    }
    if (next == metrics.size())
      metrics.push_back(metric);
    else
      AddMetric(metrics[next], metric);
    ++next;
  }
}

}  // namespace

SummaryMerger::SummaryMerger() {
  texts_.emplace("", 0);
}

void SummaryMerger::Add(const Summary& summary) {
  const Moved texts = AddTexts(summary);
  const Moved regions = AddRegions(summary, texts);
  const Moved kernels = AddKernels(summary, texts);
  AddUses(summary, texts, regions);
  AddRows(summary, texts, regions, kernels);
  AddFacts(summary);
  all_.sources.insert(all_.sources.end(), summary.sources.begin(),
                      summary.sources.end());
}

SummaryMerger::Moved SummaryMerger::AddTexts(const Summary& summary) {
  Moved moved;
  moved.reserve(summary.texts.size());
  for (const std::string& text : summary.texts) {
    const auto [at, is_new] =
        texts_.try_emplace(text, static_cast<std::uint32_t>(all_.texts.size()));
    if (is_new) all_.texts.push_back(text);
    moved.push_back(at->second);
  }
  return moved;
}

SummaryMerger::Moved SummaryMerger::AddRegions(const Summary& summary,
                                               const Moved& texts) {
  Moved moved;
  moved.reserve(summary.regions.size());
  for (const SummaryRegion& region : summary.regions) {
    std::uint32_t at = 0;
    if (!moved.empty()) {
      const std::uint32_t parent = moved[region.parent];
      // No pair of text indices has this value.
      const std::uint64_t name =
          region.unattributed ? ~std::uint64_t{0}
                              : Both(texts[region.domain], texts[region.name]);
      const auto [place, is_new] = regions_[parent].try_emplace(
          name, static_cast<std::uint32_t>(all_.regions.size()));
      at = place->second;
      if (is_new) {
        all_.regions.push_back({.parent = parent,
                                .unattributed = region.unattributed,
                                .kind = region.kind,
                                .domain = texts[region.domain],
                                .name = texts[region.name]});
      }
    }
    SummaryRegion& to = all_.regions[at];
    to.kind = std::min(to.kind, region.kind);
    to.instances += region.instances;
    to.unclosed += region.unclosed;
    to.cpu.Add(region.cpu);
    to.gpu.Add(region.gpu);
    to.span.Add(region.span);
    to.idle.Add(region.idle);
    moved.push_back(at);
  }
  return moved;
}

SummaryMerger::Moved SummaryMerger::AddKernels(const Summary& summary,
                                               const Moved& texts) {
  Moved moved;
  moved.reserve(summary.kernels.size());
  for (SummaryKernel kernel : summary.kernels) {
    kernel.name = texts[kernel.name];
    kernel.device = texts[kernel.device];
    for (SummaryValue& value : kernel.attributes) {
      value.metric = texts[value.metric];
      if (value.kind == ValueKind::kText) value.bits = texts[value.bits];
    }
    std::ranges::sort(kernel.attributes);
    const auto [at, is_new] = kernels_.try_emplace(
        kernel, static_cast<std::uint32_t>(all_.kernels.size()));
    if (is_new) all_.kernels.push_back(std::move(kernel));
    moved.push_back(at->second);
  }
  return moved;
}

void SummaryMerger::AddUses(const Summary& summary, const Moved& texts,
                            const Moved& regions) {
  for (const SummaryUse& use : summary.uses) {
    const std::uint32_t region = regions[use.region];
    const TextIndex device = texts[use.device];
    const auto [at, is_new] = uses_.try_emplace(
        Both(region, device), static_cast<std::uint32_t>(all_.uses.size()));
    if (is_new) all_.uses.push_back({.region = region, .device = device});
    SummaryUse& to = all_.uses[at->second];
    for (const auto sum : kUseSums) to.*sum += use.*sum;
    to.latency.Add(use.latency);
  }
}

void SummaryMerger::AddRows(const Summary& summary, const Moved& texts,
                            const Moved& regions, const Moved& kernels) {
  for (const SummaryRow& row : summary.rows) {
    const std::uint32_t region = regions[row.region];
    const std::uint32_t kernel = kernels[row.kernel];
    const auto [at, is_new] = rows_.try_emplace(
        Both(region, kernel), static_cast<std::uint32_t>(all_.rows.size()));
    if (is_new) all_.rows.push_back({.region = region, .kernel = kernel});
    SummaryRow& to = all_.rows[at->second];
    to.launches = SaturatedSum(to.launches, row.launches);
    to.counted += row.counted;
    to.time.Add(row.time);
    std::vector<SummaryMetric> metrics = row.metrics;
    for (SummaryMetric& metric : metrics) {
      metric.metric = texts[metric.metric];
      metric.weight = texts[metric.weight];
      metric.times = texts[metric.times];
    }
    AddMetrics(to.metrics, metrics);
  }
}

void SummaryMerger::AddFacts(const Summary& summary) {
  for (const SummaryFact& fact : summary.facts) {
    const auto [at, is_new] =
        facts_.try_emplace({fact.kind, fact.key, fact.value}, fact);
    if (!is_new) at->second.count += fact.count;
  }
  for (const SummaryNote& note : summary.notes) {
    const auto [at, is_new] =
        notes_.try_emplace({note.severity, note.kind, note.text}, note);
    if (is_new) continue;
    at->second.count += note.count;
    at->second.where = std::min(at->second.where, note.where);
  }
}

Summary SummaryMerger::Take() {
  for (auto& [key, fact] : facts_) all_.facts.push_back(std::move(fact));
  for (auto& [key, note] : notes_) all_.notes.push_back(std::move(note));
  Summary all = std::move(all_);
  *this = SummaryMerger();
  SortSummary(all);
  return all;
}

}  // namespace rangefinder
