#include "writers/json/sections_json.h"

#include "base/json_text.h"
#include "writers/json/json_cells.h"
#include "writers/json/json_parts.h"

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

}  // namespace

void SectionJson::Write(const ScopeRollup& scope, RegionId id,
                        const Amounts& shown) {
  WriteSections(id, shown);
  WriteFindings(scope, id);
  const LimitVerdict verdict = VerdictOf(*report_.rollup, shown);
  json_.Key("verdict");
  if (verdict.limit == Limit::kUnknown)
    json_.Null();
  else
    json_.Text(verdict.text);
  WriteCause(scope, id);
  json_.Key("roofline");
  WriteRoofline(roofline_.RowsOf(shown));
}

// Causes are of the aggregate alone.
void SectionJson::WriteCause(const ScopeRollup& scope, RegionId id) {
  const Cause* cause = report_.diagnosis.MainCause(id);
  if (!scope.scope.aggregate || cause == nullptr) return;
  json_.Key("cause");
  json_.BeginObject();
  WriteCauseFields(json_, *cause);
  json_.TextField("title", cause->title);
  json_.TextField("text", cause->text);
  json_.EndObject();
}

void WriteCauseFields(JsonStream& json, const Cause& cause) {
  json.TextField("kind", cause.id);
  json.TextField("next", cause.next);
  json.Key("certain");
  json.Value(
      [&](std::string& out) { out += cause.certain ? "true" : "false"; });
  json.NumberField("saves_ns", cause.saves_ns);
}

void SectionJson::WriteKernel(const Amounts& amounts) {
  const std::vector<RooflineRow> rows = roofline_.RowsOf(amounts);
  if (rows.empty()) return;
  json_.Key("roofline");
  WriteRoofline(rows);
}

// Rows of metrics that are in place; the block has the values of the others.
void SectionJson::WriteSections(RegionId id, const Amounts& amounts) {
  json_.Key("sections");
  json_.BeginObject();
  for (const SectionTable& table : report_.sections->TablesOf(id, amounts)) {
    json_.Key(table.identifier);
    json_.BeginArray();
    for (const SectionTableRow& row : table.rows) {
      if (!in_place_[row.column]) continue;
      json_.Value([&](std::string& out) {
        out += "{\"label\":";
        AppendJsonText(row.label, out);
        out += ",\"metric\":";
        AppendJsonText(row.metric, out);
        out += ',';
        AppendCell(*report_.profile, row.cell, row.unit, CellDetail::kAll, out);
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
  for (const Finding& finding : FindingsIn(report_, scope.scope, id))
    WriteFinding(finding);
  json_.EndArray();
}

void SectionJson::WriteFinding(const Finding& finding) {
  json_.BeginObject();
  json_.TextField("rule", finding.rule);
  json_.TextField("name", finding.name);
  json_.TextField("section", finding.section);
  json_.TextField("kind", FindingKind(finding.kind));
  json_.TextField("title", finding.title);
  json_.TextField("text", finding.text);
  json_.CountField("kernels", finding.kernels);
  json_.NumberField("time_ns", finding.time_ns);
  json_.NumberField("time_share", finding.time_share);
  OptionalField("speedup_percent", finding.speedup_percent);
  json_.TextField("speedup_type",
                  finding.speedup_is_global ? "global" : "local");
  json_.EndObject();
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

void SectionJson::WriteCatalog() {
  json_.Key("sections");
  json_.BeginRows('{');
  for (const SectionTable& table : report_.sections->Tables()) {
    json_.Key(table.identifier);
    json_.BeginObject();
    json_.TextField("title", table.title);
    json_.Key("rows");
    json_.BeginArray();
    for (const SectionTableRow& row : table.rows) {
      json_.BeginObject();
      json_.TextField("label", row.label);
      json_.TextField("metric", row.metric);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }
  json_.EndObject();
}

}  // namespace rangefinder
