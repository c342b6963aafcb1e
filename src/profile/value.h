// A value as a profiler gave it, and the ids by which a profile's parts know
// each other.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "profile/strings.h"

namespace rangefinder {

enum class MetricId : std::uint32_t {};
enum class MeasurementId : std::uint32_t {};
enum class ProcessId : std::uint32_t {};    // index into Profile::processes
enum class NvtxStateId : std::uint32_t {};  // index into Profile::nvtx_states

template <typename Id>
constexpr std::size_t Index(Id id) {
  return static_cast<std::size_t>(id);
}

enum class ValueKind : std::uint8_t { kAbsent, kNumber, kInteger, kText };

// One value: a double, an unsigned integer, or text.
struct Value {
  ValueKind kind = ValueKind::kAbsent;
  std::uint64_t bits = 0;  // of the double, the integer, or a StringId

  static Value Number(double number);
  static Value Integer(std::uint64_t integer);
  static Value Text(StringId text);

  // The number, an integer converted; nothing for text and for no value.
  std::optional<double> number() const;
  std::optional<StringId> text() const;

  friend bool operator==(const Value&, const Value&) = default;
};

// What one metric was in one measurement.
struct Sample {
  MetricId metric{};
  ValueKind kind = ValueKind::kAbsent;
  std::uint64_t bits = 0;

  Value value() const { return {kind, bits}; }
};
static_assert(sizeof(Sample) == 16);

// One of a metric's many values in one measurement: per program counter, per
// sampling time stamp, or (range results) per launch.
struct Instance {
  std::uint64_t key = 0;  // what the instance is of: PC, ns, launch number
  Value value{};
};

}  // namespace rangefinder
