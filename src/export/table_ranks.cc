#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_text.h"
#include "export/table_rows.h"
#include "ranks/rank_analysis.h"

namespace rangefinder {
namespace {

std::string JsonOf(const std::vector<std::string>& texts) {
  std::string json = "[";
  for (const std::string& text : texts) {
    if (json.size() > 1) json += ',';
    AppendJsonText(text, json);
  }
  return json + "]";
}

// By node of a tree: the row of its region; nothing for the whole run, and for
// what the report leaves out.
using RegionRowIds = std::vector<std::optional<std::int64_t>>;

RegionRowIds RegionsOf(const RankTree& tree, const TableIds& ids) {
  RegionRowIds regions(tree.nodes.size());
  std::vector<std::string> keys(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const RankTree::Node& node = tree.nodes[i];
    keys[i] = RegionKey(keys[node.parent], node.domain, node.name);
    if (const auto region = ids.Find(keys[i]))
      regions[i] = static_cast<std::int64_t>(Index(*region));
  }
  return regions;
}

void AddRank(std::size_t id, const RankRecord& record, TableRows& rows) {
  std::optional<std::int32_t> rank, world;
  if (record.rank >= 0) rank = record.rank;
  if (record.world > 0) world = record.world;
  std::optional<std::uint64_t> started;
  if (record.started_ns > 0) started = record.started_ns;
  rows.Add(std::uint64_t{id}, rank, world, record.host, record.pid, started,
           JsonOf(record.devices), record.tree, record.lost_collectives,
           JsonOf(record.notes));
}

class RankRegionRows {
 public:
  RankRegionRows(const Report& report, const TableIds& ids, TableFile& file)
      : report_(report), rows_(file.Into("rank_regions")) {
    for (const RankTree& tree : report.ranks->trees)
      regions_.push_back(RegionsOf(tree, ids));
  }

  void Add(std::size_t id, const RankRecord& record) {
    const auto& waiting = report_.rank_analysis->waiting_ns;
    const RegionRowIds& regions = regions_[record.tree];
    for (std::size_t i = 0; i < record.regions.size(); ++i) {
      if (i > 0 && !regions[i]) continue;
      std::optional<double> waited;
      if (id < waiting.size() && i < waiting[id].size())
        waited = waiting[id][i];
      const RankRegion& one = record.regions[i];
      rows_.Add(std::uint64_t{id}, regions[i], one.instances, one.kernels,
                one.wall_ns, one.compute_ns, one.overlapped_ns, one.exposed_ns,
                one.copy_ns, one.idle_ns, one.latency_ns, waited,
                one.sm_clock_hz);
    }
  }

 private:
  const Report& report_;
  TableRows rows_;
  std::vector<RegionRowIds> regions_{};  // by tree
};

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
      std::optional<double> ratio;
      if (part.ratio > 0) ratio = part.ratio;
      rows.Add(PathOf(analysis, late.region), std::uint64_t{late.record},
               late.instances, late.last, late.late_ns,
               LateReasonName(part.reason), PathOf(analysis, part.region),
               part.ns, ratio);
    }
  }
}

}  // namespace

void AddRankRows(const Report& report, const TableIds& ids, TableFile& file) {
  if (!HasRanks(report)) return;
  TableRows ranks = file.Into("ranks");
  RankRegionRows regions(report, ids, file);
  for (std::size_t i = 0; i < report.ranks->records.size(); ++i) {
    AddRank(i, report.ranks->records[i], ranks);
    regions.Add(i, report.ranks->records[i]);
  }
  AddLate(*report.rank_analysis, file);
}

}  // namespace rangefinder
