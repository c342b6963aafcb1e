#include "ingest/ncu_decoder.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/text.h"
#include "ingest/ncu_message.h"
#include "ingest/ncu_nvtx.h"
#include "ingest/ncu_sections.h"
#include "ingest/ncu_session.h"

// Functions of this file throw protozero::exception on malformed input, up to
// the public ones, which catch it.

namespace rangefinder {
namespace {

using ncu::Number;
using ncu::Open;
using ncu::View;
using protozero::tag_and_type;
using enum protozero::pbf_wire_type;

constexpr MetricId kUnknownMetric{0xFFFFFFFF};
constexpr std::string_view kBreakdown = "breakdown:";

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

}  // namespace

NcuDecoder::NcuDecoder(Profile& profile, std::string path, Notes& notes)
    : profile_(profile),
      path_(std::move(path)),
      place_{.notes = notes},
      first_measurement_(profile.measurements.size()) {
  profile_.artifacts.push_back({.path = path_, .format = "ncu-rep"});
  profile_.processes.push_back({});
}

void NcuDecoder::BeginBlock(const NcuBlock& block) {
  place_.where = fmt::format("{}: block {}", path_, block.number);
  const auto guarded = [&](std::string_view what, std::string_view message,
                           auto read) {
    if (message.empty()) return;
    try {
      read(message);
    } catch (const protozero::exception& e) {
      place_.notes.Add(Severity::kDataLoss, "damaged_message",
                       fmt::format("{} is damaged ({})", what, e.what()),
                       place_.where);
    }
  };
  guarded("a string table", block.strings, [&](std::string_view message) {
    ncu::DecodeStrings(message, profile_.strings, strings_);
  });
  guarded("session data", block.session, [&](std::string_view message) {
    ncu::DecodeSession(message, profile_, place_);
  });
  guarded("process data", block.process, [&](std::string_view message) {
    process_ = ncu::DecodeProcess(message, profile_, place_);
  });
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
    place_.notes.Add(
        Severity::kDataLoss, "damaged_result",
        fmt::format("a result is damaged and left out ({})", e.what()),
        place_.where);
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
    place_.notes.Add(Severity::kDataLoss, "damaged_result",
                     "a result is empty and left out", place_.where);
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
    if (tag > ncu::kLargestKnownResultField) place_.NoteUnknown("result", tag);
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
          place_.NoteUnknown("metric", Number(in.tag()));
        in.skip();
    }
  }
  if (name_id >= strings_.size()) {
    place_.notes.Add(Severity::kDataLoss, "unnamed_metric",
                     "a metric's name is not in the file's string table",
                     place_.where);
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
  const std::string mode = ncu::ReplayModeOn(artifact.command_line);
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

}  // namespace rangefinder
