// Images of samples, from the thread that decodes to the thread that evaluates.
// Both take about as long, and together longer than the interval between two
// samples: with one thread for both, the samples that come meanwhile are lost.
//
// One thread decodes at a time, under the device's lock: it takes a free image,
// fills it and adds it. Write(), of any thread, evaluates the samples of the
// oldest image and writes them into the trace; the image is then free again.
// Decoding waits only where no image is free.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pthread.h>

#include "inject/counters/collector.h"
#include "inject/counters/counter_records.h"

namespace rangefinder::inject {

// The time of a sample. A sample without a length is not written.
struct SampleTime {
  std::uint64_t start = 0, end = 0;
};

class SampleBacklog {
 public:
  static constexpr std::size_t kMostImages = 64;

  // ---- The thread that decodes ----

  // A session begins, whose images the collector has mapped, each with room for
  // the times of its samples behind it.
  void Begin(Collector& collector, std::size_t images);
  // Takes a free image, and resets it, unless an image is taken already. False:
  // no image is free.
  bool TakeImage();
  std::size_t image() const { return image_; }
  SampleTime* times() const { return TimesOf(image_); }
  // The first `samples` of the taken image are complete. `before`: why samples
  // may be missing before its first one.
  void Add(std::size_t samples, wire::SampleLoss before);
  bool is_empty() const { return tail_.load() == head_.load(); }
  // The failure of an evaluation, after which samples are no longer evaluated.
  cupti::Code error() const { return error_.load(); }
  // Evaluates the remaining samples until `deadline`, and gives up the rest.
  // False: samples were given up.
  bool Finish(std::uint64_t deadline);
  // An image may still be in use: another thread has been evaluating a sample
  // for longer than Finish() waits.
  bool is_stuck() const { return stuck_.load(); }
  // To be used between Finish() and Begin(), or before the first Add().
  SampleRecords& records() { return records_; }

  // ---- Any thread ----

  // Evaluates and writes samples until `deadline`. False: none is left, or none
  // can be evaluated.
  bool Write(std::uint64_t deadline);

 private:
  struct Entry {
    std::size_t image = 0, samples = 0;
    wire::SampleLoss before = wire::SampleLoss::kUnknown;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  SampleTime* TimesOf(std::size_t image) const {
    return reinterpret_cast<SampleTime*>(collector_->BehindImage(image));
  }
  bool WriteOne();

  Collector* collector_ = nullptr;
  std::size_t images_ = 0;
  std::size_t used_ = 0;  // images that have been in use: the first ones
  std::size_t image_ = kNone;

  // Entries from tail_ to head_, modulo their number, wait to be evaluated.
  Entry entries_[kMostImages] = {};
  std::atomic<std::size_t> head_{0}, tail_{0};
  std::atomic<std::uint64_t> free_{0};  // a bit for each image
  std::atomic<cupti::Code> error_{cupti::kSuccess};
  std::atomic<bool> stuck_{false};
  std::atomic<bool> finishing_{false};  // Finish() waits for the lock

  // Guards the members below, and is held for a sample at a time.
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::size_t written_ = 0;  // samples of the oldest entry
  SampleRecords records_{};
};

}  // namespace rangefinder::inject
