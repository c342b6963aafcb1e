// A document as a value: headings, paragraphs, lists and tables, without any
// layout. `report`, `diff` and `doctor` build documents; src/writers/terminal
// and src/writers/markdown print any of them. So a sentence or a column is
// written once.
//
// Texts are as the program or file gave them. A writer makes them safe for its
// format, so a name that looks like markup stays a name.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "document/quantity.h"

namespace rangefinder {

// The meaning of a part of a document for the reader. The terminal shows it as
// a colour, Markdown as bold or italic if it has a form for it.
enum class Tone : std::uint8_t {
  kPlain,
  kStrong,  // read this first
  kQuiet,   // an aside
  kGood,
  kWarn,
  kBad,
};

struct Span {
  enum class Style : std::uint8_t { kPlain, kStrong, kCode, kLink };
  std::string text{};
  Style style = Style::kPlain;
  std::string target{};  // of kLink
};

// A sentence or a name.
class Text {
 public:
  Text() = default;
  // NOLINTBEGIN(google-explicit-constructor): text is text.
  Text(std::string text) : Text(Span{.text = std::move(text)}) {}
  Text(std::string_view text) : Text(std::string(text)) {}
  Text(const char* text) : Text(std::string(text)) {}
  Text(Span span) {
    if (!span.text.empty()) spans_.push_back(std::move(span));
  }
  // NOLINTEND(google-explicit-constructor)

  Text& operator+=(const Text& more) {
    spans_.insert(spans_.end(), more.spans_.begin(), more.spans_.end());
    return *this;
  }
  friend Text operator+(Text text, const Text& more) { return text += more; }

  const std::vector<Span>& spans() const { return spans_; }
  bool empty() const { return spans_.empty(); }
  std::string Plain() const;  // without styles

 private:
  std::vector<Span> spans_{};
};

Text Strong(std::string_view text);
Text Code(std::string_view text);
Text Link(std::string_view text, std::string_view target);
// "a, b, c".
Text Joined(const std::vector<Text>& texts);

struct Heading {
  int level = 2;  // 1: the document's title
  Text text{};
  Text beside{};  // a summary of the section, in one line
};

struct Paragraph {
  Text text{};
  Tone tone = Tone::kPlain;
};

struct ListItem {
  Text lead{};  // "warning", "Devices"; may be empty
  Text text{};
  Tone tone = Tone::kPlain;
  std::vector<Text> details{};  // next steps, reasons: a line each
};

struct List {
  std::vector<ListItem> items{};
  bool numbered = false;  // from 1
};

// A command line, by its words.
struct ShellCommand {
  std::vector<std::string> words{};
};

// A number, a text, or a number followed by a text. A cell with neither is
// absent, which every writer shows as "–"; BlankCell() is intentionally empty.
struct TableCell {
  TableCell() = default;
  // NOLINTBEGIN(google-explicit-constructor): a cell is its content.
  TableCell(Quantity number)
      : has_quantity(true), quantity(std::move(number)) {}
  TableCell(Text words, Tone meaning = Tone::kPlain)
      : text(std::move(words)), tone(meaning) {}
  TableCell(std::string words) : text(std::move(words)) {}
  TableCell(const char* words) : text(words) {}
  // NOLINTEND(google-explicit-constructor)

  bool absent() const { return !has_quantity && text.empty() && !blank; }

  bool has_quantity = false;
  bool blank = false;
  Quantity quantity{};
  Text text{};
  Tone tone = Tone::kPlain;
  double bar = 0;  // 0 to 1 for TableColumn::Kind::kBar, -1 to 1 for kChangeBar
};

TableCell BlankCell();
TableCell BarCell(double bar);
// Absent if there is no number.
template <typename Make, typename Number>
TableCell CellOf(Make make, const Number& number) {
  return number ? TableCell(make(*number)) : TableCell();
}

struct TableColumn {
  enum class Kind : std::uint8_t {
    kNumber,     // also a text that stands where numbers do
    kText,       // a name: a narrow terminal cuts it
    kProse,      // a sentence: a narrow terminal wraps it; the last column
    kBar,        // a bar from the left
    kChangeBar,  // a bar from the middle, to the left for less
  };
  std::string heading{};
  Kind kind = Kind::kNumber;
  // On a narrow terminal, the columns with the highest number are hidden first;
  // 0: never.
  int gives_way = 0;
};

struct TableRow {
  std::vector<TableCell> cells{};  // by Table::columns
  std::size_t depth = 0;           // in a tree, which the first column draws
  bool is_part = false;            // of the row above: no branch of the tree
  Tone tone = Tone::kPlain;
  std::vector<Text> below{};  // remarks on the row, a line each
};

struct Table {
  std::vector<TableColumn> columns{};
  std::vector<TableRow> rows{};
  // How to show columns that a terminal hides: "show with --columns".
  std::string hidden_columns{};

  // Removes columns in which every row is absent, except for the first `keep`.
  void DropAbsentColumns(std::size_t keep);
};

// The blocks up to the matching FoldEnd are folded under a summary if the
// format supports it.
struct FoldStart {
  Text summary{};
};
struct FoldEnd {};

using Block = std::variant<Heading, Paragraph, List, ShellCommand, Table,
                           FoldStart, FoldEnd>;

struct Document {
  std::vector<Block> blocks{};

  void AddHeading(int level, Text text, Text beside = {});
  void AddParagraph(Text text, Tone tone = Tone::kPlain);  // none if empty
  void AddList(List list);                                 // none if empty
  void AddTable(Table table);
  void Add(Block block);
  void Append(Document more);
};

}  // namespace rangefinder
