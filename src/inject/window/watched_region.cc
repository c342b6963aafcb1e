#include "inject/window/watched_region.h"

#include <string_view>

#include <stdlib.h>
#include <string.h>

#include "inject/trace/recorder.h"

namespace rangefinder::inject {

constinit std::atomic<bool> region_is_watched{false};

namespace {

constexpr std::string_view kProfilerStart = "cudaProfilerStart",
                           kProfilerStop = "cudaProfilerStop";

struct Watched {
  char path[4096] = {};  // under the lock of the names
  std::atomic<std::uint64_t> left{0};
};
constinit Watched watched{};

std::string_view NameOf(const Names& names, const LabelSpelling& spelling) {
  return spelling.handle == 0
             ? std::string_view{spelling.text, spelling.length}
             : names.TextOf(static_cast<std::uint32_t>(spelling.handle >> 8));
}

// Whether the path of the open range at `place` ends with that of the region.
bool IsAt(const Names& names, const ThreadLog& log, std::size_t place) {
  std::string_view path = watched.path;
  for (std::size_t outer = place + 1; outer > 0; --outer) {
    const std::string_view name = NameOf(names, log.kept(outer - 1));
    if (path == name) return true;
    if (path.size() <= name.size() || !path.ends_with(name) ||
        path[path.size() - name.size() - 1] != '/')
      return false;
    path.remove_suffix(name.size() + 1);
  }
  return false;
}

void CountDown() {
  std::uint64_t left = watched.left.load();
  while (left > 0 && !watched.left.compare_exchange_weak(left, left - 1)) {
  }
}

}  // namespace

const char* WatchRegion(const char* wanted) {
  StopWatching();
  const char* const colon = strrchr(wanted, ':');
  const auto size =
      static_cast<std::size_t>(colon != nullptr ? colon - wanted : 0);
  char* end = nullptr;
  const unsigned long long count = size > 0 ? strtoull(colon + 1, &end, 10) : 0;
  if (count == 0 || colon[1] < '0' || colon[1] > '9' || *end != '\0' ||
      size >= sizeof watched.path)
    return "a region has to be REGION:N";
  const std::string_view path(wanted, size);
  if (!ArmsGraphs() && (path == kProfilerStart || path == kProfilerStop))
    return "the program was not started with --arm=graphs, which sees calls of "
           "cudaProfilerStart and cudaProfilerStop";
  if (!WithNames([&](Names&, TraceFile&) {
        memcpy(watched.path, wanted, size);
        watched.path[size] = '\0';
      }))
    return "the names of ranges are locked";
  watched.left.store(count);
  region_is_watched.store(true);
  return nullptr;
}

bool WatchedRegionIsOver() {
  return RegionIsWatched() && watched.left.load() == 0;
}

void StopWatching() {
  region_is_watched.store(false);
}

void WatchPop(const ThreadLog& log, std::uint32_t domain) {
  std::size_t place = log.open_count();
  if (log.depth() > place) return;  // too deep to be known
  while (place > 0 && log.open()[place - 1].domain != domain) --place;
  bool is_there = false;
  if (place > 0) {
    WithNames([&](const Names& names, TraceFile&) {
      is_there = IsAt(names, log, place - 1);
    });
  }
  if (is_there) CountDown();
}

void WatchProfilerCall(bool stops) {
  if (!RegionIsWatched()) return;
  bool is_it = false;
  WithNames([&](Names&, TraceFile&) {
    is_it = std::string_view(watched.path) ==
            (stops ? kProfilerStop : kProfilerStart);
  });
  if (is_it) CountDown();
}

}  // namespace rangefinder::inject
