#include "app/doctor_command.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/doctor_counters.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/text.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {
namespace {

// MISSING: no kernel can be measured without it.
TableCell StatusOf(const Check& check) {
  if (check.ok) return {"ok", Tone::kGood};
  return check.required ? TableCell("MISSING", Tone::kBad)
                        : TableCell("note", Tone::kWarn);
}

}  // namespace

Document DoctorDocument(std::span<const Check> checks) {
  using Kind = TableColumn::Kind;
  Table table{.columns = {{.kind = Kind::kText},
                          {.kind = Kind::kText},
                          {.kind = Kind::kProse}}};
  for (const Check& check : checks) {
    TableRow& row = table.rows.emplace_back();
    row.cells = {check.name, StatusOf(check), check.found};
    if (!check.fix.empty()) row.below.emplace_back("-> " + check.fix);
  }
  Document document;
  document.AddTable(std::move(table));
  return document;
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
  if (format == "json") {
    console.Out(DoctorJson(checks));
  } else {
    console.Out([&](std::ostream& out) {
      WriteTerminal(DoctorDocument(checks), console.style(), out);
    });
  }
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
