#include "region/executions.h"

#include <algorithm>

#include <fmt/format.h>

namespace rangefinder {

std::vector<const Measurement*> InLaunchOrder(const Profile& profile) {
  std::vector<const Measurement*> order;
  order.reserve(profile.measurements.size());
  for (const Measurement& m : profile.measurements) order.push_back(&m);
  std::ranges::stable_sort(order, {}, &Measurement::launch_ns);
  return order;
}

void Executions::Add(const Measurement& m) {
  std::string place = Root(m);
  for (const Frame& frame : PathOf(profile_, m)) {
    Extend(place, frame);
    auto& seen = seen_[place];
    seen.try_emplace(frame.execution, seen.size());
    place += fmt::format("#{:x}", frame.execution);
  }
}

std::optional<std::uint64_t> Executions::Ordinal(
    const Measurement& m, std::span<const Frame> path) const {
  std::string place = Root(m);
  for (const Frame& frame : path) {
    Extend(place, frame);
    const auto& seen = seen_.at(place);
    if (seen.size() > 1) return seen.at(frame.execution);
    place += fmt::format("#{:x}", frame.execution);
  }
  return std::nullopt;
}

std::string Executions::Root(const Measurement& m) {
  return fmt::format("{}.{}", m.artifact, Index(m.process));
}

void Executions::Extend(std::string& place, const Frame& frame) {
  place += fmt::format("/{}.{}", Index(frame.domain), Index(frame.name));
}

}  // namespace rangefinder
