#include "ingest/trace/trace_samples.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/numbers.h"
#include "ingest/trace/trace_records.h"
#include "wire/counter_format.h"

namespace rangefinder {
namespace {

SampleGapReason ReasonOf(std::uint32_t loss) {
  switch (static_cast<wire::SampleLoss>(loss)) {
    case wire::SampleLoss::kUnknown:
      break;
    case wire::SampleLoss::kImageFull:
      return SampleGapReason::kImageFull;
    case wire::SampleLoss::kOverflow:
      return SampleGapReason::kOverflow;
    case wire::SampleLoss::kNoRoom:
      return SampleGapReason::kNoRoom;
    case wire::SampleLoss::kNoContext:
      return SampleGapReason::kNoContext;
  }
  return SampleGapReason::kUnknown;
}

class SampleRecords {
 public:
  SampleRecords(const Trace& trace, Profile& profile)
      : trace_(trace), profile_(profile) {}

  void Read(const TraceWords& words) {
    damaged += ReadSetRecords<wire::SampleRecord>(
        words, [this](const Record& r) { return Apply(r); });
  }

  // By number of the set; a damaged trace may lack sets.
  std::map<std::uint32_t, CounterSamples> sets{};
  std::uint64_t damaged = 0;

 private:
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

  // Keeps samples in order of time: a sample that begins before the end of the
  // last one is refused.
  static bool AddSample(const Record& r, CounterSamples& set) {
    const std::size_t metrics = set.metrics.size();
    if (r.count != wire::kSampleWords + metrics) return false;
    const std::uint64_t start = r[0];
    const std::uint64_t end = start + r.operand();
    if (end < start || (set.size() > 0 && start < set.end_ns.back()))
      return false;
    set.start_ns.push_back(start);
    set.end_ns.push_back(end);
    for (std::size_t i = 0; i < metrics; ++i)
      set.values.push_back(std::bit_cast<double>(r[wire::kSampleWords + i]));
    return true;
  }

  static bool AddGap(const Record& r, CounterSamples& set) {
    if (r.count < wire::kGapWords || r[1] < r[0]) return false;
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

// `lost` of `all` samples of a device, for one reason.
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
    // Otherwise the note that the GPU was not traced is enough.
    if (trace.live.gpu != wire::GpuState::kFailed)
      notes.Add(Severity::kWarning, "no_counter_samples",
                "the GPUs' counters were not sampled: " + none.reason, where);
  }
  profile.counter_samples.push_back(std::move(none));
}

}  // namespace

void ReadCounterSamples(const Trace& trace, Profile& profile, Notes& notes,
                        std::string_view where) {
  SampleRecords records(trace, profile);
  for (const TraceStream& stream : trace.samples) {
    for (const TraceBlock& block : stream.blocks) records.Read(block.words);
  }
  if (records.damaged > 0) {
    notes.Add(Severity::kDataLoss, "damaged_block",
              "a part of the trace is damaged and left out", where);
  }
  std::uint64_t lost = 0, all = trace.live.lost_samples;
  for (auto& [number, set] : records.sets) {
    all += set.size();
    FindGaps(set);
    NoteSet(set, notes, where);
    lost += set.lost;
    const auto device =
        std::ranges::find(profile.devices, set.device, &Device::index);
    if (device != profile.devices.end() && device->chip.empty())
      device->chip = profile.Name(set.chip);
    profile.counter_samples.push_back(std::move(set));
  }
  // Samples lost at the end, when the file had no room even for a gap.
  if (trace.live.lost_samples > lost)
    NoteLost(SampleGapReason::kNoRoom, trace.live.lost_samples - lost, all,
             notes, where);
  if (records.sets.empty() &&
      trace.live.sampling != wire::SamplingState::kNotAsked)
    NoteNone(trace, profile, notes, where);
}

}  // namespace rangefinder
