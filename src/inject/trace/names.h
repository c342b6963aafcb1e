// Every text the program used, once: strings, domains, and labels (what a range
// is called: domain, text, colour and category together). An id is written to
// the file before anybody can use it, so no event ever refers to the unknown.
//
// A program may make a new name for every step, for days. So the number of
// names of each kind is limited; all further names share one entry, and their
// uses are counted in the live header.
//
// Not thread-safe: the caller holds the recorder's lock.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/process/own_memory.h"
#include "inject/trace/id_table.h"
#include "inject/trace/stream.h"

namespace rangefinder::inject {

struct LabelKey {
  std::uint32_t domain = 0;
  std::uint32_t string = 0;
  std::uint32_t color = 0;
  std::uint32_t category = 0;
  friend bool operator==(const LabelKey&, const LabelKey&) = default;
};

// A kernel and how it was launched; see wire::kShapeWords.
struct ShapeKey {
  std::uint64_t words[wire::kShapeWords] = {};
  friend bool operator==(const ShapeKey&, const ShapeKey&) = default;
};

struct PlaceKey {
  std::uint32_t device = 0, context = 0, stream = 0;
  friend bool operator==(const PlaceKey&, const PlaceKey&) = default;
};

class Names {
 public:
  // Text longer than wire::kMaxName is cut, and counted in the live header.
  std::uint32_t String(TraceFile& file, std::string_view text);
  // The text of a string, for as long as the process lives.
  std::string_view TextOf(std::uint32_t string) const {
    return string < strings_.size()
               ? std::string_view(strings_[string].at, strings_[string].size)
               : std::string_view();
  }
  std::uint32_t Label(TraceFile& file, const LabelKey& key);
  // The parts of a label, and the name of a domain.
  LabelKey KeyOf(std::uint32_t label) const {
    return label < labels_.size() ? labels_[label] : LabelKey{};
  }
  std::string_view DomainName(std::uint32_t domain) const {
    return domain < domains_.size() ? TextOf(domains_[domain])
                                    : std::string_view("(unknown domain)");
  }
  // wire::kNoDomain: there are too many.
  std::uint32_t NewDomain(TraceFile& file, std::string_view name);
  std::uint32_t Shape(TraceFile& file, const ShapeKey& key);
  std::uint32_t Place(TraceFile& file, const PlaceKey& key);
  // A record without an id of its own: kCategory, kThread, kDevice, ... It
  // replaces an earlier record of the same subject.
  void Note(TraceFile& file, wire::Name kind, std::uint32_t id, std::uint64_t a,
            std::uint64_t b, bool two_words = true);
  void Fact(TraceFile& file, std::string_view key, std::string_view value);

  std::uint32_t string_count() const { return strings_.size(); }

  // Begins the stream of names in a new file, and writes all names into it.
  void Begin(TraceFile& file);
  Stream& stream() { return stream_; }

 private:
  struct Text {
    const char* at = nullptr;
    std::uint32_t size = 0;
  };
  struct Noted {
    wire::Name kind{};
    std::uint32_t id = 0;
    bool two_words = true;
    std::uint64_t a = 0, b = 0;
    std::uint64_t what() const;  // the subject of the record
  };
  const char* Keep(std::string_view text);
  std::uint32_t Find(std::string_view text, std::uint32_t hash) const;
  std::uint32_t Add(TraceFile& file, std::string_view text, std::uint32_t hash);
  template <typename Key>
  std::uint32_t FindOrAdd(Grown<Key>& keys, IdTable& ids, const Key& key,
                          std::uint32_t most);
  void Write(TraceFile& file, wire::Name kind, std::uint32_t id,
             const std::uint64_t* words, std::size_t count);
  void WriteString(TraceFile& file, std::uint32_t id);
  void WriteLabel(TraceFile& file, std::uint32_t id);
  void WriteDomain(TraceFile& file, std::uint32_t id);
  void WriteShape(TraceFile& file, std::uint32_t id);
  void WritePlace(TraceFile& file, std::uint32_t id);
  void WriteNoted(TraceFile& file, const Noted& noted);

  Stream stream_;
  Grown<Text> strings_;
  Grown<LabelKey> labels_;
  Grown<std::uint32_t> domains_;  // the string of each
  Grown<ShapeKey> shapes_;
  Grown<PlaceKey> places_;
  Grown<Noted> noted_;
  IdTable string_ids_, label_ids_, shape_ids_, place_ids_, noted_ids_;
  char* arena_ = nullptr;
  std::size_t arena_left_ = 0;
  std::size_t arenas_ = 0;  // bytes of all
};

}  // namespace rangefinder::inject
