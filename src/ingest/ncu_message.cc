#include "ingest/ncu_message.h"

#include <fmt/format.h>

namespace rangefinder::ncu {

using protozero::tag_and_type;
using enum protozero::pbf_wire_type;

void Place::NoteUnknown(std::string_view message, Tag field) const {
  notes.Add(Severity::kInfo, "unknown_field",
            fmt::format("field {} of a {} message is not known to this build "
                        "and left out",
                        field, message),
            where);
}

Value DecodeValue(std::string_view message, StringPool& strings,
                  const Place& place) {
  Value value;
  auto in = Open<MetricValue>(message);
  while (in.next()) {
    using enum MetricValue;
    switch (in.tag_and_type()) {
      case tag_and_type(kString, length_delimited):
        value = Value::Text(strings.Intern(View(in.get_view())));
        break;
      case tag_and_type(kFloat, fixed32):
        value = Value::Number(static_cast<double>(in.get_float()));
        break;
      case tag_and_type(kDouble, fixed64):
        value = Value::Number(in.get_double());
        break;
      case tag_and_type(kUint32, varint):
        value = Value::Integer(in.get_uint32());
        break;
      case tag_and_type(kUint64, varint):
        value = Value::Integer(in.get_uint64());
        break;
      default:
        place.NoteUnknown("metric value", Number(in.tag()));
        in.skip();
    }
  }
  return value;
}

}  // namespace rangefinder::ncu
