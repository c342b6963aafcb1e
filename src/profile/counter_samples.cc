#include "profile/counter_samples.h"

namespace rangefinder {

std::string_view SampleGapText(SampleGapReason reason) {
  switch (reason) {
    case SampleGapReason::kUnknown:
      break;
    case SampleGapReason::kImageFull:
      return "decoding fell behind";
    case SampleGapReason::kOverflow:
      return "the GPU's buffer overflowed";
    case SampleGapReason::kNoRoom:
      return "the trace had no room";
    case SampleGapReason::kNoContext:
      return "the program had no CUDA context";
    case SampleGapReason::kDamaged:
      return "a part of the trace is missing";
  }
  return "for an unknown reason";
}

}  // namespace rangefinder
