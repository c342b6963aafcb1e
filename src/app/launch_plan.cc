#include "app/launch_plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rangefinder {
namespace {

// One word of a command line has room for 128 KiB, all of them for some more.
constexpr std::size_t kMostText = 60'000;
constexpr std::size_t kMostTogether = 400'000;

// What the parts of an id are told apart by must not be in a name.
bool CanBeNamed(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.';
  });
}

}  // namespace

bool LaunchesHaveNumbers(const Profile& profile, const NcuOptions& ncu) {
  for (const char* name :
       {"kernel_name", "kernel_id", "filter_mode", "launch_count",
        "launch_skip", "launch_skip_before_match", "graph_profiling"}) {
    if (ncu.options.contains(name)) return false;
  }
  const Measurement* first = nullptr;
  std::set<std::uint64_t> calls;
  for (const Measurement& m : profile.measurements) {
    if (m.kind != MeasurementKind::kKernel) continue;
    if (first == nullptr) first = &m;
    // A graph launches many kernels in one call.
    if (m.process != first->process || m.thread != first->thread ||
        m.device != first->device || !calls.insert(m.api_call).second ||
        !CanBeNamed(profile.Name(m.mangled_name)))
      return false;
  }
  return first != nullptr;
}

std::optional<std::vector<std::string>> KernelIds(
    std::span<const Launch> launches) {
  std::map<std::string_view, std::vector<std::uint64_t>> numbers;
  for (const Launch& launch : launches)
    numbers[launch.mangled].push_back(launch.number);
  std::vector<std::string> ids;
  std::size_t together = 0;
  for (const auto& [name, list] : numbers) {
    std::string id = fmt::format("::{}:{}", name, fmt::join(list, "|"));
    together += id.size();
    if (id.size() > kMostText || together > kMostTogether) return std::nullopt;
    ids.push_back(std::move(id));
  }
  return ids;
}

}  // namespace rangefinder
