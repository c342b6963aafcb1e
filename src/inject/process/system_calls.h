// System calls without the C library's wrappers: none of them is a cancellation
// point.
//
// glibc 2.36 marks a thread in a cancellation point as cancellable at once,
// whatever its cancellation state, and its cancellation handler checks only the
// mark. A cancellation that was sent before we disabled it, and that arrives
// while we are in such a call, would end the thread while it holds our lock.

#pragma once

#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

namespace rangefinder::inject {

// Results and errno are those of open(2), read(2), pwrite(2) and nanosleep(2).
inline int OpenFile(const char* path, int flags, mode_t mode = 0) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
inline void CloseFile(int fd) {
  syscall(SYS_close, fd);
}
inline ssize_t ReadFile(int fd, void* to, std::size_t size) {
  return syscall(SYS_read, fd, to, size);
}
inline ssize_t WriteFileAt(int fd, const void* from, std::size_t size,
                           std::uint64_t offset) {
  return syscall(SYS_pwrite64, fd, from, size, static_cast<off_t>(offset));
}
inline std::uint64_t OsThread() {
  return static_cast<std::uint64_t>(syscall(SYS_gettid));
}
inline void Sleep(const timespec& time) {
  syscall(SYS_nanosleep, &time, nullptr);
}

// Reads at most `size` bytes from the start of a file; -1: it cannot be read.
inline ssize_t ReadStart(const char* path, void* to, std::size_t size) {
  const int fd = OpenFile(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t length = ReadFile(fd, to, size);
  CloseFile(fd);
  return length;
}

}  // namespace rangefinder::inject
