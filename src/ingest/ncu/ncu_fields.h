// A message of a `.ncu-rep` file as a table: which field goes where.
//
//   using enum ncu::NvtxDomain;
//   const Fields fields{
//       Into(kId, domain.id),
//       Text(kName, strings, domain.name),
//   };
//   fields.Read(message);
//
// A field is taken with the wire type of what it is read as, and skipped with
// any other, as are fields that no row names. Throws protozero::exception on
// malformed input, as the functions that use it do.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <protozero/pbf_reader.hpp>

#include "ingest/ncu/ncu_layout.h"
#include "profile/strings.h"

namespace rangefinder::ncu {

using Bytes = std::string_view;  // of a text, or of an inner message

// How a type of ours stands in a message.
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

// A row: the field with this number, read as a T and given to `take`.
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

// Each time the field comes.
template <typename T = Bytes, typename Field, typename Take>
Row<T, Take> Each(Field field, Take take) {
  return {static_cast<Tag>(field), take};
}

// The last one counts.
template <typename Field, typename To>
auto Into(Field field, To& to) {
  using T = std::conditional_t<std::is_same_v<To, std::string>, Bytes, To>;
  return Each<T>(field, [&to](T value) { to = value; });
}

template <typename Field>
auto Text(Field field, StringPool& strings, StringId& to) {
  return Each(field, [&](Bytes text) { to = strings.Intern(text); });
}

// The last row: is told the number of each field that no row before it read.
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

// The table: the first row that has a field's number and type reads it.
template <typename... Rows>
class Fields {
 public:
  explicit Fields(Rows... rows) : rows_(rows...) {}

  void Read(Bytes message) const {
    protozero::pbf_reader in(message.data(), message.size());
    const auto read = [&](const Rows&... rows) {
      return (rows.Reads(in) || ...);
    };
    while (in.next()) {
      if (!std::apply(read, rows_)) in.skip();
    }
  }

 private:
  std::tuple<Rows...> rows_;
};

}  // namespace rangefinder::ncu
