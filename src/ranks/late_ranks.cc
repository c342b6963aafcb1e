#include "ranks/late_ranks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "ranks/middle.h"
#include "region/path.h"

namespace rangefinder {

namespace {

// The uncertainty of clocks and ends: ranks leave a collective up to 4 us
// apart.
constexpr double kLeastNs = 5000;

// A rank counts as late if it came last more often than by chance, in at least
// this share of the instances.
constexpr double kLeastShare = 0.25;
constexpr double kLeastDeviations = 3;
constexpr std::size_t kLeastTimes = 3;
// Lateness of a smaller share of the region's GPU time is not worth naming.
constexpr double kLeastOfTime = 0.005;
// In regions that ran less often, each collective counts as an instance.
constexpr std::uint64_t kLeastInstances = 3;

bool IsMoreThanChance(std::size_t last, std::size_t instances,
                      std::size_t members) {
  const auto n = static_cast<double>(instances);
  const double p = 1 / static_cast<double>(members);
  const auto count = static_cast<double>(last);
  if (last < kLeastTimes || count < kLeastShare * n) return false;
  return last == instances ||
         count >= n * p + kLeastDeviations * std::sqrt(n * p * (1 - p));
}

// From the first activity of a region's instances to their last, summed.
double GpuTimeOf(const RankRegion& region) {
  return static_cast<double>(region.compute_ns + region.overlapped_ns +
                             region.exposed_ns + region.copy_ns +
                             region.idle_ns);
}

// Subtracts the median of each collective from `values`, which are by member
// and collective.
void SubtractMedians(const CommunicatorTimes& times,
                     std::vector<float>& values) {
  std::vector<double> column;
  for (std::size_t k = 0; k < times.length; ++k) {
    column.clear();
    const std::size_t members = times.MembersAt(k);
    for (std::size_t m = 0; m < members; ++m) {
      if (!times.IsThere(m, k)) continue;
      const float value = values[times.Index(m, k)];
      if (!std::isnan(value)) column.push_back(static_cast<double>(value));
    }
    const auto middle = static_cast<float>(LowerMedian(column));
    for (std::size_t m = 0; m < members; ++m) {
      if (times.IsThere(m, k)) values[times.Index(m, k)] -= middle;
    }
  }
}

// The lateness of each rank of a communicator in each of its collectives, by
// the indices of CommunicatorTimes: ns after the median rank, negative before
// it. NaN where the rank is missing, or fewer than two ranks are there.
struct Lateness {
  Lateness(const Channels& channels, const Communicator& communicator,
           const CommunicatorTimes& times, const WaitedSoFar& waited)
      : start(times.start), launch(times.launch) {
    // The starts without waiting in other communicators since the last
    // collective of this one.
    std::vector<float> own = times.start;
    for (std::size_t m = 0; m < times.members; ++m) {
      const Channel& channel = channels[communicator.members[m].channel];
      double before = 0;
      for (std::size_t k = 0; k < times.RowSize(m); ++k) {
        if (!times.IsThere(m, k)) continue;
        const std::size_t at = times.Index(m, k);
        if (std::isnan(times.latest[k])) start[at] = own[at] = kNaN;
        const Instant instant = channels.InstantOf(channel, times.at[at]);
        own[at] -= static_cast<float>(waited.At(channel.record, instant.start) -
                                      before);
        before = waited.At(channel.record, instant.end);
      }
    }
    SubtractMedians(times, start);
    SubtractMedians(times, own);
    SubtractMedians(times, launch);
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] = std::min(start[i], own[i]);
      if (!std::isnan(launch[i]))
        launch[i] = std::clamp(launch[i], 0.F, std::max(start[i], 0.F));
    }
  }

  // Without the time that the rank waited in other communicators meanwhile.
  std::vector<float> start{};
  // Of the launch calls: at least 0, at most the lateness of the start.
  std::vector<float> launch{};
};

// The member that came last in most instances of a region, and its finding. An
// instance is `each` of the region's collectives.
std::pair<std::size_t, LateFinding> LatestMember(
    const CommunicatorTimes& times, const Lateness& lateness,
    std::span<const std::size_t> collectives, std::size_t each) {
  const std::size_t size = collectives.size() / each;
  // The lateness of one member in instance `i`: of starts and of launch calls.
  const auto lateness_of = [&](std::size_t member, std::size_t i) {
    double start = 0, launch = 0;
    for (const std::size_t k : collectives.subspan(i * each, each)) {
      if (!times.IsThere(member, k)) continue;
      const std::size_t at = times.Index(member, k);
      if (std::isnan(lateness.start[at])) continue;
      start += static_cast<double>(lateness.start[at]);
      launch += static_cast<double>(lateness.launch[at]);
    }
    return std::pair(start, launch);
  };
  std::vector<std::size_t> last(times.members);  // instances, by member
  std::vector<std::size_t> lasts;                // members, by instance
  std::vector<double> middles;                   // by instance
  std::vector<double> starts;                    // by member
  for (std::size_t i = 0; i < size; ++i) {
    starts.resize(times.MembersAt(collectives[i * each]));
    for (std::size_t m = 0; m < starts.size(); ++m)
      starts[m] = lateness_of(m, i).first;
    const auto latest = std::ranges::max_element(starts);
    lasts.push_back(static_cast<std::size_t>(latest - starts.begin()));
    ++last[lasts.back()];
    middles.push_back(LowerMedian(starts));
  }
  const auto most = std::ranges::max_element(last);
  const auto member = static_cast<std::size_t>(most - last.begin());
  LateFinding finding;
  finding.late.instances = size;
  finding.late.last = *most;
  std::vector<double> late, launch;
  for (std::size_t i = 0; i < size; ++i) {
    const auto [start_ns, launch_ns] = lateness_of(member, i);
    const double ns = start_ns - middles[i];
    finding.mean_late_ns += ns / static_cast<double>(size);
    if (lasts[i] != member) continue;
    late.push_back(ns);
    if (!std::isnan(launch_ns)) launch.push_back(launch_ns);
  }
  finding.late.late_ns = Median(late);
  if (!launch.empty()) finding.launch_late_ns = Median(launch);
  return {member, std::move(finding)};
}

}  // namespace

WaitedSoFar::WaitedSoFar(const Ranks& ranks, const Channels& channels,
                         const CollectiveWaits& waits) {
  std::vector<std::pair<double, double>> ends;
  for (std::size_t r = 0; r < ranks.records.size(); ++r) {
    ends.clear();
    for (std::size_t i = 0; i < waits[r].size(); ++i) {
      if (std::isnan(waits[r][i])) continue;
      ends.emplace_back(channels.InstantOf(ranks.records[r].collectives[i]).end,
                        static_cast<double>(waits[r][i]));
    }
    std::ranges::sort(ends);
    Waited& waited = by_record_.emplace_back();
    double sum = 0;
    for (const auto& [end, wait] : ends) {
      waited.end_ns.push_back(end);
      waited.sum_ns.push_back(sum += wait);
    }
  }
}

double WaitedSoFar::At(std::size_t record, double ns) const {
  const Waited& waited = by_record_[record];
  const auto after = std::ranges::upper_bound(waited.end_ns, ns);
  if (after == waited.end_ns.begin()) return 0;
  return waited
      .sum_ns[static_cast<std::size_t>(after - waited.end_ns.begin() - 1)];
}

// The collectives of a region and of regions inside it.
struct LateRanks::Within {
  std::vector<std::size_t> collectives{};
  std::vector<std::size_t> alone{};  // of one member: not matched
  bool has_own = false;              // some are in no inner region
};

// Uses the regions of the first member: others may have other trees, as stages
// of pipelines do.
std::map<std::size_t, LateRanks::Within> LateRanks::ByRegion(
    const Communicator& communicator, const CommunicatorTimes& times) const {
  const Channel& first = channels_[communicator.members.front().channel];
  const RankRecord& record = ranks_.records[first.record];
  std::map<std::size_t, Within> by_region;
  for (std::size_t k = 0; k < times.length; ++k) {
    if (!times.IsThere(0, k)) continue;
    const bool is_alone = std::isnan(times.latest[k]);
    std::size_t region = regions_.Of(
        record, channels_.At(first, times.at[times.Index(0, k)]).region);
    if (!is_alone) by_region[region].has_own = true;
    for (;; region = regions_.parent(region)) {
      Within& within = by_region[region];
      (is_alone ? within.alone : within.collectives).push_back(k);
      if (region == 0) break;
    }
  }
  return by_region;
}

// The number of collectives per instance of a region, if it is the same in all.
// Otherwise, and in regions that ran seldom, each collective counts as an
// instance. 0: leave the region to its inner regions.
std::size_t LateRanks::EachOf(const RankRecord& record, std::size_t region,
                              const Within& within) const {
  const std::uint64_t instances =
      record.regions[regions_.NodeIn(record, region)].instances;
  if (instances < kLeastInstances) return within.has_own ? 1 : 0;
  const std::size_t count = within.collectives.size();
  return count % instances == 0 ? count / instances : 1;
}

// Adds at most kMostPeers members of the communicator, evenly spread, and how
// many of its collectives these and the late member ran in the region.
void LateRanks::AddRecords(const Communicator& communicator,
                           const CommunicatorTimes& times, const Within& within,
                           std::size_t late, LateFinding& finding) const {
  constexpr std::size_t kMostPeers = 32;
  const auto record_of = [&](std::size_t m) {
    return channels_[communicator.members[m].channel].record;
  };
  const auto count = [&](std::size_t m) {
    const auto is_there = [&](std::size_t k) { return times.IsThere(m, k); };
    finding.collectives[record_of(m)] = static_cast<std::size_t>(
        std::ranges::count_if(within.collectives, is_there) +
        std::ranges::count_if(within.alone, is_there));
  };
  const std::size_t all = communicator.members.size();
  const std::size_t some = std::min(all, kMostPeers);
  for (std::size_t i = 0; i < some; ++i) {
    finding.records.push_back(record_of(i * all / some));
    count(i * all / some);
  }
  count(late);
}

void LateRanks::Add(const Communicator& communicator,
                    const CommunicatorTimes& times) {
  if (times.members < 2) return;
  const Lateness lateness(channels_, communicator, times, waited_);
  const std::size_t first =
      channels_[communicator.members.front().channel].record;
  const RankRecord& record = ranks_.records[first];
  const auto by_region = ByRegion(communicator, times);
  for (const auto& [region, within] : by_region) {
    const std::size_t each = EachOf(record, region, within);
    // A region with all collectives of its outer region is left to that region.
    const std::size_t outer = regions_.parent(region);
    const Within& around = by_region.at(outer);
    if (each == 0 || (outer != region && EachOf(record, outer, around) > 0 &&
                      around.collectives.size() == within.collectives.size()))
      continue;
    auto [member, finding] =
        LatestMember(times, lateness, within.collectives, each);
    const RankRegion& in_first =
        record.regions[regions_.NodeIn(record, region)];
    if (finding.late.late_ns < kLeastNs ||
        finding.lost_ns() < kLeastOfTime * GpuTimeOf(in_first) ||
        !IsMoreThanChance(finding.late.last, finding.late.instances,
                          times.members))
      continue;
    finding.late.region = region;
    finding.by_collective = finding.late.instances != in_first.instances;
    finding.late.record =
        channels_[communicator.members[member].channel].record;
    const auto known = by_region_.find(region);
    if (known != by_region_.end() &&
        known->second.lost_ns() >= finding.lost_ns())
      continue;
    AddRecords(communicator, times, within, member, finding);
    by_region_.insert_or_assign(region, std::move(finding));
  }
}

// Whether the program opened a range around the collectives: collectives
// outside all ranges, or in ranges of a library alone, belong to the start-up.
bool LateRanks::IsOfProgram(std::size_t region) const {
  if (region == 0) return false;
  const std::string outermost = regions_.PathTo(region).front();
  const std::size_t at = outermost.find('@');
  return at == std::string::npos ||
         !IsOfLibrary(std::string_view(outermost).substr(0, at));
}

std::vector<LateFinding> LateRanks::Take() {
  std::vector<LateFinding> found;
  const bool any_of_program = std::ranges::any_of(
      by_region_, [&](const auto& one) { return IsOfProgram(one.first); });
  for (auto& [region, finding] : by_region_) {
    finding.is_startup = any_of_program && !IsOfProgram(region);
    found.push_back(std::move(finding));
  }
  const auto rank = [](const LateFinding& finding) {
    return std::pair(!finding.is_startup, finding.lost_ns());
  };
  std::ranges::stable_sort(found, std::greater(), rank);
  return found;
}

// ---- Slow transfers --------------------------------------------------------

namespace {

constexpr std::size_t kMostRecords = 64;
// Compared with other instances: longer by this factor, this often.
constexpr double kLongerNow = 1.5;
constexpr std::size_t kLeastSlowTimes = 3;
constexpr double kLeastSlowShare = 0.02;
// Compared with other communicators: longer by this factor, and this many
// median distances away.
constexpr double kLongerAlways = 1.2;
constexpr double kLeastDistances = 9;

// From the latest start to the median end; NaN: not matched.
double TransferOf(const CommunicatorTimes& times, std::size_t k,
                  std::vector<double>& scratch) {
  if (std::isnan(times.latest[k])) return std::nan("");
  scratch.clear();
  for (std::size_t m = 0; m < times.MembersAt(k); ++m) {
    if (times.IsThere(m, k))
      scratch.push_back(static_cast<double>(times.end[times.Index(m, k)]));
  }
  return std::max(0.0,
                  LowerMedian(scratch) - static_cast<double>(times.latest[k]));
}

// NaN: one of them is not known.
double MedianSize(std::span<double> bytes) {
  const bool all =
      std::ranges::none_of(bytes, [](double size) { return std::isnan(size); });
  return all ? LowerMedian(bytes) : std::nan("");
}

}  // namespace

void SlowTransfers::Add(const Communicator& communicator,
                        const CommunicatorTimes& times) {
  if (times.members < 2) return;
  const Channel& first = channels_[communicator.members.front().channel];
  const RankRecord& record = ranks_.records[first.record];
  std::vector<std::size_t> records;
  for (const CommunicatorMember& member : communicator.members) {
    if (records.size() < kMostRecords)
      records.push_back(channels_[member.channel].record);
  }
  // By region, kind.
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<Transfer>> found;
  std::vector<double> scratch;
  for (std::size_t k = 0; k < times.length; ++k) {
    const double ns = TransferOf(times, k, scratch);
    if (std::isnan(ns) || !times.IsThere(0, k)) continue;
    const std::size_t i = times.at[times.Index(0, k)];
    found[{channels_.At(first, i).region, channels_.KindOf(first, i)}]
        .push_back({ns, channels_.SizeOf(first, i)});
  }
  for (auto& [key, transfers] : found) {
    const std::uint64_t instances = record.regions[key.first].instances;
    // An instance may have several of them, with different sizes; they are
    // summed.
    const std::size_t each = instances > 0 && transfers.size() % instances == 0
                                 ? transfers.size() / instances
                                 : 1;
    std::vector<Transfer> sums;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (i % each == 0) sums.emplace_back();
      sums.back().ns += transfers[i].ns;
      sums.back().bytes += transfers[i].bytes;
    }
    AddTransfers({regions_.Of(record, key.first),
                  channels_.PlainKind(key.second), times.members, sums.size()},
                 sums, records);
  }
}

LatePart SlowTransfers::PartOf(std::size_t region, const Transfer& slow,
                               const Transfer& usual,
                               std::vector<std::size_t> records) {
  const double sizes = slow.bytes / usual.bytes;
  return {.reason = LateReason::kNetwork,
          .region = region,
          .ns = slow.ns - usual.ns,
          .ratio = usual.ns > 0 ? slow.ns / usual.ns : 0,
          .records = std::move(records),
          .size_ratio = std::isfinite(sizes) ? sizes : 0};
}

void SlowTransfers::AddTransfers(const Like& like,
                                 const std::vector<Transfer>& each,
                                 std::vector<std::size_t> records) {
  std::vector<double> ns, bytes, slow_ns, slow_bytes;
  for (const Transfer& one : each) {
    ns.push_back(one.ns);
    bytes.push_back(one.bytes);
  }
  const Transfer usual{LowerMedian(ns), MedianSize(bytes)};
  double lost = 0;
  for (const Transfer& one : each) {
    if (one.ns <= kLongerNow * usual.ns + kLeastNs) continue;
    slow_ns.push_back(one.ns);
    slow_bytes.push_back(one.bytes);
    lost += one.ns - usual.ns;
  }
  const double share =
      static_cast<double>(slow_ns.size()) / static_cast<double>(each.size());
  if (slow_ns.size() >= kLeastSlowTimes && share >= kLeastSlowShare) {
    slow_.push_back({lost, PartOf(std::get<0>(like),
                                  {Median(slow_ns), MedianSize(slow_bytes)},
                                  usual, records)});
    slow_.back().part.share = share;
  }
  usual_[like].push_back({usual, each.size(), std::move(records)});
}

void SlowTransfers::CompareAlike() {
  for (auto& [like, alike] : usual_) {
    if (alike.size() < 2) continue;
    std::vector<double> times, sizes;
    for (const Usual& one : alike) {
      times.push_back(one.median.ns);
      sizes.push_back(one.median.bytes);
    }
    const Transfer typical{LowerMedian(times), MedianSize(sizes)};
    const double distance =
        alike.size() > 2 ? MedianDistance(times, typical.ns) : 0;
    for (Usual& one : alike) {
      const double more = one.median.ns - typical.ns;
      if (one.median.ns <= kLongerAlways * typical.ns + kLeastNs ||
          more <= kLeastDistances * distance)
        continue;
      slow_.push_back({more * static_cast<double>(one.instances),
                       PartOf(std::get<0>(like), one.median, typical,
                              std::move(one.records))});
    }
  }
}

std::vector<LatePart> SlowTransfers::Take() {
  CompareAlike();
  std::ranges::stable_sort(slow_, std::greater(), &Slow::lost_ns);
  std::vector<LatePart> parts;
  for (Slow& slow : slow_) parts.push_back(std::move(slow.part));
  return parts;
}

}  // namespace rangefinder
