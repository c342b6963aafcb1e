#include "capture/record.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/ncu.h"

namespace rangefinder {

std::vector<std::filesystem::path> Capture::artifacts() const {
  std::vector<std::filesystem::path> reports;
  for (const RunRecord& run : runs) {
    if (run.used) reports.push_back(run.report);
  }
  return reports;
}

Spent SpentOf(const Capture& capture) {
  Spent spent;
  for (const RunRecord& run : capture.runs) {
    spent.seconds += run.seconds;
    spent.passes = std::max(spent.passes, run.passes);
    if (run.used) spent.results += run.results;
  }
  return spent;
}

// ---- The manifest ----------------------------------------------------------

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
// ordered_json compares each new key with all keys before it.
using ReadJson = nlohmann::json;

constexpr std::string_view kSchema = "rangefinder.capture/1";
constexpr std::string_view kDamaged = "damaged_manifest";  // the kind of a note

Json Relative(const fs::path& run_dir, const fs::path& path) {
  return path.empty() ? Json(nullptr)
                      : Json(path.lexically_relative(run_dir).string());
}

Json TraceJson(const fs::path& run_dir, const std::vector<TraceRecord>& all) {
  if (all.empty()) return nullptr;
  const TraceRecord& trace = all.front();
  Json json = {{"status", trace.status},
               {"mode", trace.mode},
               {"seconds", trace.seconds},
               {"why", trace.why},
               {"files", Json::array()}};
  for (const fs::path& file : trace.files)
    json["files"].push_back(Relative(run_dir, file));
  return json;
}

// The expected and the real cost.
Json CostJson(const Capture& capture) {
  if (!capture.forecast) return nullptr;
  const Forecast& forecast = *capture.forecast;
  const Spent spent = SpentOf(capture);
  return {{"unit", forecast.unit},
          {"units", forecast.units},
          {"passes", forecast.passes},
          {"seconds", forecast.seconds},
          {"runs", forecast.runs},
          {"spent",
           {{"units", spent.results},
            {"passes", spent.passes},
            {"seconds", spent.seconds}}}};
}

Json BudgetJson(const std::optional<BudgetRecord>& budget) {
  if (!budget) return nullptr;
  return {{"seconds", budget->asked_s},
          {"launch_count", budget->fitted.launch_count},
          {"by", budget->fitted.numbers.empty() ? "configuration" : "region"},
          {"measured", budget->fitted.measured},
          {"total", budget->fitted.total},
          {"expected_seconds", budget->fitted.seconds},
          {"fits", budget->fitted.fits},
          {"uncovered", budget->fitted.uncovered},
          {"left_out", budget->left_out}};
}

Json WindowJson(const std::optional<InstanceWindow>& window) {
  if (!window) return nullptr;
  return {{"skip", window->skip},
          {"count", window->count ? Json(*window->count) : Json(nullptr)}};
}

Json RunJson(const fs::path& run_dir, const RunRecord& run) {
  return {{"name", run.name},
          {"mode", run.mode},
          {"why", run.why},
          {"command", run.command},
          {"nvtx_include", run.nvtx_include},
          {"wanted_include", run.wanted_include},
          {"wanted_exclude", run.wanted_exclude},
          {"regions", run.regions},
          {"filtered", run.filtered},
          {"instances", WindowJson(run.window)},
          {"started", run.started},
          {"seconds", run.seconds},
          {"status", run.status},
          {"results", run.results},
          {"passes", run.passes},
          {"outcome", run.outcome},
          {"message", run.message},
          {"report", Relative(run_dir, run.report)},
          {"log", Relative(run_dir, run.log)},
          {"used", run.used}};
}

std::string_view CodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kTarget:
      return "target";
    case ErrorCode::kProfiler:
      return "profiler";
    case ErrorCode::kInterrupted:
      return "interrupted";
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kSystem:
      return "system";
    default:
      return "other";
  }
}

Json RankJson(const std::optional<Rank>& rank) {
  if (!rank) return nullptr;
  return {{"rank", rank->rank},
          {"world", rank->world ? Json(*rank->world) : Json(nullptr)},
          {"local", rank->local ? Json(*rank->local) : Json(nullptr)},
          {"launcher", rank->launcher}};
}

// A path of the manifest, which may be hostile: empty if it leaves the run
// directory.
fs::path Inside(const fs::path& run_dir, const ReadJson& file) {
  if (!file.is_string()) return {};
  const fs::path path = fs::path(file.get<std::string>()).lexically_normal();
  if (path.is_absolute() || path.empty() || *path.begin() == "..") return {};
  return run_dir / path;
}

// A note's kind if it is a word.
std::string Word(const std::string& kind) {
  const bool is_word =
      !kind.empty() && kind[0] >= 'a' && kind[0] <= 'z' &&
      std::ranges::all_of(kind, [](char c) {
        return (c >= 'a' && c <= 'z') || IsAsciiDigit(c) || c == '_';
      });
  return is_word ? kind : "unknown_kind";
}

// A number without a fraction; another value throws. nlohmann-json casts any
// number, which has no result for one out of the type's range.
template <typename T>
T WholeOf(const ReadJson& value) {
  return (value.is_number_integer() ? value : ReadJson(nullptr)).get<T>();
}

// The same of a member; `absent` if there is none.
template <typename T>
T Whole(const ReadJson& json, const char* name, T absent) {
  const auto at = json.find(name);
  return at == json.end() ? absent : WholeOf<T>(*at);
}

RunRecord ReadRun(const fs::path& run_dir, const ReadJson& json) {
  RunRecord run;
  run.name = json.at("name");
  run.mode = json.at("mode");
  run.why = json.value("why", "");
  run.command = json.value("command", std::vector<std::string>{});
  run.nvtx_include = json.value("nvtx_include", std::vector<std::string>{});
  run.wanted_include = json.value("wanted_include", std::vector<std::string>{});
  run.wanted_exclude = json.value("wanted_exclude", std::vector<std::string>{});
  run.regions = json.value("regions", std::vector<std::string>{});
  run.filtered = json.value("filtered", true);
  if (const ReadJson window = json.value("instances", ReadJson(nullptr));
      window.is_object()) {
    run.window =
        InstanceWindow{.skip = Whole<std::uint64_t>(window, "skip", 0)};
    if (window.contains("count") && window["count"].is_number_unsigned())
      run.window->count = window["count"].get<std::uint64_t>();
  }
  run.started = json.value("started", "");
  run.seconds = json.value("seconds", 0.0);
  run.status = Whole<int>(json, "status", 0);
  run.results = Whole<std::uint64_t>(json, "results", 0);
  run.passes = Whole<int>(json, "passes", 0);
  run.outcome = json.value("outcome", "");
  run.message = json.value("message", "");
  run.report = Inside(run_dir, json.value("report", ReadJson(nullptr)));
  run.log = Inside(run_dir, json.value("log", ReadJson(nullptr)));
  run.used = json.value("used", false);
  return run;
}

TraceRecord ReadTrace(const fs::path& run_dir, const ReadJson& json) {
  TraceRecord trace;
  trace.status = json.value("status", "");
  trace.mode = json.value("mode", "");
  trace.seconds = json.value("seconds", 0.0);
  trace.why = json.value("why", "");
  for (const ReadJson& file : json.value("files", ReadJson::array())) {
    fs::path path = Inside(run_dir, file);
    if (!path.empty()) trace.files.push_back(std::move(path));
  }
  return trace;
}

void ReadGroundwork(const fs::path& run_dir, const ReadJson& json,
                    Capture& capture) {
  const auto part = [&](const char* name) -> const ReadJson* {
    const auto at = json.find(name);
    return at != json.end() && at->is_object() ? &*at : nullptr;
  };
  if (const ReadJson* trace = part("trace"))
    capture.traces.push_back(ReadTrace(run_dir, *trace));
  if (const ReadJson* cost = part("cost")) {
    capture.forecast =
        Forecast{.unit = cost->value("unit", "kernel"),
                 .units = Whole<std::uint64_t>(*cost, "units", 0),
                 .passes = Whole<int>(*cost, "passes", 0),
                 .seconds = cost->value("seconds", 0.0),
                 .runs = Whole<int>(*cost, "runs", 1)};
  }
  if (const ReadJson* budget = part("budget")) {
    const auto labels = [&](const char* name) {
      return budget->value(name, std::vector<std::string>{});
    };
    const auto number = [&](const char* name) {
      return Whole<std::uint64_t>(*budget, name, 0);
    };
    capture.budget = BudgetRecord{
        .asked_s = budget->value("seconds", 0.0),
        .fitted = {.launch_count = number("launch_count"),
                   .measured = number("measured"),
                   .total = number("total"),
                   .seconds = budget->value("expected_seconds", 0.0),
                   .fits = budget->value("fits", true),
                   .uncovered = labels("uncovered")},
        .left_out = labels("left_out")};
  }
}

// Throws nlohmann::json::exception.
void ReadOne(const fs::path& run_dir, const ReadJson& json, Capture& capture) {
  capture.program = json.value("program", std::vector<std::string>{});
  capture.ncu_version = json.value("ncu_version", "");
  std::optional<int> rank;
  if (json.contains("rank") && json["rank"].is_object())
    rank = WholeOf<int>(json["rank"].at("rank"));
  const std::size_t traces = capture.traces.size();
  ReadGroundwork(run_dir, json, capture);
  if (capture.traces.size() > traces) capture.traces.back().rank = rank;
  for (const ReadJson& item : json.at("runs")) {
    RunRecord run = ReadRun(run_dir, item);
    run.rank = rank;
    std::error_code error;
    if (run.used && !fs::exists(run.report, error)) {
      capture.notes.Add(Severity::kDataLoss, "missing_report",
                        "the report of a run is missing: " + run.name,
                        run.report.string());
      run.used = false;
    }
    capture.runs.push_back(std::move(run));
  }
  for (const ReadJson& note : json.value("notes", ReadJson::array())) {
    const std::string severity = note.value("severity", "info");
    capture.notes.Add(
        severity == "data_loss" ? Severity::kDataLoss
        : severity == "warning" ? Severity::kWarning
                                : Severity::kInfo,
        Word(note.value("kind", "")), note.value("text", ""),
        note.value("where", ""),
        std::max(Whole<std::uint64_t>(note, "count", 1), std::uint64_t{1}));
  }
  if (json.contains("failure") && json["failure"].is_object()) {
    const std::string message = json["failure"].value("message", "");
    capture.notes.Add(Severity::kDataLoss, "incomplete_capture",
                      "the capture is not complete: " +
                          message.substr(0, message.find('\n')));
  }
}

// Adds one manifest to the manifests before it.
void Append(Capture one, Capture& capture) {
  capture.program = std::move(one.program);
  capture.ncu_version = std::move(one.ncu_version);
  if (one.forecast) capture.forecast = std::move(one.forecast);
  if (one.budget) capture.budget = std::move(one.budget);
  std::ranges::move(one.traces, std::back_inserter(capture.traces));
  std::ranges::move(one.runs, std::back_inserter(capture.runs));
  capture.notes.Merge(one.notes);
}

Result<Capture> ReadManifests(const fs::path& run_dir,
                              const std::vector<fs::path>& manifests) {
  Capture capture;
  capture.run_dir = run_dir;
  for (const fs::path& path : manifests) {
    const std::string text = TRY(ReadFile(path));
    try {
      const ReadJson json = ReadJson::parse(text);
      const std::string schema = json.at("schema");
      if (schema != kSchema) {
        return Error(ErrorCode::kUnsupported,
                     fmt::format("{}: has schema {}; this version reads {}",
                                 path.string(), Printable(schema), kSchema));
      }
      Capture one;  // a damaged manifest adds nothing
      ReadOne(run_dir, json, one);
      Append(std::move(one), capture);
    } catch (const Json::exception& e) {
      capture.notes.Add(
          Severity::kDataLoss, kDamaged,
          text.empty() ? "a manifest is empty; the files beside it are read"
                       : fmt::format("a manifest is damaged ({}); the files "
                                     "beside it are read",
                                     Printable(e.what())),
          path.string());
    }
  }
  return capture;
}

// The manifest's bytes. Its paths are relative to the run directory.
std::string ManifestJson(const CaptureOptions& options,
                         const Capture& capture) {
  Json json = {{"schema", kSchema},
               {"rangefinder_version", options.version},
               {"ncu_version", capture.ncu_version},
               {"program", options.program},
               {"rank", RankJson(options.rank)},
               {"trace", TraceJson(options.run_dir, capture.traces)},
               {"cost", CostJson(capture)},
               {"budget", BudgetJson(capture.budget)},
               {"runs", Json::array()},
               {"notes", Json::array()},
               {"failure", nullptr}};
  for (const RunRecord& run : capture.runs)
    json["runs"].push_back(RunJson(options.run_dir, run));
  for (const Note& note : capture.notes.all()) {
    json["notes"].push_back({{"severity", SeverityName(note.severity)},
                             {"kind", note.kind},
                             {"text", note.text},
                             {"where", note.where},
                             {"count", note.count}});
  }
  if (capture.failure) {
    json["failure"] = {{"code", CodeName(capture.failure->code())},
                       {"message", capture.failure->message()}};
  }
  return JsonDocument(json, 2) + "\n";
}

}  // namespace

Status WriteManifest(const CaptureOptions& options, const Capture& capture) {
  return WriteBelow(options.run_dir,
                    "ncu/" + RankedStem(options, "manifest") + ".json",
                    ManifestJson(options, capture));
}

std::vector<fs::path> ManifestsIn(const fs::path& run_dir) {
  std::vector<fs::path> found;
  for (const fs::path& path : PathsIn(run_dir / "ncu")) {
    const std::string name = path.filename().string();
    if (name == "manifest.json" ||
        (name.starts_with("manifest.rank") && name.ends_with(".json")))
      found.push_back(path);
  }
  std::ranges::sort(found, {}, [](const fs::path& path) {
    return std::pair(path.string().size(), path.string());
  });
  return found;
}

Result<Capture> ReadCapture(const fs::path& run_dir) {
  const std::vector<fs::path> manifests = ManifestsIn(run_dir);
  if (!manifests.empty()) return ReadManifests(run_dir, manifests);
  return Error(ErrorCode::kUsage, run_dir.string() +
                                      ": is not a run directory: it has no "
                                      "ncu/manifest.json");
}

Result<Capture> ReadCaptureOfRank(const fs::path& run_dir, int rank) {
  const fs::path manifest =
      run_dir / "ncu" / fmt::format("manifest.rank{}.json", rank);
  std::error_code error;
  if (fs::exists(manifest, error)) return ReadManifests(run_dir, {manifest});
  return Error(ErrorCode::kUsage,
               fmt::format("{}: no such file", manifest.string()));
}

bool HasDamagedManifest(const Capture& capture) {
  return std::ranges::find(capture.notes.all(), kDamaged, &Note::kind) !=
         capture.notes.all().end();
}

}  // namespace rangefinder
