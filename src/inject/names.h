// Every text the program used, once: strings, domains, and labels (what a range
// is called: domain, text, colour and category together). An id is written to
// the file before anybody can use it, so no event ever refers to the unknown.
//
// Not thread-safe: the recorder's lock is held around every call.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "inject/stream.h"

namespace rangefinder::inject {

struct LabelKey {
  std::uint32_t domain = 0;
  std::uint32_t string = 0;
  std::uint32_t color = 0;
  std::uint32_t category = 0;
  friend bool operator==(const LabelKey&, const LabelKey&) = default;
};

// Open addressing over ids whose keys the owner keeps.
class IdTable {
 public:
  // The id for which `equal(id)` holds; or adds `fresh` and returns that.
  template <typename Equal>
  std::uint32_t FindOrAdd(std::uint64_t hash, std::uint32_t fresh,
                          Equal equal) {
    if ((count_ + 1) * 2 > slots_.size()) Grow();
    for (std::size_t i = hash;; ++i) {
      Slot& slot = slots_[i & (slots_.size() - 1)];
      if (slot.id == kEmpty) {
        slot = {hash, fresh};
        ++count_;
        return fresh;
      }
      if (slot.hash == hash && equal(slot.id)) return slot.id;
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t id = kEmpty;
  };
  void Grow();

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
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
    return strings_[string];
  }
  std::uint32_t Label(TraceFile& file, const LabelKey& key);
  // What a label is made of, and a domain's name.
  const LabelKey& KeyOf(std::uint32_t label) const { return labels_[label]; }
  std::string_view DomainName(std::uint32_t domain) const {
    return domain < domains_.size() ? strings_[domains_[domain]]
                                    : std::string_view("(unknown domain)");
  }
  std::uint32_t NewDomain(TraceFile& file, std::string_view name);
  std::uint32_t Shape(TraceFile& file, const ShapeKey& key);
  std::uint32_t Place(TraceFile& file, const PlaceKey& key);
  // A record that has no id of its own: kCategory, kThread, kDevice, ...
  void Note(TraceFile& file, wire::Name kind, std::uint32_t id, std::uint64_t a,
            std::uint64_t b, bool two_words = true);
  void Fact(TraceFile& file, std::string_view key, std::string_view value);

  std::uint32_t domain_count() const {
    return static_cast<std::uint32_t>(domains_.size());
  }
  std::uint32_t string_count() const {
    return static_cast<std::uint32_t>(strings_.size());
  }

  // Begins the stream of names in a new file, with all that is known.
  void Begin(TraceFile& file);
  Stream& stream() { return stream_; }

 private:
  struct Noted {
    wire::Name kind{};
    std::uint32_t id = 0;
    bool two_words = true;
    std::uint64_t a = 0, b = 0;
  };
  const char* Keep(std::string_view text);
  void Write(TraceFile& file, wire::Name kind, std::uint32_t id,
             const std::uint64_t* words, std::size_t count);
  void WriteString(TraceFile& file, std::uint32_t id);
  void WriteLabel(TraceFile& file, std::uint32_t id);
  void WriteNoted(TraceFile& file, const Noted& noted);

  Stream stream_;
  std::vector<std::string_view> strings_;
  std::vector<LabelKey> labels_;
  std::vector<std::uint32_t> domains_;  // the string of each
  std::vector<ShapeKey> shapes_;
  std::vector<PlaceKey> places_;
  std::vector<Noted> noted_;
  IdTable string_ids_, label_ids_, shape_ids_, place_ids_;
  char* arena_ = nullptr;
  std::size_t arena_left_ = 0;
};

}  // namespace rangefinder::inject
