// The executions of ranges, numbered: which instance of which region a
// measurement is of.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "region/path.h"

namespace rangefinder {

// The measurements of `profile` in the order of their launches: that of the
// file, or of traces, whose files are in the order of execution, by time.
std::vector<const Measurement*> InLaunchOrder(const Profile& profile);

// Numbers the executions of every range in the order of their first launch, in
// each file and process; inner ranges within an execution of the outer one.
class Executions {
 public:
  explicit Executions(const Profile& profile) : profile_(profile) {}

  // Every measurement that counts, in launch order, before the first question.
  void Add(const Measurement& m);

  // The number, from 0, of the instance that decides about the region `path`,
  // which is that of `m` or one around it: the execution in it of the
  // outermost range that ran more than once. Nothing where none did.
  std::optional<std::uint64_t> Ordinal(const Measurement& m,
                                       std::span<const Frame> path) const;

 private:
  static std::string Root(const Measurement& m);
  static void Extend(std::string& place, const Frame& frame);

  const Profile& profile_;
  // By place: the outer executions and the range; number by execution.
  std::unordered_map<std::string,
                     std::unordered_map<std::uint64_t, std::uint64_t>>
      seen_{};
};

}  // namespace rangefinder
