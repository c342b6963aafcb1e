#include "region/graph_kernels.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "region/path.h"

namespace rangefinder {
namespace {

// Limit of the NVTX states that are made, one per launch and captured region.
// Launches beyond the limit share states, so the instances of their regions are
// not distinguished.
constexpr std::size_t kMostStates = 200'000;
// The frame between the regions of launch and capture.
constexpr std::string_view kGraphLaunch = "graph launch";
// Limit of the pairs of regions that are named in notes.
constexpr std::size_t kMostNamed = 5;

std::size_t CommonLength(std::span<const Frame> a, std::span<const Frame> b) {
  std::size_t length = 0;
  while (length < std::min(a.size(), b.size()) && a[length] == b[length])
    ++length;
  return length;
}

class PlacingOfGraphs {
 public:
  PlacingOfGraphs(GraphPlacement placement, Profile& profile, Notes& notes)
      : placement_(placement), profile_(profile), notes_(notes) {}

  void Run() {
    for (Measurement& m : profile_.measurements) {
      if (IsCaptured(m)) launches_[LaunchOf(m)].push_back(&m);
    }
    for (const auto& [launch, kernels] : launches_) Place(kernels);
    NoteCapturedTogether();
  }

 private:
  // A launch call, by artifact, process and CUPTI's correlation id.
  using Launch = std::tuple<std::uint32_t, ProcessId, std::uint64_t>;
  using Captured = std::pair<NvtxStateId, std::uint64_t>;  // state, thread

  static Launch LaunchOf(const Measurement& m) {
    return {m.artifact, m.process, m.api_call};
  }

  bool IsCaptured(const Measurement& m) const {
    const NvtxState& state = profile_.nvtx_states[Index(m.captured)];
    return m.kind == MeasurementKind::kKernel && m.mode == ReplayMode::kTrace &&
           !(state.stacks.empty() && state.start_end.empty());
  }

  const std::vector<Frame>& PathOfCapture(const Measurement& m) {
    const auto [path, is_new] =
        paths_.try_emplace({m.captured, m.captured_thread});
    if (is_new)
      path->second = PathOf(profile_, {.process = m.process,
                                       .thread = m.captured_thread,
                                       .nvtx = m.captured});
    return path->second;
  }

  void Place(const std::vector<Measurement*>& kernels) {
    if (placement_ == GraphPlacement::kCapture) {
      for (Measurement* m : kernels) {
        m->nvtx = m->captured;
        m->thread = m->captured_thread;
      }
      return;
    }
    const std::vector<Frame>& first = PathOfCapture(*kernels.front());
    std::size_t shared = first.size();
    bool apart = false;
    for (const Measurement* m : kernels) {
      const std::vector<Frame>& path = PathOfCapture(*m);
      shared = std::min(shared, CommonLength(first, path));
      apart = apart || path.size() != first.size();
    }
    if (!apart && shared == first.size()) {
      ++together_[{PathText(profile_, PathOf(profile_, *kernels.front())),
                   PathText(profile_, first)}];
      return;
    }
    std::map<Captured, NvtxStateId> states;  // of this launch
    for (Measurement* m : kernels) Nest(shared, states, *m);
  }

  void Nest(std::size_t shared, std::map<Captured, NvtxStateId>& states,
            Measurement& m) {
    const Captured captured{m.captured, m.captured_thread};
    auto& known =
        made_ < kMostStates ? states : coarse_[std::pair(m.nvtx, m.thread)];
    const auto [state, is_new] = known.try_emplace(captured);
    if (is_new) {
      ++made_;
      state->second = StateOf(m, std::span(PathOfCapture(m)).subspan(shared));
    }
    m.nvtx = state->second;
  }

  // Makes the state of a launch with the frames of a capture at its end, in the
  // order of the calls in all domains.
  NvtxStateId StateOf(const Measurement& m, std::span<const Frame> captured) {
    NvtxState state = profile_.nvtx_states[Index(m.nvtx)];
    state.order = NvtxState::Order::kTime;
    std::uint64_t order = m.launch_ns;
    const auto add = [&](StringId domain, StringId name) {
      StackOf(state, domain, m.thread)
          .ranges.push_back({.name = name, .order = ++order});
    };
    add({}, profile_.strings.Intern(kGraphLaunch));
    for (const Frame& frame : captured) add(frame.domain, frame.name);
    profile_.nvtx_states.push_back(std::move(state));
    return static_cast<NvtxStateId>(profile_.nvtx_states.size() - 1);
  }

  void NoteCapturedTogether() {
    std::size_t named = 0;
    for (const auto& [paths, count] : together_) {
      if (named++ == kMostNamed) {
        notes_.Add(Severity::kInfo, "graph_capture",
                   fmt::format("graphs of {} more pairs of regions were "
                               "captured as a whole",
                               together_.size() - kMostNamed));
        return;
      }
      const auto& [launch, capture] = paths;
      notes_.Add(Severity::kInfo, "graph_capture",
                 fmt::format("the graph launched in {} was captured in '{}'",
                             launch.empty() ? "no range" : "'" + launch + "'",
                             capture),
                 "", count);
    }
  }

  GraphPlacement placement_;
  Profile& profile_;
  Notes& notes_;
  std::map<Launch, std::vector<Measurement*>> launches_;
  std::map<Captured, std::vector<Frame>> paths_;
  // Launches of graphs captured in one region, by the regions of launch and
  // capture.
  std::map<std::pair<std::string, std::string>, std::uint64_t> together_;
  std::map<std::pair<NvtxStateId, std::uint64_t>,
           std::map<Captured, NvtxStateId>>
      coarse_;
  std::size_t made_ = 0;
};

}  // namespace

void PlaceGraphKernels(GraphPlacement placement, Profile& profile,
                       Notes& notes) {
  if (placement == GraphPlacement::kLaunch) return;
  PlacingOfGraphs(placement, profile, notes).Run();
}

}  // namespace rangefinder
