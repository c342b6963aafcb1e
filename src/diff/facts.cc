#include "diff/facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "profile/short_name.h"

namespace rangefinder {
namespace {

std::string Short(const std::string& name) {
  return Printable(ShortKernelName(name));
}

std::string Number(double value) {
  if (value == std::floor(value))
    return FormatCount(static_cast<std::uint64_t>(value));
  return fmt::format("{:.1f}", value);
}

// "1 more launch", "3 fewer launches"
std::string MoreLaunches(double before, double after) {
  const double by = std::abs(after - before);
  return fmt::format("{} {} {}", Number(by), after > before ? "more" : "fewer",
                     by == 1 ? "launch" : "launches");
}

std::string DimText(const Dim3& dim) {
  return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

// "grid (8, 1, 1) → (16, 1, 1), 32 registers → 40"
std::string ShapeText(const LaunchShape& before, const LaunchShape& after) {
  std::string text;
  const auto add = [&](std::string part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  if (before.grid != after.grid)
    add(fmt::format("grid {} → {}", DimText(before.grid), DimText(after.grid)));
  if (before.block != after.block)
    add(fmt::format("block {} → {}", DimText(before.block),
                    DimText(after.block)));
  if (before.shared != after.shared)
    add(fmt::format("dynamic shared memory {} → {} bytes per block",
                    before.shared, after.shared));
  if (before.registers != after.registers)
    add(fmt::format("{} registers → {}", before.registers, after.registers));
  return text;
}

class FactSearch {
 public:
  FactSearch(const Side& base, std::size_t in_base, const Side& other,
             std::size_t in_other, bool per_instance)
      : base_(base),
        other_(other),
        instances_(Same(&RegionFacts::instances, in_base, in_other)),
        bytes_(Same(&RegionFacts::copy_bytes, in_base, in_other)),
        per_instance_(per_instance) {}

  std::vector<Fact> All(const std::vector<KernelPair>& kernels) {
    if (instances_ && instances_->first != instances_->second) {
      facts_.push_back(
          {.kind = FactKind::kInstances,
           .text = fmt::format("{} → {} instances", Number(instances_->first),
                               Number(instances_->second)),
           .base = instances_->first,
           .other = instances_->second});
    }
    for (const KernelPair& pair : kernels) Kernel(pair);
    if (bytes_ && !Alike(*bytes_)) {
      facts_.push_back(
          {.kind = FactKind::kBytes,
           .text = fmt::format("copied bytes {} → {}",
                               FormatValue(bytes_->first, "byte"),
                               FormatValue(bytes_->second, "byte")),
           .base = bytes_->first,
           .other = bytes_->second});
    }
    return std::move(facts_);
  }

 private:
  using Pair = std::pair<double, double>;

  template <typename Member>
  std::optional<Pair> Same(Member member, std::size_t in_base,
                           std::size_t in_other) const {
    const auto before = base_.Take(in_base, member).same(base_.runs().size());
    const auto after = other_.Take(in_other, member).same(other_.runs().size());
    if (!before || !after) return std::nullopt;
    return Pair{*before, *after};
  }

  // Counts per instance where the sides ran the region a different number of
  // times, and where they divide evenly.
  std::pair<Pair, std::string_view> Scaled(Pair counts) const {
    if (!instances_ || instances_->first <= 0 || instances_->second <= 0)
      return {counts, ""};
    const Pair each = {counts.first / instances_->first,
                       counts.second / instances_->second};
    const bool whole = each.first == std::floor(each.first) &&
                       each.second == std::floor(each.second);
    if (per_instance_ || whole) return {each, " per instance"};
    return {counts, ""};
  }

  bool Alike(const Pair& counts) const {
    const auto [each, when] = Scaled(counts);
    return each.first == each.second;
  }

  void Kernel(const KernelPair& pair) {
    if (pair.base && pair.other) {
      if (pair.by != PairedBy::kName) Replaced(pair);
      Launches(pair);
      Shapes(pair);
      return;
    }
    const bool is_new = pair.other.has_value();
    const std::string& name = is_new ? *pair.other : *pair.base;
    const double count = is_new ? pair.after.launches : pair.before.launches;
    const Pair counts = is_new ? Pair{0, count} : Pair{count, 0};
    const auto [each, when] = Scaled(counts);
    facts_.push_back(
        {.kind = is_new ? FactKind::kKernelNew : FactKind::kKernelGone,
         .text = fmt::format("{}{}: {}", MoreLaunches(each.first, each.second),
                             when, Short(name)),
         .kernel = name,
         .base = counts.first,
         .other = counts.second});
  }

  void Replaced(const KernelPair& pair) {
    facts_.push_back({.kind = FactKind::kKernelReplaced,
                      .text = fmt::format("{} replaced {}", Short(*pair.other),
                                          Short(*pair.base)),
                      .kernel = *pair.other,
                      .base = pair.before.launches,
                      .other = pair.after.launches});
  }

  void Launches(const KernelPair& pair) {
    const auto before = pair.before.counts.same(base_.runs().size());
    const auto after = pair.after.counts.same(other_.runs().size());
    if (!before || !after || Alike({*before, *after})) return;
    const auto [each, when] = Scaled({*before, *after});
    facts_.push_back(
        {.kind = FactKind::kLaunches,
         .text = fmt::format("{}{}: {}", MoreLaunches(each.first, each.second),
                             when, Short(*pair.other)),
         .kernel = *pair.other,
         .base = *before,
         .other = *after});
  }

  // Only where each side launched the kernel in a single shape.
  void Shapes(const KernelPair& pair) {
    const auto& before = pair.before.shapes;
    const auto& after = pair.after.shapes;
    if (before.size() != 1 || after.size() != 1) return;
    const std::string text =
        ShapeText(before.begin()->first, after.begin()->first);
    if (text.empty()) return;
    facts_.push_back({.kind = FactKind::kShape,
                      .text = fmt::format("{}: {}", Short(*pair.other), text),
                      .kernel = *pair.other,
                      .base = pair.before.launches,
                      .other = pair.after.launches});
  }

  const Side& base_;
  const Side& other_;
  const std::optional<Pair> instances_, bytes_;
  const bool per_instance_;
  std::vector<Fact> facts_{};
};

}  // namespace

std::vector<Fact> FactsOf(const Side& base, std::size_t in_base,
                          const Side& other, std::size_t in_other,
                          const std::vector<KernelPair>& kernels,
                          bool per_instance) {
  return FactSearch(base, in_base, other, in_other, per_instance).All(kernels);
}

void MarkMoved(std::vector<RegionChange>& regions) {
  // By kernel, the first region that lost it.
  std::map<std::string, std::pair<std::size_t, double>> gone;
  for (std::size_t i = 0; i < regions.size(); ++i)
    for (const Fact& fact : regions[i].facts)
      if (fact.kind == FactKind::kKernelGone)
        gone.try_emplace(fact.kernel, i, fact.base);
  for (RegionChange& region : regions) {
    for (Fact& fact : region.facts) {
      if (fact.kind != FactKind::kKernelNew) continue;
      const auto from = gone.find(fact.kernel);
      if (from == gone.end() || from->second.second != fact.other) continue;
      RegionChange& left = regions[from->second.first];
      const auto where = [](const RegionChange& place) {
        return place.path.empty() ? std::string("outside regions") : place.path;
      };
      fact.kind = FactKind::kKernelMoved;
      fact.text =
          fmt::format("{} moved here from {}", Short(fact.kernel), where(left));
      for (Fact& lost : left.facts) {
        if (lost.kind != FactKind::kKernelGone || lost.kernel != fact.kernel)
          continue;
        lost.kind = FactKind::kKernelMoved;
        lost.text =
            fmt::format("{} moved to {}", Short(fact.kernel), where(region));
      }
      gone.erase(from);
    }
  }
}

}  // namespace rangefinder
