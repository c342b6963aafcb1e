#include "writers/terminal/terminal_writer.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "writers/terminal/table_layout.h"

namespace rangefinder {
namespace {

using Kind = TableColumn::Kind;

constexpr std::string_view kBarCode = "36";

class TerminalWriter {
 public:
  TerminalWriter(const TerminalStyle& style, std::ostream& out)
      : style_(style), out_(out) {}

  void Write(const Heading& heading) {
    if (any_) out_ << '\n';
    after_list_ = false;
    const std::string text = Printable(heading.text.Plain());
    const std::string beside = Printable(heading.beside.Plain());
    if (beside.empty()) {
      Lines(text, Tone::kStrong, 0, 0);
      return;
    }
    const bool fits =
        DisplayWidth(text) + 2 + DisplayWidth(beside) <= style_.width;
    out_ << Toned(text, Tone::kStrong) << (fits ? "  " : "\n")
         << Toned(beside, Tone::kQuiet) << '\n';
    any_ = true;
  }

  void Write(const Paragraph& paragraph) {
    EndList();
    Lines(Printable(paragraph.text.Plain()), paragraph.tone, 0, 0);
  }

  // Each item begins at the left; its further lines and its details are
  // indented. An item may have several lines of its own.
  void Write(const List& list) {
    EndList();
    std::size_t number = 0;
    for (const ListItem& item : list.items) {
      std::string lead = item.lead.Plain();
      if (!lead.empty()) lead += ": ";
      if (list.numbered) lead = fmt::format("{}. {}", ++number, lead);
      std::size_t indent = 0;
      for (const std::string& line : Split(lead + item.text.Plain(), '\n')) {
        Lines(Printable(Trim(line)), item.tone, indent, kIndent);
        indent = kIndent;
      }
      for (const Text& detail : item.details)
        Lines(Printable(detail.Plain()), Tone::kQuiet, kIndent, kIndent);
    }
    after_list_ = true;
  }

  void Write(const ShellCommand& command) {
    EndList();
    std::string line;
    for (const std::string& word : command.words)
      line += (line.empty() ? "" : " ") + Printable(word);
    Lines(line, Tone::kQuiet, kIndent, kIndent);
  }

  void Write(const Table& table) {
    EndList();
    const std::vector<LaidColumn> columns =
        LayOut(table, style_.width, style_.unicode);
    WriteHeadings(columns);
    bool without_parts = false;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (table.rows[r].is_part && !HasNumber(columns, table.rows[r]))
        without_parts = true;
      else
        WriteRow(columns, table.rows[r], r);
    }
    std::vector<std::string> hidden;
    for (const LaidColumn& column : columns) {
      if (column.hidden && column.column.kind != Kind::kBar)
        hidden.push_back(column.column.heading);
    }
    if (hidden.empty()) return;
    std::string text =
        fmt::format("Hidden columns: {}", fmt::join(hidden, ", "));
    if (without_parts) text += ", and values of whole regions in them";
    if (!table.hidden_columns.empty())
      text += fmt::format(" ({})", table.hidden_columns);
    Lines(text, Tone::kQuiet, 0, kIndent);
  }

  void Write(const FoldStart& fold) { Write(Heading{.text = fold.summary}); }
  void Write(const FoldEnd&) {}

 private:
  static constexpr std::size_t kIndent = 2;

  std::string Coloured(std::string text, std::string_view code) const {
    if (!style_.color || code.empty() || text.empty()) return text;
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }

  std::string Toned(std::string text, Tone tone) const {
    static constexpr std::array<std::string_view, 6> kCodes = {
        "", "1", "2", "32", "33", "1;31"};
    return Coloured(std::move(text), kCodes[static_cast<std::size_t>(tone)]);
  }

  void EndList() {
    if (after_list_) out_ << '\n';
    after_list_ = false;
  }

  // Wrapped: the first line at `indent`, the others at `further`.
  void Lines(std::string_view text, Tone tone, std::size_t indent,
             std::size_t further) {
    const std::size_t widest = std::max(indent, further);
    const std::size_t width = std::max(style_.width, 2 * widest) - widest;
    for (const std::string& line : Wrapped(text, width)) {
      out_ << std::string(indent, ' ') << Toned(Ellipsize(line, width), tone)
           << '\n';
      indent = further;
    }
    any_ = true;
  }

  void WriteHeadings(const std::vector<LaidColumn>& columns) {
    for (const std::size_t line : {0U, 1U}) {
      std::string text;
      for (const LaidColumn& column : columns) {
        if (column.hidden) continue;
        if (&column != columns.data()) text += "  ";
        text += column.column.kind == Kind::kNumber
                    ? PadLeft(column.heading[line], column.width)
                    : PadRight(column.heading[line], column.width);
      }
      text.erase(text.find_last_not_of(' ') + 1);
      if (!text.empty()) out_ << Toned(text, Tone::kQuiet) << '\n';
    }
    any_ = true;
  }

  std::string CellOf(const LaidColumn& column, const TableCell& cell,
                     std::size_t row) const {
    switch (column.column.kind) {
      case Kind::kBar:
        return Bar(cell.bar, column.width, style_.unicode);
      case Kind::kChangeBar:
        return ChangeBar(cell.bar, style_.unicode);
      case Kind::kNumber:
        return PadLeft(column.cells[row], column.width);
      case Kind::kText:
        return PadRight(Ellipsize(column.cells[row], column.width),
                        column.width);
      case Kind::kProse:
        break;
    }
    return {};
  }

  static bool HasNumber(const std::vector<LaidColumn>& columns,
                        const TableRow& row) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!columns[c].hidden && row.cells[c].has_quantity) return true;
    }
    return false;
  }

  // Blanks are written only before visible text.
  void WriteRow(const std::vector<LaidColumn>& columns, const TableRow& row,
                std::size_t at) {
    std::size_t offset = 0;
    std::size_t blanks = 0;
    std::size_t remarks = 2 * row.depth + kIndent;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const LaidColumn& column = columns[c];
      if (column.hidden) continue;
      if (c > 0) {
        blanks += 2;
        offset += 2;
      }
      const TableCell& cell = row.cells[c];
      const Tone tone = cell.tone == Tone::kPlain ? row.tone : cell.tone;
      if (column.column.kind == Kind::kProse) {
        out_ << std::string(blanks, ' ');
        blanks = 0;
        WriteProse(column.cells[at], tone, offset);
        remarks = offset;
        continue;
      }
      std::string text = CellOf(column, cell, at);
      const std::size_t seen = text.find_last_not_of(' ') + 1;
      const std::size_t trailing = text.size() - seen;
      text.erase(seen);
      offset += column.width;
      if (!text.empty()) {
        out_ << std::string(blanks, ' ')
             << (column.column.kind == Kind::kBar ? Coloured(text, kBarCode)
                                                  : Toned(text, tone));
        blanks = 0;
      }
      blanks += trailing;
    }
    out_ << '\n';
    for (const Text& remark : row.below)
      Lines(Printable(remark.Plain()), Tone::kQuiet, remarks, remarks);
  }

  void WriteProse(const std::string& text, Tone tone, std::size_t offset) {
    const std::size_t width =
        style_.width > offset + 20 ? style_.width - offset : 20;
    const std::vector<std::string> lines = Wrapped(text, width);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) out_ << '\n' << std::string(offset, ' ');
      out_ << Toned(lines[i], tone);
    }
  }

  const TerminalStyle& style_;
  std::ostream& out_;
  bool any_ = false;         // something was written
  bool after_list_ = false;  // the last block was a list
};

}  // namespace

void WriteTerminal(const Document& document, const TerminalStyle& style,
                   std::ostream& out) {
  TerminalWriter writer(style, out);
  for (const Block& block : document.blocks)
    std::visit([&](const auto& one) { writer.Write(one); }, block);
}

}  // namespace rangefinder
