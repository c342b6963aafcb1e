// The tables of `--format sqlite`, as docs/tables.md describes them. They hold
// numbers of rows of each other; the views have the names in place.
//
// What SQLite keeps of a statement is its text, so the comments in it are what
// somebody sees who types `.schema`.

#pragma once

namespace rangefinder {

// Raised when a table or view of it gets another meaning, not when there is one
// more.
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
)sql";

}  // namespace rangefinder
