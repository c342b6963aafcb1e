#include "ingest/ncu_container.h"

#include <cstring>

#include <fmt/format.h>
#include <protozero/pbf_message.hpp>

#include "ingest/ncu_schema.h"

namespace rangefinder {
namespace {

using protozero::pbf_message;
using protozero::tag_and_type;
using enum protozero::pbf_wire_type;

constexpr std::string_view kMagic("NVR\0", 4);

std::string_view View(protozero::data_view view) {
  return {view.data(), view.size()};
}

// Takes `u32 n; n bytes` at `at`; nothing when the file ends before.
std::optional<std::string_view> TakePrefixed(std::string_view bytes,
                                             std::size_t& at) {
  if (bytes.size() - at < sizeof(std::uint32_t)) return std::nullopt;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + at, sizeof length);
  if (bytes.size() - at - sizeof length < length) return std::nullopt;
  const std::string_view message = bytes.substr(at + sizeof length, length);
  at += sizeof length + length;
  return message;
}

// Throws protozero::exception on malformed input.
std::uint64_t ReadBlockHeader(pbf_message<ncu::BlockHeader> in,
                              NcuBlock& block) {
  std::uint64_t payload_size = 0;
  while (in.next()) {
    using enum ncu::BlockHeader;
    switch (in.tag_and_type()) {
      case tag_and_type(kNumSources, varint):
        block.sources = in.get_uint32();
        break;
      case tag_and_type(kNumResults, varint):
        block.kernels = in.get_uint32();
        break;
      case tag_and_type(kNumRangeResults, varint):
        block.ranges = in.get_uint32();
        break;
      case tag_and_type(kNumCommandListResults, varint):
        block.command_lists = in.get_uint32();
        break;
      case tag_and_type(kNumGraphResults, varint):
        block.graphs = in.get_uint32();
        break;
      case tag_and_type(kSessionDetails, length_delimited):
        block.session = View(in.get_view());
        break;
      case tag_and_type(kStringTable, length_delimited):
        block.strings = View(in.get_view());
        break;
      case tag_and_type(kPayloadSize, varint):
        payload_size = in.get_uint64();
        break;
      case tag_and_type(kProcessInfo, length_delimited):
        block.process = View(in.get_view());
        break;
      default:
        in.skip();
    }
  }
  return payload_size;
}

}  // namespace

Result<NcuContainer> NcuContainer::Open(std::string_view bytes) {
  NcuContainer container(bytes);
  if (!bytes.starts_with(kMagic)) {
    return Error(ErrorCode::kCorrupt,
                 "not an Nsight Compute report: it does not begin with NVR");
  }
  container.at_ = kMagic.size();
  const auto header = TakePrefixed(bytes, container.at_);
  if (!header) {
    return Error(ErrorCode::kCorrupt,
                 "truncated: the file ends inside its header");
  }
  try {
    pbf_message<ncu::FileHeader> in(header->data(), header->size());
    while (in.next()) {
      if (in.tag_and_type() == tag_and_type(ncu::FileHeader::kVersion, varint))
        container.version_ = in.get_uint32();
      else
        in.skip();
    }
  } catch (const protozero::exception& e) {
    return Error(ErrorCode::kCorrupt,
                 fmt::format("damaged: the file header: {}", e.what()));
  }
  return container;
}

std::optional<NcuBlock> NcuContainer::Next() {
  if (at_ == bytes_.size() || !damage_.empty()) return std::nullopt;
  NcuBlock block;
  block.number = next_number_++;
  block.offset = at_;
  const auto damaged = [&](std::string_view how) {
    damage_ =
        fmt::format("block {} at byte {}: {}", block.number, block.offset, how);
    return std::nullopt;
  };
  const auto header = TakePrefixed(bytes_, at_);
  if (!header) return damaged("the file ends inside the block's header");
  std::uint64_t payload_size = 0;
  try {
    payload_size = ReadBlockHeader({header->data(), header->size()}, block);
  } catch (const protozero::exception& e) {
    return damaged(fmt::format("the block's header is damaged ({})", e.what()));
  }
  block.cut = payload_size > bytes_.size() - at_;
  block.payload =
      bytes_.substr(at_, block.cut ? std::string_view::npos : payload_size);
  at_ += block.payload.size();
  if (block.cut) {
    damage_ = fmt::format(
        "block {} at byte {}: the file ends {} bytes before the block's end",
        block.number, block.offset, payload_size - block.payload.size());
  }
  return block;
}

std::optional<std::string_view> NextMessage(std::string_view& payload) {
  std::size_t at = 0;
  const auto message = TakePrefixed(payload, at);
  if (message) payload.remove_prefix(at);
  return message;
}

}  // namespace rangefinder
