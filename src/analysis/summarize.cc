#include "analysis/summarize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "insight/times.h"
#include "profile/profile.h"
#include "rollup/rule.h"
#include "summary/bodies.h"
#include "summary/summary.h"

namespace rangefinder {

namespace {

// ---- Metrics ---------------------------------------------------------------

// The treatment of one metric of a launch.
struct MetricFolding {
  enum class Kind : std::uint8_t {
    kNone,       // no rule puts it together
    kAttribute,  // launches with other values are another row
    kSum,
    kMean,
  };
  Kind kind = Kind::kNone;
  TextIndex name = 0;
  // kMean: the weight, and a factor of the weight; "": none.
  struct Weight {
    std::optional<MetricId> metric{};  // nothing: the duration
    TextIndex name = 0;
  };
  Weight weight{};
  std::optional<Weight> times{};
};

// Metrics of the profiler itself, which differ from launch to launch.
constexpr std::string_view kOfTheProfiler = "profiler__";
constexpr std::string_view kBreakdown = "breakdown:";

SummaryMetric& EntryOf(SummaryRow& row, const SummaryMetric& wanted) {
  const auto at = std::ranges::find_if(row.metrics, [&](const auto& known) {
    return known.metric == wanted.metric && known.folding == wanted.folding &&
           known.weight == wanted.weight && known.times == wanted.times;
  });
  if (at != row.metrics.end()) return *at;
  row.metrics.push_back(wanted);
  return row.metrics.back();
}

void See(SummaryMetric& metric, double value) {
  value += 0.0;  // makes -0 equal to 0
  metric.low = metric.present == 0 ? value : std::min(metric.low, value);
  metric.high = metric.present == 0 ? value : std::max(metric.high, value);
  ++metric.present;
}

// The texts of a summary during its making.
class SummaryTexts {
 public:
  explicit SummaryTexts(std::vector<std::string>& texts) : texts_(texts) {}

  TextIndex Of(std::string_view text) {
    const auto [at, is_new] = known_.try_emplace(
        std::string(text), static_cast<TextIndex>(texts_.size()));
    if (is_new) texts_.emplace_back(text);
    return at->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, TextIndex> known_{{"", 0}};
};

// How the metrics of launches, and of ranges measured as a whole, are added to
// rows. The rules of the rollup decide which metrics become sums.
class SummaryMetrics {
 public:
  SummaryMetrics(const Profile& profile, const std::vector<UserRule>& rules,
                 SummaryTexts& texts)
      : profile_(profile), texts_(texts), foldings_(profile.metrics.size()) {
    using Kind = MetricFolding::Kind;
    const RuleBook book(profile, rules);
    std::vector<bool> is_text(profile.metrics.size());
    for (const Sample& sample : profile.samples) {
      if (sample.kind == ValueKind::kText) is_text[Index(sample.metric)] = true;
    }
    for (std::size_t i = 0; i < foldings_.size(); ++i) {
      MetricFolding& folding = foldings_[i];
      const std::string name(profile.MetricName(static_cast<MetricId>(i)));
      folding.name = texts_.Of(name);
      if (name.starts_with(kOfTheProfiler)) continue;
      const Rule rule = book.For(name);
      if (is_text[i] || std::holds_alternative<SameRule>(rule) ||
          std::holds_alternative<SpreadRule>(rule)) {
        folding.kind = Kind::kAttribute;
      } else if (std::holds_alternative<SumRule>(rule)) {
        folding.kind = Kind::kSum;
      } else if (const auto* mean = std::get_if<MeanRule>(&rule)) {
        SetMean(*mean, folding);
      } else if (!std::holds_alternative<NoRule>(rule)) {
        SetMean(book.Fallback(name), folding);
      }
    }
  }

  // Part of the row's key; by metric.
  std::vector<SummaryValue> AttributesOf(const Measurement& m) {
    std::vector<SummaryValue> values;
    for (const Sample& sample : profile_.SamplesOf(m)) {
      const MetricFolding& folding = foldings_[Index(sample.metric)];
      if (folding.kind != MetricFolding::Kind::kAttribute) continue;
      SummaryValue value{
          .metric = folding.name, .kind = sample.kind, .bits = sample.bits};
      if (const auto text = sample.value().text())
        value.bits = texts_.Of(profile_.Name(*text));
      values.push_back(value);
    }
    // Some files repeat a metric; the last one counts.
    std::ranges::stable_sort(values, {}, &SummaryValue::metric);
    std::vector<SummaryValue> last;
    for (const SummaryValue& value : values) {
      if (!last.empty() && last.back().metric == value.metric)
        last.back() = value;
      else
        last.push_back(value);
    }
    return last;
  }

  // Adds all other metrics to a row.
  void AddTo(SummaryRow& row, const Measurement& m) {
    duration_ = DurationNs(profile_, m);
    const std::span<const Sample> samples = profile_.SamplesOf(m);
    const bool whole = m.kind == MeasurementKind::kRange;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const MetricFolding& folding = foldings_[Index(samples[i].metric)];
      const auto value = samples[i].value().number();
      if (folding.kind == MetricFolding::Kind::kNone ||
          folding.kind == MetricFolding::Kind::kAttribute || !value ||
          !std::isfinite(*value))
        continue;
      const bool again =
          std::ranges::find(samples.subspan(i + 1), samples[i].metric,
                            &Sample::metric) != samples.end();
      if (again) continue;
      if (whole) {
        // Ranges are not added up: several ranges give their mean.
        const auto instances =
            static_cast<double>(std::max<std::uint64_t>(m.counted, 1));
        SummaryMetric& metric =
            EntryOf(row, {.metric = folding.name, .folding = Folding::kMean});
        See(metric, *value);
        metric.sum.AddProduct(*value, instances);
        metric.weights.Add(instances);
      } else if (folding.kind == MetricFolding::Kind::kSum) {
        SummaryMetric& metric = EntryOf(row, {.metric = folding.name});
        See(metric, *value);
        metric.sum.Add(*value);
      } else {
        AddMean(row, samples, folding, *value);
      }
    }
  }

  // Number of metrics without a rule.
  std::size_t without() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < foldings_.size(); ++i) {
      const std::string_view name =
          profile_.MetricName(static_cast<MetricId>(i));
      count += foldings_[i].kind == MetricFolding::Kind::kNone &&
               !name.starts_with(kBreakdown);
    }
    return count;
  }

  TextIndex NameOf(MetricId metric) const {
    return foldings_[Index(metric)].name;
  }

 private:
  MetricFolding::Weight WeightOf(std::string_view name) {
    MetricFolding::Weight weight{.name = texts_.Of(name)};
    if (name != kTimeWeight) weight.metric = profile_.FindMetric(name);
    return weight;
  }

  void SetMean(const MeanRule& rule, MetricFolding& folding) {
    folding.kind = MetricFolding::Kind::kMean;
    folding.weight = WeightOf(kTimeWeight);
    for (const MeanRule::Weight& weight : rule.weights) {
      if (!profile_.FindMetric(weight.source.metric)) continue;
      folding.weight = WeightOf(weight.source.metric);
      if (!weight.source.times.empty())
        folding.times = WeightOf(weight.source.times);
      return;
    }
  }

  std::optional<double> Find(std::span<const Sample> samples,
                             const MetricFolding::Weight& weight) const {
    if (!weight.metric) return duration_;
    for (std::size_t i = samples.size(); i-- > 0;) {
      if (samples[i].metric != *weight.metric) continue;
      const auto number = samples[i].value().number();
      return number && std::isfinite(*number) ? number : std::nullopt;
    }
    return std::nullopt;
  }

  void AddMean(SummaryRow& row, std::span<const Sample> samples,
               const MetricFolding& folding, double value) {
    SummaryMetric entry{.metric = folding.name, .folding = Folding::kMean};
    auto weight = Find(samples, folding.weight);
    if (weight && folding.times) {
      const auto times = Find(samples, *folding.times);
      weight = times ? std::optional(*weight * *times) : std::nullopt;
      entry.times = folding.times->name;
    }
    entry.weight = folding.weight.name;
    if (!weight || !std::isfinite(*weight)) {
      if (!duration_) return;
      weight = duration_;
      entry.weight = texts_.Of(kTimeWeight);
      entry.times = 0;
    }
    SummaryMetric& metric = EntryOf(row, entry);
    See(metric, value);
    metric.sum.AddProduct(value, *weight);
    metric.weights.Add(*weight);
  }

  const Profile& profile_;
  SummaryTexts& texts_;
  std::vector<MetricFolding> foldings_;  // by MetricId
  std::optional<double> duration_{};     // of the launch that is added
};

// The row of a kernel is looked up once for consecutive equal launches.
struct RowShape {
  std::uint32_t region = 0;
  StringId name{};
  std::int32_t device = -1;
  MeasurementKind kind{};
  ReplayMode mode{};
  Dim3 grid{}, block{};
  std::uint32_t dynamic_shared = 0;
  std::vector<SummaryValue> attributes{};
  friend auto operator<=>(const RowShape&, const RowShape&) = default;
};

// The value as text, with a letter for its kind.
std::string ValueText(const Profile& profile, const Value& value) {
  if (const auto text = value.text())
    return "t" + std::string(profile.Name(*text));
  if (value.kind == ValueKind::kInteger) return fmt::format("i{}", value.bits);
  if (value.kind == ValueKind::kNumber)
    return fmt::format("d{}", std::bit_cast<double>(value.bits));
  return "";
}

class SummaryMaker {
 public:
  SummaryMaker(const Analysis& analysis, const std::vector<UserRule>& rules)
      : analysis_(analysis),
        profile_(analysis.profile),
        texts_(summary_.texts),
        metrics_(profile_, rules, texts_),
        duration_(profile_.FindMetric("gpu__time_duration.sum")) {
    for (const Device& device : profile_.devices) {
      devices_.try_emplace(device.index, texts_.Of(profile_.Name(device.name)));
    }
  }

  Summary Make(const Ranks& ranks) {
    AddRegions();
    AddUses();
    AddRows();
    AddSources(ranks);
    AddFacts();
    AddNotes();
    SortSummary(summary_);
    return std::move(summary_);
  }

 private:
  std::int32_t RankOf(ProcessId process) const {
    return profile_.processes[Index(process)].rank;
  }
  TextIndex DeviceOf(std::int32_t index) const {
    const auto at = devices_.find(index);
    return at == devices_.end() ? 0 : at->second;
  }

  // ---- Regions, with the times of their instances ----

  void AddRegions() {
    const auto regions = analysis_.tree.regions();
    summary_.regions.resize(regions.size());
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const Region& from = regions[i];
      SummaryRegion& to = summary_.regions[i];
      to.parent = static_cast<std::uint32_t>(Index(from.parent));
      to.unattributed = from.unattributed;
      to.kind = from.frame.kind;
      to.domain = texts_.Of(profile_.Name(from.frame.domain));
      to.name = texts_.Of(profile_.Name(from.frame.name));
      for (const std::uint32_t row : from.visits)
        AddVisits(profile_.visits[row], to);
      if (to.instances == 0 && i > 0) to.instances = Executed(from);
    }
  }

  void AddVisits(const RangeVisits& visits, SummaryRegion& region) {
    const std::int32_t rank = RankOf(visits.process);
    region.instances += visits.instances;
    region.unclosed += visits.unclosed;
    region.cpu.Add(visits.cpu_ns, rank);
    region.gpu.Add(visits.gpu_ns, rank);
    region.span.Add(visits.gpu_span_ns, rank);
    region.idle.Add(visits.gpu_idle_ns, rank);
  }

  // An execution on two devices counts once.
  static std::uint64_t Executed(const Region& region) {
    std::set<std::pair<ProcessId, std::uint64_t>> seen;
    for (const Execution& execution : region.executions)
      seen.emplace(execution.process, execution.key);
    return seen.size();
  }

  // ---- Regions on devices ----

  void AddUses() {
    const auto regions = analysis_.tree.regions();
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (std::ranges::any_of(regions[i].uses, [&](std::uint32_t index) {
            return profile_.uses[index].gpu.empty();
          })) {
        // A use without work: see IsUnknown().
        summary_.uses.push_back({.region = static_cast<std::uint32_t>(i)});
        continue;
      }
      std::map<std::pair<ProcessId, std::int32_t>, std::vector<const GpuUse*>>
          uses;
      for (const std::uint32_t index : regions[i].uses) {
        const RegionUse& use = profile_.uses[index];
        for (const GpuUse& gpu : use.gpu)
          uses[{use.process, gpu.device}].push_back(&gpu);
      }
      std::map<TextIndex, SummaryUse> sums;
      for (auto& [key, same] : uses) {
        const TextIndex device = DeviceOf(key.second);
        SummaryUse& sum = sums[device];
        sum.region = static_cast<std::uint32_t>(i);
        sum.device = device;
        AddUse(Together(std::move(same)), RankOf(key.first), sum);
      }
      for (auto& [device, sum] : sums) summary_.uses.push_back(std::move(sum));
    }
  }

  static void AddUse(const GpuUse& use, std::int32_t rank, SummaryUse& sum) {
    sum.kernels += use.kernels;
    sum.copies += use.copies;
    sum.sets += use.sets;
    sum.kernel_ns += use.kernel_ns;
    sum.copy_ns += use.copy_ns;
    sum.set_ns += use.set_ns;
    sum.copy_bytes += use.copy_bytes;
    sum.set_bytes += use.set_bytes;
    const std::uint64_t span = use.last_ns - use.first_ns;
    sum.span_ns += span;
    sum.busy_ns += std::min(use.busy_ns, span);
    sum.latency.Add(use.latency_ns, rank);
  }

  // ---- Launches ----

  void AddRows() {
    const auto regions = analysis_.tree.regions();
    for (std::size_t i = 0; i < regions.size(); ++i) {
      rows_.clear();
      const auto region = static_cast<std::uint32_t>(i);
      for (const MeasurementId id : regions[i].kernels) AddLaunch(region, id);
      for (const MeasurementId id : regions[i].ranges) AddLaunch(region, id);
    }
  }

  void AddLaunch(std::uint32_t region, MeasurementId id) {
    const Measurement& m = profile_.measurements[Index(id)];
    SummaryRow& row = summary_.rows[RowOf(region, m)];
    const std::optional<double> ns = DurationOf(m);
    ++row.launches;
    row.counted += m.counted;
    if (ns) {
      row.time.Add(
          static_cast<std::uint64_t>(std::llround(std::clamp(*ns, 0.0, 9e18))),
          RankOf(m.process));
    }
    if (m.sample_count > 0) metrics_.AddTo(row, m);
  }

  std::optional<double> DurationOf(const Measurement& m) const {
    if (duration_) return DurationNs(profile_, m);
    if (m.end_ns > m.start_ns)
      return static_cast<double>(m.end_ns - m.start_ns);
    return std::nullopt;
  }

  std::size_t RowOf(std::uint32_t region, const Measurement& m) {
    RowShape shape{.region = region,
                   .name = m.demangled_name,
                   .device = m.device,
                   .kind = m.kind,
                   .mode = m.mode,
                   .grid = m.grid,
                   .block = m.block,
                   .dynamic_shared = m.dynamic_shared};
    if (m.sample_count > 0) shape.attributes = metrics_.AttributesOf(m);
    const auto [at, is_new] = rows_.try_emplace(std::move(shape), 0);
    if (!is_new) return at->second;
    const std::uint32_t kernel = KernelOf(at->first);
    // Two devices of the same name share a row.
    const auto [known, fresh] =
        places_.try_emplace({region, kernel}, summary_.rows.size());
    if (fresh) summary_.rows.push_back({.region = region, .kernel = kernel});
    return at->second = known->second;
  }

  std::uint32_t KernelOf(const RowShape& shape) {
    SummaryKernel kernel{.name = texts_.Of(profile_.Name(shape.name)),
                         .device = DeviceOf(shape.device),
                         .kind = shape.kind,
                         .mode = shape.mode,
                         .grid = shape.grid,
                         .block = shape.block,
                         .dynamic_shared = shape.dynamic_shared,
                         .attributes = shape.attributes};
    const auto [at, is_new] = kernels_.try_emplace(
        std::move(kernel), static_cast<std::uint32_t>(summary_.kernels.size()));
    if (is_new) summary_.kernels.push_back(at->first);
    return at->second;
  }

  // ---- Sources ----

  // Every process is a source, with or without a record.
  void AddSources(const Ranks& ranks) {
    std::map<RankKey, SummarySource> sources;
    for (const RankRecord& record : ranks.records) {
      const RankKey key = KeyOf(record);
      sources[key] = {.key = key,
                      .until_ns = key.started_ns + record.regions[0].wall_ns};
    }
    struct Seen {
      std::uint64_t created_ns = 0, until_ns = 0, launches = 0;
    };
    std::map<ProcessId, Seen> processes;
    for (const Measurement& m : profile_.measurements) {
      const auto [at, is_new] = processes.try_emplace(m.process);
      Seen& seen = at->second;
      if (is_new) {
        seen.created_ns =
            profile_.artifacts[m.artifact].created_unix_s * 1000000000;
      }
      seen.until_ns = std::max(seen.until_ns, m.end_ns);
      ++seen.launches;
    }
    for (std::size_t i = 0; i < profile_.processes.size(); ++i) {
      const Process& process = profile_.processes[i];
      const auto measured = processes.find(static_cast<ProcessId>(i));
      const Seen seen = measured == processes.end() ? Seen{profile_.start_ns}
                                                    : measured->second;
      RankKey key{.rank = process.rank,
                  .host = std::string(profile_.Name(process.host)),
                  .pid = process.pid};
      auto same = sources.lower_bound(key);
      if (same == sources.end() || same->first.rank != key.rank ||
          same->first.host != key.host || same->first.pid != key.pid) {
        key.started_ns = seen.created_ns;
        same = sources.try_emplace(key, SummarySource{.key = key}).first;
        same->second.until_ns = seen.until_ns;
      }
      same->second.launches += seen.launches;
    }
    for (auto& [key, source] : sources)
      summary_.sources.push_back(std::move(source));
  }

  void AddFact(std::string_view kind, std::string_view key,
               std::string_view value) {
    ++facts_[{std::string(kind), std::string(key), std::string(value)}];
  }

  void AddFacts() {
    for (const Artifact& artifact : profile_.artifacts) {
      AddFact("format", artifact.format, "");
      if (!artifact.command_line.empty())
        AddFact("command", artifact.command_line, "");
      for (const auto& [tool, version] : artifact.versions)
        if (tool != "world") AddFact("tool", tool, version);
    }
    for (const Process& process : profile_.processes) {
      AddFact("program", profile_.Name(process.name), "");
      if (!process.gpu_recorded) AddFact("gpu_not_recorded", "", "");
    }
    for (const Device& device : profile_.devices) {
      const std::string_view name = profile_.Name(device.name);
      AddFact("device", name, device.chip);
      for (const auto& [attribute, value] : device.attributes) {
        AddFact("attribute:" + std::string(name), profile_.Name(attribute),
                ValueText(profile_, value));
      }
    }
    for (auto& [key, count] : facts_) {
      summary_.facts.push_back({.kind = std::get<0>(key),
                                .key = std::get<1>(key),
                                .value = std::get<2>(key),
                                .count = count});
    }
  }

  // ---- Data without a place ----

  void AddNotes() {
    Notes notes = analysis_.notes;
    const auto left_out = [&](bool there, std::string_view what) {
      if (!there) return;
      notes.Add(Severity::kInfo, "not_in_summaries",
                fmt::format("{} are not kept in summaries", what));
    };
    left_out(!profile_.sections.empty(), "sections and rules of ncu");
    left_out(!profile_.instance_lists.empty(),
             "values of single instances of metrics");
    left_out(!profile_.counter_samples.empty(),
             "samples of counters, and the estimates from them,");
    left_out(!profile_.traced.empty(), "the kernels of the baseline run");
    left_out(metrics_.without() > 0,
             "metrics that no rule puts together from launches");
    for (const Note& note : notes.all()) {
      summary_.notes.push_back(
          {.severity = static_cast<std::uint8_t>(note.severity),
           .kind = note.kind,
           .text = note.text,
           .where = note.where,
           .count = note.count});
    }
    // Notes of the same kind and text do not differ in other sort keys.
    std::ranges::sort(summary_.notes, {}, [](const SummaryNote& note) {
      return std::tie(note.severity, note.kind, note.text);
    });
  }

  const Analysis& analysis_;
  const Profile& profile_;
  Summary summary_{};
  SummaryTexts texts_;
  SummaryMetrics metrics_;
  std::optional<MetricId> duration_;
  std::map<std::int32_t, TextIndex> devices_{};  // names by index
  std::map<RowShape, std::size_t> rows_{};       // of one region
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places_{};
  std::map<SummaryKernel, std::uint32_t> kernels_{};  // index of each
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t>
      facts_{};
};

}  // namespace

bool HasSummary(const Profile& profile) {
  return std::ranges::any_of(profile.artifacts, [](const Artifact& artifact) {
    return artifact.format == "summary";
  });
}

Summary Summarize(const Analysis& analysis, const Ranks& ranks,
                  const std::vector<UserRule>& rules) {
  return SummaryMaker(analysis, rules).Make(ranks);
}

}  // namespace rangefinder
