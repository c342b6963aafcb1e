#include "ingest/ncu_decoder.h"

#include <algorithm>
#include <bit>
#include <functional>

#include <fmt/format.h>
#include <protozero/pbf_message.hpp>

#include "base/text.h"
#include "ingest/ncu_nvtx.h"
#include "ingest/ncu_schema.h"
#include "ingest/ncu_sections.h"

// Functions of this file throw protozero::exception on malformed input, up to
// the public ones, which catch it.

namespace rangefinder {
namespace {

using protozero::pbf_message;
using protozero::tag_and_type;
using enum protozero::pbf_wire_type;

constexpr MetricId kUnknownMetric{0xFFFFFFFF};
constexpr std::string_view kBreakdown = "breakdown:";

std::string_view View(protozero::data_view view) {
  return {view.data(), view.size()};
}

template <typename Message>
pbf_message<Message> Open(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}

// A field's number, whichever message it is of.
template <typename Field>
ncu::Tag Number(Field field) {
  return static_cast<ncu::Tag>(field);
}

Dim3 ReadDim3(std::string_view message) {
  Dim3 dim;
  auto in = Open<ncu::Uint64x3>(message);
  while (in.next()) {
    using enum ncu::Uint64x3;
    switch (in.tag_and_type()) {
      case tag_and_type(kX, varint):
        dim.x = in.get_uint64();
        break;
      case tag_and_type(kY, varint):
        dim.y = in.get_uint64();
        break;
      case tag_and_type(kZ, varint):
        dim.z = in.get_uint64();
        break;
      default:
        in.skip();
    }
  }
  return dim;
}

// A correlation id: an integer, or (older reports) a number that is one.
std::uint64_t KeyOf(Value value) {
  if (value.kind == ValueKind::kInteger) return value.bits;
  const double key = value.number().value_or(0);
  return key >= 0 && key < 0x1p64 ? static_cast<std::uint64_t>(key) : 0;
}

const ncu::ResultFields& FieldsOf(MeasurementKind kind) {
  switch (kind) {
    case MeasurementKind::kKernel:
      return ncu::kKernelFields;
    case MeasurementKind::kRange:
      return ncu::kRangeFields;
    case MeasurementKind::kCommandList:
      return ncu::kCommandListFields;
    case MeasurementKind::kGraph:
      return ncu::kGraphFields;
  }
  return ncu::kKernelFields;
}

// The word after `option` on a command line, or nothing.
std::string WordAfter(std::string_view command_line, std::string_view option) {
  const std::vector<std::string> words = Split(command_line, ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(option) && words[i].size() > option.size() &&
        words[i][option.size()] == '=')
      return words[i].substr(option.size() + 1);
  }
  return {};
}

}  // namespace

NcuDecoder::NcuDecoder(Profile& profile, std::string path, Notes& notes)
    : profile_(profile),
      path_(std::move(path)),
      notes_(notes),
      first_measurement_(profile.measurements.size()) {
  profile_.artifacts.push_back({.path = path_, .format = "ncu-rep"});
  profile_.processes.push_back({});
}

void NcuDecoder::BeginBlock(const NcuBlock& block) {
  where_ = fmt::format("{}: block {}", path_, block.number);
  const auto guarded = [&](auto read, std::string_view what,
                           std::string_view message) {
    if (message.empty()) return;
    try {
      std::invoke(read, this, message);
    } catch (const protozero::exception& e) {
      notes_.Add(Severity::kDataLoss, "damaged_message",
                 fmt::format("{} is damaged ({})", what, e.what()), where_);
    }
  };
  guarded(&NcuDecoder::ReadStrings, "a string table", block.strings);
  guarded(&NcuDecoder::ReadSession, "session data", block.session);
  guarded(&NcuDecoder::ReadProcess, "process data", block.process);
}

void NcuDecoder::ReadStrings(std::string_view message) {
  auto in = Open<ncu::StringTable>(message);
  while (in.next()) {
    if (in.tag_and_type() ==
        tag_and_type(ncu::StringTable::kString, length_delimited)) {
      strings_.push_back(profile_.strings.Intern(View(in.get_view())));
    } else {
      in.skip();
    }
  }
}

void NcuDecoder::ReadProcess(std::string_view message) {
  Process process;
  auto in = Open<ncu::ProcessInfo>(message);
  while (in.next()) {
    using enum ncu::ProcessInfo;
    switch (in.tag_and_type()) {
      case tag_and_type(kProcessId, varint):
        process.pid = in.get_uint64();
        break;
      case tag_and_type(kHostname, length_delimited):
        process.host = profile_.strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kProcessName, length_delimited):
        process.name = profile_.strings.Intern(View(in.get_view()));
        break;
      default:
        NoteUnknown("process", Number(in.tag()));
        in.skip();
    }
  }
  const auto known =
      std::ranges::find_if(profile_.processes, [&](const Process& other) {
        return other.pid == process.pid && other.name == process.name &&
               other.host == process.host;
      });
  process_ = static_cast<ProcessId>(known - profile_.processes.begin());
  if (known == profile_.processes.end()) profile_.processes.push_back(process);
}

void NcuDecoder::ReadSession(std::string_view message) {
  Artifact& artifact = profile_.artifacts.back();
  auto in = Open<ncu::Session>(message);
  while (in.next()) {
    using enum ncu::Session;
    switch (in.tag_and_type()) {
      case tag_and_type(kCreationTime, varint):
        artifact.created_unix_s = in.get_uint64();
        break;
      case tag_and_type(kDeviceAttributes, length_delimited):
        ReadDevice(View(in.get_view()));
        break;
      case tag_and_type(kVersionInfo, length_delimited): {
        std::pair<std::string, std::string> version;
        auto info = Open<ncu::VersionInfo>(View(in.get_view()));
        while (info.next()) {
          using enum ncu::VersionInfo;
          switch (info.tag_and_type()) {
            case tag_and_type(kProvider, length_delimited):
              version.first = info.get_string();
              break;
            case tag_and_type(kVersion, length_delimited):
              version.second = info.get_string();
              break;
            default:
              info.skip();
          }
        }
        if (std::ranges::find(artifact.versions, version) ==
            artifact.versions.end())
          artifact.versions.push_back(std::move(version));
        break;
      }
      case tag_and_type(kProfilerCommandLine, length_delimited):
        artifact.command_line = in.get_string();
        break;
      default:
        // Host and target system, settings: read past on purpose.
        if (in.tag() > kProfilerCommandLine)
          NoteUnknown("session", Number(in.tag()));
        in.skip();
    }
  }
}

void NcuDecoder::ReadDevice(std::string_view message) {
  Device device;
  auto in = Open<ncu::DeviceAttributes>(message);
  while (in.next()) {
    using enum ncu::DeviceAttributes;
    switch (in.tag_and_type()) {
      case tag_and_type(kId, varint):
        device.index = static_cast<std::int32_t>(in.get_uint32());
        break;
      case tag_and_type(kName, length_delimited):
        device.name = profile_.strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kAttribute, length_delimited): {
        std::pair<StringId, Value> attribute;
        auto pair = Open<ncu::DeviceAttribute>(View(in.get_view()));
        while (pair.next()) {
          using enum ncu::DeviceAttribute;
          switch (pair.tag_and_type()) {
            case tag_and_type(ncu::DeviceAttribute::kName, length_delimited):
              attribute.first = profile_.strings.Intern(View(pair.get_view()));
              break;
            case tag_and_type(kValue, length_delimited):
              attribute.second = ReadValue(View(pair.get_view()));
              break;
            default:
              pair.skip();
          }
        }
        device.attributes.push_back(attribute);
        break;
      }
      default:
        in.skip();
    }
  }
  const auto known =
      std::ranges::find(profile_.devices, device.index, &Device::index);
  if (known == profile_.devices.end())
    profile_.devices.push_back(std::move(device));
  else if (known->attributes.size() < device.attributes.size())
    *known = std::move(device);
}

void NcuDecoder::AddResult(MeasurementKind kind, std::string_view message) {
  Measurement m;
  m.kind = kind;
  m.artifact = static_cast<std::uint32_t>(profile_.artifacts.size() - 1);
  m.process = process_;
  m.first_sample = profile_.samples.size();
  bool whole = true;
  try {
    ReadResult(message, m);
  } catch (const protozero::exception& e) {
    whole = false;
    ++damaged_results_;
    notes_.Add(Severity::kDataLoss, "damaged_result",
               fmt::format("a result is damaged and left out ({})", e.what()),
               where_);
  }
  m.sample_count = profile_.samples.size() - m.first_sample;
  for (std::size_t i = m.first_sample; i < profile_.samples.size(); ++i)
    sample_at_[Index(profile_.samples[i].metric)] = 0;
  // Real results have all of these. One that has none is what damage left, and
  // would make a measurement a hundred times its size.
  if (whole && m.sample_count == 0 && m.thread == 0 &&
      m.demangled_name == StringId{} && m.nvtx == NvtxStateId{}) {
    whole = false;
    ++damaged_results_;
    notes_.Add(Severity::kDataLoss, "damaged_result",
               "a result is empty and left out", where_);
  }
  if (!whole) {
    profile_.samples.resize(m.first_sample);
    return;
  }
  if (m.kind == MeasurementKind::kGraph)
    m.demangled_name = profile_.strings.Intern("graph");
  SetDevice(m);
  profile_.measurements.push_back(std::move(m));
}

void NcuDecoder::ReadResult(std::string_view message, Measurement& m) {
  const ncu::ResultFields& field = FieldsOf(m.kind);
  const bool kernel = m.kind == MeasurementKind::kKernel;
  protozero::pbf_reader in(message.data(), message.size());
  const auto name = [&] {
    return profile_.strings.Intern(View(in.get_view()));
  };
  while (in.next()) {
    const ncu::Tag tag = in.tag();
    if (in.wire_type() == length_delimited) {
      if (tag == field.metric) {
        ReadMetric(View(in.get_view()), m);
      } else if (tag == field.section) {
        m.sections.push_back(ReadSection(View(in.get_view())));
      } else if (tag == field.rule) {
        m.rules.push_back(ReadRule(View(in.get_view())));
      } else if (tag == field.nvtx) {
        m.nvtx = ReadNvtx(View(in.get_view()));
      } else if (m.kind == MeasurementKind::kCommandList &&
                 tag == ncu::kCommandListDisplayName) {
        m.demangled_name = name();
      } else if (kernel) {
        switch (static_cast<ncu::KernelResult>(tag)) {
          using enum ncu::KernelResult;
          case kMangledName:
            m.mangled_name = name();
            break;
          case kFunctionName:
            m.function_name = name();
            break;
          case kDemangledName:
            m.demangled_name = name();
            break;
          case kRenamedName:
            m.renamed = name();
            break;
          case kGrid:
            m.grid = ReadDim3(View(in.get_view()));
            break;
          case kBlock:
            m.block = ReadDim3(View(in.get_view()));
            break;
          default:
            in.skip();
        }
      } else {
        in.skip();
      }
    } else if (in.wire_type() == varint) {
      const std::uint64_t number = in.get_uint64();
      if (tag == field.thread) m.thread = number;
      if (tag == field.api_call) m.api_call = number;
      if (tag == field.context) m.context = number;
      if (tag == field.stream) m.stream = number;
      if (tag == field.green) m.uses_green_context = number != 0;
    } else {
      in.skip();
    }
    if (tag > ncu::kLargestKnownResultField) NoteUnknown("result", tag);
  }
  if (m.demangled_name == StringId{}) m.demangled_name = m.function_name;
}

void NcuDecoder::ReadMetric(std::string_view message, Measurement& m) {
  std::uint32_t name_id = 0;
  Value value;
  std::string_view rest;  // from the first instance on
  const auto note_rest = [&](std::string_view instance) {
    if (!rest.empty()) return;
    // The field's own tag and length lie before its content; any start that is
    // the same for equal messages will do as a key.
    rest = {instance.data(),
            static_cast<std::size_t>(message.data() + message.size() -
                                     instance.data())};
  };
  auto in = Open<ncu::MetricResult>(message);
  std::size_t instances = 0;
  while (in.next()) {
    using enum ncu::MetricResult;
    switch (in.tag_and_type()) {
      case tag_and_type(kNameId, varint):
        name_id = in.get_uint32();
        break;
      case tag_and_type(kValue, length_delimited):
        value = ReadValue(View(in.get_view()));
        break;
      case tag_and_type(kInstance, length_delimited):
        note_rest(View(in.get_view()));
        ++instances;
        break;
      default:
        if (Number(in.tag()) != ncu::kMetricCategory)
          NoteUnknown("metric", Number(in.tag()));
        in.skip();
    }
  }
  if (name_id >= strings_.size()) {
    notes_.Add(Severity::kDataLoss, "unnamed_metric",
               "a metric's name is not in the file's string table", where_);
    return;
  }
  const std::string_view name = profile_.strings[strings_[name_id]];
  if (name.starts_with(kBreakdown)) {
    if (const auto inputs = value.text())
      ReadBreakdown(name.substr(kBreakdown.size()), profile_.strings[*inputs]);
    return;
  }
  // Grown here, since a damaged string table ends its reading early.
  if (metric_of_.size() < strings_.size())
    metric_of_.resize(strings_.size(), kUnknownMetric);
  MetricId& metric = metric_of_[name_id];
  if (metric == kUnknownMetric) metric = profile_.InternMetric(name);
  if (sample_at_.size() <= Index(metric)) sample_at_.resize(Index(metric) + 1);
  std::uint32_t& at = sample_at_[Index(metric)];
  const Sample sample{.metric = metric, .kind = value.kind, .bits = value.bits};
  if (at != 0) {  // app-range repeats some once a pass: the last one counts
    profile_.samples[m.first_sample + at - 1] = sample;
    std::erase_if(m.instances,
                  [&](const InstanceRef& ref) { return ref.metric == metric; });
  } else {
    profile_.samples.push_back(sample);
    at = static_cast<std::uint32_t>(profile_.samples.size() - m.first_sample);
  }
  if (instances == 0) return;

  if (const auto known = lists_known_.find(rest); known != lists_known_.end()) {
    m.instances.push_back({.metric = metric, .list = known->second});
    return;
  }
  std::vector<Instance> list;
  list.reserve(instances);
  in = Open<ncu::MetricResult>(message);
  while (in.next()) {
    if (in.tag_and_type() !=
        tag_and_type(ncu::MetricResult::kInstance, length_delimited)) {
      in.skip();
      continue;
    }
    Instance instance;
    auto item = Open<ncu::MetricInstance>(View(in.get_view()));
    while (item.next()) {
      using enum ncu::MetricInstance;
      switch (item.tag_and_type()) {
        case tag_and_type(kCorrelationId, length_delimited): {
          instance.key = KeyOf(ReadValue(View(item.get_view())));
          break;
        }
        case tag_and_type(kCorrelationId, varint):
          instance.key = item.get_uint64();
          break;
        case tag_and_type(ncu::MetricInstance::kValue, length_delimited):
          instance.value = ReadValue(View(item.get_view()));
          break;
        default:
          item.skip();
      }
    }
    list.push_back(instance);
  }
  // Only now: a list that is damaged must not be known to the next result.
  const auto id = static_cast<std::uint32_t>(profile_.instance_lists.size());
  profile_.instance_lists.push_back(std::move(list));
  lists_known_.emplace(rest, id);
  m.instances.push_back({.metric = metric, .list = id});
}

Value NcuDecoder::ReadValue(std::string_view message) {
  Value value;
  auto in = Open<ncu::MetricValue>(message);
  while (in.next()) {
    using enum ncu::MetricValue;
    switch (in.tag_and_type()) {
      case tag_and_type(kString, length_delimited):
        value = Value::Text(profile_.strings.Intern(View(in.get_view())));
        break;
      case tag_and_type(kFloat, fixed32):
        value = Value::Number(static_cast<double>(in.get_float()));
        break;
      case tag_and_type(kDouble, fixed64):
        value = Value::Number(in.get_double());
        break;
      case tag_and_type(kUint32, varint):
        value = Value::Integer(in.get_uint32());
        break;
      case tag_and_type(kUint64, varint):
        value = Value::Integer(in.get_uint64());
        break;
      default:
        NoteUnknown("metric value", Number(in.tag()));
        in.skip();
    }
  }
  return value;
}

void NcuDecoder::ReadBreakdown(std::string_view metric,
                               std::string_view inputs) {
  const MetricId throughput = profile_.InternMetric(metric);
  if (!profile_.metrics[Index(throughput)].breakdown.empty()) return;
  for (const std::string& input : Split(inputs, ',')) {
    if (Trim(input).empty()) continue;
    const MetricId id = profile_.InternMetric(Trim(input));
    profile_.metrics[Index(throughput)].breakdown.push_back(id);
  }
}

NvtxStateId NcuDecoder::ReadNvtx(std::string_view message) {
  const auto [known, is_new] = nvtx_known_.try_emplace(
      message, static_cast<NvtxStateId>(profile_.nvtx_states.size()));
  if (is_new) {
    try {
      profile_.nvtx_states.push_back(
          DecodeNvtxState(message, profile_.strings));
    } catch (const protozero::exception&) {
      nvtx_known_.erase(known);
      throw;
    }
  }
  return known->second;
}

std::uint32_t NcuDecoder::ReadSection(std::string_view message) {
  const auto [known, is_new] = sections_known_.try_emplace(
      message, static_cast<std::uint32_t>(profile_.sections.size()));
  if (is_new) {
    try {
      profile_.sections.push_back(DecodeSection(message, profile_));
    } catch (const protozero::exception&) {
      sections_known_.erase(known);
      throw;
    }
  }
  return known->second;
}

std::uint32_t NcuDecoder::ReadRule(std::string_view message) {
  profile_.rules.push_back(DecodeRule(message, profile_.strings));
  return static_cast<std::uint32_t>(profile_.rules.size() - 1);
}

void NcuDecoder::SetDevice(Measurement& m) {
  // A range lists the device of each launch; a kernel has one value.
  for (const char* name :
       {"launch__device_id", "device__attribute_device_index"}) {
    const auto metric = profile_.FindMetric(name);
    if (!metric) continue;
    const auto set = [&](Value value) {
      const auto number = value.number();
      if (!number || *number < 0 || *number > 1e6) return false;
      m.device = static_cast<std::int32_t>(*number);
      return true;
    };
    for (const InstanceRef& ref : m.instances) {
      if (ref.metric != *metric) continue;
      const std::vector<Instance>& list = profile_.instance_lists[ref.list];
      if (!list.empty() && set(list.front().value)) return;
    }
    if (set(profile_.ValueOf(m, *metric))) return;
  }
}

void NcuDecoder::Finish(std::size_t file_bytes) {
  Artifact& artifact = profile_.artifacts.back();
  artifact.bytes = file_bytes;
  const std::string mode = WordAfter(artifact.command_line, "--replay-mode");
  for (std::size_t i = first_measurement_; i < profile_.measurements.size();
       ++i) {
    Measurement& m = profile_.measurements[i];
    if (m.kind == MeasurementKind::kRange) {
      m.mode = mode == "app-range" ? ReplayMode::kAppRange : ReplayMode::kRange;
    } else {
      m.mode = mode == "application" ? ReplayMode::kApplication
                                     : ReplayMode::kKernel;
    }
  }
}

void NcuDecoder::NoteUnknown(std::string_view message, std::uint32_t field) {
  notes_.Add(Severity::kInfo, "unknown_field",
             fmt::format("field {} of a {} message is not known to this build "
                         "and left out",
                         field, message),
             where_);
}

}  // namespace rangefinder
