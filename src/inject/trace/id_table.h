// A hash table of ids, with open addressing. Its owner keeps the keys.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "inject/process/own_memory.h"
#include "wire/checksum.h"

namespace rangefinder::inject {

class IdTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // The id for which `equal(id)` holds, or kNone.
  template <typename Equal>
  std::uint32_t Find(std::uint32_t hash, Equal equal) const {
    if (room_ == 0) return kNone;
    for (std::size_t i = hash & (room_ - 1); slots_[i].next_id != 0;
         i = (i + 1) & (room_ - 1)) {
      if (slots_[i].hash == hash && equal(slots_[i].next_id - 1))
        return slots_[i].next_id - 1;
    }
    return kNone;
  }

  // Makes room for one more id. False: there is no memory.
  bool HasRoom() { return (count_ + 1) * 2 <= room_ || Grow(); }
  // Adds an id that is not in the table. HasRoom() must have returned true.
  void Add(std::uint32_t hash, std::uint32_t id) {
    Put({hash, id + 1});
    ++count_;
  }
  // Forgets all ids, and keeps the memory.
  void Clear() {
    if (room_ > 0) std::memset(slots_, 0, room_ * sizeof(Slot));
    count_ = 0;
  }

 private:
  struct Slot {
    std::uint32_t hash;
    std::uint32_t next_id;  // 0: none
  };

  void Put(Slot slot) {
    std::size_t i = slot.hash & (room_ - 1);
    while (slots_[i].next_id != 0) i = (i + 1) & (room_ - 1);
    slots_[i] = slot;
  }

  bool Grow() {
    Slot* const old = slots_;
    const std::size_t count = room_;
    const std::size_t grown = count == 0 ? 512 : count * 2;
    auto* slots = static_cast<Slot*>(MapMemory(grown * sizeof(Slot)));
    if (slots == nullptr) return false;
    slots_ = slots;
    room_ = grown;
    for (std::size_t i = 0; i < count; ++i) {
      if (old[i].next_id != 0) Put(old[i]);
    }
    UnmapMemory(old, count * sizeof(Slot));
    return true;
  }

  Slot* slots_ = nullptr;
  std::size_t room_ = 0;  // a power of two
  std::size_t count_ = 0;
};

// The id of a key, which is its place in `keys`; a new key is added while there
// are fewer than `most`. kNone: there is no room for a new key.
template <typename Key>
std::uint32_t FindOrAdd(Grown<Key>& keys, IdTable& ids, const Key& key,
                        std::uint32_t most) {
  static_assert(std::has_unique_object_representations_v<Key>);
  const auto hash =
      static_cast<std::uint32_t>(wire::Checksum(&key, sizeof key));
  const std::uint32_t id =
      ids.Find(hash, [&](std::uint32_t other) { return keys[other] == key; });
  if (id != IdTable::kNone) return id;
  const std::uint32_t fresh = keys.size();
  if (fresh >= most || !ids.HasRoom() || !keys.Add(key)) return IdTable::kNone;
  ids.Add(hash, fresh);
  return fresh;
}

}  // namespace rangefinder::inject
