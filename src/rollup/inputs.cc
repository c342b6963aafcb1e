#include "rollup/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/lists.h"
#include "profile/metric_facts.h"
#include "profile/metric_name.h"
#include "rollup/formula.h"
#include "rollup/rule.h"

namespace rangefinder {
namespace {

// Throughputs are nested less deep; ends loops in damaged facts.
constexpr int kDeepestMetric = 8;

// A section, the sets with it, and a metric whose inputs it lacks.
struct SectionRow {
  std::string_view section;
  std::string_view sets;
  std::string_view metric;
};
constexpr std::string_view kAllSets = "basic detailed full roofline";
constexpr std::string_view kMemory = "MemoryWorkloadAnalysis";
constexpr std::string_view kTables = "MemoryWorkloadAnalysis_Tables";
constexpr std::array kSectionRows = {
    SectionRow{"SpeedOfLight", kAllSets,
               "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    SectionRow{"SpeedOfLight", kAllSets,
               "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    SectionRow{kMemory, "detailed full", "l1tex__t_sector_hit_rate.pct"},
    SectionRow{kMemory, "detailed full", "lts__t_sector_hit_rate.pct"},
    SectionRow{kMemory, "detailed full",
               "lrc__average_ilc_input_sector_compression_rate.ratio"},
    SectionRow{"MemoryWorkloadAnalysis_Chart", "detailed full",
               "lrc__average_xbar2gpc_sectors_op_read.ratio"},
    SectionRow{kTables, "full", "lts__t_sector_op_read_hit_rate.pct"},
    SectionRow{kTables, "full", "lts__t_sector_op_write_hit_rate.pct"},
    SectionRow{kTables, "full", "gcc__average_cache_request_hit_rate.pct"},
    SectionRow{
        kTables, "full",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"},
    SectionRow{
        kTables, "full",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio"},
    SectionRow{
        kTables, "full",
        "smsp__sass_average_data_bytes_per_sector_mem_local_op_ld.ratio"},
    SectionRow{
        kTables, "full",
        "smsp__sass_average_data_bytes_per_sector_mem_local_op_st.ratio"},
    SectionRow{"SourceCounters", "detailed full",
               "smsp__sass_average_branch_targets_threads_uniform.pct"},
};

class Collector {
 public:
  Collector(std::string_view chip, std::span<const std::string> requested)
      : chip_(chip), known_(requested.begin(), requested.end()) {}

  void AddInputsOf(std::string_view metric, int depth = 0) {
    if (depth > kDeepestMetric || metric.find(':') != std::string_view::npos)
      return;
    const MetricName name = ParseMetricName(metric);
    const auto facts = FindMetricFacts(chip_, metric);
    const MetricKind kind = facts ? facts->kind : MetricKind::kOther;
    if (kind == MetricKind::kThroughput) {
      const std::string suffix(name.suffix.empty()
                                   ? "avg.pct_of_peak_sustained_elapsed"
                                   : name.suffix);
      for (const std::string& base : facts->inputs) {
        const std::string input = base + "." + suffix;
        // A throughput among the inputs is replaced by its own inputs.
        const auto part = FindMetricFacts(chip_, input);
        if (!part || part->kind != MetricKind::kThroughput ||
            part->inputs.empty())
          Add(input);
        AddInputsOf(input, depth + 1);
      }
    }
    if (kind == MetricKind::kRatio) {
      // Some ratios have a name for the denominator only.
      for (const std::string& input : {facts->over, facts->under})
        if (!input.empty()) Add(input + ".sum");
    }
    AddCyclesOf(name);
  }

  void Add(const std::string& metric) {
    if (known_.insert(metric).second) inputs_.push_back(metric);
  }

  std::vector<std::string> Take() { return std::move(inputs_); }

 private:
  void AddCyclesOf(const MetricName& name) {
    std::string_view cycles;
    if (name.form == Form::kPctActive || name.form == Form::kPerCycleActive) {
      cycles = "__cycles_active";
    } else if (name.form == Form::kPctElapsed ||
               name.form == Form::kPerCycleElapsed) {
      cycles = "__cycles_elapsed";
    } else {
      return;
    }
    const std::string base = std::string(name.unit) + std::string(cycles);
    if (ChipHasMetric(chip_, base)) Add(base + ".avg");
  }

  std::string_view chip_;
  std::set<std::string> known_;
  std::vector<std::string> inputs_;
};

// Resolves derived metrics to measured ones.
class Apart {
 public:
  Apart(std::span<const DerivedMetric> derived,
        const std::function<bool(const std::string&)>& has)
      : derived_(derived), has_(has) {}

  // The measured metrics of `name`; empty for a constant; nothing if some are
  // missing.
  std::optional<std::vector<std::string>> Of(const std::string& name) {
    const auto at = std::ranges::find(derived_, name, &DerivedMetric::name);
    if (at == derived_.end())
      return has_(name) ? std::optional(std::vector{name}) : std::nullopt;
    // Until its value is known, a metric counts as missing, so that it cannot
    // need itself.
    const auto [known, is_new] = made_.try_emplace(name, std::nullopt);
    if (!is_new) return known->second;
    const auto formula = Formula::Parse(at->formula);
    if (!formula.ok()) return std::nullopt;
    std::vector<std::vector<std::string>> parts;
    for (const std::string& metric : formula.value().metrics())
      parts.push_back(Of(metric).value_or(std::vector<std::string>()));
    Formula::Used used;
    const auto value = formula.value().Evaluate(
        [&](std::size_t i) {
          // Unrelated numbers, so that no divisor is 0 by chance.
          return parts[i].empty()
                     ? std::nullopt
                     : std::optional(std::sqrt(2 + static_cast<double>(i)));
        },
        &used);
    if (!value) return std::nullopt;
    std::vector<std::string> all;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (used.test(i)) all.insert(all.end(), parts[i].begin(), parts[i].end());
    return made_[name] = std::move(all);
  }

 private:
  std::span<const DerivedMetric> derived_;
  const std::function<bool(const std::string&)>& has_;
  std::map<std::string, std::optional<std::vector<std::string>>> made_;
};

}  // namespace

std::vector<std::string> InputsFor(std::string_view chip,
                                   std::span<const std::string> requested) {
  if (requested.empty()) return {};
  Collector collector(chip, requested);
  collector.Add(std::string(kTimeWeight));
  for (const std::string& metric : requested) collector.AddInputsOf(metric);
  return collector.Take();
}

std::vector<std::string> InexactOfSections(
    std::string_view set, std::span<const std::string> sections) {
  std::vector<std::string> metrics;
  for (const SectionRow& row : kSectionRows) {
    const bool in_set =
        !set.empty() && row.sets.find(set) != std::string_view::npos;
    if (in_set || Has(sections, row.section)) metrics.emplace_back(row.metric);
  }
  return metrics;
}

std::vector<std::string> WithoutDerived(
    std::span<const std::string> requested,
    std::span<const DerivedMetric> derived,
    const std::function<bool(const std::string&)>& has) {
  Apart apart(derived, has);
  std::vector<std::string> metrics;
  for (const std::string& name : requested) {
    for (const std::string& part :
         apart.Of(name).value_or(std::vector<std::string>{name}))
      AddOnce(metrics, part);
  }
  return metrics;
}

}  // namespace rangefinder
