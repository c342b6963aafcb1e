#include "app/diff_settings.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/setting.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

constexpr std::string_view kRegions = "diff.gate.regions.";
constexpr std::string_view kMetrics = "diff.gate.metrics.";

// One limit of the gate: region, name and value as written, and the key for
// errors.
struct GateEntry {
  std::string region{};  // empty: all regions
  std::string name{};    // "time", "absolute", or a metric and its limit
  std::string value{};
  std::string key{};  // for errors
};

Result<double> Parsed(const GateEntry& entry,
                      std::optional<double> (*parse)(std::string_view text),
                      std::string_view expected) {
  const std::optional<double> value = parse(entry.value);
  if (value && *value >= 0) return *value;
  return UsageError("{}: expected {}, got '{}'", Printable(entry.key), expected,
                    Printable(entry.value));
}

constexpr std::string_view kShare = "a share such as 5%";
constexpr std::string_view kTime = "a time such as 20us or 1.5ms";

// "dram_bandwidth.min": the last part of a name of ncu belongs to the metric,
// the last part of a derived name is the limit.
std::pair<std::string, std::string> MetricAndLimit(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {name, "growth"};
  const std::string limit = name.substr(dot + 1);
  if (limit != "min" && limit != "max") return {name, "growth"};
  const std::string metric = name.substr(0, dot);
  const bool native = metric.find("__") != std::string::npos;
  if (native && metric.find('.') == std::string::npos) return {name, "growth"};
  return {metric, limit};
}

Status TakeMetric(const GateEntry& entry,
                  std::map<std::string, MetricLimit>& limits) {
  const auto [metric, limit] = MetricAndLimit(entry.name);
  MetricLimit& of = limits[metric];
  if (limit == "growth")
    of.growth = TRY(Parsed(entry, ShareOf, kShare));
  else  // metrics in percent have percent as unit
    (limit == "min" ? of.min : of.max) =
        TRY(Parsed(entry, PercentOf, "a number in the metric's unit"));
  return Ok();
}

Status TakeEntry(const GateEntry& entry, DiffRequirements& settings) {
  if (entry.region.empty()) return TakeMetric(entry, settings.gate.metrics);
  if (entry.name != "time" && entry.name != "absolute")
    return TakeMetric(entry, settings.gate.regions[entry.region]);
  Threshold& threshold =
      settings.rules.regions.try_emplace(entry.region, settings.rules.threshold)
          .first->second;
  if (entry.name == "time")
    threshold.relative = TRY(Parsed(entry, ShareOf, kShare));
  else
    threshold.absolute_ns = TRY(Parsed(entry, NanosecondsOf, kTime));
  return Ok();
}

// The limits in `node`, which is the value of `key`.
void AddEntries(const Node& node, const std::string& region,
                const std::string& key, std::vector<GateEntry>& entries) {
  for (const auto& [name, value] : LeavesOf(node)) {
    if (value->is_map()) continue;
    entries.push_back({region, name, PythonStr(*value),
                       name.empty() ? key : key + "." + name});
  }
}

std::vector<GateEntry> EntriesOf(const Node& tree) {
  std::vector<GateEntry> entries;
  if (const Node* metrics = tree.FindPath("diff.gate.metrics");
      metrics != nullptr && metrics->is_map())
    AddEntries(*metrics, "", "diff.gate.metrics", entries);
  const Node* regions = tree.FindPath("diff.gate.regions");
  if (regions == nullptr || !regions->is_map()) return entries;
  for (const Entry& entry : regions->entries) {
    const std::string path = PythonStr(entry.key);
    AddEntries(entry.value, path, std::string(kRegions) + path, entries);
  }
  return entries;
}

// `diff.gate.regions.'LLM/decode'.time=2%`, the path with or without quotes.
Result<GateEntry> ParseGateOverride(const std::string& word) {
  std::string_view text = word;
  text.remove_prefix(std::min(text.find_first_not_of('+'), text.size()));
  const auto bad = [&] {
    return UsageError(
        "{}: expected diff.gate.regions.'PATH'.time=5%, ….METRIC=5% or "
        "….METRIC.min=80%",
        Printable(word));
  };
  GateEntry entry;
  const bool of_region = text.starts_with(kRegions);
  text.remove_prefix(of_region ? kRegions.size() : kMetrics.size());
  if (of_region) {
    if (text.empty()) return bad();
    const char quote = text.front();
    const bool quoted = quote == '\'' || quote == '"';
    if (quoted) text.remove_prefix(1);
    const std::size_t end = text.find(quoted ? quote : '.');
    if (end == std::string_view::npos || end == 0) return bad();
    entry.region = text.substr(0, end);
    text.remove_prefix(end + (quoted ? 1 : 0));
    if (!text.starts_with('.')) return bad();
    text.remove_prefix(1);
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return bad();
  entry.name = text.substr(0, equals);
  entry.value = text.substr(equals + 1);
  entry.key = word.substr(0, word.size() - entry.value.size() - 1);
  return entry;
}

// ---- Files ------------------------------------------------------------------

std::string TextOr(const Node& tree, std::string_view path) {
  const Node* const node = tree.FindPath(path);
  return node == nullptr || node->is_null() ? "" : PythonStr(*node);
}

Result<Node> ReadYamlFile(const std::string& path) {
  auto source = std::make_shared<Source>();
  source->name = path;
  source->text = TRY(ReadFile(path));
  return ReadYaml(std::move(source));
}

// A day of the calendar as 2026-12-31.
bool IsDay(std::string_view text) {
  int year = 0;
  unsigned month = 0, day = 0;
  const auto read = [&](std::size_t from, std::size_t size, auto& number) {
    const char* const end = text.data() + from + size;
    return std::from_chars(text.data() + from, end, number).ptr == end;
  };
  return text.size() == 10 && text[4] == '-' && text[7] == '-' &&
         read(0, 4, year) && read(5, 2, month) && read(8, 2, day) &&
         std::chrono::year_month_day(std::chrono::year(year),
                                     std::chrono::month(month),
                                     std::chrono::day(day))
             .ok();
}

Result<std::vector<Accepted>> ReadAccepted(const std::string& path) {
  const Node list = TRY(ReadYamlFile(path).In("diff.accepted"));
  std::vector<Accepted> accepted;
  for (const Node& item : list.items) {
    Accepted one{.region = TextOr(item, "region"),
                 .reason = TextOr(item, "reason"),
                 .until = TextOr(item, "until")};
    // The whole run is the region without a name.
    if (item.Find("region") == nullptr || one.reason.empty() ||
        !IsDay(one.until))
      return KeyError(
          "diff.accepted", item,
          "expected {{region: PATH, until: 2026-12-31, reason: WHY}}");
    accepted.push_back(std::move(one));
  }
  if (!list.is_list() && !list.entries.empty())
    return KeyError("diff.accepted", list, "expected a list");
  return accepted;
}

Status ReadMatch(const std::string& path, PairingRules& rules) {
  const Node tree = TRY(ReadYamlFile(path).In("diff.match"));
  for (const Entry& part : tree.entries) {
    const std::string name = PythonStr(part.key);
    if ((name != "regions" && name != "kernels") || !part.value.is_map())
      return KeyError("diff.match", part.value,
                      "expected the maps regions: and kernels:, of old names "
                      "to new ones");
    auto& names = name == "regions" ? rules.regions : rules.kernels;
    for (const Entry& pair : part.value.entries) {
      const std::string to = PythonStr(pair.value);
      for (const auto& [other, taken] : names) {
        if (taken == to)
          return KeyError("diff.match", pair.value,
                          "two names of the base are matched with '{}': '{}' "
                          "and '{}'",
                          Printable(to), Printable(other),
                          Printable(PythonStr(pair.key)));
      }
      names[PythonStr(pair.key)] = to;
    }
  }
  return Ok();
}

Result<Calibration> ReadCalibration(const std::string& path) {
  const std::string text = TRY(ReadFile(path));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto bad = [] {
    return Error(ErrorCode::kCorrupt,
                 "this is no calibration: `rangefinder diff --calibrate RUN… "
                 "-o FILE` makes one");
  };
  if (!json.is_object() || !json.contains("regions") ||
      !json["regions"].is_array())
    return bad();
  Calibration calibration;
  for (const auto& region : json["regions"]) {
    if (!region.is_object() ||
        !region.value("path", nlohmann::json()).is_string() ||
        !region.value("deviation", nlohmann::json()).is_number() ||
        !region.value("runs", nlohmann::json()).is_number_unsigned())
      return bad();
    calibration[region["path"].get<std::string>()] = {
        .deviation = region["deviation"].get<double>(),
        .runs = region["runs"].get<std::size_t>()};
  }
  return calibration;
}

}  // namespace

std::vector<std::string> TakeGateOverrides(
    std::vector<std::string>& overrides) {
  std::vector<std::string> taken;
  std::erase_if(overrides, [&](const std::string& word) {
    std::string_view key = word;
    key.remove_prefix(std::min(key.find_first_not_of('+'), key.size()));
    if (!key.starts_with(kRegions) && !key.starts_with(kMetrics)) return false;
    taken.push_back(word);
    return true;
  });
  return taken;
}

Result<DiffRequirements> ReadDiffRequirements(
    const Node& tree, const DiffSettings& settings,
    const std::vector<std::string>& gate_overrides, const std::string& today) {
  DiffRequirements out{.rules = settings.rules};
  out.gate.today = today;
  // With fewer than two runs there is no spread.
  out.rules.least_runs = std::max<std::uint64_t>(2, out.rules.least_runs);
  out.rules.pairing.guess = !settings.strict;
  for (const GateEntry& entry : EntriesOf(tree)) TRY(TakeEntry(entry, out));
  for (const std::string& word : gate_overrides) {
    const GateEntry entry = TRY(ParseGateOverride(word));
    TRY(TakeEntry(entry, out));
  }
  if (settings.accepted) {
    out.gate.accepted = TRY(ReadAccepted(*settings.accepted));
  }
  if (settings.match) TRY(ReadMatch(*settings.match, out.rules.pairing));
  if (settings.calibration) {
    out.rules.calibration =
        TRY(ReadCalibration(*settings.calibration)
                .In("diff.calibration: " + *settings.calibration));
  }
  return out;
}

std::string CalibrationText(const Calibration& calibration,
                            const std::vector<std::string>& sources) {
  nlohmann::ordered_json json;
  json["schema"] = "rangefinder.calibration/1";
  json["runs"] = sources;
  json["regions"] = nlohmann::ordered_json::array();
  for (const auto& [path, noise] : calibration) {
    json["regions"].push_back(
        {{"path", path}, {"deviation", noise.deviation}, {"runs", noise.runs}});
  }
  return JsonDocument(json, 1) + "\n";
}

}  // namespace rangefinder
