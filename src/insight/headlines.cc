#include "insight/headlines.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/numbers.h"
#include "insight/run_view.h"
#include "insight/times.h"
#include "profile/range_depth.h"

namespace rangefinder {
namespace {

// A smaller idle share of the GPU span is no finding.
constexpr double kIdleShare = 0.5;
constexpr double kShortSpanNs = 100e3;  // a shorter span is no finding
// A kernel that starts this soon after its launch found the queue empty.
constexpr double kPromptNs = 50e3;
constexpr double kShortKernelNs = 20e3;  // its launch costs more than it takes
constexpr std::uint64_t kFewLaunches = 10;
// An inner region with this share of its outer region's time is the place to
// look at.
constexpr double kMostOf = 0.8;
constexpr double kWorthwhileShare = 0.1;  // of the scope's time
// A slow first instance takes this many times the median, and this share of all
// instances together.
constexpr double kOutlier = 5;
constexpr double kOutlierShare = 0.2;
constexpr std::uint64_t kFewInstances = 3;

std::string Ns(double ns) {
  return FormatNs(ns);
}

std::string Percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

class Finder {
 public:
  explicit Finder(const RunView& run)
      : run_(run), scope_(run.rollup->scopes.front()) {}

  std::vector<Headline> Find() {
    for (const RegionId id : ReadingOrder(run_, scope_)) Visit(id);
    std::vector<Headline> found;
    for (std::optional<Headline>& best : best_) {
      if (best) found.push_back(std::move(*best));
    }
    std::ranges::stable_sort(found, [](const Headline& a, const Headline& b) {
      return std::pair(a.severity, a.about_ns) >
             std::pair(b.severity, b.about_ns);
    });
    if (found.size() > kMostHeadlines) found.resize(kMostHeadlines);
    return found;
  }

 private:
  void Visit(RegionId id) {
    VisitLeaked(id);
    if (const auto times = TimesOf(run_, scope_.scope, id)) {
      VisitUnclosed(id, *times);
      VisitIdle(id, *times);
      VisitFirst(id, *times);
    }
    VisitLimit(id);
  }

  // Outer regions come first; an inner region with most of their time takes
  // their place.
  void Offer(Headline headline) {
    std::optional<Headline>& best =
        best_[static_cast<std::size_t>(headline.kind)];
    if (best) {
      const double least = IsInside(headline.region, best->region)
                               ? kMostOf * best->about_ns
                               : best->about_ns;
      if (headline.about_ns <= least) return;
    }
    best = std::move(headline);
  }

  bool IsInside(RegionId inner, RegionId outer) const {
    while (inner != RegionTree::kRoot && inner != outer)
      inner = (*run_.tree)[inner].parent;
    return inner == outer;
  }

  std::string Name(RegionId id) const { return RegionTitle(run_, id); }

  // The outermost region of the name is visited first.
  void VisitLeaked(RegionId id) {
    const LeakedRange* leaked = LeakedAt(id);
    if (leaked == nullptr || !told_.insert(leaked).second) return;
    Offer({.kind = HeadlineKind::kNeverClosed,
           .region = id,
           .severity = Severity::kWarning,
           .text = LeakText(*run_.profile, *leaked),
           .next = "close the range on every way out, exceptions included",
           .about_ns = static_cast<double>(leaked->count)});
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

  void VisitUnclosed(RegionId id, const RegionTimes& times) {
    if (times.unclosed == 0 || LeakedAt(id) != nullptr) return;
    const std::string often = times.instances == 1
                                  ? std::string("was never closed")
                                  : fmt::format("was not closed {} of {} times",
                                                FormatCount(times.unclosed),
                                                FormatCount(times.instances));
    Offer({.kind = HeadlineKind::kNeverClosed,
           .region = id,
           .severity = Severity::kWarning,
           .text = fmt::format(
               "{} {}: everything that its thread does later counts inside",
               Name(id), often),
           .next = "close the range on every way out, exceptions included",
           .about_ns = static_cast<double>(times.unclosed)});
  }

  void VisitIdle(RegionId id, const RegionTimes& times) {
    // Only inside its instances: between them other regions may have run.
    const auto span = static_cast<double>(times.gpu_span_ns.sum());
    const auto idle = static_cast<double>(times.gpu_idle_ns.sum());
    if (span < kShortSpanNs || idle < kIdleShare * span) return;
    const std::uint64_t kernels = times.gpu.kernels;
    if (kernels < kFewLaunches) return;
    const auto latency = times.gpu.latency_ns.median();
    if (!latency || *latency > kPromptNs) return;
    const double mean =
        static_cast<double>(times.gpu.kernel_ns) / static_cast<double>(kernels);
    const bool launches = mean <= kShortKernelNs;
    Offer({.kind = HeadlineKind::kIdle,
           .region = id,
           .text = fmt::format(
               "GPU idle {} of {}: {}, {} launches of {}", Percent(idle / span),
               Name(id), launches ? "launch-bound" : "it waits for the CPU",
               FormatCount(kernels), Ns(mean)),
           .next = launches ? "a CUDA graph, or fewer and larger kernels"
                            : "what the CPU does between the launches "
                              "(--format perfetto shows them)",
           .about_ns = idle});
  }

  void VisitFirst(RegionId id, const RegionTimes& times) {
    if (times.instances < kFewInstances || times.first.empty()) return;
    const InstanceTimes& first = times.first.front().times;
    if (first.ordinal != 0 || !first.closed) return;
    const auto ns = static_cast<double>(first.cpu_ns);
    const double median = times.cpu_ns.median().value_or(0);
    const auto all = static_cast<double>(times.cpu_ns.sum());
    if (ns < kOutlier * median || ns < kOutlierShare * all || ns < kShortSpanNs)
      return;
    Offer({.kind = HeadlineKind::kFirstSlow,
           .region = id,
           .text = fmt::format("{}: first instance {}, the median {}: warm-up "
                               "(lazy loading, autotuning)",
                               Name(id), Ns(ns), Ns(median)),
           .next = "regions.warmup shows it apart; with "
                   "CUDA_MODULE_LOADING=EAGER it is shorter if the cause is "
                   "loading",
           .about_ns = ns - median});
  }

  void VisitLimit(RegionId id) {
    const RegionRow row = run_.rows->Of(scope_, id);
    if (row.counters == nullptr || !row.time_ns) return;
    if (row.share && *row.share < kWorthwhileShare) return;
    const LimitVerdict verdict = VerdictOf(*run_.rollup, *row.counters);
    // An upper bound does not show that the value is that high.
    if (verdict.is_bound) return;
    const bool memory = verdict.limit == Limit::kMemory;
    if (!memory && verdict.limit != Limit::kCompute) return;
    Offer({.kind = memory ? HeadlineKind::kMemoryBound
                          : HeadlineKind::kComputeBound,
           .region = id,
           .text = fmt::format(
               "{}: {}, {:.0f} % of peak{}", Name(id),
               memory ? "memory-bound" : "compute-bound",
               memory ? verdict.memory_percent : verdict.compute_percent,
               memory ? Traffic(*row.counters) : std::string()),
           .next = run_.profile->sections.empty()
                       ? "its counters, and single kernels with "
                         "pipeline.ncu.enable=true"
                   : memory
                       ? "sections MemoryWorkloadAnalysis and SpeedOfLight "
                         "of the region: memory level and access pattern"
                       : "sections ComputeWorkloadAnalysis and "
                         "InstructionStats of the region: the busiest pipe",
           .about_ns = *row.time_ns});
  }

  // ", 4.10 GB of DRAM in 3 kernels".
  std::string Traffic(const Amounts& amounts) const {
    const std::vector<Column>& columns = run_.rollup->columns;
    const auto at =
        std::ranges::find(columns, "dram__bytes.sum", &Column::name);
    if (at == columns.end()) return {};
    const Cell& cell =
        amounts.cells[static_cast<std::size_t>(at - columns.begin())];
    if (cell.how == How::kAbsent || cell.missing > 0) return {};
    return fmt::format(", {} of DRAM traffic",
                       FormatValue(cell.value, at->unit));
  }

  const RunView& run_;
  const ScopeRollup& scope_;
  std::array<std::optional<Headline>, 5> best_{};  // by HeadlineKind
  std::set<const LeakedRange*> told_;
};

}  // namespace

std::string_view HeadlineName(HeadlineKind kind) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "never_closed", "idle", "memory_bound", "compute_bound", "first_slow"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Headline> HeadlinesOf(const RunView& run) {
  if (run.rollup->scopes.empty()) return {};
  return Finder(run).Find();
}

}  // namespace rangefinder
