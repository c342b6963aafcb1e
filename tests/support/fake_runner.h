// A ProcessRunner that runs nothing: the test answers each command.

#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/process.h"

namespace rangefinder {

class FakeRunner final : public ProcessRunner {
 public:
  using ProcessRunner::Run;
  using Answer = std::function<Result<Finished>(const Command&, const Watch&)>;

  explicit FakeRunner(Answer answer) : answer_(std::move(answer)) {}

  Result<Finished> Run(const Command& command, const Watch& watch) override {
    commands.push_back(command);
    return answer_(command, watch);
  }

  // Every program is there except those in `missing`.
  std::optional<std::filesystem::path> Find(
      const std::string& program) override {
    for (const std::string& absent : missing) {
      if (program == absent) return std::nullopt;
    }
    if (program.find('/') != std::string::npos) return program;
    return "/usr/bin/" + program;
  }

  std::vector<Command> commands{};
  std::vector<std::string> missing{};

 private:
  Answer answer_;
};

}  // namespace rangefinder
