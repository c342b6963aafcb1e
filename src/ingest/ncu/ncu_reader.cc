#include "ingest/ncu/ncu_reader.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "ingest/ncu/ncu_container.h"
#include "ingest/ncu/ncu_decoder.h"
#include "ingest/ncu/ncu_layout.h"

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

// Reads the results of one block in file order. Returns whether the block is
// complete.
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

bool IsNcuReport(std::string_view bytes) {
  return bytes.starts_with("NVR");
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

}  // namespace rangefinder
