// The regions of one scope. A process has something in few regions of a large
// job, so those that it has nothing in share one answer.

#pragma once

#include <cstddef>
#include <map>
#include <utility>

namespace rangefinder {

template <typename Rollup>
class OfRegions {
 public:
  OfRegions() = default;
  // `nothing`: what stands for all that are not put in, of so many.
  OfRegions(std::size_t size, Rollup nothing)
      : size_(size), nothing_(std::move(nothing)) {}

  std::size_t size() const { return size_; }

  // By RegionId.
  const Rollup& operator[](std::size_t region) const {
    const auto known = there_.find(region);
    return known == there_.end() ? nothing_ : known->second;
  }
  // Put in now if it is new. References stay valid.
  Rollup& operator[](std::size_t region) {
    return there_.try_emplace(region, nothing_).first->second;
  }
  const Rollup& front() const { return (*this)[0]; }

  // Those that were put in, by RegionId.
  const std::map<std::size_t, Rollup>& there() const { return there_; }

 private:
  std::size_t size_ = 0;
  Rollup nothing_{};
  std::map<std::size_t, Rollup> there_;
};

}  // namespace rangefinder
