#include "app/counter_list.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "region/pattern.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostTogether = 64;
constexpr std::size_t kProgressEach = 50;

// A pattern cut where the suffix begins.
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

// Both modes' base metrics as one, by name.
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

// A mode that has the metric; one of them has it.
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

// Fills in what is asked of CUPTI for every metric by itself.
Status Complete(const ChipHosts& hosts, ListedMetric& metric) {
  const BaseMetric base{.name = metric.name, .type = metric.type};
  const std::vector<std::string> measured = {
      metric.suffixes.empty() ? metric.name : UsualMetric(base)};
  metric.properties = TRY(AnyHost(hosts, metric).Properties(measured.front()));
  if (metric.in_sample) metric.sample = PassesOf(hosts.sample, measured);
  if (metric.in_count) metric.count = PassesOf(hosts.count, measured);
  // The mode may have the base name, and this suffix not.
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
      if (const auto near = Nearest(base.text(), names))
        hint += fmt::format("; did you mean '{}'?", *near);
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

std::string UnitOfMetric(std::string_view name) {
  const std::size_t end = name.find("__");
  if (end == std::string_view::npos) return std::string(name);
  const std::size_t dot = name.rfind('.', end);
  const std::size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
  return std::string(name.substr(begin, end - begin));
}

}  // namespace rangefinder
