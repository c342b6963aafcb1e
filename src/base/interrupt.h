// What Ctrl-C, SIGTERM and SIGHUP do: they are remembered where something else
// must come to its end first, and end this process at once where nothing is
// lost by it.

#pragma once

#include <csignal>
#include <cstddef>
#include <string>

namespace rangefinder {

// While one lives, interrupts are remembered and do not end this process.
// ProcessRunner::Run holds one; hold one around several runs so that nothing is
// lost between them.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  // How many came since the outermost guard was made.
  static int Count();
  // What came so far has ended what ran.
  static void Heed();
};

// While one lives, inside a guard too, an interrupt ends this process with
// status 130: what is being written is removed, what is written stays. For
// work between two runs that takes long and can be done again. One that a guard
// remembers and nobody heeded ends it at once. A guard that is made in it
// suspends it.
class InterruptEnds {
 public:
  InterruptEnds();
  InterruptEnds(const InterruptEnds&) = delete;
  InterruptEnds& operator=(const InterruptEnds&) = delete;
  ~InterruptEnds();

 private:
  int outer_guards_ = 0;
};

// While one lives, an interrupt that ends this process waits: for steps that
// are done together or not at all, and take no time.
class InterruptWaits {
 public:
  InterruptWaits();
  InterruptWaits(const InterruptWaits&) = delete;
  InterruptWaits& operator=(const InterruptWaits&) = delete;
  ~InterruptWaits();

 private:
  sigset_t before_{};
};

// A file that is removed when an interrupt ends this process while this lives.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(std::string path);
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile();

 private:
  std::string path_;
  std::size_t place_ = 0;  // in the list that the signal handler reads
};

}  // namespace rangefinder
