#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/embedded.h"
#include "base/json_text.h"
#include "base/text.h"
#include "export/formats.h"
#include "export/table_file.h"
#include "export/table_rows.h"
#include "insight/times.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedTables();

namespace {

// Raised if a table or view changes its meaning, not for a new table or view.
constexpr const char* kTablesVersion = "rangefinder.tables/1";

// The statements of src/export/tables/NAME.sql.
std::string StatementsOf(std::string_view name) {
  return std::string(
      std::ranges::find(EmbeddedTables(), name, &EmbeddedFile::path)
          ->content());
}

void AddRun(const Report& report, const std::string& digest, TableFile& file) {
  const CaptureFacts& capture = report.capture;
  nlohmann::json tools = nlohmann::json::object();
  for (const auto& [name, version] : capture.tools)
    tools[ValidUtf8(name)] = version;
  const std::uint64_t started = report.profile->start_ns;
  file.Into("runs").Add(
      digest.substr(0, 16), kTablesVersion, OrNull(capture.mode),
      JsonDocument(nlohmann::json(capture.command)), JsonDocument(tools),
      OrNull(capture.clock_control), OrNull(capture.cache_control),
      OrNull(report.options.config_fingerprint),
      OptionalIf(started > 0, started));
}

void AddFacts(const Report& report, TableFile& file) {
  const Profile& profile = *report.profile;
  TableRows artifacts = file.Into("artifacts");
  for (const Artifact& artifact : profile.artifacts)
    artifacts.Add(artifact.path, artifact.format, artifact.bytes);
  TableRows notes = file.Into("notes");
  for (const Note& note : report.notes->all()) {
    notes.Add(SeverityName(note.severity), note.kind, note.text,
              OrNull(note.where), note.count);
  }
  TableRows devices = file.Into("devices");
  for (const Device& device : profile.devices) {
    devices.Add(device.index, OrNull(profile.Name(device.name)),
                OrNull(device.chip));
  }
  TableRows processes = file.Into("processes");
  for (std::size_t i = 0; i < profile.processes.size(); ++i) {
    const Process& process = profile.processes[i];
    // Process id 0: all processes of a summary.
    processes.Add(i, OptionalIf(process.pid > 0, process.pid),
                  OrNull(profile.Name(process.name)),
                  OrNull(profile.Name(process.host)),
                  OptionalIf(process.rank >= 0, process.rank));
  }
}

void AddScope(const Report& report, std::size_t scope_id, TableRows& scopes) {
  const ScopeRollup& scope = report.rollup->scopes[scope_id];
  const RegionRow row = report.rows->Of(scope, RegionTree::kRoot);
  const auto times = TimesOf(report, scope.scope, RegionTree::kRoot);
  const bool single = !scope.scope.aggregate;
  std::optional<std::uint64_t> busy, span;
  if (times && times->gpu_known) {
    busy = times->gpu.busy_ns;
    span = times->span_ns;
  }
  scopes.Add(scope_id, ScopeName(report, scope.scope),
             OptionalIf(single, Index(scope.scope.process)),
             OptionalIf(single && scope.scope.device >= 0, scope.scope.device),
             row.time_ns, row.launches, scope.totals.kernel_count,
             row.measured_ns, busy, span, OrNull(row.reason));
}

}  // namespace

void WriteSqlite(const Report& report, std::ostream& out) {
  TableFile file(StatementsOf("schema.sql").c_str());
  AddFacts(report, file);
  TableIds ids(report, file);
  {
    TableRows scopes = file.Into("scopes");
    TableRegions regions(report, file, ids);
    TableMetrics metrics(report, file, ids);
    for (std::size_t i = 0; i < report.rollup->scopes.size(); ++i) {
      const ScopeRollup& scope = report.rollup->scopes[i];
      AddScope(report, i, scopes);
      regions.AddScope(static_cast<std::int64_t>(i), scope);
      metrics.AddScope(static_cast<std::int64_t>(i), scope);
    }
    AddRun(report, regions.digest(), file);
  }
  AddRankRows(report, ids, file);
  AddInstanceRows(report, file);
  AddLaunchRows(report, ids, file);
  file.Run(StatementsOf("indices.sql").c_str());
  file.Run(StatementsOf("views.sql").c_str());
  const std::string_view bytes = file.Finish();
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace rangefinder
