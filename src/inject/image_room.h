// When an image of samples is to be begun anew. What is in it, but incomplete,
// is lost when the image is full before the decoding ends (on an H200 the last
// 40 to 90 samples of 350, where one or none is incomplete otherwise), and how
// many come at once is no constant: decoding itself takes as long as the wait
// between two of them, and the driver may hold it up.

#pragma once

#include <algorithm>
#include <cstddef>

namespace rangefinder::inject {

class ImageRoom {
 public:
  explicit constexpr ImageRoom(std::size_t least) : expected_(least) {}

  // A decoding added so many samples.
  void Added(std::size_t samples) {
    expected_ = std::max(samples, expected_ - expected_ / 8);
  }
  // Whether the next decoding may fill an image of `most` samples, `populated`
  // of which it has: it may add twice as many as the largest of late.
  bool MayFill(std::size_t populated, std::size_t most) const {
    return populated + 2 * expected_ > most;
  }

 private:
  std::size_t expected_;
};

}  // namespace rangefinder::inject
