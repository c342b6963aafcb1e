// Helpers for libFuzzer targets that have their own mutator.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/fuzz/dice.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t most);

namespace rangefinder::testing {

// Replaces the input with `change(input, seed)`. Now and then, and where the
// result is too large or unchanged, libFuzzer's own mutation is used.
template <typename Change>
std::size_t Mutate(std::uint8_t* data, std::size_t size, std::size_t most,
                   unsigned seed, Change change) {
  if (seed % 8 != 0) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::string changed = change(bytes, seed);
    if (changed.size() <= most && changed != bytes) {
      std::memcpy(data, changed.data(), changed.size());
      return changed.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}

// Repeats a part of a text as often as there is room, so that nesting gets
// deep; else libFuzzer's own mutation.
inline std::size_t MutateText(std::uint8_t* data, std::size_t size,
                              std::size_t most, unsigned seed) {
  Dice dice(seed);
  if (size == 0 || !dice.OneIn(8)) return LLVMFuzzerMutate(data, size, most);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t at = dice.Roll(size);
  const std::string part = text.substr(at, 1 + dice.Roll(16));
  std::string longer = text.substr(0, at);
  for (std::size_t i = std::size_t{1} << dice.Roll(14);
       i > 0 && longer.size() + part.size() + size <= most; --i)
    longer += part;
  longer += text.substr(at);
  if (longer.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, longer.data(), longer.size());
  return longer.size();
}

}  // namespace rangefinder::testing
