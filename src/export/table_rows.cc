#include "export/table_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/digest.h"
#include "base/json_text.h"
#include "insight/region_rows.h"
#include "ranks/rank_analysis.h"
#include "region/path.h"
#include "report/kernel_names.h"
#include "writers/report_writers.h"

namespace rangefinder {

std::string KernelKey(std::string_view name) {
  return Sha256(name).substr(0, 16);
}

std::string RegionKey(std::string_view outer_key, std::string_view domain,
                      std::string_view name) {
  std::string text = fmt::format("{}{}", outer_key, domain);
  text += '\0';
  text += name;
  return KernelKey(text);
}

TableIds::TableIds(const Report& report, TableFile& file)
    : report_(report),
      kernels_(file.Into("kernel_names")),
      region_keys_(report.tree->regions().size()) {
  TableRows rows = file.Into("regions");
  for (std::size_t i = 1; i < region_keys_.size(); ++i)
    AddRegion(static_cast<RegionId>(i), rows);
}

void TableIds::AddRegion(RegionId id, TableRows& rows) {
  const Profile& profile = *report_.profile;
  const Region& region = (*report_.tree)[id];
  const std::string_view domain = profile.Name(region.frame.domain);
  const std::string_view name = region.unattributed
                                    ? RegionTree::kUnattributed
                                    : profile.Name(region.frame.name);
  std::string& key = region_keys_[Index(id)];
  key = RegionKey(KeyOf(region.parent), domain, name);
  by_key_.try_emplace(key, id);
  rows.Add(Index(id), key,
           OptionalIf(region.parent != RegionTree::kRoot, Index(region.parent)),
           region.depth, domain, name, RegionKindName(region),
           region.unattributed ? std::string(name)
                               : PathText(profile, report_.tree->PathTo(id)),
           PathJson(report_, id));
}

std::optional<std::size_t> TableIds::Find(const std::string& region_key) const {
  const auto known = by_key_.find(region_key);
  if (known == by_key_.end()) return std::nullopt;
  return Index(known->second);
}

std::int64_t TableIds::Kernel(StringId name) {
  const auto [known, is_new] = kernel_ids_.try_emplace(
      name, static_cast<std::int64_t>(kernel_ids_.size()) + 1);
  if (is_new) {
    const std::string_view text = report_.profile->Name(name);
    const KernelNames& names = *report_.kernel_names;
    const KernelSource* const source = names.Source(name);
    const auto joined = [&](std::vector<std::string> KernelSource::*list,
                            std::string_view between) {
      return source != nullptr && !(source->*list).empty()
                 ? std::optional(
                       fmt::format("{}", fmt::join(source->*list, between)))
                 : std::nullopt;
    };
    kernels_.Add(known->second, KernelKey(text), text, names.Short(name),
                 joined(&KernelSource::lines, "; "),
                 joined(&KernelSource::operators, ", "),
                 joined(&KernelSource::model_lines, "; "),
                 OrNull(names.WhyNoLine(name)));
  }
  return known->second;
}

// ---- Ranks -----------------------------------------------------------------

namespace {

std::string JsonOf(const std::vector<std::string>& texts) {
  std::string json;
  AppendJsonList(texts, json,
                 [&](const std::string& text) { AppendJsonText(text, json); });
  return json;
}

// By node of a tree: the row of its region; nothing for the whole run, and for
// regions that the report leaves out.
using RegionRowIds = std::vector<std::optional<std::size_t>>;

RegionRowIds RegionsOf(const RankTree& tree, const TableIds& ids) {
  RegionRowIds regions(tree.nodes.size());
  std::vector<std::string> keys(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const RankTree::Node& node = tree.nodes[i];
    keys[i] = RegionKey(keys[node.parent], node.domain, node.name);
    regions[i] = ids.Find(keys[i]);
  }
  return regions;
}

void AddRank(std::size_t id, const RankRecord& record, TableRows& rows) {
  rows.Add(id, OptionalIf(record.rank >= 0, record.rank),
           OptionalIf(record.world > 0, record.world), record.host, record.pid,
           OptionalIf(record.started_ns > 0, record.started_ns),
           JsonOf(record.devices), record.tree, record.lost_collectives,
           JsonOf(record.notes));
}

// `regions`: of the record's tree.
void AddRankRegions(const Report& report, std::size_t id,
                    const RegionRowIds& regions, TableRows& rows) {
  const auto& waiting = report.rank_analysis->waiting_ns;
  const RankRecord& record = report.ranks->records[id];
  for (std::size_t i = 0; i < record.regions.size(); ++i) {
    if (i > 0 && !regions[i]) continue;
    std::optional<double> waited;
    if (id < waiting.size() && i < waiting[id].size()) waited = waiting[id][i];
    const RankRegion& one = record.regions[i];
    rows.Add(id, regions[i], one.instances, one.kernels, one.wall_ns,
             one.compute_ns, one.overlapped_ns, one.exposed_ns, one.copy_ns,
             one.idle_ns, one.latency_ns, waited, one.sm_clock_hz);
  }
}

// The path of a region of the analysis, as in `regions.path`.
std::optional<std::string> PathOf(const RankAnalysis& analysis,
                                  std::size_t region) {
  if (region >= analysis.regions.size() ||
      analysis.regions[region].path.empty())
    return std::nullopt;
  return fmt::format("{}", fmt::join(analysis.regions[region].path, "/"));
}

void AddLate(const RankAnalysis& analysis, TableFile& file) {
  TableRows rows = file.Into("late_ranks");
  for (const LateRank& late : analysis.late) {
    for (const LatePart& part : late.parts) {
      rows.Add(PathOf(analysis, late.region), late.record, late.instances,
               late.last, late.late_ns, LateReasonName(part.reason),
               PathOf(analysis, part.region), part.ns,
               OptionalIf(part.ratio > 0, part.ratio));
    }
  }
}

}  // namespace

void AddRankRows(const Report& report, const TableIds& ids, TableFile& file) {
  if (!HasRanks(report)) return;
  TableRows ranks = file.Into("ranks");
  TableRows rank_regions = file.Into("rank_regions");
  std::vector<RegionRowIds> regions;  // by tree
  for (const RankTree& tree : report.ranks->trees)
    regions.push_back(RegionsOf(tree, ids));
  for (std::size_t i = 0; i < report.ranks->records.size(); ++i) {
    const RankRecord& record = report.ranks->records[i];
    AddRank(i, record, ranks);
    AddRankRegions(report, i, regions[record.tree], rank_regions);
  }
  AddLate(*report.rank_analysis, file);
}

// ---- Metrics ---------------------------------------------------------------

TableMetrics::TableMetrics(const Report& report, TableFile& file, TableIds& ids)
    : report_(report),
      ids_(ids),
      places_(file.Into("metric_places")),
      values_(file.Into("metric_values")),
      origins_(file.Into("metric_origins")) {
  TableRows names = file.Into("metric_names");
  const std::vector<Column>& columns = report.rollup->columns;
  for (std::size_t c = 0; c < columns.size(); ++c)
    names.Add(c, columns[c].name, OrNull(columns[c].unit));
}

void TableMetrics::AddScope(std::int64_t scope_id, const ScopeRollup& scope) {
  Add({.scope = scope_id, .device = scope.scope.device}, scope.totals);
  for (const auto& [region, rolled] : scope.regions.there()) {
    if (region == Index(RegionTree::kRoot)) continue;
    AddRegion(
        {.scope = scope_id, .region = region, .device = scope.scope.device},
        rolled);
  }
}

void TableMetrics::AddRegion(Place place, const RegionRollup& rolled) {
  Add(place, rolled.inclusive);
  place.part = "exclusive";
  Add(place, rolled.exclusive);
  AddBeside(place, "inclusive_estimate", rolled.inclusive_beside);
  AddBeside(place, "exclusive_estimate", rolled.exclusive_beside);
  place.part = "range";
  for (const WholeRow& row : rolled.measured) {
    place.mode = ModeName(row.mode);
    place.instances = std::max<std::uint64_t>(row.instances, 1);
    Add(place, row.amounts);
  }
  place = {.scope = place.scope, .region = place.region};
  for (const KernelRow& row : rolled.all_kernels()) {
    place.kernel = ids_.Kernel(row.name);
    place.device = row.device;
    Add(place, row.amounts);
  }
}

// If nothing was measured, every cell is absent for that reason.
void TableMetrics::Add(const Place& place, const Amounts& amounts) {
  if (amounts.cells.empty() ||
      (amounts.kernel_count == 0 && !amounts.estimated && place.mode.empty()))
    return;
  AddPlace(place, SetOf(amounts.cells));
}

// Estimates for places whose values were measured as well.
void TableMetrics::AddBeside(Place place, std::string_view part,
                             const std::vector<EstimateBeside>& beside) {
  if (beside.empty()) return;
  place.part = part;
  AddPlace(place, ++last_set_);
  for (const EstimateBeside& estimate : beside)
    AddCell(last_set_, estimate.column, estimate.cell);
}

void TableMetrics::AddPlace(const Place& place, std::int64_t set) {
  places_.Add(place.scope, place.region, place.kernel,
              OptionalIf(place.device >= 0, place.device), place.part,
              OrNull(place.mode),
              OptionalIf(place.instances > 0, place.instances), set);
}

std::int64_t TableMetrics::SetOf(const Cells& cells) {
  const auto [known, is_new] = sets_.try_emplace(cells.begin(), last_set_ + 1);
  if (is_new) {
    ++last_set_;
    for (std::size_t c = 0; c < cells.size(); ++c)
      AddCell(known->second, c, cells[c]);
  }
  return known->second;
}

std::int64_t TableMetrics::OriginOf(const Cell& cell) {
  const Origin origin{cell.how, cell.bound, cell.rule, cell.weight,
                      cell.reason};
  const auto [known, is_new] = origin_ids_.try_emplace(
      origin, static_cast<std::int64_t>(origin_ids_.size()) + 1);
  if (is_new) {
    origins_.Add(known->second, HowName(cell.how),
                 OrNull(BoundName(cell.bound)), OrNull(cell.rule),
                 OrNull(cell.weight), OrNull(cell.reason));
  }
  return known->second;
}

void TableMetrics::AddCell(std::int64_t set, std::size_t column,
                           const Cell& cell) {
  const bool there = cell.how != How::kAbsent;
  const bool estimated = cell.how == How::kEstimated;
  const bool has_ends = estimated || cell.has_spread;
  values_.Add(
      set, column, OptionalIf(there && !cell.is_text, cell.value),
      OptionalIf(there && cell.is_text, report_.profile->Name(cell.text)),
      OptionalIf(estimated, double{cell.error}), OptionalIf(has_ends, cell.low),
      OptionalIf(has_ends, cell.high), cell.present, cell.missing,
      OriginOf(cell));
}

}  // namespace rangefinder
