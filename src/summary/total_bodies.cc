#include <algorithm>
#include <cmath>

#include "summary/bodies.h"
#include "summary/sections.h"

namespace rangefinder {
namespace {

// Readers of profiles cut deeper regions.
constexpr std::size_t kDeepestRegion = 256;

Error Damaged(std::string_view part) {
  return Error(ErrorCode::kCorrupt,
               "its " + std::string(part) + " are damaged");
}

// ---- Times: a column for each member ----------------------------------------

using Stats = std::vector<const TimeStat*>;

void WriteStats(ByteWriter& out, const Stats& all) {
  for (const TimeStat* stat : all) out.Number(stat->count);
  Stats stats = all;
  std::erase_if(stats, [](const TimeStat* stat) { return stat->empty(); });
  for (const TimeStat* stat : stats) out.Number(stat->sum);
  for (const TimeStat* stat : stats) out.Number(stat->squares);
  for (const TimeStat* stat : stats) out.Number(stat->min);
  for (const TimeStat* stat : stats) out.Number(stat->max - stat->min);
  for (const TimeStat* stat : stats) out.Signed(stat->min_rank);
  for (const TimeStat* stat : stats) out.Signed(stat->max_rank);
  for (const TimeStat* stat : stats) out.Number(stat->buckets.size());
  for (const TimeStat* stat : stats) {
    std::uint32_t last = 0;
    for (const Spread::Bucket& bucket : stat->buckets) {
      out.Number(bucket.index - last);
      last = bucket.index;
    }
  }
  for (const TimeStat* stat : stats) {
    for (const Spread::Bucket& bucket : stat->buckets) out.Number(bucket.count);
  }
}

std::int32_t RankFrom(ByteReader& in) {
  const std::int64_t rank = in.Signed();
  if (rank >= -1 && rank <= INT32_MAX) return static_cast<std::int32_t>(rank);
  in.SetDamaged();
  return -1;
}

void ReadBuckets(ByteReader& in, const std::vector<TimeStat*>& stats) {
  in.Resize(
      stats, [](TimeStat * stat) -> auto& { return stat->buckets; }, 2);
  for (TimeStat* stat : stats) {
    std::uint32_t last = 0;
    for (Spread::Bucket& bucket : stat->buckets) {
      last += in.Below(Spread::kBuckets - last);
      bucket.index = last;
    }
  }
  for (TimeStat* stat : stats) {
    for (Spread::Bucket& bucket : stat->buckets) bucket.count = in.Number();
  }
}

// Whether the buckets fit the other members.
bool Fits(const TimeStat& stat) {
  if (stat.buckets.empty() || stat.max < stat.min) return false;
  std::uint64_t count = 0;
  std::uint32_t next = 0;
  for (const Spread::Bucket& bucket : stat.buckets) {
    if (bucket.count == 0 || bucket.index < next) return false;
    next = bucket.index + 1;
    count += bucket.count;
  }
  return count == stat.count &&
         stat.buckets.front().index == Spread::BucketOf(stat.min) &&
         stat.buckets.back().index == Spread::BucketOf(stat.max);
}

void ReadStats(ByteReader& in, std::vector<TimeStat*> stats) {
  for (TimeStat* stat : stats) stat->count = in.Number();
  std::erase_if(stats, [](const TimeStat* stat) { return stat->empty(); });
  for (TimeStat* stat : stats) stat->sum = in.WideNumber();
  for (TimeStat* stat : stats) stat->squares = in.WideNumber();
  for (TimeStat* stat : stats) stat->min = in.Number();
  for (TimeStat* stat : stats) stat->max = stat->min + in.Number();
  for (TimeStat* stat : stats) stat->min_rank = RankFrom(in);
  for (TimeStat* stat : stats) stat->max_rank = RankFrom(in);
  ReadBuckets(in, stats);
  for (const TimeStat* stat : stats) {
    if (!Fits(*stat)) in.SetDamaged();
  }
}

// ---- Regions and uses -------------------------------------------------------

template <typename Regions>
auto StatsOf(Regions& regions) {
  std::vector<decltype(&regions[0].cpu)> stats;
  for (const auto member : {&SummaryRegion::cpu, &SummaryRegion::gpu,
                            &SummaryRegion::span, &SummaryRegion::idle}) {
    for (auto& region : regions) stats.push_back(&(region.*member));
  }
  return stats;
}

void WriteRegions(ByteWriter& out, const std::vector<SummaryRegion>& regions) {
  out.Number(regions.size());
  WriteColumn(out, regions, &SummaryRegion::parent);
  for (const SummaryRegion& region : regions) {
    out.Number(region.unattributed                   ? 2
               : region.kind == FrameKind::kStartEnd ? 1
                                                     : 0);
  }
  WriteColumn(out, regions, &SummaryRegion::domain);
  WriteColumn(out, regions, &SummaryRegion::name);
  WriteColumn(out, regions, &SummaryRegion::instances);
  WriteColumn(out, regions, &SummaryRegion::unclosed);
  WriteStats(out, StatsOf(regions));
}

bool ReadRegions(ByteReader& in, Summary& summary) {
  std::vector<SummaryRegion>& regions = summary.regions;
  regions.assign(in.Length(10), {});
  if (regions.empty()) return false;
  std::vector<std::size_t> depths(regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    regions[i].parent = in.Below(std::max<std::size_t>(i, 1));
    if (i > 0) depths[i] = depths[regions[i].parent] + 1;
    if (depths[i] > kDeepestRegion) in.SetDamaged();
  }
  for (SummaryRegion& region : regions) {
    const std::uint32_t kind = in.Below(3);
    region.unattributed = kind == 2;
    region.kind = kind == 1 ? FrameKind::kStartEnd : FrameKind::kPushPop;
    if (region.unattributed && region.parent != 0) in.SetDamaged();
  }
  for (SummaryRegion& region : regions)
    region.domain = in.Below(summary.texts.size());
  for (SummaryRegion& region : regions)
    region.name = in.Below(summary.texts.size());
  for (SummaryRegion& region : regions) region.instances = in.Number();
  for (SummaryRegion& region : regions) region.unclosed = in.Number();
  ReadStats(in, StatsOf(regions));
  // Unattributed launches have no inner regions.
  for (const SummaryRegion& region : regions) {
    if (regions[region.parent].unattributed && &region != &regions[0])
      in.SetDamaged();
    if (region.unattributed && (region.domain != 0 || region.name != 0))
      in.SetDamaged();
  }
  const SummaryRegion& root = regions[0];
  if (root.unattributed || root.domain != 0 || root.name != 0) in.SetDamaged();
  return !in.damaged();
}

constexpr std::uint64_t SummaryUse::*kUseColumns[] = {
    &SummaryUse::kernels,    &SummaryUse::copies,    &SummaryUse::sets,
    &SummaryUse::kernel_ns,  &SummaryUse::copy_ns,   &SummaryUse::set_ns,
    &SummaryUse::copy_bytes, &SummaryUse::set_bytes, &SummaryUse::busy_ns,
    &SummaryUse::span_ns};

void WriteUses(ByteWriter& out, const std::vector<SummaryUse>& uses) {
  out.Number(uses.size());
  WriteColumn(out, uses, &SummaryUse::region);
  WriteColumn(out, uses, &SummaryUse::device);
  for (const auto column : kUseColumns) WriteColumn(out, uses, column);
  Stats stats;
  for (const SummaryUse& use : uses) stats.push_back(&use.latency);
  WriteStats(out, stats);
}

bool ReadUses(ByteReader& in, Summary& summary) {
  summary.uses.assign(in.Length(13), {});
  for (SummaryUse& use : summary.uses)
    use.region = in.Below(summary.regions.size());
  for (SummaryUse& use : summary.uses)
    use.device = in.Below(summary.texts.size());
  for (const auto column : kUseColumns) ReadColumn(in, summary.uses, column);
  std::vector<TimeStat*> stats;
  for (SummaryUse& use : summary.uses) stats.push_back(&use.latency);
  ReadStats(in, stats);
  return !in.damaged();
}

// ---- Kernels and rows -------------------------------------------------------

constexpr std::uint64_t Dim3::*kAxes[] = {&Dim3::x, &Dim3::y, &Dim3::z};

void WriteKernels(ByteWriter& out, const std::vector<SummaryKernel>& kernels) {
  out.Number(kernels.size());
  WriteColumn(out, kernels, &SummaryKernel::name);
  WriteColumn(out, kernels, &SummaryKernel::device);
  for (const SummaryKernel& kernel : kernels)
    out.Number(static_cast<std::uint64_t>(kernel.kind));
  for (const SummaryKernel& kernel : kernels)
    out.Number(static_cast<std::uint64_t>(kernel.mode));
  for (const auto axis : kAxes) {
    for (const SummaryKernel& kernel : kernels) out.Number(kernel.grid.*axis);
    for (const SummaryKernel& kernel : kernels) out.Number(kernel.block.*axis);
  }
  WriteColumn(out, kernels, &SummaryKernel::dynamic_shared);
  for (const SummaryKernel& kernel : kernels)
    out.Number(kernel.attributes.size());
  for (const SummaryKernel& kernel : kernels) {
    WriteColumn(out, kernel.attributes, &SummaryValue::metric);
    for (const SummaryValue& value : kernel.attributes)
      out.Number(static_cast<std::uint64_t>(value.kind));
    WriteColumn(out, kernel.attributes, &SummaryValue::bits);
  }
}

void ReadAttributes(ByteReader& in, const Summary& summary,
                    std::vector<SummaryValue>& attributes) {
  for (SummaryValue& value : attributes)
    value.metric = in.Below(summary.texts.size());
  for (SummaryValue& value : attributes)
    value.kind = static_cast<ValueKind>(in.Below(4));
  for (SummaryValue& value : attributes) {
    value.bits = value.kind == ValueKind::kText ? in.Below(summary.texts.size())
                                                : in.Number();
  }
}

bool IsOfARange(ReplayMode mode) {
  return mode == ReplayMode::kUnknown || mode == ReplayMode::kRange ||
         mode == ReplayMode::kAppRange || mode == ReplayMode::kCounters;
}

bool ReadKernels(ByteReader& in, Summary& summary) {
  std::vector<SummaryKernel>& kernels = summary.kernels;
  kernels.assign(in.Length(12), {});
  for (SummaryKernel& kernel : kernels)
    kernel.name = in.Below(summary.texts.size());
  for (SummaryKernel& kernel : kernels)
    kernel.device = in.Below(summary.texts.size());
  for (SummaryKernel& kernel : kernels)
    kernel.kind = static_cast<MeasurementKind>(in.Below(4));
  for (SummaryKernel& kernel : kernels)
    kernel.mode = static_cast<ReplayMode>(in.Below(7));
  for (const SummaryKernel& kernel : kernels) {
    if (kernel.kind == MeasurementKind::kRange && !IsOfARange(kernel.mode))
      in.SetDamaged();
  }
  for (const auto axis : kAxes) {
    for (SummaryKernel& kernel : kernels) kernel.grid.*axis = in.Number();
    for (SummaryKernel& kernel : kernels) kernel.block.*axis = in.Number();
  }
  for (SummaryKernel& kernel : kernels)
    kernel.dynamic_shared = in.Below(std::uint64_t{1} << 32);
  in.Resize(
      kernels,
      [](SummaryKernel & kernel) -> auto& { return kernel.attributes; }, 3);
  for (SummaryKernel& kernel : kernels)
    ReadAttributes(in, summary, kernel.attributes);
  return !in.damaged();
}

void WriteTotal(ByteWriter& out, const ExactTotal& total) {
  out.Signed(total.exponent());
  out.Number(total.negative());
  out.Text(total.Magnitude());
}

ExactTotal TotalFrom(ByteReader& in) {
  const std::int64_t exponent = in.Signed();
  const bool negative = in.Below(2) == 1;
  ExactTotal total;
  if (exponent != static_cast<std::int32_t>(exponent) ||
      !total.Set(static_cast<std::int32_t>(exponent), negative, in.Text()))
    in.SetDamaged();
  return total;
}

void WriteMetrics(ByteWriter& out, const std::vector<SummaryRow>& rows) {
  for (const SummaryRow& row : rows) out.Number(row.metrics.size());
  for (const SummaryRow& row : rows) {
    for (const SummaryMetric& metric : row.metrics) {
      out.Number(metric.metric);
      out.Number(static_cast<std::uint64_t>(metric.folding));
      out.Number(metric.present);
      WriteTotal(out, metric.sum);
      out.Real(metric.low);
      out.Real(metric.high);
      if (metric.folding == Folding::kSum) continue;
      out.Number(metric.weight);
      out.Number(metric.times);
      WriteTotal(out, metric.weights);
    }
  }
}

void ReadMetric(ByteReader& in, const Summary& summary, SummaryMetric& metric) {
  metric.metric = in.Below(summary.texts.size());
  metric.folding = static_cast<Folding>(in.Below(2));
  metric.present = in.Number();
  metric.sum = TotalFrom(in);
  // -0 would be a second zero.
  metric.low = in.Real() + 0.0;
  metric.high = in.Real() + 0.0;
  if (!std::isfinite(metric.low) || !std::isfinite(metric.high))
    in.SetDamaged();
  if (metric.folding == Folding::kSum) return;
  metric.weight = in.Below(summary.texts.size());
  metric.times = in.Below(summary.texts.size());
  metric.weights = TotalFrom(in);
}

void WriteRows(ByteWriter& out, const std::vector<SummaryRow>& rows) {
  out.Number(rows.size());
  WriteColumn(out, rows, &SummaryRow::region);
  WriteColumn(out, rows, &SummaryRow::kernel);
  WriteColumn(out, rows, &SummaryRow::launches);
  WriteColumn(out, rows, &SummaryRow::counted);
  Stats stats;
  for (const SummaryRow& row : rows) stats.push_back(&row.time);
  WriteStats(out, stats);
  WriteMetrics(out, rows);
}

bool ReadRows(ByteReader& in, Summary& summary) {
  std::vector<SummaryRow>& rows = summary.rows;
  rows.assign(in.Length(6), {});
  for (SummaryRow& row : rows) row.region = in.Below(summary.regions.size());
  for (SummaryRow& row : rows) row.kernel = in.Below(summary.kernels.size());
  for (SummaryRow& row : rows) {
    row.launches = in.Number();
    if (row.launches == 0) in.SetDamaged();
  }
  for (SummaryRow& row : rows) row.counted = in.Number();
  std::vector<TimeStat*> stats;
  for (SummaryRow& row : rows) stats.push_back(&row.time);
  ReadStats(in, stats);
  in.Resize(
      rows, [](SummaryRow & row) -> auto& { return row.metrics; }, 22);
  for (SummaryRow& row : rows) {
    for (SummaryMetric& metric : row.metrics) ReadMetric(in, summary, metric);
  }
  for (const SummaryRow& row : rows) {
    if (row.time.count > row.launches) in.SetDamaged();
  }
  return !in.damaged();
}

// report.json's schema knows no other kinds.
bool IsNoteKind(std::string_view kind) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !kind.empty() && is_letter(kind[0]) &&
         std::ranges::all_of(kind, [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
         });
}

}  // namespace

std::string TotalsBytes(const Summary& summary) {
  ByteWriter out;
  out.Number(summary.texts.size());
  for (const std::string& text : summary.texts) out.Text(text);
  WriteRegions(out, summary.regions);
  WriteUses(out, summary.uses);
  WriteKernels(out, summary.kernels);
  WriteRows(out, summary.rows);
  return out.Take();
}

Status ReadTotals(std::string_view bytes, Summary& summary) {
  ByteReader in(bytes);
  summary.texts.resize(in.Length());
  for (std::string& text : summary.texts) text = in.Text();
  if (in.damaged() || summary.texts.empty() || !summary.texts[0].empty())
    return Damaged("names");
  if (!ReadRegions(in, summary)) return Damaged("regions");
  if (!ReadUses(in, summary)) return Damaged("uses of the GPU");
  if (!ReadKernels(in, summary)) return Damaged("kernels");
  if (!ReadRows(in, summary) || !in.done()) return Damaged("rows of kernels");
  return Ok();
}

std::string AboutBytes(const Summary& summary) {
  ByteWriter out;
  out.Number(summary.sources.size());
  for (const auto& [key, until, launches, content] : summary.sources) {
    out.Signed(key.rank);
    out.Text(key.host);
    out.Number(key.pid);
    out.Number(key.started_ns);
    out.Number(until);
    out.Number(launches);
    out.Number(content);
  }
  out.Number(summary.facts.size());
  for (const SummaryFact& fact : summary.facts) {
    out.Text(fact.kind);
    out.Text(fact.key);
    out.Text(fact.value);
    out.Number(fact.count);
  }
  out.Number(summary.notes.size());
  for (const SummaryNote& note : summary.notes) {
    out.Number(note.severity);
    out.Text(note.kind);
    out.Text(note.text);
    out.Text(note.where);
    out.Number(note.count);
  }
  return out.Take();
}

Status ReadAbout(std::string_view bytes, Summary& summary) {
  ByteReader in(bytes);
  summary.sources.resize(in.Length(7));
  for (auto& [key, until, launches, content] : summary.sources) {
    key.rank = RankFrom(in);
    key.host = in.Text();
    key.pid = in.Number();
    key.started_ns = in.Number();
    until = in.Number();
    launches = in.Number();
    content = in.Number();
  }
  summary.facts.resize(in.Length(4));
  for (SummaryFact& fact : summary.facts) {
    fact.kind = in.Text();
    fact.key = in.Text();
    fact.value = in.Text();
    fact.count = in.Number();
  }
  summary.notes.resize(in.Length(5));
  for (SummaryNote& note : summary.notes) {
    note.severity = static_cast<std::uint8_t>(in.Below(3));
    note.kind = in.Text();
    if (!IsNoteKind(note.kind)) in.SetDamaged();
    note.text = in.Text();
    note.where = in.Text();
    note.count = in.Number();
  }
  if (in.damaged() || !in.done()) return Damaged("facts");
  return Ok();
}

}  // namespace rangefinder
