#include <algorithm>
#include <limits>
#include <ranges>

#include "insight/members.h"
#include "insight/times.h"
#include "writers/json/json_parts.h"

namespace rangefinder {
namespace {

// Most streams of a region on the page; the aggregate of a job has those of all
// ranks.
constexpr std::size_t kMostPageStreams = 32;

class TimesJson {
 public:
  TimesJson(JsonStream& json, const Report& report, bool for_page)
      : json_(json),
        profile_(*report.profile),
        most_streams_(for_page ? kMostPageStreams
                               : std::numeric_limits<std::size_t>::max()) {}

  void Write(const RegionTimes& times) {
    gpu_of_instances_ = times.gpu_of_instances;
    json_.BeginObject();
    json_.Field("instances", times.instances);
    json_.Field("unclosed", times.unclosed);
    WriteMoment("start_ns", times.start_ns);
    WriteMoment("end_ns", times.end_ns);
    WriteSpread("cpu_ns", "instances", times.cpu_ns);
    WriteSpread("gpu_ns", "instances", times.gpu_ns);
    WriteSpread("gpu_span_ns", "instances", times.gpu_span_ns);
    WriteSpread("gpu_idle_ns", "instances", times.gpu_idle_ns);
    if (times.warmup) WriteWarmup(*times.warmup);
    if (!times.warmup_known) json_.NullField("warmup");
    if (times.wall.total() > 0) {
      WriteWall("", times.wall);
      if (times.warmup_known) WriteWall("steady_", times.steady_wall());
      json_.Field("deferred_gpu_ns", times.deferred_ns);
    }
    WriteGpu(times);
    json_.Lines("streams", times.streams | std::views::take(most_streams_),
                [&](const StreamTimes& stream) { WriteStream(stream); });
    if (times.streams.size() > most_streams_)
      json_.Field("streams_left_out", times.streams.size() - most_streams_);
    // With one instance, the values above are complete.
    if (times.instances > 1) {
      WriteFirst(times.first);
      WriteInstances("slowest", times.slowest);
      WriteInstances("slowest_gpu", times.slowest_gpu);
    }
    json_.EndObject();
  }

 private:
  void WriteMoment(std::string_view key,
                   const std::optional<std::uint64_t>& ns) {
    json_.Field(key, ns ? std::optional(SinceStart(*ns)) : std::nullopt);
  }

  // `of`: what is counted, "instances" or "kernels".
  void WriteSpread(std::string_view key, std::string_view of,
                   const Spread& spread) {
    json_.BeginLine(key);
    json_.Field(of, spread.count());
    json_.Field("total", spread.sum());
    json_.Field("min", spread.min());
    json_.Field("median", spread.median().value_or(0));
    json_.Field("max", spread.max());
    json_.Field("mean", spread.mean());
    json_.Field("standard_deviation", spread.standard_deviation());
    json_.EndObject();
  }

  // Parts that are 0 are left out, and what is not known of kHost.
  void WriteWall(std::string_view which, const WallTime& wall) {
    const auto write = [&](std::string_view key, std::size_t first,
                           std::size_t last) {
      json_.BeginLine(fmt::format("{}{}", which, key));
      for (std::size_t i = first; i < last; ++i) {
        if (wall.ns[i] > 0)
          json_.Field(NameOf(static_cast<WallPart>(i)), wall.ns[i]);
      }
      json_.EndObject();
    };
    write("wall_ns", 0, kWallParts);
    if (wall[WallPart::kHostWaiting] > 0 || wall[WallPart::kHostRunning] > 0)
      write("host_ns", kWallParts, kWallTimes);
  }

  void WriteWarmup(const Warmup& warmup) {
    json_.BeginLine("warmup");
    json_.Field("instances", warmup.instances);
    json_.Field("cpu_ns", warmup.cpu_ns);
    json_.Field("gpu_ns", Gpu(warmup.gpu_ns));
    json_.Field("steady_instances", warmup.steady);
    json_.Field("steady_cpu_ns", warmup.steady_cpu_ns);
    json_.Field("steady_gpu_ns", warmup.steady_gpu_ns);
    json_.EndObject();
  }

  void WriteGpu(const RegionTimes& times) {
    if (!times.gpu_known) return json_.NullField("gpu");
    const GpuUse& gpu = times.gpu;
    json_.BeginObject("gpu");
    json_.Field("kernel_count", gpu.kernels);
    json_.Field("gpu_time_ns", gpu.kernel_ns);
    json_.Field("busy_ns", gpu.busy_ns);
    json_.Field("span_ns", times.span_ns);
    json_.Field("idle_ns", times.idle_ns());
    json_.Field("concurrency", times.concurrency());
    json_.Field("copies", gpu.copies);
    json_.Field("copy_ns", gpu.copy_ns);
    json_.Field("copy_bytes", gpu.copy_bytes);
    json_.Field("sets", gpu.sets);
    json_.Field("set_ns", gpu.set_ns);
    json_.Field("set_bytes", gpu.set_bytes);
    WriteSpread("latency_ns", "kernels", gpu.latency_ns);
    json_.EndObject();
  }

  void WriteStream(const StreamTimes& stream) {
    json_.Field("process", profile_.processes[Index(stream.process)].pid);
    json_.Field("device", stream.device);
    json_.Field("context", stream.use.context);
    json_.Field("stream", stream.use.stream);
    json_.Field("kernel_count", stream.use.kernels);
    json_.Field("gpu_time_ns", stream.use.kernel_ns);
    json_.Field("copies", stream.use.copies);
    json_.Field("copy_ns", stream.use.copy_ns);
    json_.Field("sets", stream.use.sets);
    json_.Field("set_ns", stream.use.set_ns);
  }

  // As columns, since there are many: the n-th value of each belongs to the
  // n-th instance.
  void WriteFirst(const std::vector<PlacedInstance>& first) {
    json_.BeginObject("first");
    const auto column = [&](std::string_view key, auto of) {
      json_.Field(key, first | std::views::transform(&PlacedInstance::times) |
                           std::views::transform(of));
    };
    column("start_ns", [&](const InstanceTimes& times) {
      return SinceStart(times.start_ns);
    });
    column("cpu_ns", CpuOf);
    column("gpu_ns",
           [&](const InstanceTimes& times) { return Gpu(times.gpu_ns); });
    column("gpu_span_ns",
           [&](const InstanceTimes& times) { return Gpu(times.span_ns); });
    json_.EndObject();
  }

  static std::optional<std::uint64_t> CpuOf(const InstanceTimes& times) {
    return OptionalIf(times.closed, times.cpu_ns);
  }

  void WriteInstances(std::string_view key,
                      const std::vector<PlacedInstance>& instances) {
    json_.Lines(key, instances, [&](const PlacedInstance& one) {
      if (one.name != StringId{}) json_.Field("name", profile_.Name(one.name));
      json_.Field("ordinal", one.times.ordinal);
      json_.Field("process", profile_.processes[Index(one.process)].pid);
      json_.Field("thread", one.thread);
      json_.Field("start_ns", SinceStart(one.times.start_ns));
      json_.Field("cpu_ns", CpuOf(one.times));
      json_.Field("gpu_ns", Gpu(one.times.gpu_ns));
      json_.Field("gpu_span_ns", Gpu(one.times.span_ns));
      json_.Field("gpu_idle_ns", Gpu(one.times.idle_ns));
    });
  }

  // A GPU time of an instance.
  std::optional<std::uint64_t> Gpu(std::uint64_t ns) const {
    return OptionalIf(gpu_of_instances_, ns);
  }

  std::uint64_t SinceStart(std::uint64_t ns) const {
    return ns > profile_.start_ns ? ns - profile_.start_ns : 0;
  }

  JsonStream& json_;
  const Profile& profile_;
  const std::size_t most_streams_;
  bool gpu_of_instances_ = true;
};

}  // namespace

void WriteTimesJson(JsonStream& json, const Report& report,
                    const RegionTimes& times, bool for_page) {
  TimesJson(json, report, for_page).Write(times);
}

void WriteMembersJson(JsonStream& json, const Report& report,
                      const Scope& scope, RegionId id) {
  const std::vector<MemberAmounts> members = MembersOf(report, scope, id);
  if (members.empty()) return;
  json.BeginObject("merged");
  json.Field("count", members.size());
  const auto write = [&](const MemberAmounts& member) {
    json.Field("name", report.profile->Name(member.name));
    json.Field("instances", member.instances);
    json.Field("kernel_count", member.kernel_count);
    json.Field("gpu_time_ns", member.gpu_time_ns);
    if (member.cpu_ns) json.Field("cpu_ns", *member.cpu_ns);
  };
  if (const MemberAmounts* slowest = SlowestOf(members)) {
    json.BeginLine("slowest");
    write(*slowest);
    json.EndObject();
  } else {
    json.NullField("slowest");
  }
  json.Rows("members", members | std::views::take(kMostMembers), write);
  json.EndObject();
}

}  // namespace rangefinder
