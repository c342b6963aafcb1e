#include "ingest/nsys/nsys_kernel_csv.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "ingest/csv_cursor.h"
#include "ingest/kernel_name.h"

namespace rangefinder {
namespace {

// The table begins within this many bytes.
constexpr std::size_t kPreamble = std::size_t{64} << 10;
constexpr double kMost = 9e15;  // whole numbers are exact up to here

// "Total Time (us)" is "total time", in microseconds.
struct Heading {
  std::string name{};
  std::string unit{};
};

Heading ParseHeading(std::string_view text) {
  text = Trim(text);
  const std::size_t open = text.rfind('(');
  if (open == std::string_view::npos || !text.ends_with(')'))
    return {AsciiLower(text), ""};
  return {AsciiLower(Trim(text.substr(0, open))),
          AsciiLower(text.substr(open + 1, text.size() - open - 2))};
}

// Nanoseconds per `unit`; nothing if `unit` is no unit of time.
std::optional<double> NsIn(std::string_view unit) {
  if (unit.empty() || unit == "ns" || unit == "nsec") return 1;
  if (unit == "us" || unit == "usec" || unit == "µs") return 1e3;
  if (unit == "ms" || unit == "msec") return 1e6;
  if (unit == "s" || unit == "sec" || unit == "seconds") return 1e9;
  return std::nullopt;
}

// The places of columns; FindHeader() makes sure of total, calls and name.
struct Columns {
  std::optional<std::size_t> share{}, total{}, calls{}, min{}, max{}, name{};
  double total_ns = 1, min_ns = 1, max_ns = 1;  // per unit of the column
};

Result<Columns> ColumnsOf(const std::vector<std::string>& fields,
                          std::size_t line) {
  Columns columns;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Heading heading = ParseHeading(fields[i]);
    const auto time = [&](std::optional<std::size_t>& column,
                          double& ns) -> Status {
      const auto unit = NsIn(heading.unit);
      if (!unit) {
        return ErrorAtLine(line, fmt::format("'{}' is not a unit of time",
                                             Printable(heading.unit)));
      }
      column = i;
      ns = *unit;
      return Ok();
    };
    if (heading.name == "time" && heading.unit == "%") columns.share = i;
    if (heading.name == "total time")
      TRY(time(columns.total, columns.total_ns));
    if (heading.name == "min" || heading.name == "minimum")
      TRY(time(columns.min, columns.min_ns));
    if (heading.name == "max" || heading.name == "maximum")
      TRY(time(columns.max, columns.max_ns));
    if (heading.name == "instances") columns.calls = i;
    if (heading.name == "name") columns.name = i;
  }
  return columns;
}

// The offset and number of the header's line.
struct HeaderPlace {
  std::size_t offset = 0;
  std::size_t line = 1;
};

std::optional<HeaderPlace> FindHeader(std::string_view bytes) {
  HeaderPlace place;
  if (bytes.starts_with("\xEF\xBB\xBF")) place.offset = 3;
  while (place.offset < std::min(bytes.size(), kPreamble)) {
    const std::size_t end =
        std::min(bytes.find('\n', place.offset), bytes.size());
    CsvCursor cursor(bytes.substr(place.offset, end - place.offset),
                     place.line);
    if (const auto fields = cursor.Next(); fields.ok()) {
      const auto has = [&](std::string_view name) {
        return std::ranges::any_of(fields.value(), [&](const auto& field) {
          return ParseHeading(field).name == name;
        });
      };
      if (has("total time") && has("instances") && has("name")) return place;
    }
    place.offset = end + 1;
    ++place.line;
  }
  return std::nullopt;
}

Result<double> Number(const std::string& field, std::string_view heading,
                      std::size_t line) {
  const auto value = NumberIn<double>(Trim(field));
  if (!value || !std::isfinite(*value) || *value < 0) {
    return ErrorAtLine(
        line, fmt::format("{}: '{}' is no number that this can be", heading,
                          Printable(field)));
  }
  return *value;
}

Result<KernelSummaryRow> RowOf(const std::vector<std::string>& fields,
                               const Columns& columns, std::size_t line) {
  KernelSummaryRow row;
  row.name = fields[*columns.name];
  if (row.name.empty()) return ErrorAtLine(line, "a kernel without a name");
  const double calls = TRY(Number(fields[*columns.calls], "Instances", line));
  if (calls != std::floor(calls) || calls > kMost)
    return ErrorAtLine(line, "Instances: not a whole number");
  row.calls = static_cast<std::uint64_t>(calls);
  row.total_ns = columns.total_ns *
                 TRY(Number(fields[*columns.total], "Total Time", line));
  if (row.total_ns > kMost)
    return ErrorAtLine(line, "Total Time: longer than 100 days");
  if (columns.share)
    row.share = TRY(Number(fields[*columns.share], "Time (%)", line)) / 100;
  if (columns.min)
    row.min_ns =
        columns.min_ns * TRY(Number(fields[*columns.min], "Min", line));
  if (columns.max)
    row.max_ns =
        columns.max_ns * TRY(Number(fields[*columns.max], "Max", line));
  return row;
}

}  // namespace

bool LooksLikeKernelSummary(std::string_view bytes) {
  return bytes.substr(0, kPreamble).find('\0') == std::string_view::npos &&
         FindHeader(bytes.substr(0, kPreamble)).has_value();
}

Result<std::vector<KernelSummaryRow>> ReadKernelSummary(
    std::string_view bytes) {
  const auto place = FindHeader(bytes);
  if (!place) {
    return ErrorAtLine(
        1,
        "no header of a kernel summary (Time (%), Total Time (ns), "
        "Instances, …, Name); make one with `nsys stats --report "
        "cuda_gpu_kern_sum --format csv`");
  }
  CsvCursor cursor(bytes.substr(place->offset), place->line);
  const std::vector<std::string> header = TRY(cursor.Next());
  const Columns columns = TRY(ColumnsOf(header, place->line));
  std::vector<KernelSummaryRow> rows;
  while (!cursor.AtEnd()) {
    const std::size_t line = cursor.line();
    const std::vector<std::string> fields = TRY(cursor.Next());
    if (fields.size() == 1 && Trim(fields[0]).empty()) break;
    if (fields.size() != header.size()) {
      return ErrorAtLine(line, fmt::format("{} fields, where the header has {}",
                                           fields.size(), header.size()));
    }
    rows.push_back(TRY(RowOf(fields, columns, line)));
  }
  return rows;
}

Result<Profile> ReadNsysKernelSummary(const ReaderInput& input, Notes& notes) {
  const auto rows = TRY(ReadKernelSummary(input.bytes));
  Profile profile;
  profile.artifacts.push_back({.path = input.path,
                               .format = "nsys-kernel-csv",
                               .bytes = input.bytes.size()});
  profile.processes.emplace_back();
  for (const KernelSummaryRow& row : rows) {
    if (row.calls == 0) continue;
    const double mean = row.total_ns / static_cast<double>(row.calls);
    const auto whole = [](double ns) {
      return static_cast<std::uint64_t>(std::min(ns, kMost));
    };
    profile.folded.push_back({.launches = row.calls,
                              .min_ns = whole(row.min_ns.value_or(mean)),
                              .max_ns = whole(row.max_ns.value_or(mean))});
    profile.measurements.push_back(
        {.mode = ReplayMode::kTrace,
         .demangled_name = profile.strings.Intern(row.name),
         .function_name = profile.strings.Intern(FunctionName(row.name)),
         .end_ns = whole(row.total_ns),
         .folded = static_cast<std::uint32_t>(profile.folded.size())});
  }
  notes.Add(Severity::kInfo, "kernel_summary",
            "a kernel summary of Nsight Systems has neither regions nor single "
            "launches, but the sums of each kernel",
            input.path);
  return profile;
}

}  // namespace rangefinder
