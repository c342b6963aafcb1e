// What the differences of a rank to the one in the middle say of why it is
// late.

#pragma once

#include <cstddef>
#include <vector>

#include "ranks/late_parts.h"

namespace rangefinder {

class Reasons {
 public:
  // `regions` of the nodes whose times are looked at.
  Reasons(const LateFinding& finding, std::vector<std::size_t> regions);

  void Find(const std::vector<ExclusiveTimes>& own,
            const TypicalTimes& typical);

  // Which part of late_ns they are, at most 1.
  double explained() const;
  // At most late_ns together.
  std::vector<LatePart> Take();

 private:
  void Add(LateReason reason, std::size_t node, double ns, double ratio);
  void AddCompute(std::size_t node, const ExclusiveTimes& own,
                  const ExclusiveTimes& typical);
  void AddWaits(const std::vector<ExclusiveTimes>& own,
                const TypicalTimes& typical);
  void Spread(LateReason reason, double ns, const std::vector<double>& weights);
  double Left() const;

  const LateFinding& finding_;
  std::vector<std::size_t> regions_;
  double scale_ = 1;
  std::vector<LatePart> parts_{};
};

// With what is left over, most weighty first.
std::vector<LatePart> Completed(const LateFinding& finding,
                                std::vector<LatePart> parts);

}  // namespace rangefinder
