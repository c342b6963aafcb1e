#include "profile/metric_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <new>

#include <zstd.h>
#include <zstd_errors.h>

#include "base/embedded.h"
#include "base/lists.h"
#include "base/text.h"

namespace rangefinder {

// In this order: counter_words.tsv, metric_facts.txt.zst, metric_units.tsv.
std::span<const EmbeddedFile> EmbeddedMetricFacts();

namespace {

constexpr std::string_view kCycle = "cycle";

// A row of a table made by hand: "name<TAB>text".
struct HandRow {
  std::string_view name{}, text{};
};

// Removes the text up to the next `separator`, or its end, from `text`, and
// returns it.
std::string_view TakePart(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

std::vector<HandRow> ReadRows(const EmbeddedFile& file) {
  std::vector<HandRow> rows;
  for (std::string_view left = file.content(); !left.empty();) {
    const std::string_view line = TakePart(left, '\n');
    const std::size_t tab = line.find('\t');
    if (!line.starts_with('#') && tab != std::string_view::npos)
      rows.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return rows;
}

// The unit of a metric that NVIDIA's evaluator does not know, by the first row
// whose name the metric begins with; "": no unit; nothing: no row.
std::optional<std::string_view> UnitByHand(std::string_view metric) {
  static const std::vector<HandRow> units = ReadRows(EmbeddedMetricFacts()[2]);
  for (const HandRow& row : units) {
    if (metric.starts_with(row.name)) return row.text;
  }
  return std::nullopt;
}

// Removes a factor of cycles from `unit`; returns whether there was one.
bool TakeCycles(std::string_view& unit) {
  if (unit == kCycle) {
    unit = {};
    return true;
  }
  constexpr std::string_view kFactor = "*cycle";
  if (!unit.ends_with(kFactor)) return false;
  unit.remove_suffix(kFactor.size());
  return true;
}

// Far above the table's size, which the zstd frame does not state.
constexpr std::size_t kMaxTable = std::size_t{4} << 20;

std::string Unpack(std::string_view packed) {
  std::string text(kMaxTable, '\0');
  const std::size_t length =
      ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_getErrorCode(length) == ZSTD_error_memory_allocation)
    throw std::bad_alloc();
  text.resize(ZSTD_isError(length) != 0 ? 0 : length);
  text.shrink_to_fit();
  return text;
}

// One variant of one metric.
struct Line {
  std::string_view name{};
  char kind = 'C';
  std::string_view unit{};
  std::string_view inputs{};
  std::uint64_t chips = 0;  // one bit a chip, by Table::chips
};

// The unpacked table, sorted by name.
struct Table {
  std::string text{};
  std::vector<std::string> chips{};
  std::vector<std::string_view> rows{};
};

std::string_view NameOf(std::string_view row) {
  return TakePart(row, '\t');
}

Line LineOf(std::string_view row) {
  Line line{.name = TakePart(row, '\t')};
  const std::string_view kind = TakePart(row, '\t');
  if (!kind.empty()) line.kind = kind.front();
  line.unit = TakePart(row, '\t');
  line.inputs = TakePart(row, '\t');
  std::from_chars(row.data(), row.data() + row.size(), line.chips, 16);
  return line;
}

Table ReadTable() {
  Table table;
  table.text = Unpack(EmbeddedMetricFacts()[1].content());
  std::string_view rows = table.text;
  std::string_view chips = TakePart(rows, '\n');
  while (!chips.empty()) table.chips.emplace_back(TakePart(chips, ' '));
  while (!rows.empty()) table.rows.push_back(TakePart(rows, '\n'));
  return table;
}

const Table& TheTable() {
  static const Table table = ReadTable();
  return table;
}

std::uint64_t ChipMask(const Table& table, std::string_view chip) {
  const auto at = std::ranges::find(table.chips, chip);
  if (at == table.chips.end()) return ~std::uint64_t{0};
  return std::uint64_t{1} << (at - table.chips.begin());
}

// The line of `base` for the chip, else for any chip.
std::optional<Line> FindLine(std::string_view chip, std::string_view base) {
  const Table& table = TheTable();
  const std::uint64_t mask = ChipMask(table, chip);
  std::optional<Line> any;
  for (auto at = std::ranges::lower_bound(table.rows, base, {}, NameOf);
       at != table.rows.end() && NameOf(*at) == base; ++at) {
    any = LineOf(*at);
    if ((any->chips & mask) != 0) break;
  }
  return any;
}

// The name of the metric in the table: with its group, such as
// "TPC.TriageCompute", without its suffix and the prefix of ncu's PM sampling.
std::string_view TableName(std::string_view metric, const MetricName& name) {
  constexpr std::string_view kSampling = "pmsampling:";
  if (metric.starts_with(kSampling)) metric.remove_prefix(kSampling.size());
  if (!name.suffix.empty()) metric.remove_suffix(name.suffix.size() + 1);
  return metric;
}

struct CapabilityRow {
  int major, minor;
  std::string_view chip;
};
constexpr std::array kCapabilities = {
    CapabilityRow{7, 0, "GV100"},  CapabilityRow{7, 2, "GV11B"},
    CapabilityRow{7, 5, "TU102"},  CapabilityRow{8, 0, "GA100"},
    CapabilityRow{8, 6, "GA102"},  CapabilityRow{8, 7, "GA10B"},
    CapabilityRow{8, 9, "AD102"},  CapabilityRow{9, 0, "GH100"},
    CapabilityRow{10, 0, "GB100"}, CapabilityRow{10, 1, "GB10B"},
    CapabilityRow{10, 3, "GB110"}, CapabilityRow{11, 0, "GB10B"},
    CapabilityRow{12, 0, "GB202"}, CapabilityRow{12, 1, "GB20B"},
};

constexpr std::string_view kMajor = "compute_capability_major";
constexpr std::string_view kMinor = "compute_capability_minor";

// A part of a compute capability; -1 for an impossible value in a damaged file.
int Part(double value) {
  return value >= 0 && value < 1000 ? static_cast<int>(value) : -1;
}

// The chip by the compute capability in a measurement on the device.
std::string_view ChipFromMetrics(const Profile& profile, std::int32_t device) {
  const std::string prefix = "device__attribute_";
  const auto major = profile.FindMetric(prefix + std::string(kMajor));
  const auto minor = profile.FindMetric(prefix + std::string(kMinor));
  if (!major || !minor) return {};
  for (const Measurement& m : profile.measurements) {
    if (m.device != device) continue;
    const auto high = profile.ValueOf(m, *major).number();
    const auto low = profile.ValueOf(m, *minor).number();
    if (high && low) return ChipOfCapability(Part(*high), Part(*low));
  }
  return {};
}

}  // namespace

std::optional<MetricFacts> FindMetricFacts(std::string_view chip,
                                           std::string_view metric) {
  const MetricName name = ParseMetricName(metric);
  const std::optional<Line> line = FindLine(chip, TableName(metric, name));
  MetricFacts facts;
  if (!line) {
    const std::optional<std::string_view> unit = UnitByHand(metric);
    if (!unit) return std::nullopt;
    facts.unit = *unit;
    return facts;
  }
  facts.unit = UnitOfForm(line->unit, name.form);
  if (line->kind == 'C') {
    facts.kind = MetricKind::kCounter;
  } else if (line->kind == 'T') {
    facts.kind = MetricKind::kThroughput;
    if (!line->inputs.empty()) facts.inputs = Split(line->inputs, ',');
  } else {
    facts.kind = MetricKind::kRatio;
    const std::size_t slash = line->inputs.find('/');
    if (slash != std::string_view::npos) {
      facts.over = line->inputs.substr(0, slash);
      facts.under = line->inputs.substr(slash + 1);
    }
  }
  return facts;
}

std::string MetricUnit(std::string_view chip, std::string_view metric) {
  const auto facts = FindMetricFacts(chip, metric);
  return facts ? facts->unit : std::string();
}

bool ChipHasMetric(std::string_view chip, std::string_view base) {
  const Table& table = TheTable();
  const std::optional<Line> line = FindLine(chip, base);
  return line && (line->chips & ChipMask(table, chip)) != 0;
}

std::string_view ChipOfCapability(int major, int minor) {
  for (const CapabilityRow& row : kCapabilities) {
    if (row.major == major && row.minor == minor) return row.chip;
  }
  return {};
}

// More devices than a machine has. Each device costs a search of all
// measurements.
constexpr std::size_t kMostDevicesAsked = 64;

std::string ChipOf(const Profile& profile, std::int32_t device) {
  for (const Device& known : profile.devices) {
    if (known.index != device) continue;
    if (!known.chip.empty()) return known.chip;
    std::optional<double> major;
    std::optional<double> minor;
    for (const auto& [name, value] : known.attributes) {
      if (profile.Name(name).ends_with(kMajor)) major = value.number();
      if (profile.Name(name).ends_with(kMinor)) minor = value.number();
    }
    if (major && minor)
      return std::string(ChipOfCapability(Part(*major), Part(*minor)));
  }
  return std::string(ChipFromMetrics(profile, device));
}

std::string ChipOf(const Profile& profile) {
  std::vector<std::int32_t> asked;
  for (const Measurement& m : profile.measurements) {
    if (Has(asked, m.device)) continue;
    asked.push_back(m.device);
    if (asked.size() > kMostDevicesAsked) break;
    if (std::string chip = ChipOf(profile, m.device); !chip.empty())
      return chip;
  }
  return {};
}

std::string UnitOfForm(std::string_view unit, Form form) {
  std::string_view rest = unit;
  const bool cycles = TakeCycles(rest);
  switch (form) {
    case Form::kPctActive:
    case Form::kPctElapsed:
    case Form::kPct:
      return "%";
    case Form::kPerSecond:
      if (unit == kCycle) return "hz";
      return rest.empty() ? "" : std::string(rest) + "/s";
    case Form::kPeakSustained:
    case Form::kPerCycleActive:
    case Form::kPerCycleElapsed:
      if (cycles) return std::string(rest);
      return unit.empty() ? "" : std::string(unit) + "/cycle";
    default:
      return std::string(rest.empty() ? unit : rest);
  }
}

std::string CounterDoc(std::string_view metric) {
  const MetricName name = ParseMetricName(metric);
  static const std::vector<HandRow> words = ReadRows(EmbeddedMetricFacts()[0]);
  const auto known = std::ranges::find(words, name.base, &HandRow::name);
  if (known == words.end()) return {};
  std::string doc(known->text);
  if (name.suffix == "avg" && name.unit == "sm")
    return doc + "; the mean over all SMs";
  if (name.suffix == "sum" || name.suffix.empty()) return doc;
  return {};
}

SampleScale ScaleOfSamples(std::string_view chip, std::string_view metric,
                           double clock_hz) {
  const MetricName name = ParseMetricName(metric);
  std::string unit = MetricUnit(chip, metric);
  if (name.form != Form::kCounter) return {.unit = std::move(unit)};
  const bool of_sms = name.unit == "sm" || name.unit == "smsp";
  if (of_sms && name.across == Across::kAvg && unit == "cycle" && clock_hz > 0)
    return {.unit = "%", .per_second = true, .factor = 100 / clock_hz};
  return {.unit = UnitOfForm(unit, Form::kPerSecond), .per_second = true};
}

double OnScale(const SampleScale& scale, double value, std::uint64_t ns) {
  if (!scale.per_second) return value * scale.factor;
  if (ns == 0) return std::numeric_limits<double>::quiet_NaN();
  return value * scale.factor * 1e9 / static_cast<double>(ns);
}

double DeviceAttribute(const Profile& profile, const Device& device,
                       std::string_view attribute) {
  constexpr std::string_view kPrefix = "device__attribute_";
  for (const auto& [key, value] : device.attributes) {
    const std::string_view name = profile.Name(key);
    if (name.starts_with(kPrefix) && name.substr(kPrefix.size()) == attribute)
      return value.number().value_or(0);
  }
  return 0;
}

double DeviceAttribute(const Profile& profile, std::int32_t device,
                       std::string_view attribute) {
  const auto known = std::ranges::find(profile.devices, device, &Device::index);
  return known == profile.devices.end()
             ? 0
             : DeviceAttribute(profile, *known, attribute);
}

double HighestClock(const Profile& profile, std::int32_t device) {
  return 1000 * DeviceAttribute(profile, device, "clock_rate");  // from kHz
}

}  // namespace rangefinder
