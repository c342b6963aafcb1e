#include "rollup/inputs.h"

#include <set>

#include "profile/metric_facts.h"
#include "profile/metric_name.h"
#include "rollup/rule.h"

namespace rangefinder {
namespace {

// Deeper than any throughput is nested; a loop in the facts ends here.
constexpr int kMaxDepth = 8;

class Collector {
 public:
  Collector(std::string_view chip, std::span<const std::string> requested)
      : chip_(chip), known_(requested.begin(), requested.end()) {}

  void AddInputsOf(std::string_view metric, int depth = 0) {
    if (depth > kMaxDepth || metric.find(':') != std::string_view::npos) return;
    const MetricName name = ParseMetricName(metric);
    const auto facts = FindMetricFacts(chip_, metric);
    const MetricKind kind = facts ? facts->kind : MetricKind::kOther;
    if (kind == MetricKind::kThroughput) {
      const std::string suffix(name.suffix.empty()
                                   ? "avg.pct_of_peak_sustained_elapsed"
                                   : name.suffix);
      for (const std::string& base : facts->inputs) {
        const std::string input = base + "." + suffix;
        // The parts of a throughput are wanted in its place.
        const auto part = FindMetricFacts(chip_, input);
        if (!part || part->kind != MetricKind::kThroughput ||
            part->inputs.empty())
          Add(input);
        AddInputsOf(input, depth + 1);
      }
    }
    if (kind == MetricKind::kRatio && !facts->over.empty()) {
      Add(facts->over + ".sum");
      Add(facts->under + ".sum");
    }
    AddCyclesOf(name);
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

  void Add(const std::string& metric) {
    if (known_.insert(metric).second) inputs_.push_back(metric);
  }

  std::string_view chip_;
  std::set<std::string> known_;
  std::vector<std::string> inputs_;
};

}  // namespace

std::vector<std::string> InputsFor(std::string_view chip,
                                   std::span<const std::string> requested) {
  if (requested.empty()) return {};
  std::vector<std::string> duration = {std::string(kTimeWeight)};
  for (const std::string& metric : requested) {
    if (metric == kTimeWeight) duration.clear();
  }
  Collector collector(chip, requested);
  for (const std::string& metric : requested) collector.AddInputsOf(metric);
  for (std::string& metric : collector.Take()) {
    if (metric != kTimeWeight) duration.push_back(std::move(metric));
  }
  return duration;
}

}  // namespace rangefinder
