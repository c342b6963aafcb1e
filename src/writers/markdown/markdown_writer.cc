#include "writers/markdown/markdown_writer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// ---- Markup ----------------------------------------------------------------

bool IsWord(char c) {
  return IsAsciiDigit(c) || IsAsciiLetter(c);
}

// `text` as one line of plain text in Markdown, also in tables: invalid UTF-8
// is replaced, control characters are written out, markup characters are
// escaped, and the text is cut after `most` cells of a terminal.
std::string MarkdownText(std::string_view text, std::size_t most) {
  // A name of megabytes is cut before its cells are counted.
  const std::string line = Ellipsize(Printable(text.substr(0, 8 * most)), most);
  std::string out;
  out.reserve(line.size() + 16);
  // Within a word these characters are no markup, so that decode_2 and
  // LLM@decode stay as they are.
  const auto in_a_word = [&](std::size_t i) {
    return i > 0 && i + 1 < line.size() && IsWord(line[i - 1]) &&
           IsWord(line[i + 1]);
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      constexpr std::string_view kMarkup = "\\`*{}[]|~!";
      constexpr std::string_view kOutsideWords = "_@#";
      if (kMarkup.find(c) != std::string_view::npos ||
          (kOutsideWords.find(c) != std::string_view::npos && !in_a_word(i)))
        out += '\\';
      out += c;
    }
  }
  // An empty cell would look like a missing one.
  return out.empty() ? "(empty name)" : out;
}

// `text` in a code span, where only the backtick and, in a table, the bar are
// markup: both are replaced.
std::string MarkdownCode(std::string_view text) {
  std::string code = Printable(text);
  std::ranges::replace(code, '`', '\'');
  std::ranges::replace(code, '|', '/');
  for (std::size_t at = 0; (at = code.find('<', at)) != code.npos;)
    code.replace(at, 1, "‹");  // some renderers interpret code spans
  return "`" + Ellipsize(code, 200) + "`";
}

// A command line, given as its words, as a code block. Long lists of metrics
// are left out, and the middle of a long line: the profiler is at its
// beginning, the program at its end.
std::string CommandBlock(std::vector<std::string> command) {
  constexpr std::size_t kMost = 480;
  constexpr std::size_t kMostMetrics = 60;
  for (std::size_t i = 0; i + 1 < command.size(); ++i) {
    if (command[i] == "--metrics" && command[i + 1].size() > kMostMetrics)
      command[i + 1] = "…";
  }
  std::string text;
  for (const std::string& word : command)
    text += (text.empty() ? "" : " ") + Printable(word);
  if (text.size() > kMost) {
    const std::string head = Ellipsize(text, 2 * kMost / 3);
    std::size_t tail = text.size() - kMost / 3;
    while (tail < text.size() && (text[tail] & 0xC0) == 0x80) ++tail;
    text = head + " " + text.substr(tail);
  }
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos;)
    text.replace(at, 1, "‹");  // some renderers interpret code blocks
  std::string fence = "```";
  while (text.find(fence) != text.npos) fence += '`';
  return fence + "\n" + text + "\n" + fence + "\n";
}

using Kind = TableColumn::Kind;

// In cells of a terminal; JSON has the full text.
constexpr std::size_t kWidestText = 900;
constexpr std::size_t kWidestCell = 200;  // also for headings

bool IsBar(const TableColumn& column) {
  return column.kind == Kind::kBar || column.kind == Kind::kChangeBar;
}

std::string TextOf(const Text& text, std::size_t widest) {
  std::string out;
  for (const Span& span : text.spans()) {
    switch (span.style) {
      case Span::Style::kPlain:
        out += MarkdownText(span.text, widest);
        break;
      case Span::Style::kStrong:
        out += "**" + MarkdownText(span.text, widest) + "**";
        break;
      case Span::Style::kCode:
        out += MarkdownCode(span.text);
        break;
      case Span::Style::kLink:
        out += fmt::format("[{}]({})", MarkdownText(span.text, widest),
                           span.target);
        break;
    }
  }
  return out;
}

// Escapes a beginning that looks like an item of a list.
std::string AsLine(std::string line) {
  const std::size_t digits =
      std::min(line.find_first_not_of("0123456789"), line.size());
  const std::string_view after = std::string_view(line).substr(digits);
  const bool item =
      digits > 0 && (after.starts_with(". ") || after.starts_with(") "));
  const bool bullet = line.starts_with("- ") || line.starts_with("+ ");
  if (item || bullet) line.insert(bullet ? 0 : digits, "\\");
  return line;
}

std::string Marked(const std::string& text, Tone tone) {
  // Plain, strong, quiet, good, warn, bad.
  static constexpr std::array<std::string_view, 6> kMarks = {"",   "**", "*",
                                                             "**", "",   "**"};
  const std::string_view mark = kMarks[static_cast<std::size_t>(tone)];
  return text.empty() ? text : fmt::format("{0}{1}{0}", mark, text);
}

// With a capital and a full stop.
std::string AsSentence(std::string text) {
  if (text.empty()) return text;
  text[0] =
      static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (std::string_view(".:!?").find(text.back()) == std::string_view::npos)
    text += '.';
  return text;
}

class MarkdownWriter {
 public:
  explicit MarkdownWriter(std::ostream& out) : out_(out) {}

  void Write(const Heading& heading) {
    Separate();
    out_ << std::string(static_cast<std::size_t>(heading.level), '#') << ' '
         << TextOf(heading.text, kWidestCell) << '\n';
    if (heading.beside.empty()) return;
    out_ << '\n' << AsSentence(TextOf(heading.beside, kWidestText)) << '\n';
  }

  void Write(const Paragraph& paragraph) {
    Separate();
    const std::string text = TextOf(paragraph.text, kWidestText);
    out_ << AsLine(Marked(text, paragraph.tone)) << '\n';
  }

  void Write(const List& list) {
    Separate();
    std::size_t number = 0;
    for (const ListItem& item : list.items) {
      std::string lead = TextOf(item.lead, kWidestText);
      std::string text = TextOf(item.text, kWidestText);
      // A lead carries the tone of its item.
      if (lead.empty())
        text = AsLine(Marked(text, item.tone));
      else
        lead = Marked(lead, item.tone) + ": ";
      out_ << (list.numbered ? fmt::format("{}. ", ++number) : "- ") << lead
           << (item.details.empty() ? text : WithStop(text));
      for (const Text& detail : item.details)
        out_ << ' ' << AsSentence(TextOf(detail, kWidestText));
      out_ << '\n';
    }
  }

  void Write(const ShellCommand& command) {
    if (command.words.empty()) return;
    Separate();
    out_ << CommandBlock(command.words);
  }

  void Write(const Table& table) {
    Separate();
    std::string rule = "|";
    out_ << '|';
    for (const TableColumn& column : table.columns) {
      if (IsBar(column)) continue;
      out_ << (column.heading.empty()
                   ? " |"
                   : " " + MarkdownText(column.heading, kWidestCell) + " |");
      rule += column.kind == Kind::kNumber ? "--:|" : ":--|";
    }
    out_ << '\n' << rule << '\n';
    for (const TableRow& row : table.rows) WriteRow(table, row);
  }

  void Write(const FoldStart& fold) {
    Separate();
    out_ << "<details><summary>" << TextOf(fold.summary, kWidestText)
         << "</summary>\n";
  }

  void Write(const FoldEnd&) {
    Separate();
    out_ << "</details>\n";
  }

 private:
  void Separate() {
    if (any_) out_ << '\n';
    any_ = true;
  }

  static std::string WithStop(std::string text) {
    if (!text.ends_with('.')) text += '.';
    return text;
  }

  static std::string CellOf(const TableCell& cell) {
    if (cell.absent()) return "–";
    std::string text = cell.has_quantity ? FormatQuantity(cell.quantity) : "";
    if (!cell.text.empty())
      text += (text.empty() ? "" : " ") + TextOf(cell.text, kWidestCell);
    return Marked(text, cell.tone);
  }

  // Remarks on a row follow its last text.
  void WriteRow(const Table& table, const TableRow& row) {
    out_ << '|';
    std::size_t last = table.columns.size() - 1;
    while (last > 0 && table.columns[last].kind != Kind::kText &&
           table.columns[last].kind != Kind::kProse)
      --last;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (IsBar(table.columns[c])) continue;
      std::string text = CellOf(row.cells[c]);
      if (c == 0) text = Branch(row) + text;
      if (c == last) {
        for (const Text& remark : row.below)
          text += (text.empty() ? "" : "; ") + TextOf(remark, kWidestText);
      }
      out_ << (text.empty() ? " |" : " " + text + " |");
    }
    out_ << '\n';
  }

  static std::string Branch(const TableRow& row) {
    const std::size_t depth = row.depth + (row.is_part ? 1 : 0);
    std::string branch;
    for (std::size_t i = 0; i < depth; ++i) branch += "&emsp;";
    return row.depth > 0 && !row.is_part ? branch + "└ " : branch;
  }

  std::ostream& out_;
  bool any_ = false;  // something was written
};

}  // namespace

void WriteMarkdown(const Document& document, std::ostream& out) {
  MarkdownWriter writer(out);
  for (const Block& block : document.blocks)
    std::visit([&](const auto& one) { writer.Write(one); }, block);
}

}  // namespace rangefinder
