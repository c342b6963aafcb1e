#include "app/collection.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "profile/metric_facts.h"
#include "rollup/inputs.h"

namespace rangefinder {
namespace {

// Names that ncu itself expands cannot be looked up.
bool IsExpanded(std::string_view name) {
  return name.find(':') != std::string_view::npos;
}

bool SomeChipHas(const std::string& name) {
  return IsExpanded(name) || FindMetricFacts("", name).has_value() ||
         ChipHasMetric("", name.substr(0, name.find('.')));
}

// Counted by patched instructions, in a pass without the hardware's counters.
bool IsPatched(std::string_view name) {
  return name.find("sass_") != std::string_view::npos;
}

// The inputs of a metric are the very counters that it is computed from, and
// those of all metrics are scheduled together. Only the duration may be new,
// which needs a pass of the hardware's counters (docs/rollup.md).
int MorePasses(const NcuSettings& ncu,
               const std::vector<std::string>& metrics) {
  const bool patched_alone = !ncu.set && ncu.sections.empty() &&
                             std::ranges::all_of(metrics, IsPatched);
  return patched_alone ? 1 : 0;
}

std::filesystem::path ThisProgram() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace

std::vector<std::string> CollectedMetrics(const NcuSettings& ncu, Notes& notes,
                                          const RollupSettings& rollup) {
  std::vector<std::string> metrics;
  std::vector<std::string> unknown;
  const std::vector<std::string> measured =
      WithoutDerived(ncu.metrics, RollupOptionsOf(rollup).derived, SomeChipHas);
  for (const std::string& name : measured)
    (SomeChipHas(name) ? metrics : unknown).push_back(name);
  if (!unknown.empty()) {
    notes.Add(
        Severity::kWarning, "unknown_metric",
        fmt::format("no chip has the metric{} {}: left out",
                    unknown.size() == 1 ? "" : "s",
                    Printable(fmt::format("{}", fmt::join(unknown, ", ")))));
  }
  if (!ncu.exact_rollup) return metrics;
  const std::vector<std::string> inputs = InputsFor("", metrics);
  if (inputs.empty()) return metrics;
  const std::size_t count = inputs.size();
  notes.Add(
      Severity::kInfo, "rollup_inputs",
      fmt::format("{} more metric{} collected so that the wanted ones can be "
                  "combined exactly; that takes {} "
                  "(pipeline.ncu.exact_rollup=false leaves {} out)",
                  count, count == 1 ? " is" : "s are",
                  MorePasses(ncu, metrics) == 0
                      ? "no further pass, for they are what the wanted ones "
                        "are computed from"
                      : "1 further pass for each kernel",
                  count == 1 ? "it" : "them"));
  metrics.insert(metrics.end(), inputs.begin(), inputs.end());
  return metrics;
}

Result<std::vector<std::string>> ProgramToRun(
    const std::vector<std::string>& program, const Settings& settings) {
  if (!program.empty()) return program;
  if (!settings.workload_argv.empty()) return settings.workload_argv;
  std::vector<std::filesystem::path> folders;
  if (const char* examples = std::getenv("RANGEFINDER_EXAMPLES"))
    folders.emplace_back(examples);
  const std::filesystem::path here = ThisProgram().parent_path();
  folders.insert(folders.end(),
                 {here, here / "examples",
                  here.parent_path() / "share/rangefinder/examples"});
  std::error_code error;
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path path = folder / settings.bundled.program;
    if (settings.bundled.program.empty() ||
        !std::filesystem::is_regular_file(path, error))
      continue;
    std::vector<std::string> argv = {path.string()};
    argv.insert(argv.end(), settings.bundled.arguments.begin(),
                settings.bundled.arguments.end());
    return argv;
  }
  return Error(
      ErrorCode::kUsage,
      fmt::format(
          "no program to profile: put it after --, as in `rangefinder "
          "profile -- ./program`, or name it in pipeline.workload.argv; "
          "the bundled {} is not beside this program (build it with "
          "examples/build.sh, and say where in RANGEFINDER_EXAMPLES)",
          settings.bundled.program));
}

}  // namespace rangefinder
