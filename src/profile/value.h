// A value as a profiler gave it, and the ids by which the parts of a profile
// refer to each other.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rangefinder {

// A text of a StringPool: compares like the text. 0 is "" in every pool.
enum class StringId : std::uint32_t {};
enum class MetricId : std::uint32_t {};
enum class MeasurementId : std::uint32_t {};
enum class ProcessId : std::uint32_t {};    // index into Profile::processes
enum class NvtxStateId : std::uint32_t {};  // index into Profile::nvtx_states

template <typename Id>
constexpr std::size_t Index(Id id) {
  return static_cast<std::size_t>(id);
}

// Texts, each kept once.
class StringPool {
 public:
  StringPool();
  StringPool(const StringPool& other);
  StringPool& operator=(const StringPool& other);
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  StringId Intern(std::string_view text);
  std::optional<StringId> Find(std::string_view text) const;

  // The view is valid as long as the pool.
  std::string_view operator[](StringId id) const {
    return texts_[static_cast<std::size_t>(id)];
  }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, StringId> ids_;
};

enum class ValueKind : std::uint8_t { kAbsent, kNumber, kInteger, kText };

// One value: a double, an unsigned integer, or text.
struct Value {
  ValueKind kind = ValueKind::kAbsent;
  std::uint64_t bits = 0;  // of the double, the integer, or a StringId

  static Value Number(double number) {
    return {ValueKind::kNumber, std::bit_cast<std::uint64_t>(number)};
  }
  static Value Integer(std::uint64_t integer) {
    return {ValueKind::kInteger, integer};
  }
  static Value Text(StringId text) { return {ValueKind::kText, Index(text)}; }

  // A number or integer as a double; nothing for a text and for an absent
  // value.
  std::optional<double> number() const {
    if (kind == ValueKind::kNumber) return std::bit_cast<double>(bits);
    if (kind == ValueKind::kInteger) return static_cast<double>(bits);
    return std::nullopt;
  }
  std::optional<StringId> text() const {
    if (kind != ValueKind::kText) return std::nullopt;
    return static_cast<StringId>(bits);
  }

  friend bool operator==(const Value&, const Value&) = default;
};

// The value of one metric in one measurement.
struct Sample {
  MetricId metric{};
  ValueKind kind = ValueKind::kAbsent;
  std::uint64_t bits = 0;

  Value value() const { return {kind, bits}; }
};
static_assert(sizeof(Sample) == 16);

// One of several values of a metric in one measurement: one for each program
// counter, sampling time stamp or (in a range's result) launch.
struct Instance {
  // Program counter, time stamp in ns, or number of the launch.
  std::uint64_t key = 0;
  Value value{};
};

}  // namespace rangefinder
