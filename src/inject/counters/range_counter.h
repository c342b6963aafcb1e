// The Range Profiler's object of one context: CUPTI's calls in an order that it
// survives, and what is done when one fails. Not thread-safe: counting.cc holds
// its lock around each call.
//
//   initialize, host object, metrics, configuration, enable, images    once
//   configure, start (each begins a pass), push and pop ..., stop, decode
//   disable                                                            once
//
// Ranges are flat. No range is pushed before a start or inside another, none is
// popped that was not pushed, and nothing is stopped with a range open; more
// ranges than the object was configured for would end the program, so they are
// counted here. Every instance has a name of its own and so values of its own,
// and the parts of one that is measured in pieces have the same name, which
// CUPTI adds up.

#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/range_abi.h"
#include "inject/counters/collector.h"
#include "inject/counters/count_plan.h"
#include "inject/counters/counter_records.h"

namespace rangefinder::inject {

using RangeFunctions =
    cupti::Functions<cupti::RangeEnable, cupti::RangeDisable,
                     cupti::RangeImageSize, cupti::RangeImage,
                     cupti::RangeConfig, cupti::RangeStart, cupti::RangeStop,
                     cupti::RangePush, cupti::RangePop, cupti::RangeDecode,
                     cupti::RangeImageInfo, cupti::RangeInfo>;

class RangeCounter : public Collector {
 public:
  enum class State {
    kNew,
    kStopped,  // between two passes
    kStarted,
    kOpen,  // started, with a range open
    kEnded,
    kFailed,  // reason() says why
  };

  // Everything up to the first start, and a range that nobody sees: what is
  // slow the first time is so in that. False: it cannot be done.
  bool Begin(const Tools& tools, const RangeFunctions& functions,
             CountPlan& plan, void* context, std::uint32_t device);
  // For so many pushes, and a new instance.
  bool HasRoom(std::uint32_t pushes) const;
  // A new instance's place until the next Cycle(); there is room.
  CountedInstance* Place(const CountedInstance& instance);
  // Opens a range, again where it was before. False: it failed, and all has
  // ended.
  bool Push(CountedInstance* instance);
  bool Pop();
  // Writes what was measured since the start, and starts again, where the
  // metrics take several passes with the next one. Instances keep no place.
  bool Cycle();
  // Writes what was measured and lets go of the hardware. An open range is
  // closed, and what it measured left out.
  void End();

  State state() const { return state_; }
  bool has_several_passes() const { return passes() > 1; }
  // When the first of the ranges was pushed that are not written yet, on the
  // monotonic clock; 0: there is none.
  std::uint64_t oldest_ns() const { return oldest_ns_; }

 private:
  template <typename Record>
  bool Call(Record& record);  // false: it failed, and why is in the reason
  template <typename Record>
  bool CallOnObject();
  bool Prepare(const Tools& tools);
  bool NewImage();
  bool Start();
  bool PushName(const char* name);
  bool Stop();
  bool Decode();
  bool WriteAll();
  void WriteOne(std::size_t index);
  void LetGo();

  const RangeFunctions* functions_ = nullptr;
  CountPlan* plan_ = nullptr;
  void* context_ = nullptr;
  std::uint32_t device_ = 0;
  State state_ = State::kNew;
  void* object_ = nullptr;

  std::uint32_t pass_ = 0;
  bool last_pass_ = false;    // the stop said so
  std::uint32_t pushes_ = 0;  // since the start
  std::uint32_t used_ = 0;    // of the instances
  std::uint64_t oldest_ns_ = 0;
  CountedInstance instances_[kMostRanges] = {};
};

}  // namespace rangefinder::inject
