// Random choices for mutators: the same seed makes the same mutant in every
// build.

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder::testing {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : next_(seed) {}

  // A number below `sides`, which is at least 1.
  std::size_t Roll(std::size_t sides) {
    return (std::uint64_t{next_()} << 32 | next_()) % sides;
  }
  bool OneIn(std::size_t sides) { return Roll(sides) == 0; }

  template <typename List>
  auto& Pick(List& list) {
    return list[Roll(list.size())];
  }

  // A number at which code takes another branch, or a change of `old`.
  std::uint64_t Number(std::uint64_t old) {
    constexpr std::array<std::uint64_t, 14> kEdges = {
        0,       1,          2,          127,        255,
        256,     4095,       0x7fffffff, 0x80000000, 0xffffffff,
        1 << 20, 1ULL << 63, ~0ULL,      ~0ULL >> 1};
    switch (Roll(4)) {
      case 0:
        return Pick(kEdges);
      case 1:
        return old + Roll(5) - 2;
      case 2:
        return old ^ 1ULL << Roll(64);
      default:
        return Roll(16);
    }
  }

  double Real(double old) {
    constexpr std::array<double, 9> kEdges = {
        0,
        -1,
        0.5,
        1e-320,
        1e308,
        -1e308,
        1e18,
        std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity()};
    return OneIn(3) ? old * 1000 : Pick(kEdges);
  }

  // A name that means something to a format or to a file system.
  std::string Name(std::string_view old) {
    constexpr std::array<std::string_view, 22> kNames = {
        "",
        "/",
        "..",
        "../../../etc/passwd",
        "report.md",
        "report.json",
        "CON",
        "a/b",
        "a?b",
        "a_b",
        "</script><script>alert(1)</script>",
        "| a | b |",
        "`x` [y](z)",
        "=1+1",
        "\"quoted\", and more",
        "line\nbreak",
        "\x1b[31mred",
        "\xff\xfe",
        "\xe2\x80\xae",
        "(unattributed)",
        "step_1",
        "LLM@step"};
    switch (Roll(4)) {
      case 0:
        return std::string(old) + static_cast<char>(Roll(256));
      case 1:
        return std::string(1 + Roll(400), 'n');
      default:
        return std::string(Pick(kNames));
    }
  }

 private:
  std::mt19937 next_;
};

// Changes a list: removes, repeats or moves an item.
template <typename T>
void ChangeList(std::vector<T>& list, Dice& dice, std::size_t most = 4096) {
  if (list.empty()) return;
  const std::size_t at = dice.Roll(list.size());
  const auto place = [&](std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  switch (dice.Roll(4)) {
    case 0:
      list.erase(place(at));
      return;
    case 1:
      std::swap(list[at], dice.Pick(list));
      return;
    case 2: {
      T moved = list[at];
      list.erase(place(at));
      list.insert(place(dice.Roll(list.size() + 1)), std::move(moved));
      return;
    }
    default: {
      const std::size_t times = std::size_t{1} << dice.Roll(8);
      const T again = list[at];
      if (list.size() + times <= most) list.insert(place(at), times, again);
      return;
    }
  }
}

}  // namespace rangefinder::testing
