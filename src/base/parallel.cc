#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace rangefinder {

std::size_t MostThreads(std::size_t count) {
  constexpr std::size_t kMost = 16;
  const std::size_t processors = std::thread::hardware_concurrency();
  return std::max<std::size_t>(std::min({processors, kMost, count}), 1);
}

void InParallel(std::size_t count,
                const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t most = MostThreads(count);
  std::vector<std::exception_ptr> thrown(most);
  std::atomic<std::size_t> next = 0;
  const auto run = [&](std::size_t thread) {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i, thread);
    } catch (...) {
      thrown[thread] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(most);
    try {
      for (std::size_t t = 1; t < most; ++t) threads.emplace_back(run, t);
    } catch (const std::system_error&) {
      // The threads created so far, and this one, do all the work.
    }
    run(0);
  }
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

}  // namespace rangefinder
