#include "ingest/ncu/ncu_fields.h"

#include <array>

#include <fmt/format.h>

namespace rangefinder::ncu {

void Place::NoteUnknown(std::string_view message, Tag field) const {
  notes.Add(Severity::kInfo, "unknown_field",
            fmt::format("field {} of a {} message is not known to this version "
                        "and left out",
                        field, message),
            where);
}

const ResultFields& FieldsOf(MeasurementKind kind) {
  // By MeasurementKind.
  static constexpr std::array kFields = {kKernelFields, kGraphFields,
                                         kCommandListFields, kRangeFields};
  return kFields[Index(kind)];
}

Value DecodeValue(std::string_view message, StringPool& strings,
                  const Place& place) {
  Value value;
  const auto integer = [&](std::uint64_t n) { value = Value::Integer(n); };
  const auto number = [&](double x) { value = Value::Number(x); };
  using enum MetricValue;
  ReadFields(
      message,
      Each(kString,
           [&](Bytes text) { value = Value::Text(strings.Intern(text)); }),
      Each<float>(kFloat, number), Each<double>(kDouble, number),
      Each<std::uint32_t>(kUint32, integer),
      Each<std::uint64_t>(kUint64, integer),
      Unread{[&](Tag field) { place.NoteUnknown("metric value", field); }});
  return value;
}

}  // namespace rangefinder::ncu
