#include "capture/cost.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace rangefinder {
namespace {

double SecondsOf(const Launch& launch, int passes, const CostModel& model) {
  return model.launch_s + passes * (model.pass_s + launch.gpu_ns * 1e-9);
}

// Passes of a section on GH100. For counters of a section's own table, NVIDIA's
// scheduler gives the passes (tools/metric_facts/passes.cc); sections share
// most of them. Charts and tables have further counters; their passes are
// fitted to the passes of `full` (docs/measured.md#how-long-an-ncu-run-takes).
struct SectionPasses {
  std::string_view section;
  double alone;  // of the section alone
  double more;   // added to a section with more passes
};
constexpr SectionPasses kSections[] = {
    {"SpeedOfLight", 9, 9},
    {"SpeedOfLight_RooflineChart", 2, 2},
    {"SpeedOfLight_Hierarchical", 2, 2},  // and the type
    {"ComputeWorkloadAnalysis", 8, 0},
    {"MemoryWorkloadAnalysis", 7, 0},
    {"MemoryWorkloadAnalysis_Chart", 3, 3},
    {"MemoryWorkloadAnalysis_Tables", 9, 9},
    {"SchedulerStats", 1, 0.5},
    {"WarpStateStats", 2, 0.5},
    {"InstructionStats", 1, 0},
    {"LaunchStats", 0, 0},
    {"NumaAffinity", 0, 0},
    {"Nvlink", 0, 0},
    {"Occupancy", 1, 0.5},
    {"WorkloadDistribution", 1, 0},
    {"PmSampling", 2, 2},
    {"PmSampling_WarpStates", 2, 2},
    {"SourceCounters", 2, 0.5},
};
constexpr SectionPasses kOtherSection = {"", 2, 1};

struct SetPasses {
  std::string_view set;
  int passes;
};
constexpr SetPasses kSets[] = {
    {"basic", 9}, {"detailed", 25}, {"roofline", 19}, {"full", 37}};

const SectionPasses& FindSection(std::string_view name) {
  const SectionPasses* found = &kOtherSection;
  for (const SectionPasses& known : kSections) {
    if (name.starts_with(known.section) &&
        known.section.size() > found->section.size())
      found = &known;
  }
  return *found;
}

// The passes of the largest section, and the passes that the others add.
int PassesOfSections(const std::vector<std::string>& sections, double most) {
  double shared = 0;
  for (const std::string& name : sections) {
    const SectionPasses& section = FindSection(name);
    if (section.more != section.alone || section.section == "SpeedOfLight")
      most = std::max(most, section.alone);
  }
  for (const std::string& name : sections) {
    const SectionPasses& section = FindSection(name);
    if (section.section != "SpeedOfLight" && section.alone < most)
      shared += section.more;
  }
  return static_cast<int>(most + shared);
}

int PassesOfMetrics(const std::vector<std::string>& metrics) {
  const auto count = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::count_if(metrics, [&](const std::string& metric) {
      return std::ranges::any_of(parts, [&](std::string_view part) {
        return metric.find(part) != std::string::npos;
      });
    });
  };
  int passes = metrics.empty() ? 0 : 1;
  // Throughput metrics have many inputs; the largest one decides.
  if (count({"sm__throughput"}) > 0) {
    passes = 8;
  } else if (count({"compute_memory_throughput"}) > 0) {
    passes = 5;
  } else if (count({"l1tex__throughput", "lts__throughput"}) > 0) {
    passes = 4;
  } else if (count({"compute_memory_"}) > 0) {
    passes = 3;
  } else if (count({"lookup_hit", "lts__t_sector_hit_rate"}) > 0) {
    passes = 2;
  }
  // Metrics of patched code: two per pass.
  return passes + static_cast<int>(count({"flop_count", "sass_"}) + 1) / 2;
}

bool Disassembles(const NcuOptions& options) {
  if (options.set && *options.set == "full") return true;
  return std::ranges::any_of(options.sections, [](const std::string& name) {
    return name == "SourceCounters" || name.starts_with("PmSampling");
  });
}

}  // namespace

CostModel ModelFor(const NcuOptions& options) {
  CostModel model;
  if (Disassembles(options)) model.launch_s = 1;
  return model;
}

double EstimateSeconds(std::span<const Launch> launches, int passes,
                       const CostModel& model) {
  double seconds = 0;
  for (const Launch& launch : launches)
    seconds += SecondsOf(launch, passes, model);
  return seconds;
}

int EstimatePasses(const NcuOptions& options, std::string_view mode) {
  std::string_view set = options.set ? std::string_view(*options.set) : "";
  if (set.empty() && options.sections.empty() && options.metrics.empty())
    set = "basic";
  double of_set = 0;
  for (const SetPasses& known : kSets) {
    if (known.set == set) of_set = known.passes;
  }
  const int sections = set == "full"
                           ? static_cast<int>(of_set)
                           : PassesOfSections(options.sections, of_set);
  // Metrics that a section contains cost nothing more.
  int passes = std::max({1, PassesOfMetrics(options.metrics), sections});
  if (mode == "app-range") return passes;
  if (passes > 1) ++passes;       // kernel replay adds one
  if (mode == "range") ++passes;  // a warm-up
  return passes;
}

std::string DurationText(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(seconds, 1.0));
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace rangefinder
