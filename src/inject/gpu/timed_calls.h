// The calls of CUDA that CUPTI records with their start and end: calls that
// wait for the GPU, load code or change memory. They are rare, so their records
// cost little; launches are frequent, and our callback times them.
//
// A call of the runtime calls the driver, and both have a record. OuterCalls
// drops the driver's record if it means the same as the runtime's record around
// it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cupti/library.h"
#include "wire/timed_calls.h"

namespace rangefinder::inject {

// Calls that are timed although their names say neither wait, load nor
// allocate: they may take long, and are rare. Names without `cuda` or `cu`.
inline constexpr std::string_view kSlowCalls[] = {
    "CtxCreate",          "CtxDestroy",       "CtxSetLimit",
    "DevicePrimaryCtxRe",  // retain, release, reset
    "DeviceReset",        "DeviceSetLimit",   "GetDeviceProperties",
    "GraphDestroy",       "GraphExecDestroy", "GraphExecUpdate",
    "GraphUpload",        "GreenCtxCreate",   "GreenCtxDestroy",
    "InitDevice",         "MemAdvise",        "MemDiscardAndPrefetch",
    "MemGetInfo",         "MemPrefetch",      "StreamBeginCapture",
    "StreamCreate",       "StreamDestroy",    "StreamEndCapture",
};

// 0: calls of this name are not timed by CUPTI's records.
constexpr wire::TimedCall TimedCallOf(std::string_view name) {
  const wire::TimedCall kind = wire::TimedCallOf(name);
  const std::size_t prefix = name.starts_with("cuda") ? 4 : 2;
  const std::string_view rest = name.substr(prefix < name.size() ? prefix : 0);
  switch (kind) {
    case wire::TimedCall::kLoad:
      // Programs may ask for a function before every launch.
      return rest.starts_with("KernelGetFunction") ? wire::TimedCall{0} : kind;
    case wire::TimedCall::kAllocate:
    case wire::TimedCall::kSynchronise:
      return kind;
    case wire::TimedCall::kLaunch:
    case wire::TimedCall::kOther:
      for (const std::string_view slow : kSlowCalls) {
        if (rest.starts_with(slow)) return kind;
      }
  }
  return wire::TimedCall{0};
}

// The name that programs use: "cudaMemcpy" of "cudaMemcpy_ptds_v7000".
constexpr std::string_view NameOfCall(std::string_view name) {
  for (;;) {
    const std::size_t at = name.rfind('_');
    if (at == std::string_view::npos) return name;
    const std::string_view suffix = name.substr(at + 1);
    const bool version =
        suffix.size() > 1 && suffix[0] == 'v' &&
        suffix.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (!version && suffix != "ptsz" && suffix != "ptds") return name;
    name = name.substr(0, at);
  }
}

// The functions that are timed, by number.
class TimedCalls {
 public:
  void Choose(const cupti::ActivityFunctions& cupti) {
    for (const cupti::Domain domain : {cupti::kDriverApi, cupti::kRuntimeApi}) {
      cupti::ForEachFunction(cupti, domain,
                             [&](std::uint32_t id, const char* name) {
                               kinds_[domain == cupti::kRuntimeApi][id] =
                                   static_cast<std::uint8_t>(TimedCallOf(name));
                             });
    }
  }
  // Begins or ends the recording of these calls. A single function may be
  // refused; an error means that all functions of the driver or of the runtime
  // were.
  cupti::Code Enable(const cupti::ActivityFunctions& cupti, bool on) const {
    cupti::Code result = cupti::kSuccess;
    for (const bool runtime : {false, true}) {
      bool any = false;
      cupti::Code refused = cupti::kSuccess;
      for (std::uint32_t id = 1; id < cupti::kMaxFunctions; ++id) {
        if (kinds_[runtime][id] == 0) continue;
        const cupti::Code code = runtime
                                     ? cupti.ActivityEnableRuntimeApi(id, on)
                                     : cupti.ActivityEnableDriverApi(id, on);
        any = any || code == cupti::kSuccess;
        if (code != cupti::kSuccess) refused = code;
      }
      if (!any && refused != cupti::kSuccess) result = refused;
    }
    return result;
  }
  // 0: it is not timed.
  wire::TimedCall KindOf(cupti::Domain domain, std::uint32_t function) const {
    return wire::TimedCall{function < cupti::kMaxFunctions
                               ? kinds_[domain == cupti::kRuntimeApi][function]
                               : std::uint8_t{0}};
  }

 private:
  std::uint8_t kinds_[2][cupti::kMaxFunctions] = {};  // driver, runtime
};

// A record of a timed call.
struct RecordedCall {
  wire::TimedCall kind{};
  cupti::Domain domain{};
  std::uint32_t function = 0;
  std::uint32_t thread = 0;
  std::uint64_t start = 0, end = 0;  // ns
};

// Keeps the last driver call of each thread until it is known whether a runtime
// call of the same meaning was around it: the runtime call ends later, and so
// does its record. Threads that share a slot may lose that knowledge; no call
// is lost.
class OuterCalls {
 public:
  template <typename Write>
  void Add(const RecordedCall& call, Write write) {
    RecordedCall& kept = kept_[call.thread % kPlaces];
    const bool inside = call.domain == cupti::kRuntimeApi &&
                        kept.kind == call.kind && kept.thread == call.thread &&
                        kept.start >= call.start && kept.end <= call.end;
    if (kept.kind != wire::TimedCall{0} && !inside) write(kept);
    kept = {};
    if (call.domain == cupti::kRuntimeApi)
      write(call);
    else
      kept = call;
  }
  // Writes all calls that are kept.
  template <typename Write>
  void Release(Write write) {
    for (RecordedCall& kept : kept_) {
      if (kept.kind != wire::TimedCall{0}) write(kept);
      kept = {};
    }
  }

 private:
  static constexpr std::size_t kPlaces = 1024;
  RecordedCall kept_[kPlaces] = {};
};

}  // namespace rangefinder::inject
