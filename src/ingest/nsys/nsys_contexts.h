// Finds the NVTX ranges that were open when each kernel was launched.

#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

// Nsight Systems' id of a thread: system, process and thread in one number.
struct GlobalThread {
  std::uint64_t id = 0;

  std::uint64_t process() const { return id & ~std::uint64_t{0xFFFFFF}; }
  std::uint64_t pid() const { return (id >> 24) & 0xFFFFFF; }
  std::uint64_t tid() const { return id & 0xFFFFFF; }
};

struct TracedRange {
  FrameKind kind = FrameKind::kPushPop;
  GlobalThread thread{};  // that opened it
  std::int64_t start = 0;
  std::int64_t end = 0;  // the range is closed from this moment on
  std::uint64_t domain = 0;
  NvtxRange range{};
};

struct TracedLaunch {
  MeasurementId measurement{};
  GlobalThread thread{};
  std::int64_t time = 0;
};

// The names of domains other than the default one, by process and number.
using DomainNames = std::map<std::pair<std::uint64_t, std::uint64_t>, StringId>;

// Counts of ranges that are not shown.
struct UnshownRanges {
  std::uint64_t open_at_no_launch = 0;
  std::uint64_t too_deep = 0;  // see range_depth.h
};

// Gives each launched measurement the ranges that were open at its launch: the
// push/pop ranges of its thread and the start/end ranges of its process. Equal
// contexts share one NvtxState.
UnshownRanges AttachContexts(Profile& profile, std::vector<TracedRange> ranges,
                             std::vector<TracedLaunch> launches,
                             const DomainNames& domains);

}  // namespace rangefinder
