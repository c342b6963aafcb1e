#include "ingest/trace/trace_counters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/median.h"
#include "base/numbers.h"
#include "ingest/trace/trace_records.h"
#include "wire/counter_format.h"

namespace rangefinder {
namespace {

// A record of samples or counts (wire/counter_format.h).
template <typename Kind>
struct SetRecord : WireRecord {
  Kind kind() const { return static_cast<Kind>(head & 0xF); }
  std::uint32_t set() const { return Low(head >> 4 & 0xFFF); }
  std::uint32_t operand() const { return High(head); }
};

// The number of words after a record's first one, `head`.
constexpr auto kSetRecordWords = [](std::uint64_t head) -> std::size_t {
  return head >> 16 & 0xFFFF;
};

// Gives each record of the blocks to `reader`, and notes damage.
template <typename Reader>
void ReadSetRecords(const TraceBlocks& blocks, Reader& reader, Notes& notes,
                    std::string_view where) {
  bool damaged = false;
  const std::uint64_t cut =
      ForEachRecord(blocks, kSetRecordWords, [&](const WireRecord& r) {
        if (!reader.Apply(typename Reader::Record{r})) damaged = true;
      });
  if (damaged || cut > 0) {
    notes.Add(Severity::kDataLoss, "damaged_block",
              "a part of the trace is damaged and left out", where);
  }
}

// ---- Samples ---------------------------------------------------------------

// Samples beyond these limits cannot come from a device, so their records are
// damaged: hardware counters have 64 bits, and CLOCK_REALTIME reaches 2^62 ns
// in 2116.
constexpr double kMostCount = 0x1p63;
constexpr std::uint64_t kLatestNs = std::uint64_t{1} << 62;

// The reasons of a trace, wire::SampleLoss, have the same numbers.
SampleGapReason ReasonOf(std::uint32_t loss) {
  constexpr auto kLast = wire::SampleLoss::kNoContext;
  static_assert(static_cast<int>(kLast) ==
                static_cast<int>(SampleGapReason::kNoContext));
  return loss <= static_cast<std::uint32_t>(kLast)
             ? static_cast<SampleGapReason>(loss)
             : SampleGapReason::kUnknown;
}

class SampleRecords {
 public:
  SampleRecords(const Trace& trace, Profile& profile)
      : trace_(trace), profile_(profile) {}

  // By number of the set; a damaged trace may lack sets.
  std::map<std::uint32_t, CounterSamples> sets{};
  std::uint64_t impossible = 0;  // samples with a value that no GPU can count

  using Record = SetRecord<wire::SampleRecord>;
  // Returns false for a record that is not valid.
  bool Apply(const Record& r) {
    if (r.kind() == wire::SampleRecord::kSet) return AddSet(r);
    const auto set = sets.find(r.set());
    if (set == sets.end()) return false;
    switch (r.kind()) {
      case wire::SampleRecord::kStarted:
        return Start(r, set->second);
      case wire::SampleRecord::kSample:
        return AddSample(r, set->second);
      case wire::SampleRecord::kGap:
        return AddGap(r, set->second);
      case wire::SampleRecord::kStopped:
        return Stop(r, set->second);
      default:
        return true;  // unknown
    }
  }

 private:
  bool AddSet(const Record& r) {
    if (r.count < wire::kSetWords) return false;
    const std::size_t metrics = High(r[0]);
    if (metrics > wire::kMostMetrics ||
        r.count < wire::kSetWords + (metrics + 1) / 2)
      return false;
    const auto [set, is_new] = sets.try_emplace(r.set());
    if (!is_new) return false;
    set->second.device = static_cast<std::int32_t>(Low(r[0]));
    set->second.interval_ns = r[1];
    set->second.chip = Intern(Low(r[2]));
    for (std::size_t i = 0; i < metrics; ++i) {
      const std::uint64_t pair = r[wire::kSetWords + i / 2];
      set->second.metrics.push_back(
          Intern(i % 2 == 0 ? Low(pair) : High(pair)));
    }
    return true;
  }

  static bool Start(const Record& r, CounterSamples& set) {
    if (r.count < wire::kStartedWords) return false;
    if (set.started_ns == 0) set.started_ns = r[0];
    set.stopped_ns = 0;
    set.reason.clear();
    set.held_up_ns += r[1];
    return true;
  }

  // NaN: the hardware gave no value.
  static bool IsPossible(double value) {
    return std::isnan(value) || (value >= 0 && value < kMostCount);
  }

  // Keeps samples in order of time: refuses a sample that begins before the end
  // of the last sample.
  bool AddSample(const Record& r, CounterSamples& set) {
    const std::size_t metrics = set.metrics.size();
    if (r.count != wire::kSampleWords + metrics) return false;
    const std::uint64_t start = r[0];
    const std::uint64_t end = start + r.operand();
    if (start > kLatestNs || (set.size() > 0 && start < set.end_ns.back()))
      return false;
    const std::size_t values = set.values.size();
    for (std::size_t i = 0; i < metrics; ++i) {
      const auto value = std::bit_cast<double>(r[wire::kSampleWords + i]);
      if (!IsPossible(value)) {
        set.values.resize(values);
        ++impossible;
        return true;
      }
      set.values.push_back(value);
    }
    set.start_ns.push_back(start);
    set.end_ns.push_back(end);
    return true;
  }

  static bool AddGap(const Record& r, CounterSamples& set) {
    if (r.count < wire::kGapWords || r[1] < r[0] || r[1] > kLatestNs)
      return false;
    set.gaps.push_back({.from_ns = r[0],
                        .to_ns = r[1],
                        .samples = r[2],
                        .reason = ReasonOf(r.operand())});
    return true;
  }

  bool Stop(const Record& r, CounterSamples& set) {
    if (r.count < wire::kStoppedWords) return false;
    set.stopped_ns = r[0];
    set.held_up_ns += r[1];
    set.reason = trace_.names.Text(Low(r[2]));
    return true;
  }

  StringId Intern(std::uint32_t string) {
    return profile_.strings.Intern(trace_.names.Text(string));
  }

  const Trace& trace_;
  Profile& profile_;
};

// Adds gaps for missing samples without a record of their loss: a block of the
// trace is gone. Counts all lost samples.
void FindGaps(CounterSamples& set) {
  std::vector<SampleGap> gaps;
  std::ranges::stable_sort(set.gaps, {}, &SampleGap::from_ns);
  std::size_t known = 0;
  const auto is_known = [&](std::uint64_t from, std::uint64_t to) {
    while (known < set.gaps.size() && set.gaps[known].to_ns <= from) ++known;
    return known < set.gaps.size() && set.gaps[known].from_ns < to;
  };
  for (std::size_t i = 1; i < set.size() && set.interval_ns > 0; ++i) {
    const std::uint64_t from = set.end_ns[i - 1], to = set.start_ns[i];
    if (to - from <= set.interval_ns / 2 || is_known(from, to)) continue;
    gaps.push_back(
        {.from_ns = from,
         .to_ns = to,
         .samples = (to - from + set.interval_ns / 2) / set.interval_ns,
         .reason = SampleGapReason::kDamaged});
  }
  set.gaps.insert(set.gaps.end(), gaps.begin(), gaps.end());
  std::ranges::stable_sort(set.gaps, {}, &SampleGap::from_ns);
  for (const SampleGap& gap : set.gaps) set.lost += gap.samples;
}

// A run may have widened the interval; the interval of most samples is used.
void FindInterval(CounterSamples& set) {
  if (set.size() == 0 ||
      (set.end_ns.back() - set.start_ns.back()) / 3 * 2 <= set.interval_ns)
    return;
  std::vector<std::uint64_t> lengths(set.size());
  for (std::size_t i = 0; i < set.size(); ++i)
    lengths[i] = set.end_ns[i] - set.start_ns[i];
  set.interval_ns = UpperMedian(std::move(lengths));
}

// Notes that `lost` of `all` samples of a device are missing, for one reason.
void NoteLost(SampleGapReason reason, std::uint64_t lost, std::uint64_t all,
              Notes& notes, std::string_view where) {
  constexpr double kNegligible = 0.005;  // of the samples
  const double share = static_cast<double>(lost) / static_cast<double>(all);
  const bool negligible = share < kNegligible;
  notes.Add(
      negligible ? Severity::kInfo : Severity::kDataLoss, "lost_samples",
      fmt::format("{} of {} counter samples lost ({}), {}{}", FormatCount(lost),
                  FormatCount(all), FormatShare(share, 1),
                  SampleGapText(reason), negligible ? ": negligible" : ""),
      where);
}

void NoteSet(const CounterSamples& set, Notes& notes, std::string_view where) {
  std::map<SampleGapReason, std::uint64_t> lost;
  for (const SampleGap& gap : set.gaps) lost[gap.reason] += gap.samples;
  for (const auto& [reason, samples] : lost) {
    if (samples > 0)
      NoteLost(reason, samples, set.size() + set.lost, notes, where);
  }
  if (set.reason.empty()) return;
  notes.Add(Severity::kWarning, "no_counter_samples",
            fmt::format("the counters of GPU {} were {}: {}", set.device,
                        set.size() == 0 ? "not sampled" : "sampled no longer",
                        set.reason),
            where);
}

// Sampling was requested, and no device was sampled.
void NoteNone(const Trace& trace, Profile& profile, Notes& notes,
              std::string_view where) {
  CounterSamples none;
  if (trace.live.sampling == wire::SamplingState::kWaiting) {
    none.reason = "the program made no CUDA context";
  } else {
    none.reason = trace.sampling_reason;
    // If tracing failed, the note that the GPU was not traced is enough.
    if (trace.live.gpu != wire::GpuState::kFailed)
      notes.Add(Severity::kWarning, "no_counter_samples",
                "the GPUs' counters were not sampled: " + none.reason, where);
  }
  profile.counter_samples.push_back(std::move(none));
}

// ---- Counts ----------------------------------------------------------------

constexpr double kNotCounted = std::numeric_limits<double>::quiet_NaN();

// Sums, and means over the device's units, add up over instances and their
// parts; ratios and maxima do not.
bool AddsUp(std::string_view metric) {
  return metric.ends_with(".sum") || metric.ends_with(".avg");
}

std::string_view SkipText(std::size_t why) {
  constexpr std::string_view kUnknown =
      "for a reason that this version does not know";
  // By wire::CountSkip.
  constexpr std::array<std::string_view, wire::kCountSkips> kTexts = {
      kUnknown,
      "a region of another thread was being counted",
      "the region around it was being counted",
      "a stream was being captured",
      "its thread had no CUDA context yet",
      "its thread used another CUDA context than the counted one",
      "it ended before a range that began in it",
      "CUPTI dropped it",
      "the trace file had no room",
      "the program, its CUDA context or the window ended in it"};
  return why < kTexts.size() ? kTexts[why] : kUnknown;
}

struct CountSet {
  std::int32_t device = -1;
  std::vector<std::string_view> metrics{};
  std::uint64_t device_bytes = 0;
};

struct CountRow {
  std::vector<std::pair<std::string_view, std::string_view>> path{};
  std::map<std::uint32_t, std::uint64_t> skipped{};  // by CountSkip
};

// An instance of a row, or a part of it.
struct Counted {
  std::uint32_t set = 0, row = 0, pass = 0;
  std::uint64_t number = 0, thread = 0;
  std::uint32_t outer_row = 0;  // 1 + the row around it; 0: none
  std::uint64_t outer_number = 0;
  bool ended = false;  // the instance ended with this part
  std::vector<double> values{};
};

class CountReader {
 public:
  explicit CountReader(const Trace& trace) : trace_(trace) {}

  std::map<std::uint32_t, CountSet> sets{};
  std::map<std::uint32_t, CountRow> rows{};
  std::vector<Counted> counts{};
  std::uint64_t held_up_ns = 0;
  std::uint64_t start_ns = 0;  // the part of held_up_ns for the first start

  using Record = SetRecord<wire::CountRecord>;
  // Returns false for a record that is not valid.
  bool Apply(const Record& r) {
    switch (r.kind()) {
      case wire::CountRecord::kSet:
        return AddSet(r);
      case wire::CountRecord::kRow:
        return AddRow(r);
      case wire::CountRecord::kCounts:
        return AddCounts(r);
      case wire::CountRecord::kSkipped:
        return AddSkipped(r);
      case wire::CountRecord::kStarted:
        if (r.count < wire::kCountStartWords) return false;
        if (start_ns == 0) start_ns = r[1];
        return true;
      case wire::CountRecord::kStopped:
        if (r.count < wire::kCountStopWords) return false;
        held_up_ns = std::max(held_up_ns, r[1]);
        return true;
      default:
        return true;  // unknown, or not used here
    }
  }

 private:
  bool AddSet(const Record& r) {
    if (r.count < wire::kCountSetWords) return false;
    const std::size_t metrics = High(r[0]);
    if (metrics > r.count * 2 ||
        r.count < wire::kCountSetWords + (metrics + 1) / 2)
      return false;
    const auto [set, is_new] = sets.try_emplace(r.set());
    if (!is_new) return false;
    set->second.device = static_cast<std::int32_t>(Low(r[0]));
    set->second.device_bytes = r[2];
    for (std::size_t i = 0; i < metrics; ++i) {
      const std::uint64_t pair = r[wire::kCountSetWords + i / 2];
      set->second.metrics.push_back(
          trace_.names.Text(i % 2 == 0 ? Low(pair) : High(pair)));
    }
    return true;
  }

  bool AddRow(const Record& r) {
    if (r.count <= wire::kCountRowWords || r.operand() >= wire::kMostCountRows)
      return false;
    const auto [row, is_new] = rows.try_emplace(r.operand());
    if (!is_new) return false;
    for (std::size_t i = wire::kCountRowWords; i < r.count; ++i) {
      row->second.path.emplace_back(trace_.names.Text(Low(r[i])),
                                    trace_.names.Text(High(r[i])));
    }
    return true;
  }

  bool AddCounts(const Record& r) {
    const auto set = sets.find(r.set());
    if (set == sets.end() || !rows.contains(r.operand())) return false;
    const std::size_t metrics = set->second.metrics.size();
    if (r.count != wire::kCountWords + metrics) return false;
    Counted counted{.set = r.set(),
                    .row = r.operand(),
                    .pass = Low(r[0]),
                    .number = r[1],
                    .thread = r[5],
                    .outer_row = Low(r[6]),
                    .outer_number = r[7],
                    .ended = r[3] != 0};
    counted.values.reserve(metrics);
    for (std::size_t i = 0; i < metrics; ++i)
      counted.values.push_back(std::bit_cast<double>(r[wire::kCountWords + i]));
    counts.push_back(std::move(counted));
    return true;
  }

  bool AddSkipped(const Record& r) {
    if (r.count < wire::kCountSkipWords) return false;
    const auto row = rows.find(r.operand());
    if (row == rows.end()) return false;
    if (r[1] > 0) row->second.skipped[Low(r[0])] = r[1];
    return true;
  }

  const Trace& trace_;
};

// The whole instances, joined from their parts. An instance consists of one
// part for each reading of the counter data image during it, and of the
// instances inside it.
class Instances {
 public:
  explicit Instances(const CountReader& read) : read_(read) {
    for (const Counted& part : read.counts) Join(part);
    AddInner();
    // An instance without an end: the program was killed in it, or the instance
    // was abandoned.
    std::erase_if(wholes_, [](const Counted& whole) { return !whole.ended; });
  }

  const std::vector<Counted>& all() const { return wholes_; }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

  void Join(const Counted& part) {
    const auto [place, is_new] = places_.try_emplace(
        Key{part.set, part.row, part.number}, wholes_.size());
    if (is_new) return wholes_.push_back(part);
    Add(wholes_[place->second], part);
    wholes_[place->second].ended |= part.ended;
  }

  void Add(Counted& to, const Counted& part) const {
    const auto& metrics = read_.sets.at(part.set).metrics;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const bool same = AddsUp(metrics[i]) && to.pass == part.pass;
      to.values[i] = same ? to.values[i] + part.values[i] : kNotCounted;
    }
  }

  // Adds inner instances to outer ones, the innermost first.
  void AddInner() {
    const auto depth = [&](std::size_t i) {
      return read_.rows.at(wholes_[i].row).path.size();
    };
    for (const std::size_t i :
         NumbersBy(wholes_.size(), depth, std::greater<>())) {
      const Counted& inner = wholes_[i];
      if (inner.outer_row == 0) continue;
      const auto outer =
          places_.find(Key{inner.set, inner.outer_row - 1, inner.outer_number});
      // A damaged file could name a row that is not around the inner row.
      if (outer != places_.end() &&
          read_.rows.at(wholes_[outer->second].row).path.size() <
              read_.rows.at(inner.row).path.size())
        Add(wholes_[outer->second], inner);
    }
  }

  const CountReader& read_;
  std::vector<Counted> wholes_{};
  std::map<Key, std::size_t> places_{};
};

// Makes the measurements of a region's instances: one per set of metrics.
class RegionCounts {
 public:
  RegionCounts(const CountReader& read, Profile& profile)
      : read_(read), profile_(profile) {}

  void Add(const std::vector<Counted>& instances) {
    std::map<std::pair<std::uint32_t, std::uint32_t>,
             std::vector<const Counted*>>
        groups;
    for (const Counted& instance : instances)
      groups[{instance.row, instance.set}].push_back(&instance);
    for (const auto& [key, group] : groups)
      AddGroup(read_.rows.at(key.first), read_.sets.at(key.second), group);
  }

 private:
  void AddGroup(const CountRow& row, const CountSet& set,
                const std::vector<const Counted*>& group) {
    Measurement m{.kind = MeasurementKind::kRange,
                  .mode = ReplayMode::kCounters,
                  .device = set.device,
                  .thread = group.front()->thread,
                  .nvtx = StateOf(row, group.front()->thread),
                  .first_sample = profile_.samples.size(),
                  .counted = group.size()};
    for (std::size_t i = 0; i < set.metrics.size(); ++i)
      AddMetric(i, set, group, m);
    m.sample_count = profile_.samples.size() - m.first_sample;
    profile_.measurements.push_back(std::move(m));
  }

  // The metric stays absent if no instance has it: its pass was never run.
  void AddMetric(std::size_t i, const CountSet& set,
                 const std::vector<const Counted*>& group, Measurement& m) {
    const MetricId metric = profile_.InternMetric(set.metrics[i]);
    std::vector<Instance> list;
    list.reserve(group.size());
    double sum = 0;
    for (const Counted* instance : group) {
      const double value = instance->values[i];
      if (!std::isfinite(value)) continue;
      sum += value;
      list.push_back({.key = instance->number, .value = Value::Number(value)});
    }
    if (list.empty()) return;
    profile_.AddSample(metric,
                       Value::Number(sum / static_cast<double>(list.size())));
    if (list.size() < 2) return;
    m.instances.push_back(
        {.metric = metric,
         .list = static_cast<std::uint32_t>(profile_.instance_lists.size())});
    profile_.instance_lists.push_back(std::move(list));
  }

  NvtxStateId StateOf(const CountRow& row, std::uint64_t thread) {
    std::vector<PathRange> path;
    for (const auto& [domain, name] : row.path) {
      path.push_back({.domain = profile_.strings.Intern(domain),
                      .name = profile_.strings.Intern(name)});
    }
    return AddPath(profile_, path, thread);
  }

  const CountReader& read_;
  Profile& profile_;
};

std::string Name(const CountRow& row) {
  std::string text;
  for (const auto& [domain, name] : row.path) {
    if (!text.empty()) text += " / ";
    if (!domain.empty()) text += fmt::format("{}@", domain);
    text += name;
  }
  return text;
}

void NoteCounts(const CountReader& read, const std::vector<Counted>& counted,
                const Trace& trace, Notes& notes, std::string_view where) {
  std::set<std::uint32_t> counted_rows;
  for (const Counted& instance : counted) counted_rows.insert(instance.row);
  const std::size_t instances = counted.size();
  if (instances > 0) {
    std::string memory;
    for (const auto& [number, set] : read.sets) {
      if (set.device_bytes > 0)
        memory = fmt::format(" and took {} MiB of GPU memory",
                             set.device_bytes >> 20);
    }
    notes.Add(Severity::kInfo, "counted",
              fmt::format(
                  "{} instances of {} regions were counted in a counting run; "
                  "counters are per instance. Counting held the program up "
                  "for {:.1f} ms ({:.1f} ms to begin){}",
                  instances, counted_rows.size(),
                  static_cast<double>(read.held_up_ns) / 1e6,
                  static_cast<double>(read.start_ns) / 1e6, memory),
              where);
  }
  for (const auto& [number, row] : read.rows) {
    for (const auto& [why, count] : row.skipped) {
      notes.Add(Severity::kInfo, "not_counted",
                fmt::format("instances of {} were not counted: {}", Name(row),
                            SkipText(why)),
                where, count);
    }
  }
  if (!trace.counting_reason.empty()) {
    notes.Add(Severity::kWarning, "no_counts",
              fmt::format("regions were {}: {}",
                          instances == 0 ? "not counted" : "counted no longer",
                          trace.counting_reason),
              where);
  } else if (trace.live.unread > 0) {
    notes.Add(Severity::kWarning, "no_counts",
              fmt::format("the counts of {} measured instance{} are missing: "
                          "the program ended before they were read",
                          trace.live.unread, trace.live.unread == 1 ? "" : "s"),
              where);
  } else if (instances == 0) {
    notes.Add(Severity::kInfo, "no_counts",
              "this process counted no region: no selected region ran to its "
              "end with a CUDA context",
              where);
  }
}

}  // namespace

std::vector<WallInterval> HeldUpIn(const Trace& trace) {
  // A library samples at most 64 devices (kMostDevices of inject), each four
  // times.
  constexpr std::size_t kMost = 256;
  std::vector<WallInterval> all;
  ForEachRecord(trace.samples, kSetRecordWords, [&](const WireRecord& r) {
    const SetRecord<wire::SampleRecord> record{r};
    if (record.kind() != wire::SampleRecord::kStarted ||
        record.count < wire::kStartedWords || all.size() == kMost)
      return;
    // 0: a window began, and no call of the program was held up.
    if (const std::uint64_t ns = record[1]; ns > 0)
      all.push_back({record[0] - std::min(record[0], ns), record[0]});
  });
  return all;
}

void ReadCounterSamples(const Trace& trace, Profile& profile, Notes& notes,
                        std::string_view where) {
  SampleRecords records(trace, profile);
  ReadSetRecords(trace.samples, records, notes, where);
  if (records.impossible > 0) {
    notes.Add(Severity::kInfo, "impossible_samples",
              "samples of counters with a value that no GPU counts, below zero "
              "or too large, are left out",
              where, records.impossible);
  }
  std::uint64_t lost = 0, all = trace.live.lost_samples;
  for (auto& [number, set] : records.sets) {
    all += set.size();
    FindGaps(set);
    FindInterval(set);
    // The file had no room for the record, or a sampler was held up for longer
    // than exit() waits.
    if (set.started_ns != 0 && set.stopped_ns == 0 &&
        trace.live.state == wire::RunState::kEnded &&
        trace.live.sampling == wire::SamplingState::kSampling)
      set.reason = "the trace does not say when sampling ended";
    NoteSet(set, notes, where);
    lost += set.lost;
    const auto device =
        std::ranges::find(profile.devices, set.device, &Device::index);
    if (device != profile.devices.end() && device->chip.empty())
      device->chip = profile.Name(set.chip);
    profile.counter_samples.push_back(std::move(set));
  }
  // Samples lost at the end, when the file had no room even for the record of a
  // gap.
  if (trace.live.lost_samples > lost)
    NoteLost(SampleGapReason::kNoRoom, trace.live.lost_samples - lost, all,
             notes, where);
  if (records.sets.empty() &&
      trace.live.sampling != wire::SamplingState::kNotAsked)
    NoteNone(trace, profile, notes, where);
}

void ReadCounts(const Trace& trace, Profile& profile, Notes& notes,
                std::string_view where) {
  if (trace.live.counting == wire::CountingState::kNotAsked &&
      trace.counts.empty())
    return;
  CountReader read(trace);
  ReadSetRecords(trace.counts, read, notes, where);
  const Instances instances(read);
  RegionCounts(read, profile).Add(instances.all());
  NoteCounts(read, instances.all(), trace, notes, where);
}

}  // namespace rangefinder
