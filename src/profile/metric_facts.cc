#include "profile/metric_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <new>

#include <zstd.h>
#include <zstd_errors.h>

#include "base/embedded.h"
#include "base/text.h"
#include "profile/metric_name.h"
#include "profile/metric_units.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedMetricFacts();

namespace {

// Far above the table's size; a damaged frame cannot ask for more.
constexpr std::size_t kMaxTable = std::size_t{16} << 20;

std::string Unpack(std::string_view packed) {
  // A frame need not say how long its content is.
  constexpr std::size_t kPart = std::size_t{1} << 17;
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(
      ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  std::string text;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t length = 0;
  std::size_t left = 1;  // 0 at the end of the frame
  while (left != 0 && text.size() < kMaxTable) {
    text.resize(length + kPart);
    ZSTD_outBuffer out{text.data() + length, kPart, 0};
    left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
      throw std::bad_alloc();
    if (ZSTD_isError(left) != 0 || (out.pos == 0 && in.pos == in.size))
      return {};
    length += out.pos;
  }
  text.resize(length);
  return text;
}

std::vector<std::string_view> SplitView(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// One variant of one metric.
struct Line {
  std::string_view name{};
  char kind = 'C';
  std::string_view unit{};
  std::string_view inputs{};
  std::uint64_t chips = 0;  // bit by Table::chips
};

// The unpacked table, sorted by name.
struct Table {
  std::string text{};
  std::vector<std::string> chips{};
  std::vector<Line> lines{};
};

Table ReadTable() {
  Table table;
  const auto files = EmbeddedMetricFacts();
  if (files.empty()) return table;
  table.text = Unpack(files.front().content());
  const std::vector<std::string_view> rows = SplitView(table.text, '\n');
  for (const std::string_view chip : SplitView(rows.front(), ' '))
    table.chips.emplace_back(chip);
  table.lines.reserve(rows.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string_view> fields = SplitView(rows[i], '\t');
    if (fields.size() != 5 || fields[1].empty()) continue;
    Line line{.name = fields[0],
              .kind = fields[1].front(),
              .unit = fields[2],
              .inputs = fields[3]};
    std::from_chars(fields[4].data(), fields[4].data() + fields[4].size(),
                    line.chips, 16);
    table.lines.push_back(line);
  }
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

// The line of `base` for the chip, or for any chip when it has none.
const Line* FindLine(std::string_view chip, std::string_view base) {
  const Table& table = TheTable();
  const std::uint64_t mask = ChipMask(table, chip);
  const Line* any = nullptr;
  for (auto at = std::ranges::lower_bound(table.lines, base, {}, &Line::name);
       at != table.lines.end() && at->name == base; ++at) {
    if ((at->chips & mask) != 0) return &*at;
    any = &*at;
  }
  return any;
}

// What the table calls it: the group included, the suffix not.
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

// A part of a compute capability, from a file that may say anything.
int Part(double value) {
  return value >= 0 && value < 1000 ? static_cast<int>(value) : -1;
}

// The capability as a measurement on the device recorded it.
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
  const Line* line = FindLine(chip, TableName(metric, name));
  MetricFacts facts;
  if (line == nullptr) {
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
  const Line* line = FindLine(chip, base);
  return line != nullptr && (line->chips & ChipMask(table, chip)) != 0;
}

std::vector<std::string> KnownChips() {
  return TheTable().chips;
}

std::string_view ChipOfCapability(int major, int minor) {
  for (const CapabilityRow& row : kCapabilities) {
    if (row.major == major && row.minor == minor) return row.chip;
  }
  return {};
}

// A machine has no more; each is looked for in all that was measured.
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
    if (std::ranges::find(asked, m.device) != asked.end()) continue;
    asked.push_back(m.device);
    if (asked.size() > kMostDevicesAsked) break;
    if (std::string chip = ChipOf(profile, m.device); !chip.empty())
      return chip;
  }
  return {};
}

}  // namespace rangefinder
