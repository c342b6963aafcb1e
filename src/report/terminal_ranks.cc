#include "report/terminal_ranks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "ranks/rank_analysis.h"
#include "report/ranks_text.h"
#include "report/terminal_table.h"

namespace rangefinder {
namespace {

using Look = RanksLine::Look;

// More are in report.md.
constexpr std::size_t kMostSentences = 3;
constexpr std::size_t kMostRows = 8;
constexpr std::size_t kMostNotes = 3;

class TerminalRanks {
 public:
  TerminalRanks(const Report& report, const TerminalOptions& options)
      : report_(report), options_(options) {}

  std::vector<RanksLine> Lines() && {
    AddSentences();
    AddTable();
    AddNotes();
    lines_.push_back({});
    return std::move(lines_);
  }

 private:
  void Add(Look look, std::string_view text, std::string_view indent = "") {
    const std::size_t width = options_.width - indent.size();
    for (const std::string& line : Wrapped(Printable(text), width))
      lines_.push_back({look, std::string(indent) + Ellipsize(line, width)});
  }

  void AddSentences() {
    Add(Look::kTitle, "who is late");
    const LateSaid said = LateSentences(report_, kMostSentences);
    for (const std::string& sentence : said.sentences)
      Add(Look::kPlain, sentence, "  ");
    if (said.more > 0)
      Add(Look::kDim,
          fmt::format("{} more: --format md", FormatCount(said.more)), "  ");
    lines_.push_back({});
  }

  void AddTable() {
    const RanksTable table = RanksTableOf(report_, kMostRows);
    if (table.headings.empty()) return;
    Add(Look::kTitle, RanksTableTitle(report_));
    std::vector<std::size_t> depths;
    for (const RanksTable::Row& row : table.rows) depths.push_back(row.depth);
    std::vector<std::string> names = TreeLines(depths, options_.unicode);
    for (std::size_t i = 0; i < names.size(); ++i)
      names[i] += Printable(table.rows[i].name);
    std::vector<TextColumn> columns;
    for (std::size_t c = 0; c < table.headings.size(); ++c) {
      TextColumn& column = columns.emplace_back();
      column.name = column.heading = table.headings[c];
      column.rank = static_cast<int>(c);
      for (const RanksTable::Row& row : table.rows)
        column.cells.push_back(row.cells[c]);
    }
    AddFitted(Fit(std::move(columns), names, false, options_.width), names);
    if (table.left_out > 0)
      Add(Look::kDim, fmt::format("{} more regions: --format json",
                                  FormatCount(table.left_out)));
  }

  void AddFitted(const FittedTable& table,
                 const std::vector<std::string>& names) {
    std::string heading(table.name_width, ' ');
    for (const TextColumn& column : table.columns)
      heading += "  " + PadLeft(column.heading, column.width);
    lines_.push_back({Look::kDim, std::move(heading)});
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string line =
          PadRight(Ellipsize(names[i], table.name_width), table.name_width);
      for (const TextColumn& column : table.columns)
        line += "  " + PadLeft(column.cells[i], column.width);
      lines_.push_back({Look::kPlain, std::move(line)});
    }
    if (!table.hidden.empty())
      Add(Look::kDim, fmt::format("no room for {}: --format md has all",
                                  JoinedAsList(table.hidden, "and")));
  }

  void AddNotes() {
    const auto& notes = report_.rank_analysis->notes;
    for (std::size_t i = 0; i < std::min(kMostNotes, notes.size()); ++i)
      Add(Look::kWarn, notes[i]);
    if (notes.size() > kMostNotes)
      Add(Look::kDim, fmt::format("{} more notes on ranks: --format md",
                                  FormatCount(notes.size() - kMostNotes)));
  }

  const Report& report_;
  const TerminalOptions& options_;
  std::vector<RanksLine> lines_{};
};

}  // namespace

std::vector<RanksLine> RanksForTerminal(const Report& report,
                                        const TerminalOptions& options) {
  if (!HasRanks(report)) return {};
  return TerminalRanks(report, options).Lines();
}

}  // namespace rangefinder
