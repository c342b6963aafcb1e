#include "counters/metric_list.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "region/pattern.h"

namespace rangefinder {

namespace {

constexpr std::size_t kMostTogether = 64;
constexpr std::size_t kProgressEach = 50;

// A pattern, divided at the beginning of the suffix.
struct MetricPattern {
  NamePattern base;
  std::optional<NamePattern> suffix{};
};

Result<MetricPattern> ParseMetricPattern(const std::string& text) {
  const std::size_t unit = text.find("__");
  const std::size_t dot =
      text.starts_with(kRegexPrefix) || unit == std::string::npos
          ? std::string::npos
          : text.find('.', unit);
  MetricPattern pattern{.base = TRY(NamePattern::Parse(text.substr(0, dot)))};
  if (dot != std::string::npos)
    pattern.suffix = TRY(NamePattern::Parse(text.substr(dot)));
  return pattern;
}

// The base metrics of both modes as one list, by name.
std::map<std::string, ListedMetric> BaseMetrics(const ChipHosts& hosts) {
  std::map<std::string, ListedMetric> all;
  const auto add = [&](const CounterHost* host, bool ListedMetric::*offered) {
    if (host == nullptr) return;
    for (const BaseMetric& metric : host->metrics()) {
      ListedMetric& listed = all[metric.name];
      listed.name = metric.name;
      listed.type = metric.type;
      listed.*offered = true;
    }
  };
  add(hosts.sample, &ListedMetric::in_sample);
  add(hosts.count, &ListedMetric::in_count);
  return all;
}

// A mode that has the metric; at least one has it.
const CounterHost& AnyHost(const ChipHosts& hosts, const ListedMetric& metric) {
  return metric.in_count ? *hosts.count : *hosts.sample;
}

Result<std::vector<std::string>> SuffixesOf(const ChipHosts& hosts,
                                            const ListedMetric& metric) {
  return AnyHost(hosts, metric)
      .Suffixes({.name = metric.name, .type = metric.type});
}

std::optional<std::size_t> PassesOf(const CounterHost* host,
                                    std::span<const std::string> metrics) {
  if (host == nullptr || metrics.empty()) return std::nullopt;
  const auto passes = host->Passes(metrics);
  return passes.ok() ? std::optional(passes.value()) : std::nullopt;
}

// Fills in the facts that CUPTI gives for each metric separately.
Status Complete(const ChipHosts& hosts, ListedMetric& metric) {
  const BaseMetric base{.name = metric.name, .type = metric.type};
  const std::vector<std::string> measured = {
      metric.suffixes.empty() ? metric.name : UsualMetric(base)};
  metric.properties = TRY(AnyHost(hosts, metric).Properties(measured.front()));
  if (metric.in_sample) metric.sample = PassesOf(hosts.sample, measured);
  if (metric.in_count) metric.count = PassesOf(hosts.count, measured);
  // A mode may have the base name but not this suffix.
  metric.in_sample = metric.sample.has_value();
  metric.in_count = metric.count.has_value();
  return Ok();
}

Status AddMatching(const ChipHosts& hosts, const ListedMetric& base,
                   const std::vector<MetricPattern>& patterns,
                   std::vector<ListedMetric>& found) {
  const bool whole =
      std::ranges::any_of(patterns, [&](const MetricPattern& pattern) {
        return !pattern.suffix && pattern.base.Matches(base.name);
      });
  const std::vector<std::string> suffixes = TRY(SuffixesOf(hosts, base));
  if (whole) {
    found.push_back(base);
    found.back().suffixes = suffixes;
  }
  for (const std::string& suffix : suffixes) {
    if (!std::ranges::any_of(patterns, [&](const MetricPattern& pattern) {
          return pattern.suffix && pattern.base.Matches(base.name) &&
                 pattern.suffix->Matches(suffix);
        }))
      continue;
    found.push_back(base);
    found.back().name += suffix;
  }
  return Ok();
}

}  // namespace

Result<std::vector<ListedMetric>> AllMetrics(const ChipHosts& hosts) {
  std::vector<ListedMetric> metrics;
  for (auto& [name, metric] : BaseMetrics(hosts)) {
    metric.properties = TRY(AnyHost(hosts, metric).Properties(name));
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

Result<std::vector<ListedMetric>> MatchingMetrics(
    const ChipHosts& hosts, std::span<const std::string> texts,
    const ListProgress& progress) {
  std::vector<MetricPattern> patterns;
  for (const std::string& text : texts)
    patterns.push_back(TRY(ParseMetricPattern(text)));
  std::vector<ListedMetric> metrics;
  for (const auto& entry : BaseMetrics(hosts)) {
    const ListedMetric& base = entry.second;
    if (std::ranges::any_of(patterns, [&](const MetricPattern& pattern) {
          return pattern.base.Matches(base.name);
        }))
      TRY(AddMatching(hosts, base, patterns, metrics));
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (i % kProgressEach == 0) progress(i, metrics.size());
    TRY(Complete(hosts, metrics[i]));
  }
  return metrics;
}

std::optional<std::size_t> PassesTogether(
    const CounterHost* host, std::span<const ListedMetric> metrics) {
  if (metrics.size() < 2 || metrics.size() > kMostTogether) return std::nullopt;
  std::vector<std::string> names;
  for (const ListedMetric& metric : metrics) {
    if (!metric.suffixes.empty()) return std::nullopt;
    names.push_back(metric.name);
  }
  return PassesOf(host, names);
}

std::vector<std::string> HintsOf(const ChipHosts& hosts, std::string_view chip,
                                 std::span<const std::string> texts) {
  const auto all = BaseMetrics(hosts);
  std::vector<std::string> names;
  for (const auto& [name, metric] : all) names.push_back(name);
  std::vector<std::string> hints;
  for (const std::string& text : texts) {
    const auto pattern = ParseMetricPattern(text);
    if (!pattern.ok()) continue;
    const NamePattern& base = pattern.value().base;
    const auto match = std::ranges::find_if(
        names, [&](const std::string& name) { return base.Matches(name); });
    std::string hint =
        fmt::format("no metric of {} matches '{}'", chip, Printable(text));
    if (match == names.end()) {
      hint += DidYouMean(base.text(), names);
    } else {
      const auto suffixes = SuffixesOf(hosts, all.at(*match));
      if (!pattern.value().suffix || !suffixes.ok()) continue;
      const NamePattern& suffix = *pattern.value().suffix;
      if (std::ranges::any_of(suffixes.value(), [&](const std::string& known) {
            return suffix.Matches(known);
          }))
        continue;
      hint += fmt::format(
          "; {} is there, with other suffixes: rangefinder "
          "counters {}",
          *match, ShellQuote(*match));
    }
    hints.push_back(std::move(hint));
  }
  return hints;
}

// ---- Texts -----------------------------------------------------------------

namespace {

constexpr std::size_t kNarrowest = 60;
constexpr std::size_t kMostWithSuffixes = 12;
constexpr std::size_t kIndent = 4;

// "GH100 (NVIDIA H200), by CUPTI 130001"
std::string Heading(const CounterList& list) {
  std::string text = Printable(list.chip);
  if (!list.device.empty())
    text += fmt::format(" ({})", Printable(list.device));
  if (list.cupti != 0) text += fmt::format(", by CUPTI {}", list.cupti);
  return text;
}

std::string PassText(const std::optional<std::size_t>& passes) {
  return passes ? fmt::format("{}", *passes) : "-";
}

void AddWrapped(std::string_view text, std::size_t indent, std::size_t width,
                std::string& out) {
  if (text.empty()) return;
  for (const std::string& line : Wrapped(text, width - indent))
    out += fmt::format("{:{}}{}\n", "", indent, line);
}

bool IsGrouped(std::string_view name) {
  return name.substr(0, name.find("__")).find('.') != std::string_view::npos;
}

// Suffixes combine a few first words with the same second words: ".avg .max
// .min .sum; behind each .per_second ..." covers all.
std::string SuffixText(const std::vector<std::string>& suffixes) {
  std::map<std::string, std::vector<std::string>> behind;
  for (const std::string& suffix : suffixes) {
    const std::size_t second = suffix.find('.', 1);
    std::vector<std::string>& rest = behind[suffix.substr(0, second)];
    rest.push_back(second == std::string::npos ? "" : suffix.substr(second));
  }
  std::vector<std::string> firsts;
  for (auto& [first, rest] : behind) {
    std::ranges::sort(rest);
    firsts.push_back(first);
    if (rest != behind.begin()->second)
      return fmt::format("{}", fmt::join(suffixes, " "));
  }
  if (firsts.empty()) return "";
  std::vector<std::string> rest = behind.begin()->second;
  const bool alone = std::erase(rest, "") > 0;
  std::string text = fmt::format("{}", fmt::join(firsts, " "));
  if (rest.empty()) return text;
  return fmt::format("{}; behind each{} {}", text,
                     alone ? ", or nothing:" : ":", fmt::join(rest, " "));
}

std::string_view TypeName(cupti::MetricType type) {
  switch (type) {
    case cupti::MetricType::kCounter:
      return "counter";
    case cupti::MetricType::kRatio:
      return "ratio";
    case cupti::MetricType::kThroughput:
      break;
  }
  return "throughput";
}

std::string Together(const CounterList& list) {
  const auto passes = [](const std::optional<std::size_t>& number) {
    return !number        ? std::string("not together")
           : *number == 1 ? std::string("1 pass")
                          : fmt::format("{} passes", *number);
  };
  return fmt::format("\ntogether: sample {}, count {}\n",
                     passes(list.sample_together), passes(list.count_together));
}

std::string HintText(const CounterList& list, std::size_t width) {
  std::string text;
  for (const std::string& hint : list.hints) AddWrapped(hint, 0, width, text);
  return text;
}

}  // namespace

std::string CounterUnitsTable(const CounterList& list, std::size_t width) {
  struct Unit {
    std::size_t sample = 0;
    std::size_t count = 0;
    std::vector<std::string> names{};
  };
  std::map<std::string, Unit> units;
  std::size_t grouped = 0;
  for (const ListedMetric& metric : list.metrics) {
    if (IsGrouped(metric.name)) {
      ++grouped;
      continue;
    }
    const std::string name = UnitOfMetric(metric.name);
    Unit& unit = units[name];
    unit.sample += metric.in_sample ? 1 : 0;
    unit.count += metric.in_count ? 1 : 0;
    unit.names.push_back(metric.name.substr(std::min(
        metric.name.size(), name.size() + std::string_view("__").size())));
  }
  std::size_t widest = std::string_view("unit").size();
  for (const auto& [name, unit] : units)
    widest = std::max(widest, DisplayWidth(name));
  std::string text = Heading(list) + "\n\n";
  text += fmt::format("{:<{}}  sample  count  metrics\n", "unit", widest);
  for (const auto& [name, unit] : units) {
    const std::string row = fmt::format("{:<{}}  {:>6}  {:>5}  ", name, widest,
                                        unit.sample, unit.count);
    text += row +
            Ellipsize(fmt::format("{}", fmt::join(unit.names, ", ")),
                      std::max(width, kNarrowest) - row.size()) +
            '\n';
  }
  text +=
      "\nrangefinder counters 'dram__*' has a unit's metrics with their "
      "passes.\n";
  if (grouped > 0) {
    text += fmt::format(
        "{} more have a fixed group before the unit: rangefinder counters "
        "'*.*__*'\n",
        grouped);
  }
  return text;
}

std::string CounterTable(const CounterList& list, std::size_t width) {
  width = std::max(width, kNarrowest);
  if (list.metrics.empty()) return HintText(list, width);
  std::size_t name_width = std::string_view("metric").size();
  std::size_t unit_width = std::string_view("unit").size();
  for (const ListedMetric& metric : list.metrics) {
    name_width = std::max(name_width, DisplayWidth(metric.name));
    unit_width = std::max(unit_width, DisplayWidth(metric.properties.unit));
  }
  constexpr std::size_t kPassColumns = 17;  // "  sample  count  "
  const std::size_t others = kPassColumns + unit_width;
  name_width = std::min(name_width, width - std::min(width / 2, others));
  std::string text = Heading(list) + "\n\n";
  const auto row = [&](std::string_view name, std::string_view sample,
                       std::string_view count, std::string_view unit) {
    std::string lead(name);
    if (DisplayWidth(name) > name_width) {
      text += lead + '\n';  // names are never cut, since users copy them
      lead.clear();
    }
    const std::string line = fmt::format("{:<{}}  {:>6}  {:>5}  {}", lead,
                                         name_width, sample, count, unit);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  };
  row("metric", "sample", "count", "unit");
  for (const ListedMetric& metric : list.metrics) {
    row(Printable(metric.name), PassText(metric.sample), PassText(metric.count),
        Printable(metric.properties.unit));
    AddWrapped(Printable(metric.properties.description), kIndent, width, text);
    if (list.metrics.size() <= kMostWithSuffixes)
      AddWrapped(SuffixText(metric.suffixes), kIndent, width, text);
  }
  const bool full = std::ranges::all_of(
      list.metrics,
      [](const ListedMetric& metric) { return metric.suffixes.empty(); });
  if (full && (list.sample_together || list.count_together))
    text += Together(list);
  if (!list.hints.empty()) text += '\n' + HintText(list, width);
  return text;
}

std::string CounterJson(const CounterList& list, bool with_passes) {
  using nlohmann::ordered_json;
  const auto mode = [&](bool offered,
                        const std::optional<std::size_t>& passes) {
    ordered_json object = {{"offered", offered}};
    if (with_passes)
      object["passes"] = passes ? ordered_json(*passes) : ordered_json(nullptr);
    return object;
  };
  ordered_json metrics = ordered_json::array();
  for (const ListedMetric& metric : list.metrics) {
    ordered_json row = {{"name", metric.name},
                        {"hardware_unit", UnitOfMetric(metric.name)},
                        {"type", TypeName(metric.type)},
                        {"sample", mode(metric.in_sample, metric.sample)},
                        {"count", mode(metric.in_count, metric.count)},
                        {"unit", metric.properties.unit},
                        {"description", metric.properties.description}};
    if (!metric.suffixes.empty()) row["suffixes"] = metric.suffixes;
    metrics.push_back(std::move(row));
  }
  const auto number = [](const std::optional<std::size_t>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
  };
  const ordered_json document = {
      {"schema", "rangefinder.counters/1"},
      {"chip", list.chip},
      {"device",
       list.device.empty() ? ordered_json(nullptr) : ordered_json(list.device)},
      {"cupti_version", list.cupti},
      {"metrics", std::move(metrics)},
      {"passes_together",
       {{"sample", number(list.sample_together)},
        {"count", number(list.count_together)}}},
      {"hints", list.hints}};
  return JsonDocument(document, 2) + "\n";
}

}  // namespace rangefinder
