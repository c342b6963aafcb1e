#include "counters/counter_host.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "counters/config_image.h"
#include "counters/cupti_library.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostNearNames = 3;

// "; did you mean 'a', 'b' or 'c'?", or nothing.
std::string DidYouMean(const std::string& name,
                       std::vector<std::string> candidates) {
  std::vector<std::string> near;
  while (near.size() < kMostNearNames) {
    const auto next = Nearest(name, candidates);
    if (!next) break;
    std::erase(candidates, *next);
    near.push_back(fmt::format("'{}'", Printable(*next)));
  }
  if (near.empty()) return "";
  return fmt::format("; did you mean {}?", JoinedAsList(near, "or"));
}

// The suffixes of one word: ".avg, .max, .min, .sum"; all suffixes if there are
// none.
std::string ShortOnes(const std::vector<std::string>& suffixes) {
  std::vector<std::string> shorts = suffixes;
  std::erase_if(shorts,
                [](const std::string& text) { return text.rfind('.') != 0; });
  return fmt::format("{}", fmt::join(shorts.empty() ? suffixes : shorts, ", "));
}

// The position of a full name's suffix: the first dot after "__".
std::size_t SuffixOf(std::string_view metric) {
  const std::size_t unit = metric.find("__");
  if (unit == std::string_view::npos) return metric.size();
  return std::min(metric.find('.', unit), metric.size());
}

std::vector<std::string> Texts(const char* const* texts, std::size_t count) {
  return texts == nullptr ? std::vector<std::string>()
                          : std::vector<std::string>(texts, texts + count);
}

std::string Text(const char* text) {
  return text == nullptr ? "" : text;
}

}  // namespace

std::string_view NameOf(CounterMode mode) {
  return mode == CounterMode::kSample ? "sample" : "count";
}

Result<std::vector<std::string>> SupportedChips(const CuptiLibrary& library) {
  cupti::HostSupportedChips chips;
  TRY(library.Try(chips));
  return Texts(chips.chips, chips.count);
}

std::string UsualMetric(const BaseMetric& metric) {
  switch (metric.type) {
    case cupti::MetricType::kCounter:
      return metric.name + ".sum";
    case cupti::MetricType::kRatio:
      return metric.name + ".ratio";
    case cupti::MetricType::kThroughput:
      break;
  }
  return metric.name + ".avg.pct_of_peak_sustained_elapsed";
}

Result<CounterHost> CounterHost::Open(const CuptiLibrary& library,
                                      std::string_view chip, CounterMode mode) {
  const std::vector<std::string> chips = TRY(SupportedChips(library));
  if (std::ranges::find(chips, chip) == chips.end()) {
    return Error(ErrorCode::kUsage,
                 fmt::format("CUPTI does not know a chip '{}'; it knows {}",
                             Printable(chip), fmt::join(chips, ", ")));
  }
  CounterHost host(library, chip, mode);
  auto object = library.NewHost(host.type(), host.chip_);
  if (!object.ok()) {
    return Error(ErrorCode::kProfiler,
                 fmt::format("{} has no metrics in mode {} ({})", chip,
                             NameOf(mode), object.error().message()));
  }
  host.host_ = std::move(object).value();
  TRY(host.ReadMetrics());
  return host;
}

cupti::ProfilerType CounterHost::type() const {
  return mode_ == CounterMode::kSample ? cupti::ProfilerType::kPmSampling
                                       : cupti::ProfilerType::kRange;
}

Status CounterHost::ReadMetrics() {
  for (const cupti::MetricType type :
       {cupti::MetricType::kCounter, cupti::MetricType::kRatio,
        cupti::MetricType::kThroughput}) {
    cupti::HostBaseMetrics base;
    base.host = host_.get();
    base.type = type;
    TRY(library_.Try(base));
    for (std::string& name : Texts(base.names, base.count))
      metrics_.push_back({.name = std::move(name), .type = type});
  }
  std::ranges::sort(metrics_, {}, &BaseMetric::name);
  return Ok();
}

const BaseMetric* CounterHost::Find(std::string_view base) const {
  const auto at = std::ranges::lower_bound(
      metrics_, base, {},
      [](const BaseMetric& metric) { return std::string_view(metric.name); });
  return at != metrics_.end() && at->name == base ? &*at : nullptr;
}

Result<std::vector<std::string>> CounterHost::Suffixes(
    const BaseMetric& metric) const {
  cupti::HostSubMetrics below;
  below.host = host_.get();
  below.type = metric.type;
  below.metric = metric.name.c_str();
  TRY(library_.Try(below));
  return Texts(below.names, below.count);
}

Result<MetricProperties> CounterHost::Properties(
    const std::string& metric) const {
  cupti::HostMetricProperties properties;
  properties.host = host_.get();
  properties.metric = metric.c_str();
  TRY(library_.Try(properties));
  return MetricProperties{.description = Text(properties.description),
                          .hardware_unit = Text(properties.hardware_unit),
                          .unit = Text(properties.unit)};
}

Error CounterHost::UnknownMetric(const std::string& metric,
                                 const std::string& base) const {
  const CounterMode other_mode = mode_ == CounterMode::kSample
                                     ? CounterMode::kCount
                                     : CounterMode::kSample;
  const auto other = Open(library_, chip_, other_mode);
  if (other.ok() && other.value().Find(base) != nullptr) {
    return Error(ErrorCode::kUsage,
                 fmt::format("{}: {} offers it in mode {} alone",
                             Printable(metric), chip_, NameOf(other_mode)));
  }
  std::vector<std::string> names;
  for (const BaseMetric& known : metrics_) names.push_back(known.name);
  return Error(ErrorCode::kUsage,
               fmt::format("{}: {} has no such metric{}", Printable(metric),
                           chip_, DidYouMean(base, std::move(names))));
}

Status CounterHost::Check(std::span<const std::string> metrics) const {
  for (const std::string& metric : metrics) {
    const std::size_t end = SuffixOf(metric);
    const std::string base = metric.substr(0, end);
    const std::string suffix = metric.substr(end);
    const BaseMetric* const known = Find(base);
    if (known == nullptr) return UnknownMetric(metric, base);
    const std::vector<std::string> suffixes = TRY(Suffixes(*known));
    if (std::ranges::find(suffixes, suffix) != suffixes.end()) continue;
    if (suffix.empty()) {
      return Error(ErrorCode::kUsage,
                   fmt::format("{}: a suffix is missing that says how it is "
                               "combined, as in {}",
                               Printable(metric), UsualMetric(*known)));
    }
    std::string near = DidYouMean(suffix, suffixes);
    if (near.empty()) near = "; it has " + ShortOnes(suffixes);
    return Error(ErrorCode::kUsage,
                 fmt::format("{}: the metric has no '{}'{}", Printable(metric),
                             Printable(suffix), near));
  }
  return Ok();
}

Result<std::size_t> CounterHost::Passes(
    std::span<const std::string> metrics) const {
  const auto image = MakeConfigImage(
      library_, {.type = type(), .chip = chip_, .metrics = metrics});
  if (image.ok()) return image.value().passes;
  TRY(Check(metrics));  // a better error if a metric is the reason
  if (image.error().code() != ErrorCode::kUnsupported) return image.error();
  return Error(ErrorCode::kUnsupported,
               fmt::format("{} does not measure these together in mode {}: {}",
                           chip_, NameOf(mode_), fmt::join(metrics, ", ")));
}

Result<MetricSets> CounterHost::OnePassSets(
    std::span<const std::string> metrics) const {
  TRY(Check(metrics));
  return SetsOfOnePass(
      metrics, [this](std::span<const std::string> set) -> Result<std::size_t> {
        auto passes = Passes(set);
        if (!passes.ok() && passes.error().code() == ErrorCode::kUnsupported)
          return std::numeric_limits<std::size_t>::max();
        return passes;
      });
}

}  // namespace rangefinder
