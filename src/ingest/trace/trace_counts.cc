#include "ingest/trace/trace_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ingest/trace/trace_records.h"
#include "wire/counter_format.h"

namespace rangefinder {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Only counts of instances, and of parts of an instance, add up.
bool AddsUp(std::string_view metric) {
  return metric.ends_with(".sum") || metric.ends_with(".avg");
}

std::string_view SkipText(std::size_t why) {
  switch (static_cast<wire::CountSkip>(why)) {
    case wire::CountSkip::kUnknown:
      break;
    case wire::CountSkip::kOtherThread:
      return "a region of another thread was being counted";
    case wire::CountSkip::kInside:
      return "the region around it was being counted";
    case wire::CountSkip::kCapture:
      return "a stream was being captured";
    case wire::CountSkip::kNoContext:
      return "its thread had no CUDA context yet";
    case wire::CountSkip::kOtherContext:
      return "its thread used another CUDA context than the counted one";
    case wire::CountSkip::kCrossed:
      return "it ended before a range that began in it";
    case wire::CountSkip::kDropped:
      return "CUPTI dropped it";
    case wire::CountSkip::kNoRoom:
      return "the trace file had no room";
    case wire::CountSkip::kUnfinished:
      return "the program or its CUDA context ended in it";
  }
  return "for a reason that this version does not know";
}

struct CountSet {
  std::int32_t device = -1;
  std::vector<std::string_view> metrics{};
  std::uint32_t passes = 0, ranges = 0;
  std::uint64_t device_bytes = 0;
};

struct CountRow {
  std::vector<std::pair<std::string_view, std::string_view>> path{};
  std::map<std::uint32_t, std::uint64_t> skipped{};  // by CountSkip
};

// An instance of a row, or a part of it.
struct Counted {
  std::uint32_t set = 0, row = 0, pass = 0;
  std::uint64_t instances = 1, number = 0, thread = 0;
  std::uint32_t outer_row = 0;  // 1 + the row around it; 0: none
  std::uint64_t outer_number = 0;
  bool ended = false;  // the instance ended with this part
  std::vector<double> values{};
};

class CountReader {
 public:
  explicit CountReader(const Trace& trace) : trace_(trace) {}

  void Read(const TraceWords& words) {
    damaged += ReadSetRecords<wire::CountRecord>(
        words, [this](const Record& r) { return Apply(r); });
  }

  std::map<std::uint32_t, CountSet> sets{};
  std::map<std::uint32_t, CountRow> rows{};
  std::vector<Counted> counts{};
  std::uint64_t held_up_ns = 0;
  std::uint64_t damaged = 0;

 private:
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
      case wire::CountRecord::kStopped:
        if (r.count < wire::kCountStopWords) return false;
        held_up_ns = std::max(held_up_ns, r[1]);
        return true;
      default:
        return true;  // unknown, or not used here
    }
  }

  bool AddSet(const Record& r) {
    if (r.count < wire::kCountSetWords) return false;
    const std::size_t metrics = High(r[0]);
    if (metrics > r.count * 2 ||
        r.count < wire::kCountSetWords + (metrics + 1) / 2)
      return false;
    const auto [set, is_new] = sets.try_emplace(r.set());
    if (!is_new) return false;
    set->second.device = static_cast<std::int32_t>(Low(r[0]));
    set->second.passes = Low(r[1]);
    set->second.ranges = High(r[1]);
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
    if (r.count != wire::kCountWords + metrics || High(r[0]) == 0) return false;
    Counted counted{.set = r.set(),
                    .row = r.operand(),
                    .pass = Low(r[0]),
                    .instances = High(r[0]),
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

// Whole instances, joined from their parts. An instance has a part for each
// time that the counter data image was read during it, and the instances inside
// it.
class Instances {
 public:
  explicit Instances(const CountReader& read) : read_(read) {
    for (const Counted& part : read.counts) Join(part);
    AddInner();
    // An instance without an end: the program was killed in it, or it was
    // given up.
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
      to.values[i] = same ? to.values[i] + part.values[i] : kNone;
    }
  }

  // Adds inner instances to outer ones, the innermost first.
  void AddInner() {
    std::vector<std::size_t> order(wholes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto depth = [&](std::size_t i) {
      return read_.rows.at(wholes_[i].row).path.size();
    };
    std::ranges::stable_sort(order, std::greater<>(), depth);
    for (const std::size_t i : order) {
      const Counted& inner = wholes_[i];
      if (inner.outer_row == 0) continue;
      const auto outer =
          places_.find(Key{inner.set, inner.outer_row - 1, inner.outer_number});
      // A damaged file could name a row that is not around this one.
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

// Makes the measurements of a region's instances: one per set.
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
                  .first_sample = profile_.samples.size()};
    for (const Counted* instance : group) m.counted += instance->instances;
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
    std::uint64_t count = 0;
    bool single = true;
    for (const Counted* instance : group) {
      const double value = instance->values[i];
      if (!std::isfinite(value)) continue;
      sum += value;
      count += instance->instances;
      single = single && instance->instances == 1;
      list.push_back({.key = instance->number, .value = Value::Number(value)});
    }
    if (count == 0) return;
    const Value mean = Value::Number(sum / static_cast<double>(count));
    profile_.samples.push_back(
        {.metric = metric, .kind = mean.kind, .bits = mean.bits});
    if (!single || list.size() < 2) return;
    m.instances.push_back(
        {.metric = metric,
         .list = static_cast<std::uint32_t>(profile_.instance_lists.size())});
    profile_.instance_lists.push_back(std::move(list));
  }

  NvtxStateId StateOf(const CountRow& row, std::uint64_t thread) {
    NvtxState state{.order = NvtxState::Order::kTime};
    std::uint64_t order = 0;
    for (const auto& [domain, name] : row.path) {
      StackOf(state, profile_.strings.Intern(domain), thread)
          .ranges.push_back(
              {.name = profile_.strings.Intern(name), .order = ++order});
    }
    profile_.nvtx_states.push_back(std::move(state));
    return static_cast<NvtxStateId>(profile_.nvtx_states.size() - 1);
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
  std::map<std::uint32_t, std::uint64_t> of_row;
  for (const Counted& instance : counted)
    of_row[instance.row] += instance.instances;
  std::uint64_t instances = 0;
  for (const auto& [row, count] : of_row) instances += count;
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
                  "for {:.1f} ms{}",
                  instances, of_row.size(),
                  static_cast<double>(read.held_up_ns) / 1e6, memory),
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
  } else if (instances == 0) {
    notes.Add(Severity::kInfo, "no_counts",
              "this process counted no region: no selected region ran to its "
              "end with a CUDA context",
              where);
  }
}

}  // namespace

void ReadCounts(const Trace& trace, Profile& profile, Notes& notes,
                std::string_view where) {
  if (trace.live.counting == wire::CountingState::kNotAsked &&
      trace.counts.empty())
    return;
  CountReader read(trace);
  for (const TraceStream& stream : trace.counts) {
    for (const TraceBlock& block : stream.blocks) read.Read(block.words);
  }
  if (read.damaged > 0) {
    notes.Add(Severity::kDataLoss, "damaged_block",
              "a part of the trace is damaged and left out", where);
  }
  const Instances instances(read);
  RegionCounts(read, profile).Add(instances.all());
  NoteCounts(read, instances.all(), trace, notes, where);
}

}  // namespace rangefinder
