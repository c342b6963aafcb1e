#include "inject/counters/sampling.h"

#include <atomic>

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "inject/counters/device_sampler.h"
#include "inject/process/own_call.h"
#include "inject/process/own_threads.h"
#include "inject/trace/clock.h"
#include "inject/trace/recorder.h"

namespace rangefinder::inject {
namespace {

constexpr std::uint32_t kMostDevices = 64;
constexpr std::size_t kMostContexts = 256;
// A program that creates and destroys its contexts repeatedly is delayed this
// many times at most.
constexpr std::uint32_t kMostBegins = 4;
constexpr time_t kPatienceOfCalls = 10;  // s, for other devices to begin
constexpr time_t kPatienceAtExit = 2;
// How often our threads check that the program has a thread left.
constexpr std::uint32_t kLookAroundMs = 500;

// A device, the lock for all calls to CUPTI about it, and its threads. Devices
// do not wait for each other: sampling takes half a second to begin, and a
// GPU's buffer of samples is full earlier.
struct Device {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed{};
  DeviceSampler sampler{};
  bool threads_started = false;
};

struct Sampling {
  HostFunctions host{};
  SamplingFunctions functions{};
  SampleSettings settings{};
  Collector::Tools tools{};
  pid_t pid = 0;  // the sampling process; its children do not sample
  bool at_launch = false;
  std::atomic<std::uint32_t> pending{0};
  std::atomic<bool> finished{false};
  // Between the windows of an armed process: contexts are noted, and nothing is
  // sampled.
  std::atomic<bool> asleep{false};
  std::atomic<std::uint32_t> period_ms{1};
  Device devices[kMostDevices] = {};

  // `mutex` guards the members below. It is held only for moments, and taken
  // after a device's lock if both are held.
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  bool registered = false;  // our exit handler, after the profiler's libraries
  struct Context {
    void* handle = nullptr;
    std::uint32_t device = 0;
  };
  Context contexts[kMostContexts] = {};
  std::uint32_t alive[kMostDevices] = {};          // contexts
  bool waits[kMostDevices] = {};                   // for a launch
  DeviceSampler::State states[kMostDevices] = {};  // as last seen
};
constinit Sampling sampling{};

__attribute__((tls_model("initial-exec"))) thread_local bool in_call = false;

// CUDA calls that CUPTI makes meanwhile are the library's too.
class OwnCall {
 public:
  OwnCall() { in_call = true; }
  ~OwnCall() { in_call = false; }
  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;

 private:
  ProgramsCall call_;
};

// Updates the state of all devices in the live header, after one device's state
// has changed. The caller holds that device's lock.
void SaveState(std::uint32_t id) {
  const LockWithin lock(sampling.mutex, kPatienceOfCalls);
  if (!lock.held()) return;
  const DeviceSampler& changed = sampling.devices[id].sampler;
  sampling.states[id] = changed.state();
  bool any_sampling = false, any_begun = false, any_failed = false;
  for (const DeviceSampler::State state : sampling.states) {
    any_sampling |= state == DeviceSampler::State::kSampling;
    any_begun |= state != DeviceSampler::State::kNew;
    any_failed |= state == DeviceSampler::State::kFailed;
  }
  wire::LiveHeader& live = File().live();
  if (changed.state() == DeviceSampler::State::kFailed)
    CopyText(changed.reason(), live.sampling_reason);
  live.sampling = any_sampling ? wire::SamplingState::kSampling
                  : any_failed && live.samples == 0
                      ? wire::SamplingState::kFailed
                  : any_begun ? wire::SamplingState::kStopped
                              : wire::SamplingState::kWaiting;
}

// ---- The threads of a device -----------------------------------------------

// Releases the lock for `ms`, or until sampling begins or ends.
void Await(Device& device, std::uint32_t ms) {
  const timespec until = MonotonicIn(ms);
  int waited = 0;
  const bool asleep = sampling.asleep;
  while (!sampling.finished && sampling.asleep == asleep && waited == 0) {
    waited = pthread_cond_timedwait(&device.changed, &device.mutex, &until);
  }
}

// True: there is more to write already.
bool Poll(Device& device) {
  if (device.sampler.state() != DeviceSampler::State::kSampling) return false;
  const bool more = device.sampler.Poll();
  if (device.sampler.state() != DeviceSampler::State::kSampling)
    SaveState(static_cast<std::uint32_t>(&device - sampling.devices));
  return more;
}

// How often the threads look for samples.
std::uint32_t Period() {
  return sampling.asleep ? kLookAroundMs : sampling.period_ms.load();
}

void* RunDecoding(void* argument) {
  Device& device = *static_cast<Device*>(argument);
  in_call = true;
  bool more = false;
  for (std::uint32_t poll = 1;; ++poll) {
    const std::uint32_t period = Period();
    const std::uint32_t polls = 1 + kLookAroundMs / period;
    if (poll % polls == 0 && OwnThreadsAreAlone()) return nullptr;
    pthread_mutex_lock(&device.mutex);
    if (!sampling.finished) Await(device, more ? 1 : period);
    const bool finished = sampling.finished;
    more = !finished && Poll(device);
    pthread_mutex_unlock(&device.mutex);
    if (finished) return nullptr;
  }
}

// The thread that evaluates the samples which the other thread has decoded.
void* RunEvaluating(void* argument) {
  Device& device = *static_cast<Device*>(argument);
  in_call = true;
  for (std::uint32_t round = 1; !sampling.finished; ++round) {
    const std::uint32_t period = Period();
    const std::uint32_t rounds = 1 + kLookAroundMs / period;
    if (round % rounds == 0 && OwnThreadsAreAlone()) return nullptr;
    if (device.sampler.WriteDecoded()) continue;
    if (sampling.asleep) {
      pthread_mutex_lock(&device.mutex);
      if (sampling.asleep) Await(device, period);
      pthread_mutex_unlock(&device.mutex);
    } else {
      const timespec pause{0, static_cast<long>(period) * 1000000};
      nanosleep(&pause, nullptr);
    }
  }
  return nullptr;
}

bool StartThreads(Device& device) {
  PrepareCondition(device.changed);
  return StartOwnThread(RunDecoding, &device) &&
         StartOwnThread(RunEvaluating, &device);
}

// ---- Contexts --------------------------------------------------------------

bool DeviceOf(void* context, std::uint32_t& device) {
  const ProgramsCupti& cupti = *sampling.tools.cupti;
  if (cupti.GetDeviceId != nullptr &&
      cupti.GetDeviceId(context, &device) == cupti::kSuccess)
    return device < kMostDevices;
  auto* get = cupti::DriverFunction<int(int*)>("cuCtxGetDevice");
  int current = -1;
  if (get == nullptr || get(&current) != 0 || current < 0) return false;
  device = static_cast<std::uint32_t>(current);
  return device < kMostDevices;
}

// The profiler's libraries are loaded now. Our exit handler must run before
// their destructors.
void Register() {
  const LockWithin lock(sampling.mutex, kPatienceOfCalls);
  if (!lock.held() || sampling.registered) return;
  RegisterFinish();
  sampling.registered = true;
}

// The caller holds the device's lock.
void BeginOn(std::uint32_t id, std::uint64_t since) {
  Device& device = sampling.devices[id];
  DeviceSampler& sampler = device.sampler;
  if (sampling.asleep || sampler.state() == DeviceSampler::State::kSampling ||
      sampler.state() == DeviceSampler::State::kFailed)
    return;
  if (sampler.begins() >= kMostBegins) {
    sampler.Refuse(since,
                   "the program creates and destroys its CUDA contexts again "
                   "and again");
    return SaveState(id);
  }
  const bool begun =
      sampler.Begin(sampling.tools, sampling.functions, id, since);
  Register();
  if (begun && !device.threads_started) {
    device.threads_started = StartThreads(device);
    if (!device.threads_started)
      sampler.Refuse(since, "no thread can be started");
  }
  SaveState(id);
}

// Runs `work` under the device's lock, unless sampling has ended.
template <typename Work>
void OnDevice(std::uint32_t id, Work work) {
  const LockWithin lock(sampling.devices[id].mutex, kPatienceOfCalls);
  if (lock.held() && !sampling.finished) work();
}

// The devices whose sampling has to begin, or to end.
struct Wanted {
  std::uint32_t ids[kMostDevices] = {};
  std::size_t count = 0;
  void Add(std::uint32_t id) { ids[count++] = id; }
};

void AddContext(void* context, Wanted& begin) {
  std::uint32_t id = 0;
  if (!DeviceOf(context, id)) return;
  for (const Sampling::Context& known : sampling.contexts)
    if (known.handle == context) return;
  for (Sampling::Context& free : sampling.contexts) {
    if (free.handle != nullptr) continue;
    free = {context, id};
    ++sampling.alive[id];
    break;
  }
  if (!sampling.at_launch) return begin.Add(id);
  if (!sampling.waits[id]) sampling.pending.fetch_add(1);
  sampling.waits[id] = true;
}

void RemoveContext(void* context, Wanted& end) {
  for (Sampling::Context& known : sampling.contexts) {
    if (known.handle != context) continue;
    known.handle = nullptr;
    if (--sampling.alive[known.device] == 0) end.Add(known.device);
    return;
  }
}

// Unless this process does not sample or is about to end: calls
// `choose(wanted)` under the lock, and `work(id, since)` for each chosen device
// under that device's lock.
template <typename Choose, typename Work>
void InProgramsCall(Choose choose, Work work) {
  if (in_call || sampling.pid == 0 || sampling.pid != getpid()) return;
  const std::uint64_t since = MonotonicNs();
  const OwnCall call;
  Wanted wanted;
  {
    const LockWithin lock(sampling.mutex, kPatienceOfCalls);
    if (lock.held() && !sampling.finished) choose(wanted);
  }
  for (std::size_t i = 0; i < wanted.count; ++i)
    OnDevice(wanted.ids[i], [&] { work(wanted.ids[i], since); });
}

void FailSampling(const char* reason) {
  CopyText(reason, File().live().sampling_reason);
  File().live().sampling = wire::SamplingState::kFailed;
}

}  // namespace

bool StartSampling(const ProgramsCupti& cupti, const Tuning& tuning) {
  sampling.settings = {};
  for (DeviceSampler::State& state : sampling.states) state = {};
  if (const char* const failed = ReadSampleSettings(sampling.settings)) {
    FailSampling(failed);
    return false;
  }
  if (!sampling.host.Find(cupti.library) ||
      !sampling.functions.Find(cupti.library)) {
    char text[128];
    snprintf(text, sizeof text,
             "this CUPTI (version %u) has no PM sampling; that of CUDA 12.6 "
             "and later has",
             cupti.version);
    FailSampling(text);
    return false;
  }
  sampling.tools = {&cupti, &sampling.host, &sampling.settings};
  sampling.at_launch = tuning.sample_at_launch;
  sampling.period_ms = DeviceSampler::PollMs(sampling.settings);
  sampling.pid = getpid();
  return true;
}

// ---- Windows of an armed process -------------------------------------------

namespace {

// Contexts that were made before CUPTI could report them.
struct Contexts {
  void* handles[kMostDevices] = {};
  std::size_t count = 0;
};

// The devices' primary contexts: those of CUDA's runtime.
Contexts PrimaryContexts() {
  Contexts contexts;
  auto* const count_devices =
      cupti::DriverFunction<int(int*)>("cuDeviceGetCount");
  auto* const get_state = cupti::DriverFunction<int(int, unsigned*, int*)>(
      "cuDevicePrimaryCtxGetState");
  auto* const retain =
      cupti::DriverFunction<int(void**, int)>("cuDevicePrimaryCtxRetain");
  auto* const release =
      cupti::DriverFunction<int(int)>("cuDevicePrimaryCtxRelease_v2");
  int count = 0;
  if (count_devices == nullptr || get_state == nullptr || retain == nullptr ||
      release == nullptr || count_devices(&count) != 0)
    return contexts;
  for (int id = 0; id < count && id < static_cast<int>(kMostDevices); ++id) {
    unsigned flags = 0;
    int active = 0;
    void* context = nullptr;
    if (get_state(id, &flags, &active) != 0 || active == 0 ||
        retain(&context, id) != 0)
      continue;
    contexts.handles[contexts.count++] = context;
    release(id);
  }
  return contexts;
}

}  // namespace

void WakeSampling() {
  sampling.asleep = false;
  const Contexts contexts = PrimaryContexts();
  InProgramsCall(
      [&](Wanted& begin) {
        Wanted known;
        for (std::size_t i = 0; i < contexts.count; ++i)
          AddContext(contexts.handles[i], known);
        for (std::uint32_t id = 0; id < kMostDevices; ++id)
          if (sampling.alive[id] > 0) begin.Add(id);
      },
      [](std::uint32_t id, std::uint64_t) {
        BeginOn(id, 0);
        pthread_cond_broadcast(&sampling.devices[id].changed);
      });
}

void RestSampling() {
  if (sampling.pid == 0 || sampling.pid != getpid()) return;
  const OwnCall call;
  sampling.asleep = true;
  bool all = true;
  for (Device& device : sampling.devices) {
    const LockWithin lock(device.mutex, all ? kPatienceOfCalls : 0);
    all &= lock.held();
    if (!lock.held()) continue;
    device.sampler.End(0);
    device.sampler.Reset();
  }
  if (all) SampleRecords::Seal();
}

void OnContextCreated(void* context) {
  InProgramsCall([&](Wanted& begin) { AddContext(context, begin); }, BeginOn);
}

void OnContextDestroyStarting(void* context) {
  InProgramsCall([&](Wanted& end) { RemoveContext(context, end); },
                 [](std::uint32_t id, std::uint64_t since) {
                   sampling.devices[id].sampler.End(since);
                   SaveState(id);
                 });
}

bool SamplingIsPending() {
  return sampling.pending.load(std::memory_order_relaxed) > 0;
}

void BeginPendingSampling() {
  const auto choose = [](Wanted& begin) {
    for (std::uint32_t id = 0; id < kMostDevices; ++id) {
      if (!sampling.waits[id]) continue;
      sampling.waits[id] = false;
      sampling.pending.fetch_sub(1);
      if (sampling.alive[id] > 0) begin.Add(id);
    }
  };
  InProgramsCall(choose, BeginOn);
}

bool IsSamplingCall() {
  return in_call;
}

void FinishSampling() {
  if (sampling.pid == 0 || sampling.pid != getpid()) return;
  const OwnCall call;
  if (sampling.finished.exchange(true)) return;
  bool all = true;
  for (Device& device : sampling.devices) {
    // After one device whose lock cannot be taken, the others are not waited
    // for.
    const LockWithin lock(device.mutex, all ? kPatienceAtExit : 0);
    all &= lock.held();
    if (!lock.held()) continue;
    device.sampler.End(MonotonicNs());
    if (device.threads_started) pthread_cond_signal(&device.changed);
  }
  // A thread may still be writing.
  if (all) SampleRecords::Seal();
}

}  // namespace rangefinder::inject
