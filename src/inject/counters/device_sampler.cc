#include "inject/counters/device_sampler.h"

#include <algorithm>
#include <atomic>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <time.h>

#include "inject/process/own_call.h"
#include "inject/process/own_memory.h"
#include "inject/trace/clock.h"
#include "inject/trace/recorder.h"

namespace rangefinder::inject {
namespace {

constexpr std::uint64_t kMs = 1'000'000;  // ns
constexpr std::uint64_t kMostForTheFirst = 20 * kMs;
constexpr std::size_t kMiB = 1024 * 1024;
// The room of an image, in polls. A call decodes all samples since the last
// call, and those for which the image has no room are lost. While a program
// launches without waiting, a call may take 0.3 s (an H200, 21 metrics every
// 400 us).
constexpr std::size_t kPolls = 24;
constexpr std::uint64_t kMostForTheRest = 1000 * kMs;
constexpr std::uint64_t kMostForAPoll = 50 * kMs;
constexpr time_t kPatience = 10;  // s, for other devices to begin
constexpr std::size_t kSmallestHardwareBuffer = 64 * kMiB;
constexpr std::size_t kLargestHardwareBuffer = 512 * kMiB;

constexpr double kMetricsOfSmallest = 6;

constexpr std::uint64_t kMostWidening = 8;
constexpr std::size_t kSamplesOfLook = 10'000;

// The memory of a device's images: of the first device, and of each other one.
constexpr std::uint64_t kMostMemory = 256 * kMiB;
constexpr std::uint64_t kMemoryOfOthers = 64 * kMiB;
// Images of the largest size in the memory, the pristine one included.
constexpr std::size_t kLargestImages = 4;
constexpr std::size_t kFewestImages = 2;  // one to decode into, one to evaluate
std::atomic<int> devices{0};

std::size_t MostMemory(bool is_first) {
  std::uint64_t most = is_first ? kMostMemory : kMemoryOfOthers;
  struct sysinfo machine;
  if (sysinfo(&machine) == 0)
    most = std::min<std::uint64_t>(
        most, std::uint64_t{machine.totalram} * machine.mem_unit / 32);
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    most = std::min<std::uint64_t>(most, limit.rlim_cur / 16);
  return most;
}

// 32 MiB were enough for six metrics at 200 us, and 128 MiB not for 21; shorter
// intervals and more metrics need more. Longer intervals do not need less: the
// driver delays decoding while a program waits for a long kernel. Setting up
// takes half a millisecond for each MiB, so the first session has half of the
// largest size at most.
std::size_t HardwareBuffer(const SampleSettings& settings) {
  const double times =
      std::max(1.0, static_cast<double>(kDefaultIntervalNs) /
                        static_cast<double>(settings.interval_ns)) *
      std::max(1.0, static_cast<double>(settings.count) / kMetricsOfSmallest);
  const double wanted = times * static_cast<double>(kSmallestHardwareBuffer);
  std::size_t size = kSmallestHardwareBuffer;
  while (static_cast<double>(size) < wanted &&
         size < kLargestHardwareBuffer / 2)
    size *= 2;
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
  return PollMs(settings()) * kMs / interval_ns_ + 1;
}

// ---- Once a device ---------------------------------------------------------

bool DeviceSampler::ReadAvailability() {
  cupti::SamplingAvailability asked;
  asked.device = device_;
  if (!Call(*functions_, asked)) return false;
  if (availability_ == nullptr)
    availability_ = static_cast<std::uint8_t*>(MapMemory(asked.size));
  if (availability_ == nullptr)
    return Fail("memory for the counters", cupti::kOutOfMemory);
  asked.image = availability_;
  return Call(*functions_, asked);
}

bool DeviceSampler::Prepare(const Tools& tools) {
  // The calls to CUPTI that belong to no device: one thread at a time.
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const LockWithin lock(mutex, kPatience);
  if (!lock.held()) {
    snprintf(reason_, sizeof reason_, "another GPU's sampling does not begin");
    return false;
  }
  interval_ns_ = tools.settings->interval_ns;
  hardware_buffer_ = HardwareBuffer(*tools.settings);
  if (most_memory_ == 0) most_memory_ = MostMemory(devices++ == 0);
  return FindChip(tools, device_) && ReadAvailability() &&
         (MakePass() || (DropOptional() && MakePass()));
}

// Metrics of NVLink are in a chip's list, but devices without a connected link
// refuse them: when the pass is made, or when the session is configured.
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
  set.interval = interval_ns_;
  for (;; hardware_buffer_ /= 2) {
    set.hardware_buffer = hardware_buffer_;
    const cupti::Code code = (*functions_)(set);
    if (code == cupti::kSuccess) return true;
    if (code != cupti::kOutOfMemory ||
        hardware_buffer_ <= kSmallestHardwareBuffer / 2)
      return Fail(set.kFunction, code);
  }
}

// An image has room for the samples of several polls, so that a late poll loses
// none, and there are as many images as the memory has room for.
bool DeviceSampler::SizeImages(ImageSizes& sizes) {
  cupti::SamplingImageSize asked;
  asked.object = object_;
  asked.metrics = metrics();
  asked.count = settings().count;
  std::size_t samples = SamplesPerPoll() * kPolls + 32;
  for (int attempt = 0; attempt < 2; ++attempt) {
    asked.samples = static_cast<std::uint32_t>(samples);
    if (!Call(*functions_, asked)) return false;
    sizes = {.size = asked.size,
             .extra = samples * sizeof(SampleTime),
             .least = kFewestImages};
    const std::size_t largest = most_memory_ / kLargestImages;
    if (sizes.size + sizes.extra <= largest) break;
    samples = std::max<std::size_t>(
        samples * largest / (sizes.size + sizes.extra), 16);
  }
  most_samples_ = asked.samples;
  const std::size_t fitting = most_memory_ / (sizes.size + sizes.extra);
  sizes.most = std::clamp(fitting, kFewestImages + 1,
                          SampleBacklog::kMostImages + 1) -
               1;  // the pristine one
  return true;
}

bool DeviceSampler::NewImages() {
  ImageSizes sizes;
  cupti::SamplingImage begun;
  begun.object = object_;
  if (!SizeImages(sizes) || !MakeImages(*functions_, begun, sizes))
    return false;
  backlog_.Begin(*this, images());
  backlog_.TakeImage();  // touching its memory takes time
  populated_ = completed_ = 0;
  seen_ = missing_ = 0;
  seen_until_ = 0;
  at_start_ = true;
  before_ = wire::SampleLoss::kUnknown;
  room_ = ImageRoom(SamplesPerPoll() / 2);
  return true;
}

bool DeviceSampler::OpenSession() {
  cupti::SamplingEnable enabled;
  enabled.device = device_;
  if (!Call(*functions_, enabled)) return false;
  object_ = enabled.object;
  if (Configure() && NewImages()) {
    cupti::SamplingStart started;
    started.object = object_;
    running_ = first_ = Call(*functions_, started);
    if (running_) return true;
  }
  CloseSession(false);
  return false;
}

// Writes the decoded samples, and with `decode_rest` the others too. False:
// some cannot be read, and reason_ has the reason.
bool DeviceSampler::CloseSession(bool decode_rest) {
  const std::uint64_t deadline = MonotonicNs() + kMostForTheRest;
  if (running_) {
    cupti::SamplingStop stopped;
    stopped.object = object_;
    (*functions_)(stopped);
    stopped_at_ = RealtimeNs();
  }
  running_ = false;
  bool whole = true;
  if (images() > 0 && object_ != nullptr) {
    auto lost = wire::SampleLoss::kUnknown;
    whole = !decode_rest || DecodeRest(deadline, lost);
    if (completed_ > 0 && !HandOver(lost)) whole = false;
    const bool all_written = backlog_.Finish(deadline);
    if (lost == wire::SampleLoss::kUnknown)
      lost = all_written ? before_ : wire::SampleLoss::kImageFull;
    if (backlog_.error() != cupti::kSuccess)
      whole = Fail(cupti::HostEvaluate::kFunction, backlog_.error());
    else if (lost != wire::SampleLoss::kUnknown && !backlog_.is_stuck())
      backlog_.records().LoseRest(lost, stopped_at_);
  }
  if (backlog_.is_stuck()) {
    whole = false;
    snprintf(reason_, sizeof reason_, "evaluating a sample does not end");
  }
  if (object_ != nullptr) {
    cupti::SamplingDisable disabled;
    disabled.object = object_;
    (*functions_)(disabled);
  }
  object_ = nullptr;
  if (!backlog_.is_stuck()) FreeImages();
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
    backlog_.records().Begin(device, ready ? settings() : *tools.settings,
                             chip());
  if (!ready) {
    state_ = State::kFailed;
    backlog_.records().Stopped(Since(since), reason_);
    return false;
  }
  state_ = State::kSampling;
  if (!first) backlog_.records().ExpectGap(wire::SampleLoss::kNoContext);
  if (first) ReadFirst();
  if (state_ != State::kSampling) return false;
  backlog_.records().Started(Since(since));
  return true;
}

// The first decoding and evaluation take a hundred times as long, longer than
// an image has room for: they are done here, while the program waits anyway.
void DeviceSampler::ReadFirst() {
  const std::uint64_t begun = MonotonicNs();
  std::uint64_t polled = begun;
  while (state_ == State::kSampling && completed_ == 0) {
    const std::uint64_t now = MonotonicNs();
    if (now - begun > kMostForTheFirst) return;
    if (now - polled < interval_ns_) continue;
    Poll();
    polled = MonotonicNs();
  }
  double values[SampleSettings::kMostMetrics] = {};
  if (state_ != State::kSampling) return;
  const cupti::Code code = Evaluate(backlog_.image(), 0, values);
  if (code == cupti::kSuccess) return;
  Fail(cupti::HostEvaluate::kFunction, code);
  Refuse(0, reason_);
}

void DeviceSampler::End(std::uint64_t since) {
  if (state_ != State::kSampling) return;
  const bool whole = CloseSession(true);
  state_ = whole ? State::kEnded : State::kFailed;
  backlog_.records().Stopped(Since(since), whole ? "" : reason_);
}

void DeviceSampler::Refuse(std::uint64_t since, const char* reason) {
  char kept[sizeof reason_];
  snprintf(kept, sizeof kept, "%s", reason);
  CloseSession(state_ == State::kSampling);
  memcpy(reason_, kept, sizeof reason_);
  state_ = State::kFailed;
  backlog_.records().Stopped(Since(since), reason_);
}

void DeviceSampler::Reset() {
  if (backlog_.is_stuck()) return;
  state_ = State::kNew;
  begins_ = 0;
  restarted_ = false;
}

// ---- In every poll ---------------------------------------------------------

// Decodes into the image and counts its samples. False: nothing more can be
// decoded, and reason_ has the reason.
bool DeviceSampler::Decode(std::int32_t& stop_reason, bool& overflow) {
  auto decoded = OfImage<cupti::SamplingDecode>(backlog_.image());
  decoded.object = object_;
  const cupti::Code code = (*functions_)(decoded);
  stop_reason = decoded.stop_reason;
  overflow = code == cupti::kOutOfMemory ||
             (code == cupti::kSuccess && decoded.overflow != 0);
  const bool good =
      code == cupti::kSuccess ? ReadInfo() : Fail(decoded.kFunction, code);
  if (overflow)
    snprintf(reason_, sizeof reason_, "the GPU's buffer of samples overflowed");
  return good && !overflow;
}

bool DeviceSampler::ReadInfo() {
  auto info = OfImage<cupti::SamplingImageInfo>(backlog_.image());
  if (!Call(*functions_, info)) return false;
  const std::size_t before = populated_;
  populated_ = std::min<std::size_t>(info.populated, most_samples_);
  if (populated_ > before) room_.Added(populated_ - before);
  completed_ = std::min(info.completed, populated_);
  return true;
}

// Adds the image with its complete samples to the backlog. `after`: why samples
// may be missing after them. False: their times cannot be read.
bool DeviceSampler::HandOver(wire::SampleLoss after) {
  for (std::size_t i = 0; i < completed_; ++i) {
    auto info = OfImage<cupti::SampleInfo>(backlog_.image());
    info.object = object_;
    info.index = i;
    if (!Call(*functions_, info)) return false;
    // The first sample of a session begins when the hardware was set up, and is
    // not written.
    const bool setup = first_ && info.end - info.start > 2 * interval_ns_;
    first_ = false;
    if (seen_until_ != 0 && info.start > seen_until_)
      missing_ += (info.start - seen_until_ + interval_ns_ / 2) / interval_ns_;
    seen_until_ = info.end;
    ++seen_;
    backlog_.times()[i] =
        setup ? SampleTime{} : SampleTime{info.start, info.end};
  }
  backlog_.Add(completed_, before_);
  before_ = after;
  populated_ = completed_ = 0;
  return true;
}

// Hands the image over, once it has enough samples. Resetting images takes time
// too: while evaluation is behind, they are filled further.
bool DeviceSampler::MakeRoom(std::int32_t stop_reason) {
  if (populated_ == 0) return true;
  const bool all = completed_ == populated_;
  const bool full = stop_reason == cupti::kImageFull ||
                    room_.MayFill(populated_, most_samples_);
  const std::size_t enough = most_samples_ / (backlog_.is_empty() ? 6 : 2);
  if (!full && (!all || populated_ < enough)) return true;
  const bool lost = full && (!all || stop_reason == cupti::kImageFull);
  return HandOver(lost ? wire::SampleLoss::kImageFull
                       : wire::SampleLoss::kUnknown);
}

bool DeviceSampler::Poll() {
  const std::uint64_t deadline = MonotonicNs() + kMostForAPoll;
  if (state_ == State::kSampling && backlog_.error() != cupti::kSuccess) {
    Fail(cupti::HostEvaluate::kFunction, backlog_.error());
    Refuse(0, reason_);
  }
  while (state_ == State::kSampling) {
    // Decoding waits for evaluation, and the GPU's buffer fills.
    if (!backlog_.TakeImage()) return true;
    std::int32_t stop_reason = 0;
    bool overflow = false;
    const std::uint64_t began = MonotonicNs();
    if (!Decode(stop_reason, overflow) || !MakeRoom(stop_reason)) {
      if (overflow) {
        Restart(wire::SampleLoss::kOverflow);
      } else {
        Refuse(0, reason_);
      }
      return false;
    }
    if (LosesSamples()) {
      Restart(wire::SampleLoss::kImageFull);
      return false;
    }
    const std::uint64_t now = MonotonicNs();
    if (now >= deadline || stop_reason != cupti::kImageFull)
      return stop_reason == cupti::kImageFull ||
             now - began >= PollMs(settings()) * kMs;
  }
  return false;
}

bool DeviceSampler::WriteDecoded() {
  return backlog_.Write(MonotonicNs() + kMostForAPoll);
}

bool DeviceSampler::CanWiden() const {
  return settings().widens &&
         interval_ns_ < kMostWidening * settings().interval_ns;
}

// Whether the interval is to be widened: more than 1 % of the samples were
// lost. The first look is not counted, since programs that start hold up
// decoding.
bool DeviceSampler::LosesSamples() {
  if (!CanWiden() || seen_ + missing_ < kSamplesOfLook) return false;
  const bool many = !at_start_ && missing_ * 100 > seen_ + missing_;
  at_start_ = false;
  seen_ = missing_ = 0;
  return many;
}

// Begins another session: with the largest buffer after the first overflow, as
// CUPTI decodes nothing more in a session that overflowed, else with twice the
// interval.
void DeviceSampler::Restart(wire::SampleLoss why) {
  const bool overflow = why == wire::SampleLoss::kOverflow;
  const bool widen = !overflow || restarted_;
  if (widen && !CanWiden()) {
    return Refuse(0,
                  "the GPU's buffer of samples overflowed twice: they are not "
                  "decoded as fast as they come; sample less often");
  }
  CloseSession(!overflow);
  // exit() does not wait for long: it must find no new session.
  if (backlog_.is_stuck() || ProgramEnds()) return End(0);
  if (widen) {
    interval_ns_ *= 2;
    backlog_.records().SetInterval(interval_ns_);
  } else {
    hardware_buffer_ = kLargestHardwareBuffer;
    restarted_ = true;
  }
  if (!OpenSession()) return Refuse(0, reason_);
  before_ = why;
}

// Decodes the samples that were not decoded when sampling stopped. False: they
// cannot be decoded. `lost`: why the last samples are missing, if they are.
bool DeviceSampler::DecodeRest(std::uint64_t deadline, wire::SampleLoss& lost) {
  for (bool more = true; more;) {
    if (!backlog_.TakeImage()) backlog_.Write(deadline);
    if (MonotonicNs() >= deadline || !backlog_.TakeImage()) {
      lost = wire::SampleLoss::kImageFull;
      return true;
    }
    const std::size_t before = populated_;
    std::int32_t stop_reason = 0;
    bool overflow = false;
    const bool decoded = Decode(stop_reason, overflow);
    if (overflow) lost = wire::SampleLoss::kOverflow;
    more = stop_reason == cupti::kImageFull || populated_ != before;
    if (!decoded || !MakeRoom(stop_reason)) return false;
  }
  return true;
}

}  // namespace rangefinder::inject
