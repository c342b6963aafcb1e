// Each template below has the order of members once, for writing and for
// reading: `Io` is ByteWriter with constant data, or ByteReader.

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/text.h"
#include "summary/bodies.h"
#include "summary/sections.h"

namespace rangefinder {
namespace {

// Readers of profiles cut deeper regions.
constexpr std::size_t kDeepestRegion = 256;

Error DamagedPart(std::string_view part) {
  return Error(ErrorCode::kCorrupt,
               "its " + std::string(part) + " are damaged");
}

// ---- Times: a column for each member ----------------------------------------

template <typename List, typename... Members>
auto StatsOf(List& list, Members... members) {
  using Stat =
      std::conditional_t<std::is_const_v<List>, const TimeStat, TimeStat>;
  std::vector<Stat*> stats;
  for (const auto member : {members...})
    for (auto& entry : list) stats.push_back(&(entry.*member));
  return stats;
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

// `value` as its distance from `base`, which is not more.
template <typename Io, typename Value>
void From(Io& io, Value& value, std::uint64_t base) {
  std::uint64_t distance = value - base;
  io.Number(distance);
  if constexpr (Io::kReads) value = base + distance;
}

template <typename Io, typename Stat>
void Buckets(Io& io, const std::vector<Stat*>& stats) {
  io.Lengths(
      stats, [](Stat * stat) -> auto& { return stat->buckets; }, 2);
  for (Stat* stat : stats) {
    std::uint32_t last = 0;
    for (auto& bucket : stat->buckets) {
      std::uint32_t step = bucket.index - last;
      io.Below(step, Spread::kBuckets - last);
      last += step;
      if constexpr (Io::kReads) bucket.index = last;
    }
  }
  for (Stat* stat : stats) OneMember(io, stat->buckets, &Spread::Bucket::count);
}

template <typename Io, typename Stat>
void Times(Io& io, std::vector<Stat*> stats) {
  for (Stat* stat : stats) io.Number(stat->count);
  std::erase_if(stats, [](const TimeStat* stat) { return stat->empty(); });
  for (Stat* stat : stats) io.Number(stat->sum);
  for (Stat* stat : stats) io.Number(stat->squares);
  for (Stat* stat : stats) io.Number(stat->min);
  for (Stat* stat : stats) From(io, stat->max, stat->min);
  for (Stat* stat : stats) io.AtLeast(stat->min_rank, -1);
  for (Stat* stat : stats) io.AtLeast(stat->max_rank, -1);
  Buckets(io, stats);
  if constexpr (Io::kReads) {
    for (const Stat* stat : stats)
      if (!Fits(*stat)) io.SetDamaged();
  }
}

// ---- Regions and uses -------------------------------------------------------

bool AreSound(const std::vector<SummaryRegion>& regions) {
  const SummaryRegion& root = regions[0];
  if (root.unattributed || root.domain != 0 || root.name != 0) return false;
  std::vector<std::size_t> depths(regions.size());
  for (std::size_t i = 1; i < regions.size(); ++i) {
    const SummaryRegion& region = regions[i];
    depths[i] = depths[region.parent] + 1;
    // Unattributed launches have no name and no inner regions.
    if (depths[i] > kDeepestRegion || regions[region.parent].unattributed ||
        (region.unattributed &&
         (region.parent != 0 || region.domain != 0 || region.name != 0)))
      return false;
  }
  return true;
}

template <typename Io, typename Whole>
void Regions(Io& io, Whole& summary) {
  auto& regions = summary.regions;
  io.Length(regions, 10);
  for (std::size_t i = 0; i < regions.size(); ++i)
    io.Below(regions[i].parent, std::max<std::size_t>(i, 1));
  for (auto& region : regions) {
    std::uint32_t kind = region.unattributed                   ? 2
                         : region.kind == FrameKind::kStartEnd ? 1
                                                               : 0;
    io.Below(kind, 3);
    if constexpr (Io::kReads) {
      region.unattributed = kind == 2;
      region.kind = kind == 1 ? FrameKind::kStartEnd : FrameKind::kPushPop;
    }
  }
  OneMember(io, regions, &SummaryRegion::domain, summary.texts.size());
  OneMember(io, regions, &SummaryRegion::name, summary.texts.size());
  OneMember(io, regions, &SummaryRegion::instances);
  OneMember(io, regions, &SummaryRegion::unclosed);
  Times(io, StatsOf(regions, &SummaryRegion::cpu, &SummaryRegion::gpu,
                    &SummaryRegion::span, &SummaryRegion::idle));
  if constexpr (Io::kReads)
    if (regions.empty() || !AreSound(regions)) io.SetDamaged();
}

template <typename Io, typename Whole>
void Uses(Io& io, Whole& summary) {
  auto& uses = summary.uses;
  io.Length(uses, 13);
  OneMember(io, uses, &SummaryUse::region, summary.regions.size());
  OneMember(io, uses, &SummaryUse::device, summary.texts.size());
  for (const auto column : kUseSums) OneMember(io, uses, column);
  Times(io, StatsOf(uses, &SummaryUse::latency));
}

// ---- Kernels and rows -------------------------------------------------------

bool IsOfARange(ReplayMode mode) {
  return mode == ReplayMode::kUnknown || mode == ReplayMode::kRange ||
         mode == ReplayMode::kAppRange || mode == ReplayMode::kCounters;
}

template <typename Io, typename Values>
void Attributes(Io& io, std::size_t texts, Values& attributes) {
  OneMember(io, attributes, &SummaryValue::metric, texts);
  OneMember(io, attributes, &SummaryValue::kind, 4);
  for (auto& value : attributes) {
    if (value.kind == ValueKind::kText)
      io.Below(value.bits, texts);
    else
      io.Number(value.bits);
  }
}

template <typename Io, typename Whole>
void Kernels(Io& io, Whole& summary) {
  auto& kernels = summary.kernels;
  io.Length(kernels, 12);
  OneMember(io, kernels, &SummaryKernel::name, summary.texts.size());
  OneMember(io, kernels, &SummaryKernel::device, summary.texts.size());
  OneMember(io, kernels, &SummaryKernel::kind, 4);
  OneMember(io, kernels, &SummaryKernel::mode, 7);
  for (const auto axis : {&Dim3::x, &Dim3::y, &Dim3::z}) {
    for (auto& kernel : kernels) io.Number(kernel.grid.*axis);
    for (auto& kernel : kernels) io.Number(kernel.block.*axis);
  }
  OneMember(io, kernels, &SummaryKernel::dynamic_shared,
            std::uint64_t{1} << 32);
  io.Lengths(
      kernels, [](auto& kernel) -> auto& { return kernel.attributes; }, 3);
  for (auto& kernel : kernels)
    Attributes(io, summary.texts.size(), kernel.attributes);
  if constexpr (Io::kReads) {
    for (const SummaryKernel& kernel : kernels)
      if (kernel.kind == MeasurementKind::kRange && !IsOfARange(kernel.mode))
        io.SetDamaged();
  }
}

void Total(ByteWriter& out, const ExactTotal& total) {
  out.Signed(total.exponent());
  out.Number(total.negative());
  out.Text(total.Magnitude());
}

void Total(ByteReader& in, ExactTotal& total) {
  std::int64_t exponent = 0;
  bool negative = false;
  std::string magnitude;
  in.Signed(exponent);
  in.Below(negative, 2);
  in.Text(magnitude);
  if (exponent != static_cast<std::int32_t>(exponent) ||
      !total.Set(static_cast<std::int32_t>(exponent), negative, magnitude))
    in.SetDamaged();
}

template <typename Io, typename Metric>
void OneMetric(Io& io, std::size_t texts, Metric& metric) {
  io.Below(metric.metric, texts);
  io.Below(metric.folding, 2);
  io.Number(metric.present);
  Total(io, metric.sum);
  io.Real(metric.low);
  io.Real(metric.high);
  if constexpr (Io::kReads) {
    metric.low += 0.0;  // -0 would be a second zero
    metric.high += 0.0;
    if (!std::isfinite(metric.low) || !std::isfinite(metric.high))
      io.SetDamaged();
  }
  if (metric.folding == Folding::kSum) return;
  io.Below(metric.weight, texts);
  io.Below(metric.times, texts);
  Total(io, metric.weights);
}

template <typename Io, typename Whole>
void Rows(Io& io, Whole& summary) {
  auto& rows = summary.rows;
  io.Length(rows, 6);
  OneMember(io, rows, &SummaryRow::region, summary.regions.size());
  OneMember(io, rows, &SummaryRow::kernel, summary.kernels.size());
  OneMember(io, rows, &SummaryRow::launches);
  OneMember(io, rows, &SummaryRow::counted);
  Times(io, StatsOf(rows, &SummaryRow::time));
  io.Lengths(
      rows, [](auto& row) -> auto& { return row.metrics; }, 22);
  for (auto& row : rows)
    for (auto& metric : row.metrics)
      OneMetric(io, summary.texts.size(), metric);
  if constexpr (Io::kReads) {
    for (const SummaryRow& row : rows)
      if (row.launches == 0 || row.time.count > row.launches) io.SetDamaged();
  }
}

// ---- Facts ------------------------------------------------------------------

// report.json's schema knows no other kinds.
bool IsNoteKind(std::string_view kind) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !kind.empty() && is_letter(kind[0]) &&
         std::ranges::all_of(kind, [&](char c) {
           return is_letter(c) || IsAsciiDigit(c) || c == '_';
         });
}

template <typename Io, typename Whole>
void About(Io& io, Whole& summary) {
  io.Length(summary.sources, 7);
  for (auto& [key, until, launches, content] : summary.sources) {
    io.AtLeast(key.rank, -1);
    io.Text(key.host);
    io.Number(key.pid);
    io.Number(key.started_ns);
    io.Number(until);
    io.Number(launches);
    io.Number(content);
  }
  io.Length(summary.facts, 4);
  for (auto& fact : summary.facts) {
    io.Text(fact.kind);
    io.Text(fact.key);
    io.Text(fact.value);
    io.Number(fact.count);
  }
  io.Length(summary.notes, 5);
  for (auto& note : summary.notes) {
    io.Below(note.severity, 3);
    io.Text(note.kind);
    io.Text(note.text);
    io.Text(note.where);
    io.Number(note.count);
    if constexpr (Io::kReads)
      if (!IsNoteKind(note.kind)) io.SetDamaged();
  }
}

}  // namespace

std::string TotalsBytes(const Summary& summary) {
  ByteWriter out;
  out.Length(summary.texts);
  for (const std::string& text : summary.texts) out.Text(text);
  Regions(out, summary);
  Uses(out, summary);
  Kernels(out, summary);
  Rows(out, summary);
  return out.Take();
}

Status ReadTotals(std::string_view bytes, Summary& summary) {
  ByteReader in(bytes);
  in.Length(summary.texts);
  for (std::string& text : summary.texts) in.Text(text);
  if (in.damaged() || summary.texts.empty() || !summary.texts[0].empty())
    return DamagedPart("names");
  Regions(in, summary);
  if (in.damaged()) return DamagedPart("regions");
  Uses(in, summary);
  if (in.damaged()) return DamagedPart("uses of the GPU");
  Kernels(in, summary);
  if (in.damaged()) return DamagedPart("kernels");
  Rows(in, summary);
  if (in.damaged() || !in.done()) return DamagedPart("rows of kernels");
  return Ok();
}

std::string AboutBytes(const Summary& summary) {
  ByteWriter out;
  About(out, summary);
  return out.Take();
}

Status ReadAbout(std::string_view bytes, Summary& summary) {
  ByteReader in(bytes);
  About(in, summary);
  if (in.damaged() || !in.done()) return DamagedPart("facts");
  return Ok();
}

}  // namespace rangefinder
