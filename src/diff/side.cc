#include "diff/side.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "diff/statistics.h"

namespace rangefinder {

double Over::mean() const {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

double Over::median() const {
  return MedianOf(values);
}

std::optional<double> Over::same(std::size_t runs) const {
  if (values.empty() || values.size() != runs ||
      !std::ranges::all_of(values,
                           [&](double v) { return v == values.front(); }))
    return std::nullopt;
  return values.front();
}

Side::Side(std::span<const RunFacts> runs) : runs_(runs) {
  regions_.emplace_back();
  // By parent and frame: a region of one run is found in those before it.
  std::vector<std::unordered_map<std::string, std::size_t>> inner(1);
  for (std::size_t number = 0; number < runs.size(); ++number) {
    std::vector<std::size_t> place(runs[number].regions.size(), 0);
    for (std::size_t i = 0; i < place.size(); ++i) {
      const RegionFacts& facts = runs[number].regions[i];
      if (i > 0) {
        const std::size_t parent = place[facts.parent];
        const auto [at, added] =
            inner[parent].try_emplace(facts.frame, regions_.size());
        place[i] = at->second;
        if (added) {
          regions_[parent].children.push_back(regions_.size());
          regions_.push_back({.frame = facts.frame,
                              .parent = parent,
                              .depth = regions_[parent].depth + 1});
          inner.emplace_back();
        }
      }
      SideRegion& region = regions_[place[i]];
      region.runs.resize(runs.size(), nullptr);
      region.runs[number] = &facts;
    }
  }
  for (SideRegion& region : regions_) region.runs.resize(runs.size(), nullptr);
}

std::string Side::PathOf(std::size_t region) const {
  std::vector<std::string_view> frames;
  for (; region != 0; region = regions_[region].parent)
    frames.push_back(regions_[region].frame);
  std::string path;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!path.empty()) path += '/';
    path += *frame;
  }
  return path;
}

std::map<std::string, Side::Kernel> Side::KernelsOf(std::size_t region) const {
  std::map<std::string, Kernel> kernels;
  const auto runs = static_cast<double>(runs_.size());
  for (const RegionFacts* facts : regions_[region].runs) {
    if (facts == nullptr) continue;
    for (const auto& [name, one] : facts->kernels) {
      Kernel& kernel = kernels[name];
      kernel.launches += static_cast<double>(one.launches);
      kernel.time_ns += one.time_ns;
      if (kernel.shapes.empty()) kernel.shapes = one.shapes;
      kernel.counts.values.push_back(static_cast<double>(one.launches));
    }
  }
  for (auto& [name, kernel] : kernels) {
    kernel.launches /= runs;
    kernel.time_ns /= runs;
  }
  return kernels;
}

}  // namespace rangefinder
