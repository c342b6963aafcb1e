// The host interface of the CUPTI stand-in, which asks that of the samples or
// that of the ranges.

#include "cupti/errors.h"
#include "cupti/host_abi.h"

using namespace rangefinder::cupti;

extern "C" {

bool FakeHostIsOfRanges(const void* host);

// Declares both and defines a function that asks one of them.
#define OF_ONE(Name, Record, is_of_ranges)                      \
  Code ranges_##Name(Record*);                                  \
  Code samples_##Name(Record*);                                 \
  Code cupti##Name(Record* p) {                                 \
    return is_of_ranges ? ranges_##Name(p) : samples_##Name(p); \
  }
// The same, and it asks both.
#define OF_BOTH(Name, Record)                           \
  Code ranges_##Name(Record*);                          \
  Code samples_##Name(Record*);                         \
  Code cupti##Name(Record* p) {                         \
    const Code code = ranges_##Name(p);                 \
    return code != kSuccess ? code : samples_##Name(p); \
  }

OF_BOTH(ProfilerInitialize, ProfilerInitialize)
OF_BOTH(DeviceGetChipName, DeviceChipName)
OF_ONE(ProfilerHostInitialize, HostInitialize,
       p->profiler == ProfilerType::kRange)
OF_ONE(ProfilerHostDeinitialize, HostDeinitialize, FakeHostIsOfRanges(p->host))
OF_ONE(ProfilerHostConfigAddMetrics, HostAddMetrics,
       FakeHostIsOfRanges(p->host))
OF_ONE(ProfilerHostGetConfigImageSize, HostConfigImageSize,
       FakeHostIsOfRanges(p->host))
OF_ONE(ProfilerHostGetConfigImage, HostConfigImage, FakeHostIsOfRanges(p->host))
OF_ONE(ProfilerHostGetNumOfPasses, HostPasses, p->image[0] == 9)
OF_ONE(ProfilerHostEvaluateToGpuValues, HostEvaluate,
       FakeHostIsOfRanges(p->host))

}  // extern "C"
