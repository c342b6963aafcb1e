#include "counters/machine_chips.h"

#include <fmt/format.h>

#include "base/text.h"
#include "counters/child.h"
#include "counters/cuda_driver.h"
#include "counters/cupti_library.h"
#include "cupti/host_abi.h"

namespace rangefinder {
namespace {

// A line of the child: a word, a tab and a text.
constexpr std::string_view kDevice = "device\t";
constexpr std::string_view kFailed = "failed\t";

Status Ask(const Say& say) {
  const CudaDriver driver = TRY(CudaDriver::Start());
  const CuptiLibrary library = TRY(CuptiLibrary::Open());
  // Without this call, asking for a chip's name crashes.
  cupti::ProfilerInitialize initialize;
  TRY(library.Try(initialize));
  const int count = TRY(driver.DeviceCount());
  for (int device = 0; device < count; ++device) {
    cupti::DeviceChipName name;
    name.device = static_cast<std::size_t>(device);
    const cupti::Code code = library.Call(name);
    if (code != cupti::kSuccess || name.chip == nullptr) {
      return Error(ErrorCode::kProfiler,
                   fmt::format("{}: {}", name.kFunction, library.Name(code)));
    }
    say(fmt::format("{}{}\t{}\n", kDevice,
                    Printable(TRY(driver.DeviceName(device))), name.chip));
  }
  return Ok();
}

}  // namespace

Result<std::vector<DeviceChip>> ChipsOfMachine(double timeout_s) {
  const ChildAnswer answer = TRY(AskChild(
      [](const Say& say) {
        const Status asked = Ask(say);
        if (!asked.ok())
          say(fmt::format("{}{}\n", kFailed,
                          Printable(asked.error().message())));
      },
      timeout_s));
  std::vector<DeviceChip> chips;
  for (const std::string& line : Split(answer.text, '\n')) {
    if (line.starts_with(kFailed))
      return Error(ErrorCode::kProfiler, line.substr(kFailed.size()));
    const std::vector<std::string> parts = Split(line, '\t');
    if (line.starts_with(kDevice) && parts.size() == 3)
      chips.push_back({.device = parts[1], .chip = parts[2]});
  }
  if (answer.timed_out) {
    return Error(ErrorCode::kProfiler,
                 fmt::format("the driver did not answer within {:g} s; try "
                             "nvidia-smi",
                             timeout_s));
  }
  if (!answer.complete()) {
    return Error(
        ErrorCode::kProfiler,
        answer.signal != 0
            ? fmt::format("asking the driver for its GPUs ended with "
                          "signal {}",
                          answer.signal)
            : "asking the driver for its GPUs ended without an answer");
  }
  if (chips.empty())
    return Error(ErrorCode::kProfiler, "the driver has no GPU");
  return chips;
}

}  // namespace rangefinder
