#include "ingest/ncu/ncu_nvtx.h"

#include <algorithm>

#include <fmt/format.h>

#include "ingest/ncu/ncu_fields.h"

// One function a message; they throw protozero::exception on malformed input.

namespace rangefinder {
namespace {

using ncu::Bytes;
using ncu::Each;
using ncu::Fields;
using ncu::Into;
using ncu::Text;

std::string ReadPayload(std::string_view message) {
  std::string text;
  std::uint32_t type = 0;
  const auto print = [&](auto value) { text = fmt::format("{}", value); };
  using enum ncu::NvtxPayload;
  const Fields fields{
      Into(kType, type),
      Each<std::uint64_t>(kUint64, print),
      Each<std::int64_t>(kInt64, print),
      Each<double>(kDouble, print),
      Each<std::uint32_t>(kUint32, print),
      Each<std::int32_t>(kInt32, print),
      Each<float>(kFloat, print),
      Into(kString, text),
  };
  fields.Read(message);
  return type == 0 ? std::string() : text;
}

void ReadAttributes(std::string_view message, StringPool& strings,
                    NvtxRange& range) {
  using enum ncu::NvtxAttributes;
  const Fields fields{
      Into(kCategory, range.category),
      Each(kColor,
           [&](Bytes color) {
             Fields{Into(ncu::NvtxColor::kArgb, range.color)}.Read(color);
           }),
      Each(kPayload,
           [&](Bytes payload) {
             range.payload = strings.Intern(ReadPayload(payload));
           }),
  };
  fields.Read(message);
}

NvtxRange ReadPushPop(std::string_view message, StringPool& strings) {
  NvtxRange range;
  using enum ncu::NvtxPushPop;
  const Fields fields{
      Text(kName, strings, range.name),
      Each(kAttributes,
           [&](Bytes attributes) {
             ReadAttributes(attributes, strings, range);
           }),
      Into(kLastApiCall, range.order),
      Into(kId, range.id),
  };
  fields.Read(message);
  return range;
}

NvtxStartEnd ReadStartEnd(std::string_view message, StringPool& strings) {
  NvtxStartEnd open;
  using enum ncu::NvtxStartEnd;
  const Fields fields{
      Into(kId, open.range.id),
      Text(kName, strings, open.range.name),
      Each(kAttributes,
           [&](Bytes attributes) {
             ReadAttributes(attributes, strings, open.range);
           }),
      Into(kLastApiCall, open.range.order),
      Into(kStartThread, open.thread),
  };
  fields.Read(message);
  return open;
}

NvtxDomain ReadDomain(std::string_view message, StringPool& strings) {
  NvtxDomain domain;
  using enum ncu::NvtxDomain;
  const Fields fields{
      Into(kId, domain.id),
      Text(kName, strings, domain.name),
  };
  fields.Read(message);
  return domain;
}

// The index of the domain with this id, added when the state does not list it.
std::uint32_t DomainIndex(NvtxState& state, std::uint64_t id) {
  const auto known = std::ranges::find(state.domains, id, &NvtxDomain::id);
  const auto index = known - state.domains.begin();
  if (known == state.domains.end()) state.domains.push_back({.id = id});
  return static_cast<std::uint32_t>(index);
}

// What one thread has open in one domain.
void ReadStack(std::string_view message, StringPool& strings,
               NvtxState& state) {
  NvtxStack stack;
  std::uint64_t domain = 0;
  using enum ncu::NvtxPushPopDomain;
  const Fields fields{
      Into(kDomainId, domain),
      Each(kRange,
           [&](Bytes range) {
             stack.ranges.push_back(ReadPushPop(range, strings));
           }),
  };
  fields.Read(message);
  if (stack.ranges.empty()) return;  // a domain with nothing open
  stack.domain = DomainIndex(state, domain);
  state.stacks.push_back(std::move(stack));
}

void ReadThread(std::string_view message, StringPool& strings,
                NvtxState& state) {
  std::uint64_t thread = 0;
  const std::size_t first = state.stacks.size();
  using enum ncu::NvtxThread;
  const Fields fields{
      Into(kThreadId, thread),
      Each(kPushPopDomain,
           [&](Bytes domain) { ReadStack(domain, strings, state); }),
  };
  fields.Read(message);
  for (std::size_t i = first; i < state.stacks.size(); ++i)
    state.stacks[i].thread = thread;
}

void ReadStartEnds(std::string_view message, StringPool& strings,
                   NvtxState& state) {
  std::uint64_t domain = 0;
  std::vector<NvtxStartEnd> open;
  using enum ncu::NvtxStartEndDomain;
  const Fields fields{
      Into(kDomainId, domain),
      Each(kRange,
           [&](Bytes range) { open.push_back(ReadStartEnd(range, strings)); }),
  };
  fields.Read(message);
  for (NvtxStartEnd& range : open) {
    range.domain = DomainIndex(state, domain);
    state.start_end.push_back(range);
  }
}

}  // namespace

NvtxState DecodeNvtxState(std::string_view message, StringPool& strings) {
  NvtxState state;
  std::uint64_t default_domain = 0;
  using enum ncu::NvtxState;
  const Fields fields{
      Each(kDomain,
           [&](Bytes domain) {
             state.domains.push_back(ReadDomain(domain, strings));
           }),
      Each(kThread, [&](Bytes thread) { ReadThread(thread, strings, state); }),
      Each(kStartEndDomain,
           [&](Bytes domain) { ReadStartEnds(domain, strings, state); }),
      Into(kDefaultDomain, default_domain),
      Each<std::uint64_t>(
          kPushPopScope,
          [&](std::uint64_t process) { state.process_scope = process != 0; }),
  };
  fields.Read(message);
  // ncu writes "<default domain>" as its name; for us it has none.
  for (NvtxDomain& domain : state.domains) {
    if (domain.id == default_domain) domain.name = StringId{};
  }
  return state;
}

}  // namespace rangefinder
