// The driver's calls that counting has to see: captures of streams, during
// which no range may begin or end, and resets of devices.

#pragma once

#include <cstdint>

#include "cupti/library.h"

namespace rangefinder::inject {

class WatchedCalls {
 public:
  enum class What : std::uint8_t {
    kNothing,
    kBeginCapture,
    kEndCapture,
    kResetDevice
  };

  // Subscribes to these calls, and to the destruction of contexts.
  void Watch(const cupti::ActivityFunctions& cupti,
             cupti::Subscriber subscriber);
  What operator[](std::uint32_t function) const {
    return function < cupti::kMaxFunctions ? what_[function] : What::kNothing;
  }

  // The stream of a capture, the device of a reset, and the result of a call.
  static void* StreamOf(const cupti::CallbackData* data);
  static std::int32_t DeviceOf(const cupti::CallbackData* data);
  static int ResultOf(const cupti::CallbackData* data);

 private:
  What what_[cupti::kMaxFunctions] = {};
};

}  // namespace rangefinder::inject
