#include "profile/profile.h"

#include <cmath>

namespace rangefinder {

MetricId Profile::InternMetric(std::string_view name) {
  const StringId string = strings.Intern(name);
  if (Index(string) >= metric_by_string_.size())
    metric_by_string_.resize(Index(string) + 1);
  std::uint32_t& entry = metric_by_string_[Index(string)];
  if (entry == 0) {
    metrics.push_back({.name = string});
    entry = static_cast<std::uint32_t>(metrics.size());
  }
  return static_cast<MetricId>(entry - 1);
}

std::optional<MetricId> Profile::FindMetric(std::string_view name) const {
  const std::optional<StringId> string = strings.Find(name);
  if (!string || Index(*string) >= metric_by_string_.size())
    return std::nullopt;
  const std::uint32_t entry = metric_by_string_[Index(*string)];
  if (entry == 0) return std::nullopt;
  return static_cast<MetricId>(entry - 1);
}

Value Profile::ValueOf(const Measurement& m, MetricId metric) const {
  const std::span<const Sample> all = SamplesOf(m);
  for (std::size_t i = all.size(); i-- > 0;) {
    if (all[i].metric == metric) return all[i].value();
  }
  return {};
}

NvtxStateId AddPath(Profile& profile, std::span<const PathRange> path,
                    std::uint64_t thread) {
  NvtxState state{.order = NvtxState::Order::kTime};
  for (const PathRange& range : path) OpenInside(state, range, thread);
  profile.nvtx_states.push_back(std::move(state));
  return static_cast<NvtxStateId>(profile.nvtx_states.size() - 1);
}

std::optional<double> DurationNs(const Profile& profile, const Measurement& m) {
  if (const auto metric = profile.FindMetric("gpu__time_duration.sum")) {
    // A damaged file may have any value.
    const auto ns = profile.ValueOf(m, *metric).number();
    if (ns && *ns >= 0 && std::isfinite(*ns)) return ns;
  }
  if (m.end_ns > m.start_ns) return static_cast<double>(m.end_ns - m.start_ns);
  return std::nullopt;
}

std::uint64_t LaunchesOf(const Profile& profile, const Measurement& m) {
  return m.folded == 0 ? 1 : profile.folded[m.folded - 1].launches;
}

}  // namespace rangefinder
