// Each text that the program uses, stored once: strings, domains, and labels
// (the name of a range: domain, text, colour and category together). An id is
// written to the file before it is used, so no event refers to an unknown id.
//
// A program may make a new name for every step, for days. So the number of
// names of each kind is limited; all further names share one entry, and their
// uses are counted in the live header. An armed process forgets the names of a
// window before the next one.
//
// Not thread-safe: the caller holds the recorder's lock.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/process/own_memory.h"
#include "inject/trace/id_table.h"
#include "inject/trace/label_spelling.h"
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

// The memory of texts; it is never freed.
class Texts {
 public:
  // Null: there is no room.
  const char* Keep(std::string_view text);
  // The texts so far may be overwritten.
  void Reuse() {
    used_ = 0;
    left_ = 0;
  }

 private:
  Grown<char*> chunks_;
  std::uint32_t used_ = 0;  // of the chunks
  char* at_ = nullptr;
  std::size_t left_ = 0;
};

class Names {
 public:
  // Text longer than wire::kMaxName is cut, and counted in the live header.
  std::uint32_t String(TraceFile& file, std::string_view text) {
    return String(file, text, false);
  }
  // The same for a string that Forget() keeps: the program has its handle, or
  // has named a thread, a stream, a category or a domain.
  std::uint32_t LastingString(TraceFile& file, std::string_view text) {
    return String(file, text, true);
  }
  // The text of a string, until it is forgotten.
  std::string_view TextOf(std::uint32_t string) const {
    return string < strings_.size()
               ? std::string_view(strings_[string].at, strings_[string].size)
               : std::string_view();
  }
  std::uint32_t Label(TraceFile& file, const LabelKey& key);
  std::uint32_t Label(TraceFile& file, const LabelSpelling& spelling) {
    return Label(file, KeyFor(file, spelling, false));
  }
  // A label whose string Forget() keeps.
  LabelKey LastingLabel(TraceFile& file, const LabelSpelling& spelling) {
    return KeyFor(file, spelling, true);
  }
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

  // Begins the stream of names in a new file, and writes all names into it.
  void Begin(TraceFile& file);
  // Completes the stream. Later names are kept, and written by Begin().
  void End(TraceFile& file);
  // In a forked child: the file is the parent's.
  void Leave() {
    stream_.Discard();
    writes_ = false;
  }
  // Forgets labels, kernels, facts and all strings that do not last. Their ids
  // are used again.
  void Forget();
  Stream& stream() { return stream_; }

 private:
  struct Text {
    const char* at = nullptr;  // null: the id is free
    std::uint32_t size = 0;
    bool lasts = false;
  };
  struct Noted {
    wire::Name kind{};
    std::uint32_t id = 0;
    bool two_words = true;
    std::uint64_t a = 0, b = 0;
    std::uint64_t what() const;  // the subject of the record
    std::uint32_t Hash() const;  // of kind, id and subject
  };
  std::uint32_t String(TraceFile& file, std::string_view text, bool lasts);
  LabelKey KeyFor(TraceFile& file, const LabelSpelling& spelling, bool lasts);
  bool MakeLast(std::uint32_t string);
  std::uint32_t Find(std::string_view text, std::uint32_t hash) const;
  std::uint32_t Add(TraceFile& file, const Text& text, std::uint32_t hash);
  void ForgetStrings();
  void ForgetFacts();
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
  // The texts of the last window stay: a thread in the middle of a call may
  // compare its name with one of them.
  Texts texts_[2], lasting_texts_;
  std::uint32_t window_ = 0;
  std::uint32_t free_ = 0;  // no string below has a free id
  bool writes_ = false;     // between Begin() and End()
};

}  // namespace rangefinder::inject
