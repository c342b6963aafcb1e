// Measures how much memory a piece of work takes. It counts where a sanitizer
// runs; in other builds it is 0.

#pragma once

#include <cstddef>

namespace rangefinder::testing {

// Counts for all threads, from its construction on; only one at a time.
class Growth {
 public:
  Growth();
  Growth(const Growth&) = delete;
  Growth& operator=(const Growth&) = delete;
  ~Growth();

  std::size_t most() const;  // bytes in use at once
  std::size_t all() const;   // bytes allocated, freed or not
};

// Demands that `most` and `all` grow at most linearly with the `bytes` of the
// input and the bytes `written` into its documents.
void DemandLinear(std::size_t bytes, std::size_t written, const Growth& growth);

}  // namespace rangefinder::testing
