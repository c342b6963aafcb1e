#include "inject/range_counter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "inject/clock.h"
#include "inject/counter_calls.h"
#include "inject/cupti_library.h"

namespace rangefinder::inject {
namespace {

constexpr char kWarmUp[] = "warm-up";

// Of the current context's device; 0: the driver does not say.
std::uint64_t FreeBytes() {
  using GetInfo = int(std::size_t*, std::size_t*);
  auto* get = reinterpret_cast<GetInfo*>(DriverFunction("cuMemGetInfo_v2"));
  std::size_t free_bytes = 0, total = 0;
  return get != nullptr && get(&free_bytes, &total) == 0 ? free_bytes : 0;
}

}  // namespace

bool RangeCounter::Fail(const char* step, cupti::Result result) {
  SayFailure(*tools_.cupti, step, result,
             "another process, profiler or context", reason_);
  return false;
}

// ---- Once ------------------------------------------------------------------

bool RangeCounter::MakeHost() {
  auto made = Make<cupti::HostInitialize>();
  made.profiler = cupti::kForRanges;
  made.chip = chip_;
  const cupti::Result result = tools_.host->HostInitialize(&made);
  host_ = made.host;
  return result == cupti::kSuccess ||
         Fail("cuptiProfilerHostInitialize", result);
}

cupti::Result RangeCounter::Add(const char* const* metrics, std::size_t count) {
  auto added = Make<cupti::AddMetrics>();
  added.host = host_;
  added.names = const_cast<const char**>(metrics);
  added.count = count;
  return tools_.host->AddMetrics(&added);
}

// CUPTI says that a metric is unknown, and not which: then one after the other.
bool RangeCounter::AddMetrics() {
  const SampleSettings& settings = *tools_.settings;
  cupti::Result result = Add(settings.metrics, settings.count);
  if (result == cupti::kSuccess) return true;
  Fail("cuptiProfilerHostConfigAddMetrics", result);
  for (std::size_t i = 0; i < settings.count; ++i) {
    if (!MakeHost()) return false;
    result = Add(&settings.metrics[i], 1);
    if (result == cupti::kSuccess) continue;
    const char* text = nullptr;
    tools_.cupti->GetResultString(result, &text);
    snprintf(reason_, sizeof reason_,
             "%s has no metric %.150s that can be counted (%s, %d)",
             *chip_ != '\0' ? chip_ : "the GPU", settings.metrics[i],
             text != nullptr ? text : "unknown error", result);
    return false;
  }
  return false;
}

bool RangeCounter::MakeConfig() {
  cupti::Result result = cupti::kSuccess;
  const char* failed = MakeCounterConfig(*tools_.host, host_, config_, result);
  passes_ = static_cast<std::uint32_t>(config_.passes);
  return failed == nullptr || Fail(failed, result);
}

bool RangeCounter::MakeImages() {
  auto size = Make<cupti::RangeDataSize>();
  size.object = object_;
  size.names = const_cast<const char**>(tools_.settings->metrics);
  size.count = tools_.settings->count;
  size.most_ranges = tools_.plan->ranges();
  size.tree_nodes = tools_.plan->ranges();
  cupti::Result result = tools_.ranges->GetDataSize(&size);
  if (result != cupti::kSuccess)
    return Fail("cuptiRangeProfilerGetCounterDataSize", result);
  image_size_ = size.data_size;
  image_ = Map(image_size_);
  pristine_ = Map(image_size_);
  if (image_ == nullptr || pristine_ == nullptr)
    return Fail("memory for counts", cupti::kOutOfMemory);
  auto begun = Make<cupti::RangeDataInitialize>();
  begun.object = object_;
  begun.data_size = image_size_;
  begun.data = pristine_;
  result = tools_.ranges->InitializeData(&begun);
  return result == cupti::kSuccess ||
         Fail("cuptiRangeProfilerCounterDataImageInitialize", result);
}

bool RangeCounter::Prepare() {
  auto begun = Make<cupti::ProfilerInitialize>();
  cupti::Result result = tools_.host->Initialize(&begun);
  if (result != cupti::kSuccess) return Fail("cuptiProfilerInitialize", result);
  auto chip = Make<cupti::ChipName>();
  chip.device = device_;
  result = tools_.host->GetChipName(&chip);
  if (result != cupti::kSuccess) return Fail("cuptiDeviceGetChipName", result);
  if (chip.name != nullptr) chip_ = chip.name;
  if (!MakeHost() || !AddMetrics() || !MakeConfig()) return false;
  auto enabled = Make<cupti::RangeEnable>();
  enabled.context = context_;
  result = tools_.ranges->Enable(&enabled);
  if (result != cupti::kSuccess)
    return Fail("cuptiRangeProfilerEnable", result);
  object_ = enabled.object;
  return MakeImages();
}

bool RangeCounter::Begin(const CounterTools& tools, void* context,
                         std::uint32_t device) {
  const std::uint64_t since = MonotonicNs();
  tools_ = tools;
  context_ = context;
  device_ = device;
  const std::uint64_t free_before = FreeBytes();
  const bool ready = Prepare() && Start() && PushName(kWarmUp) && Pop();
  oldest_ns_ = 0;
  const std::uint64_t free_after = FreeBytes();
  if (free_before > free_after) device_bytes_ = free_before - free_after;
  if (!ready) LetGo();
  CountRecords::Begin(*tools.settings, {.device = device,
                                        .chip = chip_,
                                        .passes = passes_,
                                        .ranges = tools.plan->ranges(),
                                        .device_bytes = device_bytes_});
  if (ready) CountRecords::Started(pass_, MonotonicNs() - since);
  return ready;
}

// ---- Passes ----------------------------------------------------------------

// The image as it was when it was new: an older one that were filled on would
// have means over passes.
bool RangeCounter::Start() {
  memcpy(image_, pristine_, image_size_);
  auto config = Make<cupti::RangeConfig>();
  config.object = object_;
  config.config_size = config_.size;
  config.config = config_.image;
  config.data_size = image_size_;
  config.data = image_;
  config.range = cupti::kUserRange;
  config.replay = cupti::kUserReplay;
  config.ranges_per_pass = tools_.plan->ranges();
  config.nesting_levels = 1;
  config.first_level = 1;
  config.pass = 0;  // CUPTI goes on by itself after the first start
  config.level = 1;
  cupti::Result result = tools_.ranges->SetConfig(&config);
  if (result != cupti::kSuccess)
    return Fail("cuptiRangeProfilerSetConfig", result);
  auto started = Make<cupti::RangeObject>();
  started.object = object_;
  result = tools_.ranges->Start(&started);
  if (result != cupti::kSuccess) return Fail("cuptiRangeProfilerStart", result);
  state_ = State::kStarted;
  pushes_ = used_ = 0;
  oldest_ns_ = 0;
  for (std::uint32_t row = 0; row < tools_.plan->rows(); ++row)
    tools_.plan->row(row).in_pass = 0;
  return true;
}

bool RangeCounter::Stop() {
  auto stopped = Make<cupti::RangeStop>();
  stopped.object = object_;
  const cupti::Result result = tools_.ranges->Stop(&stopped);
  state_ = State::kStopped;
  last_pass_ = stopped.all_passes != 0;
  return result == cupti::kSuccess || Fail("cuptiRangeProfilerStop", result);
}

bool RangeCounter::Decode() {
  auto decoded = Make<cupti::RangeDecode>();
  decoded.object = object_;
  const cupti::Result result = tools_.ranges->Decode(&decoded);
  if (result != cupti::kSuccess)
    return Fail("cuptiRangeProfilerDecodeData", result);
  return true;
}

void RangeCounter::WriteOne(std::size_t index) {
  auto info = Make<cupti::RangeInfo>();
  info.data = image_;
  info.data_size = image_size_;
  info.index = index;
  info.delimiter = "/";
  if (tools_.ranges->GetRangeInfo(&info) != cupti::kSuccess ||
      info.name == nullptr)
    return;
  // "row.place"; the first range is nobody's.
  const char* const dot = strchr(info.name, '.');
  const unsigned long place =
      dot != nullptr ? strtoul(dot + 1, nullptr, 10) : kMostRanges;
  if (place >= used_ || !instances_[place].valid) return;
  CountedInstance& instance = instances_[place];
  double values[SampleSettings::kMostMetrics] = {};
  auto evaluated = Make<cupti::Evaluate>();
  evaluated.host = host_;
  evaluated.data = image_;
  evaluated.data_size = image_size_;
  evaluated.index = index;
  evaluated.names = const_cast<const char**>(tools_.settings->metrics);
  evaluated.count = tools_.settings->count;
  evaluated.values = values;
  if (tools_.host->Evaluate(&evaluated) != cupti::kSuccess) return;
  instance.valid = false;  // written, or lost for another reason
  auto& row = tools_.plan->row(instance.row);
  if (!CountRecords::Counts(instance, pass_, values, evaluated.count))
    ++row.skipped[static_cast<std::size_t>(wire::CountSkip::kNoRoom)];
}

// What CUPTI has no values of, it dropped.
bool RangeCounter::WriteAll() {
  auto info = Make<cupti::RangeDataInfo>();
  info.data = image_;
  info.data_size = image_size_;
  const cupti::Result result = tools_.ranges->GetDataInfo(&info);
  if (result != cupti::kSuccess)
    return Fail("cuptiRangeProfilerGetCounterDataInfo", result);
  for (std::size_t i = 0; i < info.ranges; ++i) WriteOne(i);
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (!instances_[i].valid || !instances_[i].pushed) continue;
    ++tools_.plan->row(instances_[i].row)
          .skipped[static_cast<std::size_t>(wire::CountSkip::kDropped)];
  }
  CountRecords::Skipped(*tools_.plan);
  return true;
}

bool RangeCounter::Cycle() {
  const std::uint64_t since = MonotonicNs();
  if (state_ != State::kStarted || !Stop() || !Decode() || !WriteAll()) {
    LetGo();
    return false;
  }
  pass_ = last_pass_ ? 0 : pass_ + 1;
  if (!Start()) {
    LetGo();
    return false;
  }
  CountRecords::Started(pass_, MonotonicNs() - since);
  return true;
}

// ---- Ranges ----------------------------------------------------------------

bool RangeCounter::PushName(const char* name) {
  auto pushed = Make<cupti::RangePush>();
  pushed.object = object_;
  pushed.name = name;
  const cupti::Result result = tools_.ranges->Push(&pushed);
  if (result != cupti::kSuccess) {
    Fail("cuptiRangeProfilerPushRange", result);
    LetGo();
    return false;
  }
  ++pushes_;
  state_ = State::kOpen;
  if (oldest_ns_ == 0) oldest_ns_ = MonotonicNs();
  return true;
}

bool RangeCounter::HasRoom(std::uint32_t pushes) const {
  return pushes_ + pushes <= tools_.plan->ranges() && used_ < kMostRanges;
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
  auto popped = Make<cupti::RangeObject>();
  popped.object = object_;
  const cupti::Result result = tools_.ranges->Pop(&popped);
  state_ = State::kStarted;
  if (result == cupti::kSuccess) return true;
  Fail("cuptiRangeProfilerPopRange", result);
  LetGo();
  return false;
}

// ---- The end ---------------------------------------------------------------

void RangeCounter::LetGo() {
  auto object = Make<cupti::RangeObject>();
  object.object = object_;
  if (state_ == State::kOpen) tools_.ranges->Pop(&object);
  if (state_ == State::kOpen || state_ == State::kStarted) {
    auto stopped = Make<cupti::RangeStop>();
    stopped.object = object_;
    tools_.ranges->Stop(&stopped);
  }
  if (object_ != nullptr) tools_.ranges->Disable(&object);
  object_ = nullptr;
  state_ = State::kFailed;
}

void RangeCounter::End() {
  if (state_ == State::kOpen && !Pop()) return;
  if (state_ != State::kStarted) return;
  const bool whole = Stop() && Decode() && WriteAll();
  LetGo();
  if (whole) state_ = State::kEnded;
}

}  // namespace rangefinder::inject
