#include "serve/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "base/lists.h"
#include "base/text.h"

namespace rangefinder {
namespace {

using Json = nlohmann::json;
using Number = std::optional<double>;

constexpr std::string_view kOthers = "(others)";
constexpr std::size_t kMostLabel = 1000;  // bytes

// ---- The families of regions -----------------------------------------------

enum class From {
  kSummary,  // a field of `summary`, or else of `inclusive` or `exclusive`
  kField,    // a field of the region itself
  kCell,     // a metric's value
  kError,    // its standard error
  kCopies,   // copies and sets of a trace
};

struct RegionFamily {
  std::string_view name;
  std::string_view unit;  // the last word of the name; empty: a plain number
  std::string_view help;
  From from;
  bool own;              // without inner regions
  std::string_view key;  // a field, or a metric
  double scale;          // to the base unit
  bool sums;             // over regions, where `own` is taken
};

constexpr double kNano = 1e-9;
constexpr double kPercent = 1e-2;

constexpr auto kRegionFamilies = std::to_array<RegionFamily>({
    {"rangefinder_region_gpu_seconds", "seconds",
     "GPU time of the kernels of a region, inner regions included.",
     From::kSummary, false, "gpu_time_ns", kNano, true},
    {"rangefinder_region_exclusive_gpu_seconds", "seconds",
     "GPU time of the kernels of a region, without inner regions.",
     From::kSummary, true, "gpu_time_ns", kNano, true},
    {"rangefinder_region_launches", "",
     "Kernels that a region launched, inner regions included.", From::kSummary,
     false, "launches", 1, true},
    {"rangefinder_region_exclusive_launches", "",
     "Kernels that a region launched, without inner regions.", From::kSummary,
     true, "launches", 1, true},
    {"rangefinder_region_instances", "",
     "Executions of a region in the window.", From::kField, false, "instances",
     1, false},
    {"rangefinder_region_copy_bytes", "bytes",
     "Bytes that a region copied or set, inner regions included.",
     From::kCopies, false, "", 1, false},
    {"rangefinder_region_dram_read_bytes", "bytes",
     "Bytes that the kernels of a region read from the GPU's memory, inner "
     "regions included.",
     From::kCell, false, "dram__bytes_read.sum", 1, true},
    {"rangefinder_region_dram_read_standard_error_bytes", "bytes",
     "Standard error of rangefinder_region_dram_read_bytes.", From::kError,
     false, "dram__bytes_read.sum", 1, false},
    {"rangefinder_region_exclusive_dram_read_bytes", "bytes",
     "Bytes that the kernels of a region read from the GPU's memory, without "
     "inner regions.",
     From::kCell, true, "dram__bytes_read.sum", 1, true},
    {"rangefinder_region_dram_written_bytes", "bytes",
     "Bytes that the kernels of a region wrote to the GPU's memory, inner "
     "regions included.",
     From::kCell, false, "dram__bytes_write.sum", 1, true},
    {"rangefinder_region_dram_written_standard_error_bytes", "bytes",
     "Standard error of rangefinder_region_dram_written_bytes.", From::kError,
     false, "dram__bytes_write.sum", 1, false},
    {"rangefinder_region_exclusive_dram_written_bytes", "bytes",
     "Bytes that the kernels of a region wrote to the GPU's memory, without "
     "inner regions.",
     From::kCell, true, "dram__bytes_write.sum", 1, true},
    {"rangefinder_region_dram_peak_ratio", "ratio",
     "DRAM bytes moved in the kernels' time, of the most possible.",
     From::kCell, false, "dram_peak_share", kPercent, false},
    {"rangefinder_region_dram_peak_standard_error_ratio", "ratio",
     "Standard error of rangefinder_region_dram_peak_ratio.", From::kError,
     false, "dram_peak_share", kPercent, false},
    {"rangefinder_region_tensor_peak_ratio", "ratio",
     "Active cycles of the tensor cores in the kernels' time, of the most "
     "possible.",
     From::kCell, false, "tensor_peak_share", kPercent, false},
    {"rangefinder_region_tensor_peak_standard_error_ratio", "ratio",
     "Standard error of rangefinder_region_tensor_peak_ratio.", From::kError,
     false, "tensor_peak_share", kPercent, false},
    {"rangefinder_region_issue_peak_ratio", "ratio",
     "Instructions issued in the kernels' time, of the most possible.",
     From::kCell, false, "issue_peak_share", kPercent, false},
    {"rangefinder_region_issue_peak_standard_error_ratio", "ratio",
     "Standard error of rangefinder_region_issue_peak_ratio.", From::kError,
     false, "issue_peak_share", kPercent, false},
    {"rangefinder_region_sm_busy_ratio", "ratio",
     "Cycles in which an SM had work in the kernels' time, the mean over SMs.",
     From::kCell, false, "sm_busy_share", kPercent, false},
    {"rangefinder_region_sm_busy_standard_error_ratio", "ratio",
     "Standard error of rangefinder_region_sm_busy_ratio.", From::kError, false,
     "sm_busy_share", kPercent, false},
});

Number NumberOf(const Json& value, double scale = 1) {
  if (!value.is_number()) return {};
  return value.get<double>() * scale;
}

// A text or a whole number.
std::string LabelOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_integer() ? value.dump() : "";
}

// Time or launches, in the form of a report's tables.
Number SummaryValue(const Json& region, const RegionFamily& family, bool own) {
  if (const Json& summary = At(region, "summary"); summary.is_object())
    return NumberOf(At(summary, (own ? "own_" : "") + std::string(family.key)),
                    family.scale);
  const Json& amounts = At(region, own ? "exclusive" : "inclusive");
  return NumberOf(
      At(amounts, family.key == "launches" ? "kernel_count" : family.key),
      family.scale);
}

Number CellValue(const Json& region, const RegionFamily& family, bool own) {
  const Json& cell = At(
      At(At(region, own ? "exclusive" : "inclusive"), "metrics"), family.key);
  // A bound is no measured value.
  if (At(cell, "how") == "bound") return {};
  return NumberOf(
      At(cell, family.from == From::kError ? "standard_error" : "value"),
      family.scale);
}

Number ValueOf(const Json& region, const RegionFamily& family, bool own) {
  switch (family.from) {
    case From::kSummary:
      return SummaryValue(region, family, own);
    case From::kField:
      return NumberOf(At(region, family.key), family.scale);
    case From::kCell:
    case From::kError:
      return CellValue(region, family, own);
    case From::kCopies: {
      const Json& gpu = At(At(region, "times"), "gpu");
      const Number copied = NumberOf(At(gpu, "copy_bytes"));
      const Number set = NumberOf(At(gpu, "set_bytes"));
      if (!copied && !set) return {};
      return copied.value_or(0) + set.value_or(0);
    }
  }
  return {};
}

// ---- From a report ---------------------------------------------------------

// Large parts of a report without numbers of regions.
bool IsLeftOut(const std::string& key) {
  constexpr std::array<std::string_view, 12> kKeys = {
      "kernels", "streams",  "first",   "slowest", "slowest_gpu", "columns",
      "notes",   "sections", "by_name", "ranks",   "over_time",   "findings"};
  return Has(kKeys, key);
}

std::vector<const Json*> ScopesOf(const Json& document) {
  const Json& scopes = At(document, "scopes");
  std::vector<const Json*> each;
  const Json* aggregate = nullptr;
  if (!scopes.is_array()) return each;
  for (const Json& scope : scopes) {
    if (At(scope, "scope") == "aggregate")
      aggregate = &scope;
    else if (At(scope, "same_as").is_null())  // else incomplete
      each.push_back(&scope);
  }
  if (aggregate != nullptr && (each.empty() || each.size() > kMostServedScopes))
    return {aggregate};
  each.resize(std::min(each.size(), kMostServedScopes));
  return each;
}

const Json& RegionsOf(const Json& scope) {
  const Json& regions = At(scope, "regions");
  static const Json kEmpty = Json::array();
  return regions.is_array() ? regions : kEmpty;
}

// The ids of the regions with the most GPU time. An outer region comes before
// an inner one of the same time, so that a left-out region is never around a
// kept one.
std::set<std::int64_t> KeptRegions(const std::vector<const Json*>& scopes) {
  struct Ranked {
    double time = 0;
    std::int64_t depth = 0;
  };
  std::map<std::int64_t, Ranked> all;
  for (const Json* scope : scopes)
    for (const Json& region : RegionsOf(*scope)) {
      Ranked& ranked = all[region.value("id", std::int64_t{0})];
      ranked.time +=
          SummaryValue(region, kRegionFamilies.front(), false).value_or(0);
      ranked.depth = region.value("depth", std::int64_t{0});
    }
  std::vector<std::pair<std::int64_t, Ranked>> order(all.begin(), all.end());
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return std::tuple(-a.second.time, a.second.depth, a.first) <
           std::tuple(-b.second.time, b.second.depth, b.first);
  });
  const std::size_t most =
      std::min(kMostServedRegions,
               kMostServedRows / std::max<std::size_t>(scopes.size(), 1));
  order.resize(std::min(order.size(), most));
  std::set<std::int64_t> kept;
  for (const auto& [id, ranked] : order) kept.insert(id);
  return kept;
}

std::string PathText(const Json& region) {
  std::string text;
  if (const Json& path = At(region, "path"); path.is_array())
    for (const Json& frame : path)
      text += (text.empty() ? "" : "/") + LabelOf(frame);
  if (text.empty()) text = LabelOf(At(region, "name"));
  if (text.size() <= kMostLabel) return text;
  std::size_t end = kMostLabel;
  // Goes back to the start of a character.
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

// Two samples with equal labels would invalidate the whole scrape.
std::string Unused(const std::string& name, std::set<std::string>& used) {
  std::string text = name;
  for (int i = 2; !used.insert(text).second; ++i)
    text = fmt::format("{} ({})", name, i);
  return text;
}

void AddScope(const Json& scope, const std::set<std::int64_t>& kept,
              std::vector<RegionFigures>& rows) {
  const RegionFigures labels{.process = LabelOf(At(scope, "process")),
                             .rank = LabelOf(At(scope, "rank")),
                             .host = ValidUtf8(LabelOf(At(scope, "host"))),
                             .device = LabelOf(At(scope, "device"))};
  RegionFigures others = labels;
  others.region = kOthers;
  others.values.resize(kRegionFamilies.size());
  bool left_out = false;
  std::set<std::string> used = {std::string(kOthers)};
  for (const Json& region : RegionsOf(scope)) {
    const bool keeps = kept.contains(region.value("id", std::int64_t{0}));
    RegionFigures row = labels;
    if (keeps) row.region = Unused(PathText(region), used);
    for (std::size_t i = 0; i < kRegionFamilies.size(); ++i) {
      const RegionFamily& family = kRegionFamilies[i];
      if (keeps) {
        row.values.push_back(ValueOf(region, family, family.own));
      } else if (family.sums) {
        // The inner regions of a left-out region are left out as well.
        if (const Number own = ValueOf(region, family, true))
          others.values[i] = others.values[i].value_or(0) + *own;
      }
    }
    left_out |= !keeps;
    if (keeps) rows.push_back(std::move(row));
  }
  if (left_out) rows.push_back(std::move(others));
}

// ---- To text ---------------------------------------------------------------

// Both formats escape label values alike.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : ValidUtf8(text)) {
    if (c == '\n')
      escaped += "\\n";
    else if (c == '\\' || c == '"')
      escaped += std::string("\\") + c;
    else
      escaped += c;
  }
  return escaped;
}

std::string Labels(
    std::initializer_list<std::pair<std::string_view, std::string_view>> all) {
  std::string text;
  for (const auto& [name, value] : all)
    if (!value.empty())
      text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name,
                          Escaped(value));
  return text;
}

struct SampleLine {
  std::string_view labels;
  double value;
};

template <typename Family>
void AddFamily(const Family& family, bool counts,
               std::span<const SampleLine> samples, MetricsFormat format,
               std::string& text) {
  if (samples.empty()) return;
  const bool open = format == MetricsFormat::kOpenMetrics;
  const std::string sample_name =
      fmt::format("{}{}", family.name, counts ? "_total" : "");
  // OpenMetrics has no _total in the name of a family.
  const std::string name = open ? std::string(family.name) : sample_name;
  text += fmt::format("# TYPE {} {}\n", name, counts ? "counter" : "gauge");
  if (open && !family.unit.empty())
    text += fmt::format("# UNIT {} {}\n", name, family.unit);
  text += fmt::format("# HELP {} {}\n", name, family.help);
  for (const SampleLine& sample : samples)
    text +=
        fmt::format("{}{{{}}} {}\n", sample_name, sample.labels, sample.value);
}

// A family with one sample per run.
struct RunFamily {
  std::string_view name, unit, help;
  bool counts;
  Number (*of)(const RunFigures& run);
};

constexpr RunFamily kRunFamilies[] = {
    {"rangefinder_up", "",
     "Whether the latest window of a run was measured: 1, or 0.", false,
     [](const RunFigures& run) {
       return run.up ? Number(*run.up ? 1 : 0) : Number();
     }},
    {"rangefinder_windows", "", "Windows that were measured.", true,
     [](const RunFigures& run) {
       return Number(static_cast<double>(run.windows));
     }},
    {"rangefinder_window_failures", "", "Windows that failed.", true,
     [](const RunFigures& run) {
       return Number(static_cast<double>(run.failures));
     }},
    {"rangefinder_window_start_timestamp_seconds", "seconds",
     "When the latest window was measured, in seconds since 1970.", false,
     [](const RunFigures& run) { return run.start_unix_s; }},
    {"rangefinder_window_seconds", "seconds", "Length of the latest window.",
     false, [](const RunFigures& run) { return run.seconds; }},
};

}  // namespace

std::vector<std::string> RegionFamilyNames() {
  std::vector<std::string> names;
  for (const RegionFamily& family : kRegionFamilies)
    names.emplace_back(family.name);
  return names;
}

Result<std::vector<RegionFigures>> FiguresOfReport(std::istream& report) {
  try {
    const Json document =
        Json::parse(report, [](int, Json::parse_event_t event, Json& value) {
          return event != Json::parse_event_t::key ||
                 !IsLeftOut(value.get_ref<const std::string&>());
        });
    if (!LabelOf(At(document, "schema")).starts_with("rangefinder.report/"))
      return Error(ErrorCode::kCorrupt, "is no report.json");
    const std::vector<const Json*> scopes = ScopesOf(document);
    const std::set<std::int64_t> kept = KeptRegions(scopes);
    std::vector<RegionFigures> rows;
    for (const Json* scope : scopes) AddScope(*scope, kept, rows);
    return rows;
  } catch (const Json::exception& error) {
    return Error(ErrorCode::kCorrupt,
                 "is no report.json: " + Printable(error.what()));
  }
}

std::string MetricsText(std::span<const RunFigures> runs,
                        MetricsFormat format) {
  std::string text;
  std::vector<SampleLine> samples;
  std::vector<std::string> run_labels;
  std::vector<std::pair<std::string, const RegionFigures*>> rows;
  for (const RunFigures& run : runs) {
    run_labels.push_back(Labels({{"run", run.run}}));
    for (const RegionFigures& row : run.regions)
      rows.emplace_back(Labels({{"run", run.run},
                                {"process", row.process},
                                {"rank", row.rank},
                                {"host", row.host},
                                {"device", row.device},
                                {"region", row.region}}),
                        &row);
  }
  for (const RunFamily& family : kRunFamilies) {
    samples.clear();
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (const Number value = family.of(runs[i]))
        samples.push_back({run_labels[i], *value});
    AddFamily(family, family.counts, samples, format, text);
  }
  for (std::size_t i = 0; i < kRegionFamilies.size(); ++i) {
    samples.clear();
    for (const auto& [labels, row] : rows)
      if (const Number value = row->values[i])
        samples.push_back({labels, *value});
    AddFamily(kRegionFamilies[i], false, samples, format, text);
  }
  if (format == MetricsFormat::kOpenMetrics) text += "# EOF\n";
  return text;
}

}  // namespace rangefinder
