// What all decoders of a `.ncu-rep` file's messages use: values, the fields of
// a result, and the note on a field that nobody knows.

#pragma once

#include <string>
#include <string_view>

#include "base/notes.h"
#include "ingest/ncu/ncu_layout.h"
#include "profile/profile.h"

namespace rangefinder::ncu {

// Where in a file the messages lie that are being decoded.
struct Place {
  Notes& notes;
  std::string where{};  // "run.ncu-rep: block 3"

  void NoteUnknown(std::string_view message, Tag field) const;
};

// The field numbers of a result of this kind.
const ResultFields& FieldsOf(MeasurementKind kind);

// The MetricValue in these bytes. Throws protozero::exception on malformed
// input.
Value DecodeValue(std::string_view message, StringPool& strings,
                  const Place& place);

}  // namespace rangefinder::ncu
