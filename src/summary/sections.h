// The container of a summary: a magic, then sections. A section has a kind, a
// plain head, a body compressed by zstd, and a checksum of both.
//
//   "RFSUM" 0 u16 version
//   section: char[4] kind, u32 head bytes, u64 body bytes, u64 stored bytes,
//            u32 CRC-32 of the 24 bytes before, the head and the stored body
//
// All integers lie lowest byte first. The last section is "END ": a file
// without it was cut. A reader can step over sections of unknown kinds.

#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "summary/exact_total.h"

namespace rangefinder {

// ---- Bytes of a body -------------------------------------------------------

// Numbers and texts as the bytes of a section, and back: integers as LEB128
// varints, signed ones zigzag, reals as eight bytes, lowest first.
//
// A list is its length, then column after column: equal values lie together and
// compress well.

class ByteWriter {
 public:
  void Number(Wide number);
  void Signed(std::int64_t number);
  void Real(double number);
  void Text(std::string_view text);
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_{};
};

// Past the end and for invalid numbers it gives 0, and damaged() from then on.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  Wide WideNumber();
  std::uint64_t Number();
  // An index or enumerator below `end`; otherwise 0 and damage.
  std::uint32_t Below(std::uint64_t end);
  std::int64_t Signed();
  double Real();
  std::string_view Text();
  // The length of a list whose entries take at least `least_bytes` each.
  std::size_t Length(std::size_t least_bytes = 1);
  // Reads the lengths of several lists and resizes them, as long as all of
  // their entries together fit into the rest of the bytes.
  template <typename Lists, typename ListOf>
  void Resize(Lists& lists, ListOf list_of, std::size_t least_bytes) {
    std::size_t all = 0;
    for (auto& one : lists) {
      const std::size_t length = Length(least_bytes);
      all += length;
      if (all > rest_.size() / least_bytes) SetDamaged();
      if (damaged_) return;
      list_of(one).resize(length);
    }
  }

  bool damaged() const { return damaged_; }
  bool done() const { return rest_.empty(); }
  void SetDamaged();

 private:
  std::string_view rest_;
  bool damaged_ = false;
};

// Writes or reads one member of every entry.
template <typename List, typename Member>
void WriteColumn(ByteWriter& out, const List& list, Member member) {
  for (const auto& entry : list) out.Number(entry.*member);
}
template <typename List, typename Member>
void ReadColumn(ByteReader& in, List& list, Member member) {
  for (auto& entry : list) entry.*member = in.Number();
}

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
  std::string_view whole{};   // header, head and body, to be copied
  std::uint64_t size = 0;     // of the body
};

struct SummarySections {
  std::vector<SummarySection> all{};  // in order, up to the first damage
  std::string damage{};               // empty: all sections are whole
};

// kCorrupt where the bytes are no summary or no section is whole, kUnsupported
// for another version.
Result<SummarySections> FindSections(std::string_view bytes);

// The section that `bytes` are, if they are one with a right checksum and
// nothing else.
std::optional<SummarySection> OneSection(std::string_view bytes);

// The body, uncompressed. kCorrupt where it is damaged, or larger than any body
// that this program writes.
Result<std::string> BodyOf(const SummarySection& section);

void WriteSummaryMagic(std::ostream& out);
void WriteSection(std::ostream& out, std::string_view kind,
                  std::string_view head, std::string_view body);

}  // namespace rangefinder
