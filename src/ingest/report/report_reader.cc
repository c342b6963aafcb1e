#include "ingest/report/report_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "base/lists.h"
#include "base/text.h"
#include "ingest/kernel_name.h"

namespace rangefinder {
namespace {

using nlohmann::json;

// Members without a place in a Profile. The parser drops them, since they are
// most of a large report.
constexpr auto kDropped = std::to_array<std::string_view>(
    {"columns", "sections", "findings", "ranks", "by_name", "inclusive",
     "exclusive", "first", "slowest", "slowest_gpu", "over_time", "headlines",
     "sampling", "selection", "summary"});

std::uint64_t CountOf(const json& value) {
  return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

// A time of at most 100 days; nothing for null.
std::optional<std::uint64_t> NsOf(const json& value, double ns_per_unit) {
  constexpr double kMost = 9e15;
  if (!value.is_number()) return std::nullopt;
  const double ns = value.get<double>() * ns_per_unit;
  return static_cast<std::uint64_t>(std::llround(std::clamp(ns, 0.0, kMost)));
}

// The first mode of "kernel+range".
ReplayMode ModeOf(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('+'));
  for (int i = 0; i <= static_cast<int>(ReplayMode::kCounters); ++i) {
    const auto mode = static_cast<ReplayMode>(i);
    if (ModeName(mode) == first) return mode;
  }
  return ReplayMode::kUnknown;
}

constexpr std::string_view kSchema = "rangefinder.report/2";

// The schema at the beginning of a report.json of any version; empty: the bytes
// are no report.json.
std::string_view SchemaOf(std::string_view bytes) {
  const std::size_t brace = bytes.find_first_not_of(" \t\r\n");
  if (brace == bytes.npos || bytes[brace] != '{') return {};
  const std::string_view first = bytes.substr(brace, 200);
  const std::size_t quote = first.find("\"rangefinder.report/");
  if (quote == first.npos) return {};
  const std::string_view schema = first.substr(quote + 1);
  return schema.substr(0, schema.find('"'));
}

class ReportProfile {
 public:
  ReportProfile(const json& document, const ReaderInput& input, Notes& notes)
      : document_(document), input_(input), notes_(notes) {}

  // Throws json::exception.
  Result<Profile> Read() {
    const json& scopes = At(document_, "scopes");
    if (!scopes.is_array() || scopes.empty()) {
      return Error(ErrorCode::kUnsupported,
                   "a report.json of one region; that of the whole run has "
                   "scopes");
    }
    Describe();
    const bool single = scopes.size() == 1 ||
                        At(At(document_, "capture"), "processes").size() == 1;
    for (const json& scope : scopes) {
      if (single || TextOf(At(scope, "scope")) != "aggregate")
        TRY(Scope(scope));
      if (single) break;
    }
    for (const json& note : At(document_, "notes")) {
      notes_.Add(Severity::kInfo, TextOf(At(note, "kind")),
                 TextOf(At(note, "text")), TextOf(At(note, "where")));
    }
    notes_.Add(Severity::kWarning, "read_from_report",
               "read from a report.json, which has the sums of each region and "
               "kernel; its captures have single launches, too",
               input_.path);
    return std::move(profile_);
  }

 private:
  void Describe() {
    const json& capture = At(document_, "capture");
    mode_ = ModeOf(TextOf(At(capture, "mode")));
    Artifact artifact{.path = input_.path,
                      .format = "report-json",
                      .bytes = input_.bytes.size()};
    for (const json& word : At(capture, "command")) {
      if (!artifact.command_line.empty()) artifact.command_line += ' ';
      artifact.command_line += TextOf(word);
    }
    const json& tools = At(capture, "tools");
    if (tools.is_object()) {
      for (const auto& [tool, version] : tools.items())
        artifact.versions.emplace_back(tool, TextOf(version));
    }
    profile_.artifacts.push_back(std::move(artifact));
    for (const json& device : At(capture, "devices")) {
      const std::string text = TextOf(device);  // "0: NVIDIA H200"
      const std::size_t colon = std::min(text.find(": "), text.size());
      profile_.devices.push_back({.index = IndexOf(text.substr(0, colon)),
                                  .name = profile_.strings.Intern(text.substr(
                                      std::min(colon + 2, text.size())))});
    }
  }

  static std::int32_t IndexOf(std::string_view digits) {
    std::int32_t index = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), index);
    return index;
  }

  // ---- Scopes ----

  Status Scope(const json& scope) {
    std::string name = TextOf(At(scope, "scope"));
    std::uint64_t pid = CountOf(At(scope, "process"));
    // With a single process, the aggregate has all its values.
    const json& processes = At(At(document_, "capture"), "processes");
    if (name == "aggregate" && processes.size() == 1) {
      name = TextOf(At(processes.front(), "scope"));
      pid = CountOf(At(processes.front(), "pid"));
    }
    const std::size_t known = profile_.processes.size();
    process_ = ProcessOf(name, pid);
    // Unknown in all scopes of the process.
    const json& totals = At(scope, "totals");
    const bool recorded = !At(totals, "kernel_count").is_null() ||
                          !At(totals, "ranges").is_null();
    Process& process = profile_.processes[Index(process_)];
    process.gpu_recorded =
        recorded || (Index(process_) < known && process.gpu_recorded);
    const std::size_t colon = name.rfind(':');  // "process:7/device:0"
    device_ = IndexOf(name.substr(std::min(name.size(), colon + 1)));
    states_.clear();
    for (const json& region : At(scope, "regions")) TRY(Region(region));
    return Ok();
  }

  ProcessId ProcessOf(const std::string& scope, std::uint64_t pid) {
    for (std::size_t i = 0; i < profile_.processes.size(); ++i) {
      if (profile_.processes[i].pid == pid) return static_cast<ProcessId>(i);
    }
    Process process{.pid = pid, .has_only_sums = true};
    for (const json& known : At(At(document_, "capture"), "processes")) {
      if (TextOf(At(known, "scope")) != scope) continue;
      process.name = profile_.strings.Intern(TextOf(At(known, "name")));
      process.host = profile_.strings.Intern(TextOf(At(known, "host")));
      const json& rank = At(known, "rank");
      if (rank.is_number_unsigned())
        process.rank = static_cast<std::int32_t>(
            std::min<std::uint64_t>(CountOf(rank), 1U << 30));
    }
    profile_.processes.push_back(process);
    return static_cast<ProcessId>(profile_.processes.size() - 1);
  }

  // ---- Regions ----

  Status Region(const json& region) {
    const json& path = At(region, "path");
    if (!path.is_array())
      return Error(ErrorCode::kCorrupt, "a region without a path");
    NvtxStateId state{};
    if (!path.empty()) state = TRY(StateOf(region));
    states_[CountOf(At(region, "id"))] = state;
    if (!path.empty())
      AddTimes(At(region, "times"), CountOf(At(region, "id")), state);
    for (const json& kernel : At(region, "kernels")) AddKernel(kernel, state);
    for (const json& range : At(region, "measured")) {
      const std::size_t first = profile_.samples.size();
      AddMetrics(At(range, "metrics"));
      profile_.measurements.push_back(
          {.kind = MeasurementKind::kRange,
           .mode = ModeOf(TextOf(At(range, "mode"))),
           .process = process_,
           .device = device_,
           .thread = kThread,
           .nvtx = state,
           .end_ns = NsOf(At(range, "gpu_time_ns"), 1).value_or(0),
           .first_sample = first,
           .sample_count = profile_.samples.size() - first});
    }
    return Ok();
  }

  // The state of a region: its parent's state and its own range.
  Result<NvtxStateId> StateOf(const json& region) {
    NvtxState state{.order = NvtxState::Order::kTime};
    if (const json& parent = At(region, "parent_id"); !parent.is_null()) {
      const auto known = states_.find(CountOf(parent));
      if (known == states_.end())
        return Error(ErrorCode::kCorrupt,
                     "the parent of a region does not come before it");
      state = profile_.nvtx_states[Index(known->second)];
    }
    const PathRange range{
        .domain = profile_.strings.Intern(TextOf(At(region, "domain"))),
        .name = profile_.strings.Intern(TextOf(At(region, "name"))),
        .kind = TextOf(At(region, "kind")) == "start_end"
                    ? FrameKind::kStartEnd
                    : FrameKind::kPushPop};
    // The state of a region has its whole path, so the length of paths is
    // limited.
    constexpr std::uint64_t kDeepest = 1000;
    if (OpenInside(state, range, kThread) > kDeepest)
      return Error(ErrorCode::kCorrupt,
                   fmt::format("a path of more than {} regions", kDeepest));
    profile_.nvtx_states.push_back(std::move(state));
    return static_cast<NvtxStateId>(profile_.nvtx_states.size() - 1);
  }

  // The median stands for the quantiles.
  static Spread SpreadOf(const json& spread,
                         std::string_view count_key = "instances") {
    const std::uint64_t count = CountOf(At(spread, count_key));
    const auto median = NsOf(At(spread, "median"), 1);
    if (count == 0 || !median) return {};
    const json& mean = At(spread, "mean");
    const json& deviation = At(spread, "standard_deviation");
    const double each = deviation.is_number() ? deviation.get<double>() : 0;
    return Spread::Of(
        {.count = count,
         .sum = NsOf(At(spread, "total"), 1).value_or(0),
         .min = NsOf(At(spread, "min"), 1).value_or(0),
         .max = NsOf(At(spread, "max"), 1).value_or(0),
         .mean = mean.is_number() ? mean.get<double>() : 0,
         .squares = each * each * static_cast<double>(count),
         .buckets = {{.index = Spread::BucketOf(*median), .count = count}}});
  }

  // The scopes of a process on several devices have the same instances, and GPU
  // work of their own.
  void AddTimes(const json& times, std::uint64_t region, NvtxStateId state) {
    const std::uint64_t instances = CountOf(At(times, "instances"));
    if (instances == 0) return;
    if (timed_.emplace(process_, region).second)
      AddVisits(times, instances, state);
    const json& gpu = At(times, "gpu");
    // Where a region has GPU times, the process recorded its GPU work.
    if (gpu.is_object()) recorded_.insert(process_);
    profile_.processes[Index(process_)].gpu_recorded =
        recorded_.contains(process_);
    AddUse(gpu, state);
  }

  void AddVisits(const json& times, std::uint64_t instances,
                 NvtxStateId state) {
    RangeVisits visits{
        .process = process_,
        .thread = kThread,
        .nvtx = state,
        .instances = instances,
        .unclosed = CountOf(At(times, "unclosed")),
        .cpu_ns = SpreadOf(At(times, "cpu_ns")),
        .gpu_ns = SpreadOf(At(times, "gpu_ns")),
        .gpu_span_ns = SpreadOf(At(times, "gpu_span_ns")),
        .gpu_idle_ns = SpreadOf(At(times, "gpu_idle_ns")),
        .deferred_ns = NsOf(At(times, "deferred_gpu_ns"), 1).value_or(0)};
    for (std::size_t part = 0; part < kWallParts; ++part) {
      const auto which = static_cast<WallPart>(part);
      visits.wall[which] =
          NsOf(At(At(times, "wall_ns"), NameOf(which)), 1).value_or(0);
    }
    for (const WallPart part : {WallPart::kHostWaiting, WallPart::kHostRunning})
      visits.wall[part] =
          NsOf(At(At(times, "host_ns"), NameOf(part)), 1).value_or(0);
    profile_.visits.push_back(std::move(visits));
  }

  void AddUse(const json& gpu, NvtxStateId state) {
    // Null: the GPU work of the region is unknown.
    if (!gpu.is_object()) {
      profile_.uses.push_back(
          {.process = process_, .thread = kThread, .nvtx = state});
      return;
    }
    const auto ns = [&](std::string_view key) {
      return NsOf(At(gpu, key), 1).value_or(0);
    };
    profile_.uses.push_back(
        {.process = process_,
         .thread = kThread,
         .nvtx = state,
         .gpu = {{.device = device_,
                  .kernels = CountOf(At(gpu, "kernel_count")),
                  .copies = CountOf(At(gpu, "copies")),
                  .sets = CountOf(At(gpu, "sets")),
                  .kernel_ns = ns("gpu_time_ns"),
                  .copy_ns = ns("copy_ns"),
                  .set_ns = ns("set_ns"),
                  .copy_bytes = CountOf(At(gpu, "copy_bytes")),
                  .set_bytes = CountOf(At(gpu, "set_bytes")),
                  .first_ns = 0,
                  .last_ns = ns("span_ns"),
                  .busy_ns = ns("busy_ns"),
                  .latency_ns = SpreadOf(At(gpu, "latency_ns"), "kernels")}}});
  }

  // ---- Kernels ----

  // The launches of a kernel in the region itself. The metrics of a report
  // include the launches in inner regions, so they are used only if the kernel
  // has no launches there.
  void AddKernel(const json& kernel, NvtxStateId state) {
    const std::uint64_t calls = CountOf(At(kernel, "calls"));
    const json& own = At(kernel, "own_calls");
    const std::uint64_t launches = own.is_null() ? calls : CountOf(own);
    if (launches == 0 || launches > calls) return;
    const auto total =
        NsOf(At(kernel, launches == calls ? "total_ms" : "own_total_ms"), 1e6);
    const std::string name = TextOf(At(kernel, "kernel_name"));
    Measurement m{.mode = mode_,
                  .process = process_,
                  .device = device_,
                  .thread = kThread,
                  .demangled_name = profile_.strings.Intern(name),
                  .function_name = profile_.strings.Intern(FunctionName(name)),
                  .nvtx = state,
                  .end_ns = total.value_or(0),
                  .first_sample = profile_.samples.size()};
    if (launches == calls) AddMetrics(At(kernel, "metrics"));
    m.sample_count = profile_.samples.size() - m.first_sample;
    if (launches > 1) {
      profile_.folded.push_back(
          {.launches = launches,
           .min_ns = NsOf(At(kernel, "min_ms"), 1e6).value_or(0),
           .max_ns = NsOf(At(kernel, "max_ms"), 1e6).value_or(0)});
      m.folded = static_cast<std::uint32_t>(profile_.folded.size());
    }
    profile_.measurements.push_back(std::move(m));
  }

  void AddMetrics(const json& metrics) {
    if (!metrics.is_object()) return;
    for (const auto& [name, cell] : metrics.items()) {
      const json& value = cell.is_object() ? At(cell, "value") : cell;
      if (!value.is_number()) continue;
      profile_.AddSample(profile_.InternMetric(name),
                         Value::Number(value.get<double>()));
    }
  }

  static constexpr std::uint64_t kThread = 1;  // all regions are in one thread

  const json& document_;
  const ReaderInput& input_;
  Notes& notes_;
  Profile profile_{};
  ReplayMode mode_ = ReplayMode::kUnknown;
  std::set<ProcessId> recorded_{};                         // with GPU times
  std::set<std::pair<ProcessId, std::uint64_t>> timed_{};  // regions, by id
  ProcessId process_{};
  std::int32_t device_ = -1;
  std::map<std::uint64_t, NvtxStateId> states_{};  // by id of the document
};

}  // namespace

bool IsReportJson(std::string_view bytes) {
  return !SchemaOf(bytes).empty();
}

Status CheckReportVersion(std::string_view bytes) {
  const std::string_view schema = SchemaOf(bytes);
  if (schema == kSchema) return Ok();
  return Error(ErrorCode::kUnsupported,
               fmt::format("a report.json of schema {}; this version reads {}",
                           Printable(schema), kSchema));
}

Result<Profile> ReadReportJson(const ReaderInput& input, Notes& notes) {
  TRY(CheckReportVersion(input.bytes));
  try {
    const auto wanted = [](int, json::parse_event_t event, json& parsed) {
      return event != json::parse_event_t::key ||
             !Has(kDropped, parsed.get_ref<const std::string&>());
    };
    const json document = json::parse(input.bytes, wanted);
    return ReportProfile(document, input, notes).Read();
  } catch (const json::exception& e) {
    return Error(ErrorCode::kCorrupt, e.what());
  }
}

}  // namespace rangefinder
