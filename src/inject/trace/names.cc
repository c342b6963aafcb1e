#include "inject/trace/names.h"

#include <string.h>

#include "wire/checksum.h"

namespace rangefinder::inject {
namespace {

constexpr std::size_t kChunk = 64 * 1024;
constexpr std::uint32_t kMostChunks = 1024;
// The name of everything for which there is no room. Its string and label are
// made first, while there is memory.
constexpr std::string_view kTooMany = "(one of too many names)";
constexpr std::uint32_t kTooManyString = 1, kTooManyLabel = 0;
constexpr std::uint32_t kMostShapes = 1 << 18;
constexpr std::uint32_t kMostPlaces = 1 << 16;
constexpr std::uint32_t kMostNoted = 1 << 16;
constexpr std::uint32_t kOtherStream = 0xFFFFFFFF;

std::uint32_t Hash(const void* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(wire::Checksum(bytes, size));
}

}  // namespace

// The kernel provides a chunk's pages when they are written.
const char* Texts::Keep(std::string_view text) {
  if (text.empty()) return "";
  if (text.size() > left_) {
    if (used_ == chunks_.size()) {
      if (used_ == kMostChunks) return nullptr;
      auto* const chunk = static_cast<char*>(MapMemory(kChunk));
      if (chunk == nullptr) return nullptr;
      if (!chunks_.Add(chunk)) {
        UnmapMemory(chunk, kChunk);
        return nullptr;
      }
    }
    at_ = chunks_[used_++];
    left_ = kChunk;
  }
  char* const kept = at_;
  memcpy(kept, text.data(), text.size());
  at_ += text.size();
  left_ -= text.size();
  return kept;
}
static_assert(wire::kMaxName <= kChunk);

std::uint32_t Names::Find(std::string_view text, std::uint32_t hash) const {
  return string_ids_.Find(
      hash, [&](std::uint32_t other) { return TextOf(other) == text; });
}

std::uint32_t Names::Add(TraceFile& file, const Text& text,
                         std::uint32_t hash) {
  while (free_ < strings_.size() && strings_[free_].at != nullptr) ++free_;
  const std::uint32_t id = free_;
  if (!string_ids_.HasRoom() || (id == strings_.size() && !strings_.Add(text)))
    return IdTable::kNone;
  strings_[id] = text;
  string_ids_.Add(hash, id);
  WriteString(file, id);
  return id;
}

// False: there is no room.
bool Names::MakeLast(std::uint32_t string) {
  Text& text = strings_[string];
  if (text.lasts) return true;
  const char* const kept = lasting_texts_.Keep(TextOf(string));
  if (kept == nullptr) return false;
  text.at = kept;
  text.lasts = true;
  return true;
}

std::uint32_t Names::String(TraceFile& file, std::string_view text,
                            bool lasts) {
  if (text.size() > wire::kMaxName) {
    text = text.substr(0, wire::kMaxName);
    Count(file.live().cut_names);
  }
  const std::uint32_t hash = Hash(text.data(), text.size());
  std::uint32_t id = Find(text, hash);
  if (id != IdTable::kNone && (!lasts || MakeLast(id))) return id;
  Texts& texts = lasts ? lasting_texts_ : texts_[window_ % 2];
  const char* const kept =
      id == IdTable::kNone && strings_.size() < wire::kMostNames
          ? texts.Keep(text)
          : nullptr;
  if (kept != nullptr)
    id =
        Add(file, {kept, static_cast<std::uint32_t>(text.size()), lasts}, hash);
  if (kept != nullptr && id != IdTable::kNone) return id;
  Count(file.live().shared_names);
  return kTooManyString;
}

std::uint32_t Names::Label(TraceFile& file, const LabelKey& key) {
  const std::uint32_t before = labels_.size();
  const std::uint32_t id =
      FindOrAdd(labels_, label_ids_, key, wire::kMostNames);
  if (id == IdTable::kNone) {
    Count(file.live().shared_names);
    return kTooManyLabel;
  }
  if (labels_.size() > before) WriteLabel(file, id);
  return id;
}

LabelKey Names::KeyFor(TraceFile& file, const LabelSpelling& spelling,
                       bool lasts) {
  LabelKey key{.domain = spelling.domain,
               .string = 0,
               .color = spelling.color,
               .category = spelling.category};
  if (spelling.handle == 0) {
    key.string = String(file, {spelling.text, spelling.length}, lasts);
    return key;
  }
  const std::uint64_t string = spelling.handle >> 8;
  const bool known = (spelling.handle & 0xFF) == kStringMark &&
                     string < strings_.size() && strings_[string].at != nullptr;
  key.string = known ? static_cast<std::uint32_t>(string)
                     : String(file, "(unknown registered string)", lasts);
  return key;
}

std::uint32_t Names::NewDomain(TraceFile& file, std::string_view name) {
  const std::uint32_t id = domains_.size();
  if (id >= wire::kNoDomain || !domains_.Add(LastingString(file, name))) {
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

std::uint32_t Names::Noted::Hash() const {
  const std::uint64_t key[] = {wire::Pack(static_cast<std::uint64_t>(kind), id),
                               what()};
  return inject::Hash(key, sizeof key);
}

void Names::Note(TraceFile& file, wire::Name kind, std::uint32_t id,
                 std::uint64_t a, std::uint64_t b, bool two_words) {
  const Noted noted{kind, id, two_words, a, b};
  const std::uint32_t hash = noted.Hash();
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
  const std::uint32_t name = LastingString(file, key);
  const std::uint32_t text = LastingString(file, value);
  Note(file, wire::Name::kFact, 0, wire::Pack(name, text), 0, false);
}

void Names::Begin(TraceFile& file) {
  stream_.Start(file, wire::BlockKind::kNames, 0);
  writes_ = true;
  for (std::uint32_t i = 0; i < strings_.size(); ++i) {
    if (strings_[i].at != nullptr) WriteString(file, i);
  }
  for (std::uint32_t i = 0; i < domains_.size(); ++i) WriteDomain(file, i);
  if (domains_.size() == 0) NewDomain(file, "");
  for (std::uint32_t i = 0; i < labels_.size(); ++i) WriteLabel(file, i);
  if (labels_.size() == 0)
    Label(file, {.string = LastingString(file, kTooMany)});
  for (std::uint32_t i = 0; i < shapes_.size(); ++i) WriteShape(file, i);
  for (std::uint32_t i = 0; i < places_.size(); ++i) WritePlace(file, i);
  for (std::uint32_t i = 0; i < noted_.size(); ++i) WriteNoted(file, noted_[i]);
}

void Names::End(TraceFile& file) {
  stream_.Seal(file);
  writes_ = false;
}

void Names::ForgetStrings() {
  string_ids_.Clear();
  std::uint32_t end = 0;
  for (std::uint32_t i = 0; i < strings_.size(); ++i) {
    if (!strings_[i].lasts) {
      strings_[i] = {};
      continue;
    }
    const std::string_view text = TextOf(i);
    string_ids_.Add(Hash(text.data(), text.size()), i);
    end = i + 1;
  }
  strings_.Truncate(end);
  free_ = 0;
  texts_[++window_ % 2].Reuse();
}

// Each file has its own.
void Names::ForgetFacts() {
  noted_ids_.Clear();
  std::uint32_t end = 0;
  for (std::uint32_t i = 0; i < noted_.size(); ++i) {
    if (noted_[i].kind == wire::Name::kFact) continue;
    noted_[end] = noted_[i];
    noted_ids_.Add(noted_[end].Hash(), end);
    ++end;
  }
  noted_.Truncate(end);
}

void Names::Forget() {
  ForgetStrings();
  ForgetFacts();
  labels_.Truncate(0);
  shapes_.Truncate(0);
  places_.Truncate(0);
  for (IdTable* const ids : {&label_ids_, &shape_ids_, &place_ids_})
    ids->Clear();
}

void Names::Write(TraceFile& file, wire::Name kind, std::uint32_t id,
                  const std::uint64_t* words, std::size_t count) {
  if (writes_ &&
      !stream_.Write(file, wire::NameWord(kind, id, count), words, count))
    Count(file.live().dropped_events);
}

void Names::WriteString(TraceFile& file, std::uint32_t id) {
  if (!writes_) return;
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
