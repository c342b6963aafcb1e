#include "app/doctor_text.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/text.h"
#include "counters/cupti_library.h"
#include "cupti/range_abi.h"
#include "cupti/sampling_abi.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {

namespace {

// "CUDA 13.0's"; releases of CUPTI 12 have numbers of their own, from 18 on.
std::string VersionName(std::uint32_t version) {
  if (version < 1000) return fmt::format("version {}", version);
  return fmt::format("version {}, CUDA {}.{}", version, version / 10'000,
                     version / 100 % 100);
}

Check CheckLibrary() {
  Check check{.name = "CUPTI"};
  const auto opened = CuptiLibrary::Open();
  if (!opened.ok()) {
    check.found = "no CUPTI";
    check.fix =
        "only for GPU times and pipeline.counters: " + opened.error().message();
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
  // The file exists, and opens libnvperf_host.so next to it on first use.
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

// MISSING: no kernel can be measured without it.
TableCell StatusOf(const Check& check) {
  if (check.ok) return {"ok", Tone::kGood};
  return check.required ? TableCell("MISSING", Tone::kBad)
                        : TableCell("note", Tone::kWarn);
}

}  // namespace

std::vector<Check> CounterChecks(bool has_gpu, const CounterTrial& trial) {
  // The trials fork, so they run before this process maps CUPTI.
  std::vector<Check> checks = {CheckMode(CounterMode::kSample, has_gpu, trial),
                               CheckMode(CounterMode::kCount, has_gpu, trial)};
  checks.insert(checks.begin(), CheckLibrary());
  return checks;
}

namespace {

// Which of `packages` python3 finds, without importing them.
std::set<std::string> PackagesOf(ProcessRunner& runner,
                                 const std::set<std::string>& packages) {
  Command command{.argv = {"python3", "-c",
                           "import importlib.util as u, sys\n"
                           "for name in sys.argv[1:]:\n"
                           "  try:\n"
                           "    if u.find_spec(name): print(name)\n"
                           "  except Exception: pass\n"}};
  command.argv.insert(command.argv.end(), packages.begin(), packages.end());
  command.out = Command::Output::kCapture;
  command.err = Command::Output::kDiscard;
  command.reads_nothing = true;
  command.most_captured = 1 << 16;
  command.timeout_s = 20;
  std::set<std::string> found;
  if (!runner.Find("python3")) return found;
  const auto ran = runner.Run(command);
  if (!ran.ok() || !ran.value().ok()) return found;
  for (const std::string& line : Split(ran.value().out, '\n')) {
    if (packages.contains(line)) found.insert(line);
  }
  return found;
}

Check CheckFramework(const Framework& framework, const Getenv& getenv,
                     const std::set<std::string>& found) {
  Check check{.name = framework.title + " ranges"};
  std::vector<std::string> wanting, to_do;
  for (const std::string& setting : framework.environment) {
    const std::string name = setting.substr(0, setting.find('='));
    const char* const value = getenv(name.c_str());
    if (value != nullptr && *value != '\0' && std::string_view(value) != "0")
      continue;
    wanting.push_back(name + " is not set here");
    to_do.push_back("start it with " + setting);
  }
  for (const std::string& package : framework.packages) {
    if (found.contains(package)) continue;
    wanting.push_back(fmt::format("python3 has no package {}", package));
    to_do.push_back("pip install " + package);
  }
  check.ok = wanting.empty();
  check.found = fmt::format("python3 has {}", framework.python);
  if (!check.ok) check.found += fmt::format("; {}", fmt::join(wanting, "; "));
  check.fix = fmt::format("{}", fmt::join(to_do, ", "));
  if (!framework.hint.empty() && !check.ok)
    check.fix += (to_do.empty() ? "" : "; ") + framework.hint;
  return check;
}

}  // namespace

std::vector<Check> FrameworkChecks(ProcessRunner& runner, const Getenv& getenv,
                                   std::span<const Framework> frameworks) {
  std::set<std::string> packages;
  for (const Framework& framework : frameworks) {
    if (!framework.python.empty()) packages.insert(framework.python);
    packages.insert(framework.packages.begin(), framework.packages.end());
  }
  std::vector<Check> checks;
  const std::set<std::string> found = PackagesOf(runner, packages);
  for (const Framework& framework : frameworks) {
    if (found.contains(framework.python))
      checks.push_back(CheckFramework(framework, getenv, found));
  }
  return checks;
}

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
  return JsonDocument(list, 2) + "\n";
}

// ---- The command -----------------------------------------------------------

// `doctor`: installed tools, permissions, and remedies.

Status DoDoctor(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  TRY(NeedNoPaths(asked));
  TRY(CheckFormat(line, {"table", "json"}));
  SystemRunner runner;
  const Settings settings = TRY(LoadSettings(request));
  DoctorSurroundings where = RealSurroundings();
  where.ncu = settings.ncu.ncu;
  const InterruptGuard guard;  // an interrupted program prints nothing
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
  std::ranges::move(
      FrameworkChecks(runner, where.getenv, settings.analysis.merge.frameworks),
      std::back_inserter(checks));
  if (line.format == "json") {
    console.Out(DoctorJson(checks));
  } else {
    console.Out([&](std::ostream& out) {
      WriteTerminal(DoctorDocument(checks), console.style(), out);
    });
  }
  TRY(console.CheckOut());
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

void AddDoctorOptions(CLI::App& command, CommandLine& line) {
  FormatOption(command, line, "table or json");
}

}  // namespace rangefinder
