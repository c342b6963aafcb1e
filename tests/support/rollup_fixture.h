// Profiles made by hand for the tests of the rollup, and cells drawn as text.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rollup/rollup.h"

namespace rangefinder {

using Values = std::vector<std::pair<std::string, double>>;

// Builds a profile: kernels in regions, in the order of the calls.
class RollUpTest : public testing::Test {
 protected:
  RegionId Region(RegionId parent, std::string_view name) {
    return tree_.FindOrAdd(parent, {.name = profile_.strings.Intern(name)});
  }
  RegionId Region(std::string_view name) {
    return Region(RegionTree::kRoot, name);
  }

  MeasurementId Measure(const Values& values, std::string_view kernel = "k") {
    Measurement m;
    m.demangled_name = profile_.strings.Intern(kernel);
    m.device = device_;
    m.process = process_;
    m.first_sample = profile_.samples.size();
    m.sample_count = values.size();
    for (const auto& [name, value] : values) {
      const Value number = Value::Number(value);
      profile_.samples.push_back({.metric = profile_.InternMetric(name),
                                  .kind = number.kind,
                                  .bits = number.bits});
    }
    profile_.measurements.push_back(m);
    return static_cast<MeasurementId>(profile_.measurements.size() - 1);
  }
  void Kernel(RegionId region, const Values& values,
              std::string_view kernel = "k") {
    tree_[region].kernels.push_back(Measure(values, kernel));
  }
  void Range(RegionId region, const Values& values) {
    const MeasurementId id = Measure(values, "range");
    profile_.measurements[Index(id)].kind = MeasurementKind::kRange;
    tree_[region].ranges.push_back(id);
  }

  Rollup Roll(std::vector<std::string> metrics = {}) {
    return RollUp(profile_, tree_, {.metrics = std::move(metrics)}, notes_);
  }

  // Draws a cell as "16 exact sum" or "2..5 absent spread (differs ...)".
  std::string Draw(const Cell& cell) {
    std::string text;
    if (cell.is_text) {
      text = profile_.Name(cell.text);
    } else if (cell.how != How::kAbsent) {
      text = fmt::format("{:.10g}", cell.value);
    } else if (cell.has_spread) {
      text = fmt::format("{:g}..{:g}", cell.low, cell.high);
    } else {
      text = "-";
    }
    text +=
        fmt::format(" {} {}", HowName(cell.how), std::string_view(cell.rule));
    if (cell.bound != Bound::kNone)
      text += fmt::format(" {}", BoundName(cell.bound));
    if (!cell.weight.empty())
      text += fmt::format(" by {}", std::string_view(cell.weight));
    if (cell.missing != 0)
      text += fmt::format(" {}/{}", cell.present, cell.present + cell.missing);
    if (!cell.reason.empty())
      text += fmt::format(" ({})", std::string_view(cell.reason));
    return text;
  }
  std::string Draw(const std::string& metric, RegionId region) {
    const Rollup rollup = Roll({metric});
    return Draw(rollup.scopes[0].regions[Index(region)].inclusive.cells[0]);
  }

  Profile profile_;
  RegionTree tree_;
  Notes notes_;
  ProcessId process_{};
  std::int32_t device_ = 0;
};

inline const std::string kTime = "gpu__time_duration.sum";

}  // namespace rangefinder
