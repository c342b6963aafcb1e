#include "report/json_sections.h"

#include <tuple>

#include "base/json_text.h"
#include "report/json_cells.h"

namespace rangefinder {
namespace {

std::string_view FindingKind(RuleMessageKind kind) {
  switch (kind) {
    case RuleMessageKind::kOk:
      return "info";
    case RuleMessageKind::kWarning:
      return "warning";
    case RuleMessageKind::kError:
      return "error";
    case RuleMessageKind::kOptimization:
      return "optimization";
    case RuleMessageKind::kNone:
      break;
  }
  return "none";
}

// What a finding says, without the numbers of a region.
auto Said(const Finding& finding) {
  return std::tie(finding.rule, finding.name, finding.section, finding.kind,
                  finding.title, finding.text);
}

}  // namespace

void SectionJson::Write(const ScopeRollup& scope, RegionId id,
                        const Amounts& shown) {
  WriteSections(id, shown);
  WriteFindings(scope, id);
  WriteVerdict(VerdictOf(*report_.rollup, shown));
  const std::vector<RooflineRow> rows = roofline_.RowsOf(shown);
  if (!all_ && rows.empty()) return;
  json_.Key("roofline");
  WriteRoofline(rows);
}

void SectionJson::WriteVerdict(const LimitVerdict& verdict) {
  const bool known = verdict.limit != Limit::kUnknown;
  if (!all_ && !known) return;
  json_.Key("verdict");
  if (known)
    json_.Text(verdict.text);
  else
    json_.Null();
}

void SectionJson::WriteKernel(const Amounts& amounts) {
  const std::vector<RooflineRow> rows = roofline_.RowsOf(amounts);
  if (rows.empty()) return;
  json_.Key("roofline");
  WriteRoofline(rows);
}

// Rows of metrics that are in place; of the others the block has the values.
void SectionJson::WriteSections(RegionId id, const Amounts& amounts) {
  json_.Key("sections");
  json_.BeginObject();
  for (const SectionTable& table : report_.sections->TablesOf(id, amounts)) {
    json_.Key(table.identifier);
    json_.BeginArray();
    for (const SectionTableRow& row : table.rows) {
      if (!all_ && !report_.in_place[row.column]) continue;
      json_.Value([&](std::string& out) {
        out += "{\"label\":";
        AppendJsonText(row.label, out);
        out += ",\"metric\":";
        AppendJsonText(row.metric, out);
        out += ',';
        report_.json_cells->AppendFields(row.cell, row.unit, CellDetail::kAll,
                                         out);
        out += '}';
      });
    }
    json_.EndArray();
  }
  json_.EndObject();
}

void SectionJson::WriteFindings(const ScopeRollup& scope, RegionId id) {
  json_.Key("findings");
  json_.BeginArray();
  for (const Finding& finding : FindingsIn(report_, scope.scope, id)) {
    json_.BeginObject();
    if (all_)
      WriteOrigin(finding);
    else
      json_.CountField("finding", PlaceOf(finding));
    WriteGain(finding);
    json_.EndObject();
  }
  json_.EndArray();
}

void SectionJson::WriteOrigin(const Finding& finding) {
  json_.TextField("rule", finding.rule);
  json_.TextField("name", finding.name);
  json_.TextField("section", finding.section);
  json_.TextField("kind", FindingKind(finding.kind));
  json_.TextField("title", finding.title);
  json_.TextField("text", finding.text);
}

void SectionJson::WriteGain(const Finding& finding) {
  json_.CountField("kernels", finding.kernels);
  json_.NumberField("time_ns", finding.time_ns);
  json_.NumberField("time_share", finding.time_share);
  OptionalField("speedup_percent", finding.speedup_percent);
  json_.TextField("speedup_type",
                  finding.speedup_is_global ? "global" : "local");
}

std::size_t SectionJson::PlaceOf(const Finding& finding) {
  const auto [first, last] = places_.equal_range(finding.text);
  for (auto at = first; at != last; ++at) {
    if (Said(findings_[at->second]) == Said(finding)) return at->second;
  }
  places_.emplace(finding.text, findings_.size());
  findings_.push_back(finding);
  return findings_.size() - 1;
}

void SectionJson::WriteRoofline(const std::vector<RooflineRow>& rows) {
  json_.BeginArray();
  for (const RooflineRow& row : rows) {
    json_.BeginLineObject();
    json_.TextField("precision", row.precision);
    json_.TextField("unit", row.unit);
    json_.TextField("how", HowName(row.how));
    // Instructions are not to be taken for FLOP.
    const bool flop = row.unit == "flop";
    json_.NumberField(flop ? "flop" : "instructions", row.work);
    json_.NumberField("dram_bytes", row.dram_bytes);
    json_.NumberField("intensity", row.intensity);
    json_.NumberField(flop ? "achieved_flops" : "achieved_instructions",
                      row.achieved);
    OptionalField(flop ? "peak_flops" : "peak_instructions", row.peak);
    OptionalField("peak_bandwidth", row.peak_bandwidth);
    OptionalField(flop ? "limit_flops" : "limit_instructions", row.limit);
    OptionalField("percent", row.percent);
    json_.EndObject();
  }
  json_.EndArray();
}

void SectionJson::OptionalField(std::string_view key,
                                const std::optional<double>& value) {
  json_.Key(key);
  if (value)
    json_.Number(*value);
  else
    json_.Null();
}

void SectionJson::WriteShared() {
  if (all_) return;
  json_.Key("sections");
  json_.BeginObject();
  for (const SectionTable& table : report_.sections->Tables()) {
    json_.Key(table.identifier);
    json_.BeginObject();
    json_.TextField("title", table.title);
    json_.Key("rows");
    json_.BeginArray();
    for (const SectionTableRow& row : table.rows) {
      json_.BeginLineObject();
      json_.TextField("label", row.label);
      json_.TextField("metric", row.metric);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }
  json_.EndObject();
  json_.Key("findings");
  json_.BeginArray();
  for (const Finding& finding : findings_) {
    json_.BeginObject();
    WriteOrigin(finding);
    json_.EndObject();
  }
  json_.EndArray();
}

}  // namespace rangefinder
