#include "inject/counters/counter_records.h"

#include <atomic>
#include <bit>
#include <string_view>

#include <pthread.h>
#include <time.h>

#include "inject/process/own_call.h"
#include "inject/trace/recorder.h"
#include "wire/counter_format.h"

namespace rangefinder::inject {
namespace {

// A record is a first word and `count` further words.
struct CounterStream {
  wire::BlockKind kind;
  Stream stream{};

  // False: there is no room for it.
  bool Write(std::uint64_t first, const std::uint64_t* words,
             std::size_t count) {
    TraceFile& file = File();
    if (!stream.BelongsTo(file)) stream.Start(file, kind, 0);
    return stream.Write(file, first, words, count);
  }
  void Seal() { stream.Seal(File()); }
};

std::uint32_t StringOf(std::string_view text) {
  std::uint32_t id = 0;
  if (!text.empty()) {
    WithNames(
        [&](Names& names, TraceFile& file) { id = names.String(file, text); });
  }
  return id;
}

// Puts the ids of the metrics' names, two per word; returns the number of
// words.
std::size_t PutMetrics(const SampleSettings& settings, std::uint64_t* words) {
  for (std::size_t i = 0; i < settings.count; ++i)
    words[i / 2] |= std::uint64_t{StringOf(settings.metrics[i])}
                    << (i % 2 * 32);
  return (settings.count + 1) / 2;
}

void PutValues(const double* values, std::size_t count, std::uint64_t* words) {
  for (std::size_t i = 0; i < count; ++i)
    words[i] = std::bit_cast<std::uint64_t>(values[i]);
}

// ---- Samples ---------------------------------------------------------------

// A handler that waits longer interrupts the thread that holds the lock.
constexpr time_t kPatience = 1;  // s

struct SampleOutput {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  CounterStream stream{wire::BlockKind::kSamples};
  std::atomic<std::uint32_t> sets{0};
};
constinit SampleOutput samples{};

bool Write(wire::SampleRecord kind, std::uint32_t set, std::uint32_t operand,
           const std::uint64_t* words, std::size_t count) {
  const LockWithin lock(samples.mutex, kPatience);
  return lock.held() &&
         samples.stream.Write(wire::CounterWord(kind, set, operand, count),
                              words, count);
}

// ---- Counts ----------------------------------------------------------------

struct CountOutput {
  CounterStream stream{wire::BlockKind::kCounts};
  // The number written last for each row and reason.
  std::uint64_t skipped[wire::kMostCountRows][wire::kCountSkips] = {};
};
constinit CountOutput counts{};

bool Write(wire::CountRecord kind, std::uint32_t operand,
           const std::uint64_t* words, std::size_t count) {
  return counts.stream.Write(wire::CounterWord(kind, 0, operand, count), words,
                             count);
}

void WriteRow(const CountPlan& plan, std::uint32_t number) {
  const PlannedRow& row = plan.row(number);
  std::uint64_t words[wire::kCountRowWords + wire::kDeepestCount] = {
      wire::Pack(row.skip, row.every), wire::Pack(row.most, row.slot),
      wire::Pack(row.slots, row.split ? wire::kRowIsSplit : 0)};
  for (std::uint32_t i = 0; i < row.depth; ++i) {
    const PlannedFrame& frame = plan.frame(row.frames[i]);
    words[wire::kCountRowWords + i] =
        wire::Pack(StringOf(frame.domain), StringOf(frame.name));
  }
  Write(wire::CountRecord::kRow, number, words,
        wire::kCountRowWords + row.depth);
}

}  // namespace

// ---- Samples ---------------------------------------------------------------

void SampleRecords::Begin(std::uint32_t device, const SampleSettings& settings,
                          const char* chip) {
  set_ = samples.sets++;
  started_ = last_end_ = 0;
  why_ = wire::SampleLoss::kUnknown;
  metrics_ = settings.count;
  interval_ns_ = settings.interval_ns;
  std::uint64_t words[wire::kSetWords + SampleSettings::kMostMetrics / 2] = {
      wire::Pack(device, metrics_), interval_ns_, StringOf(chip)};
  Write(wire::SampleRecord::kSet, set_, 0, words,
        wire::kSetWords + PutMetrics(settings, words + wire::kSetWords));
}

void SampleRecords::Started(std::uint64_t held_up_ns) {
  const std::uint64_t words[] = {RealtimeNs(), held_up_ns};
  if (started_ == 0) started_ = words[0];
  Write(wire::SampleRecord::kStarted, set_, 0, words, wire::kStartedWords);
}

// The hardware begins a little after the start, and that is no gap. Samples
// lost before the first one are a gap.
void SampleRecords::ExpectGap(wire::SampleLoss why) {
  if (last_end_ == 0) last_end_ = started_;
  why_ = why;
}

bool SampleRecords::WriteGap(std::uint64_t to) {
  const bool lost = why_ != wire::SampleLoss::kNoContext;
  const std::uint64_t missing =
      lost ? (to - last_end_ + interval_ns_ / 2) / interval_ns_ : 0;
  const std::uint64_t words[] = {last_end_, to, missing};
  // If there is no room for the gap either, the next sample that has room
  // writes it.
  if (!Write(wire::SampleRecord::kGap, set_, static_cast<std::uint32_t>(why_),
             words, wire::kGapWords))
    return false;
  // Samples without room were counted one by one.
  if (why_ != wire::SampleLoss::kNoRoom)
    Count(File().live().lost_samples, missing);
  last_end_ = to;
  why_ = wire::SampleLoss::kUnknown;
  return true;
}

void SampleRecords::Add(std::uint64_t start, std::uint64_t end,
                        const double* values) {
  if (end <= start || end - start > 0xFFFFFFFF || start < last_end_) return;
  const bool follows = last_end_ == 0 ||
                       start - last_end_ <= interval_ns_ / 2 || WriteGap(start);
  std::uint64_t words[wire::kSampleWords + SampleSettings::kMostMetrics] = {
      start};
  PutValues(values, metrics_, words + wire::kSampleWords);
  if (!follows || !Write(wire::SampleRecord::kSample, set_,
                         static_cast<std::uint32_t>(end - start), words,
                         wire::kSampleWords + metrics_)) {
    Count(File().live().lost_samples);
    if (last_end_ == 0) last_end_ = start;
    why_ = wire::SampleLoss::kNoRoom;
    return;
  }
  Count(File().live().samples);
  last_end_ = end;
  why_ = wire::SampleLoss::kUnknown;
}

void SampleRecords::LoseRest(wire::SampleLoss why, std::uint64_t until) {
  ExpectGap(why);
  if (last_end_ == 0 || until < last_end_ + interval_ns_) return;
  WriteGap(until);
}

void SampleRecords::Stopped(std::uint64_t held_up_ns, const char* reason) {
  const std::uint64_t words[] = {RealtimeNs(), held_up_ns, StringOf(reason)};
  Write(wire::SampleRecord::kStopped, set_, 0, words, wire::kStoppedWords);
}

void SampleRecords::Seal() {
  const LockWithin lock(samples.mutex, kPatience);
  if (lock.held()) samples.stream.Seal();
  samples.sets = 0;
}

// ---- Counts ----------------------------------------------------------------

void CountRecords::Plan(const CountPlan& plan) {
  for (std::uint32_t i = 0; i < plan.rows(); ++i) {
    for (std::uint64_t& skipped : counts.skipped[i]) skipped = 0;
    WriteRow(plan, i);
  }
}

void CountRecords::Begin(const SampleSettings& settings, const Set& set) {
  std::uint64_t words[wire::kCountSetWords + SampleSettings::kMostMetrics / 2] =
      {wire::Pack(set.device, settings.count),
       wire::Pack(set.passes, set.ranges), set.device_bytes,
       StringOf(set.chip)};
  Write(wire::CountRecord::kSet, 0, words,
        wire::kCountSetWords +
            PutMetrics(settings, words + wire::kCountSetWords));
}

void CountRecords::Started(std::uint32_t pass, std::uint64_t held_up_ns) {
  const std::uint64_t words[] = {RealtimeNs(), held_up_ns};
  Write(wire::CountRecord::kStarted, pass, words, wire::kCountStartWords);
}

bool CountRecords::Counts(const CountedInstance& instance, std::uint32_t pass,
                          const double* values, std::size_t metrics) {
  const bool inside = instance.outer_row != kNoPlace;
  std::uint64_t words[wire::kCountWords + SampleSettings::kMostMetrics] = {
      pass,
      instance.number,
      instance.start_ns,
      instance.end_ns,
      instance.held_up_ns,
      instance.thread,
      inside ? std::uint64_t{instance.outer_row} + 1 : 0,
      inside ? instance.outer_number : 0};
  PutValues(values, metrics, words + wire::kCountWords);
  if (!Write(wire::CountRecord::kCounts, instance.row, words,
             wire::kCountWords + metrics))
    return false;
  Count(File().live().counted);
  return true;
}

void CountRecords::Skipped(const CountPlan& plan) {
  for (std::uint32_t row = 0; row < plan.rows(); ++row) {
    for (std::size_t why = 0; why < wire::kCountSkips; ++why) {
      const std::uint64_t count =
          plan.row(row).skipped[why].load(std::memory_order_relaxed);
      if (count == counts.skipped[row][why]) continue;
      const std::uint64_t words[] = {why, count};
      if (Write(wire::CountRecord::kSkipped, row, words, wire::kCountSkipWords))
        counts.skipped[row][why] = count;
    }
  }
}

void CountRecords::Stopped(std::uint64_t held_up_ns, const char* reason) {
  const std::uint64_t words[] = {RealtimeNs(), held_up_ns, StringOf(reason)};
  Write(wire::CountRecord::kStopped, 0, words, wire::kCountStopWords);
}

void CountRecords::Seal() {
  counts.stream.Seal();
}

}  // namespace rangefinder::inject
