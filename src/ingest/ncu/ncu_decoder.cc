#include "ingest/ncu/ncu_decoder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "profile/range_depth.h"

// The private functions throw protozero::exception on malformed input; the
// public functions catch it.

namespace rangefinder {
namespace {

using ncu::Bytes;
using ncu::Each;
using ncu::Into;
using ncu::ReadFields;
using ncu::Text;
using ncu::Unread;

Dim3 ReadDim3(std::string_view message) {
  Dim3 dim;
  using enum ncu::Uint64x3;
  ReadFields(message, Into(kX, dim.x), Into(kY, dim.y), Into(kZ, dim.z));
  return dim;
}

// The value of --replay-mode on the profiler's command line, or nothing.
std::string ReplayModeOn(std::string_view command_line) {
  constexpr std::string_view kOption = "--replay-mode";
  const std::vector<std::string> words = Split(command_line, ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == kOption && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(kOption) && words[i].size() > kOption.size() &&
        words[i][kOption.size()] == '=')
      return words[i].substr(kOption.size() + 1);
  }
  return {};
}

// Keeps the ranges that have a level, in order. Ranges of the same `name_of`
// share their levels. Returns how many ranges are left out.
template <typename Range, typename NameOf>
std::uint64_t KeepLevels(std::vector<Range>& all, NameOf name_of) {
  std::vector<Range> kept;
  for (Range& range : all) {
    const auto name = name_of(range);
    if (!IsTooDeep(kept,
                   [&](const Range& other) { return name_of(other) == name; }))
      kept.push_back(std::move(range));
  }
  const std::uint64_t left_out = all.size() - kept.size();
  all = std::move(kept);
  return left_out;
}

}  // namespace

void NcuDepth::LeaveOut(NvtxState& state) {
  std::uint64_t left_out = 0;
  for (NvtxStack& stack : state.stacks) {
    if (stack.ranges.size() <= kDeepestOfOneName) continue;
    std::map<Name, std::uint64_t> open;
    for (const NvtxRange& range : stack.ranges)
      ++open[{FrameKind::kPushPop, stack.thread,
              state.domains[stack.domain].name, range.name}];
    See(open);
    left_out += KeepLevels(stack.ranges,
                           [](const NvtxRange& range) { return range.name; });
  }
  if (state.start_end.size() > kDeepestOfOneName) {
    std::map<Name, std::uint64_t> open;
    for (const NvtxStartEnd& range : state.start_end)
      ++open[{FrameKind::kStartEnd, 0, state.domains[range.domain].name,
              range.range.name}];
    See(open);
    // Ids increase in the order of opening.
    std::ranges::stable_sort(state.start_end, {},
                             [](const auto& one) { return one.range.id; });
    left_out += KeepLevels(state.start_end, [](const NvtxStartEnd& one) {
      return std::pair(one.domain, one.range.name);
    });
  }
  most_left_out_ = std::max(most_left_out_, left_out);
}

void NcuDepth::See(const std::map<Name, std::uint64_t>& open) {
  for (const auto& [name, count] : open) {
    if (count <= kDeepestOfOneName) continue;
    std::uint64_t& most = most_open_[name];
    most = std::max(most, count);
  }
}

void NcuDepth::Finish(Profile& profile, Notes& notes,
                      std::string_view where) const {
  LeakFinder leaks;
  for (const auto& [key, count] : most_open_) {
    const auto& [kind, thread, domain, name] = key;
    leaks.Add(kind, thread, domain, name, count);
  }
  leaks.Finish(profile, most_left_out_, true, notes, where);
}

NcuDecoder::NcuDecoder(Profile& profile, std::string path, Notes& notes)
    : profile_(profile),
      path_(std::move(path)),
      place_{.notes = notes},
      metrics_(profile, strings_, place_) {
  profile_.artifacts.push_back({.path = path_, .format = "ncu-rep"});
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
    DecodeStrings(message, profile_.strings, strings_);
  });
  guarded("session data", block.session, [&](std::string_view message) {
    DecodeSession(message, profile_, seen_, place_);
  });
  guarded("process data", block.process, [&](std::string_view message) {
    process_ = DecodeProcess(message, profile_, seen_, place_);
  });
}

void NcuDecoder::AddResult(MeasurementKind kind, std::string_view message) {
  Measurement m;
  m.kind = kind;
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
  metrics_.EndResult(m);
  // A real result has at least one of these members. A damaged result without
  // them would become a measurement of a hundred times its size.
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
  // Until a block names a process, results are of a process without a name.
  if (!process_) process_ = DecodeProcess({}, profile_, seen_, place_);
  m.process = *process_;
  profile_.measurements.push_back(std::move(m));
}

void NcuDecoder::ReadResult(std::string_view message, Measurement& m) {
  const ncu::ResultFields& field = ncu::FieldsOf(m.kind);
  StringPool& strings = profile_.strings;
  ReadFields(
      message,
      Each(field.metric, [&](Bytes metric) { metrics_.Read(metric, m); }),
      Each(field.section,
           [&](Bytes section) {
             m.sections.push_back(ReadSection(section, m.sections.size()));
           }),
      Each(field.rule,
           [&](Bytes rule) {
             profile_.rules.push_back(DecodeRule(rule, strings));
             m.rules.push_back(
                 static_cast<std::uint32_t>(profile_.rules.size() - 1));
           }),
      Each(field.nvtx, [&](Bytes state) { m.nvtx = ReadNvtx(state); }),
      Text(field.mangled_name, strings, m.mangled_name),
      Text(field.function_name, strings, m.function_name),
      Text(field.demangled_name, strings, m.demangled_name),
      Each(field.grid, [&](Bytes grid) { m.grid = ReadDim3(grid); }),
      Each(field.block, [&](Bytes block) { m.block = ReadDim3(block); }),
      Into(field.thread, m.thread), Into(field.api_call, m.api_call),
      Into(field.context, m.context), Into(field.stream, m.stream),
      Unread{[&](ncu::Tag tag) {
        if (tag > ncu::kLargestKnownResultField)
          place_.NoteUnknown("result", tag);
      }});
  if (m.demangled_name == StringId{}) m.demangled_name = m.function_name;
}

NvtxStateId NcuDecoder::ReadNvtx(std::string_view message) {
  if (const auto known = nvtx_known_.find(message); known != nvtx_known_.end())
    return known->second;
  NvtxState state = DecodeNvtxState(message, profile_.strings);
  depth_.LeaveOut(state);
  const auto id = static_cast<NvtxStateId>(profile_.nvtx_states.size());
  profile_.nvtx_states.push_back(std::move(state));
  nvtx_known_.emplace(message, id);
  return id;
}

std::uint32_t NcuDecoder::ReadSection(std::string_view message,
                                      std::size_t place) {
  if (place >= last_sections_.size()) last_sections_.resize(place + 1);
  auto& [bytes, id] = last_sections_[place];
  if (bytes == message && !message.empty()) return id;
  auto known = sections_known_.find(message);
  if (known == sections_known_.end()) {
    const auto next = static_cast<std::uint32_t>(profile_.sections.size());
    profile_.sections.push_back(DecodeSection(message, profile_));
    known = sections_known_.emplace(message, next).first;
  }
  bytes = message;
  return id = known->second;
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
  depth_.Finish(profile_, place_.notes, path_);
  Artifact& artifact = profile_.artifacts.back();
  artifact.bytes = file_bytes;
  const std::string mode = ReplayModeOn(artifact.command_line);
  for (Measurement& m : profile_.measurements) {
    if (m.kind == MeasurementKind::kRange) {
      m.mode = mode == "app-range" ? ReplayMode::kAppRange : ReplayMode::kRange;
    } else {
      m.mode = mode == "application" ? ReplayMode::kApplication
                                     : ReplayMode::kKernel;
    }
  }
}

}  // namespace rangefinder
