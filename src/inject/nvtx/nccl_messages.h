// The communicator and the message's size of NCCL's calls, which are in the
// payload of their ranges (NVIDIA/nccl, src/include/nvtx_payload_schemas.h).
//
// NCCL registers the layout of each payload once, before its first range.

#pragma once

#include <cstdint>

#include "inject/nvtx/nvtx_abi.h"

namespace rangefinder::inject {

struct NcclMessage {
  std::uint64_t communicator = 0;  // NCCL's hash, equal on all of its ranks
  std::uint64_t bytes = 0;
};

// Keeps the places of the two numbers in payloads of this layout, if the layout
// has both. Returns the number of the layout. The caller holds the lock of the
// names.
std::uint64_t LearnPayloadSchema(std::uint32_t domain,
                                 const nvtx::SchemaAttributes* schema);

// False: the payload is of another layout. Any thread, without a lock.
bool ReadNcclMessage(std::uint32_t domain,
                     const nvtx::EventAttributes& attributes,
                     NcclMessage& message);

}  // namespace rangefinder::inject
