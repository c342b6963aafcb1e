#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/text.h"
#include "export/formats.h"
#include "export/table_file.h"
#include "export/table_rows.h"
#include "insight/times.h"

namespace rangefinder {

namespace {

// ---- Schema ----------------------------------------------------------------

// The tables of `--format sqlite`, as docs/tables.md describes them. Tables
// refer to rows of each other by number; views have the names in place and one
// row for each thing, with the run and the keys that are equal in all runs.
//
// SQLite keeps the text of a statement, so `.schema` shows its comments.

// Raised when a table or view changes its meaning, not when one is added.
inline constexpr const char* kTablesVersion = "rangefinder.tables/1";

inline constexpr const char* kTableSchema = R"sql(
PRAGMA application_id = 1382444644;
PRAGMA user_version = 1;

CREATE TABLE runs (
  run TEXT,               -- the same for the same report, whenever it is made
  schema TEXT,
  mode TEXT,              -- how it was measured: trace, kernel, range
  command TEXT,           -- the profiler's or the program's, as JSON
  tools TEXT,             -- name and version, as JSON
  clock_control TEXT,
  cache_control TEXT,
  config_fingerprint TEXT,
  started_ns INTEGER      -- of traces: since 1970
);
CREATE TABLE artifacts (path TEXT, format TEXT, bytes INTEGER);
CREATE TABLE notes (
  severity TEXT, kind TEXT, text TEXT, place TEXT, count INTEGER);
CREATE TABLE devices (device INTEGER, name TEXT, chip TEXT);
CREATE TABLE processes (
  process_id INTEGER PRIMARY KEY,
  pid INTEGER, name TEXT, host TEXT,
  rank INTEGER            -- of a job; NULL: none was given
);
CREATE TABLE scopes (     -- one process on one device, or all of them
  scope_id INTEGER PRIMARY KEY,
  scope TEXT,             -- 'aggregate', 'process:7/device:0'
  process_id INTEGER REFERENCES processes,
  device INTEGER,
  gpu_ns REAL,            -- as of regions, over all of them
  launches INTEGER,
  measured_kernels INTEGER,
  measured_ns REAL,
  busy_ns INTEGER,        -- of traces
  span_ns INTEGER,
  reason TEXT             -- why something is NULL
);
CREATE TABLE regions (
  region_id INTEGER PRIMARY KEY,  -- as `id` in report.json
  region_key TEXT,        -- of its path: the same in every run
  parent_id INTEGER REFERENCES regions,
  depth INTEGER,          -- 0: in no other
  domain TEXT, name TEXT,
  kind TEXT,              -- push_pop, start_end; none: (unattributed)
  path TEXT,              -- frames joined by /
  path_json TEXT
);
CREATE TABLE kernel_names (
  kernel_id INTEGER PRIMARY KEY,
  kernel_key TEXT,        -- of its name: the same in every run
  name TEXT,              -- demangled, as stored
  short_name TEXT
);
CREATE TABLE scope_regions (
  place INTEGER PRIMARY KEY,      -- in the order of reading
  scope_id INTEGER REFERENCES scopes,
  region_id INTEGER REFERENCES regions,
  source TEXT,            -- of gpu_ns: undisturbed, kernels, range
  gpu_ns REAL,            -- kernels' time, inner regions included
  own_gpu_ns REAL,        -- and left out
  share REAL,             -- of the scope's, 0 to 1
  launches INTEGER,
  own_launches INTEGER,
  measured_kernels INTEGER,       -- that were measured one by one, and their
  measured_ns REAL,               -- time, inner regions included
  own_measured_kernels INTEGER,   -- and left out: these add up to the scope's
  own_measured_ns REAL,
  ranges INTEGER,         -- instances that were measured as a whole
  range_ns REAL,
  instances INTEGER,
  -- Of traces, inner regions included. On the CPU, from open to close:
  unclosed INTEGER,       -- instances that were still open at the end
  start_ns INTEGER, end_ns INTEGER,
  cpu_ns INTEGER,         -- summed over the closed instances
  cpu_min_ns INTEGER, cpu_median_ns REAL, cpu_max_ns INTEGER,
  -- On the GPU: while anything ran, first start to last end, without work in
  -- between, and from launch to start on average
  busy_ns INTEGER, span_ns INTEGER, idle_ns INTEGER, latency_ns REAL,
  copies INTEGER, copy_ns INTEGER, copy_bytes INTEGER,
  sets INTEGER, set_ns INTEGER,
  reason TEXT             -- why there is no time, or no counters
);
CREATE TABLE scope_kernels (
  scope_id INTEGER REFERENCES scopes,
  region_id INTEGER REFERENCES regions,
  kernel_id INTEGER REFERENCES kernel_names,
  device INTEGER,
  calls INTEGER,          -- inner regions included
  own_calls INTEGER,      -- and left out
  total_ns REAL, own_ns REAL, min_ns REAL, max_ns REAL,
  undisturbed_calls INTEGER,      -- in the traced run beside a measured one
  undisturbed_ns REAL
);
CREATE TABLE region_instances (   -- of traces: the first 64 and the slowest
  region_id INTEGER REFERENCES regions,
  process_id INTEGER REFERENCES processes,
  thread INTEGER,
  name TEXT,              -- that this range was given
  ordinal INTEGER,        -- among those of its name and thread, from 0
  kept TEXT,              -- first, slowest, slowest_gpu
  start_ns INTEGER,
  cpu_ns INTEGER,         -- NULL: it was never closed
  gpu_ns INTEGER, span_ns INTEGER, idle_ns INTEGER
);
CREATE TABLE region_launches (
  launch_id INTEGER PRIMARY KEY,  -- as `id` in raw.csv
  region_id INTEGER REFERENCES regions,
  kernel_id INTEGER REFERENCES kernel_names,
  process_id INTEGER REFERENCES processes,
  kind TEXT,              -- kernel, graph, range
  mode TEXT,              -- trace, kernel, range
  device INTEGER, stream INTEGER, thread INTEGER,
  grid TEXT, block TEXT,  -- '128x1x1'
  launched_ns INTEGER, start_ns INTEGER, duration_ns REAL,
  launches INTEGER        -- that it stands for, in summaries: the duration is
                          -- that of all of them
);

-- Equal lists of values are written once.
CREATE TABLE metric_names (metric_id INTEGER PRIMARY KEY, name TEXT, unit TEXT);
CREATE TABLE metric_origins (     -- how a value came about
  origin_id INTEGER PRIMARY KEY,
  how TEXT,               -- measured, exact, estimated, approx, bound, absent
  bound TEXT,             -- upper: the true value is at most this
  rule TEXT, weight TEXT, reason TEXT
);
CREATE TABLE metric_values (
  set_id INTEGER,
  metric_id INTEGER REFERENCES metric_names,
  value REAL, text TEXT,
  standard_error REAL,
  low REAL, high REAL,    -- least and most, or the 95 % of an estimate
  present INTEGER,        -- launches that had it
  missing INTEGER,
  origin_id INTEGER REFERENCES metric_origins,
  PRIMARY KEY (set_id, metric_id)
) WITHOUT ROWID;
CREATE TABLE metric_places (      -- whose a set of values is
  scope_id INTEGER REFERENCES scopes,
  region_id INTEGER REFERENCES regions,       -- NULL: the scope as a whole
  kernel_id INTEGER REFERENCES kernel_names,  -- NULL: all of them
  device INTEGER,
  part TEXT,              -- inclusive, exclusive; range: measured as a whole;
                          -- x_estimate: of what was measured in another run
  mode TEXT,              -- of a range
  instances INTEGER,      -- of a range: that the values are the mean of
  set_id INTEGER
);

CREATE TABLE ranks (      -- of a job of several
  rank_id INTEGER PRIMARY KEY,
  rank INTEGER, world INTEGER,    -- as the launcher said
  host TEXT, pid INTEGER, started_ns INTEGER,
  devices TEXT,           -- as JSON
  tree INTEGER,           -- equal: the same regions
  lost_collectives INTEGER,
  notes TEXT              -- why something is missing, as JSON
);
CREATE TABLE rank_regions (       -- inner regions included
  rank_id INTEGER REFERENCES ranks,
  region_id INTEGER REFERENCES regions,  -- NULL: the run as a whole
  instances INTEGER, kernels INTEGER,
  wall_ns INTEGER,        -- from open to close, summed
  compute_ns INTEGER, overlapped_ns INTEGER, exposed_ns INTEGER,
  copy_ns INTEGER, idle_ns INTEGER,
  latency_ns INTEGER,     -- from launch to start, summed over kernels
  waiting_ns REAL,        -- in collectives, for the last rank
  sm_clock_hz REAL
);
CREATE TABLE late_ranks ( -- one row a reason; the reasons add up to late_ns
  region TEXT,            -- NULL: the run as a whole
  rank_id INTEGER REFERENCES ranks,
  instances INTEGER,      -- in which collectives were matched, and in how many
  last INTEGER,           -- of them this rank came last
  late_ns REAL,           -- after the median rank, in the middle
  reason TEXT,            -- compute, work, clock, launch, idle, network, unknown
  where_region TEXT, reason_ns REAL,
  ratio REAL              -- to the median rank
);
)sql";

// Made after all rows, which is faster and takes less space.
inline constexpr const char* kTableIndices = R"sql(
CREATE INDEX regions_by_key ON regions (region_key);
CREATE INDEX scope_regions_by_region ON scope_regions (region_id);
CREATE INDEX scope_kernels_by_region ON scope_kernels (region_id);
CREATE INDEX region_instances_by_region ON region_instances (region_id);
CREATE INDEX region_launches_by_region ON region_launches (region_id);
CREATE INDEX rank_regions_by_region ON rank_regions (region_id);
CREATE INDEX metric_names_by_name ON metric_names (name);
CREATE INDEX metric_places_by_region ON metric_places (region_id);
)sql";

inline constexpr const char* kTableViews = R"sql(
CREATE VIEW region_times AS
SELECT runs.run, s.scope, p.rank, p.host, p.pid, s.device, r.region_key,
  r.path AS region, r.name, r.depth, r.parent_id, t.*
FROM scope_regions t JOIN scopes s ON s.scope_id = t.scope_id
JOIN regions r ON r.region_id = t.region_id
LEFT JOIN processes p ON p.process_id = s.process_id CROSS JOIN runs;

CREATE VIEW kernels AS
SELECT runs.run, s.scope, p.rank, k.device, r.region_key, r.path AS region,
  n.kernel_key, n.name AS kernel, n.short_name, k.calls, k.own_calls,
  k.total_ns, k.own_ns, k.total_ns / k.calls AS mean_ns, k.min_ns, k.max_ns,
  k.undisturbed_calls, k.undisturbed_ns
FROM scope_kernels k JOIN scopes s ON s.scope_id = k.scope_id
JOIN regions r ON r.region_id = k.region_id
JOIN kernel_names n ON n.kernel_id = k.kernel_id
LEFT JOIN processes p ON p.process_id = s.process_id CROSS JOIN runs;

CREATE VIEW metrics AS
SELECT runs.run, s.scope, p.rank, w.device, r.region_key, r.path AS region,
  n.kernel_key, n.name AS kernel, w.part, w.mode, w.instances,
  m.name AS metric, v.value, v.text, m.unit, o.how, o.bound, v.standard_error,
  v.low, v.high, v.present, v.missing, o.rule, o.weight, o.reason
FROM metric_places w JOIN metric_values v ON v.set_id = w.set_id
JOIN metric_names m ON m.metric_id = v.metric_id
JOIN metric_origins o ON o.origin_id = v.origin_id
JOIN scopes s ON s.scope_id = w.scope_id
LEFT JOIN regions r ON r.region_id = w.region_id
LEFT JOIN kernel_names n ON n.kernel_id = w.kernel_id
LEFT JOIN processes p ON p.process_id = s.process_id CROSS JOIN runs;

CREATE VIEW rank_times AS
SELECT runs.run, k.rank, k.host, k.pid, k.tree, r.region_key, r.path AS region,
  t.*
FROM rank_regions t JOIN ranks k ON k.rank_id = t.rank_id
LEFT JOIN regions r ON r.region_id = t.region_id CROSS JOIN runs;

CREATE VIEW instances AS
SELECT runs.run, p.rank, p.host, p.pid, i.thread, r.region_key,
  r.path AS region, i.name, i.ordinal, i.kept, i.start_ns, i.cpu_ns, i.gpu_ns,
  i.span_ns, i.idle_ns
FROM region_instances i JOIN regions r ON r.region_id = i.region_id
JOIN processes p ON p.process_id = i.process_id CROSS JOIN runs;

CREATE VIEW launches AS
SELECT runs.run, l.launch_id, p.rank, p.host, p.pid, l.device, l.stream,
  l.thread, r.region_key, r.path AS region, n.kernel_key, n.name AS kernel,
  n.short_name, l.kind, l.mode, l.grid, l.block, l.launched_ns, l.start_ns,
  l.duration_ns, l.launches
FROM region_launches l JOIN regions r ON r.region_id = l.region_id
JOIN kernel_names n ON n.kernel_id = l.kernel_id
JOIN processes p ON p.process_id = l.process_id CROSS JOIN runs;
)sql";

}  // namespace

namespace {

std::optional<std::string_view> OrNull(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

void AddRun(const Report& report, const std::string& digest, TableFile& file) {
  const CaptureFacts& capture = report.capture;
  nlohmann::json command = nlohmann::json::array();
  for (const std::string& word : capture.command)
    command.push_back(ValidUtf8(word));
  nlohmann::json tools = nlohmann::json::object();
  for (const auto& [name, version] : capture.tools)
    tools[ValidUtf8(name)] = ValidUtf8(version);
  std::optional<std::uint64_t> started;
  if (report.profile->start_ns > 0) started = report.profile->start_ns;
  file.Into("runs").Add(digest.substr(0, 16), kTablesVersion,
                        OrNull(capture.mode), command.dump(), tools.dump(),
                        OrNull(capture.clock_control),
                        OrNull(capture.cache_control),
                        OrNull(report.options.config_fingerprint), started);
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
    std::optional<std::int32_t> rank;
    if (process.rank >= 0) rank = process.rank;
    std::optional<std::uint64_t> pid;  // 0: the processes of a summary
    if (process.pid > 0) pid = process.pid;
    processes.Add(std::uint64_t{i}, pid, OrNull(profile.Name(process.name)),
                  OrNull(profile.Name(process.host)), rank);
  }
}

void AddScope(const Report& report, std::size_t scope_id, TableRows& scopes) {
  const ScopeRollup& scope = report.rollup->scopes[scope_id];
  const RegionRow row = report.rows->Of(scope, RegionTree::kRoot);
  const auto times = TimesOf(report, scope.scope, RegionTree::kRoot);
  std::optional<std::uint64_t> process, busy, span;
  std::optional<std::int32_t> device;
  if (!scope.scope.aggregate) {
    process = Index(scope.scope.process);
    if (scope.scope.device >= 0) device = scope.scope.device;
  }
  if (times) {
    busy = times->gpu.busy_ns;
    span = times->span_ns;
  }
  scopes.Add(std::uint64_t{scope_id}, ScopeName(report, scope.scope), process,
             device, row.time_ns, row.launches, scope.totals.kernel_count,
             row.measured_ns, busy, span, OrNull(row.reason));
}

}  // namespace

void WriteSqlite(const Report& report, std::ostream& out) {
  TableFile file(kTableSchema);
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
  file.Run(kTableIndices);
  file.Run(kTableViews);
  const std::string_view bytes = file.Finish();
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace rangefinder
