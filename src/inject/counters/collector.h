// The common part of the collectors of samples and of ranges: CUPTI's host
// object for the metrics of one device, and the images that the hardware's
// counters are decoded into. Not thread-safe, but for Evaluate() and
// ResetImage(), which other threads may call for images that nobody else uses.

#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/host_abi.h"
#include "inject/counters/sample_settings.h"
#include "inject/gpu/programs_cupti.h"

namespace rangefinder::inject {

using HostFunctions = cupti::Functions<
    cupti::ProfilerInitialize, cupti::DeviceChipName, cupti::HostInitialize,
    cupti::HostDeinitialize, cupti::HostAddMetrics, cupti::HostConfigImageSize,
    cupti::HostConfigImage, cupti::HostPasses, cupti::HostEvaluate>;

class Collector {
 public:
  struct Tools {
    const ProgramsCupti* cupti = nullptr;
    const HostFunctions* host = nullptr;
    const SampleSettings* settings = nullptr;
  };

  // The reason of the last failure.
  const char* reason() const { return reason_; }
  const char* chip() const { return chip_; }  // empty: not known

  // The values of the metrics for the sample or range at `index` in an image.
  cupti::Code Evaluate(std::size_t number, std::size_t index,
                       double* values) const;
  void ResetImage(std::size_t number = 0);
  // The bytes behind an image, zeroed when they are mapped.
  std::uint8_t* BehindImage(std::size_t number) const {
    return Image(number) + extra_at_;
  }

 protected:
  struct ImageSizes {
    std::size_t size = 0;
    std::size_t extra = 0;
    std::size_t least = 1, most = 1;  // images
  };

  bool Fail(const char* step, cupti::Code code);
  // Calls CUPTI. False: the call failed, and reason() has the reason.
  template <typename Functions, typename Record>
  bool Call(const Functions& functions, Record& record) {
    const cupti::Code code = functions(record);
    return code == cupti::kSuccess || Fail(Record::kFunction, code);
  }

  // Called in this order, FindChip() once and SetUp() again where the metrics
  // have changed. SetUp() keeps the pointer to the device's available counters;
  // null: all counters of the chip.
  bool FindChip(const Tools& tools, std::uint32_t device);
  bool SetUp(cupti::ProfilerType type, const std::uint8_t* availability);
  // The configuration of the hardware for the metrics, and the number of their
  // passes.
  const std::uint8_t* config() const { return config_; }
  std::size_t config_size() const { return config_size_; }
  std::size_t passes() const { return passes_; }

  const SampleSettings& settings() const { return *tools_.settings; }
  // Borrows other settings from here on.
  void Use(const SampleSettings& settings) { tools_.settings = &settings; }
  const char** metrics() const {
    return const_cast<const char**>(settings().metrics);
  }

  // Maps a pristine image of `size` bytes, which CUPTI's function `initialize`
  // fills, and up to `most` images to use (fewer where memory is short, but
  // `least`), each with `extra` bytes behind it. ResetImage() has to come
  // before the first use of each.
  template <typename Functions, typename Initialize>
  bool MakeImages(const Functions& functions, Initialize initialize,
                  const ImageSizes& sizes) {
    initialize.image = MapImages(sizes);
    initialize.size = sizes.size;
    if (initialize.image == nullptr) return false;
    const bool made = Call(functions, initialize);
    if (!made) FreeImages();
    return made;
  }
  void FreeImages();
  std::size_t images() const { return images_; }
  // A record of a function that reads or fills an image.
  template <typename Record>
  Record OfImage(std::size_t number = 0) const {
    Record record;
    record.image = Image(number);
    record.size = image_size_;
    return record;
  }

  char reason_[256] = {};

 private:
  std::uint8_t* MapImages(const ImageSizes& sizes);  // null: no memory
  std::uint8_t* Image(std::size_t number) const {
    return pristine_ + (number + 1) * stride_;
  }
  bool MakeHost(void*& host);
  cupti::Code Add(void* host, const char** metrics, std::size_t count);
  bool AddMetrics();
  void NameBadMetric();
  bool MakeConfig();

  Tools tools_{};
  const char* chip_ = "";
  cupti::ProfilerType type_ = cupti::ProfilerType::kRange;
  const std::uint8_t* availability_ = nullptr;
  void* host_ = nullptr;
  std::uint8_t* config_ = nullptr;
  std::size_t config_size_ = 0;
  std::size_t passes_ = 1;
  std::uint8_t* pristine_ = nullptr;  // the other images follow
  std::size_t images_ = 0;            // without the pristine one
  std::size_t image_size_ = 0;
  std::size_t extra_at_ = 0;  // from the beginning of an image
  std::size_t stride_ = 0;    // of images
};

}  // namespace rangefinder::inject
