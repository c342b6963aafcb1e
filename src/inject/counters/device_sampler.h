// PM sampling of one device: CUPTI's calls in their order, and the handling of
// failures. Not thread-safe: sampling.cc holds the device's lock around each
// call.
//
//   availability, host object, metrics, configuration   once a device
//   enable, configure, image, start                     once a session
//   decode, evaluate, write                             in every poll
//   stop, decode the rest, disable                      once a session
//
// An image has room for a number of samples, and every decoding adds samples.
// The last samples in it may be incomplete, since records come from many units
// of the GPU: the next decoding completes them, unless a reset discards them.
// So an image is reset when it has no incomplete sample, or when the next
// samples may not fit; samples lost by a reset appear as a gap.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cupti/sampling_abi.h"
#include "inject/counters/collector.h"
#include "inject/counters/counter_records.h"

namespace rangefinder::inject {

using SamplingFunctions = cupti::Functions<
    cupti::SamplingAvailability, cupti::SamplingEnable, cupti::SamplingDisable,
    cupti::SamplingConfig, cupti::SamplingStart, cupti::SamplingStop,
    cupti::SamplingImageSize, cupti::SamplingImage, cupti::SamplingDecode,
    cupti::SamplingImageInfo, cupti::SampleInfo>;

// Decides when an image of samples is reset. Incomplete samples are lost if the
// image is full before the decoding ends: on an H200 the last 40 to 90 samples
// of 350, where otherwise at most one is incomplete. The number of new samples
// per decoding varies: decoding takes as long as the wait between two
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
  // Writes the available samples, for some 50 ms at most, since others wait for
  // the lock. True: there are more.
  bool Poll();
  // Stops, writes the remaining samples and releases the hardware: the program
  // ends, or destroys its contexts.
  void End(std::uint64_t since);
  // The same for good, with the reason.
  void Refuse(std::uint64_t since, const char* reason);

  State state() const { return state_; }
  std::uint32_t begins() const { return begins_; }

 private:
  static constexpr std::size_t kLargestHardwareBuffer = std::size_t{512} << 20;

  bool Prepare(const Tools& tools);
  bool MakePass();
  bool DropOptional();
  bool ReadAvailability();
  bool OpenSession();
  void ReadFirst();
  bool Configure();
  bool NewImage();
  bool SizeImage(std::size_t& size);
  bool CloseSession(bool write_rest);
  bool Decode(bool last, std::int32_t& stop_reason);
  bool WriteCompleted(std::uint64_t deadline);
  bool WriteSample(std::size_t index);
  void FindPlace();
  void MakeRoom(std::int32_t stop_reason);
  bool Settle();
  void Restart();
  bool WriteRest();
  std::size_t SamplesPerPoll() const;

  const SamplingFunctions* functions_ = nullptr;
  std::uint32_t device_ = 0;
  State state_ = State::kNew;
  SampleRecords records_{};
  std::uint32_t begins_ = 0;
  bool restarted_ = false;  // after an overflow

  SampleSettings required_{};  // without optional metrics, once refused
  std::uint8_t* availability_ = nullptr;
  std::size_t hardware_buffer_ = 0;

  void* object_ = nullptr;  // null: no session is open
  bool running_ = false;
  bool at_start_ = false;  // the session began a moment ago
  std::uint64_t began_ns_ = 0;
  bool first_ = false;              // no sample of the session has been read
  std::uint32_t most_samples_ = 0;  // the image's room
  std::size_t populated_ = 0;       // in the image, incomplete ones too
  std::size_t completed_ = 0;       // in the image, complete
  std::size_t read_ = 0;            // in the image, written to the trace
  ImageRoom room_{0};
  std::uint64_t read_until_ = 0;  // the end of the last sample read
  std::uint64_t stopped_at_ = 0;  // when the session's hardware was stopped
};

}  // namespace rangefinder::inject
