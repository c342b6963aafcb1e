// The Range Profiler's object of one context: CUPTI's calls in an order that
// CUPTI survives, and the handling of failures. Not thread-safe: counting.cc
// holds its lock around each call.
//
//   initialize, host object, metrics, configuration, enable, images    once
//   configure, start (each begins a pass), push and pop ..., stop, decode
//   disable                                                            once
//
// Ranges are flat. No range is pushed before a start or inside another range,
// only pushed ranges are popped, and a pass is stopped only without an open
// range. More ranges than the object was configured for would end the program,
// so pushes are counted here. Every instance has a name of its own, and so
// values of its own; the parts of an instance that is measured in pieces have
// the same name, and CUPTI adds them up.

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
    kFailed,  // reason() has the reason
  };

  // Does everything up to the first start, and measures one range of its own,
  // which absorbs the cost of the first use. False: counting is impossible.
  bool Begin(const Tools& tools, const RangeFunctions& functions,
             CountPlan& plan, void* context, std::uint32_t device);
  // Whether this pass has room for so many pushes and a new instance.
  bool HasRoom(std::uint32_t pushes) const;
  // Places a new instance until the next Cycle(). The caller has checked the
  // room.
  CountedInstance* Place(const CountedInstance& instance);
  // Opens a range for the instance, or a further one. False: it failed, and
  // counting has ended.
  bool Push(CountedInstance* instance);
  bool Pop();
  // Writes the counts since the start and starts again, with the next pass if
  // the metrics take several. Instances lose their places.
  bool Cycle();
  // Writes the counts and releases the hardware. An open range is closed
  // without its counts.
  void End();
  // Releases the hardware. Begin() may be called again.
  void Reset();

  State state() const { return state_; }
  bool has_several_passes() const { return passes() > 1; }
  // How long the last Cycle() took.
  std::uint64_t reading_ns() const { return reading_ns_; }

 private:
  template <typename Record>
  bool CallOnObject();
  bool Prepare(const Tools& tools);
  bool NewImage();
  bool Start();
  bool PushName(const char* name);
  bool Stop();
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
  bool last_pass_ = false;    // by the last Stop()
  std::uint32_t pushes_ = 0;  // since the start
  std::uint32_t used_ = 0;    // of the instances
  std::uint64_t reading_ns_ = 0;
  CountedInstance instances_[kMostRanges] = {};
};

}  // namespace rangefinder::inject
