#include "inject/sampling.h"

#include <atomic>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "inject/clock.h"
#include "inject/cupti_library.h"
#include "inject/device_sampler.h"
#include "inject/own_call.h"
#include "inject/own_threads.h"
#include "inject/recorder.h"

namespace rangefinder::inject {
namespace {

constexpr std::uint32_t kMostDevices = 64;
constexpr std::size_t kMostContexts = 256;
// A program that makes and destroys its contexts again and again is not held up
// again and again.
constexpr std::uint32_t kMostBegins = 4;
constexpr time_t kPatienceOfCalls = 10;  // s, for other devices to begin
constexpr time_t kPatienceAtExit = 2;
// How often our thread asks whether the program still has one.
constexpr std::uint32_t kLookAroundMs = 500;

struct Sampling {
  cupti::CounterFunctions counters{};
  SampleSettings settings{};
  SamplerTools tools{};
  pid_t pid = 0;  // of the process that samples: no child of it does
  bool at_launch = false;
  std::atomic<std::uint32_t> pending{0};

  // All below is under `mutex`, as are all calls to CUPTI for sampling.
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed{};
  bool thread_started = false;
  bool finished = false;
  bool registered = false;  // our exit handler, behind the profiler's libraries
  struct Context {
    void* handle = nullptr;
    std::uint32_t device = 0;
  };
  Context contexts[kMostContexts] = {};
  std::uint32_t alive[kMostDevices] = {};  // contexts
  bool waits[kMostDevices] = {};           // for a launch
  DeviceSampler devices[kMostDevices] = {};
};
constinit Sampling sampling{};

__attribute__((tls_model("initial-exec"))) thread_local bool in_call = false;

// And what CUPTI calls meanwhile is ours.
class OwnCall {
 public:
  OwnCall() { in_call = true; }
  ~OwnCall() { in_call = false; }
  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;

 private:
  ProgramsCall call_;
};

// What the live header says of all devices together.
void SaveState() {
  bool any_sampling = false, any_begun = false;
  const char* reason = nullptr;
  for (const DeviceSampler& device : sampling.devices) {
    any_sampling |= device.state() == DeviceSampler::State::kSampling;
    any_begun |= device.state() != DeviceSampler::State::kNew;
    if (device.state() == DeviceSampler::State::kFailed)
      reason = device.reason();
  }
  wire::LiveHeader& live = File().live();
  if (reason != nullptr) File().SamplingReason(reason);
  live.sampling = any_sampling ? wire::SamplingState::kSampling
                  : reason != nullptr && live.samples == 0
                      ? wire::SamplingState::kFailed
                  : any_begun ? wire::SamplingState::kStopped
                              : wire::SamplingState::kWaiting;
}

// ---- The thread that decodes -----------------------------------------------

// True: there is more to write already.
bool PollAll() {
  bool more = false;
  for (DeviceSampler& device : sampling.devices) {
    if (device.state() != DeviceSampler::State::kSampling) continue;
    more |= device.Poll();
    if (device.state() != DeviceSampler::State::kSampling) SaveState();
  }
  return more;
}

// Gives the lock away for so long, or until the end.
void Await(std::uint32_t ms) {
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += static_cast<long>(ms) * 1000000;
  if (until.tv_nsec >= 1000000000) {
    ++until.tv_sec;
    until.tv_nsec -= 1000000000;
  }
  int waited = 0;
  while (!sampling.finished && waited == 0) {
    waited = pthread_cond_timedwait(&sampling.changed, &sampling.mutex, &until);
  }
}

void* RunThread(void*) {
  in_call = true;
  const std::uint32_t period = DeviceSampler::PollMs(sampling.settings);
  const std::uint32_t polls = 1 + kLookAroundMs / period;
  bool more = false;
  for (std::uint32_t poll = 1;; ++poll) {
    if (poll % polls == 0 && OwnThreadsAreAlone()) return nullptr;
    pthread_mutex_lock(&sampling.mutex);
    if (!sampling.finished) Await(more ? 1 : period);
    const bool finished = sampling.finished;
    more = !finished && PollAll();
    pthread_mutex_unlock(&sampling.mutex);
    if (finished) return nullptr;
  }
}

bool StartThread() {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&sampling.changed, &attributes);
  return StartOwnThread(RunThread, nullptr);
}

// ---- Contexts --------------------------------------------------------------

bool DeviceOf(void* context, std::uint32_t& device) {
  if (sampling.counters.GetDeviceId(context, &device) == cupti::kSuccess)
    return device < kMostDevices;
  using GetDevice = int(int*);
  auto* get = reinterpret_cast<GetDevice*>(DriverFunction("cuCtxGetDevice"));
  int current = -1;
  if (get == nullptr || get(&current) != 0 || current < 0) return false;
  device = static_cast<std::uint32_t>(current);
  return device < kMostDevices;
}

// Under the lock.
void BeginOn(std::uint32_t id, std::uint64_t since) {
  DeviceSampler& device = sampling.devices[id];
  if (device.state() == DeviceSampler::State::kSampling ||
      device.state() == DeviceSampler::State::kFailed)
    return;
  if (device.begins() >= kMostBegins) {
    device.Refuse(since,
                  "the program creates and destroys its CUDA contexts again "
                  "and again");
    return SaveState();
  }
  const bool begun = device.Begin(sampling.tools, id, since);
  // The profiler's libraries are loaded by now, and their destructors must not
  // run before our handler.
  if (!sampling.registered) RegisterFinish();
  sampling.registered = true;
  if (begun && !sampling.thread_started) {
    sampling.thread_started = StartThread();
    if (!sampling.thread_started)
      device.Refuse(since, "no thread can be started");
  }
  SaveState();
}

void AddContext(void* context, std::uint64_t since) {
  std::uint32_t id = 0;
  if (!DeviceOf(context, id)) return;
  for (Sampling::Context& free : sampling.contexts) {
    if (free.handle != nullptr) continue;
    free = {context, id};
    ++sampling.alive[id];
    break;
  }
  if (!sampling.at_launch) return BeginOn(id, since);
  if (!sampling.waits[id]) sampling.pending.fetch_add(1);
  sampling.waits[id] = true;
}

void RemoveContext(void* context, std::uint64_t since) {
  for (Sampling::Context& known : sampling.contexts) {
    if (known.handle != context) continue;
    known.handle = nullptr;
    if (--sampling.alive[known.device] > 0) return;
    sampling.devices[known.device].End(since);
    return SaveState();
  }
}

// Runs `work(since)` under the lock, where this process samples and is not
// about to end.
template <typename Work>
void InProgramsCall(Work work) {
  if (in_call || sampling.pid == 0 || sampling.pid != getpid()) return;
  const std::uint64_t since = MonotonicNs();
  const OwnCall call;
  const LockWithin lock(sampling.mutex, kPatienceOfCalls);
  if (lock.held() && !sampling.finished) work(since);
}

void FailSampling(const char* reason) {
  File().SamplingReason(reason);
  File().live().sampling = wire::SamplingState::kFailed;
}

}  // namespace

bool StartSampling(const cupti::Functions& cupti, const Tuning& tuning) {
  const char* reason = nullptr;
  if (!ReadSampleSettings(sampling.settings, &reason)) {
    FailSampling(reason);
    return false;
  }
  if (!FindCounterFunctions(sampling.counters)) {
    char text[128];
    snprintf(text, sizeof text,
             "this CUPTI (version %u) has no PM sampling; that of CUDA 12.6 "
             "and later has",
             File().live().cupti_version);
    FailSampling(text);
    return false;
  }
  sampling.tools = {&cupti, &sampling.counters, &sampling.settings};
  sampling.at_launch = tuning.sample_at_launch;
  sampling.pid = getpid();
  return true;
}

void OnContextCreated(void* context) {
  InProgramsCall([&](std::uint64_t since) { AddContext(context, since); });
}

void OnContextDestroyStarting(void* context) {
  InProgramsCall([&](std::uint64_t since) { RemoveContext(context, since); });
}

bool SamplingIsPending() {
  return sampling.pending.load(std::memory_order_relaxed) > 0;
}

void BeginPendingSampling() {
  InProgramsCall([](std::uint64_t since) {
    for (std::uint32_t id = 0; id < kMostDevices; ++id) {
      if (!sampling.waits[id]) continue;
      sampling.waits[id] = false;
      sampling.pending.fetch_sub(1);
      if (sampling.alive[id] > 0) BeginOn(id, since);
    }
  });
}

bool IsSamplingCall() {
  return in_call;
}

void FinishSampling() {
  if (sampling.pid == 0 || sampling.pid != getpid()) return;
  const OwnCall call;
  const LockWithin lock(sampling.mutex, kPatienceAtExit);
  if (!lock.held() || sampling.finished) return;
  for (DeviceSampler& device : sampling.devices) device.End(MonotonicNs());
  sampling.finished = true;
  if (sampling.thread_started) pthread_cond_signal(&sampling.changed);
  SampleRecords::Seal();
}

}  // namespace rangefinder::inject
