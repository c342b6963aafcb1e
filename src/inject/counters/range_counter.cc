#include "inject/counters/range_counter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject/trace/clock.h"
#include "inject/trace/recorder.h"

namespace rangefinder::inject {
namespace {

constexpr char kWarmUp[] = "warm-up";

// Free memory of the current context's device; 0: the driver does not say.
std::uint64_t FreeBytes() {
  auto* get =
      cupti::DriverFunction<int(std::size_t*, std::size_t*)>("cuMemGetInfo_v2");
  std::size_t free_bytes = 0, total = 0;
  return get != nullptr && get(&free_bytes, &total) == 0 ? free_bytes : 0;
}

}  // namespace

template <typename Record>
bool RangeCounter::CallOnObject() {
  Record record;
  record.object = object_;
  return Call(*functions_, record);
}

// ---- Once ------------------------------------------------------------------

bool RangeCounter::NewImage() {
  cupti::RangeImageSize size;
  size.object = object_;
  size.metrics = metrics();
  size.count = settings().count;
  size.ranges = plan_->ranges();
  size.tree_nodes = plan_->ranges();
  cupti::RangeImage begun;
  begun.object = object_;
  return Call(*functions_, size) &&
         MakeImages(*functions_, begun, {.size = size.size});
}

bool RangeCounter::Prepare(const Tools& tools) {
  if (!FindChip(tools, device_) || !SetUp(cupti::ProfilerType::kRange, nullptr))
    return false;
  cupti::RangeEnable enabled;
  enabled.context = context_;
  if (!Call(*functions_, enabled)) return false;
  object_ = enabled.object;
  return NewImage();
}

bool RangeCounter::Begin(const Tools& tools, const RangeFunctions& functions,
                         CountPlan& plan, void* context, std::uint32_t device) {
  const std::uint64_t since = MonotonicNs();
  functions_ = &functions;
  plan_ = &plan;
  context_ = context;
  device_ = device;
  const std::uint64_t free_before = FreeBytes();
  const bool ready = Prepare(tools) && Start() && PushName(kWarmUp) && Pop();
  const std::uint64_t free_after = FreeBytes();
  if (!ready) LetGo();
  CountRecords::Begin(
      *tools.settings,
      {.device = device,
       .chip = chip(),
       .passes = static_cast<std::uint32_t>(passes()),
       .ranges = plan.ranges(),
       .device_bytes =
           free_before > free_after ? free_before - free_after : 0});
  if (ready) CountRecords::Started(pass_, MonotonicNs() - since);
  return ready;
}

// ---- Passes ----------------------------------------------------------------

// Starts with a pristine image: in an image that CUPTI goes on filling, values
// are means over passes.
bool RangeCounter::Start() {
  ResetImage();
  auto set = OfImage<cupti::RangeConfig>();
  set.object = object_;
  set.config_size = config_size();
  set.config = config();
  set.ranges_per_pass = plan_->ranges();
  set.pass = 0;  // CUPTI goes on by itself after the first start
  if (!Call(*functions_, set) || !CallOnObject<cupti::RangeStart>())
    return false;
  state_ = State::kStarted;
  pushes_ = used_ = 0;
  for (std::uint32_t row = 0; row < plan_->rows(); ++row)
    plan_->row(row).in_pass = 0;
  return true;
}

bool RangeCounter::Stop() {
  cupti::RangeStop stopped;
  stopped.object = object_;
  const bool good = Call(*functions_, stopped);
  state_ = State::kStopped;
  last_pass_ = stopped.all_passes != 0;
  return good;
}

void RangeCounter::WriteOne(std::size_t index) {
  auto info = OfImage<cupti::RangeInfo>();
  info.index = index;
  info.delimiter = "/";
  if ((*functions_)(info) != cupti::kSuccess || info.name == nullptr) return;
  // The name is "row.place"; the first range, the warm-up, has no instance.
  const char* const dot = strchr(info.name, '.');
  const unsigned long place =
      dot != nullptr ? strtoul(dot + 1, nullptr, 10) : kMostRanges;
  if (place >= used_ || !instances_[place].valid) return;
  CountedInstance& instance = instances_[place];
  double values[SampleSettings::kMostMetrics] = {};
  if (Evaluate(0, index, values) != cupti::kSuccess) return;
  instance.valid = false;  // written, or lost for another reason
  auto& row = plan_->row(instance.row);
  if (!CountRecords::Counts(instance, pass_, values, settings().count))
    row.Skip(wire::CountSkip::kNoRoom);
}

// CUPTI dropped the ranges that have no values.
bool RangeCounter::WriteAll() {
  auto info = OfImage<cupti::RangeImageInfo>();
  if (!Call(*functions_, info)) return false;
  for (std::size_t i = 0; i < info.ranges; ++i) WriteOne(i);
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (instances_[i].valid && instances_[i].pushed)
      plan_->row(instances_[i].row).Skip(wire::CountSkip::kDropped);
  }
  CountRecords::Skipped(*plan_);
  File().live().unread = 0;
  return true;
}

bool RangeCounter::Cycle() {
  const std::uint64_t since = MonotonicNs();
  if (state_ != State::kStarted || !Stop() ||
      !CallOnObject<cupti::RangeDecode>() || !WriteAll()) {
    LetGo();
    return false;
  }
  pass_ = last_pass_ ? 0 : pass_ + 1;
  if (!Start()) {
    LetGo();
    return false;
  }
  reading_ns_ = MonotonicNs() - since;
  CountRecords::Started(pass_, reading_ns_);
  return true;
}

// ---- Ranges ----------------------------------------------------------------

bool RangeCounter::PushName(const char* name) {
  cupti::RangePush pushed;
  pushed.object = object_;
  pushed.name = name;
  if (!Call(*functions_, pushed)) {
    LetGo();
    return false;
  }
  ++pushes_;
  state_ = State::kOpen;
  return true;
}

bool RangeCounter::HasRoom(std::uint32_t pushes) const {
  return pushes_ + pushes <= plan_->ranges() && used_ < kMostRanges;
}

CountedInstance* RangeCounter::Place(const CountedInstance& instance) {
  instances_[used_] = instance;
  instances_[used_].pushed = false;
  return &instances_[used_++];
}

bool RangeCounter::Push(CountedInstance* instance) {
  if (state_ != State::kStarted) return false;
  char name[40];
  snprintf(name, sizeof name, "%u.%td", instance->row, instance - instances_);
  instance->pushed = true;
  return PushName(name);
}

bool RangeCounter::Pop() {
  if (state_ != State::kOpen) return false;
  const bool good = CallOnObject<cupti::RangePop>();
  state_ = State::kStarted;
  if (good) return true;
  LetGo();
  return false;
}

// ---- The end ---------------------------------------------------------------

// Keeps the reason of the failure that led here.
void RangeCounter::LetGo() {
  const auto call = [this](auto record) {
    record.object = object_;
    (*functions_)(record);
  };
  if (state_ == State::kOpen) call(cupti::RangePop());
  if (state_ == State::kOpen || state_ == State::kStarted)
    call(cupti::RangeStop());
  if (object_ != nullptr) call(cupti::RangeDisable());
  object_ = nullptr;
  state_ = State::kFailed;
}

void RangeCounter::End() {
  if (state_ == State::kOpen && !Pop()) return;
  if (state_ != State::kStarted) return;
  const bool whole = Stop() && CallOnObject<cupti::RangeDecode>() && WriteAll();
  LetGo();
  if (whole) state_ = State::kEnded;
}

void RangeCounter::Reset() {
  LetGo();
  FreeImages();
  state_ = State::kNew;
  pass_ = 0;
  last_pass_ = false;
  reading_ns_ = 0;
}

}  // namespace rangefinder::inject
