// A message of a `.ncu-rep` file is read by a table that maps fields to places:
//
//   using enum ncu::NvtxDomain;
//   ReadFields(message, Into(kId, domain.id),
//              Text(kName, strings, domain.name));
//
// A field is read only if its wire type fits the row's type; other fields, and
// fields without a row, are skipped. ReadFields() and all functions that use it
// throw protozero::exception on malformed input.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <protozero/pbf_reader.hpp>

#include "base/notes.h"
#include "ingest/ncu/ncu_layout.h"
#include "profile/profile.h"

namespace rangefinder::ncu {

using Bytes = std::string_view;  // of a text or an inner message

// The wire type of a C++ type.
template <typename T>
constexpr protozero::pbf_wire_type WireTypeOf() {
  using enum protozero::pbf_wire_type;
  if constexpr (std::is_integral_v<T>) return varint;
  if constexpr (std::is_same_v<T, float>) return fixed32;
  if constexpr (std::is_same_v<T, double>) return fixed64;
  return length_delimited;
}

template <typename T>
T Get(protozero::pbf_reader& in) {
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    return in.get_uint32();
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return in.get_uint64();
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return in.get_int32();
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return in.get_int64();
  } else if constexpr (std::is_same_v<T, float>) {
    return in.get_float();
  } else if constexpr (std::is_same_v<T, double>) {
    return in.get_double();
  } else {
    static_assert(std::is_same_v<T, Bytes>);
    const protozero::data_view view = in.get_view();
    return {view.data(), view.size()};
  }
}

// A row: the field with this number is read as a T and given to `take`.
template <typename T, typename Take>
struct Row {
  Tag field;
  Take take;

  bool Reads(protozero::pbf_reader& in) const {
    if (in.tag() != field || in.wire_type() != WireTypeOf<T>()) return false;
    take(Get<T>(in));
    return true;
  }
};

// Calls `take` for each occurrence of the field.
template <typename T = Bytes, typename Field, typename Take>
Row<T, Take> Each(Field field, Take take) {
  return {static_cast<Tag>(field), take};
}

// Stores the field; the last occurrence counts.
template <typename Field, typename To>
auto Into(Field field, To& to) {
  using T = std::conditional_t<std::is_same_v<To, std::string>, Bytes, To>;
  return Each<T>(field, [&to](T value) { to = value; });
}

template <typename Field>
auto Text(Field field, StringPool& strings, StringId& to) {
  return Each(field, [&](Bytes text) { to = strings.Intern(text); });
}

// The last row: calls `note` with the number of each field that no row read.
template <typename Note>
struct Unread {
  Note note;

  bool Reads(protozero::pbf_reader& in) const {
    note(in.tag());
    return false;
  }
};
template <typename Note>
Unread(Note) -> Unread<Note>;

// The first row with a field's number and type reads the field.
template <typename... Rows>
void ReadFields(Bytes message, const Rows&... rows) {
  protozero::pbf_reader in(message.data(), message.size());
  while (in.next()) {
    if (!(rows.Reads(in) || ...)) in.skip();
  }
}

// The place in a file of the messages that are being decoded.
struct Place {
  Notes& notes;
  std::string where{};  // "run.ncu-rep: block 3"

  void NoteUnknown(std::string_view message, Tag field) const;
};

// The field numbers of a result of this kind.
const ResultFields& FieldsOf(MeasurementKind kind);

// Decodes a MetricValue.
Value DecodeValue(std::string_view message, StringPool& strings,
                  const Place& place);

}  // namespace rangefinder::ncu
