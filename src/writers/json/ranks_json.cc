#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "insight/late_ranks.h"
#include "insight/rank_matrix.h"
#include "insight/rank_names.h"
#include "writers/json/json_parts.h"

namespace rangefinder {
namespace {

// Numbers of the matrix that stand in place; more are packed.
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
    json_.Key("ranks");
    json_.BeginObject();
    json_.CountField("count", ranks_.records.size());
    WriteWorld();
    WriteRecords();
    WriteTrees();
    WriteRegions();
    json_.CountField("late_count", analysis_.late.size());
    WriteLate();
    WriteSlowNetwork();
    WriteClocks();
    WriteGroups();
    json_.TextsField("notes", analysis_.notes);
    WriteMatrix();
    json_.EndObject();
  }

 private:
  template <typename T, typename Row>
  void Rows(std::string_view key, const std::vector<T>& list, Row row) {
    json_.Key(key);
    json_.BeginRows();
    for (const T& one : list) {
      json_.BeginLineObject();
      row(one);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void RankField(std::string_view key, std::size_t record) {
    json_.Key(key);
    if (ranks_.records[record].rank < 0)
      json_.Null();
    else
      json_.Count(static_cast<std::uint64_t>(ranks_.records[record].rank));
  }

  void OptionalField(std::string_view key, std::optional<double> number) {
    json_.Key(key);
    if (number)
      json_.Number(*number);
    else
      json_.Null();
  }

  void PlacesField(std::string_view key, const std::vector<std::size_t>& list) {
    json_.Key(key);
    json_.BeginLineArray();
    for (const std::size_t place : list) json_.Count(place);
    json_.EndArray();
  }

  // As the launcher said; of several answers the largest.
  void WriteWorld() {
    std::int32_t world = 0;
    for (const RankRecord& record : ranks_.records)
      world = std::max(world, record.world);
    json_.Key("world");
    if (world > 0)
      json_.Count(static_cast<std::uint64_t>(world));
    else
      json_.Null();
  }

  void WriteRecords() {
    json_.Key("records");
    json_.BeginRows();
    for (std::size_t i = 0; i < ranks_.records.size(); ++i) {
      const RankRecord& record = ranks_.records[i];
      json_.BeginLineObject();
      RankField("rank", i);
      json_.TextField("host", record.host);
      json_.CountField("pid", record.pid);
      json_.TextsField("devices", record.devices);
      json_.CountField("tree", record.tree);
      if (record.lost_collectives > 0)
        json_.CountField("lost_collectives", record.lost_collectives);
      if (!record.notes.empty()) json_.TextsField("notes", record.notes);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteTrees() {
    std::vector<std::uint64_t> members(ranks_.trees.size());
    for (const RankRecord& record : ranks_.records) {
      if (record.tree < members.size()) ++members[record.tree];
    }
    json_.Key("trees");
    json_.BeginRows();
    for (std::size_t i = 0; i < ranks_.trees.size(); ++i) {
      json_.BeginLineObject();
      json_.CountField("regions", ranks_.trees[i].nodes.size() - 1);
      json_.CountField("ranks", members[i]);
      json_.EndObject();
    }
    json_.EndArray();
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
    json_.CountField("region_count", analysis_.regions.size());
    json_.Key("regions");
    json_.BeginRows();
    for (std::size_t i = 0; i < analysis_.regions.size(); ++i) {
      if (kept[i]) WriteRegion(i, analysis_.regions[i]);
    }
    json_.EndArray();
  }

  void WriteRegion(std::size_t id, const RegionOverRanks& region) {
    json_.BeginLineObject();
    json_.CountField("id", id);
    json_.Key("parent");
    if (id == 0)
      json_.Null();
    else
      json_.Count(region.parent);
    json_.TextsField("path", region.path);
    json_.CountField("ranks", region.wall.ranks);
    json_.CountField("min_kernels", region.min_kernels);
    json_.CountField("max_kernels", region.max_kernels);
    WriteOver("wall_ns", region.wall);
    WriteOver("compute_ns", region.compute);
    WriteOver("overlapped_ns", region.overlapped);
    WriteOver("exposed_ns", region.exposed);
    WriteOver("copy_ns", region.copies);
    WriteOver("idle_ns", region.idle);
    WriteOver("waiting_ns", region.waiting);
    WriteOver("transfer_ns", region.transfer);
    if (!region.waiting || !region.transfer)
      json_.TextField("reason", "no collective of it was matched over ranks");
    json_.EndObject();
  }

  void WriteOver(std::string_view key, const std::optional<OverRanks>& over) {
    json_.Key(key);
    if (!over || over->ranks == 0) {
      json_.Null();
      return;
    }
    json_.BeginLineObject();
    json_.NumberField("min", over->min);
    json_.NumberField("median", over->median);
    json_.NumberField("max", over->max);
    json_.NumberField("sum", over->sum);
    json_.CountField("ranks", over->ranks);
    RankField("min_rank", over->min_at);
    RankField("max_rank", over->max_at);
    json_.CountField("min_record", over->min_at);
    json_.CountField("max_record", over->max_at);
    json_.EndObject();
  }

  void PartFields(const LatePart& part) {
    json_.TextField("reason", LateReasonName(part.reason));
    json_.CountField("region", part.region);
    json_.NumberField("ns", part.ns);
    OptionalField("ratio",
                  part.ratio > 0 ? std::optional(part.ratio) : std::nullopt);
  }

  void WriteLate() {
    const std::vector<std::size_t> said_by = LateSaidBy(analysis_, kMostLate);
    json_.Key("late");
    json_.BeginRows();
    for (std::size_t i = 0; i < said_by.size(); ++i) {
      const LateRank& late = analysis_.late[i];
      json_.BeginLineObject();
      json_.TextField("text", LateSentence(names_, late));
      if (said_by[i] != i) json_.CountField("said_by", said_by[i]);
      json_.CountField("region", late.region);
      RankField("rank", late.record);
      json_.CountField("record", late.record);
      json_.CountField("instances", late.instances);
      json_.CountField("last", late.last);
      json_.NumberField("late_ns", late.late_ns);
      json_.Key("parts");
      json_.BeginArray();
      for (const LatePart& part : late.parts) {
        json_.BeginObject();
        PartFields(part);
        json_.EndObject();
      }
      json_.EndArray();
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteSlowNetwork() {
    Rows("slow_network", analysis_.slow_network, [&](const LatePart& part) {
      json_.TextField("text", SlowNetworkSentence(names_, part));
      PartFields(part);
      json_.NumberField("share", part.share);
      PlacesField("records", part.records);
    });
  }

  void WriteClocks() {
    Rows("clocks", analysis_.clocks, [&](const HostClock& clock) {
      json_.TextField("host", clock.host);
      json_.NumberField("offset_ns", clock.offset_ns);
      json_.NumberField("residual_ns", clock.residual_ns);
      json_.CountField("collectives", clock.collectives);
    });
  }

  void WriteGroups() {
    Rows("groups", analysis_.groups, [&](const RankGroup& group) {
      json_.CountField("tree", group.tree);
      json_.CountField("typical", group.typical);
      PlacesField("records", group.records);
    });
  }

  void WriteMatrix() {
    json_.Key("matrix");
    json_.BeginObject();
    PlacesField("regions", matrix_.regions());
    PlacesField("records", matrix_.records());
    json_.CountField("regions_left_out", matrix_.regions_left_out());
    json_.CountField("records_left_out", matrix_.records_left_out());
    const std::string values = Values();
    if (matrix_.regions().size() * matrix_.records().size() <= kMostInPlace) {
      json_.Key("values");
      json_.Value([&](std::string& out) { out += values; });
    } else {
      WritePacked(values);
    }
    json_.EndObject();
  }

  void WritePacked(const std::string& values) {
    PackedText packed;
    packed.Append(values);
    json_.Key("packed");
    json_.BeginObject();
    json_.TextField("encoding", "gzip+base64");
    json_.CountField("bytes", values.size());
    json_.Key("content");
    json_.Plain(packed.Finish());
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

  // A quantity that no rank has is null as a whole.
  template <typename Number>
  void AppendColumn(std::string_view name, std::string& out,
                    const Number& number) const {
    if (out.back() != '{') out += ',';
    AppendJsonText(name, out);
    out += ':';
    const std::size_t begin = out.size();
    bool has_any = false;
    for (const std::size_t record : matrix_.records()) {
      out += out.size() == begin ? '[' : ',';
      out += '[';
      for (std::size_t region = 0; region < matrix_.regions().size();
           ++region) {
        if (region > 0) out += ',';
        const std::optional<double> value = number(record, region);
        has_any = has_any || value;
        if (value)
          AppendJsonNumber(std::round(*value), out);
        else
          out += "null";
      }
      out += ']';
    }
    out += out.size() == begin ? "[]" : "]";
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
