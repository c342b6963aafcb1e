#include "ingest/trace/trace_reader.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/huge_pages.h"
#include "base/lists.h"
#include "ingest/kernel_name.h"
#include "ingest/trace/trace_calls.h"
#include "ingest/trace/trace_counters.h"
#include "ingest/trace/trace_regions.h"
#include "ingest/trace/trace_states.h"
#include "profile/range_depth.h"

namespace rangefinder {
namespace {

// Finds the use of a device and of a stream in a path. Most paths have few of
// both; a program that keeps creating streams has many.
class UsePlaces {
 public:
  std::size_t UseOf(TracePath& path, const TracePlace& place,
                    std::uint64_t now_ns) {
    const auto device = static_cast<std::int32_t>(place.device);
    const std::size_t at =
        Find(path.gpu, {&path, place.device, 0, 0},
             [&](const GpuUse& use) { return use.device == device; });
    if (at == path.gpu.size()) {
      path.gpu.push_back({.device = device, .first_ns = now_ns});
      path.busy_until.push_back(0);
    }
    return at;
  }

  StreamUse& StreamOf(const TracePath& path, GpuUse& use,
                      const TracePlace& place) {
    const std::size_t at = Find(
        use.streams, {&path, place.device, place.context + 1, place.stream},
        [&](const StreamUse& stream) {
          return stream.stream == place.stream &&
                 stream.context == place.context;
        });
    if (at == use.streams.size())
      use.streams.push_back({.context = place.context, .stream = place.stream});
    return use.streams[at];
  }

 private:
  static constexpr std::size_t kFew = 8;
  // The path, device, context + 1 and stream.
  using Key =
      std::tuple<const TracePath*, std::uint64_t, std::uint64_t, std::uint64_t>;

  // The index of an element, or the end of the list if it is to be added.
  template <typename List, typename IsIt>
  std::size_t Find(const List& list, const Key& key, IsIt is_it) {
    const std::size_t few = std::min(list.size(), kFew);
    for (std::size_t i = 0; i < few; ++i) {
      if (is_it(list[i])) return i;
    }
    if (list.size() < kFew) return list.size();
    return places_.try_emplace(key, list.size()).first->second;
  }

  std::map<Key, std::size_t> places_;  // of elements after the first kFew
};

class TraceProfile {
 public:
  TraceProfile(const Trace& trace, const ReaderInput& input, Notes& notes)
      : trace_(trace), input_(input), notes_(notes) {}

  Profile Read() {
    Describe();
    auto gathering = GatherRecordsMeanwhile();
    auto [calls, cpu_times] = ThreadActivityOf(trace_);
    const Records records = gathering.get();
    const ProcessWallTimes wall(IntervalsOf(records), MigrationsOf(trace_),
                                std::move(calls), std::move(cpu_times));
    regions_ = ReplayRegions(trace_, wall, notes_, input_);
    SortBy(regions_.launches, &TraceLaunch::correlation);
    PlaceActivities(records);
    SumInstances();
    AddCalls();
    FindForeignWork(records);
    AddRows();
    FindLeaks();
    ReadCounterSamples(trace_, profile_, notes_, input_.path);
    SayWhatIsMissing();
    if (IsForCounts() || trace_.header.run > 0) SetApart();
    ReadCounts(trace_, profile_, notes_, input_.path);
    return std::move(profile_);
  }

 private:
  bool HasFact(std::string_view key, std::string_view value) const {
    return std::ranges::any_of(trace_.names.facts, [&](const auto& fact) {
      return trace_.names.Text(fact.first) == key &&
             trace_.names.Text(fact.second) == value;
    });
  }
  bool EndsEarly() const {
    return HasFact("window", "1") ||
           trace_.live.state == wire::RunState::kRunning;
  }
  bool IsDamaged() const {
    return trace_.is_damaged || trace_.live.dropped_events > 0;
  }
  // Whether the trace is of a counting run, or of a child process in one.
  bool IsForCounts() const { return HasFact("mode", "count"); }

  // Of further sampling runs and counting runs only samples and counts are
  // used: their times are disturbed.
  void SetApart() {
    profile_.repeated = std::move(profile_.measurements);
    profile_.measurements.clear();
    profile_.visits.clear();
    profile_.uses.clear();
  }

  bool RecordsGpu() const {
    return trace_.live.gpu != wire::GpuState::kFailed &&
           !HasFact("mode", "regions");
  }

  void Describe() {
    const auto intern = [&](std::string_view text) {
      return profile_.strings.Intern(text);
    };
    profile_.processes.push_back({.pid = trace_.header.pid,
                                  .name = intern(trace_.executable),
                                  .host = intern(trace_.host),
                                  .rank = trace_.header.rank,
                                  .run = trace_.header.run,
                                  .ends_early = EndsEarly(),
                                  .is_damaged = IsDamaged(),
                                  .gpu_recorded = RecordsGpu(),
                                  .gpu_is_damaged = trace_.gpu_is_damaged});
    for (const auto& [index, device] : trace_.names.devices) {
      if (device.bus)
        profile_.processes.back().devices.push_back(
            {.index = static_cast<std::int32_t>(index), .bus = *device.bus});
    }
    for (const TraceShape& shape : trace_.names.shapes) {
      const std::string_view mangled = trace_.names.Text(shape.name);
      const std::string demangled(shape.demangled == kNoString
                                      ? Demangle(mangled)
                                      : trace_.names.Text(shape.demangled));
      kernel_names_.push_back(
          {intern(mangled), intern(demangled),
           shape.function == kNoString
               ? intern(FunctionName(demangled))
               : intern(trace_.names.Text(shape.function))});
    }
    profile_.kernel_sources = SourcesOf(trace_);
    profile_.kernel_sources.recorded = HasFact("source", "lines");
  }

  // ---- The GPU's records ----

  struct Records {
    std::vector<TraceGpuRecord> by_start{};
    std::size_t kernels = 0;
    bool whole = false;
  };

  // Runs in another thread if the file is large and a thread is available.
  std::future<Records> GatherRecordsMeanwhile() const {
    constexpr std::size_t kLarge = 4 << 20;
    if (input_.bytes.size() > kLarge) {
      try {
        return std::async(std::launch::async, GatherRecords, std::cref(trace_));
      } catch (const std::system_error&) {
        // Else the caller gathers the records.
      }
    }
    return std::async(std::launch::deferred, GatherRecords, std::cref(trace_));
  }

  static Records GatherRecords(const Trace& trace) {
    Records records;
    std::size_t count = 0;
    ForEachGpuRecord(trace.gpu, [&](const TraceGpuRecord& record) {
      ++count;
      records.kernels += record.kind == wire::Gpu::kKernel;
    });
    ReserveHuge(records.by_start, count);
    const std::uint64_t cut =
        ForEachGpuRecord(trace.gpu, [&](const TraceGpuRecord& record) {
          records.by_start.push_back(record);
        });
    records.whole = cut == 0;
    SortBy(records.by_start, &TraceGpuRecord::start_ns);
    return records;
  }

  // Work without an end is left out.
  static std::vector<WallInterval> IntervalsOf(const Records& records) {
    std::vector<WallInterval> intervals;
    intervals.reserve(records.by_start.size());
    for (const TraceGpuRecord& record : records.by_start) {
      if (IsWhole(record))
        intervals.push_back({record.start_ns, record.end_ns});
    }
    return intervals;
  }

  static bool IsWhole(const TraceGpuRecord& record) {
    return record.end_ns >= record.start_ns && record.start_ns != 0;
  }

  void PlaceActivities(const Records& records) {
    ReserveHuge(profile_.measurements, records.kernels);
    profile_.nvtx_states.reserve(regions_.contexts.size() +
                                 regions_.rows.size() + 1);
    if (!records.whole) {
      notes_.Add(Severity::kDataLoss, "damaged_block",
                 "a part of the trace is damaged and left out", input_.path);
    }
    for (const TraceGpuRecord& record : records.by_start) {
      AddTransfers(record.start_ns);
      Place(record, LaunchOf(record));
    }
    AddTransfers(std::numeric_limits<std::uint64_t>::max());
  }

  // Null: the launch is not in the trace.
  const TraceLaunch* LaunchOf(const TraceGpuRecord& record) const {
    const auto at = std::ranges::lower_bound(
        regions_.launches, record.correlation, {}, &TraceLaunch::correlation);
    return at != regions_.launches.end() &&
                   at->correlation == record.correlation
               ? &*at
               : nullptr;
  }

  // For a collective: the time after the arrival of the last rank.
  struct Transfer {
    std::uint64_t start_ns = 0, end_ns = 0;
    std::uint32_t context = 0;
    auto operator<=>(const Transfer&) const = default;
  };

  // Adds the transfers that started up to `ns` to their instances, which take
  // work in order of start.
  void AddTransfers(std::uint64_t ns) {
    while (!transfers_.empty() && transfers_.top().start_ns <= ns) {
      const auto [start_ns, end_ns, context] = transfers_.top();
      transfers_.pop();
      AddOwn(context, WallPart::kKernels, start_ns, end_ns);
    }
  }

  void AddOwn(std::uint32_t context, WallPart part, std::uint64_t start_ns,
              std::uint64_t end_ns) {
    for (const std::uint32_t id : regions_.OpenIn(regions_.contexts[context])) {
      TraceInstance& instance = regions_.instances[id];
      if (instance.closed) instance.own.Add(part, start_ns, end_ns);
    }
  }

  void Place(const TraceGpuRecord& record, const TraceLaunch* launch) {
    if (!IsWhole(record)) {
      notes_.Add(Severity::kDataLoss, "unfinished_activity",
                 "GPU work that was unfinished when the program ended",
                 input_.path);
      return;
    }
    const TracePlace place = record.place < trace_.names.places.size()
                                 ? trace_.names.places[record.place]
                                 : TracePlace{};
    const auto device = static_cast<std::int32_t>(place.device);
    NoteDevice(device);
    const bool left_out =
        launch != nullptr && regions_.contexts[launch->context].left_out;
    bool counts = !left_out;
    std::uint64_t wait_ns = 0;
    if (record.kind == wire::Gpu::kKernel) {
      Measurement kernel = KernelOf(record, place, launch);
      const ReadSelection& selection = *input_.selection;
      if (selection.rank_wait)
        wait_ns = std::min(selection.rank_wait(profile_, kernel),
                           record.end_ns - record.start_ns);
      counts =
          counts && (!selection.counts || selection.counts(profile_, kernel));
      (left_out ? profile_.left_out : profile_.measurements)
          .push_back(std::move(kernel));
    } else {
      AddCopy(record, device, launch);
    }
    if (!counts) return;
    if (launch == nullptr) {
      if (record.kind == wire::Gpu::kKernel) {
        notes_.Add(Severity::kWarning, "launch_unknown",
                   "kernels whose launch call is not in the file are shown "
                   "under (unattributed)",
                   input_.path);
      }
      Account(regions_.paths[0], record, place, nullptr);
      return;
    }
    const TraceContext& context = regions_.contexts[launch->context];
    for (std::uint32_t path = regions_.rows[context.row].path;;
         path = regions_.paths[path].parent) {
      Account(regions_.paths[path], record, place, launch);
      if (path == 0) break;
    }
    AddToInstances(record, launch->context, wait_ns);
  }

  // `wait_ns`: for a collective, the waiting time from its start on.
  void AddToInstances(const TraceGpuRecord& record, std::uint32_t context,
                      std::uint64_t wait_ns) {
    const bool is_kernel = record.kind == wire::Gpu::kKernel;
    for (const std::uint32_t id : regions_.OpenIn(regions_.contexts[context])) {
      TraceInstance& instance = regions_.instances[id];
      if (is_kernel) instance.kernel_ns += record.end_ns - record.start_ns;
      if (instance.first_ns == 0) instance.first_ns = record.start_ns;
      if (record.end_ns > instance.last_ns) {
        instance.busy_ns +=
            record.end_ns - std::max(instance.last_ns, record.start_ns);
      }
      instance.last_ns = std::max(instance.last_ns, record.end_ns);
    }
    if (wait_ns == 0) {
      AddOwn(context, is_kernel ? WallPart::kKernels : WallPart::kCopies,
             record.start_ns, record.end_ns);
      return;
    }
    const std::uint64_t arrived_ns = record.start_ns + wait_ns;
    AddOwn(context, WallPart::kRankWait, record.start_ns, arrived_ns);
    transfers_.push({arrived_ns, record.end_ns, context});
  }

  Measurement KernelOf(const TraceGpuRecord& record, const TracePlace& place,
                       const TraceLaunch* launch) {
    Measurement m{.kind = MeasurementKind::kKernel,
                  .mode = ReplayMode::kTrace,
                  .device = static_cast<std::int32_t>(place.device),
                  .context = place.context,
                  .stream = place.stream,
                  .api_call = record.correlation,
                  .start_ns = record.start_ns,
                  .end_ns = record.end_ns};
    if (record.shape < kernel_names_.size()) {
      const KernelName& name = kernel_names_[record.shape];
      m.mangled_name = name.mangled;
      m.demangled_name = name.demangled;
      m.function_name = name.function;
      const TraceShape& shape = trace_.names.shapes[record.shape];
      m.grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
      m.block = {shape.block[0], shape.block[1], shape.block[2]};
      m.dynamic_shared = shape.dynamic_shared;
      if (shape.is_graph) m.kind = MeasurementKind::kGraph;
      m.static_shared = shape.static_shared;
      m.registers = shape.registers;
    }
    SetMessage(regions_.messages, record.correlation, m);
    if (record.graph_node != 0) SetCapture(record.graph_node, m);
    if (launch != nullptr) {
      m.launch_ns = launch->ns;
      m.nvtx = states_.OfContext(launch->context);
      m.thread = ThreadOf(regions_.contexts[launch->context].row);
    }
    return m;
  }

  void AddCopy(const TraceGpuRecord& record, std::int32_t device,
               const TraceLaunch* launch) {
    CopyActivity copy{.device = device,
                      .start_ns = record.start_ns,
                      .end_ns = record.end_ns,
                      .bytes = record.bytes};
    if (record.kind == wire::Gpu::kCopy) copy.kind = record.operand & 0xFF;
    if (launch != nullptr) {
      copy.nvtx = states_.OfContext(launch->context);
      copy.thread = ThreadOf(regions_.contexts[launch->context].row);
      copy.left_out = regions_.contexts[launch->context].left_out;
    }
    profile_.copies.push_back(copy);
  }

  // Sets the region in which the graph's node, or the original of a copied
  // node, was captured.
  void SetCapture(std::uint64_t node, Measurement& m) {
    constexpr int kMostCopies = 16;  // a copy of a copy of …
    auto at = regions_.nodes.find(node);
    for (int i = 0; i < kMostCopies && at != regions_.nodes.end(); ++i) {
      const auto original = regions_.nodes.find(at->second.copy_of);
      if (at->second.copy_of == 0 || original == regions_.nodes.end()) break;
      at = original;
    }
    if (at == regions_.nodes.end()) return;
    SetMessage(regions_.node_messages, at->first, m);
    m.captured = states_.OfRow(at->second.row);
    m.captured_thread = ThreadOf(at->second.row);
  }

  void SetMessage(const TraceMessages& messages, std::uint64_t key,
                  Measurement& m) {
    const auto message = messages.find(key);
    if (message == messages.end()) return;
    const auto& [communicator, bytes] = message->second;
    m.communicator = profile_.strings.Intern(fmt::format("{:x}", communicator));
    if (bytes != 0)
      m.message_size =
          profile_.strings.Intern(fmt::format("{}", SizeClass(bytes)));
  }

  std::uint64_t ThreadOf(std::uint32_t row) const {
    return regions_.rows[row].visits.thread;
  }

  void NoteDevice(std::int32_t index) {
    if (!devices_.insert(index).second) return;
    Device device{.index = index};
    const TraceDevice known = trace_.names.DeviceOf(index);
    if (known.name != kNoString)
      device.name = profile_.strings.Intern(trace_.names.Text(known.name));
    AddPeaks(known, device);
    profile_.devices.push_back(std::move(device));
  }

  // Uses Nsight Compute's names of the attributes.
  void AddPeaks(const TraceDevice& known, Device& device) {
    const auto add = [&](std::string_view name, std::uint32_t value) {
      device.attributes.emplace_back(profile_.strings.Intern(name),
                                     Value::Number(value));
    };
    if (known.capability > 0) {
      add("device__attribute_compute_capability_major", known.capability >> 8);
      add("device__attribute_compute_capability_minor",
          known.capability & 0xFF);
    }
    for (const auto& [name, value] :
         {std::pair("device__attribute_memory_clock_rate", known.memory_khz),
          {"device__attribute_global_memory_bus_width", known.memory_bus_bits},
          {"device__attribute_multiprocessor_count", known.multiprocessors},
          {"device__attribute_clock_rate", known.clock_khz}}) {
      if (value > 0) add(name, value);
    }
  }

  // Adds one GPU activity to the use of a path. Activities come in order of
  // start.
  void Account(TracePath& path, const TraceGpuRecord& record,
               const TracePlace& place, const TraceLaunch* launch) {
    const std::size_t at = use_places_.UseOf(path, place, record.start_ns);
    GpuUse& use = path.gpu[at];
    StreamUse& stream = use_places_.StreamOf(path, use, place);
    const std::uint64_t ns = record.end_ns - record.start_ns;
    switch (record.kind) {
      case wire::Gpu::kKernel:
        ++use.kernels;
        use.kernel_ns += ns;
        ++stream.kernels;
        stream.kernel_ns += ns;
        if (launch != nullptr) {
          use.latency_ns.Add(record.start_ns -
                             std::min(record.start_ns, launch->ns));
        }
        break;
      case wire::Gpu::kCopy:
        ++use.copies;
        use.copy_ns += ns;
        ++stream.copies;
        stream.copy_ns += ns;
        use.copy_bytes += record.bytes;
        AddCopyUse(use, record);
        break;
      case wire::Gpu::kSet:
        ++use.sets;
        use.set_ns += ns;
        ++stream.sets;
        stream.set_ns += ns;
        use.set_bytes += record.bytes;
        break;
      default:
        return;  // ForEachGpuRecord() visits no other kinds
    }
    use.last_ns = std::max(use.last_ns, record.end_ns);
    std::uint64_t& until = path.busy_until[at];
    if (record.end_ns > until) {
      use.busy_ns += record.end_ns - std::max(until, record.start_ns);
      until = record.end_ns;
    }
  }

  static void AddCopyUse(GpuUse& use, const TraceGpuRecord& record) {
    const auto memory = [&](int bits) {
      const std::uint32_t kind = record.operand >> bits & 0xF;
      return kind <= static_cast<std::uint32_t>(MemoryKind::kManaged)
                 ? static_cast<MemoryKind>(kind)
                 : MemoryKind::kDevice;  // kinds of static device memory
    };
    AddCopies(use.copies_by_kind,
              {.kind = static_cast<std::uint8_t>(record.operand & 0xFF),
               .from = memory(8),
               .to = memory(12),
               .count = 1,
               .ns = record.end_ns - record.start_ns,
               .bytes = record.bytes});
  }

  // ---- Rows ----

  void SumInstances() {
    for (const TraceInstance& instance : regions_.instances) {
      if (instance.row == kNoRow || instance.first_ns == 0) continue;
      RangeVisits& visits = regions_.rows[instance.row].visits;
      InstanceTimes times{
          .ordinal = instance.ordinal,
          .start_ns = instance.open_ns,
          .cpu_ns = instance.wall.total(),
          .closed = instance.closed,
          .gpu_ns = instance.kernel_ns,
          .span_ns = instance.last_ns - instance.first_ns,
          .idle_ns = instance.last_ns - instance.first_ns - instance.busy_ns,
          .wall = instance.wall};
      if (instance.closed) {
        visits.wall -= times.wall;
        instance.own.MoveTo(times.wall);
        visits.wall += times.wall;
        visits.deferred_ns += instance.own.deferred_ns();
      }
      visits.gpu_ns.Add(times.gpu_ns);
      visits.gpu_span_ns.Add(times.span_ns);
      visits.gpu_idle_ns.Add(times.idle_ns);
      if (times.ordinal == kNoOrdinal) continue;  // open since before fork()
      if (times.ordinal < visits.first.size())
        visits.first[times.ordinal] = times;
      for (InstanceTimes& slow : visits.slowest) {
        if (slow.ordinal == times.ordinal) slow = times;
      }
      if (visits.instances > 1)
        KeepLargest(visits.slowest_gpu, times, &InstanceTimes::gpu_ns);
    }
  }

  // Adds the calls of inner regions to their outer regions.
  void AddCalls() {
    for (const auto& [key, call] : regions_.calls) {
      for (std::uint32_t row = key.first; !regions_.rows[row].root;
           row = regions_.rows[row].parent) {
        CallUse inner = call;
        inner.function = profile_.strings.Intern(trace_.names.Text(key.second));
        AddCallUse(regions_.rows[row].visits.calls, inner);
      }
    }
  }

  // Finds the regions that launched the work for which other regions waited.
  // Only the rows with the most waiting time are searched, since each row costs
  // a search of its own.
  void FindForeignWork(const Records& records) {
    constexpr std::size_t kMostRows = 64;
    constexpr std::size_t kMostRegions = 4;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < regions_.rows.size(); ++i) {
      const WallTime& wall = regions_.rows[i].visits.wall;
      if (10 * wall[WallPart::kOtherGpuWork] > wall.total()) rows.push_back(i);
    }
    const auto most = rows.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(rows.size(), kMostRows));
    std::ranges::partial_sort(
        rows, most, std::ranges::greater(), [&](std::uint32_t row) {
          return regions_.rows[row].visits.wall[WallPart::kOtherGpuWork];
        });
    rows.erase(most, rows.end());
    for (const std::uint32_t row : rows) {
      RangeVisits& visits = regions_.rows[row].visits;
      std::map<std::uint32_t, std::uint64_t> by_row;
      ForEachOverlap(visits.spans, records.by_start,
                     [&](const TraceGpuRecord& record, std::uint64_t ns) {
                       const TraceLaunch* launch = LaunchOf(record);
                       if (launch == nullptr) return;
                       const TraceContext& context =
                           regions_.contexts[launch->context];
                       const std::uint32_t at = context.row;
                       if (!context.left_out && !IsInside(at, row))
                         by_row[at] += ns;
                     });
      for (const auto& [at, ns] : by_row)
        visits.foreign.push_back({states_.OfRow(at), ThreadOf(at), ns});
      std::ranges::stable_sort(visits.foreign, std::ranges::greater(),
                               &ForeignWork::ns);
      if (visits.foreign.size() > kMostRegions)
        visits.foreign.resize(kMostRegions);
    }
  }

  bool IsInside(std::uint32_t inner, std::uint32_t outer) const {
    while (inner != outer && !regions_.rows[inner].root)
      inner = regions_.rows[inner].parent;
    return inner == outer;
  }

  // Calls `see` with each record that runs during a span, and with the time of
  // the overlap. Both lists are sorted by start. Gives up if records overlap so
  // much that the work is not linear.
  template <typename See>
  static void ForEachOverlap(const std::vector<TimeSpan>& spans,
                             const std::vector<TraceGpuRecord>& records,
                             See see) {
    std::size_t first = 0;
    std::size_t steps = 8 * (spans.size() + records.size());
    for (const TimeSpan& span : spans) {
      while (first < records.size() && records[first].end_ns <= span.start_ns)
        ++first;
      for (std::size_t i = first;
           i < records.size() && records[i].start_ns < span.end_ns; ++i) {
        if (steps-- == 0) return;
        const std::uint64_t start =
            std::max(records[i].start_ns, span.start_ns);
        const std::uint64_t end = std::min(records[i].end_ns, span.end_ns);
        if (IsWhole(records[i]) && end > start) see(records[i], end - start);
      }
    }
  }

  void AddRows() {
    profile_.start_ns = trace_.header.first.realtime_ns;
    for (TracePath& path : regions_.paths) {
      if (path.gpu.empty()) continue;
      std::ranges::sort(path.gpu, {}, &GpuUse::device);
      RegionUse& use = profile_.uses.emplace_back();
      use.gpu = std::move(path.gpu);
      if (path.row == kNoRow) continue;  // the process, without a thread
      use.thread = ThreadOf(path.row);
      use.nvtx = states_.OfRow(path.row);
    }
    for (std::uint32_t i = 0; i < regions_.rows.size(); ++i) {
      RangeVisits& visits = regions_.rows[i].visits;
      if (visits.instances == 0) continue;
      visits.nvtx = states_.OfRow(i);
      profile_.visits.push_back(std::move(visits));
    }
  }

  void FindLeaks() {
    LeakFinder finder;
    const auto name = [&](std::uint32_t label) {
      return profile_.strings.Intern(
          trace_.names.Text(trace_.names.Label(label).string));
    };
    const auto domain = [&](std::uint32_t label) {
      return profile_.strings.Intern(
          trace_.names.DomainName(trace_.names.Label(label).domain));
    };
    for (const auto& [key, count] : regions_.unclosed)
      finder.Add(FrameKind::kPushPop, key.first, domain(key.second),
                 name(key.second), count);
    for (const auto& [label, count] : regions_.start_end) {
      finder.Add(FrameKind::kStartEnd, 0, domain(label), name(label),
                 count.open);
      finder.AddEnded(0, domain(label), name(label), count.ended);
    }
    finder.Finish(profile_, regions_.too_deep, EndsEarly() || IsDamaged(),
                  notes_, input_.path);
  }

  void SayWhatIsMissing() {
    const wire::LiveHeader& live = trace_.live;
    const auto add = [&](Severity severity, std::string_view kind,
                         std::string_view text, std::uint64_t count = 1) {
      if (count > 0) notes_.Add(severity, kind, text, input_.path, count);
    };
    add(Severity::kDataLoss, "dropped_events",
        trace_.reason.empty() ? "events were not recorded"
                              : "events were not recorded: " + trace_.reason,
        live.dropped_events);
    add(Severity::kDataLoss, "dropped_records",
        "CUPTI dropped records of GPU work", live.dropped_records);
    add(Severity::kInfo, "cut_names", "names longer than 32768 bytes were cut",
        live.cut_names);
    add(Severity::kDataLoss, "shared_names",
        "the program has too many names: later ones share one name",
        live.shared_names);
    add(Severity::kDataLoss, "lost_domains",
        "the program made too many NVTX domains: ranges in the last ones are "
        "shown in (unknown domain)",
        live.lost_domains);
    add(Severity::kInfo, "lost_notes",
        "too many names of threads, streams and categories: some were not "
        "recorded",
        live.lost_notes);
    add(Severity::kInfo, "reentrant_calls",
        "NVTX calls from inside a signal handler were not recorded",
        live.reentrant);
    if (live.state == wire::RunState::kOff)
      add(Severity::kDataLoss, "tracer_off",
          "the tracer switched itself off: " + trace_.reason);
    if (live.gpu == wire::GpuState::kFailed)
      add(Severity::kWarning, "no_gpu_activity",
          "GPU work was not traced: " + trace_.gpu_reason);
    if (live.state == wire::RunState::kRunning &&
        live.gpu == wire::GpuState::kTracing) {
      add(Severity::kWarning, "abrupt_end",
          "the program ended without its exit handlers (a signal, _exit or "
          "exec): its last GPU work may be missing");
    }
  }

  struct KernelName {
    StringId mangled{}, demangled{}, function{};
  };

  const Trace& trace_;
  const ReaderInput& input_;
  Notes& notes_;
  Profile profile_{};
  TraceRegions regions_{};
  std::unordered_set<std::int32_t> devices_;
  UsePlaces use_places_;
  std::vector<KernelName> kernel_names_;  // by shape
  TraceStates states_{trace_, regions_, profile_};
  // Transfers that have not started yet, the next one on top.
  std::priority_queue<Transfer, std::vector<Transfer>, std::greater<>>
      transfers_{};
};

Artifact ArtifactOf(const Trace& trace, const ReaderInput& input) {
  Artifact artifact{
      .path = input.path,
      .format = "trace",
      .bytes = input.bytes.size(),
      .created_unix_s = trace.header.first.realtime_ns / 1000000000,
      .command_line = trace.command,
      .versions = {{"rangefinder", trace.library}}};
  if (trace.live.cupti_version != 0) {
    artifact.versions.emplace_back("cupti",
                                   std::to_string(trace.live.cupti_version));
  }
  for (const auto& [key, value] : trace.names.facts) {
    artifact.versions.emplace_back(trace.names.Text(key),
                                   trace.names.Text(value));
  }
  return artifact;
}

}  // namespace

KernelSources SourcesOf(const Trace& trace) {
  KernelSources sources;
  for (const TraceSource& source : trace.names.sources) {
    AddOnce(sources.by_kernel[Demangle(trace.names.Text(source.kernel))].lines,
            fmt::format("{}:{}", trace.names.Text(source.file), source.line));
  }
  return sources;
}

Profile ProfileOfTrace(const Trace& trace, const ReaderInput& input,
                       Notes& notes) {
  return TraceProfile(trace, input, notes).Read();
}

Result<Profile> ReadRangefinderTrace(const ReaderInput& input, Notes& notes) {
  const Trace trace = TRY(OpenTrace(input, notes));
  Profile profile = ProfileOfTrace(trace, input, notes);
  profile.artifacts.push_back(ArtifactOf(trace, input));
  return profile;
}

}  // namespace rangefinder
