#include "ingest/summary/summary_reader.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ingest/kernel_name.h"
#include "ingest/summary/summary_ranks.h"
#include "summary/summary_file.h"

namespace rangefinder {
namespace {

// All regions of a summary are shown in one process and one thread.
constexpr std::uint64_t kThread = 1;

class SummaryProfile {
 public:
  SummaryProfile(const SummaryFile& file, const ReaderInput& input,
                 Notes& notes)
      : file_(file),
        summary_(file.summary),
        input_(input),
        notes_(notes),
        places_left_(kPlaces + kPlacesPerByte * input.bytes.size()) {}

  Profile Read() {
    for (const std::string& text : summary_.texts)
      texts_.push_back(profile_.strings.Intern(text));
    Describe();
    AddStates();
    for (std::size_t i = 0; i < summary_.regions.size(); ++i) AddVisits(i);
    for (const SummaryUse& use : summary_.uses) AddUse(use);
    for (const SummaryRow& row : summary_.rows) AddRow(row);
    profile_.ranks = ReadRanks(file_, {}, notes_, input_.path);
    NoteLosses();
    return std::move(profile_);
  }

 private:
  StringId Text(TextIndex text) const { return texts_[text]; }

  // ---- Sources ----

  void Describe() {
    Process process;
    if (summary_.sources.size() == 1) {
      const RankKey& only = summary_.sources.front().key;
      process = {.pid = only.pid,
                 .host = profile_.strings.Intern(only.host),
                 .rank = only.rank};
    }
    Artifact artifact{
        .path = input_.path, .format = "summary", .bytes = input_.bytes.size()};
    std::vector<std::string_view> commands, programs;
    for (const SummaryFact& fact : summary_.facts) {
      if (fact.kind == "tool")
        artifact.versions.emplace_back(fact.key, fact.value);
      if (fact.kind == "command") commands.push_back(fact.key);
      if (fact.kind == "gpu_not_recorded") process.gpu_recorded = false;
      if (fact.kind == "program") programs.push_back(fact.key);
    }
    // Summaries of several programs have no command line.
    if (commands.size() == 1) artifact.command_line = commands[0];
    if (programs.size() == 1)
      process.name = profile_.strings.Intern(programs[0]);
    profile_.artifacts.push_back(std::move(artifact));
    profile_.processes.push_back(std::move(process));
    AddDevices();
  }

  // Devices of the same name are shown as one device.
  void AddDevices() {
    const auto device_of = [&](TextIndex name) {
      if (name == 0) return;
      const auto [at, is_new] = devices_.try_emplace(
          name, static_cast<std::int32_t>(devices_.size()));
      if (is_new)
        profile_.devices.push_back({.index = at->second, .name = Text(name)});
    };
    for (const SummaryKernel& kernel : summary_.kernels)
      device_of(kernel.device);
    for (const SummaryUse& use : summary_.uses) device_of(use.device);
    for (Device& device : profile_.devices) {
      const std::string_view name = profile_.Name(device.name);
      for (const SummaryFact& fact : summary_.facts) {
        if (fact.kind == "device" && fact.key == name && device.chip.empty())
          device.chip = fact.value;
        if (fact.kind.starts_with(kAttribute) &&
            std::string_view(fact.kind).substr(kAttribute.size()) == name)
          AddAttribute(fact, device);
      }
    }
  }

  // An attribute in which devices of the same name differ is absent.
  void AddAttribute(const SummaryFact& fact, Device& device) {
    const StringId name = profile_.strings.Intern(fact.key);
    const auto known = std::ranges::find(device.attributes, name,
                                         &std::pair<StringId, Value>::first);
    if (known != device.attributes.end()) {
      known->second = {};
      return;
    }
    device.attributes.emplace_back(name, ValueOf(fact.value));
  }

  Value ValueOf(std::string_view text) {
    if (text.empty()) return {};
    const std::string_view rest = text.substr(1);
    const char* const end = rest.data() + rest.size();
    if (text[0] == 't') return Value::Text(profile_.strings.Intern(rest));
    if (text[0] == 'i') {
      std::uint64_t integer = 0;
      if (std::from_chars(rest.data(), end, integer).ec == std::errc())
        return Value::Integer(integer);
    }
    if (text[0] == 'd') {
      double number = 0;
      if (std::from_chars(rest.data(), end, number).ec == std::errc())
        return Value::Number(number);
    }
    return {};
  }

  // ---- Regions ----

  // Makes the NVTX state of each region. Region 0 is outside all ranges.
  void AddStates() {
    states_.assign(summary_.regions.size(), NvtxStateId{});
    for (std::size_t i = 1; i < states_.size(); ++i) {
      if (summary_.regions[i].unattributed) continue;
      std::vector<PathRange> path;
      for (std::size_t at = i; at != 0; at = summary_.regions[at].parent) {
        const SummaryRegion& region = summary_.regions[at];
        path.push_back({Text(region.domain), Text(region.name), region.kind});
      }
      std::ranges::reverse(path);
      states_[i] = AddPath(profile_, path, kThread);
    }
  }

  // A Spread stores every bucket between its ends, so a damaged file could
  // demand much memory. Beyond a limit, all values go into the middle bucket.
  Spread SpreadOf(const TimeStat& stat) {
    if (stat.empty()) return {};
    const std::uint64_t places =
        stat.buckets.back().index - stat.buckets.front().index + 1;
    if (places <= places_left_) {
      places_left_ -= places;
      return stat.ToSpread();
    }
    TimeStat rough = stat;
    rough.buckets = {stat.buckets[stat.buckets.size() / 2]};
    rough.buckets[0].count = stat.count;
    return rough.ToSpread();
  }

  // Launches outside all regions have no instances.
  void AddVisits(std::size_t index) {
    const SummaryRegion& region = summary_.regions[index];
    if (index == 0 || region.unattributed) return;
    if (region.instances == 0 && region.unclosed == 0) return;
    profile_.visits.push_back({.thread = kThread,
                               .nvtx = states_[index],
                               .instances = region.instances,
                               .unclosed = region.unclosed,
                               .cpu_ns = SpreadOf(region.cpu),
                               .gpu_ns = SpreadOf(region.gpu),
                               .gpu_span_ns = SpreadOf(region.span),
                               .gpu_idle_ns = SpreadOf(region.idle)});
  }

  void AddUse(const SummaryUse& use) {
    // Uses of a region follow each other. In a damaged file they may not, and
    // the region gets several entries.
    if (profile_.uses.empty() || last_use_ != use.region) {
      profile_.uses.push_back({.thread = kThread, .nvtx = states_[use.region]});
      last_use_ = use.region;
      use_known_ = true;
    }
    use_known_ = use_known_ && !IsUnknown(use);
    if (!use_known_) return profile_.uses.back().gpu.clear();
    profile_.uses.back().gpu.push_back({.device = DeviceOf(use.device),
                                        .kernels = use.kernels,
                                        .copies = use.copies,
                                        .sets = use.sets,
                                        .kernel_ns = use.kernel_ns,
                                        .copy_ns = use.copy_ns,
                                        .set_ns = use.set_ns,
                                        .copy_bytes = use.copy_bytes,
                                        .set_bytes = use.set_bytes,
                                        .first_ns = 0,
                                        .last_ns = use.span_ns,
                                        .busy_ns = use.busy_ns,
                                        .latency_ns = SpreadOf(use.latency)});
  }

  std::int32_t DeviceOf(TextIndex name) const {
    const auto at = devices_.find(name);
    return at == devices_.end() ? -1 : at->second;
  }

  // ---- Kernels ----

  void AddRow(const SummaryRow& row) {
    const SummaryKernel& kernel = summary_.kernels[row.kernel];
    const std::string_view name = summary_.texts[kernel.name];
    Measurement m{.kind = kernel.kind,
                  .mode = kernel.mode,
                  .device = DeviceOf(kernel.device),
                  .thread = kThread,
                  .demangled_name = Text(kernel.name),
                  .function_name = FunctionOf(kernel.name, name),
                  .grid = kernel.grid,
                  .block = kernel.block,
                  .dynamic_shared = kernel.dynamic_shared,
                  .nvtx = states_[row.region],
                  .end_ns = row.time.total(),
                  .first_sample = profile_.samples.size()};
    for (const SummaryValue& value : kernel.attributes) AddAttribute(value);
    AddMetrics(row);
    m.sample_count = profile_.samples.size() - m.first_sample;
    if (kernel.kind == MeasurementKind::kRange) {
      // Ranges measured as a whole are not added up: the time is their mean.
      m.end_ns = row.time.empty() ? 0 : m.end_ns / row.time.count;
      m.counted =
          row.counted > 0 || row.launches == 1 ? row.counted : row.launches;
    } else {
      profile_.folded.push_back({.launches = row.launches,
                                 .min_ns = row.time.empty() ? 0 : row.time.min,
                                 .max_ns = row.time.max});
      m.folded = static_cast<std::uint32_t>(profile_.folded.size());
    }
    profile_.measurements.push_back(std::move(m));
  }

  StringId FunctionOf(TextIndex text, std::string_view name) {
    const auto [at, is_new] = functions_.try_emplace(text);
    if (is_new) at->second = profile_.strings.Intern(FunctionName(name));
    return at->second;
  }

  void AddSample(TextIndex metric, const Value& value) {
    profile_.AddSample(profile_.InternMetric(summary_.texts[metric]), value);
  }

  void AddAttribute(const SummaryValue& value) {
    Value read{.kind = value.kind, .bits = value.bits};
    if (value.kind == ValueKind::kText)
      read = Value::Text(Text(static_cast<TextIndex>(value.bits)));
    AddSample(value.metric, read);
  }

  // A metric may have been combined in several ways; the way with the most
  // launches is used.
  void AddMetrics(const SummaryRow& row) {
    std::map<TextIndex, const SummaryMetric*> best;
    for (const SummaryMetric& metric : row.metrics) {
      const SummaryMetric*& known = best[metric.metric];
      if (known == nullptr || known->present < metric.present) known = &metric;
    }
    for (const auto& [name, metric] : best) {
      // Some launches lack the metric, so their total is not known.
      if (metric->present != row.launches) {
        ++in_part_;
        continue;
      }
      double value = metric->sum.value();
      if (metric->folding == Folding::kMean) {
        const double weight = metric->weights.value();
        // Without weights, a mean exists only if all values are equal.
        value = weight != 0 ? value / weight : metric->low;
        if (weight == 0 && metric->low != metric->high) continue;
        // Rounding must not lead beyond the smallest and largest value.
        if (weight > 0)
          value = std::clamp(value, metric->low,
                             std::max(metric->low, metric->high));
      }
      if (std::isfinite(value)) AddSample(name, Value::Number(value));
    }
  }

  // ---- Notes ----

  void NoteLosses() {
    if (in_part_ > 0) {
      notes_.Add(
          Severity::kWarning, "metrics_in_part",
          "metrics that only some ranks measured are left out for kernels "
          "with launches on other ranks",
          input_.path, in_part_);
    }
    for (const SummaryNote& note : summary_.notes) {
      notes_.Add(static_cast<Severity>(note.severity), note.kind, note.text,
                 note.where, note.count);
    }
    if (!file_.damage.empty()) {
      notes_.Add(Severity::kDataLoss, "truncated_file",
                 file_.damage + "; the ranks behind the damage are left out",
                 input_.path);
    }
    if (file_.unknown > 0) {
      notes_.Add(Severity::kInfo, "unknown_section",
                 "sections of the summary that this version does not know",
                 input_.path, file_.unknown);
    }
  }

  static constexpr std::uint64_t kPlaces = 4'000'000;
  static constexpr std::uint64_t kPlacesPerByte = 16;
  static constexpr std::string_view kAttribute = "attribute:";

  const SummaryFile& file_;
  const Summary& summary_;
  const ReaderInput& input_;
  Notes& notes_;
  Profile profile_{};
  std::vector<StringId> texts_{};                // by TextIndex
  std::map<TextIndex, std::int32_t> devices_{};  // by name
  std::map<TextIndex, StringId> functions_{};    // by kernel name
  std::vector<NvtxStateId> states_{};            // by region
  std::uint32_t last_use_ = 0;                   // region of the last use
  bool use_known_ = true;          // false: unknown on a device of that region
  std::uint64_t places_left_ = 0;  // see SpreadOf()
  std::uint64_t in_part_ = 0;      // metrics that some launches of a row lack
};

}  // namespace

Result<Profile> ReadRangefinderSummary(const ReaderInput& input, Notes& notes) {
  const SummaryFile file = TRY(OpenSummary(input.bytes));
  return SummaryProfile(file, input, notes).Read();
}

}  // namespace rangefinder
