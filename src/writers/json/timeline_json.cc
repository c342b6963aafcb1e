#include "writers/json/timeline_json.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "base/lists.h"
#include "profile/region_times.h"
#include "report/page_scopes.h"
#include "sampling/sampled_launches.h"
#include "writers/json/sample_tracks.h"

namespace rangefinder {
namespace {

// A longer timeline is of files with different clocks. A page reads numbers as
// doubles, which are exact up to here.
constexpr std::uint64_t kLongest = std::uint64_t{1} << 53;

// A line of the timeline: the ranges of a thread, the kernels of a stream, or
// the copies and sets of a device.
struct TimelineLane {
  bool stream = false;
  ProcessId process{};
  std::int32_t device = -1;
  bool copies = false;
  std::uint64_t context = 0;
  std::uint64_t number = 0;  // of the thread or the stream
  friend auto operator<=>(const TimelineLane&, const TimelineLane&) = default;
};

// The common facts of all intervals of a list. Ranges have no name.
struct TimelineRow {
  TimelineLane lane{};
  RegionId region{};
  std::string_view name{};  // of a kernel, or of a kind of copies
  friend auto operator<=>(const TimelineRow&, const TimelineRow&) = default;
};

struct PlacedSpan {
  std::uint32_t row = 0;
  TimeSpan span{};
};

class Gathered {
 public:
  void Add(const TimelineRow& row, const TimeSpan& span) {
    keeper_.Add(ListOf(row), span);
  }

  // Rows in an order of their own, and their intervals by start.
  std::pair<std::vector<TimelineRow>, std::vector<PlacedSpan>> Take() {
    std::vector<TimelineRow> rows;
    std::vector<PlacedSpan> spans;
    for (const auto& [row, list] : lists_) {
      for (const TimeSpan& span : keeper_.Take(list))
        spans.push_back({static_cast<std::uint32_t>(rows.size()), span});
      rows.push_back(row);
    }
    std::ranges::sort(spans, {}, [](const PlacedSpan& one) {
      return std::tuple(one.span.start_ns, one.row, one.span.end_ns);
    });
    return {std::move(rows), std::move(spans)};
  }

 private:
  std::size_t ListOf(const TimelineRow& row) {
    if (last_ != lists_.end() && last_->first == row) return last_->second;
    last_ = lists_.try_emplace(row, lists_.size()).first;
    return last_->second;
  }

  std::map<TimelineRow, std::size_t> lists_{};
  std::map<TimelineRow, std::size_t>::iterator last_ = lists_.end();
  SpanKeeper keeper_{};
};

// ---- Contents ---------------------------------------------------------------

// CUpti_ActivityMemcpyKind; 0: a memory set.
std::string_view CopyName(std::uint32_t kind) {
  constexpr std::pair<std::uint32_t, std::string_view> kNames[] = {
      {kMemorySet, "memory set"},
      {kHostToDevice, "copy, host to device"},
      {kDeviceToHost, "copy, device to host"},
      {kDeviceToDevice, "copy, device to device"},
      {10, "copy, peer to peer"}};
  for (const auto& [known, name] : kNames)
    if (known == kind) return name;
  return "copy";
}

// ---- How it is written ------------------------------------------------------

class TimelineWriter {
 public:
  explicit TimelineWriter(const Profile& profile)
      : profile_(profile), tracks_(profile) {}

  std::string Write(Gathered& ranges, Gathered& kernels) {
    auto [range_rows, range_spans] = ranges.Take();
    auto [kernel_rows, kernel_spans] = kernels.Take();
    if (range_spans.empty() && kernel_spans.empty() && tracks_.empty())
      return {};
    NumberLanes(range_rows);
    NumberLanes(kernel_rows);
    FindZero(range_spans);
    FindZero(kernel_spans);
    if (!tracks_.empty()) {
      zero_ = std::min(zero_, tracks_.start_ns());
      end_ = std::max(end_, tracks_.end_ns());
    }
    if (end_ - zero_ > kLongest) return {};
    text_ = "{\"schema\":\"rangefinder.timeline/1\",\n\"end_ns\":";
    AppendJsonCount(end_ - zero_, text_);
    text_ += ",\n\"lanes\":[";
    for (const auto& [lane, number] : lanes_) WriteLane(lane);
    text_ += "],\n\"ranges\":";
    WriteSpans(range_rows, range_spans);
    text_ += ",\n\"kernels\":";
    WriteSpans(kernel_rows, kernel_spans);
    WriteNames();
    if (!tracks_.empty()) {
      text_ += ",\n\"samples\":";
      tracks_.Append(zero_, text_);
    }
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  // Threads before streams, by process and device.
  void NumberLanes(std::span<const TimelineRow> rows) {
    for (const TimelineRow& row : rows) lanes_.try_emplace(row.lane, 0);
    std::size_t next = 0;
    for (auto& [lane, number] : lanes_) number = next++;
  }

  void FindZero(std::span<const PlacedSpan> spans) {
    for (const auto& [row, span] : spans) {
      zero_ = std::min(zero_, span.start_ns);
      end_ = std::max(end_, span.end_ns);
    }
  }

  void WriteLane(const TimelineLane& lane) {
    const Process& process = profile_.processes[Index(lane.process)];
    text_ += text_.back() == '[' ? "\n{" : ",\n{";
    Count("\"process\":", process.pid);
    if (process.rank >= 0)
      Count(",\"rank\":", static_cast<std::uint64_t>(process.rank));
    if (!lane.stream) {
      Count(",\"thread\":", lane.number);
    } else if (lane.copies) {
      text_ +=
          ",\"device\":" + std::to_string(lane.device) + ",\"copies\":true";
    } else {
      text_ += ",\"device\":" + std::to_string(lane.device);
      Count(",\"context\":", lane.context);
      Count(",\"stream\":", lane.number);
    }
    text_ += '}';
  }

  void WriteSpans(std::span<const TimelineRow> rows,
                  std::span<const PlacedSpan> spans) {
    text_ += '{';
    Column("lane", rows,
           [&](const TimelineRow& row) { return lanes_.at(row.lane); });
    Column("region", rows,
           [](const TimelineRow& row) { return Index(row.region); });
    if (!rows.empty() && rows.front().lane.stream)
      Column("name", rows,
             [&](const TimelineRow& row) { return NameOf(row.name); });
    Column("row", spans, &PlacedSpan::row);
    std::uint64_t before = zero_;
    Column("start", spans, [&](const PlacedSpan& one) {
      return one.span.start_ns - std::exchange(before, one.span.start_ns);
    });
    Column("length", spans, [](const PlacedSpan& one) {
      return one.span.end_ns - one.span.start_ns;
    });
    WriteJoined(spans);
    text_ += '}';
  }

  // Intervals that stand for several: their positions, numbers and summed
  // times.
  void WriteJoined(std::span<const PlacedSpan> spans) {
    std::vector<std::size_t> joined;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (spans[i].span.count > 1) joined.push_back(i);
    }
    if (joined.empty()) return;
    Column("joined", joined, std::identity());
    Column("count", joined, [&](std::size_t i) { return spans[i].span.count; });
    Column("busy", joined,
           [&](std::size_t i) { return spans[i].span.busy_ns; });
  }

  void WriteNames() {
    text_ += ",\n\"names\":";
    AppendJsonList(names_, text_,
                   [&](std::string_view name) { AppendJsonText(name, text_); });
  }

  std::size_t NameOf(std::string_view name) {
    const auto [at, fresh] = name_numbers_.try_emplace(name, names_.size());
    if (fresh) names_.push_back(name);
    return at->second;
  }

  // A member with a value for each of `list`.
  template <typename List, typename Value>
  void Column(std::string_view key, const List& list, const Value& value) {
    if (text_.back() != '{') text_ += ",\n";
    AppendJsonText(key, text_);
    text_ += ':';
    AppendJsonList(list, text_, [&](const auto& one) {
      AppendJsonCount(std::invoke(value, one), text_);
    });
  }
  void Count(std::string_view key, std::uint64_t count) {
    text_ += key;
    AppendJsonCount(count, text_);
  }

  const Profile& profile_;
  const SampleTracks tracks_;
  std::string text_{};
  std::map<TimelineLane, std::size_t> lanes_{};
  std::vector<std::string_view> names_{};
  std::map<std::string_view, std::size_t> name_numbers_{};
  std::uint64_t zero_ = ~std::uint64_t{0};
  std::uint64_t end_ = 0;
};

class Timeline {
 public:
  explicit Timeline(const Report& report)
      : report_(report),
        profile_(*report.profile),
        tree_(*report.tree),
        on_page_(report) {
    const auto regions = tree_.regions();
    for (std::size_t i = 1; i < regions.size(); ++i)
      AddRegion(static_cast<RegionId>(i), regions[i]);
    // Intervals of several regions are not in order.
    std::ranges::stable_sort(
        together_, {}, [](const auto& one) { return one.second->start_ns; });
    for (const auto& [region, kernel] : together_) AddKernel(region, *kernel);
    AddCopies();
  }

  // Empty where nothing is known.
  std::string Write() {
    return TimelineWriter(profile_).Write(ranges_, kernels_);
  }

 private:
  // Kernels of regions that the page does not show count for the outer region.
  void AddRegion(RegionId id, const Region& region) {
    const RegionId shown = on_page_.Around(report_, id);
    if (shown == id) AddVisits(id, region);
    const auto add = [&](const Measurement& kernel) {
      if (on_page_.left_out() == 0)
        AddKernel(id, kernel);
      else
        together_.emplace_back(shown, &kernel);
    };
    for (const MeasurementId m : region.kernels)
      add(profile_.measurements[Index(m)]);
    for (const std::uint32_t index : region.traced) add(profile_.traced[index]);
  }

  // A region whose names were merged has several rows in a thread.
  void AddVisits(RegionId id, const Region& region) {
    std::vector<std::pair<TimelineRow, TimeSpan>> all;
    for (const std::uint32_t index : region.visits) {
      const RangeVisits& visits = profile_.visits[index];
      for (const TimeSpan& span : visits.spans)
        all.push_back(
            {{.lane = {.process = visits.process, .number = visits.thread},
              .region = id},
             span});
    }
    std::ranges::stable_sort(all, {}, [](const auto& one) {
      return std::pair(one.first.lane, one.second.start_ns);
    });
    for (const auto& [row, span] : all) ranges_.Add(row, span);
  }

  void AddKernel(RegionId id, const Measurement& m) {
    if (m.mode != ReplayMode::kTrace || m.start_ns == 0) return;
    const std::uint64_t end = std::max(m.start_ns, m.end_ns);
    kernels_.Add({.lane = {.stream = true,
                           .process = m.process,
                           .device = m.device,
                           .context = m.context,
                           .number = m.stream},
                  .region = id,
                  .name = profile_.Name(m.demangled_name)},
                 {m.start_ns, end, end - m.start_ns});
  }

  void AddCopies() {
    if (profile_.copies.empty()) return;
    const std::vector<RegionId> regions = RegionsOfCopies(profile_, tree_);
    const auto start_of = [&](std::size_t i) {
      return profile_.copies[i].start_ns;
    };
    for (const std::size_t i : NumbersBy(profile_.copies.size(), start_of)) {
      const CopyActivity& copy = profile_.copies[i];
      if (copy.left_out || copy.start_ns == 0) continue;
      RegionId own = regions[i];
      // Outside of all ranges, or in a range that the selection leaves out.
      if (own == kNotInTree && (copy.nvtx != NvtxStateId{} ||
                                !report_.options.include_patterns.empty()))
        continue;
      if (own == kNotInTree) own = RegionTree::kRoot;
      const std::uint64_t end = std::max(copy.start_ns, copy.end_ns);
      kernels_.Add(
          {.lane = {.stream = true,
                    .process = copy.process,
                    .device = copy.device,
                    .copies = true},
           .region =
               own == RegionTree::kRoot ? own : on_page_.Around(report_, own),
           .name = CopyName(copy.kind)},
          {copy.start_ns, end, end - copy.start_ns});
    }
  }

  const Report& report_;
  const Profile& profile_;
  const RegionTree& tree_;
  const PageRegions on_page_;
  Gathered ranges_{};
  Gathered kernels_{};
  std::vector<std::pair<RegionId, const Measurement*>> together_{};
};

}  // namespace

std::string TimelineText(const Report& report) {
  return Timeline(report).Write();
}

std::string TimelineJson(const Report& report) {
  const std::string text = TimelineText(report);
  if (text.empty()) return "null";
  std::string json;
  AppendPacked(Pack(text), json);
  return json;
}

}  // namespace rangefinder
