#include <array>
#include <cstring>

#include <fmt/format.h>
#include <protozero/pbf_builder.hpp>

#include "ingest/ncu/ncu_layout.h"
#include "tests/scaling/lists.h"
#include "tests/support/rep_builder.h"

namespace rangefinder::testing {
namespace {

using protozero::pbf_builder;
using protozero::pbf_writer;

// A report that is drawn by one line for each number from 1, by a format.
std::string Drawn(int count, std::string_view each) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += fmt::format(fmt::runtime(each), i);
  return BuildRep(text);
}

// Repeats `each` with `between` between the copies.
std::string Repeated(int count, std::string_view each,
                     std::string_view between) {
  std::string text;
  for (int i = 1; i <= count; ++i) {
    if (i > 1) text += between;
    text += fmt::format(fmt::runtime(each), i);
  }
  return text;
}

constexpr std::string_view kTimed = "kernel k gpu__time_duration.sum=5 ";

std::string Of(std::string_view rest) {
  return BuildRep(std::string(kTimed) + std::string(rest) + "\n");
}

std::string Results(int n) {
  return Drawn(n, std::string(kTimed) + "@ r\n");
}
std::string KernelNames(int n) {
  return Drawn(n, "kernel k{} gpu__time_duration.sum=5\n");
}
std::string Regions(int n) {
  return Drawn(n, std::string(kTimed) + "@ r{}x\n");
}
std::string MergedNames(int n) {
  return Drawn(n, std::string(kTimed) + "@ step_{}\n");
}
std::string Ranges(int n) {
  return Drawn(n, "range gpu__time_duration.sum=5 @ r\n");
}
std::string Processes(int n) {
  return Drawn(n, std::string(kTimed) + "pid={} @ r\n");
}
std::string ProcessesOfMergedNames(int n) {
  return Drawn(n, std::string(kTimed) + "pid={0} @ step_{0}\n");
}
std::string Threads(int n) {
  return Drawn(n, std::string(kTimed) + "thread={} @ r\n");
}
std::string Devices(int n) {
  return Drawn(n, std::string(kTimed) + "device={} @ r\n");
}
std::string Metrics(int n) {
  return Of(Repeated(n, "m{}__x.sum=3", " "));
}
std::string Depth(int n) {
  return Of("@ " + Repeated(n, "r", "/"));
}
std::string DepthOfNames(int n) {
  return Of("@ " + Repeated(n, "r{}x", "/"));
}
std::string OpenStartEnds(int n) {
  return Of("@ " + Repeated(n, "start S", "; "));
}
std::string OpenDomains(int n) {
  return Of("@ " + Repeated(n, "D{}@r", "; "));
}
std::string OtherThreads(int n) {
  return Of("@ r; " + Repeated(n, "thread {}: T", "; "));
}
std::string Versions(int n) {
  RepOptions options;
  for (int i = 0; i < n; ++i)
    options.versions.emplace_back(fmt::format("tool {}", i), "1");
  return BuildRep(std::string(kTimed) + "@ r\n", options);
}

// A report of one kernel with more fields in its messages.
std::string With(const std::string& result_fields,
                 const std::string& session_fields = {}) {
  const auto prefixed = [](const std::string& message) {
    const auto length = static_cast<std::uint32_t>(message.size());
    std::string text(sizeof length, '\0');
    std::memcpy(text.data(), &length, sizeof length);
    return text + message;
  };
  std::string result;
  pbf_writer out(result);
  const ncu::ResultFields& field = ncu::kKernelFields;
  out.add_uint64(field.thread, 1);
  out.add_string(field.demangled_name, "k");
  result += result_fields;
  const std::string payload = prefixed(result);
  std::string file_header, header;
  pbf_builder<ncu::FileHeader>(file_header)
      .add_uint32(ncu::FileHeader::kVersion, 7);
  pbf_builder<ncu::BlockHeader> block(header);
  block.add_uint32(ncu::BlockHeader::kNumResults, 1);
  block.add_bytes(ncu::BlockHeader::kSessionDetails, session_fields);
  block.add_uint64(ncu::BlockHeader::kPayloadSize, payload.size());
  return std::string("NVR\0", 4) + prefixed(file_header) + prefixed(header) +
         payload;
}

std::string UnknownFields(int n) {
  std::string fields;
  pbf_writer out(fields);
  // Protobuf reserves the field numbers 19000 to 19999.
  for (int i = 0; i < n; ++i)
    out.add_uint32(20000 + static_cast<std::uint32_t>(i), 1);
  return With(fields);
}

template <typename Add>
std::string Session(int n, Add add) {
  std::string session;
  pbf_builder<ncu::Session> out(session);
  for (int i = 0; i < n; ++i) add(out, i);
  return With({}, session);
}

std::string KnownDevices(int n) {
  return Session(n, [](pbf_builder<ncu::Session>& out, int i) {
    pbf_builder<ncu::DeviceAttributes> device(out,
                                              ncu::Session::kDeviceAttributes);
    device.add_uint32(ncu::DeviceAttributes::kId,
                      static_cast<std::uint32_t>(i));
    device.add_string(ncu::DeviceAttributes::kName, fmt::format("gpu {}", i));
  });
}

std::string DeviceAttributes(int n) {
  std::string session;
  {
    pbf_builder<ncu::Session> out(session);
    pbf_builder<ncu::DeviceAttributes> device(out,
                                              ncu::Session::kDeviceAttributes);
    device.add_uint32(ncu::DeviceAttributes::kId, 0);
    for (int i = 0; i < n; ++i) {
      pbf_builder<ncu::DeviceAttribute> attribute(
          device, ncu::DeviceAttributes::kAttribute);
      attribute.add_string(ncu::DeviceAttribute::kName,
                           fmt::format("device__attribute_{}", i));
      pbf_builder<ncu::MetricValue> value(attribute,
                                          ncu::DeviceAttribute::kValue);
      value.add_uint64(ncu::MetricValue::kUint64, 5);
    }
  }
  return With({}, session);
}

Profile OneKernel() {
  Profile profile;
  profile.processes.push_back({});
  Measurement& kernel = profile.measurements.emplace_back();
  kernel.thread = 1;
  kernel.demangled_name = profile.strings.Intern("k");
  return profile;
}

std::string Sections(int n) {
  Profile profile = OneKernel();
  for (int i = 0; i < n; ++i) {
    const StringId name = profile.strings.Intern(fmt::format("S{}", i));
    profile.sections.push_back({.identifier = name, .display_name = name});
    profile.measurements[0].sections.push_back(static_cast<std::uint32_t>(i));
  }
  return BuildRep(profile);
}

std::string SectionRows(int n) {
  Profile profile = OneKernel();
  Section& section = profile.sections.emplace_back();
  section.identifier = profile.strings.Intern("S");
  for (int i = 0; i < n; ++i) {
    section.header.push_back(
        {.metric = profile.InternMetric(fmt::format("m{}__x.sum", i)),
         .label = profile.strings.Intern(fmt::format("label {}", i))});
  }
  profile.measurements[0].sections.push_back(0);
  return BuildRep(profile);
}

std::string Rules(int n) {
  Profile profile = OneKernel();
  for (int i = 0; i < n; ++i) {
    RuleResult rule;
    rule.identifier = profile.strings.Intern(fmt::format("R{}", i));
    rule.messages.push_back(
        {.title = rule.identifier, .text = rule.identifier});
    profile.rules.push_back(rule);
    profile.measurements[0].rules.push_back(static_cast<std::uint32_t>(i));
  }
  return BuildRep(profile);
}

std::string Instances(int n) {
  Profile profile = OneKernel();
  const MetricId metric = profile.InternMetric("launch__x");
  const Value value = Value::Integer(5);
  profile.samples.push_back(
      {.metric = metric, .kind = value.kind, .bits = value.bits});
  profile.measurements[0].sample_count = 1;
  profile.measurements[0].instances.push_back({.metric = metric, .list = 0});
  auto& list = profile.instance_lists.emplace_back();
  for (int i = 0; i < n; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    list.push_back({.key = number, .value = Value::Integer(number)});
  }
  return BuildRep(profile);
}

constexpr std::string_view kFile = "a.ncu-rep";

constexpr auto kLists = std::to_array<ListInFile>({
    {"results", kFile, Results},
    {"names of kernels", kFile, KernelNames},
    {"regions", kFile, Regions, 500},
    {"names that differ by a counter", kFile, MergedNames},
    {"ranges measured as a whole", kFile, Ranges, 1000},
    {"processes", kFile, Processes, 500},
    {"processes of merged names", kFile, ProcessesOfMergedNames, 500},
    {"threads", kFile, Threads},
    {"devices", kFile, Devices, 500},
    {"metrics", kFile, Metrics},
    {"depth of a stack", kFile, Depth},
    {"depth of a stack of many names", kFile, DepthOfNames},
    {"open start/end ranges", kFile, OpenStartEnds},
    {"open domains", kFile, OpenDomains},
    {"other threads", kFile, OtherThreads},
    {"versions", kFile, Versions},
    {"unknown fields", kFile, UnknownFields},
    {"known devices", kFile, KnownDevices},
    {"device attributes", kFile, DeviceAttributes},
    {"sections", kFile, Sections},
    {"rows of a section", kFile, SectionRows},
    {"rule results", kFile, Rules},
    {"instances of a metric", kFile, Instances},
});

}  // namespace

std::span<const ListInFile> ListsOfNcuReports() {
  return kLists;
}

}  // namespace rangefinder::testing
