#include "ranks/slow_transfers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ranks/middle.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostRecords = 64;
// The uncertainty of clocks and ends.
constexpr double kLeastNs = 5000;
// Compared with other instances: longer by this factor, this often.
constexpr double kLongerNow = 1.5;
constexpr std::size_t kLeastTimes = 3;
constexpr double kLeastShare = 0.02;
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
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<double>> found;
  std::vector<double> scratch;
  for (std::size_t k = 0; k < times.length; ++k) {
    const double ns = TransferOf(times, k, scratch);
    if (std::isnan(ns) || !times.IsThere(0, k)) continue;
    const std::size_t i = times.at[times.Index(0, k)];
    found[{channels_.At(first, i).region, channels_.KindOf(first, i)}]
        .push_back(ns);
  }
  for (auto& [key, transfers] : found) {
    const std::uint64_t instances = record.regions[key.first].instances;
    // An instance may have several of them, with different sizes; they are
    // summed.
    const std::size_t each = instances > 0 && transfers.size() % instances == 0
                                 ? transfers.size() / instances
                                 : 1;
    std::vector<double> sums;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (i % each == 0) sums.push_back(0);
      sums.back() += transfers[i];
    }
    AddTransfers({regions_.Of(record, key.first), key.second, times.members,
                  sums.size()},
                 std::move(sums), records);
  }
}

void SlowTransfers::AddTransfers(const Like& like, std::vector<double> each,
                                 std::vector<std::size_t> records) {
  const std::size_t region = std::get<0>(like);
  std::vector<double> sorted = each;
  const double usual = LowerMedian(sorted);
  std::vector<double> slow;
  double lost = 0;
  for (const double ns : each) {
    if (ns <= kLongerNow * usual + kLeastNs) continue;
    slow.push_back(ns);
    lost += ns - usual;
  }
  const double share =
      static_cast<double>(slow.size()) / static_cast<double>(each.size());
  if (slow.size() >= kLeastTimes && share >= kLeastShare) {
    const double middle = Median(slow);
    slow_.push_back({lost,
                     {.reason = LateReason::kNetwork,
                      .region = region,
                      .ns = middle - usual,
                      .ratio = usual > 0 ? middle / usual : 0,
                      .records = records,
                      .share = share}});
  }
  usual_[like].push_back({usual, each.size(), std::move(records)});
}

void SlowTransfers::CompareAlike() {
  for (auto& [like, alike] : usual_) {
    if (alike.size() < 2) continue;
    std::vector<double> times;
    for (const Usual& one : alike) times.push_back(one.ns);
    const double typical = LowerMedian(times);
    const double distance =
        alike.size() > 2 ? MedianDistance(times, typical) : 0;
    for (Usual& one : alike) {
      const double more = one.ns - typical;
      if (one.ns <= kLongerAlways * typical + kLeastNs ||
          more <= kLeastDistances * distance)
        continue;
      slow_.push_back({more * static_cast<double>(one.instances),
                       {.reason = LateReason::kNetwork,
                        .region = std::get<0>(like),
                        .ns = more,
                        .ratio = typical > 0 ? one.ns / typical : 0,
                        .records = std::move(one.records)}});
    }
  }
}

std::vector<LatePart> SlowTransfers::Take() {
  CompareAlike();
  std::ranges::stable_sort(slow_, [](const Slow& a, const Slow& b) {
    return a.lost_ns > b.lost_ns;
  });
  std::vector<LatePart> parts;
  for (Slow& slow : slow_) parts.push_back(std::move(slow.part));
  return parts;
}

}  // namespace rangefinder
