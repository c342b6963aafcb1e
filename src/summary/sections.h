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
// Integers are LEB128 varints, signed ones zigzag, reals eight bytes, lowest
// first. A list is its length, then column after column: equal values lie
// together and compress well.
//
// ByteWriter and ByteReader have the same functions, so that one template gives
// the order of the members for both.

class ByteWriter {
 public:
  static constexpr bool kReads = false;

  void Number(Wide number);
  void Signed(std::int64_t number);
  void Real(double number);
  void Text(std::string_view text);

  template <typename Value>
  void Below(Value value, std::uint64_t /*end*/) {
    Number(static_cast<Wide>(value));
  }
  void AtLeast(std::int32_t number, std::int32_t /*least*/) { Signed(number); }
  template <typename List>
  void Length(const List& list, std::size_t /*least_bytes*/ = 1) {
    Number(list.size());
  }
  template <typename Lists, typename ListOf>
  void Lengths(const Lists& lists, ListOf list_of,
               std::size_t /*least_bytes*/) {
    for (const auto& one : lists) Number(list_of(one).size());
  }

  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_{};
};

// Gives 0 for invalid numbers and beyond the end, and is damaged() from then
// on.
class ByteReader {
 public:
  static constexpr bool kReads = true;

  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  void Number(std::uint64_t& number);
  void Number(Wide& number);
  void Signed(std::int64_t& number);
  void Real(double& number);
  void Text(std::string& text);

  // An index or enumerator below `end`; otherwise 0 and damage.
  template <typename Value>
  void Below(Value& value, std::uint64_t end) {
    std::uint64_t number = 0;
    Number(number);
    if (number >= end || number > ~std::uint32_t{0}) {
      SetDamaged();
      number = 0;
    }
    value = static_cast<Value>(number);
  }
  // A number from `least` on; otherwise `least` and damage.
  void AtLeast(std::int32_t& number, std::int32_t least);
  // Gives the list its length; each entry takes at least `least_bytes`.
  template <typename List>
  void Length(List& list, std::size_t least_bytes = 1) {
    list.clear();
    list.resize(NextLength(least_bytes));
  }
  // The same for several lists, if all of their entries together fit into the
  // remaining bytes.
  template <typename Lists, typename ListOf>
  void Lengths(Lists& lists, ListOf list_of, std::size_t least_bytes) {
    std::size_t all = 0;
    for (auto& one : lists) {
      const std::size_t length = NextLength(least_bytes);
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
  std::size_t NextLength(std::size_t least_bytes);

  std::string_view rest_;
  bool damaged_ = false;
};

// Writes or reads one member of every entry; with `end`, the member is an index
// or enumerator below `end`.
template <typename Io, typename List, typename Member>
void OneMember(Io& io, List& list, Member member) {
  for (auto& entry : list) io.Number(entry.*member);
}
template <typename Io, typename List, typename Member>
void OneMember(Io& io, List& list, Member member, std::uint64_t end) {
  for (auto& entry : list) io.Below(entry.*member, end);
}

inline constexpr std::string_view kSummaryMagic{"RFSUM\0", 6};
inline constexpr std::uint16_t kSummaryVersion = 1;

// The kinds; four bytes each.
inline constexpr std::string_view kAboutSection = "ABOU";
inline constexpr std::string_view kTotalsSection = "TOTL";
inline constexpr std::string_view kTreeSection = "TREE";
inline constexpr std::string_view kRankSection = "RANK";
inline constexpr std::string_view kEndSection = "END ";

// Decides by the first bytes.
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

// kCorrupt: the bytes are no summary, or no section is whole. kUnsupported:
// another version.
Result<SummarySections> FindSections(std::string_view bytes);

// `bytes` as a section, if they are exactly one section with a correct
// checksum.
std::optional<SummarySection> OneSection(std::string_view bytes);

// The uncompressed body. kCorrupt: it is damaged, or larger than any body that
// this program writes.
Result<std::string> BodyOf(const SummarySection& section);

void WriteSummaryMagic(std::ostream& out);
void WriteSection(std::ostream& out, std::string_view kind,
                  std::string_view head, std::string_view body);

}  // namespace rangefinder
