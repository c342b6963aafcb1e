// What work costs, and whether ten times as much of it costs about ten times as
// much.

#pragma once

#include <cstdint>
#include <functional>

namespace rangefinder::testing {

struct Cost {
  double seconds = 0;  // of the processor, all threads together
  std::int64_t bytes = 0;
};

Cost CostOfWork(const std::function<void()>& work);

// `cost` of so many things; `count` is the smaller number of them.
void ExpectLinear(const std::function<Cost(int count)>& cost, int count);

}  // namespace rangefinder::testing
