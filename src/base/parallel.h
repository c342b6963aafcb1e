// Work on all processors, of which the result does not depend on how many there
// are.

#pragma once

#include <cstddef>
#include <functional>

namespace rangefinder {

// Calls `work(i, thread)` once for each `i` below `count`, in no order, and
// returns when all are done. `thread` is which of the threads calls, below
// `MostThreads(count)`; 0 is the caller's own. Fewer threads do it where the
// system gives no more. What a call throws is thrown here after the others are
// done; its thread makes no further call.
void InParallel(std::size_t count,
                const std::function<void(std::size_t, std::size_t)>& work);

// How many threads InParallel takes at most for so many calls: as there are
// processors, 16 at most; 1 or more.
std::size_t MostThreads(std::size_t count);

}  // namespace rangefinder
