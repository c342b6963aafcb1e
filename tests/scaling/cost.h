// Measures the cost of work, and whether ten times the work has about ten times
// the cost.

#pragma once

#include <cstdint>
#include <functional>

namespace rangefinder::testing {

struct Cost {
  double seconds = 0;  // CPU time of all threads
  std::int64_t bytes = 0;
};

Cost CostOfWork(const std::function<void()>& work);

// `cost` returns the cost of so many items; `count` is the smaller number.
void ExpectLinear(const std::function<Cost(int count)>& cost, int count);

}  // namespace rangefinder::testing
