#include "ingest/trace/trace_blocks.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "wire/checksum.h"

namespace rangefinder {
namespace {

using wire::BlockHeader;
using wire::BlockKind;
using wire::BlockState;

// The largest block that the injection library writes; the format allows more.
constexpr std::size_t kLargestBlock = 256 * 1024;

template <typename T>
T Load(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The text of a fixed field: it ends with a zero or with the field.
template <std::size_t kSize>
std::string Text(const char (&field)[kSize]) {
  return {field, strnlen(field, kSize)};
}

bool IsZeros(std::string_view bytes) {
  return bytes[0] == '\0' &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

bool IsBlock(BlockHeader header) {
  if (header.magic != wire::kBlockMagic || header.size < wire::kPageSize ||
      header.size > wire::kMaxBlock || header.size % wire::kPageSize != 0) {
    return false;
  }
  const std::uint64_t identity = header.identity;
  header.state = BlockState::kOpen;
  header.words = 0;
  header.identity = 0;
  header.checksum = 0;
  return wire::Checksum(&header, sizeof header) == identity;
}

class Framing {
 public:
  Framing(const ReaderInput& input, Trace& trace, Notes& notes)
      : bytes_(input.bytes),
        input_(input),
        trace_(trace),
        notes_(notes),
        where_(input.path) {}

  // Fills the trace's streams and names. Returns the clock pairs of all blocks.
  std::vector<wire::ClockPair> ReadBlocks() {
    std::size_t at = trace_.header.header_size;
    while (at < bytes_.size()) at += ReadBlock(at);
    NoteZeros();
    Sort(trace_.threads);
    Sort(trace_.gpu);
    Sort(trace_.samples);
    Sort(trace_.counts);
    Sort(names_);
    // A name takes at least two words. Names that did not fit on the disk have
    // ids as well.
    const std::size_t most_ids = bytes_.size() / 8 + 65536;
    for (const TraceStream& stream : names_) {
      for (const TraceBlock& block : stream.blocks) {
        ReadNames(block.words, most_ids, trace_.names, notes_, where_);
      }
    }
    return std::move(pairs_);
  }

 private:
  void Note(std::string_view kind, std::string_view text, std::size_t at) {
    notes_.Add(Severity::kDataLoss, kind, text,
               fmt::format("{}: byte {}", where_, at));
  }

  // The number of bytes from `at` on that are pages of zeros, at most 1 MiB.
  // Holes of any length are skipped unread.
  std::size_t ZerosFrom(std::size_t at) {
    const auto behind =
        std::ranges::upper_bound(input_.holes, at, {}, &FileHole::offset);
    if (behind != input_.holes.begin()) {
      const std::size_t end = (behind - 1)->offset + (behind - 1)->length;
      if (end >= at + wire::kPageSize)
        return (end - at) / wire::kPageSize * wire::kPageSize;
    }
    constexpr std::size_t kAtOnce = 1 << 20;
    const std::string_view part = bytes_.substr(at, kAtOnce);
    std::size_t zeros = 0;
    while (zeros < part.size() && IsZeros(part.substr(zeros, wire::kPageSize)))
      zeros = std::min(part.size(), zeros + wire::kPageSize);
    if (zeros == kAtOnce && input_.forget) input_.forget(part);
    return zeros;
  }

  // A block is all zeros if its space was allocated and it was never begun: the
  // program was killed at that moment (at most one block per thread), or the
  // disk was full (the trace says so). Other zeros are blocks that a failing
  // machine or an incomplete copy has lost.
  void NoteZeros() {
    const wire::LiveHeader& live = trace_.live;
    const std::size_t never_begun =
        live.state == wire::RunState::kEnded
            ? 0
            : kLargestBlock * std::max<std::size_t>(1, trace_.threads.size());
    if (zeros_ <= never_begun || live.dropped_events > 0) return;
    Note("zeroed_blocks",
         fmt::format("{} KiB of the trace are zeros: records that stood there "
                     "are lost",
                     zeros_ / 1024),
         first_zeros_);
  }

  // Reads the block at `at`, and returns its size in bytes.
  std::size_t ReadBlock(std::size_t at) {
    const std::size_t left = bytes_.size() - at;
    if (left < sizeof(BlockHeader)) {
      Note("truncated_file", "the trace ends in the middle of a block", at);
      return left;
    }
    const auto header = Load<BlockHeader>(bytes_, at);
    if (!IsBlock(header)) {
      if (const std::size_t zeros = ZerosFrom(at); zeros > 0) {
        if (zeros_ == 0) first_zeros_ = at;
        zeros_ += zeros;
        return zeros;
      }
      Note("damaged_block", "a part of the trace is damaged and left out", at);
      return std::min(left, wire::kPageSize);
    }
    std::size_t room = header.size;
    if (room > left) {
      Note("truncated_file", "the trace ends in the middle of a block", at);
      room = left;
    }
    const std::size_t words_at = at + sizeof header;
    std::size_t words = (room - sizeof header) / 8;
    if (header.state == BlockState::kSealed) {
      const bool whole = header.words <= words && room == header.size;
      if (whole &&
          wire::Checksum(bytes_.data() + words_at,
                         std::size_t{header.words} * 8) != header.checksum) {
        Note("damaged_block", "a part of the trace is damaged and left out",
             at);
        return room;
      }
      words = std::min<std::size_t>(words, header.words);
    }
    Place(header, TraceWords(bytes_.data() + words_at, words));
    return room;
  }

  void Place(const BlockHeader& header, TraceWords words) {
    const TraceBlock block{header.sequence, header.opened.ticks, words};
    pairs_.push_back(header.opened);
    switch (header.kind) {
      case BlockKind::kEvents:
        Add(trace_.threads, header, block);
        return;
      case BlockKind::kNames:
        Add(names_, header, block);
        return;
      case BlockKind::kGpu:
        Add(trace_.gpu, header, block);
        return;
      case BlockKind::kSamples:
        Add(trace_.samples, header, block);
        return;
      case BlockKind::kCounts:
        Add(trace_.counts, header, block);
        return;
    }
    notes_.Add(Severity::kDataLoss, "unknown_block",
               fmt::format("blocks of kind {} are not known to this version",
                           static_cast<int>(header.kind)),
               where_);
  }

  static void Add(std::vector<TraceStream>& streams, const BlockHeader& header,
                  const TraceBlock& block) {
    if (streams.empty() || streams.back().id != header.stream) {
      const auto there =
          std::ranges::find(streams, header.stream, &TraceStream::id);
      if (there == streams.end()) {
        streams.push_back({header.stream, header.thread, {block}});
      } else {
        there->blocks.push_back(block);
      }
      return;
    }
    streams.back().blocks.push_back(block);
  }

  void Sort(std::vector<TraceStream>& streams) {
    std::ranges::sort(streams, {}, &TraceStream::id);
    for (TraceStream& stream : streams) {
      std::ranges::sort(stream.blocks, {}, &TraceBlock::sequence);
      std::uint32_t expected = 0;
      for (const TraceBlock& block : stream.blocks) {
        if (block.sequence != expected) {
          notes_.Add(Severity::kDataLoss, "missing_block",
                     "a block of the trace is missing", where_);
        }
        expected = block.sequence + 1;
      }
    }
  }

  std::string_view bytes_;
  const ReaderInput& input_;
  Trace& trace_;
  Notes& notes_;
  std::string_view where_;
  std::vector<TraceStream> names_{};
  std::vector<wire::ClockPair> pairs_{};
  std::size_t zeros_ = 0;        // bytes in pages of zeros
  std::size_t first_zeros_ = 0;  // offset of the first such page
};

Result<wire::FixedHeader> ReadHeader(std::string_view bytes) {
  if (bytes.size() < sizeof(wire::kTraceMagic) || !IsTrace(bytes)) {
    return Error(ErrorCode::kCorrupt, "not a rangefinder trace");
  }
  if (bytes.size() < sizeof(wire::FixedHeader)) {
    return Error(ErrorCode::kCorrupt, "the trace ends in its header");
  }
  const auto header = Load<wire::FixedHeader>(bytes, 0);
  if (header.byte_order != wire::kByteOrder) {
    return Error(ErrorCode::kUnsupported,
                 "the trace was written on a machine of another byte order");
  }
  if (header.version != wire::kTraceVersion) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("trace format {} is not known to this version, "
                             "which reads {}",
                             header.version, wire::kTraceVersion));
  }
  if (wire::Checksum(&header, offsetof(wire::FixedHeader, checksum)) !=
          header.checksum ||
      header.header_size < wire::kPageSize ||
      header.header_size % wire::kPageSize != 0) {
    return Error(ErrorCode::kCorrupt, "the header of the trace is damaged");
  }
  return header;
}

}  // namespace

std::optional<int> RankOfTrace(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes(sizeof(wire::FixedHeader), '\0');
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    return std::nullopt;
  const auto header = ReadHeader(bytes);
  if (!header.ok() || header.value().rank < 0) return std::nullopt;
  return header.value().rank;
}

bool IsTrace(std::string_view first_bytes) {
  return first_bytes.starts_with(
      std::string_view(wire::kTraceMagic, sizeof wire::kTraceMagic));
}

Result<Trace> OpenTrace(const ReaderInput& input, Notes& notes) {
  const std::string_view bytes = input.bytes;
  Trace trace;
  trace.header = TRY(ReadHeader(bytes));
  if (bytes.size() >= wire::kLiveHeaderOffset + sizeof(wire::LiveHeader)) {
    trace.live = Load<wire::LiveHeader>(bytes, wire::kLiveHeaderOffset);
  }
  trace.executable = Text(trace.header.executable);
  trace.host = Text(trace.header.host);
  trace.command = Text(trace.header.command);
  trace.library = Text(trace.header.library);
  trace.reason = Text(trace.live.reason);
  trace.gpu_reason = Text(trace.live.gpu_reason);
  trace.sampling_reason = Text(trace.live.sampling_reason);
  trace.counting_reason = Text(trace.live.counting_reason);

  std::vector<wire::ClockPair> pairs =
      Framing(input, trace, notes).ReadBlocks();
  if (trace.header.clock == wire::Clock::kRealtime) return trace;
  pairs.push_back(trace.header.first);
  pairs.push_back(trace.header.second);
  if (trace.live.last.ticks != 0) pairs.push_back(trace.live.last);
  for (const TraceStream& stream : trace.threads) {
    for (const TraceBlock& block : stream.blocks) {
      ForEachEvent(block, [&](const TraceEvent& event) {
        if (event.kind == wire::Event::kClock)
          pairs.push_back({event.extra, event.more});
      });
    }
  }
  trace.clock = TraceClock(std::move(pairs));
  return trace;
}

}  // namespace rangefinder
