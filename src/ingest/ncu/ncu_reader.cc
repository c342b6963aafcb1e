#include "ingest/ncu/ncu_reader.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"
#include "ingest/ncu/ncu_container.h"
#include "ingest/ncu/ncu_decoder.h"
#include "ingest/ncu/ncu_layout.h"
#include "ingest/trace/trace_reader.h"

namespace rangefinder {
namespace {

void NoteDamage(const std::string& path, std::string_view how, Notes& notes) {
  notes.Add(Severity::kDataLoss, "damaged_file",
            fmt::format("the file is truncated or damaged; the results before "
                        "the damage are in this report ({})",
                        how),
            path);
}

// Gives back the memory of the bytes that have been read, a MiB at a time.
class Forgetter {
 public:
  explicit Forgetter(const ReaderInput& input)
      : input_(input), kept_(input.bytes.data()) {}

  // Bytes before `here` will not be read again.
  void Passed(const char* here) {
    constexpr std::ptrdiff_t kPart = 1 << 20;
    if (!input_.forget || here - kept_ < kPart) return;
    input_.forget({kept_, static_cast<std::size_t>(here - kept_)});
    kept_ = here;
  }

 private:
  const ReaderInput& input_;
  const char* kept_;
};

// Reads the results of one block in file order. Returns whether all were there.
bool ReadPayload(const NcuBlock& block, Forgetter& forgetter,
                 NcuDecoder& decoder) {
  std::string_view rest = block.payload;
  const auto next = [&] {
    forgetter.Passed(rest.data());
    return NextMessage(rest);
  };
  for (std::uint32_t i = 0; i < block.sources; ++i) {
    if (!next()) return false;
  }
  const auto read = [&](std::uint32_t count, MeasurementKind kind) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto message = next();
      if (!message || message->empty()) return false;  // cut, or zeros
      decoder.AddResult(kind, *message);
    }
    return true;
  };
  return read(block.kernels, MeasurementKind::kKernel) &&
         read(block.ranges, MeasurementKind::kRange) &&
         read(block.command_lists, MeasurementKind::kCommandList) &&
         read(block.graphs, MeasurementKind::kGraph);
}

}  // namespace

Result<Decompressed> DecompressZstd(std::string_view compressed) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(
      ZSTD_createDStream(), ZSTD_freeDStream);
  if (stream == nullptr) throw std::bad_alloc();
  const std::size_t most =
      std::max<std::size_t>(64 << 20, compressed.size() * kMostExpansion);
  Decompressed out;
  ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
  std::size_t hint = 1;
  // When all input is taken, the last block may still hold output.
  while (in.pos < in.size || hint != 0) {
    const bool flushes = in.pos == in.size;
    const std::size_t had = out.bytes.size();
    out.bytes.resize(had + ZSTD_DStreamOutSize());
    ZSTD_outBuffer to{out.bytes.data() + had, out.bytes.size() - had, 0};
    hint = ZSTD_decompressStream(stream.get(), &to, &in);
    out.bytes.resize(had + to.pos);
    if (ZSTD_getErrorCode(hint) == ZSTD_error_memory_allocation)
      throw std::bad_alloc();
    if (flushes && (ZSTD_isError(hint) || to.pos == 0)) {
      out.damage = "the compressed stream ends early";
      break;
    }
    if (ZSTD_isError(hint)) {
      out.damage =
          fmt::format("the compressed stream is damaged at byte {}: {}", in.pos,
                      ZSTD_getErrorName(hint));
      break;
    }
    if (out.bytes.size() > most) {
      return Error(ErrorCode::kCorrupt,
                   fmt::format("compressed, and expands more than {}-fold",
                               kMostExpansion));
    }
  }
  if (out.bytes.empty()) {
    return Error(ErrorCode::kCorrupt,
                 out.damage.empty() ? "compressed, and empty" : out.damage);
  }
  return out;
}

bool IsNcuReport(std::string_view bytes) {
  return bytes.starts_with("NVR");
}

bool IsCompressedNcuReport(std::string_view bytes) {
  return bytes.starts_with("\x28\xB5\x2F\xFD");
}

Result<Profile> ReadNcuReport(const ReaderInput& input, Notes& notes) {
  NcuContainer container = TRY(NcuContainer::Open(input.bytes));
  if (container.version() > ncu::kNewestKnownVersion) {
    notes.Add(Severity::kWarning, "newer_format",
              fmt::format("the report's format is version {}; this version was "
                          "tested with {}, and leaves out unknown fields",
                          container.version(), ncu::kNewestKnownVersion),
              input.path);
  }
  Profile profile;
  NcuDecoder decoder(profile, input.path, notes);
  Forgetter forgetter(input);
  bool complete = true;
  while (const auto block = container.Next()) {
    decoder.BeginBlock(*block);
    if (!ReadPayload(*block, forgetter, decoder) && complete) {
      complete = false;
      if (container.damage().empty()) {
        NoteDamage(input.path,
                   fmt::format("block {} at byte {}: fewer results than its "
                               "header promises",
                               block->number, block->offset),
                   notes);
      }
    }
  }
  decoder.Finish(input.bytes.size());
  if (!container.damage().empty()) {
    if (profile.measurements.empty())
      return Error(
          ErrorCode::kCorrupt,
          "truncated or damaged, and nothing is left: " + container.damage());
    NoteDamage(input.path, container.damage(), notes);
  } else if (profile.measurements.empty() &&
             (!complete || decoder.damaged_results() > 0)) {
    return Error(ErrorCode::kCorrupt,
                 "damaged: none of its results can be read");
  }
  return profile;
}

Result<Profile> ReadCompressedNcuReport(const ReaderInput& input,
                                        Notes& notes) {
  const Decompressed plain = TRY(DecompressZstd(input.bytes));
  const bool is_trace = IsRangefinderTrace(plain.bytes);
  if (!is_trace && !IsNcuReport(plain.bytes)) {
    return Error(ErrorCode::kCorrupt,
                 plain.damage.empty()
                     ? "zstd-compressed, but neither an Nsight Compute report "
                       "nor a trace"
                     : plain.damage);
  }
  if (!plain.damage.empty()) NoteDamage(input.path, plain.damage, notes);
  const ReaderInput inner{.path = input.path, .bytes = plain.bytes};
  return is_trace ? ReadRangefinderTrace(inner, notes)
                  : ReadNcuReport(inner, notes);
}

}  // namespace rangefinder
