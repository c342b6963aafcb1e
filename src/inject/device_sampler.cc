#include "inject/device_sampler.h"

#include <algorithm>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "inject/clock.h"
#include "inject/counter_calls.h"

namespace rangefinder::inject {
namespace {

constexpr std::uint64_t kMostForTheFirst = 20'000'000;  // ns
constexpr std::size_t kMiB = 1024 * 1024;
// While a program starts, the driver may hold up a decoding for a tenth of a
// second.
constexpr std::uint64_t kStart = 2'000'000'000;  // ns
constexpr std::size_t kPollsAtStart = 15;
constexpr std::size_t kPolls = 8;
constexpr std::size_t kLargestAtStart = 40 * kMiB;
constexpr std::size_t kLargestImage = 32 * kMiB;
constexpr std::uint64_t kMostForTheRest = 1'000'000'000;  // ns
constexpr std::uint64_t kMostForAPoll = 50'000'000;

std::uint64_t Since(std::uint64_t moment) {
  return moment != 0 ? MonotonicNs() - moment : 0;
}

}  // namespace

std::uint32_t DeviceSampler::PollMs(const SampleSettings& settings) {
  if (settings.interval_ns >= 1'000'000) return 50;
  return settings.interval_ns >= 100'000 ? 20 : 5;
}

std::size_t DeviceSampler::SamplesPerPoll() const {
  const SampleSettings& settings = *tools_.settings;
  return PollMs(settings) * std::uint64_t{1'000'000} / settings.interval_ns + 1;
}

bool DeviceSampler::Fail(const char* step, cupti::Result result) {
  SayFailure(*tools_.cupti, step, result, "another process or profiler",
             reason_);
  return false;
}

// ---- Once a session --------------------------------------------------------

bool DeviceSampler::Configure() {
  auto config = Make<cupti::SamplingConfig>();
  config.object = object_;
  config.config_size = config_.size;
  config.config = config_.image;
  config.hardware_buffer = hardware_buffer_;
  config.interval = tools_.settings->interval_ns;
  config.trigger = cupti::kByTime;
  config.append = cupti::kKeepOldest;
  const cupti::Result result = tools_.counters->SetConfig(&config);
  return result == cupti::kSuccess || Fail("cuptiPmSamplingSetConfig", result);
}

// As many samples as come in some polls, so that one that comes late loses
// none, in some MiB.
bool DeviceSampler::SizeImages() {
  auto size = Make<cupti::CounterDataSize>();
  size.object = object_;
  size.names = const_cast<const char**>(tools_.settings->metrics);
  size.count = tools_.settings->count;
  const std::size_t largest = at_start_ ? kLargestAtStart : kLargestImage;
  std::size_t samples =
      SamplesPerPoll() * (at_start_ ? kPollsAtStart : kPolls) + 32;
  for (int attempt = 0; attempt < 2; ++attempt) {
    size.most_samples = static_cast<std::uint32_t>(samples);
    const cupti::Result result = tools_.counters->GetDataSize(&size);
    if (result != cupti::kSuccess)
      return Fail("cuptiPmSamplingGetCounterDataSize", result);
    if (size.data_size <= largest) break;
    samples = std::max<std::size_t>(samples * largest / size.data_size, 16);
  }
  most_samples_ = size.most_samples;
  image_size_ = size.data_size;
  return true;
}

bool DeviceSampler::MakeImages() {
  if (!SizeImages()) return false;
  image_ = Map(image_size_);
  pristine_ = Map(image_size_);
  if (image_ == nullptr || pristine_ == nullptr)
    return Fail("memory for samples", cupti::kOutOfMemory);
  auto begun = Make<cupti::CounterDataInitialize>();
  begun.object = object_;
  begun.data_size = image_size_;
  begun.data = pristine_;
  const cupti::Result result = tools_.counters->InitializeData(&begun);
  if (result != cupti::kSuccess)
    return Fail("cuptiPmSamplingCounterDataImageInitialize", result);
  memcpy(image_, pristine_, image_size_);
  populated_ = completed_ = read_ = 0;
  room_ = ImageRoom(SamplesPerPoll() / 2);
  return true;
}

bool DeviceSampler::OpenSession() {
  auto enabled = Make<cupti::SamplingEnable>();
  enabled.device = device_;
  cupti::Result result = tools_.counters->Enable(&enabled);
  if (result != cupti::kSuccess) return Fail("cuptiPmSamplingEnable", result);
  object_ = enabled.object;
  at_start_ = true;
  began_ns_ = MonotonicNs();
  if (Configure() && MakeImages()) {
    auto started = Make<cupti::SamplingObject>();
    started.object = object_;
    result = tools_.counters->Start(&started);
    running_ = first_ = result == cupti::kSuccess;
    if (running_) return true;
    Fail("cuptiPmSamplingStart", result);
  }
  CloseSession(false);
  return false;
}

// False: the rest cannot be read, and reason_ says why.
bool DeviceSampler::CloseSession(bool write_rest) {
  auto closed = Make<cupti::SamplingObject>();
  closed.object = object_;
  if (running_) tools_.counters->Stop(&closed);
  if (running_) stopped_at_ = RealtimeNs();
  running_ = false;
  const bool whole = !write_rest || image_ == nullptr || WriteRest();
  if (object_ != nullptr) tools_.counters->Disable(&closed);
  object_ = nullptr;
  FreeImages();
  return whole;
}

bool DeviceSampler::Begin(const SamplerTools& tools, std::uint32_t device,
                          std::uint64_t since) {
  const bool first = state_ == State::kNew;
  bool ready = true;
  if (first) {
    tools_ = tools;
    device_ = device;
    ready = Prepare();
    records_.Begin(device, *tools.settings, chip_);
  }
  ++begins_;
  if (!ready || !OpenSession()) {
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

// Decoding and evaluating take a hundred times as long the first time, which is
// more than an image holds: while the program waits anyway.
void DeviceSampler::ReadFirst() {
  const std::uint64_t begun = MonotonicNs();
  std::uint64_t polled = begun;
  while (state_ == State::kSampling && read_until_ == 0 &&
         MonotonicNs() - begun < kMostForTheFirst) {
    if (MonotonicNs() - polled < tools_.settings->interval_ns) continue;
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

// `last`: there is nothing to begin anew. False: nothing was decoded.
bool DeviceSampler::Decode(bool last, std::int32_t& stop_reason) {
  auto decoded = Make<cupti::DecodeData>();
  decoded.object = object_;
  decoded.data = image_;
  decoded.data_size = image_size_;
  const cupti::Result result = tools_.counters->Decode(&decoded);
  stop_reason = decoded.stop_reason;
  if (result == cupti::kSuccess && decoded.overflow == 0) return true;
  const bool overflow =
      result == cupti::kSuccess || result == cupti::kOutOfMemory;
  Fail(overflow ? "decoding after the GPU's buffer of samples overflowed"
                : "cuptiPmSamplingDecodeData",
       result);
  if (last) {
    if (overflow) records_.LoseRest(wire::SampleLoss::kOverflow, stopped_at_);
    return false;
  }
  if (result == cupti::kSuccess &&
      !WriteCompleted(MonotonicNs() + kMostForAPoll))
    return false;
  if (overflow) {
    Restart();
  } else {
    Refuse(0, reason_);
  }
  return false;
}

// Where the reading of an image goes on: where it ended, unless CUPTI has begun
// the image anew. What would be read twice is left out by its time.
void DeviceSampler::FindPlace() {
  if (read_ == 0) return;
  auto info = Make<cupti::SampleInfo>();
  info.object = object_;
  info.data = image_;
  info.data_size = image_size_;
  info.index = read_ - 1;
  if (completed_ < read_ ||
      tools_.counters->GetSampleInfo(&info) != cupti::kSuccess ||
      info.end != read_until_) {
    read_ = 0;
  }
}

bool DeviceSampler::WriteSample(std::size_t index) {
  auto info = Make<cupti::SampleInfo>();
  info.object = object_;
  info.data = image_;
  info.data_size = image_size_;
  info.index = index;
  cupti::Result result = tools_.counters->GetSampleInfo(&info);
  if (result != cupti::kSuccess)
    return Fail("cuptiPmSamplingCounterDataGetSampleInfo", result);
  // The first of a session reaches back to when the hardware was set up.
  const bool setup =
      first_ && info.end - info.start > 2 * tools_.settings->interval_ns;
  first_ = false;
  double values[SampleSettings::kMostMetrics] = {};
  auto evaluated = Make<cupti::Evaluate>();
  evaluated.host = host_;
  evaluated.data = image_;
  evaluated.data_size = image_size_;
  evaluated.index = index;
  evaluated.names = const_cast<const char**>(tools_.settings->metrics);
  evaluated.count = tools_.settings->count;
  evaluated.values = values;
  result = tools_.counters->Evaluate(&evaluated);
  if (result != cupti::kSuccess)
    return Fail("cuptiProfilerHostEvaluateToGpuValues", result);
  if (!setup) records_.Add(info.start, info.end, values);
  read_until_ = info.end;
  return true;
}

// False: the samples cannot be read, and sampling has ended.
bool DeviceSampler::WriteCompleted(std::uint64_t deadline) {
  auto info = Make<cupti::CounterDataInfo>();
  info.data = image_;
  info.data_size = image_size_;
  const cupti::Result result = tools_.counters->GetDataInfo(&info);
  bool good = result == cupti::kSuccess;
  if (!good) Fail("cuptiPmSamplingGetCounterDataInfo", result);
  const std::size_t before = populated_;
  populated_ = std::min<std::size_t>(info.populated, most_samples_);
  if (populated_ > before) room_.Added(populated_ - before);
  completed_ = std::min(info.completed, populated_);
  if (good) FindPlace();
  while (good && read_ < completed_ && MonotonicNs() < deadline) {
    good = WriteSample(read_);
    ++read_;
  }
  // While the session is being closed there is nothing more to end.
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
  memcpy(image_, pristine_, image_size_);
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

// From the start's large images to small ones, where nothing is in them. False:
// there is no memory for these, and sampling has ended.
bool DeviceSampler::Settle() {
  if (!at_start_ || populated_ > 0 || MonotonicNs() - began_ns_ < kStart)
    return true;
  at_start_ = false;
  FreeImages();
  if (MakeImages()) return true;
  Refuse(0, reason_);
  return false;
}

void DeviceSampler::FreeImages() {
  for (std::uint8_t** image : {&image_, &pristine_}) {
    if (*image != nullptr) munmap(*image, image_size_);
    *image = nullptr;
  }
}

// After an overflow nothing is decoded any more in that session.
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

// What was sampled and not decoded when sampling stopped; for a second at most.
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
