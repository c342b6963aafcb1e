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
  k.undisturbed_calls, k.undisturbed_ns, n.source_lines, n.operators,
  n.model_lines, n.source_unknown
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
