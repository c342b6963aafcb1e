#include "diff/pairing.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "profile/short_name.h"

namespace rangefinder {
namespace {

// The features of a region besides its name: the launches of its kernels and of
// its inner regions' kernels, and the names of its direct inner regions.
using Looks = std::map<std::string, double>;

Looks LooksOf(const Side& side, std::size_t region) {
  Looks looks;
  std::vector<std::size_t> open = {region};
  // The first 64 regions stand for all.
  for (std::size_t i = 0; i < open.size() && i < 64; ++i) {
    for (const auto& [name, kernel] : side.KernelsOf(open[i]))
      looks[BareKernelName(name)] += kernel.launches;
    for (const std::size_t child : side[open[i]].children)
      open.push_back(child);
  }
  for (const std::size_t child : side[region].children)
    looks["/" + side[child].frame] += 1;
  return looks;
}

// Ruzicka's similarity, 0 to 1: the shared part of all features.
double Likeness(const Looks& a, const Looks& b) {
  double shared = 0, all = 0;
  for (const auto& [name, count] : a) {
    const auto other = b.find(name);
    const double there = other == b.end() ? 0 : other->second;
    shared += std::min(count, there);
    all += std::max(count, there);
  }
  for (const auto& [name, count] : b)
    if (!a.contains(name)) all += count;
  return all > 0 ? shared / all : 0;
}

class Pairing {
 public:
  Pairing(const Side& base, const Side& other, const PairingRules& rules)
      : base_(base), other_(other), rules_(rules) {}

  std::vector<RegionPair> All() const {
    std::vector<RegionPair> pairs = {{.base = 0, .other = 0}};
    // Inner regions directly follow their pair: a stack, not a queue. They are
    // pushed in reverse, so that the first one is on top.
    std::vector<RegionPair> open;
    const auto push_children_of = [&](std::size_t parent) {
      std::vector<RegionPair> children = ChildrenOf(pairs[parent]);
      for (RegionPair& child : children | std::views::reverse) {
        child.parent = parent;
        child.depth = pairs[parent].depth + 1;
        open.push_back(child);
      }
    };
    push_children_of(0);
    while (!open.empty()) {
      pairs.push_back(open.back());
      open.pop_back();
      push_children_of(pairs.size() - 1);
    }
    return pairs;
  }

 private:
  using Places = std::vector<std::size_t>;
  // By region of the new side: its partner in the base.
  using Partners =
      std::unordered_map<std::size_t, std::pair<std::size_t, PairedBy>>;

  std::vector<RegionPair> ChildrenOf(const RegionPair& pair) const {
    const Places none;
    Places in_base = pair.base ? base_[*pair.base].children : none;
    const Places& in_new = pair.other ? other_[*pair.other].children : none;
    Partners partner;
    std::unordered_map<std::string, std::size_t> by_name;
    // A rule comes before the region that has the name in the base, too.
    for (const std::size_t child : in_base) {
      const std::string name = NewName(child);
      if (name == base_[child].frame)
        by_name.try_emplace(name, child);
      else
        by_name[name] = child;
    }
    std::set<std::size_t> taken;
    for (const std::size_t child : in_new) {
      const auto same = by_name.find(other_[child].frame);
      if (same == by_name.end()) continue;
      const bool given = base_[same->second].frame != other_[child].frame;
      partner[child] = {same->second,
                        given ? PairedBy::kGiven : PairedBy::kName};
      taken.insert(same->second);
    }
    std::erase_if(in_base,
                  [&](std::size_t child) { return taken.contains(child); });
    if (rules_.guess) Guess(in_base, in_new, partner);
    std::vector<RegionPair> pairs;
    for (const std::size_t child : in_new) {
      RegionPair one{.other = child};
      if (const auto found = partner.find(child); found != partner.end()) {
        one.base = found->second.first;
        one.by = found->second.second;
      }
      pairs.push_back(one);
    }
    for (const std::size_t child : in_base) pairs.push_back({.base = child});
    return pairs;
  }

  // The name of a base region on the new side, by the rules:
  // the last frame of the given path.
  std::string NewName(std::size_t child) const {
    if (!rules_.regions.empty()) {
      const auto given = rules_.regions.find(base_.PathOf(child));
      if (given != rules_.regions.end()) {
        const std::string& path = given->second;
        const std::size_t parent = base_[child].parent;
        const std::size_t skip = parent == 0 ? 0 : path.rfind('/') + 1;
        return path.substr(skip);
      }
    }
    return base_[child].frame;
  }

  // Pairs the most similar regions of `in_base` and `in_new`, if a chance
  // similarity is unlikely; removes them from `in_base`.
  void Guess(Places& in_base, const Places& in_new, Partners& partner) const {
    constexpr double kAlike = 0.6;
    constexpr std::size_t kMost = 200;  // per side: the cost is quadratic
    Places left;
    for (const std::size_t child : in_new)
      if (!partner.contains(child)) left.push_back(child);
    if (in_base.empty() || left.empty() || in_base.size() > kMost ||
        left.size() > kMost)
      return;
    std::vector<Looks> base_looks, new_looks;
    for (const std::size_t child : in_base)
      base_looks.push_back(LooksOf(base_, child));
    for (const std::size_t child : left)
      new_looks.push_back(LooksOf(other_, child));
    struct Candidate {
      double likeness;
      std::size_t in_base, in_new;
    };
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < base_looks.size(); ++i)
      for (std::size_t k = 0; k < new_looks.size(); ++k) {
        const double likeness = Likeness(base_looks[i], new_looks[k]);
        if (likeness >= kAlike)
          candidates.push_back({likeness, in_base[i], left[k]});
      }
    std::ranges::stable_sort(candidates, std::greater<>(),
                             &Candidate::likeness);
    std::set<std::size_t> gone;
    for (const Candidate& one : candidates) {
      if (gone.contains(one.in_base) || partner.contains(one.in_new)) continue;
      gone.insert(one.in_base);
      partner[one.in_new] = {one.in_base, PairedBy::kGuess};
    }
    std::erase_if(in_base,
                  [&](std::size_t child) { return gone.contains(child); });
  }

  const Side& base_;
  const Side& other_;
  const PairingRules& rules_;
};

// The names that rules may refer to on a side.
struct Names {
  std::set<std::string> regions{}, kernels{};
};

Names NamesOf(const Side& side) {
  Names names;
  for (std::size_t i = 1; i < side.regions().size(); ++i)
    names.regions.insert(side.PathOf(i));
  for (const RunFacts& run : side.runs())
    for (const RegionFacts& region : run.regions)
      for (const auto& [name, kernel] : region.kernels)
        names.kernels.insert(name);
  return names;
}

Status CheckName(const std::string& name, const std::set<std::string>& known,
                 std::string_view side, std::string_view what) {
  if (known.contains(name)) return Ok();
  const std::vector<std::string> names(known.begin(), known.end());
  return Error(ErrorCode::kUsage,
               fmt::format("diff.match: the {} has no {} '{}'{}", side, what,
                           Printable(name), DidYouMean(name, names)));
}

Status CheckRules(const Side& base, const Side& other,
                  const PairingRules& rules) {
  if (rules.regions.empty() && rules.kernels.empty()) return Ok();
  const Names in_base = NamesOf(base), in_new = NamesOf(other);
  for (const auto& [from, to] : rules.regions) {
    TRY(CheckName(from, in_base.regions, "base", "region"));
    TRY(CheckName(to, in_new.regions, "new side", "region"));
  }
  for (const auto& [from, to] : rules.kernels) {
    TRY(CheckName(from, in_base.kernels, "base", "kernel"));
    TRY(CheckName(to, in_new.kernels, "new side", "kernel"));
  }
  return Ok();
}

// kUsage: a rule pairs no regions, since the regions around them are no pair.
Status CheckEachPaired(const Side& base, const Side& other,
                       const PairingRules& rules,
                       const std::vector<RegionPair>& pairs) {
  if (rules.regions.empty()) return Ok();
  std::set<std::pair<std::string, std::string>> paths;
  for (const RegionPair& pair : pairs) {
    if (pair.base && pair.other)
      paths.emplace(base.PathOf(*pair.base), other.PathOf(*pair.other));
  }
  for (const auto& rule : rules.regions) {
    if (!paths.contains(rule))
      return Error(ErrorCode::kUsage,
                   fmt::format("diff.match: '{}' cannot be '{}': the regions "
                               "around them are no pair",
                               Printable(rule.first), Printable(rule.second)));
  }
  return Ok();
}

using Kernels = std::map<std::string, Side::Kernel>;

// Pairs kernels whose `key` is equal and unique on both sides.
template <typename Key>
void PairAlike(Kernels& base, Kernels& other, Key key,
               std::vector<KernelPair>& pairs) {
  std::map<std::string, std::vector<std::string>> in_base, in_new;
  for (const auto& [name, kernel] : base) in_base[key(name)].push_back(name);
  for (const auto& [name, kernel] : other) in_new[key(name)].push_back(name);
  for (const auto& [text, names] : in_base) {
    const auto same = in_new.find(text);
    if (same == in_new.end() || names.size() != 1 || same->second.size() != 1)
      continue;
    const std::string& a = names.front();
    const std::string& b = same->second.front();
    pairs.push_back({a, b, PairedBy::kGuess, base[a], other[b]});
    base.erase(a);
    other.erase(b);
  }
}

}  // namespace

Result<std::vector<RegionPair>> PairRegions(const Side& base, const Side& other,
                                            const PairingRules& rules) {
  TRY(CheckRules(base, other, rules));
  auto pairs = Pairing(base, other, rules).All();
  TRY(CheckEachPaired(base, other, rules, pairs));
  return pairs;
}

std::vector<KernelPair> PairKernels(const Kernels& base, const Kernels& other,
                                    const PairingRules& rules) {
  std::vector<KernelPair> pairs;
  Kernels in_base = base, in_new = other;
  for (const auto& [name, kernel] : base) {
    const auto given = rules.kernels.find(name);
    const auto same =
        in_new.find(given == rules.kernels.end() ? name : given->second);
    if (same == in_new.end()) continue;
    const PairedBy by =
        same->first == name ? PairedBy::kName : PairedBy::kGiven;
    pairs.push_back({name, same->first, by, kernel, same->second});
    in_base.erase(name);
    in_new.erase(same);
  }
  if (rules.guess) {
    PairAlike(in_base, in_new, BareKernelName, pairs);
    // A lost and a gained kernel: a replacement, if launched as often.
    if (in_base.size() == 1 && in_new.size() == 1 &&
        std::abs(in_base.begin()->second.launches -
                 in_new.begin()->second.launches) < 0.5) {
      PairAlike(
          in_base, in_new, [](const std::string&) { return ""; }, pairs);
    }
  }
  for (auto& [name, kernel] : in_base)
    pairs.push_back({.base = name, .before = kernel});
  for (auto& [name, kernel] : in_new)
    pairs.push_back({.other = name, .after = kernel});
  std::ranges::stable_sort(pairs, std::greater<>(), [](const KernelPair& p) {
    return std::abs(p.after.time_ns - p.before.time_ns);
  });
  return pairs;
}

std::string BareKernelName(const std::string& name) {
  std::string bare = ShortKernelName(name);
  if (const std::size_t at = bare.find('<'); at != std::string::npos && at > 0)
    bare.resize(at);
  if (const std::size_t at = bare.find('.'); at != std::string::npos && at > 0)
    bare.resize(at);
  // Triton's and compilers' suffixes: words of digits, or of digits, c and d.
  for (;;) {
    const std::size_t at = bare.rfind('_');
    if (at == std::string::npos || at == 0 || at + 1 == bare.size()) break;
    const std::string_view last = std::string_view(bare).substr(at + 1);
    const bool numbers =
        last.find_first_not_of("0123456789cde") == std::string_view::npos &&
        last.find_first_of("0123456789") != std::string_view::npos;
    const bool hash =
        last.size() >= 8 &&
        last.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    if (!numbers && !hash) break;
    bare.resize(at);
  }
  return bare;
}

}  // namespace rangefinder
