// The names of a trace: texts, labels of ranges, domains, kernels, streams and
// devices, by the ids that other records use.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/notes.h"
#include "ingest/trace/trace_records.h"

namespace rangefinder {

struct TraceLabel {
  std::uint32_t domain = 0;
  std::uint32_t string = 0;
  auto operator<=>(const TraceLabel&) const = default;
};

inline constexpr std::uint32_t kNoString = 0xFFFFFFFF;

struct TraceShape {
  std::uint32_t name = 0;  // a string, mangled
  // Strings; kNoString: by the mangled name.
  std::uint32_t demangled = kNoString, function = kNoString;
  std::uint32_t registers = 0;
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t static_shared = 0;
  std::uint32_t dynamic_shared = 0;
  // In Nsight Systems: the launch of a graph that was recorded as a whole.
  bool is_graph = false;
  auto operator<=>(const TraceShape&) const = default;
};

struct TracePlace {
  std::uint32_t device = 0, context = 0;
  std::uint64_t stream = 0;
  auto operator<=>(const TracePlace&) const = default;
};

// A device. If it is unknown, `name` is kNoString, `bus` is empty, and other
// members are 0.
struct TraceDevice {
  std::uint32_t name = kNoString;  // a string
  std::uint32_t capability = 0;    // compute capability, major << 8 | minor
  std::optional<std::uint64_t> bus{};
  // The peak rates.
  std::uint32_t memory_khz = 0, memory_bus_bits = 0;
  std::uint32_t multiprocessors = 0, clock_khz = 0;
};

// The source line where a kernel begins.
struct TraceSource {
  std::uint32_t kernel = 0, file = 0;  // strings; the kernel's is mangled
  std::uint32_t line = 0;
};

struct TraceNames {
  std::vector<std::string_view> strings{};
  std::vector<TraceLabel> labels{};
  std::vector<std::uint32_t> domains{};  // the string of each
  std::vector<TraceShape> shapes{};
  std::vector<TracePlace> places{};
  // Strings, by OS thread id.
  std::unordered_map<std::uint64_t, std::uint32_t> threads{};
  std::map<std::uint32_t, TraceDevice> devices{};  // by index
  std::vector<TraceSource> sources{};
  // Keys and values: strings.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> facts{};

  std::string_view Text(std::uint32_t string) const;
  TraceLabel Label(std::uint32_t label) const;
  std::string_view DomainName(std::uint32_t domain) const;
  // Without facts if the trace has none of this device.
  TraceDevice DeviceOf(std::int32_t index) const;
};

// Adds the names in the blocks. A jump in the ids is a sign of a lost block:
// the ids in between stay unknown. Ids above `most` are damaged and refused,
// since they would cost memory.
void ReadNames(const TraceBlocks& blocks, std::size_t most, TraceNames& names,
               Notes& notes, std::string_view where);

// The labels that name the same region: they differ only in colour or category.
class RegionLabels {
 public:
  explicit RegionLabels(const TraceNames& names);

  // The first label that names the same region as `label`.
  std::uint32_t operator()(std::uint32_t label) const {
    return label < first_.size() ? first_[label] : label;
  }

 private:
  std::vector<std::uint32_t> first_;
};

}  // namespace rangefinder
