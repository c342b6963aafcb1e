#include "writers/json/json_cells.h"

#include "base/json_text.h"

namespace rangefinder {
namespace {

// Most bytes of all texts together. The memory of a report is that of its
// cells; the texts of all documents, which are written in parallel, would take
// more.
constexpr std::size_t kMostBytes = 16 << 20;

void AppendMember(std::string_view key, std::string_view text,
                  std::string& out) {
  out += key;
  AppendJsonText(text, out);
}

void AppendNumber(std::string_view key, double number, std::string& out) {
  out += key;
  AppendJsonNumber(number, out);
}

void AppendInterval(const Cell& cell, std::string& out) {
  if (cell.how != How::kEstimated) return;
  AppendNumber(",\"standard_error\":", double{cell.error}, out);
  AppendNumber(",\"low\":", cell.low, out);
  AppendNumber(",\"high\":", cell.high, out);
}

void AppendMembers(const Profile& profile, const Cell& cell,
                   std::string_view unit_member, CellDetail detail,
                   std::string& out) {
  out += "\"value\":";
  AppendJsonValue(profile, cell, out);
  out += unit_member;
  out += ',';
  AppendOrigin(cell, detail, out);
  AppendInterval(cell, out);
  if (TellsSpread(cell)) {
    AppendNumber(",\"min\":", cell.low, out);
    AppendNumber(",\"max\":", cell.high, out);
  }
  AppendDistinct(cell, out);
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
  // A bound without missing measurements comes from the metric itself.
  const bool by_nature = cell.bound != Bound::kNone && cell.missing == 0;
  if ((all || absent) && !by_nature && !cell.reason.empty())
    AppendMember(",\"reason\":", cell.reason, out);
  if (cell.how == How::kEstimated) {
    AppendNumber(",\"launches\":", cell.present, out);
    AppendNumber(",\"samples\":", cell.distinct, out);
    return;
  }
  if (all) AppendNumber(",\"measurements\":", cell.present, out);
  if (cell.missing > 0) AppendNumber(",\"missing\":", cell.missing, out);
}

void AppendDistinct(const Cell& cell, std::string& out) {
  if (cell.distinct > 0 && cell.how != How::kEstimated)
    AppendNumber(",\"distinct\":", cell.distinct, out);
}

bool TellsSpread(const Cell& cell) {
  // Equal values add nothing to the value itself.
  return cell.has_spread &&
         (cell.low != cell.high || cell.is_text || cell.how == How::kAbsent ||
          cell.low != cell.value);
}

void AppendCell(const Profile& profile, const Cell& cell, std::string_view unit,
                CellDetail detail, std::string& out) {
  std::string unit_member = ",\"unit\":";
  AppendJsonText(unit, unit_member);
  AppendMembers(profile, cell, unit_member, detail, out);
}

JsonCells::JsonCells(const Profile& profile, const Rollup& rollup,
                     const std::vector<bool>& in_place)
    : profile_(profile) {
  for (std::size_t c = 0; c < in_place.size(); ++c) {
    if (!in_place[c]) continue;
    const rangefinder::Column& column = rollup.columns[c];
    Column own{.place = c,
               .of_device = column.name.starts_with("device__attribute_")};
    AppendJsonText(column.name, own.key);
    own.key += ":";
    own.unit = ",\"unit\":";
    AppendJsonText(column.unit, own.unit);
    columns_.push_back(std::move(own));
  }
}

void JsonCells::Append(const Cells& cells, CellDetail detail,
                       std::string& out) {
  const Key key{cells.begin(), detail};
  const std::string* known = nullptr;  // valid as long as this object
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = texts_.find(key); at != texts_.end())
      known = &at->second;
  }
  if (known != nullptr) {
    out += *known;
    return;
  }
  const std::size_t start = out.size();
  Write(cells, detail, out);
  const std::size_t size = out.size() - start;
  const std::lock_guard lock(mutex_);
  if (bytes_ + size > kMostBytes) return;
  if (texts_.try_emplace(key, out, start).second) bytes_ += size;
}

void JsonCells::Write(const Cells& cells, CellDetail detail,
                      std::string& out) const {
  out += '{';
  char before = 0;
  for (const Column& column : columns_) {
    if (cells.empty()) break;
    const Cell& cell = cells[column.place];
    if (column.of_device && detail != CellDetail::kOfDevice) continue;
    const bool value_alone = detail == CellDetail::kValues;
    if (value_alone && cell.how == How::kAbsent) continue;
    if (before != 0) out += before;
    before = ',';
    out += column.key;
    if (value_alone) {
      AppendJsonValue(profile_, cell, out);
      continue;
    }
    out += '{';
    AppendMembers(profile_, cell, column.unit, detail, out);
    out += '}';
  }
  out += '}';
}

}  // namespace rangefinder
