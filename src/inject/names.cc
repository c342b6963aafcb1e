#include "inject/names.h"

#include <new>

#include <stdlib.h>
#include <string.h>

#include "wire/checksum.h"

namespace rangefinder::inject {
namespace {

constexpr std::size_t kArena = 64 * 1024;
// A program that makes a new name for every step must not fill its memory with
// them: beyond this, new names share one.
constexpr std::size_t kMostNames = std::size_t{1} << 22;
constexpr std::string_view kTooMany = "(one of more than 4194304 names)";

}  // namespace

void IdTable::Grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? 256 : old.size() * 2, Slot{});
  for (const Slot& slot : old) {
    if (slot.id == kEmpty) continue;
    std::size_t i = slot.hash & (slots_.size() - 1);
    while (slots_[i].id != kEmpty) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
}

const char* Names::Keep(std::string_view text) {
  if (text.empty()) return "";
  if (text.size() > arena_left_) {
    const std::size_t size = text.size() > kArena ? text.size() : kArena;
    arena_ = static_cast<char*>(malloc(size));
    if (arena_ == nullptr) {
      arena_left_ = 0;
      throw std::bad_alloc();  // caught where the program called us
    }
    arena_left_ = size;
  }
  char* kept = arena_;
  memcpy(kept, text.data(), text.size());
  arena_ += text.size();
  arena_left_ -= text.size();
  return kept;
}

std::uint32_t Names::String(TraceFile& file, std::string_view text) {
  if (text.size() > wire::kMaxName) {
    text = text.substr(0, wire::kMaxName);
    Count(file.live().cut_names);
  }
  if (strings_.size() >= kMostNames) text = kTooMany;
  const std::uint64_t hash = wire::Checksum(text.data(), text.size());
  const auto fresh = static_cast<std::uint32_t>(strings_.size());
  const std::uint32_t id = string_ids_.FindOrAdd(
      hash, fresh,
      [&](std::uint32_t other) { return strings_[other] == text; });
  if (id == fresh) {
    strings_.push_back({Keep(text), text.size()});
    WriteString(file, id);
  }
  return id;
}

std::uint32_t Names::Label(TraceFile& file, const LabelKey& key) {
  const auto fresh = static_cast<std::uint32_t>(labels_.size());
  const std::uint32_t id = label_ids_.FindOrAdd(
      wire::Checksum(&key, sizeof key), fresh,
      [&](std::uint32_t other) { return labels_[other] == key; });
  if (id == fresh) {
    labels_.push_back(key);
    WriteLabel(file, id);
  }
  return id;
}

std::uint32_t Names::NewDomain(TraceFile& file, std::string_view name) {
  if (domains_.size() >= wire::kNoDomain) return 0;
  const std::uint64_t string = String(file, name);
  domains_.push_back(static_cast<std::uint32_t>(string));
  const auto id = static_cast<std::uint32_t>(domains_.size() - 1);
  Write(file, wire::Name::kDomain, id, &string, 1);
  return id;
}

std::uint32_t Names::Shape(TraceFile& file, const ShapeKey& key) {
  const auto fresh = static_cast<std::uint32_t>(shapes_.size());
  const std::uint32_t id = shape_ids_.FindOrAdd(
      wire::Checksum(&key, sizeof key), fresh,
      [&](std::uint32_t other) { return shapes_[other] == key; });
  if (id == fresh) {
    shapes_.push_back(key);
    Write(file, wire::Name::kShape, id, key.words, wire::kShapeWords);
  }
  return id;
}

std::uint32_t Names::Place(TraceFile& file, const PlaceKey& key) {
  const auto fresh = static_cast<std::uint32_t>(places_.size());
  const std::uint32_t id = place_ids_.FindOrAdd(
      wire::Checksum(&key, sizeof key), fresh,
      [&](std::uint32_t other) { return places_[other] == key; });
  if (id == fresh) {
    places_.push_back(key);
    const std::uint64_t words[] = {wire::Pack(key.device, key.context),
                                   key.stream};
    Write(file, wire::Name::kPlace, id, words, 2);
  }
  return id;
}

void Names::Note(TraceFile& file, wire::Name kind, std::uint32_t id,
                 std::uint64_t a, std::uint64_t b, bool two_words) {
  noted_.push_back({kind, id, two_words, a, b});
  WriteNoted(file, noted_.back());
}

void Names::Fact(TraceFile& file, std::string_view key,
                 std::string_view value) {
  const std::uint32_t name = String(file, key);
  const std::uint32_t text = String(file, value);
  Note(file, wire::Name::kFact, 0, wire::Pack(name, text), 0, false);
}

void Names::Begin(TraceFile& file) {
  stream_.Start(file, wire::BlockKind::kNames, 0);
  if (domains_.empty()) {
    String(file, "");
    NewDomain(file, "");
    return;
  }
  for (std::uint32_t i = 0; i < strings_.size(); ++i) WriteString(file, i);
  for (std::uint32_t i = 0; i < domains_.size(); ++i) {
    const std::uint64_t string = domains_[i];
    Write(file, wire::Name::kDomain, i, &string, 1);
  }
  for (std::uint32_t i = 0; i < labels_.size(); ++i) WriteLabel(file, i);
  for (std::uint32_t i = 0; i < shapes_.size(); ++i) {
    Write(file, wire::Name::kShape, i, shapes_[i].words, wire::kShapeWords);
  }
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    const std::uint64_t words[] = {
        wire::Pack(places_[i].device, places_[i].context), places_[i].stream};
    Write(file, wire::Name::kPlace, i, words, 2);
  }
  for (const Noted& noted : noted_) WriteNoted(file, noted);
}

void Names::Write(TraceFile& file, wire::Name kind, std::uint32_t id,
                  const std::uint64_t* words, std::size_t count) {
  if (!stream_.Reserve(file, count + 1)) {
    Count(file.live().dropped_events);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) stream_.Put(i + 1, words[i]);
  stream_.Commit(wire::NameWord(kind, id, count), count + 1);
}

void Names::WriteString(TraceFile& file, std::uint32_t id) {
  const std::string_view text = strings_[id];
  const std::size_t words = (text.size() + 7) / 8;
  if (!stream_.Reserve(file, words + 2)) {
    Count(file.live().dropped_events);
    return;
  }
  stream_.Put(1, text.size());
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    const std::size_t left = text.size() - i * 8;
    memcpy(&word, text.data() + i * 8, left < 8 ? left : 8);
    stream_.Put(i + 2, word);
  }
  stream_.Commit(wire::NameWord(wire::Name::kString, id, words + 1), words + 2);
}

void Names::WriteLabel(TraceFile& file, std::uint32_t id) {
  const LabelKey& key = labels_[id];
  const std::uint64_t words[] = {wire::Pack(key.domain, key.string),
                                 wire::Pack(key.color, key.category)};
  Write(file, wire::Name::kLabel, id, words, 2);
}

void Names::WriteNoted(TraceFile& file, const Noted& noted) {
  const std::uint64_t words[] = {noted.a, noted.b};
  Write(file, noted.kind, noted.id, words, noted.two_words ? 2 : 1);
}

}  // namespace rangefinder::inject
