// Names of ranges that are shown as one: `decode_*` for decode_0 to decode_63.
//
// A tree of the names under the names around them, since one name may be a
// counter here and not there. Filled by region/merge.h, and read by PathOf(),
// so that nothing after it needs to know. Empty where nothing is merged.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "profile/strings.h"

namespace rangefinder {

class MergedNames {
 public:
  // A path of names as they are shown; 0 is the empty one.
  using Node = std::uint32_t;

  // Where a range of this name leads to, and what it is shown as.
  struct Step {
    Node node = 0;
    StringId shown{};
  };
  struct Key {
    Node parent = 0;
    StringId domain{};
    StringId name{};  // as the program gave it
    friend bool operator==(const Key&, const Key&) = default;
  };

  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = key.parent;
      hash =
          hash * 0x9E3779B97F4A7C15U + static_cast<std::uint32_t>(key.domain);
      hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::uint32_t>(key.name);
      return std::hash<std::uint64_t>{}(hash ^ hash >> 32);
    }
  };

  bool empty() const { return steps_.empty(); }
  void Add(const Key& key, const Step& step) { steps_.emplace(key, step); }
  // Nothing for a range that was not known when names were merged.
  std::optional<Step> Find(const Key& key) const {
    const auto known = steps_.find(key);
    if (known == steps_.end()) return std::nullopt;
    return known->second;
  }
  const auto& steps() const { return steps_; }

 private:
  std::unordered_map<Key, Step, Hash> steps_;
};

}  // namespace rangefinder
