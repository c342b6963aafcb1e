// The tables of a job's ranks in `--format sqlite`; see table_schema.h.

#pragma once

namespace rangefinder {

inline constexpr const char* kRankTables = R"sql(
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

}  // namespace rangefinder
