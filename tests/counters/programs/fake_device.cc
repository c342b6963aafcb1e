// A stand-in for the driver (libcuda.so.1) and CUPTI in one, for what no test
// machine has on demand: a GPU that is busy, forbidden, crashing or hanging.
//
// FAKE_DEVICE says what it does: "well" (also when unset), "none" (no GPU),
// "idle" (nothing is measured), or FUNCTION=CODE, FUNCTION=crash,
// FUNCTION=hang. It keeps the order that CUPTI asks for: a call out of turn is
// 7, CUPTI_ERROR_INVALID_OPERATION.

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <unistd.h>

#include "cupti/errors.h"
#include "cupti/host_abi.h"
#include "cupti/range_abi.h"
#include "cupti/sampling_abi.h"

using namespace rangefinder::cupti;

namespace {

constexpr Code kOutOfTurn = 7;
constexpr std::size_t kImageBytes = 64;
constexpr std::size_t kSamples = 97;

const char* const kChips[] = {"GA100", "GH100"};
const char* const kCounters[] = {"dram__bytes_read", "sm__cycles_active"};
const char* const kSuffixes[] = {".avg", ".sum"};

int object;  // all handles point here
bool enabled = false;
bool configured = false;
bool started = false;
int open_ranges = 0;
int measured = 0;

std::string Wish() {
  const char* wish = std::getenv("FAKE_DEVICE");
  return wish != nullptr ? wish : "well";
}

// The failure that `function` shall return instead of its work; 0: none.
Code Told(const char* function) {
  const std::string wish = Wish();
  const std::size_t equals = wish.find('=');
  if (equals == std::string::npos || wish.substr(0, equals) != function)
    return kSuccess;
  const std::string what = wish.substr(equals + 1);
  if (what == "crash") ::raise(SIGSEGV);
  while (what == "hang") ::pause();
  return std::atoi(what.c_str());
}

template <typename Params>
Code Begin(const Params* params) {
  if (params->struct_size != Params::kSize) return 1;
  return Told(Params::kFunction);
}

// The same, for a step that has to come when `in_turn`.
template <typename Params>
Code BeginInTurn(const Params* params, bool in_turn) {
  const Code told = Begin(params);
  return told != kSuccess || in_turn ? told : kOutOfTurn;
}

}  // namespace

#define BEGIN(params) \
  if (const Code told = Begin(params); told != kSuccess) return told
#define IN_TURN(params, turn) \
  if (const Code told = BeginInTurn(params, turn); told != kSuccess) return told

extern "C" {

// ---- The driver ------------------------------------------------------------

int cuInit(unsigned) {
  return Wish() == "none" ? 100 : Told("cuInit");
}
int cuDriverGetVersion(int* version) {
  *version = 12080;
  return 0;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_UNKNOWN";
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 2;
  return 0;
}
int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}
int cuDeviceGetName(char* name, int size, int device) {
  std::strncpy(name, device == 0 ? "NVIDIA H200" : "NVIDIA A100",
               static_cast<std::size_t>(size));
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &object;
  return Told("cuDevicePrimaryCtxRetain");
}
int cuCtxSetCurrent(void*) {
  return 0;
}
int cuMemAlloc_v2(std::uint64_t* memory, std::size_t) {
  *memory = 1;
  return 0;
}
int cuMemsetD8_v2(std::uint64_t, unsigned char, std::size_t) {
  if (open_ranges == 1) ++measured;
  return 0;
}
int cuCtxSynchronize() {
  return 0;
}
int cuMemFree_v2(std::uint64_t) {
  return 0;
}

// ---- CUPTI: general, and its host interface --------------------------------

Code cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return kSuccess;
}
Code cuptiGetResultString(Code code, const char** text) {
  *text = code == kHardwareBusy             ? "CUPTI_ERROR_HARDWARE_BUSY"
          : code == kInsufficientPrivileges ? "CUPTI_ERROR_INSUFFICIENT_"
                                              "PRIVILEGES"
                                            : "CUPTI_ERROR_OTHER";
  return kSuccess;
}
Code cuptiProfilerInitialize(ProfilerInitialize* p) {
  return Begin(p);
}
Code cuptiProfilerDeviceSupported(DeviceSupported* p) {
  BEGIN(p);
  p->virtual_gpu = Wish() == "well" ? Support::kYes : Support::kDisabled;
  return kSuccess;
}
Code cuptiDeviceGetChipName(DeviceChipName* p) {
  BEGIN(p);
  p->chip = p->device == 0 ? "GH100" : "GA100";
  return kSuccess;
}
Code cuptiProfilerHostGetSupportedChips(HostSupportedChips* p) {
  BEGIN(p);
  p->chips = kChips;
  p->count = 2;
  return kSuccess;
}
Code cuptiProfilerHostInitialize(HostInitialize* p) {
  BEGIN(p);
  p->host = &object;
  return kSuccess;
}
Code cuptiProfilerHostDeinitialize(HostDeinitialize* p) {
  return Begin(p);
}
Code cuptiProfilerHostGetBaseMetrics(HostBaseMetrics* p) {
  BEGIN(p);
  p->names = const_cast<const char**>(kCounters);
  p->count = p->type == MetricType::kCounter ? 2 : 0;
  return kSuccess;
}
Code cuptiProfilerHostGetSubMetrics(HostSubMetrics* p) {
  BEGIN(p);
  p->names = const_cast<const char**>(kSuffixes);
  p->count = 2;
  return kSuccess;
}
Code cuptiProfilerHostConfigAddMetrics(HostAddMetrics* p) {
  BEGIN(p);
  for (std::size_t i = 0; i < p->count; ++i) {
    const std::string name = p->metrics[i];
    if (!name.starts_with("sm__cycles") && !name.starts_with("dram__bytes"))
      return 1;
  }
  return kSuccess;
}
Code cuptiProfilerHostGetConfigImageSize(HostConfigImageSize* p) {
  BEGIN(p);
  p->size = kImageBytes;
  return kSuccess;
}
Code cuptiProfilerHostGetConfigImage(HostConfigImage* p) {
  BEGIN(p);
  std::memset(p->image, 1, p->size);
  return kSuccess;
}
Code cuptiProfilerHostGetNumOfPasses(HostPasses* p) {
  BEGIN(p);
  p->passes = 1;
  return kSuccess;
}

// ---- PM sampling -----------------------------------------------------------

Code cuptiPmSamplingGetCounterAvailability(SamplingAvailability* p) {
  BEGIN(p);
  if (p->image == nullptr) p->size = kImageBytes;
  return kSuccess;
}
Code cuptiPmSamplingEnable(SamplingEnable* p) {
  BEGIN(p);
  enabled = true;
  p->object = &object;
  return kSuccess;
}
Code cuptiPmSamplingSetConfig(SamplingConfig* p) {
  IN_TURN(p, enabled && p->config_size == kImageBytes && p->config[0] == 1);
  configured = true;
  return kSuccess;
}
Code cuptiPmSamplingGetCounterDataSize(SamplingImageSize* p) {
  IN_TURN(p, enabled);
  p->size = kImageBytes;
  return kSuccess;
}
Code cuptiPmSamplingCounterDataImageInitialize(SamplingImage* p) {
  IN_TURN(p, enabled);
  return kSuccess;
}
Code cuptiPmSamplingStart(SamplingStart* p) {
  IN_TURN(p, configured && !started);
  started = true;
  return kSuccess;
}
Code cuptiPmSamplingStop(SamplingStop* p) {
  IN_TURN(p, started);
  started = false;
  return kSuccess;
}
Code cuptiPmSamplingDecodeData(SamplingDecode* p) {
  IN_TURN(p, configured && !started);
  return kSuccess;
}
Code cuptiPmSamplingGetCounterDataInfo(SamplingImageInfo* p) {
  BEGIN(p);
  p->completed = Wish() == "idle" ? 0 : kSamples;
  return kSuccess;
}
Code cuptiPmSamplingDisable(SamplingDisable* p) {
  IN_TURN(p, enabled && !started);
  enabled = false;
  return kSuccess;
}

// ---- The Range Profiler ----------------------------------------------------

Code cuptiRangeProfilerEnable(RangeEnable* p) {
  IN_TURN(p, p->context != nullptr);
  enabled = true;
  p->object = &object;
  return kSuccess;
}
Code cuptiRangeProfilerGetCounterDataSize(RangeImageSize* p) {
  IN_TURN(p, enabled);
  p->size = kImageBytes;
  return kSuccess;
}
Code cuptiRangeProfilerCounterDataImageInitialize(RangeImage* p) {
  IN_TURN(p, enabled);
  return kSuccess;
}
Code cuptiRangeProfilerSetConfig(RangeConfig* p) {
  IN_TURN(p, enabled && p->size == kImageBytes);
  configured = true;
  return kSuccess;
}
Code cuptiRangeProfilerStart(RangeStart* p) {
  IN_TURN(p, configured);
  started = true;
  return kSuccess;
}
Code cuptiRangeProfilerPushRange(RangePush* p) {
  IN_TURN(p, started);
  ++open_ranges;
  return kSuccess;
}
Code cuptiRangeProfilerPopRange(RangePop* p) {
  IN_TURN(p, open_ranges == 1);
  --open_ranges;
  return kSuccess;
}
Code cuptiRangeProfilerStop(RangeStop* p) {
  IN_TURN(p, started && open_ranges == 0);
  started = false;
  p->all_passes = 1;
  return kSuccess;
}
Code cuptiRangeProfilerDecodeData(RangeDecode* p) {
  return Begin(p);
}
Code cuptiRangeProfilerGetCounterDataInfo(RangeImageInfo* p) {
  BEGIN(p);
  p->ranges = Wish() == "idle" ? 0 : static_cast<std::size_t>(measured);
  return kSuccess;
}
Code cuptiRangeProfilerDisable(RangeDisable* p) {
  IN_TURN(p, enabled && !started);
  return kSuccess;
}

}  // extern "C"
