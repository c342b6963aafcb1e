#include "tests/support/conservation.h"

#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/documents.h"
#include "tests/support/csv.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/report_writers.h"

namespace rangefinder::testing {
namespace {

using nlohmann::json;

// Sums in two orders differ by rounding, and by no more.
bool Near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) + 1e-9;
}

void ExpectEachHasOnePlace(const Profile& profile, const RegionTree& tree) {
  std::vector<int> places(profile.measurements.size());
  for (std::size_t i = 0; i < tree.regions().size(); ++i) {
    const Region& region = tree.regions()[i];
    const auto take = [&](MeasurementId id, bool range) {
      ASSERT_LT(Index(id), places.size());
      ++places[Index(id)];
      const Measurement& m = profile.measurements[Index(id)];
      EXPECT_EQ(m.kind == MeasurementKind::kRange, range)
          << "measurement " << Index(id);
    };
    for (const MeasurementId id : region.kernels) take(id, false);
    for (const MeasurementId id : region.ranges) take(id, true);
    std::set<std::pair<StringId, StringId>> names;
    for (const RegionId child : region.children) {
      EXPECT_EQ(Index(tree[child].parent), i);
      EXPECT_GT(Index(child), i) << "a region comes before its inner ones";
      if (tree[child].unattributed) continue;
      EXPECT_TRUE(
          names.insert({tree[child].frame.domain, tree[child].frame.name})
              .second)
          << "two regions of one name in region " << i;
    }
    if (i == 0) {
      EXPECT_TRUE(region.kernels.empty() && region.ranges.empty());
    } else {
      EXPECT_FALSE(region.kernels.empty() && region.ranges.empty() &&
                   region.children.empty() && region.visits.empty() &&
                   region.uses.empty() && region.unselected.empty() &&
                   region.traced.empty())
          << "region " << i << " is empty";
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i)
    EXPECT_LE(places[i], 1) << "measurement " << i << " has several places";
}

// Checks the rows of kernels, including those of inner regions.
void ExpectRowsConserved(const RegionRollup& region, std::size_t id) {
  std::uint64_t all = 0;
  std::uint64_t own = 0;
  double ns = 0;
  for (const KernelRow& row : region.all_kernels()) {
    all += row.calls;
    own += row.own_calls;
    ns += row.total_ns;
    EXPECT_EQ(row.calls, row.amounts.kernel_count) << "region " << id;
  }
  EXPECT_EQ(all, region.inclusive.kernel_count) << "region " << id;
  EXPECT_EQ(own, region.exclusive.kernel_count) << "region " << id;
  EXPECT_TRUE(Near(ns, region.inclusive.gpu_time_ns)) << "region " << id;
}

void ExpectScopeConserved(const RegionTree& tree, const Rollup& rollup,
                          const ScopeRollup& scope) {
  ASSERT_EQ(scope.regions.size(), tree.regions().size());
  std::uint64_t kernels = 0;
  double ns = 0;
  std::vector<double> sums(rollup.columns.size());
  for (std::size_t i = 0; i < scope.regions.size(); ++i) {
    const RegionRollup& region = scope.regions[i];
    kernels += region.exclusive.kernel_count;
    ns += region.exclusive.gpu_time_ns;
    std::uint64_t inside = region.exclusive.kernel_count;
    double ns_inside = region.exclusive.gpu_time_ns;
    for (const RegionId child : tree.regions()[i].children) {
      inside += scope.regions[Index(child)].inclusive.kernel_count;
      ns_inside += scope.regions[Index(child)].inclusive.gpu_time_ns;
    }
    EXPECT_EQ(inside, region.inclusive.kernel_count) << "region " << i;
    EXPECT_TRUE(Near(ns_inside, region.inclusive.gpu_time_ns))
        << "region " << i << ": " << ns_inside << " and "
        << region.inclusive.gpu_time_ns;
    std::uint64_t calls = 0;
    for (const KernelRow& row : region.kernels) calls += row.calls;
    EXPECT_EQ(calls, region.exclusive.kernel_count) << "region " << i;
    if (i > 0) ExpectRowsConserved(region, i);
    for (std::size_t c = 0; c < region.exclusive.cells.size(); ++c) {
      const Cell& cell = region.exclusive.cells[c];
      if (cell.how != How::kAbsent && cell.rule == "sum") sums[c] += cell.value;
    }
  }
  EXPECT_EQ(kernels, scope.totals.kernel_count);
  EXPECT_TRUE(Near(ns, scope.totals.gpu_time_ns));
  for (std::size_t c = 0; c < scope.totals.cells.size(); ++c) {
    const Cell& cell = scope.totals.cells[c];
    if (cell.how == How::kAbsent || cell.rule != "sum") continue;
    EXPECT_TRUE(Near(sums[c], cell.value))
        << rollup.columns[c].name << ": " << sums[c] << " and " << cell.value;
  }
}

std::uint64_t KernelsInTree(const RegionTree& tree) {
  std::uint64_t count = 0;
  for (const Region& region : tree.regions()) count += region.kernels.size();
  return count;
}

// A number of a document; 0 where it is absent, since sums leave it out.
double NumberOr0(const json& value) {
  return value.is_null() ? 0 : value.get<double>();
}

// The fields of a region beside its amounts repeat these amounts, or those of
// ranges that were measured as a whole, or of the baseline run. A value that is
// not known is never 0.
void ExpectTotalsSaidOnce(const json& region) {
  const json& inclusive = region["inclusive"];
  if (inclusive["kernel_count"] == 0) {
    EXPECT_NE(region["total_source"], "kernels") << region["path"];
    // Without measured kernels: of a range, of the baseline run, or a 0 that is
    // known to be one.
    EXPECT_TRUE(region["total_ms"].is_null() ||
                region["total_source"] == "range" ||
                region["total_source"] == "undisturbed" ||
                (region["total_ms"] == 0 && region["kernel_count"] == 0))
        << region["path"];
    EXPECT_TRUE(region["summary"].contains("reason") ||
                !region["total_ms"].is_null())
        << region["path"];
    return;
  }
  EXPECT_EQ(region["kernel_count"], inclusive["kernel_count"]);
  EXPECT_TRUE(Near(NumberOr0(region["total_ms"]) * 1e6,
                   NumberOr0(inclusive["gpu_time_ns"])));
}

// Exclusive plus inner is inclusive, by the ids in the document.
void ExpectJsonConserved(const Report& report) {
  std::ostringstream out;
  WriteJson(report, out);
  const json document = json::parse(out.str());
  for (const json& scope : document["scopes"]) {
    SCOPED_TRACE(scope["scope"].get<std::string>());
    std::map<int, double> inside_ns;
    std::map<int, std::int64_t> inside;
    double ns = 0;
    std::int64_t kernels = 0;
    for (const json& region : scope["regions"]) {
      const int id = region["id"];
      const double own_ns = NumberOr0(region["exclusive"]["gpu_time_ns"]);
      const std::int64_t own = region["exclusive"]["kernel_count"];
      ns += own_ns;
      kernels += own;
      inside_ns[id] += own_ns;
      inside[id] += own;
      std::int64_t calls = 0;
      std::int64_t own_calls = 0;
      for (const json& row : region.value("kernels", json::array())) {
        calls += row["calls"].get<std::int64_t>();
        own_calls += row["own_calls"].get<std::int64_t>();
      }
      if (!scope.contains("same_as")) {
        EXPECT_EQ(calls, region["inclusive"]["kernel_count"]) << region["path"];
        EXPECT_EQ(own_calls, own) << region["path"];
      }
      if (region["parent_id"].is_null()) continue;
      inside_ns[region["parent_id"]] +=
          NumberOr0(region["inclusive"]["gpu_time_ns"]);
      inside[region["parent_id"]] +=
          region["inclusive"]["kernel_count"].get<std::int64_t>();
    }
    for (const json& region : scope["regions"]) {
      const int id = region["id"];
      EXPECT_TRUE(
          Near(inside_ns[id], NumberOr0(region["inclusive"]["gpu_time_ns"])))
          << region["path"];
      EXPECT_EQ(inside[id],
                region["inclusive"]["kernel_count"].get<std::int64_t>())
          << region["path"];
      ExpectTotalsSaidOnce(region);
    }
    EXPECT_EQ(kernels, NumberOr0(scope["totals"]["kernel_count"]));
    EXPECT_TRUE(Near(ns, NumberOr0(scope["totals"]["gpu_time_ns"])));
  }
}

void ExpectCsvConserved(const Report& report) {
  std::ostringstream out;
  WriteCsv(report, out);
  const auto rows = ParseCsv(out.str());
  ASSERT_FALSE(rows.empty());
  std::uint64_t kernels = 0;
  std::uint64_t ranges = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), rows[0].size()) << "row " << i;
    ++(rows[i][1] == "range" ? ranges : kernels);
  }
  EXPECT_EQ(kernels, KernelsInTree(*report.tree));
  std::uint64_t whole = 0;
  for (const Region& region : report.tree->regions())
    whole += region.ranges.size();
  EXPECT_EQ(ranges, whole);
}

std::uint64_t Count(std::string text) {
  if (text == "–") return 0;
  std::erase(text, ',');
  return std::stoull(text);
}

// The cells of a Markdown table row without surrounding blanks.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|' && line[i - 1] != '\\')
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  for (std::string& cell : cells) {
    while (cell.starts_with(' ')) cell.erase(0, 1);
    while (cell.ends_with(' ')) cell.pop_back();
  }
  return cells;
}

// The column of own kernels adds up to the total below it.
void ExpectMarkdownConserved(const Report& report) {
  std::ostringstream out;
  WriteMarkdown(RunDocument(report), out);
  std::istringstream lines(out.str());
  std::string line;
  std::size_t own = 0;
  std::uint64_t sum = 0;
  std::uint64_t rows = 0;
  std::size_t tables = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("| region |")) {
      const auto heading = Cells(line);
      // Without kernels, of ranges alone, there is no such column.
      const auto at = std::ranges::find(heading, "exclusive launches");
      own = at == heading.end()
                ? 0
                : static_cast<std::size_t>(at - heading.begin());
      ++tables;
      sum = 0;
      rows = 0;
      std::getline(lines, line);  // the rule below the heading
    } else if (own != 0 && line.starts_with("| **Total** |")) {
      // A table that is cut at max_rows says so and has no total.
      if (rows < report.options.max_rows) {
        EXPECT_EQ(sum, Count(Cells(line).at(own)));
      }
      own = 0;
    } else if (own != 0 && line.starts_with("|")) {
      sum += Count(Cells(line).at(own));
      ++rows;
    }
  }
  if (report.tree->regions().size() > 1 && !IsWholeProgram(report)) {
    EXPECT_GE(tables, 1U);
  }
}

// The parts of the wall time add up, for all instances of a row and for each
// instance that is kept; a trace without them, such as a summary, has none.
void ExpectWallTimesAddUp(const Profile& profile) {
  for (const RangeVisits& row : profile.visits) {
    if (row.wall.total() == 0) continue;
    EXPECT_EQ(row.wall.total(), row.cpu_ns.sum());
    for (const auto* list : {&row.first, &row.slowest, &row.slowest_gpu}) {
      for (const InstanceTimes& one : *list) {
        if (one.closed) {
          EXPECT_EQ(one.wall.total(), one.cpu_ns);
        }
      }
    }
  }
}

// A region's parts from the migration of pages on hold those of its inner
// regions one by one, and the parts before them as a sum, wherever the inner
// instances lie inside the region's.
void ExpectInnerWallTimesFit(const Profile& profile, const RegionTree& tree) {
  for (const Region& region : tree.regions()) {
    if (region.depth < 0 || region.frame.kind != FrameKind::kPushPop) continue;
    WallTime whole, inner;
    bool nested = true;
    for (const std::uint32_t row : region.visits) {
      whole += profile.visits[row].wall;
      nested = nested && profile.visits[row].unclosed == 0;
    }
    for (const RegionId child : region.children) {
      nested = nested && tree[child].frame.kind == FrameKind::kPushPop &&
               tree[child].frame.domain == region.frame.domain;
      for (const std::uint32_t row : tree[child].visits)
        inner += profile.visits[row].wall;
    }
    if (!nested || whole.total() < inner.total()) continue;  // unclosed ranges
    std::uint64_t gpu = 0, gpu_inner = 0;
    for (std::size_t i = 0; i < kWallParts; ++i) {
      if (static_cast<WallPart>(i) < WallPart::kPageMigration) {
        gpu += whole.ns[i];
        gpu_inner += inner.ns[i];
      } else {
        EXPECT_GE(whole.ns[i], inner.ns[i])
            << NameOf(static_cast<WallPart>(i)) << " of "
            << profile.Name(region.frame.name);
      }
    }
    EXPECT_GE(gpu, gpu_inner) << profile.Name(region.frame.name);
  }
}

}  // namespace

void ExpectConserved(const Profile& profile, const RegionTree& tree,
                     const Rollup& rollup) {
  ExpectEachHasOnePlace(profile, tree);
  ExpectWallTimesAddUp(profile);
  ExpectInnerWallTimesFit(profile, tree);
  std::uint64_t over_scopes = 0;
  for (std::size_t s = 0; s < rollup.scopes.size(); ++s) {
    const ScopeRollup& scope = rollup.scopes[s];
    SCOPED_TRACE(fmt::format("scope {}", s));
    ExpectScopeConserved(tree, rollup, scope);
    if (scope.scope.aggregate) {
      EXPECT_EQ(scope.totals.kernel_count, KernelsInTree(tree));
    } else {
      over_scopes += scope.totals.kernel_count;
    }
  }
  EXPECT_EQ(over_scopes, KernelsInTree(tree)) << "over processes and devices";
}

void ExpectDocumentsConserved(const Report& report) {
  ExpectJsonConserved(report);
  ExpectCsvConserved(report);
  ExpectMarkdownConserved(report);
}

}  // namespace rangefinder::testing
