#include "insight/headlines.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/parallel.h"
#include "insight/facts.h"
#include "insight/run_view.h"
#include "insight/times.h"
#include "profile/range_depth.h"
#include "region/path.h"

namespace rangefinder {
namespace {

// An inner region with this share of its outer region's savings replaces the
// outer region.
constexpr double kMostOf = 2.0 / 3;
// A cause with less than this share of the run's time is no headline.
constexpr double kWorthwhileShare = 0.05;

class Finder {
 public:
  Finder(const RunView& run, const CauseTable& causes)
      : run_(run),
        scope_(run.rollup->scopes.front()),
        causes_(causes),
        facts_(run, scope_) {}

  Diagnosis Find() {
    Diagnosis found;
    found.main_causes.resize(run_.tree->regions().size());
    VisitRun();
    const std::vector<RegionId> order = ReadingOrder(run_, scope_);
    // A program can do little about ranges that a library opens outside the
    // program's own: their causes matter only if the program has no ranges.
    const bool leaves_libraries_out =
        std::ranges::any_of(order, [&](RegionId id) {
          return !(*run_.tree)[id].unattributed && !IsInLibrary(id);
        });
    reported_ = {order.begin(), order.end()};
    // Each region is evaluated independently.
    std::vector<Judged> judged(order.size());
    InParallel(order.size(), [&](std::size_t i, std::size_t) {
      judged[i] =
          Judge(order[i], leaves_libraries_out && IsInLibrary(order[i]));
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const RegionId id = order[i];
      VisitLeaked(id);
      VisitUnclosed(id, judged[i]);
      wall_ns_ += judged[i].wall_ns;
      gpu_ns_ += judged[i].gpu_ns;
      std::vector<Cause>& causes = judged[i].causes;
      if (!causes.empty()) found.main_causes[Index(id)] = causes.front();
      for (Cause& cause : causes)
        candidates_[cause.id].push_back(
            {id, Severity::kInfo, std::move(cause)});
    }
    for (Headline& wait : candidates_["waits_for"])
      NameAwaited(found.main_causes, wait);
    FindInside(found.main_causes);
    for (auto& [id, of_cause] : candidates_) Choose(of_cause);
    DropRunOfRegions();
    std::ranges::stable_sort(chosen_, std::ranges::greater(), RankOf);
    found.causes = std::move(chosen_);
    found.headlines = found.causes;
    if (found.headlines.size() > kMostHeadlines)
      found.headlines.resize(kMostHeadlines);
    return found;
  }

 private:
  // Warnings first; then the largest savings.
  static std::pair<Severity, double> RankOf(const Headline& headline) {
    return {headline.severity, headline.cause.weight_ns()};
  }

  // Whether a library opened the outermost range of a region.
  bool IsInLibrary(RegionId id) const {
    const RegionTree& tree = *run_.tree;
    if (id == RegionTree::kRoot) return false;
    while (tree[id].parent != RegionTree::kRoot) id = tree[id].parent;
    return IsOfLibrary(run_.profile->Name(tree[id].frame.domain));
  }

  // Whether no outer region of it is reported.
  bool IsOutermost(RegionId id) const {
    const RegionTree& tree = *run_.tree;
    do {
      id = tree[id].parent;
    } while (id != RegionTree::kRoot && !reported_.contains(id));
    return id == RegionTree::kRoot;
  }

  // Causes of the whole run, independent of the regions that launched the work.
  void VisitRun() {
    const FactsOfRegions::One facts(facts_, RegionTree::kRoot);
    for (Cause& cause : causes_.Judge(facts.AsFacts(), "run"))
      candidates_[cause.id].push_back(
          {RegionTree::kRoot, Severity::kInfo, std::move(cause)});
  }

  struct Judged {
    std::uint64_t instances = 0, unclosed = 0;
    double wall_ns = 0, gpu_ns = 0;  // of an outermost region
    std::vector<Cause> causes{};
  };
  Judged Judge(RegionId id, bool of_library) const {
    Judged judged;
    const FactsOfRegions::One facts(facts_, id);
    if (facts.times()) {
      judged.instances = facts.times()->instances;
      judged.unclosed = facts.times()->unclosed;
    }
    if (of_library) return judged;
    if (IsOutermost(id)) {
      const auto ns = [&](std::string_view name) {
        return facts.Number(name).value_or(CauseFact()).value;
      };
      judged.wall_ns = ns("all_wall");
      judged.gpu_ns = ns("gpu");
    }
    judged.causes = causes_.Judge(facts.AsFacts(), "region");
    return judged;
  }

  // Adds the cause of the region for which another one waits, if it costs most
  // of the wait.
  void NameAwaited(const std::vector<std::optional<Cause>>& main_causes,
                   Headline& wait) const {
    const auto awaited = FactsOfRegions::One(facts_, wait.region).Awaited();
    if (!awaited || !main_causes[Index(*awaited)]) return;
    const Cause& cause = *main_causes[Index(*awaited)];
    if (cause.id == wait.cause.id || cause.alone ||
        cause.saves_ns < wait.cause.saves_ns / 2)
      return;
    wait.cause.text +=
        fmt::format(" ({}{})", cause.certain ? "" : "perhaps ", cause.title);
  }

  double RunNs() const { return std::max(wall_ns_, gpu_ns_); }

  void FindInside(const std::vector<std::optional<Cause>>& main_causes) {
    inside_.resize(main_causes.size());
    for (std::size_t i = main_causes.size(); i-- > 1;) {
      const auto parent = Index(run_.tree->regions()[i].parent);
      const auto add = [&](const std::string& id, const Told& told) {
        Told& most = inside_[parent][id];
        most.ns = std::max(most.ns, told.ns);
        most.certain_ns = std::max(most.certain_ns, told.certain_ns);
      };
      for (const auto& [id, told] : inside_[i]) add(id, told);
      if (const auto& cause = main_causes[i])
        add(cause->id, {.ns = cause->saves_ns,
                        .certain_ns = cause->certain ? cause->saves_ns : 0});
    }
  }

  // Whether an inner region has a part of the outer region's savings and a
  // cause that replaces it. A question replaces no statement, unless that
  // stands alone.
  bool IsToldInside(const Headline& outer) const {
    const bool by_questions = !outer.cause.certain || outer.cause.alone;
    return std::ranges::any_of(
        inside_[Index(outer.region)], [&](const auto& inner) {
          const auto& [id, told] = inner;
          return (by_questions ? told.ns : told.certain_ns) >=
                     kPartOf * outer.cause.saves_ns &&
                 causes_.Replaces(id, outer.cause.id);
        });
  }

  // Keeps the regions that save most, none inside another one: of nested
  // regions the innermost with most of the outer region's savings.
  void Choose(std::vector<Headline>& all) {
    std::ranges::stable_sort(all, std::ranges::greater(), RankOf);
    std::vector<const Headline*> outermost;
    for (const Headline& headline : all) {
      if (headline.cause.saves_ns < kWorthwhileShare * RunNs() ||
          IsToldInside(headline))
        continue;
      if (std::ranges::any_of(outermost, [&](const Headline* other) {
            return run_.tree->IsInside(headline.region, other->region) ||
                   run_.tree->IsInside(other->region, headline.region);
          }))
        continue;
      outermost.push_back(&headline);
    }
    for (const Headline* outer : outermost) {
      const Headline* best = outer;
      for (const Headline& inner : all) {
        if (inner.region != best->region &&
            inner.cause.certain == best->cause.certain &&
            run_.tree->IsInside(inner.region, best->region) &&
            inner.cause.saves_ns >= kMostOf * best->cause.saves_ns)
          best = &inner;
      }
      chosen_.push_back(*best);
      if (RunNs() > 0)
        chosen_.back().share =
            std::min(1.0, chosen_.back().cause.saves_ns / RunNs());
    }
  }

  // A cause of the whole run is dropped if a certain headline of a region has
  // half of its savings.
  void DropRunOfRegions() {
    double most = 0;
    for (const Headline& headline : chosen_) {
      if (headline.region != RegionTree::kRoot && headline.cause.certain &&
          !headline.cause.alone)
        most = std::max(most, headline.cause.saves_ns);
    }
    std::erase_if(chosen_, [&](const Headline& headline) {
      return headline.region == RegionTree::kRoot &&
             most >= headline.cause.saves_ns / 2;
    });
  }

  void Warn(RegionId id, std::string text) {
    chosen_.push_back(
        {.region = id,
         .severity = Severity::kWarning,
         .cause = {.id = "never_closed",
                   .title = "never closed",
                   .certain = true,
                   .text = std::move(text),
                   .next = "close the range on every way out, exceptions "
                           "included"}});
  }

  // The outermost region of each name comes first.
  void VisitLeaked(RegionId id) {
    const LeakedRange* leaked = LeakedAt(id);
    if (leaked == nullptr || IsOfLibrary(run_.profile->Name(leaked->domain)) ||
        !told_.insert(leaked).second)
      return;
    Warn(id, LeakText(*run_.profile, *leaked));
  }

  const LeakedRange* LeakedAt(RegionId id) const {
    const Profile& profile = *run_.profile;
    if (profile.leaked.empty()) return nullptr;
    const Frame& frame = (*run_.tree)[id].frame;
    const std::string name = WithoutNumbers(profile.Name(frame.name));
    for (const LeakedRange& leaked : profile.leaked) {
      if (leaked.domain == frame.domain &&
          (leaked.name == frame.name || profile.Name(leaked.name) == name))
        return &leaked;
    }
    return nullptr;
  }

  void VisitUnclosed(RegionId id, const Judged& times) {
    if (times.unclosed == 0 || ends_early_ || LeakedAt(id) != nullptr ||
        warned_ ||
        IsOfLibrary(run_.profile->Name((*run_.tree)[id].frame.domain)))
      return;
    warned_ = true;
    const std::string often = times.instances == 1
                                  ? std::string("was never closed")
                                  : fmt::format("was not closed {} of {} times",
                                                FormatCount(times.unclosed),
                                                FormatCount(times.instances));
    Warn(id, fmt::format("{} {}: everything that its thread does later counts "
                         "inside",
                         RegionTitle(run_, id), often));
  }

  const RunView& run_;
  const ScopeRollup& scope_;
  const CauseTable& causes_;
  const FactsOfRegions facts_;
  std::set<RegionId> reported_;
  double wall_ns_ = 0;
  double gpu_ns_ = 0;
  bool warned_ = false;
  const bool ends_early_ =
      std::ranges::any_of(run_.profile->processes, [](const Process& process) {
        return process.ends_early || process.is_damaged;
      });
  std::map<std::string, std::vector<Headline>> candidates_;  // by cause
  // By region and cause: the most that a main cause of an inner region saves,
  // and that one saves that is certain.
  struct Told {
    double ns = 0, certain_ns = 0;
  };
  std::vector<std::map<std::string, Told>> inside_;
  std::vector<Headline> chosen_;
  std::set<const LeakedRange*> told_;
};

}  // namespace

std::string HeadlineText(const RunView& run, const Headline& headline) {
  const Cause& cause = headline.cause;
  if (headline.severity == Severity::kWarning) return cause.text;
  std::string text = fmt::format(
      "{}{}: {}{}, {}; at stake {}",
      headline.region == RegionTree::kRoot ? "the run"
                                           : RegionTitle(run, headline.region),
      InFirstScope(run), cause.certain ? "" : "perhaps ", cause.title,
      cause.text, FormatNs(cause.saves_ns));
  if (headline.share) text += fmt::format(" ({:.0f} %)", 100 * *headline.share);
  return text;
}

const Cause* Diagnosis::MainCause(RegionId id) const {
  if (Index(id) >= main_causes.size() || !main_causes[Index(id)])
    return nullptr;
  return &*main_causes[Index(id)];
}

Diagnosis Diagnose(const RunView& run, const CauseTable& causes) {
  if (run.rollup->scopes.empty()) return {};
  return Finder(run, causes).Find();
}

}  // namespace rangefinder
