#include "inject/counters/sample_backlog.h"

#include <bit>

#include <time.h>

#include "inject/process/own_call.h"
#include "inject/trace/clock.h"

namespace rangefinder::inject {
namespace {

constexpr time_t kPatience = 1;  // s, for the evaluation of a sample

}  // namespace

void SampleBacklog::Begin(Collector& collector, std::size_t images) {
  collector_ = &collector;
  images_ = images;
  used_ = 0;
  image_ = kNone;
  free_.store(0);
  error_.store(cupti::kSuccess);
}

bool SampleBacklog::TakeImage() {
  if (image_ != kNone) return true;
  if (const std::uint64_t free = free_.load(); free != 0) {
    image_ = static_cast<std::size_t>(std::countr_zero(free));
    free_.fetch_and(~(std::uint64_t{1} << image_));
    return true;
  }
  if (used_ == images_) return false;
  image_ = used_++;
  collector_->ResetImage(image_);
  return true;
}

void SampleBacklog::Add(std::size_t samples, wire::SampleLoss before) {
  const std::size_t head = head_.load();
  entries_[head % kMostImages] = {image_, samples, before};
  image_ = kNone;
  head_.store(head + 1);
}

// The caller holds the lock. False: no sample is left, or it cannot be
// evaluated.
bool SampleBacklog::WriteOne() {
  if (is_empty() || error() != cupti::kSuccess || is_stuck() || finishing_)
    return false;
  const std::size_t tail = tail_.load();
  const Entry& entry = entries_[tail % kMostImages];
  if (written_ == 0 && entry.before != wire::SampleLoss::kUnknown)
    records_.ExpectGap(entry.before);
  if (written_ < entry.samples) {
    const SampleTime time = TimesOf(entry.image)[written_];
    double values[SampleSettings::kMostMetrics] = {};
    const cupti::Code code =
        collector_->Evaluate(entry.image, written_, values);
    if (code != cupti::kSuccess) {
      error_.store(code);
      return false;
    }
    if (is_stuck()) return false;  // the file may be that of the next window
    // Leaves out samples without a length.
    records_.Add(time.start, time.end, values);
    ++written_;
    return true;
  }
  collector_->ResetImage(entry.image);
  written_ = 0;
  free_.fetch_or(std::uint64_t{1} << entry.image);
  tail_.store(tail + 1);
  return true;
}

bool SampleBacklog::Write(std::uint64_t deadline) {
  bool more = true;
  while (more && MonotonicNs() < deadline) {
    const LockWithin lock(mutex_, kPatience);
    more = lock.held() && WriteOne();
  }
  return more;
}

bool SampleBacklog::Finish(std::uint64_t deadline) {
  Write(deadline);
  // Without this, a thread that evaluates takes the lock again at once, for its
  // next sample.
  finishing_.store(true);
  const LockWithin lock(mutex_, kPatience);
  finishing_.store(false);
  const bool whole = is_empty();
  if (lock.held()) {
    tail_.store(head_.load());
    written_ = 0;
  } else {
    stuck_.store(true);
  }
  return whole;
}

}  // namespace rangefinder::inject
