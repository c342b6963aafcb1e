#include "ingest/trace/trace_names.h"

namespace rangefinder {
namespace {

constexpr std::string_view kUnknown = "(unknown name)";

template <typename T>
bool PutAt(std::vector<T>& list, std::uint32_t id, T item, T missing) {
  if (id >= list.size()) list.resize(id + std::size_t{1}, missing);
  list[id] = item;
  return true;
}

wire::Name KindOf(const WireRecord& r) {
  return static_cast<wire::Name>(r.head & 0xF);
}

std::uint32_t IdOf(const WireRecord& r) {
  return static_cast<std::uint32_t>(r.head >> 4 & 0xFFFFFFF);
}

// The number of words of a record of this kind.
std::size_t Needed(wire::Name kind) {
  switch (kind) {
    case wire::Name::kString:
    case wire::Name::kDomain:
    case wire::Name::kCategory:
    case wire::Name::kFact:
    case wire::Name::kSource:
      return 1;
    case wire::Name::kShape:
      return wire::kShapeWords;
    default:
      return 2;
  }
}

TraceShape ShapeOf(const WireRecord& r) {
  return {.name = Low(r[0]),
          .registers = High(r[0]),
          .grid = {Low(r[1]), High(r[1]), Low(r[2])},
          .block = {High(r[2]), Low(r[3]), High(r[3])},
          .static_shared = Low(r[4]),
          .dynamic_shared = High(r[4])};
}

// Returns false for a record that is not valid.
bool Apply(const WireRecord& r, TraceNames& names) {
  const std::uint64_t first = r[0];
  const std::uint32_t id = IdOf(r);
  switch (KindOf(r)) {
    case wire::Name::kString:
      if (first > (r.count - 1) * 8) return false;
      return PutAt(names.strings, id,
                   std::string_view(r.block.words.bytes(r.at + 1),
                                    static_cast<std::size_t>(first)),
                   kUnknown);
    case wire::Name::kLabel:
      return PutAt(names.labels, id,
                   {.domain = Low(first), .string = High(first)},
                   {.domain = 0, .string = kNoString});
    case wire::Name::kDomain:
      return PutAt(names.domains, id, Low(first), kNoString);
    case wire::Name::kThread:
      names.threads[first] = Low(r[1]);
      return true;
    case wire::Name::kShape:
      return PutAt(names.shapes, id, ShapeOf(r), {.name = kNoString});
    case wire::Name::kPlace:
      return PutAt(
          names.places, id,
          {.device = Low(first), .context = High(first), .stream = r[1]}, {});
    case wire::Name::kFact:
      names.facts.emplace_back(Low(first), High(first));
      return true;
    case wire::Name::kDevice:
      names.devices[id].name = Low(first);
      names.devices[id].capability = Low(r[1]);
      return true;
    case wire::Name::kBus:
      names.devices[id].bus = first;
      return true;
    case wire::Name::kPeaks: {
      TraceDevice& device = names.devices[id];
      device.memory_khz = Low(first);
      device.memory_bus_bits = High(first);
      device.multiprocessors = Low(r[1]);
      device.clock_khz = High(r[1]);
      return true;
    }
    case wire::Name::kSource:
      names.sources.push_back(
          {.kernel = Low(first), .file = High(first), .line = id});
      return true;
    case wire::Name::kCategory:
    case wire::Name::kStream:
    case wire::Name::kContext:
      return true;  // nothing shows these names
  }
  return false;
}

}  // namespace

std::string_view TraceNames::Text(std::uint32_t string) const {
  return string < strings.size() ? strings[string] : kUnknown;
}

TraceLabel TraceNames::Label(std::uint32_t label) const {
  return label < labels.size() ? labels[label]
                               : TraceLabel{.string = kNoString};
}

std::string_view TraceNames::DomainName(std::uint32_t domain) const {
  if (domain == wire::kNoDomain) return "(unknown domain)";
  return domain < domains.size() ? Text(domains[domain]) : kUnknown;
}

TraceDevice TraceNames::DeviceOf(std::int32_t index) const {
  const auto known = devices.find(static_cast<std::uint32_t>(index));
  return known != devices.end() ? known->second : TraceDevice{};
}

void ReadNames(const TraceBlocks& blocks, std::size_t most, TraceNames& names,
               Notes& notes, std::string_view where) {
  // The framing has already noted blocks that end within a record.
  ForEachRecord(
      blocks, [](std::uint64_t head) -> std::size_t { return High(head); },
      [&](const WireRecord& r) {
        if (r.count < Needed(KindOf(r)) || IdOf(r) > most || !Apply(r, names)) {
          notes.Add(Severity::kDataLoss, "damaged_name",
                    "a name of the trace is damaged and left out", where);
        }
      });
}

RegionLabels::RegionLabels(const TraceNames& names) {
  std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> ids;
  for (std::uint32_t i = 0; i < names.labels.size(); ++i) {
    const TraceLabel label = names.labels[i];
    const auto key =
        std::pair(names.DomainName(label.domain), names.Text(label.string));
    first_.push_back(ids.emplace(key, i).first->second);
  }
}

}  // namespace rangefinder
