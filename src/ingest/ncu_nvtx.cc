#include "ingest/ncu_nvtx.h"

#include <algorithm>

#include <fmt/format.h>

#include "ingest/ncu_message.h"

namespace rangefinder {
namespace {

using ncu::Open;
using ncu::View;
using protozero::tag_and_type;
using enum protozero::pbf_wire_type;

std::string ReadPayload(std::string_view message) {
  std::string text;
  std::uint32_t type = 0;
  auto in = Open<ncu::NvtxPayload>(message);
  while (in.next()) {
    using enum ncu::NvtxPayload;
    switch (in.tag_and_type()) {
      case tag_and_type(kType, varint):
        type = in.get_uint32();
        break;
      case tag_and_type(kUint64, varint):
        text = fmt::format("{}", in.get_uint64());
        break;
      case tag_and_type(kInt64, varint):
        text = fmt::format("{}", in.get_int64());
        break;
      case tag_and_type(kDouble, fixed64):
        text = fmt::format("{}", in.get_double());
        break;
      case tag_and_type(kUint32, varint):
        text = fmt::format("{}", in.get_uint32());
        break;
      case tag_and_type(kInt32, varint):
        text = fmt::format("{}", in.get_int32());
        break;
      case tag_and_type(kFloat, fixed32):
        text = fmt::format("{}", in.get_float());
        break;
      case tag_and_type(kString, length_delimited):
        text = in.get_string();
        break;
      default:
        in.skip();
    }
  }
  return type == 0 ? std::string() : text;
}

void ReadAttributes(std::string_view message, StringPool& strings,
                    NvtxRange& range) {
  auto in = Open<ncu::NvtxAttributes>(message);
  while (in.next()) {
    using enum ncu::NvtxAttributes;
    switch (in.tag_and_type()) {
      case tag_and_type(kCategory, varint):
        range.category = in.get_uint32();
        break;
      case tag_and_type(kColor, length_delimited): {
        auto color = Open<ncu::NvtxColor>(View(in.get_view()));
        while (color.next()) {
          if (color.tag_and_type() ==
              tag_and_type(ncu::NvtxColor::kArgb, varint))
            range.color = color.get_uint32();
          else
            color.skip();
        }
        break;
      }
      case tag_and_type(kPayload, length_delimited):
        range.payload = strings.Intern(ReadPayload(View(in.get_view())));
        break;
      default:
        in.skip();
    }
  }
}

NvtxRange ReadPushPop(std::string_view message, StringPool& strings) {
  NvtxRange range;
  auto in = Open<ncu::NvtxPushPop>(message);
  while (in.next()) {
    using enum ncu::NvtxPushPop;
    switch (in.tag_and_type()) {
      case tag_and_type(kName, length_delimited):
        range.name = strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kAttributes, length_delimited):
        ReadAttributes(View(in.get_view()), strings, range);
        break;
      case tag_and_type(kLastApiCall, varint):
        range.order = in.get_uint64();
        break;
      case tag_and_type(kId, varint):
        range.id = in.get_uint64();
        break;
      default:
        in.skip();
    }
  }
  return range;
}

NvtxStartEnd ReadStartEnd(std::string_view message, StringPool& strings) {
  NvtxStartEnd open;
  auto in = Open<ncu::NvtxStartEnd>(message);
  while (in.next()) {
    using enum ncu::NvtxStartEnd;
    switch (in.tag_and_type()) {
      case tag_and_type(kId, varint):
        open.range.id = in.get_uint64();
        break;
      case tag_and_type(kName, length_delimited):
        open.range.name = strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kAttributes, length_delimited):
        ReadAttributes(View(in.get_view()), strings, open.range);
        break;
      case tag_and_type(kLastApiCall, varint):
        open.range.order = in.get_uint64();
        break;
      case tag_and_type(kStartThread, varint):
        open.thread = in.get_uint64();
        break;
      default:
        in.skip();
    }
  }
  return open;
}

// The index of the domain with this id, added when the state does not list it.
std::uint32_t DomainIndex(NvtxState& state, std::uint64_t id) {
  const auto known = std::ranges::find(state.domains, id, &NvtxDomain::id);
  const auto index = known - state.domains.begin();
  if (known == state.domains.end()) state.domains.push_back({.id = id});
  return static_cast<std::uint32_t>(index);
}

void ReadThread(std::string_view message, StringPool& strings,
                NvtxState& state) {
  std::uint64_t thread = 0;
  auto in = Open<ncu::NvtxThread>(message);
  const std::size_t first = state.stacks.size();
  while (in.next()) {
    using enum ncu::NvtxThread;
    switch (in.tag_and_type()) {
      case tag_and_type(kThreadId, varint):
        thread = in.get_uint64();
        break;
      case tag_and_type(kPushPopDomain, length_delimited): {
        NvtxStack stack;
        std::uint64_t domain = 0;
        auto entry = Open<ncu::NvtxPushPopDomain>(View(in.get_view()));
        while (entry.next()) {
          using enum ncu::NvtxPushPopDomain;
          switch (entry.tag_and_type()) {
            case tag_and_type(kDomainId, varint):
              domain = entry.get_uint64();
              break;
            case tag_and_type(kRange, length_delimited):
              stack.ranges.push_back(
                  ReadPushPop(View(entry.get_view()), strings));
              break;
            default:
              entry.skip();
          }
        }
        if (stack.ranges.empty()) break;  // a domain with nothing open
        stack.domain = DomainIndex(state, domain);
        state.stacks.push_back(std::move(stack));
        break;
      }
      default:
        in.skip();
    }
  }
  for (std::size_t i = first; i < state.stacks.size(); ++i)
    state.stacks[i].thread = thread;
}

}  // namespace

NvtxState DecodeNvtxState(std::string_view message, StringPool& strings) {
  NvtxState state;
  std::uint64_t default_domain = 0;
  auto in = Open<ncu::NvtxState>(message);
  while (in.next()) {
    using enum ncu::NvtxState;
    switch (in.tag_and_type()) {
      case tag_and_type(kDomain, length_delimited): {
        NvtxDomain domain;
        auto entry = Open<ncu::NvtxDomain>(View(in.get_view()));
        while (entry.next()) {
          using enum ncu::NvtxDomain;
          switch (entry.tag_and_type()) {
            case tag_and_type(kId, varint):
              domain.id = entry.get_uint64();
              break;
            case tag_and_type(kName, length_delimited):
              domain.name = strings.Intern(View(entry.get_view()));
              break;
            default:
              entry.skip();
          }
        }
        state.domains.push_back(domain);
        break;
      }
      case tag_and_type(kThread, length_delimited):
        ReadThread(View(in.get_view()), strings, state);
        break;
      case tag_and_type(kStartEndDomain, length_delimited): {
        std::uint64_t domain = 0;
        std::vector<NvtxStartEnd> open;
        auto entry = Open<ncu::NvtxStartEndDomain>(View(in.get_view()));
        while (entry.next()) {
          using enum ncu::NvtxStartEndDomain;
          switch (entry.tag_and_type()) {
            case tag_and_type(kDomainId, varint):
              domain = entry.get_uint64();
              break;
            case tag_and_type(kRange, length_delimited):
              open.push_back(ReadStartEnd(View(entry.get_view()), strings));
              break;
            default:
              entry.skip();
          }
        }
        for (NvtxStartEnd& range : open) {
          range.domain = DomainIndex(state, domain);
          state.start_end.push_back(range);
        }
        break;
      }
      case tag_and_type(kDefaultDomain, varint):
        default_domain = in.get_uint64();
        break;
      case tag_and_type(kPushPopScope, varint):
        state.process_scope = in.get_uint64() != 0;
        break;
      default:
        in.skip();
    }
  }
  // ncu writes "<default domain>" as its name; for us it has none.
  for (NvtxDomain& domain : state.domains) {
    if (domain.id == default_domain) domain.name = StringId{};
  }
  return state;
}

}  // namespace rangefinder
