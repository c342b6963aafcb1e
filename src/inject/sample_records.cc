#include "inject/sample_records.h"

#include <atomic>
#include <bit>

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "inject/own_call.h"
#include "inject/recorder.h"

namespace rangefinder::inject {
namespace {

// Whoever waits for it longer is a handler that interrupts its holder.
constexpr time_t kPatience = 1;  // s

struct SampleOutput {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  Stream stream{};
  bool started = false;
  std::atomic<std::uint32_t> sets{0};
};
constinit SampleOutput output{};

// False: there is no room for it.
bool Write(wire::SampleRecord kind, std::uint32_t set, std::uint32_t operand,
           const std::uint64_t* words, std::size_t count) {
  const LockWithin lock(output.mutex, kPatience);
  if (!lock.held()) return false;
  TraceFile& file = File();
  if (!output.started) {
    output.stream.Start(file, wire::BlockKind::kSamples, 0);
    output.started = true;
  }
  std::uint64_t* const at = output.stream.Reserve(file, count + 1);
  if (at == nullptr) return false;
  for (std::size_t i = 0; i < count; ++i) Stream::Put(at, i + 1, words[i]);
  output.stream.Commit(at, wire::SampleWord(kind, set, operand, count),
                       count + 1);
  return true;
}

std::uint32_t StringOf(const char* text) {
  std::uint32_t id = 0;
  if (*text != '\0') {
    WithNames([&](Names& names, TraceFile& file) {
      id = names.String(file, {text, strlen(text)});
    });
  }
  return id;
}

}  // namespace

void SampleRecords::Begin(std::uint32_t device, const SampleSettings& settings,
                          const char* chip) {
  set_ = output.sets++;
  metrics_ = settings.count;
  interval_ns_ = settings.interval_ns;
  std::uint64_t words[wire::kSetWords + SampleSettings::kMostMetrics / 2] = {
      wire::Pack(device, metrics_), interval_ns_, StringOf(chip)};
  for (std::size_t i = 0; i < metrics_; ++i) {
    words[wire::kSetWords + i / 2] |=
        std::uint64_t{StringOf(settings.metrics[i])} << (i % 2 * 32);
  }
  Write(wire::SampleRecord::kSet, set_, 0, words,
        wire::kSetWords + (metrics_ + 1) / 2);
}

void SampleRecords::Started(std::uint64_t held_up_ns) {
  const std::uint64_t words[] = {RealtimeNs(), held_up_ns};
  if (started_ == 0) started_ = words[0];
  Write(wire::SampleRecord::kStarted, set_, 0, words, wire::kStartedWords);
}

// The hardware begins a little after the start, which is no gap; samples that
// were lost before the first are.
void SampleRecords::ExpectGap(wire::SampleLoss why) {
  if (last_end_ == 0) last_end_ = started_;
  why_ = why;
}

bool SampleRecords::WriteGap(std::uint64_t to) {
  const bool lost = why_ != wire::SampleLoss::kNoContext;
  const std::uint64_t missing =
      lost ? (to - last_end_ + interval_ns_ / 2) / interval_ns_ : 0;
  const std::uint64_t words[] = {last_end_, to, missing};
  // Where this finds no room either, the next sample that does will say it.
  if (!Write(wire::SampleRecord::kGap, set_, static_cast<std::uint32_t>(why_),
             words, wire::kGapWords))
    return false;
  // Those without room were counted one by one.
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
  for (std::size_t i = 0; i < metrics_; ++i) {
    words[wire::kSampleWords + i] = std::bit_cast<std::uint64_t>(values[i]);
  }
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
  const LockWithin lock(output.mutex, kPatience);
  if (lock.held()) output.stream.Seal(File());
}

}  // namespace rangefinder::inject
