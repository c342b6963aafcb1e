// The tables of metrics in `--format sqlite`; see table_schema.h. Equal lists
// of values are written once.

#pragma once

namespace rangefinder {

inline constexpr const char* kMetricTables = R"sql(
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
)sql";

}  // namespace rangefinder
