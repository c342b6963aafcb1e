#include "report/json_cells.h"

#include "base/json_text.h"

namespace rangefinder {
namespace {

// All texts together, so that a report of any size takes the memory of its
// cells and not of its documents.
constexpr std::size_t kMostBytes = 48 << 20;

void AppendMember(std::string_view key, std::string_view text,
                  std::string& out) {
  out += key;
  AppendJsonText(text, out);
}

void AppendCount(std::string_view key, std::uint64_t count, std::string& out) {
  out += key;
  AppendJsonCount(count, out);
}

void AppendNumber(std::string_view key, double number, std::string& out) {
  out += key;
  AppendJsonNumber(number, out);
}

}  // namespace

void AppendJsonValue(const Profile& profile, const Cell& cell,
                     std::string& out) {
  if (cell.how == How::kAbsent)
    out += "null";
  else if (cell.is_text)
    AppendJsonText(profile.Name(cell.text), out);
  else
    AppendJsonNumber(cell.value, out);
}

void AppendOrigin(const Cell& cell, CellDetail detail, std::string& out) {
  const bool absent = cell.how == How::kAbsent;
  out += "\"how\":\"";
  out += HowName(cell.how);
  out += '"';
  const bool all = detail != CellDetail::kBrief;
  if (all && !cell.rule.empty()) AppendMember(",\"rule\":", cell.rule, out);
  if (all && !cell.weight.empty())
    AppendMember(",\"weight\":", cell.weight, out);
  if (cell.bound != Bound::kNone)
    AppendMember(",\"bound\":", BoundName(cell.bound), out);
  // A bound over all measurements is one by the metric's own nature.
  const bool by_nature = cell.bound != Bound::kNone && cell.missing == 0;
  if ((all || absent) && !by_nature && !cell.reason.empty())
    AppendMember(",\"reason\":", cell.reason, out);
  if (cell.how == How::kEstimated) {
    AppendCount(",\"launches\":", cell.present, out);
    AppendCount(",\"samples\":", cell.distinct, out);
    return;
  }
  if (all) AppendCount(",\"measurements\":", cell.present, out);
  if (cell.missing > 0) AppendCount(",\"missing\":", cell.missing, out);
}

void AppendInterval(const Cell& cell, std::string& out) {
  if (cell.how != How::kEstimated) return;
  AppendNumber(",\"standard_error\":", double{cell.error}, out);
  AppendNumber(",\"low\":", cell.low, out);
  AppendNumber(",\"high\":", cell.high, out);
}

void AppendDistinct(const Cell& cell, std::string& out) {
  if (cell.distinct > 0 && cell.how != How::kEstimated)
    AppendCount(",\"distinct\":", cell.distinct, out);
}

bool TellsSpread(const Cell& cell) {
  // All the same says nothing that the value does not.
  return cell.has_spread &&
         (cell.low != cell.high || cell.is_text || cell.how == How::kAbsent ||
          cell.low != cell.value);
}

JsonCells::JsonCells(const Profile& profile, const Rollup& rollup,
                     const std::vector<bool>& in_place)
    : profile_(profile) {
  columns_.reserve(rollup.columns.size());
  for (const rangefinder::Column& column : rollup.columns) {
    Column own{.of_device = column.name.starts_with("device__attribute_"),
               .in_place = in_place[columns_.size()]};
    AppendJsonText(column.name, own.key);
    own.key += ":";
    own.unit = ",\"unit\":";
    AppendJsonText(column.unit, own.unit);
    columns_.push_back(std::move(own));
  }
}

void JsonCells::Append(const Cells& cells, CellDetail detail, bool all,
                       std::string& out) const {
  if (cells.empty()) {
    out += "{}";
    return;
  }
  const Key key{cells.begin(), detail, all};
  const std::size_t hash = Hash()(key);
  Shelf& shelf = shelves_[(hash >> 6) % shelves_.size()];
  {
    const std::lock_guard lock(shelf.mutex);
    const auto at = shelf.texts.find(key);
    if (at != shelf.texts.end()) {
      out += at->second;
      return;
    }
  }
  const std::size_t start = out.size();
  Write(cells, detail, all, out);
  const std::size_t size = out.size() - start;
  const std::lock_guard lock(shelf.mutex);
  if (shelf.bytes + size > kMostBytes / shelves_.size()) return;
  if (shelf.texts.try_emplace(key, out, start).second) shelf.bytes += size;
}

void JsonCells::Write(const Cells& cells, CellDetail detail, bool all,
                      std::string& out) const {
  out += '{';
  bool empty = true;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Column& column = columns_[c];
    const Cell& cell = cells[c];
    if (!all && !column.in_place) continue;
    if (column.of_device && detail != CellDetail::kOfDevice) continue;
    const bool value_alone = detail == CellDetail::kValues;
    if (value_alone && cell.how == How::kAbsent) continue;
    if (!empty) out += ',';
    if (all) out += '\n';
    empty = false;
    out += column.key;
    if (value_alone) {
      AppendJsonValue(profile_, cell, out);
      continue;
    }
    out += '{';
    AppendMembers(cell, column.unit, detail, out);
    out += '}';
  }
  out += '}';
}

void JsonCells::AppendFields(const Cell& cell, std::string_view unit,
                             CellDetail detail, std::string& out) const {
  std::string unit_member = ",\"unit\":";
  AppendJsonText(unit, unit_member);
  AppendMembers(cell, unit_member, detail, out);
}

void JsonCells::AppendMembers(const Cell& cell, std::string_view unit_member,
                              CellDetail detail, std::string& out) const {
  out += "\"value\":";
  AppendJsonValue(profile_, cell, out);
  out += unit_member;
  out += ',';
  AppendOrigin(cell, detail, out);
  AppendInterval(cell, out);
  if (TellsSpread(cell)) {
    out += ",\"min\":";
    AppendJsonNumber(cell.low, out);
    out += ",\"max\":";
    AppendJsonNumber(cell.high, out);
  }
  AppendDistinct(cell, out);
}

}  // namespace rangefinder
