#include "app/doctor_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "counters/cupti_library.h"
#include "cupti/range_abi.h"
#include "cupti/sampling_abi.h"

namespace rangefinder {
namespace {

// "CUDA 13.0's"; CUPTI 12 counted its releases from 18 on by itself.
std::string VersionName(std::uint32_t version) {
  if (version < 1000) return fmt::format("version {}", version);
  return fmt::format("version {}, CUDA {}.{}", version, version / 10'000,
                     version / 100 % 100);
}

Check CheckLibrary() {
  Check check{.name = "CUPTI counters"};
  const auto opened = CuptiLibrary::Open();
  if (!opened.ok()) {
    check.found = "no CUPTI";
    check.fix = "only for pipeline.counters: " + opened.error().message();
    return check;
  }
  const CuptiLibrary& library = opened.value();
  std::vector<std::string> missing;
  if (!library.Has<cupti::HostInitialize>())
    missing.emplace_back("lists of metrics");
  if (!library.Has<cupti::SamplingEnable>())
    missing.emplace_back("PM sampling");
  if (!library.Has<cupti::RangeEnable>())
    missing.emplace_back("the Range Profiler");
  check.found =
      fmt::format("{}, {}", library.path(), VersionName(library.version()));
  if (!missing.empty()) {
    check.found += fmt::format(", without {}", fmt::join(missing, ", "));
    check.fix =
        "install the CUPTI of a newer CUDA toolkit (tested: 13.0), or set "
        "RANGEFINDER_CUPTI_PATH to one";
    return check;
  }
  // It is there as a file, and opens libnvperf_host.so beside it on first use.
  const auto chips = SupportedChips(library);
  check.ok = chips.ok() && !chips.value().empty();
  if (check.ok) {
    check.found += fmt::format(", {} chips", chips.value().size());
  } else {
    check.found += ", which knows no chip";
    if (!chips.ok()) check.found += ": " + chips.error().message();
    check.fix =
        "libnvperf_host.so and libnvperf_target.so belong beside it: install "
        "CUPTI as a whole";
  }
  return check;
}

Check CheckMode(CounterMode mode, bool has_gpu, const CounterTrial& trial) {
  Check check{.name = mode == CounterMode::kSample ? "sampling" : "counting"};
  if (!has_gpu) {
    check.found = "not tried: there is no GPU";
    check.fix = "see GPU";
    return check;
  }
  const auto tried = trial(mode);
  if (!tried.ok()) {
    check.found = "not tried: " + tried.error().message();
    check.fix = "see that this process may start others";
    return check;
  }
  const ProbeAnswer& answer = tried.value();
  check.ok = answer.works;
  check.found = answer.found;
  for (const std::string& remark : answer.remarks) check.found += "; " + remark;
  check.fix = answer.fix;
  return check;
}

constexpr std::size_t kMarkWidth = 9;
constexpr std::size_t kNarrowest = 60;

// "ok", "MISSING" where no kernel can be measured without it, "note" otherwise.
std::string_view Mark(const Check& check) {
  if (check.ok) return "ok";
  return check.required ? "MISSING" : "note";
}

}  // namespace

std::vector<Check> CounterChecks(bool has_gpu, const CounterTrial& trial) {
  // The trials are forks, and come before this process maps CUPTI.
  std::vector<Check> checks = {CheckMode(CounterMode::kSample, has_gpu, trial),
                               CheckMode(CounterMode::kCount, has_gpu, trial)};
  checks.insert(checks.begin(), CheckLibrary());
  return checks;
}

std::string DoctorTable(std::span<const Check> checks, std::size_t width) {
  width = std::max(width, kNarrowest);
  std::size_t name_width = 0;
  for (const Check& check : checks)
    name_width = std::max(name_width, DisplayWidth(check.name));
  const std::size_t indent = name_width + 2 + kMarkWidth;
  std::string table;
  const auto add = [&](std::string_view first, std::string_view text) {
    std::string_view lead = first;
    for (const std::string& line : Wrapped(Printable(text), width - indent)) {
      table += fmt::format("{:<{}}{}\n", lead, indent, line);
      lead = "";
    }
  };
  for (const Check& check : checks) {
    add(fmt::format("{:<{}}  {}", check.name, name_width, Mark(check)),
        check.found);
    if (!check.fix.empty()) add("", "-> " + check.fix);
  }
  return table;
}

std::string DoctorJson(std::span<const Check> checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    list.push_back({{"check", check.name},
                    {"ok", check.ok},
                    {"found", check.found},
                    {"fix", check.fix}});
  }
  return EscapedJson(list.dump(
             2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) +
         "\n";
}

}  // namespace rangefinder
