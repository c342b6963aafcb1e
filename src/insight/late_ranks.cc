#include "insight/late_ranks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"

namespace rangefinder {
namespace {

// Most parts in a sentence; report.json has all parts.
constexpr std::size_t kMostParts = 3;
// Most ranks that a sentence names.
constexpr std::size_t kMostNamed = 4;
// Smaller parts of the whole are not mentioned.
constexpr double kLeastShare = 0.05;

// "12 % longer", "2.1 times as long"; `plain` if the ratio is not meaningful.
std::string Against(double ratio, std::string_view more, std::string_view times,
                    std::string_view plain) {
  if (!(ratio > 1) || !std::isfinite(ratio)) return std::string(plain);
  if (ratio >= 2) return fmt::format("{:.1f} {}", ratio, times);
  const double percent = 100 * (ratio - 1);
  if (percent < 0.05) return std::string(plain);
  return fmt::format("{:.{}f} % {}", percent, percent < 10 ? 1 : 0, more);
}

std::string SlowerClock(double ratio) {
  if (ratio > 0 && ratio < 1)
    return fmt::format("its SMs ran {:.1f} % slower", 100 * (1 - ratio));
  return "its SMs ran " + Against(ratio, "slower", "times slower", "slower");
}

std::string PartText(const RankNames& names, const LatePart& part) {
  return fmt::format("{} in {}: {}", FormatNs(part.ns),
                     names.Region(part.region), ReasonText(part));
}

// "among rank 0, rank 1 and 6 more".
std::string AmongText(const RankNames& names, const LatePart& part,
                      std::size_t ranks) {
  if (part.records.empty() || part.records.size() == ranks) return {};
  std::vector<std::string> listed;
  for (const std::size_t record : part.records) {
    if (listed.size() == kMostNamed && part.records.size() > kMostNamed + 1) {
      listed.push_back(fmt::format(
          "{} more", FormatCount(part.records.size() - kMostNamed)));
      break;
    }
    listed.push_back(names.Who(record));
  }
  return " among " + JoinedAsList(listed, "and");
}

bool IsInside(const RankAnalysis& analysis, std::size_t region,
              std::size_t outer) {
  while (region != outer && region != 0)
    region = analysis.regions[region].parent;
  return region == outer;
}

}  // namespace

std::vector<std::size_t> LateSaidBy(const RankAnalysis& analysis,
                                    std::size_t most) {
  std::vector<std::size_t> said_by;
  for (std::size_t i = 0; i < std::min(most, analysis.late.size()); ++i) {
    const LateRank& late = analysis.late[i];
    said_by.push_back(i);
    for (std::size_t j = 0; j < i; ++j) {
      const LateRank& first = analysis.late[j];
      if (said_by[j] != j || first.record != late.record) continue;
      if (!IsInside(analysis, late.region, first.region) &&
          !IsInside(analysis, first.region, late.region))
        continue;
      said_by[i] = j;
      break;
    }
  }
  return said_by;
}

std::string ReasonText(const LatePart& part) {
  switch (part.reason) {
    case LateReason::kCompute:
      return fmt::format(
          "its kernels took {} at equal launches",
          Against(part.ratio, "longer", "times as long", "longer"));
    case LateReason::kWork:
      return fmt::format("it launched {}",
                         Against(part.ratio, "more kernels",
                                 "times as many kernels", "more kernels"));
    case LateReason::kClock:
      return SlowerClock(part.ratio);
    case LateReason::kLaunch:
      return "its kernels were launched later: the CPU, not the GPU";
    case LateReason::kIdle:
      return "its GPU stood idle, and not for launches alone";
    case LateReason::kNetwork:
      return fmt::format(
          "the transfer took {}",
          Against(part.ratio, "longer", "times as long", "longer"));
    case LateReason::kUnknown:
      break;
  }
  return "not explained";
}

double LostNs(const RankAnalysis& analysis, const LateRank& late) {
  const RegionOverRanks& over = analysis.regions[late.region];
  if (!over.waiting || over.waiting->ranks < 2) return 0;
  return std::min(over.waiting->sum,
                  late.late_ns * static_cast<double>(late.last) *
                      static_cast<double>(over.waiting->ranks - 1));
}

std::string LateText(const RankNames& names, const LateRank& late) {
  std::string text = fmt::format(
      "{} last in {} of {} {}", names.Who(late.record),
      FormatShare(late.last, late.instances), FormatCount(late.instances),
      late.instances == 1 ? "instance" : "instances");
  if (late.late_ns > 0) text += fmt::format(", by {}", FormatNs(late.late_ns));
  std::vector<std::string> parts;
  double unknown = 0;
  for (const LatePart& part : late.parts) {
    if (part.reason == LateReason::kUnknown)
      unknown += part.ns;
    else if (part.ns > kLeastShare * late.late_ns && parts.size() < kMostParts)
      parts.push_back(PartText(names, part));
  }
  if (unknown > kLeastShare * late.late_ns)
    parts.push_back(fmt::format("{} not explained", FormatNs(unknown)));
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "; of it " : "; ") + parts[i];
  return text;
}

std::string LateSentence(const RankNames& names, const LateRank& late) {
  return fmt::format("{}: {}", names.Region(late.region),
                     LateText(names, late));
}

std::string SlowNetworkSentence(const RankNames& names, const LatePart& part) {
  std::string text = fmt::format(
      "{}: no rank came late, and the transfer itself took {} longer",
      names.Region(part.region), FormatNs(part.ns));
  if (part.share < 1)
    text += fmt::format(" in {} of the instances", FormatShare(part.share, 1));
  if (part.ratio > 1 && std::isfinite(part.ratio))
    text += fmt::format(", {:.2f} times the usual", part.ratio);
  // Sizes are known in steps of 3 %.
  if (part.size_ratio > 1.1)
    text +=
        fmt::format(", with messages {:.2g} times as large", part.size_ratio);
  else if (part.size_ratio > 0.9)
    text += ", with messages of the same size";
  return text + AmongText(names, part, names.size());
}

}  // namespace rangefinder
