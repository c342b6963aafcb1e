// Events of Chrome's format: `M` names a track, `X` is a slice with a duration,
// `b` and `e` are the ends of a slice that need not nest, `i` is a moment, `s`
// and `f` are the ends of an arrow, `C` is the value of a counter from now on.
// Times are in microseconds.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "base/json_text.h"
#include "export/formats.h"
#include "ingest/kernel_name.h"
#include "ingest/reader.h"
#include "ingest/trace/trace_counters.h"
#include "ingest/trace/trace_reader.h"
#include "ingest/trace/trace_records.h"
#include "profile/metric_facts.h"

namespace rangefinder {
namespace {

// Above any thread id of Linux: the tracks of streams.
constexpr std::uint64_t kFirstStreamTrack = 100000000;
// Above streams: a track per device with the times without samples.
constexpr std::uint64_t kFirstGapTrack = 200000000;

std::string Quote(std::string_view text) {
  std::string quoted;
  AppendJsonText(text, quoted);
  return quoted;
}

class PerfettoTrace {
 public:
  // `number`: of the trace in the document.
  PerfettoTrace(const Trace& trace, std::uint64_t number, std::uint64_t base_ns,
                std::ostream& out, bool& first)
      : trace_(trace),
        number_(number),
        base_ns_(base_ns),
        out_(out),
        first_(first) {}

  // Losses of samples are noted under `where`.
  void Write(Notes& notes, std::string_view where) {
    Name("process_name", 0, trace_.executable);
    for (const TraceStream& stream : trace_.threads) FindStarted(stream);
    for (const TraceStream& stream : trace_.threads) WriteThread(stream);
    WriteGpu();
    Profile profile;
    ReadCounterSamples(trace_, profile, notes, where);
    for (const CounterSamples& samples : profile.counter_samples)
      WriteSamples(profile, samples);
  }

 private:
  struct Open {
    std::uint32_t label = 0;
    std::uint32_t domain = 0;
    std::uint64_t ns = 0;
  };

  void Emit(std::string_view event) {
    out_ << (first_ ? "\n" : ",\n") << event;
    first_ = false;
  }

  std::string Time(std::uint64_t ns) const { return Duration(base_ns_, ns); }
  static std::string Duration(std::uint64_t from, std::uint64_t to) {
    const std::uint64_t ns = to > from ? to - from : 0;
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
  }

  void Name(std::string_view what, std::uint64_t track, std::string_view name) {
    Emit(fmt::format(
        R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})",
        what, trace_.header.pid, track, Quote(name)));
  }

  std::string RangeName(std::uint32_t label) const {
    const TraceLabel l = trace_.names.Label(label);
    const std::string name(trace_.names.Text(l.string));
    const std::string_view domain = trace_.names.DomainName(l.domain);
    return Quote(domain.empty() ? name : std::string(domain) + "@" + name);
  }

  // Another thread, earlier in the trace, may end a range.
  void FindStarted(const TraceStream& stream) {
    ForEachEvent(stream.blocks, [&](const TraceEvent& event) {
      if (event.kind == wire::Event::kStart ||
          event.kind == wire::Event::kInheritStart)
        started_[event.extra] = event.operand;
    });
  }

  void WriteThread(const TraceStream& stream) {
    thread_ = stream.thread;
    stack_.clear();
    const auto name = trace_.names.threads.find(thread_);
    Name("thread_name", thread_,
         name != trace_.names.threads.end()
             ? std::string(trace_.names.Text(name->second))
             : fmt::format("thread {}", thread_));
    std::size_t hint = 0;
    std::uint64_t last_ns = 0;
    ForEachEvent(stream.blocks, [&](const TraceEvent& event) {
      last_ns = trace_.clock.Ns(event.ticks, hint);
      See(event, last_ns);
    });
    // Never closed: extends to the thread's last event.
    while (!stack_.empty()) {
      Slice(stack_.back(), last_ns);
      stack_.pop_back();
    }
  }

  void See(const TraceEvent& event, std::uint64_t ns) {
    switch (event.kind) {
      case wire::Event::kPush:
      case wire::Event::kInherit:
        stack_.push_back(
            {event.operand, trace_.names.Label(event.operand).domain, ns});
        break;
      case wire::Event::kPop:
        Pop(event.operand, ns);
        break;
      case wire::Event::kStart:
      case wire::Event::kInheritStart:
        Async('b', event.operand, event.extra, ns);
        break;
      case wire::Event::kEnd: {
        const auto range = started_.find(event.extra);
        if (range != started_.end()) Async('e', range->second, event.extra, ns);
        break;
      }
      case wire::Event::kMark:
        Emit(fmt::format(
            R"({{"ph":"i","s":"t","cat":"nvtx","name":{},"pid":{},"tid":{},"ts":{}}})",
            RangeName(event.operand), trace_.header.pid, thread_, Time(ns)));
        break;
      case wire::Event::kLaunch:
        Launch(static_cast<std::uint32_t>(event.extra), ns);
        break;
      default:
        break;
    }
  }

  void Pop(std::uint32_t domain, std::uint64_t ns) {
    std::size_t at = stack_.size();
    while (at > 0 && stack_[at - 1].domain != domain) --at;
    if (at == 0) return;
    const Open range = stack_[at - 1];
    if (at == stack_.size()) {
      Slice(range, ns);
    } else {
      // Slices of one track must nest, and this one does not.
      const std::uint64_t id = next_crossed_++;
      Async('b', range.label, id, range.ns);
      Async('e', range.label, id, ns);
    }
    stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(at) - 1);
  }

  void Slice(const Open& range, std::uint64_t end) {
    Emit(fmt::format(
        R"({{"ph":"X","cat":"nvtx","name":{},"pid":{},"tid":{},"ts":{},"dur":{}}})",
        RangeName(range.label), trace_.header.pid, thread_, Time(range.ns),
        Duration(range.ns, end)));
  }

  void Async(char phase, std::uint32_t label, std::uint64_t id,
             std::uint64_t ns) {
    Emit(fmt::format(
        R"({{"ph":"{}","cat":"nvtx","name":{},"id2":{{"local":"{:#x}"}},"pid":{},"tid":{},"ts":{}}})",
        phase, RangeName(label), id, trace_.header.pid, thread_, Time(ns)));
  }

  // An arrow begins in a slice, so every launch is a slice of a nanosecond.
  void Launch(std::uint32_t correlation, std::uint64_t ns) {
    Emit(fmt::format(
        R"({{"ph":"X","cat":"launch","name":"launch","pid":{},"tid":{},"ts":{},"dur":0.001,"args":{{"correlation":{}}}}})",
        trace_.header.pid, thread_, Time(ns), correlation));
    Emit(fmt::format(
        R"({{"ph":"s","cat":"launch","name":"launch","id":{},"pid":{},"tid":{},"ts":{}}})",
        ArrowId(correlation), trace_.header.pid, thread_, Time(ns)));
    launched_.insert(correlation);
  }

  // Exact as a double, since readers of JSON may convert numbers to doubles.
  std::uint64_t ArrowId(std::uint32_t correlation) const {
    return number_ << 32 | correlation;
  }

  void WriteGpu() {
    std::vector<TraceGpuRecord> records;
    ForEachGpuRecord(trace_.gpu, [&](const TraceGpuRecord& record) {
      if (record.start_ns != 0 && record.end_ns >= record.start_ns)
        records.push_back(record);
    });
    std::ranges::stable_sort(records, {}, &TraceGpuRecord::start_ns);
    for (const TraceGpuRecord& record : records) Activity(record);
  }

  // Slices of one track must not overlap, but kernels of a graph may overlap: a
  // stream has as many tracks as kernels run concurrently.
  struct Lane {
    std::uint64_t track = 0;
    std::uint64_t busy_until = 0;
  };

  std::uint64_t TrackOf(const TraceGpuRecord& record) {
    std::vector<Lane>& lanes = lanes_[record.place];
    for (Lane& lane : lanes) {
      if (lane.busy_until > record.start_ns) continue;
      lane.busy_until = record.end_ns;
      return lane.track;
    }
    const TracePlace where = record.place < trace_.names.places.size()
                                 ? trace_.names.places[record.place]
                                 : TracePlace{};
    const std::uint64_t track = kFirstStreamTrack + tracks_++;
    std::string name =
        fmt::format("GPU {} stream {}", where.device, where.stream);
    if (!lanes.empty()) name += fmt::format(" ({})", lanes.size() + 1);
    Name("thread_name", track, name);
    lanes.push_back({track, record.end_ns});
    return track;
  }

  // In JSON: a slice's name, and the facts about the kernel's source.
  struct Kernel {
    std::string name = "\"(unknown kernel)\"";
    std::string source{};
  };

  const Kernel& KernelOf(std::uint32_t shape) {
    const auto [at, fresh] = kernels_.try_emplace(shape);
    if (fresh && shape < trace_.names.shapes.size()) {
      const std::string name =
          Demangle(trace_.names.Text(trace_.names.shapes[shape].name));
      at->second.name = Quote(name);
      if (const KernelSource* source = sources_.Find(name))
        at->second.source =
            fmt::format(R"(,"source":{})", Quote(source->lines[0]));
    }
    return at->second;
  }

  void Activity(const TraceGpuRecord& record) {
    const std::uint64_t track = TrackOf(record);
    const Kernel other{record.kind == wire::Gpu::kCopy ? R"("copy")"
                                                       : R"("set")"};
    const Kernel& kernel =
        record.kind == wire::Gpu::kKernel ? KernelOf(record.shape) : other;
    Emit(fmt::format(
        R"({{"ph":"X","cat":"gpu","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{"correlation":{},"bytes":{}{}}}}})",
        kernel.name, trace_.header.pid, track, Time(record.start_ns),
        Duration(record.start_ns, record.end_ns), record.correlation,
        record.bytes, kernel.source));
    if (!launched_.contains(record.correlation)) return;
    Emit(fmt::format(
        R"({{"ph":"f","bp":"e","cat":"launch","name":"launch","id":{},"pid":{},"tid":{},"ts":{}}})",
        ArrowId(record.correlation), trace_.header.pid, track,
        Time(record.start_ns)));
  }

  // ---- Samples ----

  struct Counter {
    std::string name{};  // quoted
    SampleScale scale{};
    bool shown = false;  // its current value is not 0
  };

  // A counter keeps its value until the next one and cannot be absent: it is 0
  // if there are no samples, and a slice next to it marks the gap.
  void WriteSamples(const Profile& profile, const CounterSamples& samples) {
    std::vector<Counter> counters = CountersOf(profile, samples);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (i > 0 && samples.start_ns[i] > samples.end_ns[i - 1])
        Clear(counters, samples.end_ns[i - 1]);
      const std::uint64_t start = samples.start_ns[i];
      const std::uint64_t length = samples.end_ns[i] - start;
      for (std::size_t m = 0; m < counters.size(); ++m) {
        const double value =
            OnScale(counters[m].scale, samples.Row(i)[m], length);
        Count(counters[m], start, std::isfinite(value) ? value : 0);
      }
    }
    if (samples.size() > 0) Clear(counters, samples.end_ns.back());
    WriteGaps(samples);
  }

  std::vector<Counter> CountersOf(const Profile& profile,
                                  const CounterSamples& samples) const {
    const double clock_hz =
        1000.0 * trace_.names.DeviceOf(samples.device).clock_khz;
    std::vector<Counter> counters;
    for (const StringId metric : samples.metrics) {
      const std::string_view name = profile.Name(metric);
      Counter counter{
          .scale = ScaleOfSamples(profile.Name(samples.chip), name, clock_hz)};
      std::string text = fmt::format("GPU {} {}", samples.device, name);
      if (!counter.scale.unit.empty()) text += " [" + counter.scale.unit + "]";
      counter.name = Quote(text);
      counters.push_back(std::move(counter));
    }
    return counters;
  }

  void Clear(std::vector<Counter>& counters, std::uint64_t ns) {
    for (Counter& counter : counters) Count(counter, ns, 0);
  }

  // A 0 after a 0 is not written again.
  void Count(Counter& counter, std::uint64_t ns, double value) {
    const bool shown = value != 0;
    if (!shown && !counter.shown) return;
    counter.shown = shown;
    Emit(fmt::format(
        R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{{"value":{:.6g}}}}})",
        counter.name, trace_.header.pid, Time(ns), value));
  }

  void WriteGaps(const CounterSamples& samples) {
    const std::uint64_t track =
        kFirstGapTrack + static_cast<std::uint32_t>(samples.device);
    if (!samples.gaps.empty())
      Name("thread_name", track,
           fmt::format("GPU {} without samples", samples.device));
    for (const SampleGap& gap : samples.gaps) {
      Emit(fmt::format(
          R"({{"ph":"X","cat":"samples","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{"missing":{}}}}})",
          Quote(SampleGapText(gap.reason)), trace_.header.pid, track,
          Time(gap.from_ns), Duration(gap.from_ns, gap.to_ns), gap.samples));
    }
  }

  const Trace& trace_;
  std::uint64_t number_;
  std::uint64_t base_ns_;
  std::ostream& out_;
  bool& first_;
  std::uint64_t thread_ = 0;
  std::vector<Open> stack_;
  std::unordered_map<std::uint64_t, std::uint32_t> started_;
  std::uint64_t next_crossed_ = std::uint64_t{1} << 48;
  std::unordered_set<std::uint32_t> launched_;
  std::map<std::uint32_t, std::vector<Lane>> lanes_;  // by place
  std::uint64_t tracks_ = 0;
  std::unordered_map<std::uint32_t, Kernel> kernels_;
  const KernelSources sources_ = SourcesOf(trace_);
};

}  // namespace

Status WritePerfetto(std::span<const std::filesystem::path> captures,
                     std::ostream& out, Notes& notes) {
  std::vector<CaptureFile> files;
  std::optional<Error> unreadable;
  for (const std::filesystem::path& path : captures) {
    Result<CaptureFile> file = CaptureFile::Open(path, notes);
    if (!file.ok()) {
      unreadable = file.error();
      notes.Add(Severity::kDataLoss, "unreadable_file", unreadable->message());
    } else if (IsTrace(file.value().input().bytes)) {
      files.push_back(std::move(file).value());
    }
  }
  if (files.empty() && unreadable) return *std::move(unreadable);
  if (files.empty()) {
    return Error(ErrorCode::kUsage,
                 "--format perfetto needs a trace (.rftrace), which has every "
                 "single range and kernel: make one with `rangefinder discover "
                 "-- PROGRAM`");
  }
  std::vector<Trace> opened;
  for (const CaptureFile& file : files) {
    const ReaderInput input = file.input();
    Result<Trace> trace = OpenTrace(input, notes);
    if (!trace.ok()) return std::move(trace).error().In(input.path);
    opened.push_back(std::move(trace).value());
  }
  std::uint64_t base_ns = ~std::uint64_t{0};
  for (const Trace& trace : opened)
    base_ns = std::min(base_ns, trace.header.first.realtime_ns);
  out << fmt::format(
      R"({{"displayTimeUnit":"ns","otherData":{{"start_realtime_ns":"{}"}},"traceEvents":[)",
      base_ns);
  bool first = true;
  for (std::size_t i = 0; i < opened.size(); ++i) {
    PerfettoTrace(opened[i], i, base_ns, out, first)
        .Write(notes, files[i].input().path);
    files[i].NoteIncomplete(notes);
  }
  out << "\n]}\n";
  return Ok();
}

}  // namespace rangefinder
