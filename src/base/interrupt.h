// Interrupts: Ctrl-C, SIGTERM and SIGHUP. They are counted while a command runs
// that must end first; otherwise they end this process at once if no data is
// lost.

#pragma once

#include <csignal>
#include <cstddef>
#include <string>

namespace rangefinder {

// While a guard lives, interrupts are counted and do not end this process.
// ProcessRunner::Run holds a guard; a caller holds one around several runs, so
// that no interrupt between them is lost.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  // Interrupts since the outermost guard was made.
  static int Count();
  // Marks the interrupts so far as handled: the interrupted command has ended.
  static void Heed();
};

// While an InterruptEnds lives, also inside a guard, an interrupt ends this
// process with status 130; unfinished files are removed, finished ones stay.
// For long work between two runs that can be repeated. An interrupt that a
// guard counted and that was not heeded ends the process at once. A guard made
// inside an InterruptEnds suspends it.
class InterruptEnds {
 public:
  InterruptEnds();
  InterruptEnds(const InterruptEnds&) = delete;
  InterruptEnds& operator=(const InterruptEnds&) = delete;
  ~InterruptEnds();

 private:
  int outer_guards_ = 0;
};

// While an InterruptWaits lives, an interrupt does not end this process yet:
// for short sequences of steps that belong together.
class InterruptWaits {
 public:
  InterruptWaits();
  InterruptWaits(const InterruptWaits&) = delete;
  InterruptWaits& operator=(const InterruptWaits&) = delete;
  ~InterruptWaits();

 private:
  sigset_t before_{};
};

// Removes the file at `path` if an interrupt ends this process while this
// object lives.
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
