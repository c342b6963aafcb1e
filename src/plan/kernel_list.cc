#include "plan/kernel_list.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "region/path.h"

namespace rangefinder {
namespace {

void SortByTime(std::vector<TopKernel>& kernels) {
  std::ranges::sort(kernels, [](const TopKernel& a, const TopKernel& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    if (a.calls != b.calls) return a.calls > b.calls;
    return a.name < b.name;
  });
}

void SetShares(std::vector<TopKernel>& kernels) {
  double total = 0;
  for (const TopKernel& kernel : kernels) total += kernel.total_ns;
  if (!(total > 0)) return;
  for (TopKernel& kernel : kernels) kernel.share = kernel.total_ns / total;
}

void AddDuration(TopKernel& kernel, double least, double most) {
  kernel.min_ns = std::min(kernel.min_ns.value_or(least), least);
  kernel.max_ns = std::max(kernel.max_ns.value_or(most), most);
}

std::vector<std::string> FramesOf(const Profile& profile,
                                  const RegionTree& tree, RegionId region) {
  std::vector<std::string> frames;
  for (const Frame& frame : tree.PathTo(region))
    frames.push_back(FrameText(profile, frame));
  return frames;
}

void NoteLeftOut(std::uint64_t without_time, std::uint64_t no_kernels,
                 Notes& notes) {
  if (without_time > 0) {
    notes.Add(Severity::kWarning, "kernels_without_time",
              "the capture has no gpu__time_duration.sum for some kernels; "
              "they are ranked as if they took none",
              "", without_time);
  }
  if (no_kernels > 0) {
    notes.Add(Severity::kInfo, "no_kernels",
              "ranges and graphs that were measured as a whole are no kernels, "
              "and not in this list",
              "", no_kernels);
  }
}

}  // namespace

std::vector<TopKernel> TopKernels(const Profile& profile,
                                  const RegionTree& tree, Notes& notes) {
  std::vector<TopKernel> kernels;
  std::unordered_map<std::uint32_t, std::size_t> by_name;
  std::vector<std::map<RegionId, double>> regions;  // time in each, by kernel
  std::uint64_t without_time = 0;
  std::uint64_t no_kernels = 0;
  for (std::size_t i = 1; i < tree.regions().size(); ++i) {
    const auto region = static_cast<RegionId>(i);
    no_kernels += tree[region].ranges.size();
    for (const MeasurementId id : tree[region].kernels) {
      const Measurement& m = profile.measurements[Index(id)];
      if (m.kind != MeasurementKind::kKernel) {
        ++no_kernels;
        continue;
      }
      const auto [at, is_new] = by_name.try_emplace(
          static_cast<std::uint32_t>(m.demangled_name), kernels.size());
      if (is_new) {
        kernels.push_back(
            {.name = std::string(profile.Name(m.demangled_name))});
        regions.emplace_back();
        // The name comes from another demangler than ncu's.
        if (profile.artifacts.size() > m.artifact &&
            profile.artifacts[m.artifact].format == "trace" &&
            m.mangled_name != m.demangled_name)
          kernels.back().mangled = profile.Name(m.mangled_name);
      }
      TopKernel& kernel = kernels[at->second];
      const std::uint64_t launches = LaunchesOf(profile, m);
      kernel.calls += launches;
      const auto ns = DurationNs(profile, m);
      (ns ? kernel.timed : without_time) += launches;
      kernel.total_ns += ns.value_or(0);
      if (ns && m.folded == 0) AddDuration(kernel, *ns, *ns);
      if (ns && m.folded != 0) {
        const FoldedLaunches& folded = profile.folded[m.folded - 1];
        AddDuration(kernel, static_cast<double>(folded.min_ns),
                    static_cast<double>(folded.max_ns));
      }
      regions[at->second][region] += ns.value_or(0);
    }
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::vector<std::pair<RegionId, double>> order(regions[i].begin(),
                                                   regions[i].end());
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
      return a.second > b.second;
    });
    for (const auto& [region, ns] : order)
      kernels[i].regions.push_back(FramesOf(profile, tree, region));
  }
  NoteLeftOut(without_time, no_kernels, notes);
  SetShares(kernels);
  SortByTime(kernels);
  return kernels;
}

std::vector<TopKernel> TopKernels(std::span<const KernelSummaryRow> rows) {
  std::vector<TopKernel> kernels;
  std::unordered_map<std::string, std::size_t> by_name;
  for (const KernelSummaryRow& row : rows) {
    const auto [at, is_new] = by_name.try_emplace(row.name, kernels.size());
    if (is_new) kernels.push_back({.name = row.name});
    TopKernel& kernel = kernels[at->second];
    kernel.calls += row.calls;
    kernel.timed += row.calls;
    kernel.total_ns += row.total_ns;
    kernel.share += row.share.value_or(0);
    const auto least = row.min_ns ? row.min_ns : row.max_ns;
    const auto most = row.max_ns ? row.max_ns : row.min_ns;
    if (least) AddDuration(kernel, *least, *most);
  }
  // Nsight Systems' own shares are used if every row has one.
  if (!std::ranges::all_of(
          rows, [](const auto& row) { return row.share.has_value(); }))
    SetShares(kernels);
  SortByTime(kernels);
  return kernels;
}

std::string EscapeRegex(std::string_view text) {
  return Backslashed(text, "()[]{}?*+-|^$\\.&~# \t\n\r\v\f");
}

std::string ExactRegex(std::string_view name) {
  return "^" + EscapeRegex(name) + "$";
}

}  // namespace rangefinder
