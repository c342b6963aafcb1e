#include "app/budget_plan.h"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "region/path.h"

namespace rangefinder {
namespace {

std::string Label(const Profile& profile, const Measurement& m) {
  std::string label;
  for (const Frame& frame : PathOf(profile, m)) {
    if (!label.empty()) label += '/';
    label += FrameText(profile, frame);
  }
  return label;
}

double Nanoseconds(const Profile& profile, const Measurement& m,
                   std::optional<MetricId> duration) {
  if (duration) {
    for (const Sample& sample : profile.SamplesOf(m)) {
      if (sample.metric == *duration)
        return sample.value().number().value_or(0);
    }
  }
  return m.end_ns > m.start_ns ? static_cast<double>(m.end_ns - m.start_ns) : 0;
}

}  // namespace

std::vector<Launch> LaunchesOf(const Profile& profile) {
  const auto duration = profile.FindMetric("gpu__time_duration.sum");
  std::vector<Launch> launches;
  for (const Measurement& m : profile.measurements) {
    if (m.kind != MeasurementKind::kKernel) continue;
    launches.push_back(
        {.region = Label(profile, m),
         .kernel = std::string(profile.Name(m.demangled_name)),
         .config = fmt::format("({},{},{})x({},{},{})", m.grid.x, m.grid.y,
                               m.grid.z, m.block.x, m.block.y, m.block.z),
         .gpu_ns = Nanoseconds(profile, m, duration)});
  }
  return launches;
}

}  // namespace rangefinder
