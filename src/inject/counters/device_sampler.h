// PM sampling of one device: CUPTI's calls in their order, and the handling of
// failures. Not thread-safe: sampling.cc holds the device's lock around each
// call.
//
//   availability, host object, metrics, configuration   once a device
//   enable, configure, images, start                    once a session
//   decode; add full images to the backlog              in every poll
//   stop, decode the rest, disable                      once a session
//
// An image has room for a number of samples, and every decoding adds samples.
// The last samples in it may be incomplete, since records come from many units
// of the GPU: the next decoding completes them, unless it fills another image.
// So the next image is taken when the last one has no incomplete sample, or
// when the next samples may not fit; samples lost by that appear as a gap.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cupti/sampling_abi.h"
#include "inject/counters/collector.h"
#include "inject/counters/sample_backlog.h"

namespace rangefinder::inject {

using SamplingFunctions = cupti::Functions<
    cupti::SamplingAvailability, cupti::SamplingEnable, cupti::SamplingDisable,
    cupti::SamplingConfig, cupti::SamplingStart, cupti::SamplingStop,
    cupti::SamplingImageSize, cupti::SamplingImage, cupti::SamplingDecode,
    cupti::SamplingImageInfo, cupti::SampleInfo>;

// Decides when an image of samples is given up. Incomplete samples are lost if
// the image is full before the decoding ends: on an H200 the last 40 to 90
// samples of 350, where otherwise at most one is incomplete. The number of new
// samples per decoding varies: decoding takes as long as the wait between two
// decodings, and the driver may delay it.
class ImageRoom {
 public:
  explicit constexpr ImageRoom(std::size_t least) : expected_(least) {}

  // A decoding added this number of samples.
  void Added(std::size_t samples) {
    expected_ = std::max(samples, expected_ - expected_ / 8);
  }
  // Whether the next decoding may fill an image of `most` samples that has
  // `populated`: it may add twice the recent maximum.
  bool MayFill(std::size_t populated, std::size_t most) const {
    return populated + 2 * expected_ > most;
  }

 private:
  std::size_t expected_;
};

class DeviceSampler : public Collector {
 public:
  enum class State {
    kNew,
    kSampling,
    kEnded,   // may begin again
    kFailed,  // for good; reason() has the reason
  };

  // The period of Poll().
  static std::uint32_t PollMs(const SampleSettings& settings);

  // Starts sampling. False: it is impossible, and the trace has the reason.
  // `since`, here and below: the monotonic time since which the program waits
  // for this call; 0: it does not wait.
  bool Begin(const Tools& tools, const SamplingFunctions& functions,
             std::uint32_t device, std::uint64_t since);
  // Decodes the available samples, for some 50 ms at most, since others wait
  // for the lock. True: there are more already.
  bool Poll();
  // Evaluates and writes decoded samples, for some 50 ms at most. Needs no
  // lock. False: none is left.
  bool WriteDecoded();
  // Stops, writes the remaining samples and releases the hardware: the program
  // ends, or destroys its contexts.
  void End(std::uint64_t since);
  // Ends sampling for good, with the reason.
  void Refuse(std::uint64_t since, const char* reason);
  // After End(), for the next trace: metrics and interval are read again.
  void Reset();

  State state() const { return state_; }
  std::uint32_t begins() const { return begins_; }

 private:
  bool Prepare(const Tools& tools);
  bool MakePass();
  bool DropOptional();
  bool ReadAvailability();
  bool OpenSession();
  void ReadFirst();
  bool Configure();
  bool NewImages();
  bool SizeImages(ImageSizes& sizes);
  bool CloseSession(bool decode_rest);
  bool Decode(std::int32_t& stop_reason, bool& overflow);
  bool ReadInfo();
  bool MakeRoom(std::int32_t stop_reason);
  bool HandOver(wire::SampleLoss after);
  bool CanWiden() const;
  bool LosesSamples();
  void Restart(wire::SampleLoss why);
  bool DecodeRest(std::uint64_t deadline, wire::SampleLoss& lost);
  std::size_t SamplesPerPoll() const;

  const SamplingFunctions* functions_ = nullptr;
  std::uint32_t device_ = 0;
  State state_ = State::kNew;
  SampleBacklog backlog_{};
  std::uint32_t begins_ = 0;
  std::uint64_t interval_ns_ = 0;
  bool restarted_ = false;  // after an overflow

  SampleSettings required_{};  // without optional metrics, once refused
  std::uint8_t* availability_ = nullptr;
  std::size_t hardware_buffer_ = 0;  // bytes, as the next
  std::size_t most_memory_ = 0;      // of the images

  void* object_ = nullptr;  // null: no session is open
  bool running_ = false;
  bool first_ = false;              // the session has no sample yet
  std::uint32_t most_samples_ = 0;  // an image's room
  // In the image that is decoded into; `populated` counts incomplete samples
  // too.
  std::size_t populated_ = 0, completed_ = 0;
  // Since the session began, or since the last look: the number of samples that
  // were handed over, the number of lost samples between them, and the end of
  // the last sample.
  std::size_t seen_ = 0, missing_ = 0;
  std::uint64_t seen_until_ = 0;
  bool at_start_ = false;  // there was no look yet
  // Why samples may be missing before the image.
  wire::SampleLoss before_ = wire::SampleLoss::kUnknown;
  ImageRoom room_{0};
  std::uint64_t stopped_at_ = 0;  // when the session's hardware was stopped
};

}  // namespace rangefinder::inject
