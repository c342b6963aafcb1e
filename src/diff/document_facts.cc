#include "diff/document_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "region/tree.h"

namespace rangefinder {
namespace {

using nlohmann::json;

const json kNothing;

const json& At(const json& object, std::string_view key) {
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

std::optional<double> NumberOf(const json& value) {
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::optional<std::uint64_t> CountOf(const json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::string TextOf(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

// What is not looked at is not kept: scopes behind the first, and fields of
// regions that are long. `scopes`: how many there are.
json Parse(std::string_view text, std::size_t& scopes) {
  std::string_view section;  // of the document
  scopes = 0;
  static const std::set<std::string, std::less<>> kLong = {
      "by_name",   "columns",     "first",     "findings", "matrix",
      "over_time", "ranks",       "sections",  "slowest",  "streams",
      "notes",     "slowest_gpu", "headlines", "roofline"};
  const auto wanted = [&](int depth, json::parse_event_t event,
                          const json& value) {
    if (event == json::parse_event_t::key) {
      const std::string& key = value.get_ref<const std::string&>();
      if (depth == 1) section = key == "scopes" ? "scopes" : "";
      return !kLong.contains(key);
    }
    if (event == json::parse_event_t::object_start && depth == 2 &&
        section == "scopes")
      return ++scopes == 1;
    return true;
  };
  return json::parse(text, wanted);
}

class Reading {
 public:
  explicit Reading(RunFacts& run) : run_(run) {}

  // Throws json::exception.
  Status Document(const json& document, std::size_t count) {
    const json& scopes = At(document, "scopes");
    if (!scopes.is_array() || scopes.empty())
      return Error(
          ErrorCode::kUnsupported,
          "a report.json without scopes: that of a whole run has them, "
          "of a region's folder not");
    const json& scope = scopes.front();
    if (count > 1 && At(scope, "scope") != "aggregate")
      return Error(ErrorCode::kUnsupported,
                   "a report.json of several processes without their "
                   "aggregate (regions.aggregate=false)");
    Settings(At(document, "capture"), scope);
    RegionFacts whole;
    Amounts(scope, At(scope, "totals"), whole);
    Times(At(scope, "times"), whole);
    run_.regions.push_back(std::move(whole));
    for (const json& region : At(scope, "regions")) TRY(Region(region));
    return Ok();
  }

 private:
  void Set(std::string name, const std::string& value) {
    if (!value.empty())
      run_.settings.push_back({std::move(name), Printable(value)});
  }

  // As AddSettings() of a report says them.
  void Settings(const json& capture, const json& scope) {
    std::set<std::string> models;
    const json& devices = At(capture, "devices");
    for (const json& device : devices) {
      const std::string text = TextOf(device);
      const std::size_t colon = text.find(": ");
      models.insert(colon == text.npos ? text : text.substr(colon + 2));
    }
    std::set<std::uint64_t> processes;
    for (const json& process : At(capture, "processes"))
      processes.insert(CountOf(At(process, "pid")).value_or(0));
    Set("device", fmt::format("{}", fmt::join(models, ", ")));
    Set("devices", std::to_string(devices.size()));
    Set("processes", std::to_string(processes.size()));
    bool undisturbed = false;
    for (const json& region : At(scope, "regions"))
      if (At(At(region, "summary"), "source") == "undisturbed")
        undisturbed = true;
    Set("mode", undisturbed ? "trace" : TextOf(At(capture, "mode")));
    Set("clock control", TextOf(At(capture, "clock_control")));
    Set("cache control", TextOf(At(capture, "cache_control")));
    const json& regions = At(scope, "regions");
    if (!regions.empty()) Selections(At(regions.front(), "selection"));
    const json& tools = At(capture, "tools");
    if (!tools.is_object()) return;
    for (const auto& [tool, version] : tools.items())
      if (tool != "mode") Set(tool, TextOf(version));
  }

  void Selections(const json& selection) {
    const auto texts = [&](std::string_view key) {
      std::vector<std::string> list;
      for (const json& text : At(selection, key)) list.push_back(TextOf(text));
      return list;
    };
    Set("regions",
        Selected(texts("include_patterns"), texts("exclude_patterns")));
    Set("kernels", Selected(texts("kernel_include_patterns"),
                            texts("kernel_exclude_patterns")));
  }

  void Amounts(const json& object, const json& inclusive, RegionFacts& facts) {
    facts.time_ns = NumberOf(At(inclusive, "gpu_time_ns"));
    facts.launches = CountOf(At(inclusive, "kernel_count"));
    const json& exclusive = At(object, "exclusive");
    facts.own_ns = NumberOf(At(exclusive, "gpu_time_ns"));
    facts.own_launches = CountOf(At(exclusive, "kernel_count"));
    const json& metrics = At(inclusive, "metrics");
    if (!metrics.is_object()) return;
    for (const auto& [name, cell] : metrics.items()) Counter(name, cell, facts);
  }

  void Counter(const std::string& name, const json& cell, RegionFacts& facts) {
    const auto value = NumberOf(At(cell, "value"));
    const std::string how = TextOf(At(cell, "how"));
    if (!value || how == "absent" || !IsOfTheProgram(name)) return;
    CounterFacts counter{.value = *value,
                         .exact = how == "measured" || how == "exact"};
    if (how == "estimated")
      counter.error = NumberOf(At(cell, "standard_error"));
    facts.counters.emplace(name, counter);
    run_.units.emplace(name, TextOf(At(cell, "unit")));
  }

  void Times(const json& times, RegionFacts& facts) {
    const auto instances = CountOf(At(times, "instances"));
    if (instances && *instances > 0) facts.instances = instances;
    const auto total = [&](std::string_view key) -> std::optional<double> {
      const json& spread = At(times, key);
      if (CountOf(At(spread, "instances")).value_or(0) == 0)
        return std::nullopt;
      return NumberOf(At(spread, "total"));
    };
    facts.cpu_ns = total("cpu_ns");
    facts.idle_ns = total("gpu_idle_ns");
    facts.copy_bytes = CountOf(At(At(times, "gpu"), "copy_bytes"));
  }

  Status Region(const json& region) {
    RegionFacts facts;
    const json& path = At(region, "path");
    const auto id = CountOf(At(region, "id"));
    if (!path.is_array() || !id)
      return Error(ErrorCode::kCorrupt, "a region without a path or an id");
    facts.frame = path.empty() ? std::string(RegionTree::kUnattributed)
                               : Printable(TextOf(path.back()));
    if (const auto parent = CountOf(At(region, "parent_id"))) {
      const auto known = places_.find(*parent);
      if (known == places_.end())
        return Error(ErrorCode::kCorrupt,
                     fmt::format("region {}: its parent {} does not come "
                                 "before it",
                                 *id, *parent));
      facts.parent = known->second;
    }
    facts.depth = run_.regions[facts.parent].depth + 1;
    Amounts(region, At(region, "inclusive"), facts);
    Times(At(region, "times"), facts);
    const json& summary = At(region, "summary");
    const bool undisturbed = At(summary, "source") == "undisturbed";
    if (summary.is_object()) {
      facts.time_ns = NumberOf(At(summary, "gpu_time_ns"));
      facts.own_ns = NumberOf(At(summary, "own_gpu_time_ns"));
      facts.launches = CountOf(At(summary, "launches"));
      facts.own_launches = CountOf(At(summary, "own_launches"));
    }
    for (const json& kernel : At(region, "kernels"))
      Kernel(kernel, undisturbed, facts);
    places_[*id] = run_.regions.size();
    run_.regions.push_back(std::move(facts));
    return Ok();
  }

  void Kernel(const json& kernel, bool undisturbed, RegionFacts& facts) {
    const std::uint64_t calls = CountOf(At(kernel, "calls")).value_or(0);
    const std::uint64_t own = CountOf(At(kernel, "own_calls")).value_or(calls);
    const json& traced = At(kernel, "traced");
    const bool of_trace = undisturbed && traced.is_object();
    if (own == 0 || own > calls) return;
    const double all_ms =
        NumberOf(At(of_trace ? traced : kernel, "total_ms")).value_or(0);
    double own_ms = NumberOf(At(kernel, "own_total_ms")).value_or(all_ms);
    std::uint64_t launches = own;
    if (of_trace) {  // says nothing of what is its own: in proportion
      const double share =
          static_cast<double>(own) / static_cast<double>(calls);
      own_ms = all_ms * share;
      const auto all =
          static_cast<double>(CountOf(At(traced, "calls")).value_or(calls));
      launches = static_cast<std::uint64_t>(std::min(1e18, all * share + 0.5));
    }
    KernelFacts& row = facts.kernels[TextOf(At(kernel, "kernel_name"))];
    row.launches += launches;
    row.time_ns += own_ms * 1e6;
  }

  RunFacts& run_;
  std::map<std::uint64_t, std::size_t> places_{};  // by id of the document
};

}  // namespace

bool IsReportDocument(std::string_view bytes) {
  const std::size_t brace = bytes.find_first_not_of(" \t\r\n");
  if (brace == bytes.npos || bytes[brace] != '{') return false;
  return bytes.substr(brace, 200).find("\"rangefinder.report/") != bytes.npos;
}

Result<RunFacts> FactsOfDocument(std::string_view text, std::string source) {
  RunFacts run{.source = std::move(source)};
  try {
    std::size_t scopes = 0;
    const json document = Parse(text, scopes);
    TRY(Reading(run).Document(document, scopes));
  } catch (const json::exception& e) {
    return Error(ErrorCode::kCorrupt, e.what());
  }
  return run;
}

}  // namespace rangefinder
