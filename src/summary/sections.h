// The container of a summary: a magic, then sections, each with its kind, a
// head as it is, a body that zstd has compressed, and a checksum of both.
//
//   "RFSUM" 0 u16 version
//   section: char[4] kind, u32 head bytes, u64 body bytes, u64 stored bytes,
//            u32 CRC-32 of the 24 bytes before, the head and the stored body
//
// All integers lie lowest byte first. The last section is "END ": a file
// without one was cut. Of unknown kinds a reader knows where they end.

#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rangefinder {

inline constexpr std::string_view kSummaryMagic{"RFSUM\0", 6};
inline constexpr std::uint16_t kSummaryVersion = 1;

// The kinds; four bytes each.
inline constexpr std::string_view kAboutSection = "ABOU";
inline constexpr std::string_view kTotalsSection = "TOTL";
inline constexpr std::string_view kTreeSection = "TREE";
inline constexpr std::string_view kRankSection = "RANK";
inline constexpr std::string_view kEndSection = "END ";

// By the first bytes alone.
bool IsSummary(std::string_view bytes);

// A section in a file's bytes, which it borrows.
struct SummarySection {
  std::string_view kind{};
  std::string_view head{};
  std::string_view stored{};  // compressed
  std::string_view whole{};   // with what is before it: can be copied
  std::uint64_t size = 0;     // of the body
};

struct SummarySections {
  std::vector<SummarySection> all{};  // in order, those with a right checksum
  std::string damage{};               // what ends them early; empty: nothing
};

// kCorrupt where it is no summary or no section is left, kUnsupported where it
// is of a later version.
Result<SummarySections> FindSections(std::string_view bytes);

// The section that `bytes` are, if they are one with a right checksum and
// nothing else.
std::optional<SummarySection> OneSection(std::string_view bytes);

// Its body. kCorrupt where it is damaged, or larger than any that is written.
Result<std::string> BodyOf(const SummarySection& section);

void WriteSummaryMagic(std::ostream& out);
void WriteSection(std::ostream& out, std::string_view kind,
                  std::string_view head, std::string_view body);

}  // namespace rangefinder
