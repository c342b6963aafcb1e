// What all decoders of a `.ncu-rep` file's messages use: fields as they come
// from protozero, values, and the note on a field that nobody knows.

#pragma once

#include <string>
#include <string_view>

#include <protozero/pbf_message.hpp>

#include "base/notes.h"
#include "ingest/ncu_schema.h"
#include "profile/profile.h"

namespace rangefinder::ncu {

inline std::string_view View(protozero::data_view view) {
  return {view.data(), view.size()};
}

template <typename Message>
protozero::pbf_message<Message> Open(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}

// A field's number, whichever message it is of.
template <typename Field>
Tag Number(Field field) {
  return static_cast<Tag>(field);
}

// Where in a file the messages lie that are being decoded.
struct Place {
  Notes& notes;
  std::string where{};  // "run.ncu-rep: block 3"

  void NoteUnknown(std::string_view message, Tag field) const;
};

// The MetricValue in these bytes. Throws protozero::exception on malformed
// input.
Value DecodeValue(std::string_view message, StringPool& strings,
                  const Place& place);

}  // namespace rangefinder::ncu
