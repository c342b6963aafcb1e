// From any bytes to the profile of a trace: must come to an end, whatever they
// are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "ingest/trace_reader.h"
#include "wire/checksum.h"
#include "wire/trace_format.h"

namespace rangefinder::testing {

// Checksums would keep a fuzzer out: makes them right, of the header and of
// every block that has its magic.
inline void MakeChecksumsRight(std::string& bytes) {
  if (bytes.size() < wire::kPageSize) bytes.resize(wire::kPageSize);
  wire::FixedHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::memcpy(header.magic, wire::kTraceMagic, sizeof header.magic);
  header.version = wire::kTraceVersion;
  header.byte_order = wire::kByteOrder;
  header.header_size = wire::kPageSize;
  header.checksum =
      wire::Checksum(&header, offsetof(wire::FixedHeader, checksum));
  std::memcpy(bytes.data(), &header, sizeof header);
  for (std::size_t at = wire::kPageSize;
       at + sizeof(wire::BlockHeader) <= bytes.size(); at += wire::kPageSize) {
    wire::BlockHeader block;
    std::memcpy(&block, bytes.data() + at, sizeof block);
    if (block.magic != wire::kBlockMagic) continue;
    block.state = wire::BlockState::kOpen;
    block.words = 0;
    block.identity = block.checksum = 0;
    block.identity = wire::Checksum(&block, sizeof block);
    std::memcpy(bytes.data() + at, &block, sizeof block);
  }
}

// Whether the bytes were a trace.
inline bool TraceOfAnyBytes(std::string_view bytes) {
  Notes notes;
  return ReadRangefinderTrace({.path = "trace", .bytes = bytes}, notes).ok();
}

}  // namespace rangefinder::testing
