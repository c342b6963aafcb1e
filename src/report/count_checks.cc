#include "report/count_checks.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "region/path.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

std::vector<Frame> FramesOf(const RegionTree& tree, RegionId id) {
  std::vector<Frame> frames;
  for (; id != RegionTree::kRoot; id = tree[id].parent)
    frames.push_back(tree[id].frame);
  std::ranges::reverse(frames);
  return frames;
}

}  // namespace

std::string CheckText(const Report& report) {
  const auto& checks = report.options.checks;
  if (checks.empty()) return {};
  return fmt::format(
      "{} of {} estimates agree with exact counts of instances, within the 95 "
      "% of both",
      FormatCount(static_cast<std::uint64_t>(
          std::ranges::count(checks, true, &CountCheck::agrees))),
      FormatCount(checks.size()));
}

void WriteCheckJson(JsonStream& json, const Report& report) {
  if (report.options.checks.empty()) return;
  json.Key("check");
  json.BeginArray();
  for (const CountCheck& check : report.options.checks) {
    json.BeginLineObject();
    json.TextField("region", RegionLabel(*report.profile,
                                         FramesOf(*report.tree, check.region)));
    json.TextField("metric", report.rollup->columns[check.column].name);
    json.TextField("unit", report.rollup->columns[check.column].unit);
    json.NumberField("estimate", check.estimate);
    json.NumberField("standard_error", check.estimate_error);
    json.CountField("instances", check.instances);
    json.NumberField("exact", check.exact);
    json.NumberField("exact_standard_error", check.exact_error);
    json.CountField("counted", check.counted);
    json.Key("agrees");
    json.Value(
        [&](std::string& out) { out += check.agrees ? "true" : "false"; });
    json.EndObject();
  }
  json.EndArray();
}

void WriteCheckMarkdown(std::ostream& out, const Report& report) {
  const auto& checks = report.options.checks;
  if (checks.empty()) return;
  fmt::print(
      out,
      "## Estimates against exact counts\n\nOf one instance, ± one "
      "standard error: {}. A counted instance begins and ends with an "
      "idle GPU: cycles, and traffic that depends on what the caches "
      "hold, may truly differ.\n\n| Region | Metric | Estimate | Exact | "
      "Counted | |\n|:--|:--|--:|--:|--:|:--|\n",
      CheckText(report));
  const std::size_t shown =
      std::min<std::size_t>(checks.size(), report.options.max_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const CountCheck& check = checks[i];
    const Column& column = report.rollup->columns[check.column];
    const auto value = [&](double number, double error) {
      return FormatEstimate(number, error, column.unit);
    };
    fmt::print(out, "| {} | {} | {} | {} | {} of {} | {} |\n",
               MarkdownText(RegionLabel(*report.profile,
                                        FramesOf(*report.tree, check.region))),
               MarkdownCode(column.name),
               value(check.estimate, check.estimate_error),
               value(check.exact, check.exact_error),
               FormatCount(check.counted), FormatCount(check.instances),
               check.agrees ? "agree" : "differ beyond the errors");
  }
  if (shown < checks.size())
    fmt::print(out, "\n{} more in report.json\n",
               FormatCount(checks.size() - shown));
  out << '\n';
}

}  // namespace rangefinder
