// How much memory a piece of work takes. Where a sanitizer runs it counts; 0 in
// other builds.

#pragma once

#include <cstddef>

namespace rangefinder::testing {

// Of all threads, from the making of this on; one at a time.
class Growth {
 public:
  Growth();
  Growth(const Growth&) = delete;
  Growth& operator=(const Growth&) = delete;
  ~Growth();

  std::size_t most() const;  // bytes in use at once
  std::size_t all() const;   // bytes allocated, freed or not
};

// `most` and `all` of work on an input of `bytes`, whose documents have
// `written` bytes, grow with the input no faster than linearly.
void DemandLinear(std::size_t bytes, std::size_t written, const Growth& growth);

}  // namespace rangefinder::testing
