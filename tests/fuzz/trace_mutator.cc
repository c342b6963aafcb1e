#include "tests/fuzz/trace_mutator.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "tests/fuzz/dice.h"
#include "wire/checksum.h"
#include "wire/trace_format.h"

namespace rangefinder::testing {
namespace {

using Record = std::vector<std::uint64_t>;

struct Block {
  wire::BlockHeader header{};
  std::vector<Record> records{};
};

struct File {
  std::string page{};  // the first
  std::vector<Block> blocks{};
};

// The number of words after the first word of a record.
std::size_t Follow(wire::BlockKind kind, std::uint64_t head) {
  switch (kind) {
    case wire::BlockKind::kEvents:
      return wire::kEventWords[head & 0xF];
    case wire::BlockKind::kNames:
      return head >> 32;
    case wire::BlockKind::kGpu:
      return head >> 4 & 0xFF;
    case wire::BlockKind::kSamples:
    case wire::BlockKind::kCounts:
      break;
  }
  return head >> 16 & 0xFFFF;
}

// The head of a record that states a wrong number of words.
std::uint64_t HeadOf(wire::BlockKind kind, const Record& record) {
  const std::uint64_t words = record.size() - 1;
  switch (kind) {
    case wire::BlockKind::kEvents:
      return record[0];
    case wire::BlockKind::kNames:
      return (record[0] & 0xFFFFFFFF) | words << 32;
    case wire::BlockKind::kGpu:
      return (record[0] & ~0xFF0ULL) | (words & 0xFF) << 4;
    case wire::BlockKind::kSamples:
    case wire::BlockKind::kCounts:
      break;
  }
  return (record[0] & ~0xFFFF0000ULL) | (words & 0xFFFF) << 16;
}

std::vector<Record> RecordsOf(wire::BlockKind kind, const Record& words) {
  std::vector<Record> records;
  for (std::size_t at = 0; at < words.size() && words[at] != 0;) {
    const std::size_t size =
        std::min(Follow(kind, words[at]), words.size() - at - 1) + 1;
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
    records.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
    at += size;
  }
  return records;
}

std::optional<File> Parse(std::string_view bytes) {
  if (bytes.size() < wire::kPageSize) return std::nullopt;
  File file;
  file.page = bytes.substr(0, wire::kPageSize);
  for (std::size_t at = wire::kPageSize;
       at + sizeof(wire::BlockHeader) <= bytes.size();) {
    wire::BlockHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    if (header.magic != wire::kBlockMagic ||
        header.size % wire::kPageSize != 0 || header.size == 0) {
      at += wire::kPageSize;
      continue;
    }
    const std::size_t size =
        std::min<std::size_t>(header.size, bytes.size() - at);
    Record words((size - sizeof header) / 8);
    std::copy_n(bytes.data() + at + sizeof header, words.size() * 8,
                reinterpret_cast<char*>(words.data()));
    if (header.state == wire::BlockState::kSealed &&
        header.words < words.size())
      words.resize(header.words);
    file.blocks.push_back({header, RecordsOf(header.kind, words)});
    at += size;
  }
  if (file.blocks.empty()) return std::nullopt;
  return file;
}

void MakeHeaderRight(std::string& bytes) {
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
}

std::string Write(const File& file) {
  std::string bytes = file.page;
  for (const Block& block : file.blocks) {
    Record words;
    for (const Record& record : block.records)
      words.insert(words.end(), record.begin(), record.end());
    wire::BlockHeader header = block.header;
    const std::size_t used = sizeof header + words.size() * 8;
    const std::size_t size =
        (used + wire::kPageSize - 1) / wire::kPageSize * wire::kPageSize;
    header.size = static_cast<std::uint32_t>(size);
    header.state = wire::BlockState::kOpen;
    header.words = 0;
    header.identity = header.checksum = 0;
    header.identity = wire::Checksum(&header, sizeof header);
    header.state = block.header.state;
    if (header.state == wire::BlockState::kSealed) {
      header.words = static_cast<std::uint32_t>(words.size());
      header.checksum = wire::Checksum(words.data(), words.size() * 8);
    }
    const std::size_t at = bytes.size();
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at, &header, sizeof header);
    if (!words.empty()) {
      std::memcpy(bytes.data() + at + sizeof header, words.data(),
                  words.size() * 8);
    }
  }
  MakeHeaderRight(bytes);
  return bytes;
}

void ChangeRecord(Block& block, Dice& dice) {
  Record& record = dice.Pick(block.records);
  switch (dice.Roll(6)) {
    case 0:  // another kind
      record[0] = (record[0] & ~0xFULL) | dice.Roll(16);
      return;
    case 1:  // another operand, whichever bits it has
      record[0] ^= 1ULL << (4 + dice.Roll(60));
      return;
    case 2:  // what another record says there
      if (const Record& other = dice.Pick(block.records);
          record.size() > 1 && other.size() > 1)
        record[1 + dice.Roll(record.size() - 1)] =
            other[1 + dice.Roll(other.size() - 1)];
      return;
    case 3:  // more or fewer words
      if (dice.OneIn(2) && record.size() > 1)
        record.pop_back();
      else
        record.resize(record.size() + dice.Roll(8) + 1, dice.Number(0));
      record[0] = HeadOf(block.header.kind, record);
      return;
    default: {
      if (record.size() < 2) return;
      std::uint64_t& word = record[1 + dice.Roll(record.size() - 1)];
      // Numbers, doubles, and pairs of numbers.
      const auto low = static_cast<std::uint32_t>(word);
      switch (dice.Roll(4)) {
        case 0:
          word = std::bit_cast<std::uint64_t>(
              dice.Real(std::bit_cast<double>(word)));
          return;
        case 1:
          word = dice.Number(word);
          return;
        case 2:
          word = (word & ~0xFFFFFFFFULL) | (dice.Number(low) & 0xFFFFFFFF);
          return;
        default:
          word = dice.Number(word >> 32) << 32 | low;
          return;
      }
    }
  }
}

void ChangeBlockHeader(wire::BlockHeader& header, Dice& dice) {
  switch (dice.Roll(6)) {
    case 0:
      header.kind = static_cast<wire::BlockKind>(dice.Roll(8));
      return;
    case 1:
      header.stream = static_cast<std::uint32_t>(dice.Number(header.stream));
      return;
    case 2:
      header.sequence =
          static_cast<std::uint32_t>(dice.Number(header.sequence));
      return;
    case 3:
      header.thread = dice.Number(header.thread);
      return;
    case 4:
      header.opened.ticks = dice.Number(header.opened.ticks);
      return;
    default:
      header.state = static_cast<wire::BlockState>(dice.Roll(3));
      return;
  }
}

// The page has a header with a checksum, and one without.
void ChangePage(std::string& page, Dice& dice) {
  wire::FixedHeader fixed;
  std::memcpy(&fixed, page.data(), sizeof fixed);
  switch (dice.Roll(6)) {
    case 0:
      fixed.clock = static_cast<wire::Clock>(dice.Roll(3));
      break;
    case 1:
      fixed.run = static_cast<std::uint32_t>(dice.Roll(3));
      break;
    case 2:
      fixed.rank = static_cast<std::int32_t>(dice.Number(0));
      break;
    case 3:
      fixed.second.ticks = dice.Number(fixed.first.ticks);
      break;
    default:
      page[wire::kLiveHeaderOffset + dice.Roll(sizeof(wire::LiveHeader))] =
          static_cast<char>(dice.Roll(256));
      return;
  }
  std::memcpy(page.data(), &fixed, sizeof fixed);
}

}  // namespace

void MakeChecksumsRight(std::string& bytes) {
  MakeHeaderRight(bytes);
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

std::string ChangedTrace(std::string_view trace, std::uint32_t seed) {
  auto file = Parse(trace);
  if (!file) return std::string(trace);
  Dice dice(seed);
  for (std::size_t i = dice.Roll(4) + 1; i > 0; --i) {
    Block& block = dice.Pick(file->blocks);
    switch (dice.Roll(12)) {
      case 0:
        ChangeList(file->blocks, dice, 64);
        if (file->blocks.empty()) return std::string(trace);
        break;
      case 1:
        ChangeBlockHeader(block.header, dice);
        break;
      case 2:
        ChangePage(file->page, dice);
        break;
      case 3:
      case 4:
      case 5:
        ChangeList(block.records, dice);
        break;
      default:
        if (!block.records.empty()) ChangeRecord(block, dice);
    }
  }
  std::string bytes = Write(*file);
  if (dice.OneIn(16)) bytes.resize(dice.Roll(bytes.size() + 1));
  return bytes;
}

std::string ShortTrace(std::string_view trace, std::size_t records) {
  auto file = Parse(trace);
  if (!file) return std::string(trace);
  for (Block& block : file->blocks) {
    // All other blocks need the names.
    if (block.header.kind != wire::BlockKind::kNames &&
        block.records.size() > records)
      block.records.resize(records);
  }
  return Write(*file);
}

}  // namespace rangefinder::testing
