// Arbitrary bytes as a trace. Checksums would keep a fuzzer out, so they are
// made right first: of the header, and of every block that has its magic.

#include <cstdint>
#include <cstring>
#include <string>

#include "ingest/trace_reader.h"
#include "wire/checksum.h"
#include "wire/trace_format.h"

namespace {

using namespace rangefinder;

void MakeRight(std::string& bytes) {
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size > 0 && (data[0] & 1) == 0) MakeRight(bytes);
  Notes notes;
  const auto profile =
      ReadRangefinderTrace({.path = "trace", .bytes = bytes}, notes);
  return profile.ok() ? 0 : 0;
}
