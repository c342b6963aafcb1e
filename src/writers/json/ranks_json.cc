#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "insight/late_ranks.h"
#include "insight/rank_matrix.h"
#include "insight/rank_names.h"
#include "writers/json/json_parts.h"

namespace rangefinder {
namespace {

// Most numbers of the matrix in place; more are packed.
constexpr std::size_t kMostInPlace = 2000;
class RanksJson {
 public:
  RanksJson(JsonStream& json, const Report& report, bool for_page)
      : json_(json),
        ranks_(*report.ranks),
        analysis_(*report.rank_analysis),
        names_(ranks_, analysis_),
        matrix_(ranks_, analysis_),
        for_page_(for_page) {}

  void Write() {
    json_.BeginObject("ranks");
    json_.Field("count", ranks_.records.size());
    WriteWorld();
    WriteRecords();
    WriteTrees();
    WriteRegions();
    json_.Field("late_count", analysis_.late.size());
    WriteLate();
    WriteSlowNetwork();
    WriteClocks();
    WriteGroups();
    json_.Field("notes", analysis_.notes);
    WriteMatrix();
    json_.EndObject();
  }

 private:
  void RankField(std::string_view key, const RankRecord& record) {
    json_.Field(key, OptionalIf(record.rank >= 0, record.rank));
  }
  void RankField(std::string_view key, std::size_t record) {
    RankField(key, ranks_.records[record]);
  }

  // The number of ranks by the launcher; of different answers the largest.
  void WriteWorld() {
    std::int32_t world = 0;
    for (const RankRecord& record : ranks_.records)
      world = std::max(world, record.world);
    json_.Field("world", OptionalIf(world > 0, world));
  }

  void WriteRecords() {
    json_.Rows("records", ranks_.records, [&](const RankRecord& record) {
      RankField("rank", record);
      json_.Field("host", record.host);
      json_.Field("pid", record.pid);
      json_.Field("devices", record.devices);
      json_.Field("tree", record.tree);
      if (record.lost_collectives > 0)
        json_.Field("lost_collectives", record.lost_collectives);
      if (!record.notes.empty()) json_.Field("notes", record.notes);
    });
  }

  void WriteTrees() {
    std::vector<std::uint64_t> members(ranks_.trees.size());
    for (const RankRecord& record : ranks_.records) {
      if (record.tree < members.size()) ++members[record.tree];
    }
    json_.Rows("trees", std::views::iota(std::size_t{0}, members.size()),
               [&](std::size_t i) {
                 json_.Field("regions", ranks_.trees[i].nodes.size() - 1);
                 json_.Field("ranks", members[i]);
               });
  }

  // By region, whether the document has it.
  std::vector<bool> KeptRegions() const {
    std::vector<bool> kept(analysis_.regions.size(), !for_page_);
    for (const std::size_t region : matrix_.regions()) kept[region] = true;
    for (std::size_t i = 0; i < std::min(kMostLate, analysis_.late.size());
         ++i) {
      kept[analysis_.late[i].region] = true;
      for (const LatePart& part : analysis_.late[i].parts)
        kept[part.region] = true;
    }
    for (const LatePart& part : analysis_.slow_network)
      kept[part.region] = true;
    return kept;
  }

  void WriteRegions() {
    const std::vector<bool> kept = KeptRegions();
    json_.Field("region_count", analysis_.regions.size());
    json_.Rows("regions",
               std::views::iota(std::size_t{0}, kept.size()) |
                   std::views::filter([&](std::size_t i) { return kept[i]; }),
               [&](std::size_t i) { WriteRegion(i, analysis_.regions[i]); });
  }

  void WriteRegion(std::size_t id, const RegionOverRanks& region) {
    json_.Field("id", id);
    json_.Field("parent", OptionalIf(id > 0, region.parent));
    json_.Field("path", region.path);
    json_.Field("ranks", region.wall.ranks);
    json_.Field("min_kernels", region.min_kernels);
    json_.Field("max_kernels", region.max_kernels);
    // Nothing is known of the instances of a region around selected ones.
    WriteOver("wall_ns", OptionalIf(region.wall.max > 0, region.wall));
    WriteOver("compute_ns", region.compute);
    WriteOver("overlapped_ns", region.overlapped);
    WriteOver("exposed_ns", region.exposed);
    WriteOver("copy_ns", region.copies);
    WriteOver("idle_ns", region.idle);
    WriteOver("waiting_ns", region.waiting);
    WriteOver("transfer_ns", region.transfer);
    if (!region.waiting || !region.transfer)
      json_.Field("reason", "no collective of it was matched over ranks");
  }

  void WriteOver(std::string_view key, const std::optional<OverRanks>& over) {
    json_.Key(key);
    if (!over || over->ranks == 0) return json_.Null();
    json_.BeginLine();
    json_.Field("min", over->min);
    json_.Field("median", over->median);
    json_.Field("max", over->max);
    json_.Field("sum", over->sum);
    json_.Field("ranks", over->ranks);
    RankField("min_rank", over->min_at);
    RankField("max_rank", over->max_at);
    json_.Field("min_record", over->min_at);
    json_.Field("max_record", over->max_at);
    json_.EndObject();
  }

  void PartFields(const LatePart& part) {
    json_.Field("reason", LateReasonName(part.reason));
    json_.Field("region", part.region);
    json_.Field("ns", part.ns);
    json_.Field("ratio", OptionalIf(part.ratio > 0, part.ratio));
  }

  void WriteLate() {
    const std::vector<std::size_t> said_by = LateSaidBy(analysis_, kMostLate);
    json_.Rows("late", std::views::iota(std::size_t{0}, said_by.size()),
               [&](std::size_t i) {
                 const LateRank& late = analysis_.late[i];
                 json_.Field("text", LateSentence(names_, late));
                 if (said_by[i] != i) json_.Field("said_by", said_by[i]);
                 json_.Field("region", late.region);
                 RankField("rank", late.record);
                 json_.Field("record", late.record);
                 json_.Field("instances", late.instances);
                 json_.Field("last", late.last);
                 json_.Field("late_ns", late.late_ns);
                 json_.Objects("parts", late.parts,
                               [&](const LatePart& part) { PartFields(part); });
               });
  }

  void WriteSlowNetwork() {
    json_.Rows("slow_network", analysis_.slow_network,
               [&](const LatePart& part) {
                 json_.Field("text", SlowNetworkSentence(names_, part));
                 PartFields(part);
                 json_.Field("share", part.share);
                 json_.Field("message_ratio",
                             OptionalIf(part.size_ratio > 0, part.size_ratio));
                 json_.Field("records", part.records);
               });
  }

  void WriteClocks() {
    json_.Rows("clocks", analysis_.clocks, [&](const HostClock& clock) {
      json_.Field("host", clock.host);
      json_.Field("offset_ns", clock.offset_ns);
      json_.Field("residual_ns", clock.residual_ns);
      json_.Field("collectives", clock.collectives);
    });
  }

  void WriteGroups() {
    json_.Rows("groups", analysis_.groups, [&](const RankGroup& group) {
      json_.Field("tree", group.tree);
      json_.Field("typical", group.typical);
      json_.Field("records", group.records);
    });
  }

  void WriteMatrix() {
    json_.BeginObject("matrix");
    json_.Field("regions", matrix_.regions());
    json_.Field("records", matrix_.records());
    json_.Field("regions_left_out", matrix_.regions_left_out());
    json_.Field("records_left_out", matrix_.records_left_out());
    const std::string values = Values();
    if (matrix_.regions().size() * matrix_.records().size() <= kMostInPlace) {
      json_.Key("values");
      json_.Value([&](std::string& out) { out += values; });
    } else {
      json_.PackedField("packed", Pack(values));
    }
    json_.EndObject();
  }

  // {"kernels":[[of each region…],…of each rank],…}
  std::string Values() const {
    std::string text = "{";
    for (const RankQuantity& quantity : RankQuantities()) {
      AppendColumn(quantity.name, text, [&](auto record, auto region) {
        return matrix_.Of(quantity, record, region);
      });
    }
    AppendColumn("waiting_ns", text, [&](auto record, auto region) {
      return matrix_.Waiting(record, region);
    });
    return text + "}";
  }

  // A quantity that no rank has is null.
  template <typename Number>
  void AppendColumn(std::string_view name, std::string& out,
                    const Number& number) const {
    if (out.back() != '{') out += ',';
    AppendJsonText(name, out);
    out += ':';
    const std::size_t begin = out.size();
    bool has_any = false;
    const auto regions =
        std::views::iota(std::size_t{0}, matrix_.regions().size());
    AppendJsonList(matrix_.records(), out, [&](std::size_t record) {
      AppendJsonList(regions, out, [&](std::size_t region) {
        const std::optional<double> value = number(record, region);
        has_any = has_any || value;
        if (value)
          AppendJsonNumber(std::round(*value), out);
        else
          out += "null";
      });
    });
    if (has_any) return;
    out.resize(begin);
    out += "null";
  }

  JsonStream& json_;
  const Ranks& ranks_;
  const RankAnalysis& analysis_;
  const RankNames names_;
  const RankMatrix matrix_;
  const bool for_page_;
};

}  // namespace

void WriteRanksJson(JsonStream& json, const Report& report, bool for_page) {
  if (!HasRanks(report)) return;
  RanksJson(json, report, for_page).Write();
}

}  // namespace rangefinder
