#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ingest/csv_cursor.h"
#include "ingest/kernel_name.h"
#include "ingest/ncu/ncu_reader.h"

namespace rangefinder {
namespace {

constexpr std::string_view kOurs = "id,kind,process_id,process,";
constexpr std::string_view kNcus = R"("ID","Process ID","Process Name")";

// ---- Numbers ----------------------------------------------------------------

// The factor of a unit's SI prefix: Kbyte 1e3, us 1e3 of ns.
double PrefixOf(std::string_view unit, bool time) {
  constexpr std::pair<std::string_view, double> kTimes[] = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (const auto& [name, factor] : kTimes)
    if (time && unit == name) return factor;
  constexpr std::pair<char, double> kPrefixes[] = {
      {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  const bool word = unit.size() > 2 && unit[1] >= 'a' && unit[1] <= 'z';
  for (const auto& [letter, factor] : kPrefixes)
    if (word && unit[0] == letter) return factor;
  return 1;
}

std::uint64_t CountIn(std::string_view text) {
  return NumberIn<std::uint64_t>(text).value_or(0);
}

// "(256, 1, 1)" "256x1x1"
Dim3 DimsIn(std::string_view text) {
  std::array<std::uint64_t, 3> dims{};
  std::size_t at = 0;
  for (std::uint64_t& dim : dims) {
    at = text.find_first_of("0123456789", at);
    if (at == text.npos) return {};
    const std::size_t end =
        std::min(text.find_first_not_of("0123456789", at), text.size());
    dim = CountIn(text.substr(at, end - at));
    at = end;
  }
  return {dims[0], dims[1], dims[2]};
}

// ---- Ranges -----------------------------------------------------------------

// ncu's text of a range, name:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg. The
// name may have colons; where there is a message, the message is the name.
std::string NameIn(std::string_view text) {
  constexpr std::size_t kFields = 6;  // behind the name
  std::vector<std::size_t> colons;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == ':') colons.push_back(i);
  for (std::size_t i = 0; i + kFields <= colons.size(); ++i) {
    const std::string_view name = text.substr(0, colons[i]);
    if (!name.empty() && text.substr(colons[i + kFields - 1] + 1) == name)
      return std::string(name);
  }
  return std::string(text.substr(0, colons.size() < kFields
                                        ? text.npos
                                        : colons[colons.size() - kFields]));
}

// The ranges of a cell: `1936  "domain:name:…"  "…"`; of start/end ranges the
// id stands before the domain.
void AddRanges(std::string_view cell, FrameKind kind, StringPool& strings,
               std::vector<PathRange>& ranges) {
  constexpr std::string_view kDefault = "<default domain>";
  for (std::size_t at = cell.find('"'); at != cell.npos;) {
    std::size_t end = cell.find("\" ", at + 1);
    if (end == cell.npos) end = cell.rfind('"');
    if (end == at) return;
    std::string_view text = cell.substr(at + 1, end - at - 1);
    if (kind == FrameKind::kStartEnd)
      text.remove_prefix(std::min(text.find(':') + 1, text.size()));
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view domain = text.substr(0, colon);
    ranges.push_back(
        {.domain = strings.Intern(domain == kDefault ? "" : domain),
         .name = strings.Intern(
             NameIn(text.substr(std::min(colon + 1, text.size())))),
         .kind = kind});
    at = cell.find('"', end + 1);
  }
}

// The path of our own files: ["A","LLM@decode"]. Throws json::exception.
void AddOurRanges(const std::string& cell, StringPool& strings,
                  std::vector<PathRange>& ranges) {
  for (const auto& frame : nlohmann::json::parse(cell)) {
    const auto text = frame.get<std::string>();
    const std::size_t at = text.find('@');
    if (at == text.npos || at == 0)
      ranges.push_back({.name = strings.Intern(text)});
    else
      ranges.push_back({.domain = strings.Intern(text.substr(0, at)),
                        .name = strings.Intern(text.substr(at + 1))});
  }
}

// ---- The table --------------------------------------------------------------

class RawCsv {
 public:
  RawCsv(const ReaderInput& input, Notes& notes)
      : input_(input), notes_(notes), cursor_(input.bytes) {}

  Result<Profile> Read() {
    ours_ = input_.bytes.starts_with(kOurs);
    header_ = TRY(cursor_.Next());
    if (cursor_.AtEnd() && !input_.bytes.ends_with('\n'))
      return Error(ErrorCode::kCorrupt, "the table ends in its header");
    if (!ours_ && !cursor_.AtEnd()) units_ = TRY(cursor_.Next());
    AddColumns();
    if (columns_.empty())
      return Error(ErrorCode::kCorrupt,
                   "a raw.csv without metrics: it is of a trace, whose times "
                   "are not in it");
    profile_.artifacts.push_back({.path = input_.path,
                                  .format = "ncu-csv",
                                  .bytes = input_.bytes.size()});
    while (!cursor_.AtEnd()) {
      const std::size_t line = cursor_.line();
      Result<std::vector<std::string>> fields = cursor_.Next();
      if (fields.ok() && fields.value().size() == header_.size()) {
        AddRow(fields.value());
        continue;
      }
      if (profile_.measurements.empty())
        return ErrorAtLine(line, "fewer or more fields than the header has");
      notes_.Add(
          Severity::kDataLoss, "damaged_file",
          fmt::format("the file is truncated or damaged; the rows before "
                      "line {} are in this report",
                      line),
          input_.path);
      break;
    }
    notes_.Add(Severity::kWarning, "read_from_raw_csv",
               "read from a raw.csv: sections, rules and their findings, and "
               "the instances of regions are not in it",
               input_.path);
    return std::move(profile_);
  }

 private:
  struct Column {
    std::size_t at = 0;
    MetricId metric{};
    double factor = 1;
  };

  // The column of a fact: by our name, or by the beginning of ncu's name.
  std::optional<std::size_t> Find(std::string_view ours,
                                  std::string_view ncus) {
    const std::string_view wanted = ours_ ? ours : ncus;
    const auto [known, is_new] = places_.try_emplace(wanted);
    if (!is_new || wanted.empty()) return known->second;
    const auto at = std::ranges::find_if(header_, [&](std::string_view name) {
      return ours_ ? name == wanted : name.starts_with(wanted);
    });
    if (at != header_.end())
      known->second = static_cast<std::size_t>(at - header_.begin());
    return known->second;
  }

  void AddColumns() {
    for (std::size_t i = 0; i < header_.size(); ++i) {
      // Names of metrics have two underscores, or are ratios of breakdowns.
      const std::string& name = header_[i];
      const bool fact = ours_ ? i < 12 || name == "undisturbed_time_ns"
                              : name.find('_') == name.npos ||
                                    name.find("Domain:") != name.npos;
      if (fact) continue;
      columns_.push_back(
          {.at = i,
           .metric = profile_.InternMetric(name),
           .factor = i < units_.size() ? ToBaseUnit(units_[i]) : 1});
    }
  }

  // The cell of a fact; empty if the table lacks its column.
  const std::string& Cell(const std::vector<std::string>& row,
                          std::string_view ours, std::string_view ncus) {
    static const std::string kEmpty;
    const auto at = Find(ours, ncus);
    return at ? row[*at] : kEmpty;
  }

  void AddRow(const std::vector<std::string>& row) {
    const std::string& name = Cell(row, "kernel_name", "Kernel Name");
    Measurement m{.kind = KindOf(row, name),
                  .process = ProcessOf(row),
                  .device = DeviceOf(Cell(row, "device", "Device")),
                  .thread = ours_ ? CountIn(Cell(row, "thread", "")) : kThread,
                  .context = CountIn(Cell(row, "context", "Context")),
                  .stream = CountIn(Cell(row, "stream", "Stream")),
                  .demangled_name = profile_.strings.Intern(name),
                  .function_name = profile_.strings.Intern(FunctionName(name)),
                  .grid = DimsIn(Cell(row, "grid", "Grid Size")),
                  .block = DimsIn(Cell(row, "block", "Block Size")),
                  .nvtx = StateOf(row),
                  .first_sample = profile_.samples.size()};
    m.mode = m.kind == MeasurementKind::kRange ? ReplayMode::kRange
                                               : ReplayMode::kKernel;
    for (const Column& column : columns_) AddValue(column, row[column.at]);
    m.sample_count = profile_.samples.size() - m.first_sample;
    profile_.measurements.push_back(std::move(m));
  }

  MeasurementKind KindOf(const std::vector<std::string>& row,
                         const std::string& name) {
    if (const auto at = Find("kind", "")) {
      for (const auto kind :
           {MeasurementKind::kGraph, MeasurementKind::kCommandList,
            MeasurementKind::kRange})
        if (row[*at] == KindName(kind)) return kind;
      return MeasurementKind::kKernel;
    }
    if (!Find("", "Grid Size")) return MeasurementKind::kRange;
    return name == KindName(MeasurementKind::kGraph) ? MeasurementKind::kGraph
                                                     : MeasurementKind::kKernel;
  }

  ProcessId ProcessOf(const std::vector<std::string>& row) {
    const std::uint64_t pid = CountIn(Cell(row, "process_id", "Process ID"));
    const auto [known, is_new] = processes_.try_emplace(
        pid, static_cast<ProcessId>(profile_.processes.size()));
    if (!is_new) return known->second;
    profile_.processes.push_back(
        {.pid = pid,
         .name = profile_.strings.Intern(Cell(row, "process", "Process Name")),
         .host = profile_.strings.Intern(Cell(row, "", "Host Name"))});
    return known->second;
  }

  std::int32_t DeviceOf(const std::string& text) {
    const std::int32_t index = NumberIn<std::int32_t>(text).value_or(-1);
    if (index >= 0 && devices_.insert(index).second)
      profile_.devices.push_back({.index = index});
    return index;
  }

  // Paths are few, so each has one state.
  NvtxStateId StateOf(const std::vector<std::string>& row) {
    std::vector<PathRange> ranges;
    try {
      if (const std::string& region = Cell(row, "region", ""); !region.empty())
        AddOurRanges(region, profile_.strings, ranges);
    } catch (const nlohmann::json::exception&) {
      notes_.Add(Severity::kDataLoss, "damaged_region",
                 "rows without a readable region are shown under "
                 "(unattributed)",
                 input_.path);
      ranges.clear();
    }
    AddRanges(Cell(row, "", "Id:Domain:"), FrameKind::kStartEnd,
              profile_.strings, ranges);
    AddRanges(Cell(row, "", "thread Domain:"), FrameKind::kPushPop,
              profile_.strings, ranges);
    if (ranges.empty()) return {};
    const auto [known, is_new] = states_.try_emplace(std::move(ranges));
    if (is_new) {
      known->second = AddPath(profile_, known->first, kThread);
      // Rows of our own files have other threads.
      profile_.nvtx_states.back().process_scope = true;
    }
    return known->second;
  }

  void AddValue(const Column& column, std::string_view text) {
    if (text.empty() || text == "no data" || text == "n/a") {
      // Keeps a column without values: one absent value stands for it.
      if (profile_.measurements.empty()) profile_.AddSample(column.metric, {});
      return;
    }
    Value value;
    if (const auto whole = NumberIn<std::uint64_t>(text);
        whole && column.factor == 1)
      value = Value::Integer(*whole);
    else if (const auto number = NumberIn<double>(text);
             number && std::isfinite(*number))
      value = Value::Number(*number * column.factor);
    else
      value = Value::Text(profile_.strings.Intern(text));
    profile_.AddSample(column.metric, value);
    if (profile_.MetricName(column.metric) ==
            "device__attribute_display_name" &&
        value.kind == ValueKind::kText && !profile_.devices.empty() &&
        profile_.devices.back().name == StringId{})
      profile_.devices.back().name = profile_.strings.Intern(text);
  }

  static constexpr std::uint64_t kThread = 1;  // that opens all ranges

  const ReaderInput& input_;
  Notes& notes_;
  CsvCursor cursor_;
  bool ours_ = false;
  std::vector<std::string> header_{};
  std::vector<std::string> units_{};
  std::vector<Column> columns_{};
  Profile profile_{};
  std::map<std::string_view, std::optional<std::size_t>> places_{};
  std::map<std::uint64_t, ProcessId> processes_{};  // by id of the system
  std::set<std::int32_t> devices_{};
  std::map<std::vector<PathRange>, NvtxStateId> states_{};
};

}  // namespace

double ToBaseUnit(std::string_view unit) {
  const std::size_t slash = unit.find('/');
  if (slash == unit.npos) return PrefixOf(unit, true);
  const std::string_view under = unit.substr(slash + 1);
  const double over = PrefixOf(unit.substr(0, slash), false);
  constexpr std::pair<std::string_view, double> kPer[] = {
      {"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
  for (const auto& [name, factor] : kPer)
    if (under == name) return over * factor;
  return over * PrefixOf(under, false);
}

bool IsRawCsv(std::string_view bytes) {
  return bytes.starts_with(kOurs) || bytes.starts_with(kNcus);
}

bool HasNoMetrics(std::string_view first_bytes) {
  const std::size_t end = first_bytes.find('\n');
  return first_bytes.starts_with(kOurs) && end != first_bytes.npos &&
         first_bytes.substr(0, end).find("__") == first_bytes.npos;
}

Result<Profile> ReadRawCsv(const ReaderInput& input, Notes& notes) {
  return RawCsv(input, notes).Read();
}

}  // namespace rangefinder
