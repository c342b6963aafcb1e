#include "summary/bytes.h"

#include <bit>

namespace rangefinder {

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
  const auto bits = std::bit_cast<std::uint64_t>(number);
  for (int i = 0; i < 64; i += 8) bytes_ += static_cast<char>(bits >> i & 0xFF);
}

void ByteWriter::Text(std::string_view text) {
  Number(text.size());
  bytes_ += text;
}

void ByteReader::SetDamaged() {
  damaged_ = true;
  rest_ = {};
}

Wide ByteReader::WideNumber() {
  Wide number = 0;
  for (unsigned shift = 0; !rest_.empty() && shift < 128; shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    number |= Wide{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      // One way to write a number, and none beyond 128 bits.
      if ((byte == 0 && shift > 0) || (shift == 126 && byte > 3)) break;
      return number;
    }
  }
  SetDamaged();
  return 0;
}

std::uint64_t ByteReader::Number() {
  // Most are small.
  if (!rest_.empty() && static_cast<unsigned char>(rest_.front()) < 0x80) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  const Wide number = WideNumber();
  if (number <= ~std::uint64_t{0}) return static_cast<std::uint64_t>(number);
  SetDamaged();
  return 0;
}

std::uint32_t ByteReader::Below(std::uint64_t end) {
  const std::uint64_t number = Number();
  if (number < end && number <= ~std::uint32_t{0})
    return static_cast<std::uint32_t>(number);
  SetDamaged();
  return 0;
}

std::int64_t ByteReader::Signed() {
  const std::uint64_t bits = Number();
  return static_cast<std::int64_t>(bits >> 1 ^ (~(bits & 1) + 1));
}

double ByteReader::Real() {
  if (rest_.size() < 8) {
    SetDamaged();
    return 0;
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i)
    bits |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << 8 * i;
  rest_.remove_prefix(8);
  return std::bit_cast<double>(bits);
}

std::string_view ByteReader::Text() {
  const std::uint64_t size = Number();
  if (size > rest_.size()) {
    SetDamaged();
    return {};
  }
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return text;
}

std::size_t ByteReader::Length(std::size_t least_bytes) {
  const std::uint64_t length = Number();
  if (length <= rest_.size() / least_bytes) return length;
  SetDamaged();
  return 0;
}

}  // namespace rangefinder
