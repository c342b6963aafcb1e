#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/numbers.h"
#include "insight/imbalance.h"
#include "report/folder.h"
#include "report/page_scopes.h"
#include "report/sentences.h"
#include "writers/json/json_columns.h"
#include "writers/json/json_extent.h"
#include "writers/json/json_parts.h"
#include "writers/json/json_stream.h"
#include "writers/json/region_json.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

constexpr std::string_view kSchema = "rangefinder.report/2";

class JsonReport {
 public:
  // `folders`: see RegionJson; `in_place`: see ColumnsInPlace().
  JsonReport(const Report& report, const JsonExtent& extent,
             std::span<const std::string> folders,
             const std::vector<bool>& in_place, std::ostream& out)
      : report_(report),
        profile_(*report.profile),
        rollup_(*report.rollup),
        extent_(extent),
        in_place_(in_place),
        json_(out),
        region_(report, json_, in_place_, folders) {}

  void Write() {
    json_.BeginObject();
    json_.TextField("schema", kSchema);
    json_.TextField("generated_at", report_.options.generated_at);
    json_.TextField("config_fingerprint", report_.options.config_fingerprint);
    WriteHeadlines();
    WriteCapture();
    WriteMetrics();
    WriteAggregateScope();
    json_.Key("scopes");
    json_.BeginArray();
    for (const ScopeRollup* scope : extent_.scopes) WriteScope(*scope);
    json_.EndArray();
    WriteRest();
    region_.WriteSections();
    if (!extent_.only) WriteRanksJson(json_, report_, extent_.page.has_value());
    WriteBlock();
    WriteNotes();
    json_.EndObject();
  }

 private:
  // The place of the aggregate in `scopes`.
  void WriteAggregateScope() {
    json_.Key("aggregate_scope");
    const auto at = std::ranges::find_if(
        extent_.scopes,
        [](const ScopeRollup* scope) { return scope->scope.aggregate; });
    if (at == extent_.scopes.end())
      json_.Null();
    else
      json_.Count(static_cast<std::uint64_t>(at - extent_.scopes.begin()));
  }

  void WriteHeadlines() {
    json_.Key("headlines");
    json_.BeginArray();
    for (const Headline& headline : report_.diagnosis.headlines) {
      json_.BeginObject();
      WriteCauseFields(json_, headline.cause);
      json_.CountField("region_id", Index(headline.region));
      json_.TextField("text", HeadlineText(report_, headline));
      json_.Key("share");
      if (headline.share)
        json_.Number(*headline.share);
      else
        json_.Null();
      json_.EndObject();
    }
    json_.EndArray();
  }

  // Only where the selection leaves launches out.
  void WriteRest() {
    const auto& rest = report_.tree->rest();
    if (!rest) return;
    json_.Key("rest");
    json_.BeginLineObject();
    json_.CountField("kernel_count", rest->launches);
    json_.NumberField("gpu_time_ns", rest->gpu_ns);
    json_.NumberField("share", rest->share);
    json_.EndObject();
  }

  void WriteCapture() {
    const CaptureFacts& capture = report_.capture;
    json_.Key("capture");
    json_.BeginObject();
    json_.TextField("mode", capture.mode);
    json_.Key("tools");
    json_.BeginObject();
    for (const auto& [name, version] : capture.tools)
      json_.TextField(name, version);
    json_.EndObject();
    json_.TextsField("command", capture.command);
    json_.TextField("clock_control", capture.clock_control);
    json_.TextField("cache_control", capture.cache_control);
    json_.TextsField("devices", capture.devices);
    json_.Key("processes");
    json_.BeginArray();
    for (const ScopeRollup& scope : rollup_.scopes) {
      if (!scope.scope.aggregate) WriteProcess(scope.scope);
    }
    json_.EndArray();
    WriteRunsJson(json_, report_);
    WriteSamplingJson(json_, report_);
    WriteCheckJson(json_, report_);
    WritePrecisionJson(json_, report_);
    json_.Key("artifacts");
    json_.BeginArray();
    for (const Artifact& artifact : profile_.artifacts) {
      json_.BeginObject();
      json_.TextField("path", artifact.path);
      json_.TextField("format", artifact.format);
      json_.CountField("bytes", artifact.bytes);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void WriteProcess(const Scope& scope) {
    const Process& process = profile_.processes[Index(scope.process)];
    json_.BeginObject();
    json_.TextField("scope", ScopeName(report_, scope));
    json_.CountField("pid", process.pid);
    json_.TextField("name", profile_.Name(process.name));
    json_.TextField("host", profile_.Name(process.host));
    json_.Key("rank");
    if (process.rank < 0)
      json_.Null();
    else
      json_.Count(static_cast<std::uint64_t>(process.rank));
    json_.EndObject();
  }

  // The facts that all cells of a metric share, and where its cells are.
  void WriteMetrics() {
    json_.Key("metrics");
    json_.BeginRows('{');
    for (std::size_t c = 0; c < rollup_.columns.size(); ++c) {
      const Column& column = rollup_.columns[c];
      json_.Key(column.name);
      json_.BeginLineObject();
      json_.TextField("unit", column.unit);
      const std::string_view rule = RuleOf(c);
      if (!rule.empty()) json_.TextField("rule", rule);
      if (const std::string doc = MetricDoc(report_, c); !doc.empty())
        json_.TextField("doc", doc);
      json_.TextField("cells", in_place_[c] ? "in_place" : "columns");
      json_.EndObject();
    }
    json_.EndObject();
  }

  // As the first scope's totals were made; nothing where they have no cells.
  std::string_view RuleOf(std::size_t column) const {
    if (rollup_.scopes.empty()) return {};
    const Cells& cells = rollup_.scopes.front().totals.cells;
    return column < cells.size() ? cells[column].rule : Word();
  }

  void WriteScope(const ScopeRollup& scope) {
    json_.BeginObject();
    json_.TextField("scope", ScopeName(report_, scope.scope));
    WriteScopeJson(json_, report_, scope.scope);
    WriteOwner(scope.scope);
    json_.TextField("headline", HeadlineOf(report_, scope));
    json_.Key("totals");
    region_.WriteTotals(scope);
    region_.WriteTraced(scope, RegionTree::kRoot,
                        TimesOf(report_, scope.scope, RegionTree::kRoot));
    json_.Key("regions");
    json_.BeginRows();
    for (const RegionId id : extent_.Order(report_, scope))
      region_.Write(scope, id);
    json_.EndArray();
    if (!extent_.only) WriteNames(scope);
    json_.EndObject();
  }

  void WriteNames(const ScopeRollup& scope) {
    json_.Key("by_name");
    json_.BeginRows();
    for (const NameRow& row : scope.names) {
      json_.BeginObject();
      json_.TextField("name", profile_.Name(row.frame.name));
      json_.TextField("domain", profile_.Name(row.frame.domain));
      json_.Key("regions");
      json_.BeginLineArray();
      for (const RegionId id : row.regions) {
        if (!extent_.page || extent_.page->Has(id)) json_.Count(Index(id));
      }
      json_.EndArray();
      json_.Key("inclusive");
      region_.WriteAmounts(row.amounts, CellDetail::kAll);
      json_.EndObject();
    }
    json_.EndArray();
  }

  // Of a scope of a parallel job: process ids of two hosts may be the same.
  void WriteOwner(const Scope& scope) {
    if (ScopeOwner(report_, scope).empty()) return;
    const Process& process = profile_.processes[Index(scope.process)];
    if (process.rank >= 0)
      json_.CountField("rank", static_cast<std::uint64_t>(process.rank));
    json_.TextField("host", profile_.Name(process.host));
  }

  void WriteBlock() {
    if (std::ranges::find(in_place_, false) == in_place_.end()) return;
    const ColumnBlock block = PackColumns(report_, extent_, in_place_);
    json_.Key("columns");
    json_.BeginObject();
    json_.TextField("encoding", "gzip+base64");
    json_.CountField("bytes", block.bytes);
    json_.Key("content");
    json_.Plain(block.content);
    json_.EndObject();
  }

  void WriteNotes() {
    json_.Key("notes");
    json_.BeginRows();
    if (extent_.page && extent_.page->left_out() > 0)
      WriteNote(RegionsLeftOut());
    if (extent_.page && extent_.scopes.size() < ShownScopes(report_).size())
      WriteNote(ScopesLeftOut());
    for (const Note& note : report_.notes->all()) WriteNote(note);
    json_.EndArray();
  }

  void WriteNote(const Note& note) {
    json_.BeginObject();
    json_.TextField("severity", SeverityName(note.severity));
    json_.TextField("kind", note.kind);
    json_.TextField("text", note.text);
    json_.TextField("where", note.where);
    json_.CountField("count", note.count);
    json_.EndObject();
  }

  Note RegionsLeftOut() const {
    return {.severity = Severity::kInfo,
            .kind = "page_regions_left_out",
            .text = fmt::format(
                "this page shows the {} regions with the most GPU time; "
                "report.json has all of them, and the others are part of their "
                "outer regions' values here, too",
                FormatCount(report_.options.max_page_regions)),
            .count = extent_.page->left_out()};
  }

  Note ScopesLeftOut() const {
    return {.severity = Severity::kInfo,
            .kind = "page_scopes_left_out",
            .text = fmt::format(
                "this page shows {} scopes: the aggregate, those "
                "of ranks that are late or typical, then those with the most "
                "GPU time; report.json has all of them",
                FormatCount(extent_.scopes.size())),
            .count = ShownScopes(report_).size() - extent_.scopes.size()};
  }

  const Report& report_;
  const Profile& profile_;
  const Rollup& rollup_;
  const JsonExtent& extent_;
  const std::vector<bool>& in_place_;
  JsonStream json_;
  RegionJson region_;
};

void Write(const Report& report, const JsonExtent& extent,
           std::span<const std::string> folders,
           const std::vector<bool>& in_place, std::ostream& out) {
  JsonReport(report, extent, folders, in_place, out).Write();  // flushes
  out << '\n';
}

}  // namespace

void WriteJson(const Report& report, std::ostream& out) {
  JsonExtent extent;
  for (const ScopeRollup& scope : report.rollup->scopes)
    extent.scopes.push_back(&scope);
  Write(report, extent, FoldersOf(report),
        ColumnsInPlace(report, report.options.in_place), out);
}

void WritePageJson(const Report& report, std::ostream& out) {
  const JsonExtent extent{
      .scopes = ScopesOneByOne(report, MostPageScopes(report)),
      .page = PageRegions(report)};
  // The page unpacks its metrics by itself, and stays small.
  Write(report, extent, {}, ColumnsInPlace(report, MetricsInPlace::kRequested),
        out);
}

FolderJson::FolderJson(const Report& report)
    : report_(report),
      folders_(FoldersOf(report)),
      in_place_(ColumnsInPlace(report, report.options.in_place)) {}

void FolderJson::Write(RegionId region, std::ostream& out) const {
  rangefinder::Write(report_, {.only = region, .scopes = ShownScopes(report_)},
                     folders_, in_place_, out);
}

}  // namespace rangefinder
