// Work on all processors; the result does not depend on their number.

#pragma once

#include <cstddef>
#include <functional>

namespace rangefinder {

// Calls `work(i, thread)` once for each `i` below `count`, in no order, and
// returns when all calls are done. `thread` is the number of the calling
// thread, below MostThreads(count); 0 is the caller's own. Where the system
// refuses threads, fewer do the work. An exception of a call is thrown again
// after the other threads are done; the thread of that call makes no further
// call.
void InParallel(std::size_t count,
                const std::function<void(std::size_t, std::size_t)>& work);

// The threads that InParallel() takes for `count` calls: at most the number of
// processors and at most 16; at least 1.
std::size_t MostThreads(std::size_t count);

}  // namespace rangefinder
