// The standard input of a program that is run several times: a file can be read
// again from where it stood, a pipe only once.

#pragma once

#include <cstdint>
#include <optional>

namespace rangefinder {

class StandardInput {
 public:
  StandardInput();

  // False where a run would take what a later one needs.
  bool CanBeReadAgain() const { return !once_; }
  // Back to where it stood.
  void ReadAgain() const;

 private:
  std::optional<std::int64_t> offset_{};  // of a file
  bool once_ = false;
};

}  // namespace rangefinder
