// What a device is asked once: its counters, the metrics, and how they are set
// up.

#include <algorithm>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "inject/counter_calls.h"
#include "inject/device_sampler.h"
#include "inject/own_call.h"

namespace rangefinder::inject {
namespace {

constexpr std::size_t kMiB = 1024 * 1024;
constexpr time_t kPatience = 10;  // s, for other devices to begin
constexpr std::size_t kSmallestHardwareBuffer = 32 * kMiB;

// 32 MiB are enough at 200 us, and more samples need more.
std::size_t HardwareBuffer(std::uint64_t interval_ns, std::size_t largest) {
  std::size_t size = kSmallestHardwareBuffer;
  for (std::uint64_t ns = interval_ns;
       ns < kDefaultIntervalNs && size < largest / 2; ns *= 2) {
    size *= 2;
  }
  return size;
}

}  // namespace

bool DeviceSampler::ReadAvailability() {
  auto asked = Make<cupti::CounterAvailability>();
  asked.device = device_;
  cupti::Result result = tools_.counters->GetAvailability(&asked);
  if (result == cupti::kSuccess) {
    availability_ = Map(asked.image_size);
    if (availability_ == nullptr)
      return Fail("memory for the counters", cupti::kOutOfMemory);
    asked.image = availability_;
    result = tools_.counters->GetAvailability(&asked);
  }
  return result == cupti::kSuccess ||
         Fail("cuptiPmSamplingGetCounterAvailability", result);
}

bool DeviceSampler::MakeHost(void*& host) {
  auto made = Make<cupti::HostInitialize>();
  made.profiler = cupti::kForSampling;
  made.chip = chip_;
  made.availability = availability_;
  const cupti::Result result = tools_.counters->HostInitialize(&made);
  host = made.host;
  return result == cupti::kSuccess ||
         Fail("cuptiProfilerHostInitialize", result);
}

// CUPTI says that a metric is unknown, and not which.
bool DeviceSampler::NameBadMetric() {
  const SampleSettings& settings = *tools_.settings;
  for (std::size_t i = 0; i < settings.count; ++i) {
    void* host = nullptr;
    if (!MakeHost(host)) return false;
    const char* metric = settings.metrics[i];
    auto added = Make<cupti::AddMetrics>();
    added.host = host;
    added.names = &metric;
    added.count = 1;
    const cupti::Result result = tools_.counters->AddMetrics(&added);
    auto done = Make<cupti::HostDeinitialize>();
    done.host = host;
    tools_.counters->HostDeinitialize(&done);
    if (result == cupti::kSuccess) continue;
    const char* text = nullptr;
    tools_.cupti->GetResultString(result, &text);
    snprintf(reason_, sizeof reason_,
             "%s has no metric %.150s that can be sampled (%s, %d)",
             *chip_ != '\0' ? chip_ : "the GPU", metric,
             text != nullptr ? text : "unknown error", result);
    return true;
  }
  return false;
}

bool DeviceSampler::AddMetrics() {
  auto added = Make<cupti::AddMetrics>();
  added.host = host_;
  added.names = const_cast<const char**>(tools_.settings->metrics);
  added.count = tools_.settings->count;
  const cupti::Result result = tools_.counters->AddMetrics(&added);
  if (result == cupti::kSuccess) return true;
  Fail("cuptiProfilerHostConfigAddMetrics", result);
  NameBadMetric();
  return false;
}

bool DeviceSampler::MakeConfig() {
  cupti::Result result = cupti::kSuccess;
  const char* failed =
      MakeCounterConfig(*tools_.counters, host_, config_, result);
  if (failed != nullptr) return Fail(failed, result);
  if (config_.passes == 1) return true;
  snprintf(reason_, sizeof reason_,
           "these metrics take %zu passes on %s, and sampling has one: ask for "
           "fewer",
           config_.passes, chip_);
  return false;
}

bool DeviceSampler::Prepare() {
  // CUPTI's calls that are of no device, one device at a time.
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const LockWithin lock(mutex, kPatience);
  if (!lock.held()) {
    snprintf(reason_, sizeof reason_, "another GPU's sampling does not begin");
    return false;
  }
  auto begun = Make<cupti::ProfilerInitialize>();
  cupti::Result result = tools_.counters->Initialize(&begun);
  if (result != cupti::kSuccess) return Fail("cuptiProfilerInitialize", result);
  auto chip = Make<cupti::ChipName>();
  chip.device = device_;
  result = tools_.counters->GetChipName(&chip);
  if (result != cupti::kSuccess) return Fail("cuptiDeviceGetChipName", result);
  if (chip.name != nullptr) chip_ = chip.name;
  hardware_buffer_ =
      HardwareBuffer(tools_.settings->interval_ns, kLargestHardwareBuffer);
  return ReadAvailability() && MakeHost(host_) && AddMetrics() && MakeConfig();
}

}  // namespace rangefinder::inject
