// Programs made at random, as lines of profile_builder.h, for tests of laws.
//
// The same seed makes the same program; a larger seed makes a larger one, so
// that the first that breaks a law is a simple one.

#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace rangefinder::testing {

// A name as profile_builder.h reads it back, whatever is in it.
inline std::string EscapeForBuilder(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed), size_(seed) {}

  // Below `count`.
  std::size_t Pick(std::size_t count) { return random_() % count; }
  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[Pick(values.size())];
  }
  // As many as there are in a case of this size, at least one.
  std::size_t Some(std::size_t most) {
    return 1 + Pick(std::min<std::size_t>(most, 1 + size_ / 8));
  }
  template <typename T>
  void Shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[Pick(i)]);
  }

  // " @ A/B; LLM@p; start S", or nothing: what is open at a launch.
  std::string Context(const std::vector<std::string>& names) {
    std::string text;
    const auto add = [&](std::string_view part) {
      text += (text.empty() ? " @ " : "; ") + std::string(part);
    };
    for (const std::string_view domain : {"", "LLM"}) {
      if (Pick(3) == 0) continue;
      std::string stack = std::string(domain) + "@";
      const std::size_t depth = Some(4);
      for (std::size_t i = 0; i < depth; ++i) {
        if (i > 0) stack += '/';
        stack += EscapeForBuilder(Pick(names));
      }
      add(stack);
    }
    for (const std::string_view domain : {"", "LLM"}) {
      if (Pick(4) != 0) continue;
      add("start " + std::string(domain) + "@" + EscapeForBuilder(Pick(names)));
    }
    return text;
  }

  // Kernels of up to two processes on up to two devices, with whole numbers as
  // values, each of which one kernel in eight lacks.
  std::vector<std::string> Kernels(const std::vector<std::string>& names,
                                   const std::vector<std::string>& metrics) {
    std::vector<std::string> lines(Some(40));
    for (std::string& line : lines) {
      line = fmt::format("{} k{} pid={} device={}",
                         Pick(12) == 0 ? "range" : "kernel", Pick(3),
                         1 + Pick(2), Pick(2));
      for (const std::string& metric : metrics) {
        if (Pick(8) != 0) line += fmt::format(" {}={}", metric, 1 + Pick(1000));
      }
      line += Context(names);
    }
    return lines;
  }

 private:
  std::mt19937 random_;
  std::uint32_t size_;
};

}  // namespace rangefinder::testing
