// `counters`: the metrics that the GPU of this machine, or another chip, can
// count, and their passes.

#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands.h"
#include "base/text.h"
#include "counters/counter_host.h"
#include "counters/cuda_driver.h"
#include "counters/cupti_library.h"
#include "counters/metric_list.h"

namespace rangefinder {
namespace {

// The requested chip, or the chip of this machine's first device.
Result<DeviceChip> ChipOfRequest(const CommandLine& line,
                                 const Console& console) {
  if (!line.chip.empty()) return DeviceChip{.chip = line.chip};
  const auto chips = ChipsOfMachine();
  if (!chips.ok()) {
    return Error(chips.error().code(),
                 chips.error().message() +
                     "; to list another machine's counters, name its chip: "
                     "rangefinder counters --chip GH100");
  }
  const DeviceChip& first = chips.value().front();
  for (const DeviceChip& other : chips.value()) {
    if (other.chip == first.chip) continue;
    console.Say(fmt::format("{} is a {}: --chip {} lists its counters",
                            Printable(other.device), Printable(other.chip),
                            Printable(other.chip)));
    break;
  }
  return first;
}

// A mode that the chip lacks is no error: the other mode has metrics.
Result<std::optional<CounterHost>> HostOf(const CuptiLibrary& library,
                                          const std::string& chip,
                                          CounterMode mode) {
  auto host = CounterHost::Open(library, chip, mode);
  if (host.ok()) return std::optional(std::move(host).value());
  if (host.error().code() == ErrorCode::kUsage)
    return std::move(host).error().In("--chip");
  return std::optional<CounterHost>();
}

Status FillList(const CommandLine& line, const ChipHosts& hosts,
                const Console& console, CounterList& list) {
  if (line.words.empty()) {
    list.metrics = TRY(AllMetrics(hosts));
    return Ok();
  }
  list.metrics = TRY(MatchingMetrics(
      hosts, line.words, [&](std::size_t done, std::size_t all) {
        if (done > 0)
          console.Progress(
              fmt::format("passes of {} of {} metrics", done, all));
      }));
  console.Progress("");
  list.hints = HintsOf(hosts, list.chip, line.words);
  list.sample_together = PassesTogether(hosts.sample, list.metrics);
  list.count_together = PassesTogether(hosts.count, list.metrics);
  return Ok();
}

}  // namespace

Status DoCounters(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  TRY(CheckFormat(line, {"table", "json"}));
  // The words are patterns: a regular expression may look like an override. The
  // child process that queries the chip must run before this process maps
  // CUPTI.
  const DeviceChip chip = TRY(ChipOfRequest(line, console));
  const CuptiLibrary library = TRY(CuptiLibrary::Open());
  const auto sample = TRY(HostOf(library, chip.chip, CounterMode::kSample));
  const auto count = TRY(HostOf(library, chip.chip, CounterMode::kCount));
  if (!sample && !count) {
    return Error(ErrorCode::kProfiler,
                 fmt::format("{} says nothing of {}'s counters; set "
                             "RANGEFINDER_CUPTI_PATH to the CUPTI of a newer "
                             "CUDA toolkit (tested: 13.0)",
                             library.path(), Printable(chip.chip)));
  }
  CounterList list{
      .chip = chip.chip, .device = chip.device, .cupti = library.version()};
  TRY(FillList(line,
               {.sample = sample ? &*sample : nullptr,
                .count = count ? &*count : nullptr},
               console, list));
  const bool with_passes = !line.words.empty();
  console.Out(line.format == "json" ? CounterJson(list, with_passes)
              : with_passes         ? CounterTable(list, console.width())
                                    : CounterUnitsTable(list, console.width()));
  return Ok();
}

void AddCountersOptions(CLI::App& command, CommandLine& line) {
  command
      .add_option("--chip", line.chip,
                  "a chip, as GH100; none of them has to be here")
      ->type_name("CHIP");
  FormatOption(command, line, "table or json");
}

}  // namespace rangefinder
