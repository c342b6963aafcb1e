#include "app/instance_plan.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "region/path.h"

namespace rangefinder {
namespace {

// ncu reads the numbers as alternatives; longer lists become an expression.
constexpr std::uint64_t kMostListed = 200;

// Numbers of at least `n`, digit by digit.
std::string AtLeast(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  std::vector<std::string> ways = {digits};
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (digits[i] == '9') continue;
    std::string way = digits.substr(0, i) +
                      fmt::format("[{}-9]", static_cast<char>(digits[i] + 1));
    for (std::size_t rest = i + 1; rest < digits.size(); ++rest) way += "[0-9]";
    ways.push_back(std::move(way));
  }
  std::string longer = "[1-9]";
  for (std::size_t i = 0; i < digits.size(); ++i) longer += "[0-9]";
  ways.push_back(longer + "[0-9]*");
  return fmt::format("{}", fmt::join(ways, "|"));
}

std::string Said(const RegionSettings& settings) {
  std::string text =
      fmt::format("regions.instances.skip={}", settings.instances_skip);
  if (settings.instances_count)
    text += fmt::format(" count={}", *settings.instances_count);
  return text;
}

// The executions of ranges in the order of their first launch, by process and
// place.
class Executions {
 public:
  explicit Executions(const Profile& profile) : profile_(profile) {}

  void Add(const Measurement& m) {
    std::string place = Root(m);
    for (const Frame& frame : PathOf(profile_, m)) {
      Extend(place, frame);
      Seen& seen = seen_[place];
      seen.ordinals.try_emplace(frame.execution, seen.ordinals.size());
      // Inner ranges are counted within this execution of the outer one.
      place += fmt::format("#{:x}", frame.execution);
    }
  }

  // The number of the instance that decides about `m`; nothing where no range
  // around it ran twice.
  std::optional<std::uint64_t> Ordinal(const Measurement& m) const {
    std::string place = Root(m);
    for (const Frame& frame : PathOf(profile_, m)) {
      Extend(place, frame);
      const Seen& seen = seen_.at(place);
      if (seen.ordinals.size() > 1) return seen.ordinals.at(frame.execution);
      place += fmt::format("#{:x}", frame.execution);
    }
    return std::nullopt;
  }

 private:
  struct Seen {
    std::unordered_map<std::uint64_t, std::uint64_t> ordinals{};
  };
  static std::string Root(const Measurement& m) {
    return fmt::format("{}", Index(m.process));
  }
  static void Extend(std::string& place, const Frame& frame) {
    place += fmt::format("/{}.{}", Index(frame.domain), Index(frame.name));
  }

  const Profile& profile_;
  std::unordered_map<std::string, Seen> seen_{};
};

}  // namespace

bool AsksForInstances(const RegionSettings& settings) {
  return settings.instances_skip > 0 || settings.instances_count.has_value();
}

std::string InstanceNumbers(std::uint64_t skip,
                            std::optional<std::uint64_t> count) {
  if (!count || *count > kMostListed) return AtLeast(skip + 1);
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 1; i <= *count; ++i) numbers.push_back(skip + i);
  return fmt::format("{}", fmt::join(numbers, "|"));
}

Status SelectInstances(const RegionSettings& settings, NcuOptions& ncu,
                       std::vector<RegionToMeasure>& regions, Notes& notes) {
  if (!AsksForInstances(settings)) return Ok();
  if (ncu.options.contains("range_filter")) {
    return Error(ErrorCode::kUsage,
                 "regions.instances and pipeline.ncu.ncu_cli.range_filter both "
                 "choose instances; remove one of them");
  }
  if (settings.instances_count == std::uint64_t{0}) {
    return Error(ErrorCode::kUsage,
                 "regions.instances.count=0 leaves nothing to measure; null "
                 "takes all instances");
  }
  ncu.range_filter =
      "::" + InstanceNumbers(settings.instances_skip, settings.instances_count);
  std::uint64_t measured = 0;
  std::uint64_t total = 0;
  std::vector<std::string> short_of;
  for (RegionToMeasure& region : regions) {
    const std::uint64_t all = region.instances;
    const std::uint64_t left = all - std::min(all, settings.instances_skip);
    region.instances = std::min(left, settings.instances_count.value_or(left));
    if (!region.wanted || region.kernels == 0) continue;
    total += all;
    measured += region.instances;
    if (region.instances > 0) continue;
    region.wanted = false;
    short_of.push_back(region.label);
  }
  if (regions.empty()) {
    notes.Add(Severity::kInfo, "instances",
              Said(settings) + ": ncu measures those instances of each range");
    return Ok();
  }
  notes.Add(Severity::kInfo, "instances",
            fmt::format("{}: {} of {} instances of the wanted regions are "
                        "measured",
                        Said(settings), measured, total));
  if (!short_of.empty()) {
    notes.Add(Severity::kWarning, "instances_too_few",
              fmt::format("{} region{} ran no more than {} time{} and {} "
                          "skipped whole: {}",
                          short_of.size(), short_of.size() == 1 ? "" : "s",
                          settings.instances_skip,
                          settings.instances_skip == 1 ? "" : "s",
                          short_of.size() == 1 ? "is" : "are",
                          fmt::join(short_of, ", ")));
  }
  return Ok();
}

void KeepInstances(const RegionSettings& settings, Profile& profile,
                   Notes& notes) {
  if (!AsksForInstances(settings)) return;
  const auto counts = [](const Measurement& m) {
    return m.kind != MeasurementKind::kRange;
  };
  Executions executions(profile);
  std::uint64_t all = 0;
  for (const Measurement& m : profile.measurements) {
    if (!counts(m)) continue;
    executions.Add(m);
    ++all;
  }
  if (all == 0) return;
  const std::uint64_t skip = settings.instances_skip;
  const auto left_out =
      std::erase_if(profile.measurements, [&](const Measurement& m) {
        if (!counts(m)) return false;
        const auto ordinal = executions.Ordinal(m);
        if (!ordinal) return false;
        return *ordinal < skip ||
               (settings.instances_count &&
                *ordinal - skip >= *settings.instances_count);
      });
  notes.Add(Severity::kInfo, "instances_selected",
            fmt::format("{}: {} of {} kernels are left out, those of other "
                        "instances",
                        Said(settings), left_out, all));
}

}  // namespace rangefinder
