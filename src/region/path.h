// The path of a measurement, which is the ranges open at its launch, outermost
// first; and the number of the instance in which it was launched.
// docs/attribution.md has the rules.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

// The region of launches outside of all ranges.
inline constexpr std::string_view kUnattributed = "(unattributed)";

// One step of a path.
struct Frame {
  StringId domain{};  // empty: the default domain
  StringId name{};    // of a merged range: the merged name
  FrameKind kind = FrameKind::kPushPop;
  // Distinguishes executions of one range in a process. Two executions without
  // a CUDA call between them may have the same number.
  std::uint64_t execution = 0;
  // The name that the program gave; differs from `name` if the range is merged.
  StringId given{};

  bool is_merged() const { return given != name; }

  // A region is a path of (domain, name); kind and execution do not matter.
  friend bool operator==(const Frame& a, const Frame& b) {
    return a.domain == b.domain && a.name == b.name;
  }
};

// `domain@name`, or `name` in the default domain.
std::string FrameText(const Profile& profile, const Frame& frame);

// Whether a library of NVIDIA opens the ranges of a domain, and not the
// program: "NCCL".
bool IsOfLibrary(std::string_view domain);

// The frames joined by `/`.
std::string PathText(const Profile& profile, std::span<const Frame> path);
// PathText() made printable: the region's name in plans, manifests and notes.
std::string RegionLabel(const Profile& profile, std::span<const Frame> path);

// The path of `m`: the push/pop ranges of its thread in every domain, and with
// `start_end` the start/end ranges of its process. Names are merged
// (region/merged_names.h).
std::vector<Frame> PathOf(const Profile& profile, const Measurement& m,
                          bool start_end = true);

// PathOf() with the names that the program gave.
std::vector<Frame> GivenPathOf(const Profile& profile, const Measurement& m,
                               bool start_end = true);

// A fictitious launch in the ranges of `row`, a row of a trace.
template <typename Row>
Measurement LaunchIn(const Row& row) {
  return {.process = row.process, .thread = row.thread, .nvtx = row.nvtx};
}

// The measurements of `profile` in the order of their launches: in traces by
// time, since their files are in the order of execution; else as in the file.
std::vector<const Measurement*> InLaunchOrder(const Profile& profile);

// Numbers the executions of every range by their first launch, per file and
// process; inner ranges are numbered anew in each execution of the outer range.
class Executions {
 public:
  explicit Executions(const Profile& profile) : profile_(profile) {}

  // Takes all measurements in launch order, before the first Ordinal().
  void Add(const Measurement& m);

  // The number, from 0, of the instance of `m` in the region `path`, which is
  // the path of `m` or an outer one: the execution of the outermost range of
  // `path` that ran more than once. Nothing if all ranges ran once.
  std::optional<std::uint64_t> Ordinal(const Measurement& m,
                                       std::span<const Frame> path) const;

 private:
  static std::string Root(const Measurement& m);
  static void Extend(std::string& place, const Frame& frame);

  const Profile& profile_;
  // By place (the outer executions and the range): number by execution.
  std::unordered_map<std::string,
                     std::unordered_map<std::uint64_t, std::uint64_t>>
      seen_{};
};

}  // namespace rangefinder
