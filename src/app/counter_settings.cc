#include "app/counter_settings.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "app/settings_keys.h"
#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::string_view kPrefix = "pipeline.counters.";

// Below, samples are lost faster than they can be read; above, they say nothing
// of regions.
constexpr std::int64_t kShortestUs = 10;
constexpr std::int64_t kLongestUs = 1'000'000;

std::string KeyOf(std::string_view name) {
  return std::string(kPrefix) + std::string(name);
}

// Null also where the value is null.
const Node* Find(const Node& tree, std::string_view name) {
  const Node* const node = tree.FindPath(KeyOf(name));
  return node == nullptr || node->is_null() ? nullptr : node;
}

bool IsTrue(const Node& tree, std::string_view name) {
  const Node* const node = Find(tree, name);
  return node != nullptr && node->kind == NodeKind::kBool && node->boolean;
}

std::optional<CounterMode> ReadMode(const Node& tree) {
  const Node* const node = Find(tree, "mode");
  if (node == nullptr) return CounterSettings{}.mode;
  for (const CounterMode mode : {CounterMode::kSample, CounterMode::kCount}) {
    if (PythonStr(*node) == NameOf(mode)) return mode;
  }
  return std::nullopt;  // off, by the table of keys
}

Result<std::uint64_t> ReadInterval(const Node& tree) {
  const Node* const node = Find(tree, "interval_us");
  if (node == nullptr) return CounterSettings{}.interval_ns;
  if (node->integer < kShortestUs || node->integer > kLongestUs) {
    return KeyError(KeyOf("interval_us"), *node,
                    fmt::format("expected microseconds from {} to {}, got {}",
                                kShortestUs, kLongestUs, node->integer));
  }
  return static_cast<std::uint64_t>(node->integer) * 1000;
}

// The share that "5%" is; nothing for any other text.
std::optional<double> ParsePercent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const std::string_view number = Trim(text.substr(0, text.size() - 1));
  double percent = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), percent);
  if (error != std::errc() || end != number.data() + number.size())
    return std::nullopt;
  return percent / 100;
}

Result<CounterBudget> ReadBudget(const Node& tree) {
  const Node* const node = Find(tree, "budget");
  if (node == nullptr) return CounterBudget{};
  const std::string text = PythonStr(*node);
  if (const auto share = ParsePercent(text); share && *share > 0)
    return CounterBudget{.is_share = true, .value = *share};
  if (const auto seconds = ParseDuration(text); seconds && *seconds > 0)
    return CounterBudget{.is_share = false, .value = *seconds};
  return KeyError(KeyOf("budget"), *node,
                  fmt::format("expected a share of the run such as 5%, or a "
                              "time such as 30s or 2m, above 0; got '{}'",
                              Printable(text)));
}

Result<std::vector<std::string>> ReadMetrics(const Node& tree) {
  std::vector<std::string> metrics;
  const Node* const node = Find(tree, "metrics");
  if (node != nullptr) {
    for (const std::string& metric : TextsOf(*node, ',')) {
      if (std::ranges::find(metrics, metric) == metrics.end())
        metrics.push_back(metric);
    }
  }
  const bool wanted = IsTrue(tree, "enable") && ReadMode(tree);
  if (!metrics.empty() || !wanted) return metrics;
  const Node none;
  return KeyError(
      KeyOf("metrics"), node != nullptr ? *node : none,
      "there is none to count; `rangefinder counters` lists what the GPU has, "
      "profiling/counters@pipeline.counters=counters.default is a preset");
}

}  // namespace

Result<CounterSettings> ReadCounterSettings(const Node& tree) {
  CounterSettings settings{.enable = IsTrue(tree, "enable"),
                           .mode = ReadMode(tree),
                           .check = IsTrue(tree, "check")};
  settings.metrics = TRY(ReadMetrics(tree));
  settings.interval_ns = TRY(ReadInterval(tree));
  settings.budget = TRY(ReadBudget(tree));
  return settings;
}

}  // namespace rangefinder
