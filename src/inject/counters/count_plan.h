// The plan of counting: which regions are counted, and which of their
// instances. It is the file of
//
//   RANGEFINDER_INJECT_COUNT_PLAN=FILE
//
// whose lines are words with a tab between them:
//
//   rangefinder-count  1
//   ranges     N  the most ranges between two readings (kDefaultRanges)
//   instances  N  of a region in each pass, if the metrics take several passes
//   row  SKIP EVERY MOST SLOT SLOTS KIND  DOMAIN NAME  DOMAIN NAME ...
//
// A row is a region: the domain and name of each of its ranges, outermost
// first, with \t, \n, \r and \\ for a tab, the ends of lines and a backslash.
// Three rules select instances, in this order: the first SKIP instances in the
// process are left out; an instance is left out if the turn belongs to another
// slot than SLOT (SlotOf), where turns are instances of the outermost planned
// region around the row, or of the row itself; one of every EVERY remaining
// instances is measured (IsTheOneOf), at most MOST in all (0: any number). KIND
// `whole` measures an instance only if no instance around it is being measured,
// and none within it; KIND `split` excludes the measured instances within it,
// so that the row has only its own part. A line that begins with # is a
// comment.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/counter_format.h"

namespace rangefinder::inject {

inline constexpr std::uint32_t kDefaultRanges = 128;
inline constexpr std::uint32_t kFewestRanges = 4;
inline constexpr std::uint32_t kMostRanges = 1024;
inline constexpr std::uint32_t kDefaultInstances = 16;
inline constexpr std::uint32_t kNoPlace = 0xFFFFFFFF;

// A pseudo-random number that is the same in every run (the finalizer of
// SplitMix64, Steele, Lea and Flood 2014).
inline std::uint64_t Scattered(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
  return number ^ (number >> 31);
}

// The slot whose turn instance `number` is. Each slot has one turn in every
// `slots` instances: in order at first, then from a pseudo-random slot on, so
// that a program whose every second instance differs is measured in both kinds.
inline std::uint32_t SlotOf(std::uint64_t number, std::uint32_t slots) {
  constexpr std::uint64_t kInOrder = 4;
  const std::uint64_t turn = number / slots;
  const std::uint64_t begins = turn < kInOrder ? 0 : Scattered(turn);
  return static_cast<std::uint32_t>((number + begins) % slots);
}

// Whether instance `number` is the measured one of its group of `every`
// instances. Its place in the group is pseudo-random, for the same reason.
inline bool IsTheOneOf(std::uint64_t number, std::uint32_t every,
                       std::uint64_t row) {
  return number % every == Scattered(number / every * 31 + row) % every;
}

struct PlannedFrame {
  std::string_view domain{}, name{};
};

struct PlannedRow {
  std::uint32_t skip = 0, every = 1, most = 0, slot = 0, slots = 1;
  bool split = false;
  std::uint32_t depth = 0;
  const std::uint32_t* frames = nullptr;  // `depth`, into CountPlan::frames
  std::uint32_t outermost = kNoPlace;     // the row whose instances slots count

  std::atomic<std::uint64_t> seen{0};      // instances
  std::atomic<std::uint64_t> eligible{0};  // of these, after SKIP and slots
  std::atomic<std::uint64_t> measured{0};
  std::uint32_t in_pass = 0;  // in the current pass; under a lock
  std::atomic<std::uint64_t> skipped[wire::kCountSkips] = {};

  void Skip(wire::CountSkip why) { ++skipped[static_cast<std::size_t>(why)]; }
};

class CountPlan {
 public:
  // A plan in its own memory; null: there is no memory. Free() releases it.
  static CountPlan* Make();
  void Free();
  // Call once. False: the file cannot be read, and `reason`, a text of 256
  // bytes, has the reason.
  bool Read(const char* path, char* reason);

  CountPlan* next = nullptr;  // for its owner

  std::uint32_t rows() const { return row_count_; }
  PlannedRow& row(std::uint32_t i) const { return rows_[i]; }
  const PlannedFrame& frame(std::uint32_t i) const { return frames_[i]; }
  std::uint32_t ranges() const { return ranges_; }
  std::uint32_t instances() const { return instances_; }

  // The frame of this domain and name, or kNoPlace.
  std::uint32_t FrameOf(std::string_view domain, std::string_view name) const {
    return *FrameSlot(domain, name) - 1;
  }
  // The path `node` (0: the empty path) with one more frame, or kNoPlace: no
  // path of the plan begins so.
  std::uint32_t Child(std::uint32_t node, std::uint32_t frame) const {
    return *NodeSlot(node, frame) - 1;
  }
  // The caller's data for a label of the trace, 0 at first. Null: the label has
  // no data.
  std::atomic<std::uint32_t>* Known(std::uint32_t label) const {
    return label < kKnownLabels ? &known_[label] : nullptr;
  }
  // The row of a path, or kNoPlace.
  std::uint32_t RowOf(std::uint32_t node) const { return nodes_[node].row; }

 private:
  struct Node {
    std::uint32_t parent = kNoPlace, frame = kNoPlace, row = kNoPlace;
  };
  static constexpr std::uint32_t kKnownLabels = 1 << 16;
  // Zeroed pages; null: there is no memory.
  template <typename T>
  T* Pages(std::size_t count);
  char* ReadText(const char* path);
  bool Parse(char* text, char* reason);
  bool ParseLine(char* line, char* reason);
  bool AddRow(char** words, std::uint32_t count, char* reason);
  bool Allocate(const char* text, char* reason);
  std::uint32_t AddFrame(std::string_view domain, std::string_view name);
  std::uint32_t AddNode(std::uint32_t parent, std::uint32_t frame);
  std::uint32_t* NodeSlot(std::uint32_t parent, std::uint32_t frame) const;
  std::uint32_t* FrameSlot(std::string_view domain,
                           std::string_view name) const;
  void FindOutermost();

  struct Mapping {
    void* at = nullptr;
    std::size_t size = 0;
  };
  Mapping mappings_[8] = {};  // that hold the following
  std::uint32_t mapping_count_ = 0;
  std::atomic<std::uint32_t>* known_ = nullptr;
  PlannedRow* rows_ = nullptr;
  PlannedFrame* frames_ = nullptr;
  Node* nodes_ = nullptr;
  std::uint32_t* path_frames_ = nullptr;
  std::uint32_t* frame_slots_ = nullptr;  // hash tables of 1 + index
  std::uint32_t* node_slots_ = nullptr;
  std::uint32_t slots_mask_ = 0;
  std::uint32_t row_count_ = 0, frame_count_ = 0, node_count_ = 0;
  std::uint32_t path_count_ = 0;
  std::uint32_t ranges_ = kDefaultRanges;
  std::uint32_t instances_ = kDefaultInstances;
  bool headed_ = false;
};

}  // namespace rangefinder::inject
