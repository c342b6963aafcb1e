#include "tests/support/rep_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <protozero/pbf_builder.hpp>
#include <zstd.h>

#include "ingest/ncu/ncu_fields.h"
#include "tests/support/profile_builder.h"

namespace rangefinder::testing {
namespace {

using protozero::pbf_builder;
using protozero::pbf_writer;

void AddPrefixed(std::string& out, std::string_view message) {
  const auto length = static_cast<std::uint32_t>(message.size());
  char prefix[sizeof length];
  std::memcpy(prefix, &length, sizeof length);
  out.append(prefix, sizeof prefix);
  out.append(message);
}

class RepWriter {
 public:
  RepWriter(const Profile& profile, const RepOptions& options)
      : profile_(profile), options_(options) {}

  std::string Write() {
    out_.assign("NVR\0", 4);
    std::string header;
    pbf_builder<ncu::FileHeader>(header).add_uint32(ncu::FileHeader::kVersion,
                                                    options_.version);
    AddPrefixed(out_, header);
    WriteSessionBlock();
    const auto& all = profile_.measurements;
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin + 1;
      while (end < all.size() && end - begin < options_.results_per_block &&
             all[end].kind == all[begin].kind &&
             all[end].process == all[begin].process)
        ++end;
      WriteResultBlock(begin, end);
      begin = end;
    }
    return std::move(out_);
  }

 private:
  void WriteSessionBlock() {
    std::string header;
    pbf_builder<ncu::BlockHeader> block(header);
    {
      pbf_builder<ncu::Session> session(block,
                                        ncu::BlockHeader::kSessionDetails);
      for (const auto& [name, version] : options_.versions) {
        pbf_builder<ncu::VersionInfo> info(session, ncu::Session::kVersionInfo);
        info.add_string(ncu::VersionInfo::kProvider, name);
        info.add_string(ncu::VersionInfo::kVersion, version);
      }
      for (const Device& device : profile_.devices) {
        pbf_builder<ncu::DeviceAttributes> attributes(
            session, ncu::Session::kDeviceAttributes);
        attributes.add_uint32(ncu::DeviceAttributes::kId,
                              static_cast<std::uint32_t>(device.index));
        AddText(attributes, ncu::DeviceAttributes::kName, device.name);
      }
      session.add_string(ncu::Session::kProfilerCommandLine,
                         options_.command_line);
    }
    {
      pbf_builder<ncu::StringTable> strings(block,
                                            ncu::BlockHeader::kStringTable);
      for (std::size_t i = 0; i < profile_.metrics.size(); ++i)
        AddText(strings, ncu::StringTable::kString, profile_.metrics[i].name);
      strings.add_string(ncu::StringTable::kString, "launch__device_id");
      for (std::size_t i = 0; i < profile_.metrics.size(); ++i) {
        strings.add_string(ncu::StringTable::kString,
                           "breakdown:" + std::string(profile_.MetricName(
                                              static_cast<MetricId>(i))));
      }
    }
    block.add_uint64(ncu::BlockHeader::kPayloadSize, 0);
    AddPrefixed(out_, header);
  }

  void WriteResultBlock(std::size_t begin, std::size_t end) {
    std::string payload;
    std::uint32_t sources = 0;
    if (sources_written_ < options_.sources) {
      // The SASS, field 2 of SourceData.
      std::string source;
      pbf_writer(source).add_bytes(2, std::string(options_.source_bytes, 'S'));
      AddPrefixed(payload, source);
      ++sources_written_;
      sources = 1;
    }
    for (std::size_t i = begin; i < end; ++i)
      AddPrefixed(payload, Result(profile_.measurements[i]));
    const Measurement& first = profile_.measurements[begin];
    const Process& process = profile_.processes[Index(first.process)];
    const auto count = static_cast<std::uint32_t>(end - begin);
    std::string header;
    pbf_builder<ncu::BlockHeader> block(header);
    block.add_uint32(ncu::BlockHeader::kNumSources, sources);
    switch (first.kind) {
      case MeasurementKind::kKernel:
        block.add_uint32(ncu::BlockHeader::kNumResults, count);
        break;
      case MeasurementKind::kRange:
        block.add_uint32(ncu::BlockHeader::kNumRangeResults, count);
        break;
      case MeasurementKind::kCommandList:
        block.add_uint32(ncu::BlockHeader::kNumCommandListResults, count);
        break;
      case MeasurementKind::kGraph:
        block.add_uint32(ncu::BlockHeader::kNumGraphResults, count);
        break;
    }
    {
      pbf_builder<ncu::ProcessInfo> info(block, ncu::BlockHeader::kProcessInfo);
      info.add_uint64(ncu::ProcessInfo::kProcessId, process.pid);
      AddText(info, ncu::ProcessInfo::kHostname, process.host);
      AddText(info, ncu::ProcessInfo::kProcessName, process.name);
    }
    block.add_uint64(ncu::BlockHeader::kPayloadSize, payload.size());
    AddPrefixed(out_, header);
    out_ += payload;
  }

  std::string Result(const Measurement& m) {
    const ncu::ResultFields& field = ncu::FieldsOf(m.kind);
    std::string message;
    pbf_writer out(message);
    out.add_uint64(field.thread, m.thread);
    out.add_uint64(field.api_call, m.api_call);
    out.add_uint64(field.context, m.context);
    if (field.stream != 0) out.add_uint64(field.stream, m.stream);
    const auto name = [&](ncu::Tag tag, StringId text) {
      if (tag != 0) AddText(out, tag, text);
    };
    name(field.mangled_name, m.mangled_name);
    name(field.function_name, m.function_name);
    name(field.demangled_name, m.demangled_name);
    if (m.kind == MeasurementKind::kKernel) {
      AddDim(out, field.grid, m.grid);
      AddDim(out, field.block, m.block);
    }
    for (const Sample& sample : profile_.SamplesOf(m)) {
      pbf_builder<ncu::MetricResult> metric(
          out, static_cast<ncu::MetricResult>(field.metric));
      metric.add_uint32(ncu::MetricResult::kNameId,
                        static_cast<std::uint32_t>(Index(sample.metric)));
      AddValue(metric, ncu::MetricResult::kValue, sample.value());
      for (const InstanceRef& ref : m.instances) {
        if (ref.metric == sample.metric) AddInstances(metric, ref.list);
      }
    }
    // As a kernel has it; told by no sample of the profile.
    if (m.device >= 0) {
      pbf_builder<ncu::MetricResult> metric(
          out, static_cast<ncu::MetricResult>(field.metric));
      metric.add_uint32(ncu::MetricResult::kNameId,
                        static_cast<std::uint32_t>(profile_.metrics.size()));
      AddValue(metric, ncu::MetricResult::kValue,
               Value::Integer(static_cast<std::uint64_t>(m.device)));
    }
    AddBreakdowns(out, field.metric);
    for (const std::uint32_t section : m.sections)
      AddSection(out, field.section, profile_.sections[section]);
    for (const std::uint32_t rule : m.rules)
      AddRule(out, field.rule, profile_.rules[rule]);
    AddNvtx(out, field.nvtx, profile_.nvtx_states[Index(m.nvtx)]);
    return message;
  }

  template <typename Writer, typename Tag>
  void AddText(Writer& out, Tag tag, StringId text) {
    const std::string_view bytes = profile_.Name(text);
    out.add_string(tag, protozero::data_view(bytes.data(), bytes.size()));
  }

  static void AddDim(pbf_writer& out, ncu::Tag tag, const Dim3& dim) {
    pbf_builder<ncu::Uint64x3> message(out, static_cast<ncu::Uint64x3>(tag));
    message.add_uint64(ncu::Uint64x3::kX, dim.x);
    message.add_uint64(ncu::Uint64x3::kY, dim.y);
    message.add_uint64(ncu::Uint64x3::kZ, dim.z);
  }

  template <typename Parent>
  void AddValue(pbf_builder<Parent>& parent, Parent tag, Value value) {
    if (value.kind == ValueKind::kAbsent) return;
    pbf_builder<ncu::MetricValue> out(parent, tag);
    if (const auto text = value.text())
      AddText(out, ncu::MetricValue::kString, *text);
    else if (value.kind == ValueKind::kInteger)
      out.add_uint64(ncu::MetricValue::kUint64, value.bits);
    else
      out.add_double(ncu::MetricValue::kDouble,
                     std::bit_cast<double>(value.bits));
  }

  void AddInstances(pbf_builder<ncu::MetricResult>& metric,
                    std::uint32_t list) {
    for (const Instance& instance : profile_.instance_lists[list]) {
      pbf_builder<ncu::MetricInstance> out(metric,
                                           ncu::MetricResult::kInstance);
      AddValue(out, ncu::MetricInstance::kCorrelationId,
               Value::Integer(instance.key));
      AddValue(out, ncu::MetricInstance::kValue, instance.value);
    }
  }

  void AddBreakdowns(pbf_writer& out, ncu::Tag tag) {
    for (std::size_t i = 0; i < profile_.metrics.size(); ++i) {
      std::string inputs;
      for (const MetricId input : profile_.metrics[i].breakdown) {
        if (!inputs.empty()) inputs += ',';
        inputs += profile_.MetricName(input);
      }
      if (inputs.empty()) continue;
      pbf_builder<ncu::MetricResult> metric(
          out, static_cast<ncu::MetricResult>(tag));
      metric.add_uint32(
          ncu::MetricResult::kNameId,
          static_cast<std::uint32_t>(profile_.metrics.size() + 1 + i));
      pbf_builder<ncu::MetricValue> value(metric, ncu::MetricResult::kValue);
      value.add_string(ncu::MetricValue::kString, inputs);
    }
  }

  void AddSection(pbf_writer& out, ncu::Tag tag, const Section& section) {
    pbf_builder<ncu::Section> message(out, static_cast<ncu::Section>(tag));
    AddText(message, ncu::Section::kIdentifier, section.identifier);
    AddText(message, ncu::Section::kDisplayName, section.display_name);
    message.add_int64(ncu::Section::kOrder, section.order);
    pbf_builder<ncu::SectionHeader> header(message, ncu::Section::kHeader);
    for (const Section::Row& row : section.header) {
      pbf_builder<ncu::SectionMetric> metric(header,
                                             ncu::SectionHeader::kMetric);
      metric.add_string(ncu::SectionMetric::kName,
                        std::string(profile_.MetricName(row.metric)));
      AddText(metric, ncu::SectionMetric::kLabel, row.label);
    }
  }

  void AddRule(pbf_writer& out, ncu::Tag tag, const RuleResult& rule) {
    pbf_builder<ncu::RuleResult> message(out,
                                         static_cast<ncu::RuleResult>(tag));
    AddText(message, ncu::RuleResult::kIdentifier, rule.identifier);
    AddText(message, ncu::RuleResult::kDisplayName, rule.display_name);
    AddText(message, ncu::RuleResult::kSection, rule.section);
    pbf_builder<ncu::RuleBody> body(message, ncu::RuleResult::kBody);
    for (const RuleResult::Message& said : rule.messages) {
      pbf_builder<ncu::RuleItem> item(body, ncu::RuleBody::kItem);
      pbf_builder<ncu::RuleMessage> text(item, ncu::RuleItem::kMessage);
      AddText(text, ncu::RuleMessage::kText, said.text);
      text.add_uint32(ncu::RuleMessage::kType,
                      static_cast<std::uint32_t>(said.kind));
      AddText(text, ncu::RuleMessage::kName, said.title);
    }
    if (rule.speedup) {
      pbf_builder<ncu::RuleItem> item(body, ncu::RuleBody::kItem);
      pbf_builder<ncu::RuleSpeedup> speedup(item, ncu::RuleItem::kSpeedup);
      speedup.add_uint32(ncu::RuleSpeedup::kType, rule.speedup->global ? 2 : 1);
      speedup.add_double(ncu::RuleSpeedup::kPercent, rule.speedup->percent);
    }
  }

  void AddNvtx(pbf_writer& out, ncu::Tag tag, const NvtxState& state) {
    pbf_builder<ncu::NvtxState> message(out, static_cast<ncu::NvtxState>(tag));
    for (const NvtxDomain& domain : state.domains) {
      pbf_builder<ncu::NvtxDomain> info(message, ncu::NvtxState::kDomain);
      info.add_uint64(ncu::NvtxDomain::kId, domain.id);
      if (domain.id == 0)
        info.add_string(ncu::NvtxDomain::kName, "<default domain>");
      else
        AddText(info, ncu::NvtxDomain::kName, domain.name);
    }
    std::vector<std::uint64_t> threads;
    for (const NvtxStack& stack : state.stacks) {
      if (std::ranges::find(threads, stack.thread) == threads.end())
        threads.push_back(stack.thread);
    }
    for (const std::uint64_t thread : threads) {
      pbf_builder<ncu::NvtxThread> entry(message, ncu::NvtxState::kThread);
      entry.add_uint64(ncu::NvtxThread::kThreadId, thread);
      for (const NvtxStack& stack : state.stacks) {
        if (stack.thread != thread) continue;
        pbf_builder<ncu::NvtxPushPopDomain> domain(
            entry, ncu::NvtxThread::kPushPopDomain);
        domain.add_uint64(ncu::NvtxPushPopDomain::kDomainId,
                          state.domains[stack.domain].id);
        for (const NvtxRange& range : stack.ranges) {
          pbf_builder<ncu::NvtxPushPop> open(domain,
                                             ncu::NvtxPushPopDomain::kRange);
          AddText(open, ncu::NvtxPushPop::kName, range.name);
          open.add_uint64(ncu::NvtxPushPop::kLastApiCall, range.order);
          open.add_uint64(ncu::NvtxPushPop::kId, range.id);
        }
      }
    }
    for (const NvtxStartEnd& range : state.start_end) {
      pbf_builder<ncu::NvtxStartEndDomain> domain(
          message, ncu::NvtxState::kStartEndDomain);
      domain.add_uint64(ncu::NvtxStartEndDomain::kDomainId,
                        state.domains[range.domain].id);
      pbf_builder<ncu::NvtxStartEnd> open(domain,
                                          ncu::NvtxStartEndDomain::kRange);
      open.add_uint64(ncu::NvtxStartEnd::kId, range.range.id);
      AddText(open, ncu::NvtxStartEnd::kName, range.range.name);
      open.add_uint64(ncu::NvtxStartEnd::kLastApiCall, range.range.order);
      open.add_uint64(ncu::NvtxStartEnd::kStartThread, range.thread);
    }
    message.add_uint32(ncu::NvtxState::kPushPopScope, state.process_scope);
  }

  const Profile& profile_;
  const RepOptions& options_;
  std::string out_;
  std::size_t sources_written_ = 0;
};

}  // namespace

std::string BuildRep(const Profile& profile, const RepOptions& options) {
  return RepWriter(profile, options).Write();
}

std::string BuildRep(std::string_view text, const RepOptions& options) {
  return BuildRep(BuildProfile(text), options);
}

std::string CompressRep(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(),
                           ZSTD_CLEVEL_DEFAULT));
  return out;
}

}  // namespace rangefinder::testing
