#include "ingest/trace/trace_names.h"

#include <fmt/format.h>

namespace rangefinder {
namespace {

constexpr std::string_view kUnknown = "(unknown name)";

std::uint32_t Low(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}
std::uint32_t High(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

template <typename T>
bool PutAt(std::vector<T>& list, std::uint32_t id, T item, T missing) {
  if (id >= list.size()) list.resize(id + std::size_t{1}, missing);
  list[id] = item;
  return true;
}

struct Record {
  wire::Name kind{};
  std::uint32_t id = 0;
  std::size_t at = 0;  // of the first word after the head
  std::size_t words = 0;
};

// The number of words that the fields of a kind take.
std::size_t Needed(wire::Name kind) {
  switch (kind) {
    case wire::Name::kString:
    case wire::Name::kDomain:
    case wire::Name::kCategory:
    case wire::Name::kFact:
      return 1;
    case wire::Name::kShape:
      return wire::kShapeWords;
    default:
      return 2;
  }
}

TraceShape ShapeOf(const TraceWords& words, std::size_t at) {
  return {
      .name = Low(words[at]),
      .registers = High(words[at]),
      .grid = {Low(words[at + 1]), High(words[at + 1]), Low(words[at + 2])},
      .block = {High(words[at + 2]), Low(words[at + 3]), High(words[at + 3])},
      .static_shared = Low(words[at + 4]),
      .dynamic_shared = High(words[at + 4])};
}

bool Apply(const TraceWords& words, const Record& r, TraceNames& names,
           const char* bytes) {
  const std::uint64_t first = words[r.at];
  switch (r.kind) {
    case wire::Name::kString:
      if (first > (r.words - 1) * 8) return false;
      return PutAt(names.strings, r.id,
                   std::string_view(bytes + 8, static_cast<std::size_t>(first)),
                   kUnknown);
    case wire::Name::kLabel:
      return PutAt(names.labels, r.id,
                   {.domain = Low(first),
                    .string = High(first),
                    .color = Low(words[r.at + 1]),
                    .category = High(words[r.at + 1])},
                   {.domain = 0, .string = 0xFFFFFFFF});
    case wire::Name::kDomain:
      return PutAt(names.domains, r.id, Low(first), 0xFFFFFFFFU);
    case wire::Name::kThread:
      names.threads[first] = Low(words[r.at + 1]);
      return true;
    case wire::Name::kStream:
      names.streams[first] = Low(words[r.at + 1]);
      return true;
    case wire::Name::kShape:
      return PutAt(names.shapes, r.id, ShapeOf(words, r.at),
                   {.name = 0xFFFFFFFF});
    case wire::Name::kPlace:
      return PutAt(names.places, r.id,
                   {.device = Low(first),
                    .context = High(first),
                    .stream = words[r.at + 1]},
                   {});
    case wire::Name::kFact:
      names.facts.emplace_back(Low(first), High(first));
      return true;
    case wire::Name::kDevice:
      names.devices[r.id] = Low(first);
      return true;
    case wire::Name::kBus:
      names.buses[r.id] = first;
      return true;
    case wire::Name::kPeaks:
      names.peaks[r.id] = {.memory_khz = Low(first),
                           .memory_bus_bits = High(first),
                           .multiprocessors = Low(words[r.at + 1]),
                           .clock_khz = High(words[r.at + 1])};
      return true;
    case wire::Name::kCategory:
    case wire::Name::kContext:
      return true;  // nothing of a profile's
  }
  return false;
}

}  // namespace

std::string_view TraceNames::Text(std::uint32_t string) const {
  return string < strings.size() ? strings[string] : kUnknown;
}

TraceLabel TraceNames::Label(std::uint32_t label) const {
  return label < labels.size() ? labels[label]
                               : TraceLabel{.string = 0xFFFFFFFF};
}

std::string_view TraceNames::DomainName(std::uint32_t domain) const {
  if (domain == wire::kNoDomain) return "(unknown domain)";
  return domain < domains.size() ? Text(domains[domain]) : kUnknown;
}

void ReadNames(const TraceWords& words, std::size_t most, TraceNames& names,
               Notes& notes, std::string_view where) {
  std::size_t at = 0;
  while (at < words.size() && words[at] != 0) {
    const std::uint64_t head = words[at];
    const Record record{static_cast<wire::Name>(head & 0xF),
                        static_cast<std::uint32_t>(head >> 4 & 0xFFFFFFF),
                        at + 1, static_cast<std::size_t>(head >> 32)};
    if (record.words > words.size() - record.at) {
      return;  // cut; the framing has said so
    }
    if (record.words < Needed(record.kind) || record.id > most ||
        !Apply(words, record, names, words.bytes(record.at))) {
      notes.Add(Severity::kDataLoss, "damaged_name",
                "a name of the trace is damaged and left out", where);
    }
    at = record.at + record.words;
  }
}

}  // namespace rangefinder
