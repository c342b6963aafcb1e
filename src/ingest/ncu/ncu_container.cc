#include "ingest/ncu/ncu_container.h"

#include <cstring>

#include <fmt/format.h>

#include "ingest/ncu/ncu_fields.h"

namespace rangefinder {
namespace {

using ncu::Into;
using ncu::ReadFields;

constexpr std::string_view kContainerMagic("NVR\0", 4);

// Returns the payload's size. Throws protozero::exception on malformed input.
std::uint64_t ReadBlockHeader(std::string_view message, NcuBlock& block) {
  std::uint64_t payload_size = 0;
  using enum ncu::BlockHeader;
  ReadFields(
      message, Into(kNumSources, block.sources),
      Into(kNumResults, block.kernels), Into(kNumRangeResults, block.ranges),
      Into(kNumCommandListResults, block.command_lists),
      Into(kNumGraphResults, block.graphs),
      Into(kSessionDetails, block.session), Into(kStringTable, block.strings),
      Into(kPayloadSize, payload_size), Into(kProcessInfo, block.process));
  return payload_size;
}

}  // namespace

Result<NcuContainer> NcuContainer::Open(std::string_view bytes) {
  NcuContainer container(bytes);
  if (!bytes.starts_with(kContainerMagic)) {
    return Error(ErrorCode::kCorrupt,
                 "not an Nsight Compute report: it does not begin with NVR");
  }
  container.rest_.remove_prefix(kContainerMagic.size());
  const auto header = NextMessage(container.rest_);
  if (!header) {
    return Error(ErrorCode::kCorrupt,
                 "truncated: the file ends inside its header");
  }
  try {
    ReadFields(*header, Into(ncu::FileHeader::kVersion, container.version_));
  } catch (const protozero::exception& e) {
    return Error(ErrorCode::kCorrupt,
                 fmt::format("damaged: the file header: {}", e.what()));
  }
  return container;
}

std::optional<NcuBlock> NcuContainer::Next() {
  if (rest_.empty() || !damage_.empty()) return std::nullopt;
  NcuBlock block;
  block.number = next_number_++;
  block.offset = file_bytes_ - rest_.size();
  const auto damaged = [&](std::string_view how) {
    damage_ =
        fmt::format("block {} at byte {}: {}", block.number, block.offset, how);
    return std::nullopt;
  };
  const auto header = NextMessage(rest_);
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
  block.payload = rest_.substr(0, payload_size);
  rest_.remove_prefix(block.payload.size());
  if (block.payload.size() < payload_size) {
    damaged(fmt::format("the file ends {} bytes before the block's end",
                        payload_size - block.payload.size()));
  }
  return block;
}

std::optional<std::string_view> NextMessage(std::string_view& bytes) {
  std::uint32_t length = 0;
  if (bytes.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, bytes.data(), sizeof length);
  if (bytes.size() - sizeof length < length) return std::nullopt;
  const std::string_view message = bytes.substr(sizeof length, length);
  bytes.remove_prefix(sizeof length + length);
  return message;
}

}  // namespace rangefinder
