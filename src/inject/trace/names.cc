#include "inject/trace/names.h"

#include <string.h>

#include "wire/checksum.h"

namespace rangefinder::inject {
namespace {

constexpr std::size_t kArena = 64 * 1024;
constexpr std::size_t kMostArenas = 64 * 1024 * 1024;
constexpr std::string_view kTooMany = "(one of too many names)";
constexpr std::uint32_t kMostShapes = 1 << 18;
constexpr std::uint32_t kMostPlaces = 1 << 16;
constexpr std::uint32_t kMostNoted = 1 << 16;
constexpr std::uint32_t kOtherStream = 0xFFFFFFFF;

std::uint32_t Hash(const void* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(wire::Checksum(bytes, size));
}

}  // namespace

// The kernel provides its pages when they are written. Null: there is no room.
const char* Names::Keep(std::string_view text) {
  if (text.empty()) return "";
  if (text.size() > arena_left_) {
    if (arenas_ + kArena > kMostArenas) return nullptr;
    arena_ = static_cast<char*>(MapMemory(kArena));
    arena_left_ = arena_ != nullptr ? kArena : 0;
    if (arena_ == nullptr) return nullptr;
    arenas_ += kArena;
  }
  char* kept = arena_;
  memcpy(kept, text.data(), text.size());
  arena_ += text.size();
  arena_left_ -= text.size();
  return kept;
}
static_assert(wire::kMaxName <= kArena);

std::uint32_t Names::Find(std::string_view text, std::uint32_t hash) const {
  return string_ids_.Find(
      hash, [&](std::uint32_t other) { return TextOf(other) == text; });
}

std::uint32_t Names::Add(TraceFile& file, std::string_view text,
                         std::uint32_t hash) {
  const std::uint32_t id = strings_.size();
  if (!string_ids_.HasRoom() ||
      !strings_.Add({text.data(), static_cast<std::uint32_t>(text.size())}))
    return IdTable::kNone;
  string_ids_.Add(hash, id);
  WriteString(file, id);
  return id;
}

std::uint32_t Names::String(TraceFile& file, std::string_view text) {
  if (text.size() > wire::kMaxName) {
    text = text.substr(0, wire::kMaxName);
    Count(file.live().cut_names);
  }
  const std::uint32_t hash = Hash(text.data(), text.size());
  std::uint32_t id = Find(text, hash);
  if (id != IdTable::kNone) return id;
  const char* kept = strings_.size() < wire::kMostNames ? Keep(text) : nullptr;
  if (kept != nullptr) id = Add(file, {kept, text.size()}, hash);
  if (id != IdTable::kNone) return id;
  Count(file.live().shared_names);
  const std::uint32_t shared = Hash(kTooMany.data(), kTooMany.size());
  id = Find(kTooMany, shared);
  if (id == IdTable::kNone) id = Add(file, kTooMany, shared);
  return id != IdTable::kNone ? id : 0;
}

// kNone: it is not there, and there is no room.
template <typename Key>
std::uint32_t Names::FindOrAdd(Grown<Key>& keys, IdTable& ids, const Key& key,
                               std::uint32_t most) {
  const std::uint32_t hash = Hash(&key, sizeof key);
  const std::uint32_t id =
      ids.Find(hash, [&](std::uint32_t other) { return keys[other] == key; });
  if (id != IdTable::kNone) return id;
  const std::uint32_t fresh = keys.size();
  if (fresh >= most || !ids.HasRoom() || !keys.Add(key)) return IdTable::kNone;
  ids.Add(hash, fresh);
  return fresh;
}

std::uint32_t Names::Label(TraceFile& file, const LabelKey& key) {
  const std::uint32_t before = labels_.size();
  std::uint32_t id = FindOrAdd(labels_, label_ids_, key, wire::kMostNames);
  if (id == IdTable::kNone) {
    Count(file.live().shared_names);
    const LabelKey other{.string = String(file, kTooMany)};
    id = FindOrAdd(labels_, label_ids_, other, wire::kMostNames + 1);
  }
  if (labels_.size() > before) WriteLabel(file, id);
  return id;
}

std::uint32_t Names::NewDomain(TraceFile& file, std::string_view name) {
  const std::uint32_t id = domains_.size();
  if (id >= wire::kNoDomain || !domains_.Add(String(file, name))) {
    Count(file.live().lost_domains);
    return wire::kNoDomain;
  }
  WriteDomain(file, id);
  return id;
}

std::uint32_t Names::Shape(TraceFile& file, const ShapeKey& key) {
  const std::uint32_t before = shapes_.size();
  std::uint32_t id = FindOrAdd(shapes_, shape_ids_, key, kMostShapes);
  if (id == IdTable::kNone) {
    Count(file.live().shared_names);
    // The kernel's name alone.
    const ShapeKey other{{wire::Pack(key.words[0], 0)}};
    id = FindOrAdd(shapes_, shape_ids_, other, kMostShapes * 2);
  }
  if (shapes_.size() > before) WriteShape(file, id);
  return id;
}

std::uint32_t Names::Place(TraceFile& file, const PlaceKey& key) {
  const std::uint32_t before = places_.size();
  std::uint32_t id = FindOrAdd(places_, place_ids_, key, kMostPlaces);
  if (id == IdTable::kNone) {
    Count(file.live().shared_names);
    const PlaceKey other{key.device, key.context, kOtherStream};
    id = FindOrAdd(places_, place_ids_, other, kMostPlaces * 2);
  }
  if (places_.size() > before) WritePlace(file, id);
  return id;
}

// The subject of a record: devices have an id, threads, streams and lines of
// kernels differ in the first word, categories and facts in half of it.
std::uint64_t Names::Noted::what() const {
  switch (kind) {
    case wire::Name::kDevice:
    case wire::Name::kBus:
    case wire::Name::kPeaks:
      return 0;
    default:
      return two_words ? a : static_cast<std::uint32_t>(a);
  }
}

void Names::Note(TraceFile& file, wire::Name kind, std::uint32_t id,
                 std::uint64_t a, std::uint64_t b, bool two_words) {
  const Noted noted{kind, id, two_words, a, b};
  const std::uint64_t key[] = {wire::Pack(static_cast<std::uint64_t>(kind), id),
                               noted.what()};
  const std::uint32_t hash = Hash(key, sizeof key);
  const std::uint32_t known = noted_ids_.Find(hash, [&](std::uint32_t other) {
    const Noted& one = noted_[other];
    return one.kind == kind && one.id == id && one.what() == noted.what();
  });
  if (known != IdTable::kNone) {
    if (noted_[known].a == a && noted_[known].b == b) return;
    noted_[known] = noted;
  } else if (noted_.size() < kMostNoted && noted_ids_.HasRoom() &&
             noted_.Add(noted)) {
    noted_ids_.Add(hash, noted_.size() - 1);
  } else {
    return Count(file.live().lost_notes);
  }
  WriteNoted(file, noted);
}

void Names::Fact(TraceFile& file, std::string_view key,
                 std::string_view value) {
  const std::uint32_t name = String(file, key);
  const std::uint32_t text = String(file, value);
  Note(file, wire::Name::kFact, 0, wire::Pack(name, text), 0, false);
}

void Names::Begin(TraceFile& file) {
  stream_.Start(file, wire::BlockKind::kNames, 0);
  if (domains_.size() == 0) {
    String(file, "");
    NewDomain(file, "");
    return;
  }
  for (std::uint32_t i = 0; i < strings_.size(); ++i) WriteString(file, i);
  for (std::uint32_t i = 0; i < domains_.size(); ++i) WriteDomain(file, i);
  for (std::uint32_t i = 0; i < labels_.size(); ++i) WriteLabel(file, i);
  for (std::uint32_t i = 0; i < shapes_.size(); ++i) WriteShape(file, i);
  for (std::uint32_t i = 0; i < places_.size(); ++i) WritePlace(file, i);
  for (std::uint32_t i = 0; i < noted_.size(); ++i) WriteNoted(file, noted_[i]);
}

void Names::Write(TraceFile& file, wire::Name kind, std::uint32_t id,
                  const std::uint64_t* words, std::size_t count) {
  std::uint64_t* const at = stream_.Reserve(file, count + 1);
  if (at == nullptr) {
    Count(file.live().dropped_events);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) Stream::Put(at, i + 1, words[i]);
  stream_.Commit(at, wire::NameWord(kind, id, count), count + 1);
}

void Names::WriteString(TraceFile& file, std::uint32_t id) {
  const std::string_view text = TextOf(id);
  const std::size_t words = (text.size() + 7) / 8;
  std::uint64_t* const at = stream_.Reserve(file, words + 2);
  if (at == nullptr) {
    Count(file.live().dropped_events);
    return;
  }
  Stream::Put(at, 1, text.size());
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    const std::size_t left = text.size() - i * 8;
    memcpy(&word, text.data() + i * 8, left < 8 ? left : 8);
    Stream::Put(at, i + 2, word);
  }
  stream_.Commit(at, wire::NameWord(wire::Name::kString, id, words + 1),
                 words + 2);
}

void Names::WriteLabel(TraceFile& file, std::uint32_t id) {
  const LabelKey& key = labels_[id];
  const std::uint64_t words[] = {wire::Pack(key.domain, key.string),
                                 wire::Pack(key.color, key.category)};
  Write(file, wire::Name::kLabel, id, words, 2);
}

void Names::WriteDomain(TraceFile& file, std::uint32_t id) {
  const std::uint64_t string = domains_[id];
  Write(file, wire::Name::kDomain, id, &string, 1);
}

void Names::WriteShape(TraceFile& file, std::uint32_t id) {
  Write(file, wire::Name::kShape, id, shapes_[id].words, wire::kShapeWords);
}

void Names::WritePlace(TraceFile& file, std::uint32_t id) {
  const PlaceKey& key = places_[id];
  const std::uint64_t words[] = {wire::Pack(key.device, key.context),
                                 key.stream};
  Write(file, wire::Name::kPlace, id, words, 2);
}

void Names::WriteNoted(TraceFile& file, const Noted& noted) {
  const std::uint64_t words[] = {noted.a, noted.b};
  Write(file, noted.kind, noted.id, words, noted.two_words ? 2 : 1);
}

}  // namespace rangefinder::inject
