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

std::string Counted(double value, std::string_view what) {
  return fmt::format("{} {}{}", Number(value), what, value == 1 ? "" : "s");
}

// "1 launch more", "3 launches fewer"
std::string More(double before, double after, std::string_view one,
                 std::string_view many) {
  const double by = std::abs(after - before);
  return fmt::format("{} {} {}", Number(by), by == 1 ? one : many,
                     after > before ? "more" : "fewer");
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
    add(fmt::format("dynamic shared memory {} → {} bytes a block",
                    before.shared, after.shared));
  if (before.registers != after.registers)
    add(fmt::format("{} registers → {}", before.registers, after.registers));
  return text;
}

class FactSearch {
 public:
  FactSearch(const Side& base, std::size_t old, const Side& other,
             std::size_t fresh, bool per_instance)
      : base_(base),
        other_(other),
        instances_(Same(&RegionFacts::instances, old, fresh)),
        bytes_(Same(&RegionFacts::copy_bytes, old, fresh)),
        per_instance_(per_instance) {}

  std::vector<Fact> All(const std::vector<KernelPair>& kernels) {
    if (instances_ && instances_->first != instances_->second) {
      facts_.push_back({.kind = FactKind::kInstances,
                        .text = fmt::format("ran {}, before {}",
                                            Counted(instances_->second, "time"),
                                            Counted(instances_->first, "time")),
                        .base = instances_->first,
                        .other = instances_->second});
    }
    for (const KernelPair& pair : kernels) Kernel(pair);
    if (bytes_ && !Alike(*bytes_)) {
      facts_.push_back({.kind = FactKind::kBytes,
                        .text = fmt::format("copies {}, before {}",
                                            FormatValue(bytes_->second, "byte"),
                                            FormatValue(bytes_->first, "byte")),
                        .base = bytes_->first,
                        .other = bytes_->second});
    }
    return std::move(facts_);
  }

 private:
  using Pair = std::pair<double, double>;

  template <typename Member>
  std::optional<Pair> Same(Member member, std::size_t old,
                           std::size_t fresh) const {
    const auto before = base_.Take(old, member).same(base_.runs().size());
    const auto after = other_.Take(fresh, member).same(other_.runs().size());
    if (!before || !after) return std::nullopt;
    return Pair{*before, *after};
  }

  // Divided by the instances where those differ, and both are known.
  std::pair<Pair, std::string_view> Scaled(Pair counts) const {
    if (!instances_ || instances_->first <= 0 || instances_->second <= 0)
      return {counts, ""};
    const Pair each = {counts.first / instances_->first,
                       counts.second / instances_->second};
    const bool whole = each.first == std::floor(each.first) &&
                       each.second == std::floor(each.second);
    if (per_instance_ || whole) return {each, " each time"};
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
    const bool fresh = pair.other.has_value();
    const std::string& name = fresh ? *pair.other : *pair.base;
    const double count = fresh ? pair.after.launches : pair.before.launches;
    Pair counts = fresh ? Pair{0, count} : Pair{count, 0};
    const auto [each, when] = Scaled(counts);
    facts_.push_back(
        {.kind = fresh ? FactKind::kKernelNew : FactKind::kKernelGone,
         .text = fmt::format(
             "{}{}: {}", More(each.first, each.second, "launch", "launches"),
             when, Short(name)),
         .kernel = name,
         .base = counts.first,
         .other = counts.second});
  }

  void Replaced(const KernelPair& pair) {
    facts_.push_back(
        {.kind = FactKind::kKernelReplaced,
         .text = fmt::format("{} took the place of {}", Short(*pair.other),
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
         .text = fmt::format(
             "{}{}: {}", More(each.first, each.second, "launch", "launches"),
             when, Short(*pair.other)),
         .kernel = *pair.other,
         .base = *before,
         .other = *after});
  }

  // Where each side launched it in one way.
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

std::string_view FactName(FactKind kind) {
  switch (kind) {
    case FactKind::kInstances:
      return "instances";
    case FactKind::kLaunches:
      return "launches";
    case FactKind::kKernelNew:
      return "kernel_new";
    case FactKind::kKernelGone:
      return "kernel_gone";
    case FactKind::kKernelReplaced:
      return "kernel_replaced";
    case FactKind::kKernelMoved:
      return "kernel_moved";
    case FactKind::kShape:
      return "launch_shape";
    case FactKind::kBytes:
      return "copy_bytes";
  }
  return "";
}

std::vector<Fact> FactsOf(const Side& base, std::size_t old, const Side& other,
                          std::size_t fresh,
                          const std::vector<KernelPair>& kernels,
                          bool per_instance) {
  return FactSearch(base, old, other, fresh, per_instance).All(kernels);
}

void MarkMoved(std::vector<RegionChange>& regions) {
  // By kernel, where it is gone; of one that went from several, the first.
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
        return place.path.empty() ? std::string("no region") : place.path;
      };
      fact.kind = FactKind::kKernelMoved;
      fact.text =
          fmt::format("{} came here from {}", Short(fact.kernel), where(left));
      for (Fact& old : left.facts) {
        if (old.kind != FactKind::kKernelGone || old.kernel != fact.kernel)
          continue;
        old.kind = FactKind::kKernelMoved;
        old.text =
            fmt::format("{} went to {}", Short(fact.kernel), where(region));
      }
      gone.erase(from);
    }
  }
}

}  // namespace rangefinder
