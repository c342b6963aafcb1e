#include <algorithm>
#include <limits>

#include "insight/members.h"
#include "insight/times.h"
#include "writers/json/json_parts.h"

namespace rangefinder {
namespace {

// Of a region on the page; the aggregate of a job has all of its ranks.
constexpr std::size_t kMostPageStreams = 32;

class TimesJson {
 public:
  TimesJson(JsonStream& json, const Report& report, bool for_page)
      : json_(json),
        profile_(*report.profile),
        most_streams_(for_page ? kMostPageStreams
                               : std::numeric_limits<std::size_t>::max()) {}

  void Write(const RegionTimes& times) {
    json_.BeginObject();
    json_.CountField("instances", times.instances);
    json_.CountField("unclosed", times.unclosed);
    WriteMoment("start_ns", times.start_ns);
    WriteMoment("end_ns", times.end_ns);
    WriteSpread("cpu_ns", "instances", times.cpu_ns);
    WriteSpread("gpu_ns", "instances", times.gpu_ns);
    WriteSpread("gpu_span_ns", "instances", times.gpu_span_ns);
    WriteSpread("gpu_idle_ns", "instances", times.gpu_idle_ns);
    if (times.warmup) WriteWarmup(*times.warmup);
    if (times.wall.total() > 0) {
      WriteWall("wall_ns", times.wall);
      WriteWall("steady_wall_ns", times.steady_wall());
      json_.CountField("deferred_gpu_ns", times.deferred_ns);
    }
    WriteGpu(times);
    json_.Key("streams");
    json_.BeginArray();
    const std::size_t shown = std::min(most_streams_, times.streams.size());
    for (std::size_t i = 0; i < shown; ++i) WriteStream(times.streams[i]);
    json_.EndArray();
    if (shown < times.streams.size())
      json_.CountField("streams_left_out", times.streams.size() - shown);
    // Of one instance, all is said above.
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
    json_.Key(key);
    if (ns)
      json_.Count(SinceStart(*ns));
    else
      json_.Null();
  }

  // `of`: what its values are of.
  void WriteSpread(std::string_view key, std::string_view of,
                   const Spread& spread) {
    json_.Key(key);
    json_.BeginLineObject();
    json_.CountField(of, spread.count());
    json_.CountField("total", spread.sum());
    json_.CountField("min", spread.min());
    json_.NumberField("median", spread.median().value_or(0));
    json_.CountField("max", spread.max());
    json_.NumberField("mean", spread.mean());
    json_.NumberField("standard_deviation", spread.standard_deviation());
    json_.EndObject();
  }

  // Parts that are 0 are left out.
  void WriteWall(std::string_view key, const WallTime& wall) {
    json_.Key(key);
    json_.BeginLineObject();
    for (std::size_t i = 0; i < kWallParts; ++i) {
      if (wall.ns[i] > 0)
        json_.CountField(NameOf(static_cast<WallPart>(i)), wall.ns[i]);
    }
    json_.EndObject();
  }

  void WriteWarmup(const Warmup& warmup) {
    json_.Key("warmup");
    json_.BeginLineObject();
    json_.CountField("instances", warmup.instances);
    json_.CountField("cpu_ns", warmup.cpu_ns);
    json_.CountField("gpu_ns", warmup.gpu_ns);
    json_.CountField("steady_instances", warmup.steady);
    const auto mean = [&](std::string_view key,
                          const std::optional<double>& ns) {
      json_.Key(key);
      if (ns)
        json_.Number(*ns);
      else
        json_.Null();
    };
    mean("steady_cpu_ns", warmup.steady_cpu_ns);
    mean("steady_gpu_ns", warmup.steady_gpu_ns);
    json_.EndObject();
  }

  void WriteGpu(const RegionTimes& times) {
    const GpuUse& gpu = times.gpu;
    json_.Key("gpu");
    json_.BeginObject();
    json_.CountField("kernel_count", gpu.kernels);
    json_.CountField("gpu_time_ns", gpu.kernel_ns);
    json_.CountField("busy_ns", gpu.busy_ns);
    json_.CountField("span_ns", times.span_ns);
    json_.CountField("idle_ns", times.idle_ns());
    json_.Key("concurrency");
    if (const auto concurrency = times.concurrency())
      json_.Number(*concurrency);
    else
      json_.Null();
    json_.CountField("copies", gpu.copies);
    json_.CountField("copy_ns", gpu.copy_ns);
    json_.CountField("copy_bytes", gpu.copy_bytes);
    json_.CountField("sets", gpu.sets);
    json_.CountField("set_ns", gpu.set_ns);
    json_.CountField("set_bytes", gpu.set_bytes);
    WriteSpread("latency_ns", "kernels", gpu.latency_ns);
    json_.EndObject();
  }

  void WriteStream(const StreamTimes& stream) {
    json_.BeginLineObject();
    json_.CountField("process", profile_.processes[Index(stream.process)].pid);
    json_.NumberField("device", stream.device);
    json_.CountField("context", stream.use.context);
    json_.CountField("stream", stream.use.stream);
    json_.CountField("kernel_count", stream.use.kernels);
    json_.CountField("gpu_time_ns", stream.use.kernel_ns);
    json_.CountField("copies", stream.use.copies);
    json_.CountField("copy_ns", stream.use.copy_ns);
    json_.CountField("sets", stream.use.sets);
    json_.CountField("set_ns", stream.use.set_ns);
    json_.EndObject();
  }

  // Columns, since there are many: the n-th of each is of the n-th instance.
  void WriteFirst(const std::vector<PlacedInstance>& first) {
    json_.Key("first");
    json_.BeginObject();
    const auto column = [&](std::string_view key, auto write) {
      json_.Key(key);
      json_.BeginLineArray();
      for (const PlacedInstance& one : first) write(one.times);
      json_.EndArray();
    };
    column("start_ns", [&](const InstanceTimes& times) {
      json_.Count(SinceStart(times.start_ns));
    });
    column("cpu_ns", [&](const InstanceTimes& times) { WriteCpu(times); });
    column("gpu_ns",
           [&](const InstanceTimes& times) { json_.Count(times.gpu_ns); });
    column("gpu_span_ns",
           [&](const InstanceTimes& times) { json_.Count(times.span_ns); });
    json_.EndObject();
  }

  void WriteCpu(const InstanceTimes& times) {
    if (times.closed)
      json_.Count(times.cpu_ns);
    else
      json_.Null();
  }

  void WriteInstances(std::string_view key,
                      const std::vector<PlacedInstance>& instances) {
    json_.Key(key);
    json_.BeginArray();
    for (const PlacedInstance& one : instances) {
      json_.BeginLineObject();
      if (one.name != StringId{})
        json_.TextField("name", profile_.Name(one.name));
      json_.CountField("ordinal", one.times.ordinal);
      json_.CountField("process", profile_.processes[Index(one.process)].pid);
      json_.CountField("thread", one.thread);
      json_.CountField("start_ns", SinceStart(one.times.start_ns));
      json_.Key("cpu_ns");
      WriteCpu(one.times);
      json_.CountField("gpu_ns", one.times.gpu_ns);
      json_.CountField("gpu_span_ns", one.times.span_ns);
      json_.CountField("gpu_idle_ns", one.times.idle_ns);
      json_.EndObject();
    }
    json_.EndArray();
  }

  std::uint64_t SinceStart(std::uint64_t ns) const {
    return ns > profile_.start_ns ? ns - profile_.start_ns : 0;
  }

  JsonStream& json_;
  const Profile& profile_;
  const std::size_t most_streams_;
};

// ---- Merged names -----------------------------------------------------------

void WriteMember(JsonStream& json, const Profile& profile,
                 const MemberAmounts& member) {
  json.BeginLineObject();
  json.TextField("name", profile.Name(member.name));
  json.CountField("instances", member.instances);
  json.CountField("kernel_count", member.kernel_count);
  json.NumberField("gpu_time_ns", member.gpu_time_ns);
  if (member.cpu_ns) json.CountField("cpu_ns", *member.cpu_ns);
  json.EndObject();
}

}  // namespace

void WriteTimesJson(JsonStream& json, const Report& report,
                    const RegionTimes& times, bool for_page) {
  TimesJson(json, report, for_page).Write(times);
}

void WriteMembersJson(JsonStream& json, const Report& report,
                      const Scope& scope, RegionId id) {
  const std::vector<MemberAmounts> members = MembersOf(report, scope, id);
  if (members.empty()) return;
  json.Key("merged");
  json.BeginObject();
  json.CountField("count", members.size());
  json.Key("slowest");
  if (const MemberAmounts* slowest = SlowestOf(members))
    WriteMember(json, *report.profile, *slowest);
  else
    json.Null();
  json.Key("members");
  json.BeginRows();
  for (std::size_t i = 0; i < std::min(members.size(), kMostMembers); ++i)
    WriteMember(json, *report.profile, members[i]);
  json.EndArray();
  json.EndObject();
}

}  // namespace rangefinder
