// A file descriptor that is closed when nobody has it any more.

#pragma once

#include <utility>

#include <unistd.h>

namespace rangefinder {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }

  // Whether it could be closed without an error; errno says which.
  bool Close() { return fd_ < 0 || ::close(Release()) == 0; }
  int Release() { return std::exchange(fd_, -1); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

}  // namespace rangefinder
