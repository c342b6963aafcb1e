#include "counters/counter_host.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/lists.h"
#include "base/text.h"
#include "counters/cupti_library.h"

namespace rangefinder {

// ---- Configuration images --------------------------------------------------

Result<ConfigImage> MakeConfigImage(const CuptiLibrary& library,
                                    const ConfigImageRequest& request) {
  // A host object never forgets its metrics, so each image has a new object.
  const std::shared_ptr<void> host =
      TRY(library.NewHost(request.type, request.chip, request.available));
  std::vector<const char*> names;
  for (const std::string& metric : request.metrics)
    names.push_back(metric.c_str());
  cupti::HostAddMetrics add;
  add.host = host.get();
  add.metrics = names.data();
  add.count = names.size();
  if (const cupti::Code code = library.Call(add); code != cupti::kSuccess) {
    return Error(code == cupti::kNotSupported ? ErrorCode::kUnsupported
                                              : ErrorCode::kProfiler,
                 fmt::format("{}: {}", add.kFunction, library.Name(code)));
  }
  cupti::HostConfigImageSize size;
  size.host = host.get();
  TRY(library.Try(size));
  ConfigImage made{.bytes = std::vector<std::uint8_t>(size.size)};
  cupti::HostConfigImage image;
  image.host = host.get();
  image.size = made.bytes.size();
  image.image = made.bytes.data();
  TRY(library.Try(image));
  cupti::HostPasses passes;
  passes.size = made.bytes.size();
  passes.image = made.bytes.data();
  TRY(library.Try(passes));
  made.passes = passes.passes;
  return made;
}

// ---- Sets of one pass ------------------------------------------------------

namespace {

using Names = std::vector<std::string>;

Result<bool> Fits(const Names& metrics, const PassCount& passes) {
  return TRY(passes(metrics)) <= 1;
}

// Places the metrics into the first set with room for all; false: no set has
// room.
Result<bool> Place(const Names& metrics, const PassCount& passes,
                   std::vector<Names>& sets) {
  for (Names& set : sets) {
    Names both = set;
    both.insert(both.end(), metrics.begin(), metrics.end());
    if (!TRY(Fits(both, passes))) continue;
    set = std::move(both);
    return true;
  }
  return false;
}

Status PlaceUnit(const Names& metrics, const PassCount& passes,
                 MetricSets& cut) {
  if (TRY(Place(metrics, passes, cut.sets))) return Ok();
  if (TRY(Fits(metrics, passes))) {
    cut.sets.push_back(metrics);
    return Ok();
  }
  // One pass cannot have the whole unit: place its metrics one by one.
  for (const std::string& metric : metrics) {
    const Names alone = {metric};
    if (!TRY(Fits(alone, passes))) {
      cut.too_large.push_back(metric);
    } else if (!TRY(Place(alone, passes, cut.sets))) {
      cut.sets.push_back(alone);
    }
  }
  return Ok();
}

}  // namespace

std::string UnitOfMetric(std::string_view name) {
  const std::size_t end = name.find("__");
  if (end == std::string_view::npos) return std::string(name);
  const std::size_t dot = name.rfind('.', end);
  const std::size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
  return std::string(name.substr(begin, end - begin));
}

Result<MetricSets> SetsOfOnePass(std::span<const std::string> metrics,
                                 const PassCount& passes) {
  Names all;
  for (const std::string& metric : metrics) AddOnce(all, metric);
  MetricSets cut;
  if (all.empty()) return cut;
  if (TRY(Fits(all, passes))) {
    cut.sets.push_back(std::move(all));
    return cut;
  }
  std::vector<std::pair<std::string, Names>> units;
  for (const std::string& metric : all) {
    const std::string unit = UnitOfMetric(metric);
    auto known =
        std::ranges::find(units, unit, &std::pair<std::string, Names>::first);
    if (known == units.end())
      known = units.insert(units.end(), {unit, Names{}});
    known->second.push_back(metric);
  }
  std::ranges::stable_sort(units, std::ranges::greater(),
                           [](const auto& unit) { return unit.second.size(); });
  for (const auto& [unit, names] : units) TRY(PlaceUnit(names, passes, cut));
  // In the order of the list, not of the placement.
  const auto place = [&](const std::string& metric) {
    return std::ranges::find(all, metric) - all.begin();
  };
  for (Names& set : cut.sets) std::ranges::sort(set, {}, place);
  std::ranges::sort(cut.sets, {},
                    [&](const Names& set) { return place(set.front()); });
  std::ranges::sort(cut.too_large, {}, place);
  return cut;
}

namespace {

constexpr std::size_t kMostNearNames = 3;

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
  if (!Has(chips, chip)) {
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
                           chip_, DidYouMean(base, names, kMostNearNames)));
}

Status CounterHost::Check(std::span<const std::string> metrics) const {
  for (const std::string& metric : metrics) {
    const std::size_t end = SuffixOf(metric);
    const std::string base = metric.substr(0, end);
    const std::string suffix = metric.substr(end);
    const BaseMetric* const known = Find(base);
    if (known == nullptr) return UnknownMetric(metric, base);
    const std::vector<std::string> suffixes = TRY(Suffixes(*known));
    if (Has(suffixes, suffix)) continue;
    if (suffix.empty()) {
      return Error(ErrorCode::kUsage,
                   fmt::format("{}: a suffix is missing that says how it is "
                               "combined, as in {}",
                               Printable(metric), UsualMetric(*known)));
    }
    std::string near = DidYouMean(suffix, suffixes, kMostNearNames);
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
