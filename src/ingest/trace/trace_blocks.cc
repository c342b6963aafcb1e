#include "ingest/trace/trace_blocks.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "ingest/compressed.h"
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
      : input_(input), trace_(trace), notes_(notes) {}

  // Fills the trace's streams and names. Returns the clock pairs of all blocks.
  std::vector<wire::ClockPair> ReadBlocks() {
    std::size_t at = trace_.header.header_size;
    while (at < input_.bytes.size()) at += ReadBlock(at);
    NoteZeros();
    TraceBlocks names;
    for (auto& [key, stream] : streams_) {
      Sort(stream.blocks, key.first == BlockKind::kGpu);
      if (key.first == BlockKind::kEvents) {
        trace_.threads.push_back(std::move(stream));
        continue;
      }
      TraceBlocks& to = key.first == BlockKind::kNames     ? names
                        : key.first == BlockKind::kGpu     ? trace_.gpu
                        : key.first == BlockKind::kSamples ? trace_.samples
                                                           : trace_.counts;
      to.insert(to.end(), stream.blocks.begin(), stream.blocks.end());
    }
    // A name takes at least two words. Names that did not fit on the disk have
    // ids as well.
    const std::size_t most_ids = input_.bytes.size() / 8 + 65536;
    ReadNames(names, most_ids, trace_.names, notes_, input_.path);
    return std::move(pairs_);
  }

 private:
  void Note(std::string_view kind, std::string_view text, std::size_t at,
            bool of_gpu = true) {
    Damage(of_gpu);
    notes_.Add(Severity::kDataLoss, kind, text,
               fmt::format("{}: byte {}", input_.path, at));
  }

  void Damage(bool of_gpu) {
    trace_.is_damaged = true;
    trace_.gpu_is_damaged |= of_gpu;
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
    const std::string_view part = input_.bytes.substr(at, kAtOnce);
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
    const auto threads = std::ranges::count(
        streams_, BlockKind::kEvents,
        [](const auto& stream) { return stream.first.first; });
    const std::size_t never_begun =
        live.state == wire::RunState::kEnded
            ? 0
            : kLargestBlock * static_cast<std::size_t>(
                                  std::max<std::ptrdiff_t>(1, threads));
    if (zeros_ <= never_begun || live.dropped_events > 0) return;
    Note("zeroed_blocks",
         fmt::format("{} KiB of the trace are zeros: records that stood there "
                     "are lost",
                     zeros_ / 1024),
         first_zeros_);
  }

  // Reads the block at `at`, and returns its size in bytes.
  std::size_t ReadBlock(std::size_t at) {
    const std::size_t left = input_.bytes.size() - at;
    if (left < sizeof(BlockHeader)) {
      Note("truncated_file", "the trace ends in the middle of a block", at);
      return left;
    }
    const auto header = Load<BlockHeader>(input_.bytes, at);
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
          wire::Checksum(input_.bytes.data() + words_at,
                         std::size_t{header.words} * 8) != header.checksum) {
        Note("damaged_block", "a part of the trace is damaged and left out", at,
             header.kind == BlockKind::kGpu);
        return room;
      }
      words = std::min<std::size_t>(words, header.words);
    }
    Place(header, TraceWords(input_.bytes.data() + words_at, words));
    return room;
  }

  void Place(const BlockHeader& header, TraceWords words) {
    pairs_.push_back(header.opened);
    if (header.kind < BlockKind::kEvents || header.kind > BlockKind::kCounts) {
      notes_.Add(Severity::kDataLoss, "unknown_block",
                 fmt::format("blocks of kind {} are not known to this version",
                             static_cast<int>(header.kind)),
                 input_.path);
      return;
    }
    const auto [stream, is_new] =
        streams_.try_emplace({header.kind, header.stream});
    if (is_new) stream->second.thread = header.thread;
    stream->second.blocks.push_back(
        {header.sequence, header.opened.ticks, words});
  }

  void Sort(TraceBlocks& blocks, bool of_gpu) {
    std::ranges::sort(blocks, {}, &TraceBlock::sequence);
    std::uint32_t expected = 0;
    for (const TraceBlock& block : blocks) {
      if (block.sequence != expected) {
        Damage(of_gpu);
        notes_.Add(Severity::kDataLoss, "missing_block",
                   "a block of the trace is missing", input_.path);
      }
      expected = block.sequence + 1;
    }
  }

  const ReaderInput& input_;
  Trace& trace_;
  Notes& notes_;
  std::map<std::pair<BlockKind, std::uint32_t>, TraceStream> streams_{};
  std::vector<wire::ClockPair> pairs_{};
  std::size_t zeros_ = 0;        // bytes in pages of zeros
  std::size_t first_zeros_ = 0;  // offset of the first such page
};

Result<wire::FixedHeader> ReadHeader(std::string_view bytes) {
  if (!IsTrace(bytes)) {
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

// Pairs nearer than this are not used: the uncertainty of each pair (some tens
// of ns) would become an error of the rate.
constexpr std::uint64_t kNearNs = 5000000;

std::uint64_t Shift(std::uint64_t ns, double by) {
  // A damaged file must not make a double that no integer can hold.
  constexpr double kFar = 4e18;
  return ns + static_cast<std::uint64_t>(
                  static_cast<std::int64_t>(std::clamp(by, -kFar, kFar)));
}

}  // namespace

TraceClock::TraceClock(std::vector<wire::ClockPair> pairs) {
  std::ranges::sort(pairs, {}, &wire::ClockPair::ticks);
  std::vector<wire::ClockPair> kept;
  for (const wire::ClockPair& pair : pairs) {
    // If CLOCK_REALTIME does not increase, it has been set back in between.
    if (kept.empty() ||
        (pair.ticks > kept.back().ticks &&
         pair.realtime_ns >= kept.back().realtime_ns + kNearNs)) {
      kept.push_back(pair);
    }
  }
  // A program of a few milliseconds has only the pairs at its start and end.
  if (kept.size() == 1 && pairs.back().ticks > kept[0].ticks &&
      pairs.back().realtime_ns > kept[0].realtime_ns) {
    kept.push_back(pairs.back());
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    Segment segment{kept[i].ticks, kept[i].realtime_ns, 1};
    if (i + 1 < kept.size()) {
      segment.rate =
          static_cast<double>(kept[i + 1].realtime_ns - kept[i].realtime_ns) /
          static_cast<double>(kept[i + 1].ticks - kept[i].ticks);
    } else if (!segments_.empty()) {
      segment.rate = segments_.back().rate;
    }
    segments_.push_back(segment);
  }
}

std::uint64_t TraceClock::Ns(std::uint64_t ticks, std::size_t& hint) const {
  if (segments_.empty()) return ticks;
  const auto holds = [&](std::size_t i) {
    return (i == 0 || segments_[i].ticks <= ticks) &&
           (i + 1 == segments_.size() || ticks < segments_[i + 1].ticks);
  };
  if (hint >= segments_.size() || !holds(hint)) {
    if (hint + 1 < segments_.size() && holds(hint + 1)) {
      ++hint;
    } else {
      const auto above =
          std::ranges::upper_bound(segments_, ticks, {}, &Segment::ticks);
      hint = above == segments_.begin()
                 ? 0
                 : static_cast<std::size_t>(above - segments_.begin()) - 1;
    }
  }
  const Segment& segment = segments_[hint];
  const auto distance = static_cast<std::int64_t>(ticks - segment.ticks);
  return Shift(segment.ns, static_cast<double>(distance) * segment.rate);
}

std::optional<int> RankOfTrace(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes(sizeof(wire::FixedHeader), '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  if (IsCompressed(bytes)) {
    const auto stored = ReadFile(path);
    if (!stored.ok()) return std::nullopt;
    auto whole = DecompressZstd(stored.value());
    if (!whole.ok()) return std::nullopt;
    bytes = std::move(whole.value().bytes);
  }
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
  if (bytes.size() < trace.header.header_size)
    return Error(ErrorCode::kCorrupt, "the trace ends in its header");
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
    ForEachEvent(stream.blocks, [&](const TraceEvent& event) {
      if (event.kind == wire::Event::kClock)
        pairs.push_back({event.extra, event.more});
    });
  }
  trace.clock = TraceClock(std::move(pairs));
  return trace;
}

}  // namespace rangefinder
