#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "counters/metric_list.h"

namespace rangefinder {
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

// Suffixes are a few first words, each alone and with the same words behind
// it: ".avg .max .min .sum; behind each .per_second ..." says them all.
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
  for (const std::string& hint : list.hints) {
    for (const std::string& line : Wrapped(hint, width)) text += line + '\n';
  }
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
      text += lead + '\n';  // a name is never cut: it is there to be copied
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
    ordered_json row = {
        {"name", ValidUtf8(metric.name)},
        {"hardware_unit", ValidUtf8(UnitOfMetric(metric.name))},
        {"type", TypeName(metric.type)},
        {"sample", mode(metric.in_sample, metric.sample)},
        {"count", mode(metric.in_count, metric.count)},
        {"unit", ValidUtf8(metric.properties.unit)},
        {"description", ValidUtf8(metric.properties.description)}};
    if (!metric.suffixes.empty()) row["suffixes"] = metric.suffixes;
    metrics.push_back(std::move(row));
  }
  const auto number = [](const std::optional<std::size_t>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
  };
  ordered_json document = {
      {"schema", "rangefinder.counters/1"},
      {"chip", ValidUtf8(list.chip)},
      {"device", list.device.empty() ? ordered_json(nullptr)
                                     : ordered_json(ValidUtf8(list.device))},
      {"cupti_version", list.cupti},
      {"metrics", std::move(metrics)},
      {"passes_together",
       {{"sample", number(list.sample_together)},
        {"count", number(list.count_together)}}},
      {"hints", ordered_json::array()}};
  for (const std::string& hint : list.hints)
    document["hints"].push_back(ValidUtf8(hint));
  return EscapedJson(document.dump(2)) + "\n";
}

}  // namespace rangefinder
