#include "ingest/ncu/ncu_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "ingest/reader.h"
#include "tests/support/csv.h"

namespace rangefinder {
namespace {

const std::filesystem::path kFixtures =
    std::filesystem::path(RANGEFINDER_SOURCE_DIR) / "tests/fixtures";

Profile Read(const std::string& name) {
  Notes notes;
  const std::vector<std::filesystem::path> files = {kFixtures / name};
  Result<Profile> profile = ReadArtifacts(files, notes);
  if (!profile.ok()) {
    ADD_FAILURE() << profile.error().message();
    return {};
  }
  for (const Note& note : notes.all())
    ADD_FAILURE() << "unexpected note: " << note.text << " " << note.where;
  return std::move(profile).value();
}

struct Compared {
  std::size_t numbers = 0;
  std::size_t texts = 0;
  std::size_t no_data = 0;
};

// Whether the printed number is `value` at its printed precision.
bool SamePrinted(std::string printed, double value) {
  std::erase(printed, ',');
  char* end = nullptr;
  const double number = std::strtod(printed.c_str(), &end);
  if (*end != '\0') return false;
  const std::size_t dot = printed.find('.');
  const std::size_t decimals =
      dot == std::string::npos ? 0 : printed.size() - dot - 1;
  const double half =
      0.5000001 * std::pow(10.0, -static_cast<double>(decimals));
  return std::abs(number - value) <=
         half + 4 * std::abs(value) * 2.220446049250313e-16;
}

// A cell of ncu's table; each row is a measurement.
struct CsvCell {
  std::string column{};
  std::string unit{};
  std::string text{};
  std::size_t row = 0;

  std::string Where() const { return fmt::format("row {} {}", row, column); }
};

// Compares the place and size of a measurement.
void CompareFact(const Profile& profile, const Measurement& m,
                 const CsvCell& cell, Compared& compared) {
  const auto equal = [&](std::uint64_t ours) {
    EXPECT_EQ(cell.text, fmt::format("{}", ours)) << cell.Where();
    ++compared.numbers;
  };
  const auto dims = [&](const Dim3& d) {
    EXPECT_EQ(cell.text, fmt::format("({}, {}, {})", d.x, d.y, d.z))
        << cell.Where();
    ++compared.texts;
  };
  const Process& process = profile.processes[Index(m.process)];
  if (cell.column == "ID") equal(cell.row);
  if (cell.column == "Process ID") equal(process.pid);
  if (cell.column == "Process Name") {
    EXPECT_TRUE(profile.Name(process.name).ends_with(cell.text))
        << cell.Where();
    ++compared.texts;
  }
  if (cell.column == "Context") equal(m.context);
  if (cell.column == "Stream" && cell.text != "n/a") equal(m.stream);
  if (cell.column == "Device") equal(static_cast<std::uint64_t>(m.device));
  // For a graph, ncu prints the sizes of its first node.
  const bool kernel = m.kind == MeasurementKind::kKernel;
  if (cell.column == "Block Size" && kernel) dims(m.block);
  if (cell.column == "Grid Size" && kernel) dims(m.grid);
}

void CompareMetric(const Profile& profile, const Measurement& m,
                   const CsvCell& cell, Compared& compared) {
  const auto metric = profile.FindMetric(cell.column);
  if (!metric) {
    ADD_FAILURE() << cell.Where() << ": we have no such metric";
    return;
  }
  const Value value = profile.ValueOf(m, *metric);
  if (cell.text == "no data") {
    EXPECT_EQ(value.kind, ValueKind::kAbsent) << cell.Where();
    ++compared.no_data;
  } else if (const auto ours = value.text()) {
    EXPECT_EQ(profile.Name(*ours), cell.text) << cell.Where();
    ++compared.texts;
  } else if (const auto number = value.number()) {
    EXPECT_TRUE(SamePrinted(cell.text, *number / ToBaseUnit(cell.unit)))
        << cell.Where() << ": ncu " << cell.text << " " << cell.unit
        << ", ours " << *number;
    ++compared.numbers;
  } else {
    ADD_FAILURE() << cell.Where() << ": we have no value, ncu has "
                  << cell.text;
  }
}

Compared CompareWithCsv(const std::string& report, const std::string& csv) {
  const Profile profile = Read(report);
  const auto text = ReadFile(kFixtures / csv);
  if (!text.ok()) {
    ADD_FAILURE() << text.error().message();
    return {};
  }
  const auto rows = testing::ParseCsv(text.value());
  EXPECT_EQ(rows.size(), profile.measurements.size() + 2);
  Compared compared;
  // The file has results in the order of time, the CSV process by process.
  std::vector<const Measurement*> ordered;
  for (const Measurement& m : profile.measurements) ordered.push_back(&m);
  std::ranges::stable_sort(ordered, {}, &Measurement::process);
  for (std::size_t r = 2; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const CsvCell cell{rows[0][c], rows[1][c], rows[r][c], r - 2};
      CompareFact(profile, *ordered[r - 2], cell, compared);
      if (cell.column.find("__") != std::string::npos && !cell.text.empty())
        CompareMetric(profile, *ordered[r - 2], cell, compared);
    }
  }
  std::printf("%s: %zu numbers, %zu texts, %zu without data equal ncu's CSV\n",
              report.c_str(), compared.numbers, compared.texts,
              compared.no_data);
  return compared;
}

TEST(NcuReader, EveryMetricOfEveryCaptureEqualsNcusOwnCsv) {
  std::size_t cells = 0;
  for (const char* name : {"nested_basic", "multiproc", "range_ABprefill",
                           "apprange_nested", "graph_node", "graph_graph"}) {
    SCOPED_TRACE(name);
    const Compared compared = CompareWithCsv(std::string(name) + ".ncu-rep",
                                             std::string(name) + ".raw.csv");
    cells += compared.numbers + compared.texts + compared.no_data;
  }
  const Compared full =
      CompareWithCsv("nested_full_A.ncu-repz", "nested_full_A.raw.csv");
  cells += full.numbers + full.texts + full.no_data;
  std::printf("%zu cells compared\n", cells);
  EXPECT_GT(cells, 49000U);
}

}  // namespace
}  // namespace rangefinder
