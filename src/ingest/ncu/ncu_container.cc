#include "ingest/ncu/ncu_container.h"

#include <cstring>

#include <fmt/format.h>

#include "ingest/ncu/ncu_fields.h"

namespace rangefinder {
namespace {

using ncu::Fields;
using ncu::Into;

constexpr std::string_view kContainerMagic("NVR\0", 4);

// Takes `u32 n; n bytes` at `at`; nothing if the file ends before.
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

// Returns the payload's size. Throws protozero::exception on malformed input.
std::uint64_t ReadBlockHeader(std::string_view message, NcuBlock& block) {
  std::uint64_t payload_size = 0;
  using enum ncu::BlockHeader;
  const Fields fields{
      Into(kNumSources, block.sources),
      Into(kNumResults, block.kernels),
      Into(kNumRangeResults, block.ranges),
      Into(kNumCommandListResults, block.command_lists),
      Into(kNumGraphResults, block.graphs),
      Into(kSessionDetails, block.session),
      Into(kStringTable, block.strings),
      Into(kPayloadSize, payload_size),
      Into(kProcessInfo, block.process),
  };
  fields.Read(message);
  return payload_size;
}

}  // namespace

Result<NcuContainer> NcuContainer::Open(std::string_view bytes) {
  NcuContainer container(bytes);
  if (!bytes.starts_with(kContainerMagic)) {
    return Error(ErrorCode::kCorrupt,
                 "not an Nsight Compute report: it does not begin with NVR");
  }
  container.at_ = kContainerMagic.size();
  const auto header = TakePrefixed(bytes, container.at_);
  if (!header) {
    return Error(ErrorCode::kCorrupt,
                 "truncated: the file ends inside its header");
  }
  try {
    Fields{Into(ncu::FileHeader::kVersion, container.version_)}.Read(*header);
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
  // No block has an empty header, but zeros that a full disk or an incomplete
  // copy leaves look like one. Blocks behind the zeros are not searched for.
  if (header->empty())
    return damaged("zeros where a block should begin; the rest is left out");
  std::uint64_t payload_size = 0;
  try {
    payload_size = ReadBlockHeader(*header, block);
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
