// Random programs as lines of profile_builder.h, for tests of laws. The same
// seed makes the same program, and a larger seed a larger program, so the first
// program that breaks a law is a simple one.

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

// Escapes a name, whatever it contains, so that profile_builder.h reads it
// back.
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

  // A random number below `count`.
  std::size_t Pick(std::size_t count) { return random_() % count; }
  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[Pick(values.size())];
  }
  // A random number from 1 to the limit for a program of this size.
  std::size_t Some(std::size_t most) {
    return 1 + Pick(std::min<std::size_t>(most, 1 + size_ / 8));
  }
  template <typename T>
  void Shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[Pick(i)]);
  }

  // The ranges that are open at a launch, as " @ A/B; LLM@p; start S", or
  // nothing.
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

  // Kernels of up to two processes on up to two devices. Values are whole
  // numbers; one kernel in eight lacks each value.
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
