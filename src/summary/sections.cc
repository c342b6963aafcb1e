#include "summary/sections.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <libdeflate.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/text.h"

namespace rangefinder {
namespace {

void Put(std::string& bytes, std::uint64_t number, int size) {
  for (int i = 0; i < 8 * size; i += 8)
    bytes += static_cast<char>(number >> i & 0xFF);
}

std::uint64_t Get(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  }
  return number;
}

}  // namespace

// ---- Bytes of a body -------------------------------------------------------

void ByteWriter::Number(Wide number) {
  while (number >= 0x80) {
    bytes_ += static_cast<char>((number & 0x7F) | 0x80);
    number >>= 7;
  }
  bytes_ += static_cast<char>(number);
}

void ByteWriter::Signed(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  Number(bits << 1 ^ (number < 0 ? ~std::uint64_t{0} : 0));
}

void ByteWriter::Real(double number) {
  Put(bytes_, std::bit_cast<std::uint64_t>(number), sizeof number);
}

void ByteWriter::Text(std::string_view text) {
  Number(text.size());
  bytes_ += text;
}

void ByteReader::SetDamaged() {
  damaged_ = true;
  rest_ = {};
}

void ByteReader::Number(Wide& number) {
  number = 0;
  for (unsigned shift = 0; !rest_.empty() && shift < 128; shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    number |= Wide{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      // One way to write a number, and none beyond 128 bits.
      if ((byte == 0 && shift > 0) || (shift == 126 && byte > 3)) break;
      return;
    }
  }
  SetDamaged();
  number = 0;
}

void ByteReader::Number(std::uint64_t& number) {
  // Most numbers are small.
  if (!rest_.empty() && static_cast<unsigned char>(rest_.front()) < 0x80) {
    number = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return;
  }
  Wide wide = 0;
  Number(wide);
  if (wide > ~std::uint64_t{0}) {
    SetDamaged();
    wide = 0;
  }
  number = static_cast<std::uint64_t>(wide);
}

void ByteReader::Signed(std::int64_t& number) {
  std::uint64_t bits = 0;
  Number(bits);
  number = static_cast<std::int64_t>(bits >> 1 ^ (~(bits & 1) + 1));
}

void ByteReader::AtLeast(std::int32_t& number, std::int32_t least) {
  std::int64_t wide = 0;
  Signed(wide);
  if (wide < least || wide > std::numeric_limits<std::int32_t>::max()) {
    SetDamaged();
    wide = least;
  }
  number = static_cast<std::int32_t>(wide);
}

void ByteReader::Real(double& number) {
  number = 0;
  if (rest_.size() < sizeof number) return SetDamaged();
  number = std::bit_cast<double>(Get(rest_, 0, sizeof number));
  rest_.remove_prefix(sizeof number);
}

void ByteReader::Text(std::string& text) {
  const std::size_t size = NextLength(1);
  text = rest_.substr(0, size);
  rest_.remove_prefix(size);
}

std::size_t ByteReader::NextLength(std::size_t least_bytes) {
  std::uint64_t length = 0;
  Number(length);
  if (length <= rest_.size() / least_bytes) return length;
  SetDamaged();
  return 0;
}

namespace {

constexpr std::size_t kMagicSize = 8;
constexpr std::size_t kHeaderSize = 28;
constexpr std::size_t kChecked = 24;  // of the header
// zstd's default level: a tenth larger than its best, in a tenth of the time.
constexpr int kLevel = 3;
// No body that this program writes expands more: they hold numbers, not zeros.
constexpr std::uint64_t kMostExpanded = 256;
constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{16} << 20;

std::uint64_t ChecksumOf(std::string_view header, std::string_view head,
                         std::string_view stored) {
  std::uint32_t sum = 0;
  for (const std::string_view part :
       {header.substr(0, kChecked), head, stored}) {
    if (!part.empty()) sum = libdeflate_crc32(sum, part.data(), part.size());
  }
  return sum;
}

// Takes the section at the beginning of `bytes`; false: it is damaged.
bool Take(std::string_view bytes, SummarySection& section) {
  if (bytes.size() < kHeaderSize) return false;
  const std::string_view header = bytes.substr(0, kHeaderSize);
  const std::uint64_t head = Get(header, 4, 4);
  const std::uint64_t stored = Get(header, 16, 8);
  const std::uint64_t rest = bytes.size() - kHeaderSize;
  if (head > rest || stored > rest - head) return false;
  section.kind = header.substr(0, 4);
  section.head = bytes.substr(kHeaderSize, head);
  section.stored = bytes.substr(kHeaderSize + head, stored);
  section.whole = bytes.substr(0, kHeaderSize + head + stored);
  section.size = Get(header, 8, 8);
  return ChecksumOf(header, section.head, section.stored) ==
         Get(header, kChecked, 4);
}

}  // namespace

bool IsSummary(std::string_view bytes) {
  return bytes.starts_with(kSummaryMagic);
}

Result<SummarySections> FindSections(std::string_view bytes) {
  if (!IsSummary(bytes) || bytes.size() < kMagicSize)
    return Error(ErrorCode::kCorrupt, "not a summary of rangefinder's");
  const std::uint64_t version = Get(bytes, kSummaryMagic.size(), 2);
  if (version != kSummaryVersion) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("a summary of version {}; this build reads {}",
                             version, kSummaryVersion));
  }
  SummarySections sections;
  std::size_t at = kMagicSize;
  for (bool ended = false; !ended;) {
    SummarySection section;
    if (!Take(bytes.substr(at), section)) {
      sections.damage =
          bytes.size() - at < kHeaderSize
              ? "the file is cut short"
              : fmt::format("the section at byte {} is damaged or cut", at);
      break;
    }
    at += section.whole.size();
    ended = section.kind == kEndSection;
    if (!ended) sections.all.push_back(section);
  }
  if (sections.all.empty()) {
    return Error(ErrorCode::kCorrupt, sections.damage.empty()
                                          ? "a summary of nothing"
                                          : sections.damage);
  }
  return sections;
}

std::optional<SummarySection> OneSection(std::string_view bytes) {
  SummarySection section;
  if (!Take(bytes, section) || section.whole.size() != bytes.size())
    return std::nullopt;
  return section;
}

Result<std::string> BodyOf(const SummarySection& section) {
  const auto damaged = [&](std::string_view why) {
    return Error(ErrorCode::kCorrupt,
                 fmt::format("section {}: {}", Printable(section.kind), why));
  };
  const std::uint64_t most =
      std::max(kAlwaysAllowed, section.stored.size() * kMostExpanded);
  if (section.size > most) return damaged("larger than it can be");
  std::string body(section.size, '\0');
  const std::size_t size = ZSTD_decompress(
      body.data(), body.size(), section.stored.data(), section.stored.size());
  if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation)
    throw std::bad_alloc();
  if (ZSTD_isError(size)) return damaged(ZSTD_getErrorName(size));
  if (size != body.size()) return damaged("shorter than it says");
  return body;
}

void WriteSummaryMagic(std::ostream& out) {
  std::string bytes(kSummaryMagic);
  Put(bytes, kSummaryVersion, 2);
  out << bytes;
}

void WriteSection(std::ostream& out, std::string_view kind,
                  std::string_view head, std::string_view body) {
  std::string stored(ZSTD_compressBound(body.size()), '\0');
  const std::size_t size = ZSTD_compress(stored.data(), stored.size(),
                                         body.data(), body.size(), kLevel);
  // The buffer has the size of the worst case, so only memory can be missing.
  if (ZSTD_isError(size)) throw std::bad_alloc();
  stored.resize(size);
  std::string header(kind.substr(0, 4));
  Put(header, head.size(), 4);
  Put(header, body.size(), 8);
  Put(header, stored.size(), 8);
  Put(header, ChecksumOf(header, head, stored), 4);
  out << header << head << stored;
}

}  // namespace rangefinder
