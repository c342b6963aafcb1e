#include "inject/counters/device_sampler.h"

#include <algorithm>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "inject/process/own_call.h"
#include "inject/trace/clock.h"

namespace rangefinder::inject {
namespace {

constexpr std::uint64_t kMostForTheFirst = 20'000'000;  // ns
constexpr std::size_t kMiB = 1024 * 1024;
// While a program starts, the driver may delay a decoding by a tenth of a
// second.
constexpr std::uint64_t kStart = 2'000'000'000;  // ns
constexpr std::size_t kPollsAtStart = 15;
constexpr std::size_t kPolls = 8;
constexpr std::size_t kLargestAtStart = 40 * kMiB;
constexpr std::size_t kLargestImage = 32 * kMiB;
constexpr std::uint64_t kMostForTheRest = 1'000'000'000;  // ns
constexpr std::uint64_t kMostForAPoll = 50'000'000;
constexpr time_t kPatience = 10;  // s, for other devices to begin
constexpr std::size_t kSmallestHardwareBuffer = 32 * kMiB;

constexpr double kMetricsOfSmallest = 6;

// 32 MiB are enough for six metrics at 200 us; shorter intervals and more
// metrics need more. Longer intervals do not need less: the driver delays
// decoding while a program waits for a long kernel.
std::size_t HardwareBuffer(const SampleSettings& settings,
                           std::size_t largest) {
  const double times =
      std::max(1.0, static_cast<double>(kDefaultIntervalNs) /
                        static_cast<double>(settings.interval_ns)) *
      std::max(1.0, static_cast<double>(settings.count) / kMetricsOfSmallest);
  const double wanted = times * static_cast<double>(kSmallestHardwareBuffer);
  std::size_t size = kSmallestHardwareBuffer;
  while (static_cast<double>(size) < wanted && size < largest / 2) size *= 2;
  return size;
}

std::uint64_t Since(std::uint64_t moment) {
  return moment != 0 ? MonotonicNs() - moment : 0;
}

}  // namespace

std::uint32_t DeviceSampler::PollMs(const SampleSettings& settings) {
  if (settings.interval_ns >= 1'000'000) return 50;
  return settings.interval_ns >= 100'000 ? 20 : 5;
}

std::size_t DeviceSampler::SamplesPerPoll() const {
  return PollMs(settings()) * std::uint64_t{1'000'000} /
             settings().interval_ns +
         1;
}

// ---- Once a device ---------------------------------------------------------

bool DeviceSampler::ReadAvailability() {
  cupti::SamplingAvailability asked;
  asked.device = device_;
  cupti::Code code = (*functions_)(asked);
  if (code == cupti::kSuccess) {
    availability_ = MapPages(asked.size);
    if (availability_ == nullptr)
      return Fail("memory for the counters", cupti::kOutOfMemory);
    asked.image = availability_;
    code = (*functions_)(asked);
  }
  return code == cupti::kSuccess || Fail(asked.kFunction, code);
}

bool DeviceSampler::Prepare(const Tools& tools) {
  // The calls to CUPTI that belong to no device: one thread at a time.
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const LockWithin lock(mutex, kPatience);
  if (!lock.held()) {
    snprintf(reason_, sizeof reason_, "another GPU's sampling does not begin");
    return false;
  }
  hardware_buffer_ = HardwareBuffer(*tools.settings, kLargestHardwareBuffer);
  return FindChip(tools, device_) && ReadAvailability() &&
         (MakePass() || (DropOptional() && MakePass()));
}

// Metrics of NVLink are in a chip's list, and its devices refuse them where no
// link is connected: when the pass is made, or when the session is configured.
bool DeviceSampler::DropOptional() {
  if (settings().required == settings().count) return false;
  required_ = settings();
  required_.count = required_.required;
  Use(required_);
  return true;
}

bool DeviceSampler::MakePass() {
  if (!SetUp(cupti::ProfilerType::kPmSampling, availability_)) return false;
  if (passes() == 1) return true;
  snprintf(reason_, sizeof reason_,
           "these metrics take %zu passes on %s, and sampling has one: ask for "
           "fewer",
           passes(), chip());
  return false;
}

// ---- Once a session --------------------------------------------------------

bool DeviceSampler::Configure() {
  cupti::SamplingConfig set;
  set.object = object_;
  set.config_size = config_size();
  set.config = config();
  set.hardware_buffer = hardware_buffer_;
  set.interval = settings().interval_ns;
  set.trigger = cupti::kTriggerByTime;
  set.append = cupti::kKeepOldest;
  const cupti::Code code = (*functions_)(set);
  return code == cupti::kSuccess || Fail(set.kFunction, code);
}

// Room for the samples of several polls, so that a late poll loses none, within
// some MiB.
bool DeviceSampler::SizeImage(std::size_t& size) {
  cupti::SamplingImageSize asked;
  asked.object = object_;
  asked.metrics = metrics();
  asked.count = settings().count;
  const std::size_t largest = at_start_ ? kLargestAtStart : kLargestImage;
  std::size_t samples =
      SamplesPerPoll() * (at_start_ ? kPollsAtStart : kPolls) + 32;
  for (int attempt = 0; attempt < 2; ++attempt) {
    asked.samples = static_cast<std::uint32_t>(samples);
    const cupti::Code code = (*functions_)(asked);
    if (code != cupti::kSuccess) return Fail(asked.kFunction, code);
    if (asked.size <= largest) break;
    samples = std::max<std::size_t>(samples * largest / asked.size, 16);
  }
  most_samples_ = asked.samples;
  size = asked.size;
  return true;
}

bool DeviceSampler::NewImage() {
  std::size_t size = 0;
  cupti::SamplingImage begun;
  begun.object = object_;
  if (!SizeImage(size) || !MakeImage(*functions_, begun, size)) return false;
  populated_ = completed_ = read_ = 0;
  room_ = ImageRoom(SamplesPerPoll() / 2);
  return true;
}

bool DeviceSampler::OpenSession() {
  cupti::SamplingEnable enabled;
  enabled.device = device_;
  cupti::Code code = (*functions_)(enabled);
  if (code != cupti::kSuccess) return Fail(enabled.kFunction, code);
  object_ = enabled.object;
  at_start_ = true;
  began_ns_ = MonotonicNs();
  if (Configure() && NewImage()) {
    cupti::SamplingStart started;
    started.object = object_;
    code = (*functions_)(started);
    running_ = first_ = code == cupti::kSuccess;
    if (running_) return true;
    Fail(started.kFunction, code);
  }
  CloseSession(false);
  return false;
}

// False: the remaining samples cannot be read, and reason_ has the reason.
bool DeviceSampler::CloseSession(bool write_rest) {
  if (running_) {
    cupti::SamplingStop stopped;
    stopped.object = object_;
    (*functions_)(stopped);
    stopped_at_ = RealtimeNs();
  }
  running_ = false;
  const bool whole = !write_rest || !has_image() || WriteRest();
  if (object_ != nullptr) {
    cupti::SamplingDisable disabled;
    disabled.object = object_;
    (*functions_)(disabled);
  }
  object_ = nullptr;
  FreeImage();
  return whole;
}

bool DeviceSampler::Begin(const Tools& tools,
                          const SamplingFunctions& functions,
                          std::uint32_t device, std::uint64_t since) {
  const bool first = state_ == State::kNew;
  bool ready = true;
  if (first) {
    functions_ = &functions;
    device_ = device;
    ready = Prepare(tools);
  }
  ++begins_;
  ready = ready && (OpenSession() ||
                    (first && DropOptional() && MakePass() && OpenSession()));
  if (first)
    records_.Begin(device, ready ? settings() : *tools.settings, chip());
  if (!ready) {
    state_ = State::kFailed;
    records_.Stopped(Since(since), reason_);
    return false;
  }
  state_ = State::kSampling;
  if (!first) records_.ExpectGap(wire::SampleLoss::kNoContext);
  if (first) ReadFirst();
  if (state_ != State::kSampling) return false;
  records_.Started(Since(since));
  return true;
}

// The first decoding and evaluation take a hundred times as long, longer than
// an image has room for: they are done here, while the program waits anyway.
void DeviceSampler::ReadFirst() {
  const std::uint64_t begun = MonotonicNs();
  std::uint64_t polled = begun;
  while (state_ == State::kSampling && read_until_ == 0 &&
         MonotonicNs() - begun < kMostForTheFirst) {
    if (MonotonicNs() - polled < settings().interval_ns) continue;
    Poll();
    polled = MonotonicNs();
  }
}

void DeviceSampler::End(std::uint64_t since) {
  if (state_ != State::kSampling) return;
  const bool whole = CloseSession(true);
  state_ = whole ? State::kEnded : State::kFailed;
  records_.Stopped(Since(since), whole ? "" : reason_);
}

void DeviceSampler::Refuse(std::uint64_t since, const char* reason) {
  char kept[sizeof reason_];
  snprintf(kept, sizeof kept, "%s", reason);
  CloseSession(state_ == State::kSampling);
  memcpy(reason_, kept, sizeof reason_);
  state_ = State::kFailed;
  records_.Stopped(Since(since), reason_);
}

// ---- In every poll ---------------------------------------------------------

// `last`: sampling has ended, so that nothing is restarted. False: nothing was
// decoded.
bool DeviceSampler::Decode(bool last, std::int32_t& stop_reason) {
  auto decoded = OfImage<cupti::SamplingDecode>();
  decoded.object = object_;
  const cupti::Code code = (*functions_)(decoded);
  stop_reason = decoded.stop_reason;
  if (code == cupti::kSuccess && decoded.overflow == 0) return true;
  const bool overflow = code == cupti::kSuccess || code == cupti::kOutOfMemory;
  Fail(decoded.kFunction, code);
  if (overflow)
    snprintf(reason_, sizeof reason_, "the GPU's buffer of samples overflowed");
  if (last) {
    if (overflow) records_.LoseRest(wire::SampleLoss::kOverflow, stopped_at_);
    return false;
  }
  if (code == cupti::kSuccess && !WriteCompleted(MonotonicNs() + kMostForAPoll))
    return false;
  if (overflow) {
    Restart();
  } else {
    Refuse(0, reason_);
  }
  return false;
}

// Finds where to go on reading the image: behind the last sample read, or at
// the beginning if CUPTI has reset the image. SampleRecords drops samples that
// are read twice, by their times.
void DeviceSampler::FindPlace() {
  if (read_ == 0) return;
  auto info = OfImage<cupti::SampleInfo>();
  info.object = object_;
  info.index = read_ - 1;
  if (completed_ < read_ || (*functions_)(info) != cupti::kSuccess ||
      info.end != read_until_) {
    read_ = 0;
  }
}

bool DeviceSampler::WriteSample(std::size_t index) {
  auto info = OfImage<cupti::SampleInfo>();
  info.object = object_;
  info.index = index;
  cupti::Code code = (*functions_)(info);
  if (code != cupti::kSuccess) return Fail(info.kFunction, code);
  // The first sample of a session begins when the hardware was set up.
  const bool setup =
      first_ && info.end - info.start > 2 * settings().interval_ns;
  first_ = false;
  double values[SampleSettings::kMostMetrics] = {};
  code = Evaluate(index, values);
  if (code != cupti::kSuccess)
    return Fail(cupti::HostEvaluate::kFunction, code);
  if (!setup) records_.Add(info.start, info.end, values);
  read_until_ = info.end;
  return true;
}

// False: the samples cannot be read, and sampling has ended.
bool DeviceSampler::WriteCompleted(std::uint64_t deadline) {
  auto info = OfImage<cupti::SamplingImageInfo>();
  const cupti::Code code = (*functions_)(info);
  bool good = code == cupti::kSuccess;
  if (!good) Fail(info.kFunction, code);
  const std::size_t before = populated_;
  populated_ = std::min<std::size_t>(info.populated, most_samples_);
  if (populated_ > before) room_.Added(populated_ - before);
  completed_ = std::min(info.completed, populated_);
  if (good) FindPlace();
  while (good && read_ < completed_ && MonotonicNs() < deadline) {
    good = WriteSample(read_);
    ++read_;
  }
  // While the session is being closed, nothing is left to end.
  if (!good && running_) Refuse(0, reason_);
  return good;
}

void DeviceSampler::MakeRoom(std::int32_t stop_reason) {
  if (read_ < completed_) return;
  const bool all_read = read_ == populated_;
  const bool full = stop_reason == cupti::kImageFull ||
                    room_.MayFill(populated_, most_samples_);
  if (!full && (!all_read || populated_ < most_samples_ / 6)) return;
  if (full && (!all_read || stop_reason == cupti::kImageFull))
    records_.ExpectGap(wire::SampleLoss::kImageFull);
  ResetImage();
  populated_ = completed_ = read_ = 0;
}

bool DeviceSampler::Poll() {
  const std::uint64_t deadline = MonotonicNs() + kMostForAPoll;
  for (;;) {
    std::int32_t stop_reason = 0;
    if (state_ != State::kSampling || !Decode(false, stop_reason) ||
        !WriteCompleted(deadline))
      return false;
    MakeRoom(stop_reason);
    if (!Settle()) return false;
    const bool more = stop_reason == cupti::kImageFull || read_ < completed_;
    if (!more || MonotonicNs() >= deadline) return more;
  }
}

// Replaces the start's large image by a small one, once it is empty. False:
// there is no memory, and sampling has ended.
bool DeviceSampler::Settle() {
  if (!at_start_ || populated_ > 0 || MonotonicNs() - began_ns_ < kStart)
    return true;
  at_start_ = false;
  FreeImage();
  if (NewImage()) return true;
  Refuse(0, reason_);
  return false;
}

// After an overflow CUPTI decodes nothing more in that session.
void DeviceSampler::Restart() {
  if (restarted_) {
    return Refuse(0,
                  "the GPU's buffer of samples overflowed twice: they are not "
                  "decoded as fast as they come; sample less often");
  }
  restarted_ = true;
  CloseSession(false);
  hardware_buffer_ = std::min(hardware_buffer_ * 2, kLargestHardwareBuffer);
  records_.ExpectGap(wire::SampleLoss::kOverflow);
  if (!OpenSession()) Refuse(0, reason_);
}

// Writes the samples that were not decoded when sampling stopped, for a second
// at most.
bool DeviceSampler::WriteRest() {
  const std::uint64_t deadline = MonotonicNs() + kMostForTheRest;
  for (;;) {
    const std::uint64_t until = read_until_;
    std::int32_t stop_reason = 0;
    if (!Decode(true, stop_reason) || !WriteCompleted(deadline)) return false;
    if (MonotonicNs() >= deadline) {
      records_.LoseRest(wire::SampleLoss::kImageFull, stopped_at_);
      return true;
    }
    MakeRoom(stop_reason);
    if (stop_reason != cupti::kImageFull && read_until_ == until) return true;
  }
}

}  // namespace rangefinder::inject
