// A run as ranked facts, for an agent that improves the program: causes, the
// kernels that matter, wall time by parts, and what to measure next.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/numbers.h"
#include "base/text.h"
#include "insight/times.h"
#include "report/documents.h"
#include "report/precision.h"
#include "report/sentences.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostKernels = 5;
constexpr std::size_t kMostRegionsOfFacts = 30;
constexpr std::size_t kMostCommand = 120;  // cells of a program's command line

// The ranks of facts. The first facts of every section rank before the later
// facts of all sections.
constexpr int kFirstCauseRank = 10;
constexpr int kRunRank = 11;
constexpr int kNextRank = 20;
constexpr int kFirstKernelRank = 30;
constexpr int kFirstWallRank = 31;
constexpr int kNoteRank = 50;
constexpr int kLaterRank = 60;

// Launches of a kernel with equal configurations.
struct LaunchKind {
  Dim3 grid{}, block{};
  std::uint32_t registers = 0;
  std::uint32_t shared = 0;  // bytes per block
  friend auto operator<=>(const LaunchKind&, const LaunchKind&) = default;
};

struct KernelTotal {
  StringId name{};
  std::uint64_t launches = 0;
  double ns = 0;
  Spread each_ns{};  // of launches measured one by one
  std::map<LaunchKind, std::uint64_t> kinds{};
  std::map<RegionId, double> regions{};

  void Add(std::uint64_t count, double more_ns, RegionId region) {
    launches += count;
    ns += more_ns;
    regions[region] += more_ns;
  }
};

std::string DimText(const Dim3& dim) {
  return fmt::format("{}x{}x{}", dim.x, dim.y, dim.z);
}

std::string KindText(const LaunchKind& kind) {
  std::string text;
  if (kind.grid != Dim3{}) text = " grid " + DimText(kind.grid);
  if (kind.block != Dim3{}) text += " block " + DimText(kind.block);
  if (kind.registers > 0) text += fmt::format(" registers {}", kind.registers);
  if (kind.shared > 0) text += fmt::format(" shared {} B", kind.shared);
  return text;
}

// The mean with its standard error: "30.00 ± 0.12 ms".
std::string MeanText(const Spread& spread) {
  const auto n = static_cast<double>(spread.count());
  if (spread.count() < 2) return FormatNs(spread.mean());
  return FormatEstimate(spread.mean(),
                        std::sqrt(spread.squares() / (n - 1) / n), "ns");
}

class AgentFacts {
 public:
  AgentFacts(const Report& report, std::optional<RegionId> region)
      : report_(report),
        scope_(report.rollup->scopes.front()),
        region_(region),
        two_runs_(HasTwoRuns(report)) {}

  FactSheet All() {
    sheet_.title = ExplainTitle(report_, region_);
    AddRun();
    AddCauses();
    AddNext();
    AddKernels();
    AddWallTime();
    AddCounters();
    AddNotes();
    return std::move(sheet_);
  }

 private:
  void Add(const char* section, int rank, Text text,
           std::vector<Text> details = {}, Tone tone = Tone::kPlain) {
    sheet_.Add(
        section, rank,
        {.text = std::move(text), .tone = tone, .details = std::move(details)});
  }

  bool IsIn(RegionId id) const {
    return !region_ || report_.tree->IsInside(id, *region_);
  }

  void AddRun() {
    const ReportRows rows = RowsOf(report_, scope_, TableBy::kRegion);
    std::string text = RunText(report_, scope_, rows);
    if (text.empty()) text = HeadlineOf(report_, scope_);
    if (const std::string sampling = SamplingText(report_); !sampling.empty())
      text += "; " + sampling;
    Add("Run", kRunRank, text);
    if (const auto& rest = report_.tree->rest())
      Add("Run", kRunRank, "left out: the " + RestText(*rest));
    Add("Run", kRunRank, DoubtText(report_), {}, Tone::kWarn);
    Add("Run", kLaterRank,
        "Times are measured, not sampled; ± is one standard error. A cause "
        "with certain=true holds at 95 %; without, it is a question. "
        "saves_ns is the most that the run would save.");
  }

  void AddCause(const Headline& headline) {
    const Cause& cause = headline.cause;
    const int rank =
        causes_ < 3 ? kFirstCauseRank + causes_ : kLaterRank + causes_;
    ++causes_;
    ListItem item = HeadlineItem(report_, headline);
    item.details.emplace_back(fmt::format(
        "ids: cause={} region_id={} certain={} saves_ns={:.0f}", cause.id,
        Index(headline.region), cause.certain, cause.saves_ns));
    sheet_.Add("Causes", rank, std::move(item));
  }

  void AddCauses() {
    for (const Headline& headline : CausesIn(report_, region_))
      AddCause(headline);
    if (causes_ == 0)
      Add("Causes", kFirstCauseRank, NoCauseText(report_, region_));
  }

  // ---- What to measure next ------------------------------------------------

  // The program's command line under the tracer, if it is short.
  std::string Program() const {
    for (const Artifact& artifact : report_.profile->artifacts) {
      if (artifact.format == "trace" && !artifact.command_line.empty() &&
          DisplayWidth(artifact.command_line) <= kMostCommand)
        return artifact.command_line;
    }
    return "PROGRAM";
  }

  bool IsMeasuredByNcu() const {
    return std::ranges::any_of(report_.profile->measurements,
                               [](const Measurement& m) {
                                 return m.mode != ReplayMode::kTrace &&
                                        m.mode != ReplayMode::kCounters;
                               });
  }

  // The region to look into: the region of the first cause, else the region
  // with the most time.
  std::optional<RegionId> Place() const {
    if (region_) return region_;
    for (const Headline& headline : report_.diagnosis.causes)
      if (headline.region != RegionTree::kRoot) return headline.region;
    const std::vector<RegionId> order = ReadingOrder(report_, scope_);
    if (order.empty()) return std::nullopt;
    return order.front();
  }

  void AddNext() {
    const std::string program = Program();
    const char* const section = "Next";
    const bool counters = !report_.table_columns.empty();
    if (!HasTimes(report_))
      Add(section, kNextRank,
          "wall time of the regions: " +
              Code("rangefinder profile -- " + program));
    else if (!counters)
      Add(section, kNextRank,
          "hardware counters of all regions, in one run: " +
              Code("rangefinder profile -- " + program));
    if (const auto place = Place(); place && counters && !IsMeasuredByNcu()) {
      const std::string name = RegionName(report_, *place);
      const auto times = TimesOf(report_, scope_.scope, *place);
      // Leaves out names that are patterns for ncu, or that would need to be
      // quoted twice.
      const bool plain = std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
               c == '-' || c == '.';
      });
      constexpr double kWorthwhile = 0.3;
      if (plain && !name.empty() && times &&
          static_cast<double>(times->gpu.kernel_ns) >=
              kWorthwhile * static_cast<double>(times->wall.total()))
        Add(section, kNextRank + 1,
            "results of Nsight Compute for each kernel in " + name + ": " +
                Code(fmt::format("rangefinder profile pipeline.ncu.ncu_cli."
                                 "nvtx.include={} -- {}",
                                 name, program)));
    }
    Add(section, kNextRank + 2, PrecisionText(report_));
    if (HasTimes(report_))
      Add(section, kNextRank + 2,
          "whether a fix works: " +
              Code(fmt::format("rangefinder compare --for agent --runs 5 -- {} "
                               "::: CHANGED_PROGRAM",
                               program)));
    if (!region_)
      Add(section, kLaterRank,
          "one region alone: " +
              Code("rangefinder explain RUN --for agent --region REGION"));
  }

  // ---- Kernels -------------------------------------------------------------

  // If there is a baseline run, times and launches are from it.
  void AddTo(KernelTotal& total, const KernelRow& row, RegionId region) const {
    const Profile& profile = *report_.profile;
    total.name = row.name;
    if (!two_runs_) total.Add(row.own_calls, row.own_ns, region);
    for (const MeasurementId id : row.measurements) {
      const Measurement& m = profile.measurements[Index(id)];
      const std::uint64_t launches = LaunchesOf(profile, m);
      total.kinds[{m.grid, m.block, m.registers,
                   m.dynamic_shared + m.static_shared}] += launches;
      const auto each = DurationNs(profile, m);
      if (launches == 1 && each)
        total.each_ns.Add(static_cast<std::uint64_t>(std::llround(*each)));
    }
  }

  std::vector<KernelTotal> KernelTotals() const {
    std::map<std::string_view, KernelTotal> by_name;
    for (std::size_t i = 0; i < scope_.regions.size(); ++i) {
      const auto region = static_cast<RegionId>(i);
      if (!IsIn(region)) continue;
      for (const KernelRow& row : scope_.regions[i].kernels)
        AddTo(by_name[report_.profile->Name(row.name)], row, region);
      if (!two_runs_) continue;
      for (const TracedKernel& kernel :
           report_.traced->Of(scope_, region).kernels) {
        KernelTotal& total = by_name[report_.profile->Name(kernel.name)];
        total.name = kernel.name;
        total.Add(kernel.traced.count, kernel.traced.ns, region);
      }
    }
    std::vector<KernelTotal> totals;
    for (auto& [name, total] : by_name) totals.push_back(std::move(total));
    std::ranges::stable_sort(totals, std::greater<>(), &KernelTotal::ns);
    return totals;
  }

  void AddKernels() {
    const std::vector<KernelTotal> totals = KernelTotals();
    double all = 0;
    for (const KernelTotal& total : totals) all += total.ns;
    for (std::size_t i = 0; i < std::min(totals.size(), kMostKernels); ++i) {
      const KernelTotal& total = totals[i];
      const auto most = std::ranges::max_element(
          total.regions, {}, [](const auto& region) { return region.second; });
      std::string text = fmt::format(
          ": {} in {} ({} of the kernels' time)", FormatNs(total.ns),
          Plural(total.launches, "launch", "launches"),
          FormatShare(total.ns, all));
      if (!two_runs_ && total.launches > 1 &&
          total.each_ns.count() == total.launches)
        text += fmt::format(", {} each, {} to {}", MeanText(total.each_ns),
                            FormatNs(total.each_ns.min()),
                            FormatNs(total.each_ns.max()));
      text += fmt::format(
          ", {} of it in {}", FormatShare(most->second, total.ns),
          most->first == RegionTree::kRoot ? "no region"
                                           : RegionTitle(report_, most->first));
      Add("Kernels", kFirstKernelRank + 2 * int(i),
          Code(report_.kernel_names->Short(total.name)) + text, KindsOf(total));
    }
  }

  static std::vector<Text> KindsOf(const KernelTotal& total) {
    constexpr std::size_t kMostKinds = 2;
    std::vector<std::pair<LaunchKind, std::uint64_t>> kinds(total.kinds.begin(),
                                                            total.kinds.end());
    std::erase_if(
        kinds, [](const auto& kind) { return KindText(kind.first).empty(); });
    std::ranges::stable_sort(kinds, std::greater<>(),
                             [](const auto& kind) { return kind.second; });
    std::vector<Text> lines;
    for (std::size_t i = 0; i < std::min(kinds.size(), kMostKinds); ++i)
      lines.emplace_back(
          fmt::format("{}:{}", Plural(kinds[i].second, "launch", "launches"),
                      KindText(kinds[i].first)));
    if (kinds.size() > kMostKinds)
      lines.emplace_back(fmt::format("{} more launch configurations",
                                     kinds.size() - kMostKinds));
    return lines;
  }

  // ---- Regions -------------------------------------------------------------

  static std::string PartsOf(const WallTime& wall) {
    std::vector<std::pair<std::uint64_t, std::string>> parts;
    for (std::size_t i = 0; i < kWallParts; ++i) {
      if (wall.ns[i] > 0)
        parts.emplace_back(wall.ns[i], PartText(static_cast<WallPart>(i)));
    }
    std::ranges::stable_sort(parts, std::greater<>(),
                             [](const auto& part) { return part.first; });
    std::string text;
    for (const auto& [ns, name] : parts)
      text += fmt::format(", {} {}", name, FormatShare(ns, wall.total()));
    return text;
  }

  void AddWallTime() {
    const std::vector<WallRow> rows =
        WallRows(report_, scope_, region_.value_or(RegionTree::kRoot));
    for (std::size_t i = 0; i < std::min(rows.size(), kMostRegionsOfFacts);
         ++i) {
      const RegionId id = rows[i].region;
      const RegionTimes times = *TimesOf(report_, scope_.scope, id);
      std::string text =
          fmt::format("{}: {} in {}, {} each", RegionTitle(report_, id),
                      FormatNs(times.wall.total()),
                      Plural(times.cpu_ns.count(), "instance", "instances"),
                      MeanText(times.cpu_ns));
      if (times.warmup && times.warmup->steady_cpu_ns)
        text += fmt::format(" (after {} of warm-up {} each)",
                            times.warmup->instances,
                            FormatNs(*times.warmup->steady_cpu_ns));
      text += PartsOf(times.wall);
      if (times.deferred_ns > 0)
        text += fmt::format("; {} of GPU work after the closing",
                            FormatNs(times.deferred_ns));
      Add("Wall time", RankOfRow(i), std::move(text));
    }
    if (rows.size() > kMostRegionsOfFacts)
      Add("Wall time", kLaterRank + 100,
          fmt::format("{} more regions: rangefinder show RUN",
                      rows.size() - kMostRegionsOfFacts));
  }

  static int RankOfRow(std::size_t i) {
    return i < 3 ? kFirstWallRank + 2 * int(i) : kLaterRank + 1 + int(i);
  }

  void AddCounters() {
    const ReportColumns all(report_, scope_);
    const std::vector<ReportColumn> columns = all.Metrics();
    const ReportRows table = RowsOf(report_, scope_, TableBy::kRegion);
    std::size_t added = 0;
    for (const ReportRow& row : table.rows) {
      if (!row.region || !IsIn(*row.region) || added == kMostRegionsOfFacts)
        continue;
      std::vector<std::string> values;
      for (const ReportColumn& column : columns) {
        const TableCell cell = column.cell(row);
        if (cell.absent()) continue;
        values.push_back(column.heading + " " +
                         (cell.has_quantity ? FormatQuantity(cell.quantity)
                                            : cell.text.Plain()));
      }
      if (values.empty()) continue;
      Add("Counters", region_ ? kNextRank : kLaterRank + 2 + int(added),
          fmt::format("{}: {}", RegionTitle(report_, *row.region),
                      fmt::join(values, ", ")));
      ++added;
    }
  }

  void AddNotes() {
    int rank = kNoteRank;
    for (ListItem& item : NotesList(*report_.notes, Detail::kShort).items)
      sheet_.Add("Notes", rank++, std::move(item));
  }

  const Report& report_;
  const ScopeRollup& scope_;
  const std::optional<RegionId> region_;
  const bool two_runs_;
  int causes_ = 0;
  FactSheet sheet_{};
};

}  // namespace

FactSheet ExplainFacts(const Report& report, std::optional<RegionId> region) {
  if (!report.rollup->scopes.empty()) return AgentFacts(report, region).All();
  FactSheet sheet{.title = ExplainTitle(report, region)};
  sheet.Add("Run", 0, {.text = "The capture has no measurement."});
  for (ListItem& item : NotesList(*report.notes, Detail::kShort).items)
    sheet.Add("Notes", 1, std::move(item));
  return sheet;
}

}  // namespace rangefinder
