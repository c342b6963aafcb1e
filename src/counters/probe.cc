#include "counters/probe.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "counters/counter_host.h"
#include "counters/cuda_driver.h"
#include "counters/cupti_library.h"
#include "cupti/host_abi.h"
#include "cupti/range_abi.h"
#include "cupti/sampling_abi.h"

namespace rangefinder {
namespace {

using Names = std::vector<std::string>;

constexpr std::uint64_t kIntervalNs = 200'000;
constexpr std::uint64_t kIntervalCycles = 200'000;
constexpr std::uint32_t kMostSamples = 1024;
constexpr std::size_t kHardwareBuffer = 16U << 20U;
constexpr std::chrono::milliseconds kSampled{30};
constexpr std::size_t kRanges = 2;

// The lines of the child: the function that it is about to call, a failure, and
// the result.
constexpr std::string_view kStep = "step\t";
constexpr std::string_view kProbeFailed = "failed\t";  // code, text
constexpr std::string_view kError = "error\t";
constexpr std::string_view kNoCupti = "nocupti\t";
constexpr std::string_view kRemark = "remark\t";
constexpr std::string_view kWorks = "works\t";

constexpr cupti::Trouble kUnknown{
    .why = "CUPTI gives no further reason",
    .fix = "look for the GPU's errors in nvidia-smi and the kernel's log"};

// A device, CUPTI, and the channel to the parent, which is told about every
// call.
struct Trial {
  const Say& say;
  const CudaDriver& driver;
  const CuptiLibrary& library;
  int device = 0;
  std::string chip{};

  template <typename Params>
  Status Call(Params& params) const {
    say(fmt::format("{}{}\n", kStep, Params::kFunction));
    const cupti::Code code = library.Call(params);
    if (code == cupti::kSuccess) return Ok();
    say(fmt::format("{}{}\t{}\n", kProbeFailed, code, library.Name(code)));
    return Error(ErrorCode::kProfiler, "");
  }
  template <typename Params>
  Status CallOn(void* object) const {
    Params params;
    params.object = object;
    return Call(params);
  }
};

// The first two of the usual metrics that this chip has in this mode.
Result<Names> MetricsOf(const Trial& trial, CounterMode mode) {
  const CounterHost host =
      TRY(CounterHost::Open(trial.library, trial.chip, mode));
  Names metrics;
  for (const char* name : {"sm__cycles_active.avg", "dram__bytes_read.sum",
                           "lts__t_sectors.sum", "sm__inst_executed.sum"}) {
    Names more = metrics;
    more.emplace_back(name);
    const auto passes = host.Passes(more);
    if (passes.ok() && passes.value() == 1) metrics = std::move(more);
    if (metrics.size() == 2) break;
  }
  if (!metrics.empty()) return metrics;
  return Error(
      ErrorCode::kProfiler,
      fmt::format("CUPTI has none of the usual metrics for {}", trial.chip));
}

std::vector<const char*> Pointers(const Names& names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

// Says what CUPTI reports of the configuration, before the trial.
void SaySupport(const Trial& trial, CounterMode mode) {
  cupti::DeviceSupported support;
  support.device = trial.device;
  support.api = mode == CounterMode::kSample ? cupti::kApiOfSampling
                                             : cupti::kApiOfRanges;
  if (trial.library.Call(support) != cupti::kSuccess) return;
  const auto say = [&](cupti::Support level, std::string_view what) {
    if (level == cupti::Support::kNo || level == cupti::Support::kDisabled)
      trial.say(fmt::format("{}CUPTI says that {}\n", kRemark, what));
  };
  say(support.architecture, "GPUs this old are not supported");
  say(support.sli, "SLI prevents profiling");
  say(support.virtual_gpu, "profiling is not enabled for this virtual GPU");
  say(support.confidential_computing,
      "confidential computing prevents profiling");
  say(support.mining, "mining cards are not supported");
  say(support.wsl, "WSL prevents profiling");
}

// These chips cannot sample by time (cupti_pmsampling.h).
bool SamplesByClock(std::string_view chip) {
  return chip.starts_with("TU") || chip == "GA100";
}

Result<std::vector<std::uint8_t>> Availability(const Trial& trial) {
  cupti::SamplingAvailability asked;
  asked.device = static_cast<std::size_t>(trial.device);
  TRY(trial.Call(asked));
  std::vector<std::uint8_t> bytes(asked.size);
  asked.image = bytes.data();
  TRY(trial.Call(asked));
  return bytes;
}

Result<void*> Configured(const Trial& trial, const ConfigImage& config) {
  cupti::SamplingEnable enable;
  enable.device = static_cast<std::size_t>(trial.device);
  TRY(trial.Call(enable));
  cupti::SamplingConfig set;
  set.object = enable.object;
  set.config_size = config.bytes.size();
  set.config = config.bytes.data();
  set.hardware_buffer = kHardwareBuffer;
  set.interval = kIntervalNs;
  if (SamplesByClock(trial.chip)) {
    set.trigger = cupti::kTriggerByClock;
    set.interval = kIntervalCycles;
    trial.say(fmt::format(
        "{}{} samples by its system clock, which varies, not by time\n",
        kRemark, trial.chip));
  }
  TRY(trial.Call(set));
  return enable.object;
}

Result<std::string> Sample(const Trial& trial) {
  const Names metrics = TRY(MetricsOf(trial, CounterMode::kSample));
  const std::vector<std::uint8_t> available = TRY(Availability(trial));
  const ConfigImage config = TRY(
      MakeConfigImage(trial.library, {.type = cupti::ProfilerType::kPmSampling,
                                      .chip = trial.chip,
                                      .metrics = metrics,
                                      .available = available}));
  void* const sampling = TRY(Configured(trial, config));
  std::vector<const char*> names = Pointers(metrics);
  cupti::SamplingImageSize size;
  size.object = sampling;
  size.metrics = names.data();
  size.count = names.size();
  size.samples = kMostSamples;
  TRY(trial.Call(size));
  std::vector<std::uint8_t> bytes(size.size);
  cupti::SamplingImage image;
  image.object = sampling;
  image.size = bytes.size();
  image.image = bytes.data();
  TRY(trial.Call(image));
  TRY(trial.CallOn<cupti::SamplingStart>(sampling));
  std::this_thread::sleep_for(kSampled);
  TRY(trial.CallOn<cupti::SamplingStop>(sampling));
  cupti::SamplingDecode decode;
  decode.object = sampling;
  decode.image = bytes.data();
  decode.size = bytes.size();
  TRY(trial.Call(decode));
  cupti::SamplingImageInfo info;
  info.image = bytes.data();
  info.size = bytes.size();
  TRY(trial.Call(info));
  TRY(trial.CallOn<cupti::SamplingDisable>(sampling));
  if (info.completed == 0) {
    return Error(ErrorCode::kProfiler,
                 fmt::format("no sample came within {} ms", kSampled.count()));
  }
  return fmt::format("{}: {} samples of {} metrics in {} ms", trial.chip,
                     info.completed, metrics.size(), kSampled.count());
}

// The image of the range is `bytes`, which must outlive the profiler's object.
Result<void*> ConfiguredRange(const Trial& trial, const ConfigImage& config,
                              const Names& metrics,
                              std::vector<std::uint8_t>& bytes) {
  cupti::RangeEnable enable;
  enable.context = TRY(trial.driver.NewContext(trial.device));
  TRY(trial.Call(enable));
  std::vector<const char*> names = Pointers(metrics);
  cupti::RangeImageSize size;
  size.object = enable.object;
  size.metrics = names.data();
  size.count = names.size();
  size.ranges = kRanges;
  size.tree_nodes = kRanges;
  TRY(trial.Call(size));
  bytes.resize(size.size);
  cupti::RangeImage image;
  image.object = enable.object;
  image.size = bytes.size();
  image.image = bytes.data();
  TRY(trial.Call(image));
  cupti::RangeConfig set;
  set.object = enable.object;
  set.config_size = config.bytes.size();
  set.config = config.bytes.data();
  set.size = bytes.size();
  set.image = bytes.data();
  set.ranges_per_pass = kRanges;
  TRY(trial.Call(set));
  return enable.object;
}

Result<std::string> Count(const Trial& trial) {
  const Names metrics = TRY(MetricsOf(trial, CounterMode::kCount));
  const ConfigImage config =
      TRY(MakeConfigImage(trial.library, {.type = cupti::ProfilerType::kRange,
                                          .chip = trial.chip,
                                          .metrics = metrics}));
  std::vector<std::uint8_t> bytes;
  void* const profiler = TRY(ConfiguredRange(trial, config, metrics, bytes));
  TRY(trial.CallOn<cupti::RangeStart>(profiler));
  cupti::RangePush push;
  push.object = profiler;
  push.name = "trial";
  TRY(trial.Call(push));
  TRY(trial.driver.Work());
  TRY(trial.CallOn<cupti::RangePop>(profiler));
  cupti::RangeStop stop;
  stop.object = profiler;
  TRY(trial.Call(stop));
  cupti::RangeDecode decode;
  decode.object = profiler;
  TRY(trial.Call(decode));
  cupti::RangeImageInfo info;
  info.image = bytes.data();
  info.size = bytes.size();
  TRY(trial.Call(info));
  TRY(trial.CallOn<cupti::RangeDisable>(profiler));
  if (info.ranges == 0)
    return Error(ErrorCode::kProfiler, "CUPTI lost the measured range");
  return fmt::format("{}: {} metrics of one range", trial.chip, metrics.size());
}

// CUPTI 12 has version numbers of its own; from 13 on they are CUDA's.
void SayVersions(const Say& say, const CudaDriver& driver,
                 const CuptiLibrary& library) {
  const std::uint32_t cuda = library.version() / 10'000;
  if (cuda < 13 || driver.version() == 0 ||
      cuda <= static_cast<std::uint32_t>(driver.version() / 1000))
    return;
  say(
      fmt::format("{}CUPTI is of CUDA {}, the driver of CUDA {}: the driver "
                  "may not support this CUPTI\n",
                  kRemark, cuda, driver.version() / 1000));
}

Result<std::string> Try(CounterMode mode, int device, const Say& say) {
  const CudaDriver driver = TRY(CudaDriver::Start());
  const auto opened = CuptiLibrary::Open();
  if (!opened.ok()) {
    say(fmt::format("{}{}\n", kNoCupti, Printable(opened.error().message())));
    return Error(ErrorCode::kProfiler, "");
  }
  const CuptiLibrary& library = opened.value();
  SayVersions(say, driver, library);
  Trial trial{
      .say = say, .driver = driver, .library = library, .device = device};
  cupti::ProfilerInitialize initialize;
  TRY(trial.Call(initialize));
  cupti::DeviceChipName name;
  name.device = static_cast<std::size_t>(device);
  TRY(trial.Call(name));
  trial.chip = name.chip;
  SaySupport(trial, mode);
  return mode == CounterMode::kSample ? Sample(trial) : Count(trial);
}

ProbeAnswer AnswerOf(const ChildAnswer& child, double timeout_s) {
  ProbeAnswer answer;
  std::string step = "its start";
  bool failed = false;
  for (const std::string& line : Split(child.text, '\n')) {
    if (line.starts_with(kStep)) {
      step = line.substr(kStep.size());
    } else if (line.starts_with(kRemark)) {
      answer.remarks.push_back(line.substr(kRemark.size()));
    } else if (line.starts_with(kWorks)) {
      answer.works = child.complete();
      answer.found = line.substr(kWorks.size());
    } else if (line.starts_with(kError)) {
      failed = true;
      answer.found = line.substr(kError.size());
    } else if (line.starts_with(kNoCupti)) {
      failed = true;
      answer.found = "no CUPTI could be opened";
      answer.fix = line.substr(kNoCupti.size());
    } else if (line.starts_with(kProbeFailed)) {
      failed = true;
      const std::vector<std::string> parts = Split(line, '\t');
      cupti::Code code = 0;
      const std::string& number = parts.at(1);
      std::from_chars(number.data(), number.data() + number.size(), code);
      const cupti::Trouble* const known = cupti::TroubleOf(code);
      const cupti::Trouble& trouble = known != nullptr ? *known : kUnknown;
      answer.found = fmt::format("{}: {} said {}", trouble.why, step,
                                 parts.size() > 2 ? parts[2] : number);
      answer.fix = trouble.fix;
    }
  }
  if (failed && answer.fix.empty())
    answer.fix =
        "look for errors of the GPU in nvidia-smi and in the kernel's log";
  if (answer.works || failed) return answer;
  answer.found =
      child.timed_out
          ? fmt::format("it did not end within {:g} s, in {}", timeout_s, step)
      : child.signal != 0
          ? fmt::format("it ended with signal {} in {}", child.signal, step)
          : fmt::format("it ended without an answer, in {}", step);
  answer.fix =
      "update the driver, or set RANGEFINDER_CUPTI_PATH to the CUPTI of the "
      "driver's CUDA version";
  return answer;
}

}  // namespace

Result<ProbeAnswer> ProbeCounters(CounterMode mode, int device,
                                  double timeout_s) {
  const ChildAnswer child = TRY(AskChild(
      [&](const Say& say) {
        const auto tried = Try(mode, device, say);
        if (tried.ok()) {
          say(fmt::format("{}{}\n", kWorks, Printable(tried.value())));
        } else if (!tried.error().message().empty()) {
          say(fmt::format("{}{}\n", kError,
                          Printable(tried.error().message())));
        }
      },
      timeout_s));
  return AnswerOf(child, timeout_s);
}

}  // namespace rangefinder
