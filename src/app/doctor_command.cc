#include "app/doctor_command.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/doctor_counters.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMarkWidth = 9;
constexpr std::size_t kNarrowest = 60;

// "ok", "MISSING" where no kernel can be measured without it, "note" otherwise.
std::string_view Mark(const Check& check) {
  if (check.ok) return "ok";
  return check.required ? "MISSING" : "note";
}

}  // namespace

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

Status RunDoctor(std::string_view format, const Settings& settings,
                 ProcessRunner& runner, const Console& console) {
  if (!format.empty() && format != "table" && format != "json") {
    return Error(ErrorCode::kUsage,
                 fmt::format("doctor has no format '{}'; there are table and "
                             "json",
                             Printable(format)));
  }
  DoctorSurroundings where = RealSurroundings();
  where.ncu = settings.ncu.ncu_path;
  const InterruptGuard guard;  // a program that was ended says nothing
  std::vector<Check> checks = Examine(runner, where);
  if (InterruptGuard::Count() > 0)
    return Error(ErrorCode::kInterrupted, "interrupted");
  const bool has_gpu = std::ranges::any_of(checks, [](const Check& check) {
    return check.name == "GPU" && check.ok;
  });
  std::ranges::move(
      CounterChecks(has_gpu,
                    [](CounterMode mode) { return ProbeCounters(mode); }),
      std::back_inserter(checks));
  console.Out(format == "json" ? DoctorJson(checks)
                               : DoctorTable(checks, console.width()));
  if (CanProfile(checks)) return Ok();
  std::vector<std::string> missing;
  for (const Check& check : checks) {
    if (check.required && !check.ok) missing.push_back(check.name);
  }
  return Error(
      ErrorCode::kProfiler,
      fmt::format("profiling cannot work here (see {}). Captures made on "
                  "another machine can be reported here: rangefinder report "
                  "PATH",
                  fmt::join(missing, ", ")));
}

}  // namespace rangefinder
