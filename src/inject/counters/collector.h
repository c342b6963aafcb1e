// The common part of the collectors of samples and of ranges: CUPTI's host
// object for the metrics of one device, and the image that the hardware's
// counters are decoded into. Not thread-safe.

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

// Zeroed pages; null where there are none.
std::uint8_t* MapPages(std::size_t size);

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

 protected:
  bool Fail(const char* step, cupti::Code code);

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

  // Maps an image of `size` bytes and a pristine copy, which CUPTI's function
  // `initialize` fills and ResetImage() copies over the image.
  template <typename Functions, typename Initialize>
  bool MakeImage(const Functions& functions, Initialize initialize,
                 std::size_t size) {
    initialize.image = MapImage(size);
    initialize.size = size;
    if (initialize.image == nullptr) return false;
    const cupti::Code code = functions(initialize);
    if (code != cupti::kSuccess) {
      FreeImage();
      return Fail(Initialize::kFunction, code);
    }
    ResetImage();
    return true;
  }
  void ResetImage();
  void FreeImage();
  bool has_image() const { return image_ != nullptr; }
  // A record of a function that reads or fills the image.
  template <typename Record>
  Record OfImage() const {
    Record record;
    record.image = image_;
    record.size = image_size_;
    return record;
  }
  // The values of the metrics for the sample or range at `index` in the image.
  cupti::Code Evaluate(std::size_t index, double* values) const;

  char reason_[256] = {};

 private:
  std::uint8_t* MapImage(
      std::size_t size);  // the pristine copy; null: no memory
  bool MakeHost(void*& host);
  cupti::Code Add(void* host, const char** metrics, std::size_t count);
  bool AddMetrics();
  bool NameBadMetric();
  bool MakeConfig();

  Tools tools_{};
  const char* chip_ = "";
  cupti::ProfilerType type_ = cupti::ProfilerType::kRange;
  const std::uint8_t* availability_ = nullptr;
  void* host_ = nullptr;
  std::uint8_t* config_ = nullptr;  // pages that are never given back
  std::size_t config_size_ = 0;
  std::size_t passes_ = 1;
  std::uint8_t* image_ = nullptr;
  std::uint8_t* pristine_ = nullptr;
  std::size_t image_size_ = 0;
};

}  // namespace rangefinder::inject
