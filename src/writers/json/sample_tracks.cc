#include "writers/json/sample_tracks.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/json_text.h"
#include "profile/metric_facts.h"

namespace rangefinder {
namespace {

// Samples that become one point: consecutive samples, with gaps no longer than
// a point.
struct Point {
  std::size_t first = 0, last = 0;  // samples
};

// One sample per point, or points of equal time.
std::vector<Point> PointsOf(const CounterSamples& samples) {
  std::vector<Point> points;
  const std::size_t count = samples.size();
  if (count <= SampleTracks::kMostPoints) {
    for (std::size_t i = 0; i < count; ++i) points.push_back({i, i});
    return points;
  }
  const std::uint64_t start = samples.start_ns.front();
  const double each =
      std::max(1.0, static_cast<double>(samples.end_ns.back() - start) /
                        SampleTracks::kMostPoints);
  double bin = -1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t middle =
        samples.start_ns[i] / 2 + samples.end_ns[i] / 2 - start;
    const double own =
        std::min(std::floor(static_cast<double>(middle) / each),
                 static_cast<double>(SampleTracks::kMostPoints - 1));
    if (own != std::exchange(bin, own)) points.push_back({i, i});
    points.back().last = i;
  }
  return points;
}

// A line over time: one sampled metric, or the sum of two.
struct Line {
  std::string name{};
  SampleScale scale{};
  std::vector<std::size_t> columns{};
};

class DeviceTrack {
 public:
  DeviceTrack(const Profile& profile, const CounterSamples& samples,
              std::string& out)
      : profile_(profile),
        samples_(samples),
        points_(PointsOf(samples)),
        out_(out) {}

  void Write(std::uint64_t zero_ns) {
    const Process& process = profile_.processes[Index(samples_.process)];
    out_ += fmt::format("\n{{\"process\":{},\"device\":{}", process.pid,
                        samples_.device);
    if (process.rank >= 0) out_ += fmt::format(",\"rank\":{}", process.rank);
    out_ += fmt::format(",\"samples\":{},\"lost\":{},\"interval_ns\":{}",
                        samples_.size(), samples_.lost, samples_.interval_ns);
    WriteTimes(zero_ns);
    out_ += ",\n\"metrics\":";
    AppendJsonList(Lines(), out_, [&](const Line& line) { WriteLine(line); });
    out_ += '}';
  }

 private:
  void WriteTimes(std::uint64_t zero_ns) {
    std::uint64_t before = zero_ns;
    Column("start", [&](const Point& point) {
      const std::uint64_t start = samples_.start_ns[point.first];
      AppendJsonCount(start - std::exchange(before, start), out_);
    });
    Column("length", [&](const Point& point) {
      AppendJsonCount(
          samples_.end_ns[point.last] - samples_.start_ns[point.first], out_);
    });
  }

  // Reads and writes are added, as memory traffic as a whole matters first.
  std::vector<Line> Lines() const {
    std::vector<Line> lines;
    const auto reads = ColumnOf("dram__bytes_read.sum");
    const auto writes = ColumnOf("dram__bytes_write.sum");
    constexpr std::string_view kBoth = "dram__bytes.sum";
    const std::size_t none = samples_.metrics.size();
    if (reads != none && writes != none && ColumnOf(kBoth) == none)
      lines.push_back(LineOf(kBoth, {reads, writes}));
    for (std::size_t m = 0; m < samples_.metrics.size(); ++m)
      lines.push_back(LineOf(profile_.Name(samples_.metrics[m]), {m}));
    return lines;
  }

  std::size_t ColumnOf(std::string_view metric) const {
    std::size_t column = 0;
    while (column < samples_.metrics.size() &&
           profile_.Name(samples_.metrics[column]) != metric)
      ++column;
    return column;
  }

  Line LineOf(std::string_view metric, std::vector<std::size_t> columns) const {
    return {.name = std::string(metric),
            .scale = ScaleOfSamples(profile_.Name(samples_.chip), metric,
                                    HighestClock(profile_, samples_.device)),
            .columns = std::move(columns)};
  }

  void WriteLine(const Line& line) {
    out_ += "\n{\"name\":";
    AppendJsonText(line.name, out_);
    out_ += ",\"unit\":";
    AppendJsonText(line.scale.unit, out_);
    Column("mean", [&](const Point& point) { WriteMean(line, point); });
    if (points_.size() < samples_.size())
      Column("max", [&](const Point& point) { WriteMost(line, point); });
    out_ += '}';
  }

  // NaN if the hardware gave no value.
  double ValueOf(const Line& line, std::size_t sample) const {
    double value = 0;
    for (const std::size_t column : line.columns)
      value += samples_.Row(sample)[column];
    return value;
  }
  std::uint64_t LengthOf(std::size_t sample) const {
    return samples_.end_ns[sample] - samples_.start_ns[sample];
  }

  // The mean over the sampled time, without gaps.
  void WriteMean(const Line& line, const Point& point) {
    double sum = 0;
    std::uint64_t ns = 0;
    for (std::size_t i = point.first; i <= point.last; ++i) {
      const double value = ValueOf(line, i);
      if (std::isnan(value)) continue;
      const std::uint64_t length = LengthOf(i);
      sum +=
          line.scale.per_second ? value : value * static_cast<double>(length);
      ns += length;
    }
    if (ns == 0)
      WriteNumber(std::nan(""));
    else if (line.scale.per_second)
      WriteNumber(OnScale(line.scale, sum, ns));
    else
      WriteNumber(OnScale(line.scale, sum / static_cast<double>(ns), ns));
  }

  void WriteMost(const Line& line, const Point& point) {
    double most = std::nan("");
    for (std::size_t i = point.first; i <= point.last; ++i)
      most =
          std::fmax(most, OnScale(line.scale, ValueOf(line, i), LengthOf(i)));
    WriteNumber(most);
  }

  // Rounded to the precision of a picture.
  void WriteNumber(double value) {
    if (std::isfinite(value))
      out_ += fmt::format("{:.4g}", value);
    else
      out_ += "null";
  }

  template <typename Write>
  void Column(std::string_view key, const Write& write) {
    out_ += fmt::format(",\n\"{}\":", key);
    AppendJsonList(points_, out_, write);
  }

  const Profile& profile_;
  const CounterSamples& samples_;
  const std::vector<Point> points_;
  std::string& out_;
};

}  // namespace

SampleTracks::SampleTracks(const Profile& profile) : profile_(profile) {
  for (const CounterSamples& samples : profile.counter_samples) {
    if (samples.size() == 0) continue;
    tracks_.push_back(&samples);
    start_ns_ = std::min(start_ns_, samples.start_ns.front());
    end_ns_ = std::max(end_ns_, samples.end_ns.back());
  }
}

void SampleTracks::Append(std::uint64_t zero_ns, std::string& out) const {
  AppendJsonList(tracks_, out, [&](const CounterSamples* samples) {
    DeviceTrack(profile_, *samples, out).Write(zero_ns);
  });
}

}  // namespace rangefinder
