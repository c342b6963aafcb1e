-- The tables of `--format sqlite`, as docs/tables.md describes them. Tables
-- refer to rows of each other by number; views have the names in place and one
-- row for each thing, with the run and the keys that are equal in all runs.
--
-- SQLite keeps the text of a statement, so `.schema` shows its comments.

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
  short_name TEXT,
  source_lines TEXT,      -- file:line of its first instruction, "; " between
  operators TEXT,         -- of torch.compile: nodes of the model, ", " between
  model_lines TEXT,       -- file:line of them in the model, "; " between
  source_unknown TEXT     -- why there are no source_lines, where it was recorded
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
