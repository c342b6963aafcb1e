#include "report/ranks_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "insight/late_ranks.h"
#include "insight/rank_matrix.h"
#include "insight/rank_names.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

// Of report.md; report.json has all.
constexpr std::size_t kMostSentences = 8;
constexpr std::size_t kMostRows = 30;
// Of a sentence in Markdown, in cells.
constexpr std::size_t kWidestSentence = 1000;

struct Scale {
  double ns;
  std::string_view unit;
};

Scale ScaleOf(double ns) {
  constexpr std::array<Scale, 3> kScales = {
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}}};
  for (const Scale& scale : kScales) {
    if (ns >= scale.ns) return scale;
  }
  return {1, "ns"};
}

// Three digits, or all before the point.
std::string Digits(double ns, const Scale& scale) {
  const double value = ns / scale.ns;
  if (scale.ns == 1 || value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value >= 10 ? 1 : 2);
}

// In the unit that suits the most; one number where all are alike.
std::string OverRanksText(const std::optional<OverRanks>& over,
                          const RankNames& names) {
  if (!over || over->ranks == 0) return "–";
  if (over->max <= 0) return "0";
  const Scale scale = ScaleOf(over->max);
  const std::string min = Digits(over->min, scale);
  const std::string max = Digits(over->max, scale);
  if (min == max) return fmt::format("{} {}", max, scale.unit);
  return fmt::format("{} – {} – {} {} ({})", min, Digits(over->median, scale),
                     max, scale.unit, names.ShortWho(over->max_at));
}

struct QuantityColumn {
  std::string_view heading;
  std::optional<OverRanks> (*of)(const RegionOverRanks&);
};

template <auto kMember>
std::optional<OverRanks> Over(const RegionOverRanks& region) {
  return region.*kMember;
}

constexpr std::array<QuantityColumn, 5> kColumns = {{
    {"compute", Over<&RegionOverRanks::compute>},
    {"waiting", Over<&RegionOverRanks::waiting>},
    {"exposed", Over<&RegionOverRanks::exposed>},
    {"overlapped", Over<&RegionOverRanks::overlapped>},
    {"idle", Over<&RegionOverRanks::idle>},
}};

std::vector<QuantityColumn> ColumnsThatTell(
    const RankAnalysis& analysis, const std::vector<std::size_t>& regions) {
  std::vector<QuantityColumn> columns;
  for (const QuantityColumn& column : kColumns) {
    if (std::ranges::any_of(regions, [&](std::size_t region) {
          const auto over = column.of(analysis.regions[region]);
          return over && over->max > 0;
        }))
      columns.push_back(column);
  }
  return columns;
}

std::string NobodyIsLate(const RankAnalysis& analysis) {
  if (!analysis.regions.empty() && analysis.regions[0].waiting)
    return "no rank makes the others wait";
  return "not known: no communication of the ranks was matched";
}

// "" where all hosts had one clock.
std::string ClocksText(const RankAnalysis& analysis) {
  double worst = 0;
  for (const HostClock& clock : analysis.clocks)
    worst = std::max(worst, clock.residual_ns);
  if (analysis.clocks.size() < 2) return {};
  return fmt::format(
      "The clocks of {} hosts were aligned by the ends of collectives, to {}.",
      analysis.clocks.size(), FormatNs(worst));
}

// Of all ranks, in the order in which they would be looked for.
std::string GroupsText(const Report& report, const RankNames& names) {
  const auto& groups = report.rank_analysis->groups;
  if (groups.size() < 2 || groups.size() == report.ranks->records.size())
    return {};
  std::string text = "Alike are";
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < std::min(kMost, groups.size()); ++i) {
    text += fmt::format("{} {} like {}", i > 0 ? "," : "",
                        FormatCount(groups[i].records.size()),
                        names.Who(groups[i].typical));
  }
  if (groups.size() > kMost)
    text += fmt::format(", {} groups more", FormatCount(groups.size() - kMost));
  return text + ".";
}

void WriteTable(std::ostream& out, const Report& report) {
  const RanksTable table = RanksTableOf(report, kMostRows);
  if (table.headings.empty()) return;
  fmt::print(out, "\n{}:\n\n| Region |", RanksTableTitle(report));
  for (const std::string& heading : table.headings)
    fmt::print(out, " {} |", heading);
  out << "\n|:--|";
  for (std::size_t i = 0; i < table.headings.size(); ++i) out << "--:|";
  out << '\n';
  for (const RanksTable::Row& row : table.rows) {
    out << "| ";
    for (std::size_t i = 0; i < row.depth; ++i) out << "&emsp;";
    out << MarkdownText(row.name) << " |";
    for (const std::string& cell : row.cells) fmt::print(out, " {} |", cell);
    out << '\n';
  }
  if (table.left_out > 0)
    fmt::print(out, "\n*{} more regions are in report.json.*\n",
               FormatCount(table.left_out));
}

}  // namespace

LateSaid LateSentences(const Report& report, std::size_t most) {
  LateSaid said;
  if (!HasRanks(report)) return said;
  const RankAnalysis& analysis = *report.rank_analysis;
  const RankNames names(*report.ranks, analysis);
  const auto say = [&](std::string sentence) {
    if (said.sentences.size() < most)
      said.sentences.push_back(std::move(sentence));
    else
      ++said.more;
  };
  const std::vector<std::size_t> said_by = LateSaidBy(analysis, kMostLate);
  for (std::size_t i = 0; i < said_by.size(); ++i) {
    if (said_by[i] == i) say(LateSentence(names, analysis.late[i]));
  }
  for (const LatePart& part : analysis.slow_network)
    say(SlowNetworkSentence(names, part));
  if (said.sentences.empty()) said.sentences.push_back(NobodyIsLate(analysis));
  return said;
}

RanksTable RanksTableOf(const Report& report, std::size_t most) {
  RanksTable table;
  if (!HasRanks(report)) return table;
  const RankAnalysis& analysis = *report.rank_analysis;
  const RankNames names(*report.ranks, analysis);
  const std::vector<std::size_t> regions = LongestRegions(analysis, most);
  const std::vector<QuantityColumn> columns =
      ColumnsThatTell(analysis, regions);
  for (const QuantityColumn& column : columns)
    table.headings.emplace_back(column.heading);
  for (const std::size_t region : regions) {
    const RegionOverRanks& over = analysis.regions[region];
    RanksTable::Row& row = table.rows.emplace_back();
    row.name = names.Frame(region);
    row.depth = over.path.size();
    for (const QuantityColumn& column : columns)
      row.cells.push_back(OverRanksText(column.of(over), names));
  }
  table.left_out = analysis.regions.size() - regions.size();
  return table;
}

std::string RanksTableTitle(const Report& report) {
  return fmt::format(
      "minimum – median – maximum over {} ranks (whose the maximum is)",
      FormatCount(report.ranks->records.size()));
}

void WriteRanksMarkdown(std::ostream& out, const Report& report) {
  if (!HasRanks(report)) return;
  const RankNames names(*report.ranks, *report.rank_analysis);
  out << "## Who is late\n\n";
  const LateSaid said = LateSentences(report, kMostSentences);
  for (const std::string& sentence : said.sentences)
    fmt::print(out, "- {}\n", MarkdownText(sentence, kWidestSentence));
  if (said.more > 0)
    fmt::print(out, "- {} more in report.json\n", FormatCount(said.more));
  for (const std::string& text :
       {GroupsText(report, names), ClocksText(*report.rank_analysis)}) {
    if (!text.empty()) fmt::print(out, "\n{}\n", MarkdownText(text, 600));
  }
  WriteTable(out, report);
  for (const std::string& note : report.rank_analysis->notes)
    fmt::print(out, "\n*{}*\n", MarkdownText(note, kWidestSentence));
  out << '\n';
}

}  // namespace rangefinder
