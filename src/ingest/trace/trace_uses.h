// What a path did on each device and in each stream, found fast: there are few,
// as a rule, and many where a program makes streams for ever.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>

#include "ingest/trace/trace_blocks.h"
#include "ingest/trace/trace_regions.h"

namespace rangefinder {

class UsePlaces {
 public:
  std::size_t UseOf(TracePath& path, const TracePlace& place,
                    std::uint64_t now_ns) {
    const auto device = static_cast<std::int32_t>(place.device);
    const std::size_t at =
        Find(path.gpu, {&path, place.device, 0, 0},
             [&](const GpuUse& use) { return use.device == device; });
    if (at == path.gpu.size()) {
      path.gpu.push_back({.device = device, .first_ns = now_ns});
      path.busy_until.push_back(0);
    }
    return at;
  }

  StreamUse& StreamOf(const TracePath& path, GpuUse& use,
                      const TracePlace& place) {
    const std::size_t at = Find(
        use.streams, {&path, place.device, place.context + 1, place.stream},
        [&](const StreamUse& stream) {
          return stream.stream == place.stream &&
                 stream.context == place.context;
        });
    if (at == use.streams.size())
      use.streams.push_back({.context = place.context, .stream = place.stream});
    return use.streams[at];
  }

 private:
  static constexpr std::size_t kFew = 8;
  // The path, device, context + 1 and stream.
  using Key =
      std::tuple<const TracePath*, std::uint64_t, std::uint64_t, std::uint64_t>;

  // Of an element that is to be added, the end.
  template <typename List, typename IsIt>
  std::size_t Find(const List& list, const Key& key, IsIt is_it) {
    const std::size_t few = std::min(list.size(), kFew);
    for (std::size_t i = 0; i < few; ++i) {
      if (is_it(list[i])) return i;
    }
    if (list.size() < kFew) return list.size();
    return places_.try_emplace(key, list.size()).first->second;
  }

  std::map<Key, std::size_t> places_;  // of those that are not among the first
};

}  // namespace rangefinder
