#include "app/help_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands.h"
#include "app/setting.h"
#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::size_t kWidest = 100;    // lines that are longer read badly
constexpr std::size_t kNarrowest = 50;  // below, a terminal wraps them itself

struct Row {
  std::string term{};
  std::string text{};
};

class Page {
 public:
  explicit Page(std::size_t width) : width_(width) {}

  void Paragraphs(std::string_view text) {
    for (const std::string& line : Split(text, '\n')) Lines("", "", line);
    text_ += '\n';
  }

  void Usage(std::string_view text) {
    Lines("Usage: ", std::string(10, ' '), text);
    text_ += '\n';
  }

  void Heading(std::string_view heading) {
    text_ += fmt::format("{}:\n", heading);
  }

  // The texts begin in one column, behind the widest term of at most 24 cells.
  void Rows(std::span<const Row> rows) {
    std::size_t column = 0;
    for (const Row& row : rows) {
      if (DisplayWidth(row.term) <= 24)
        column = std::max(column, DisplayWidth(row.term));
    }
    const std::string indent(column + 4, ' ');
    for (const Row& row : rows) {
      std::string lead = "  " + row.term;
      const std::size_t used = DisplayWidth(lead);
      if (used + 2 > indent.size()) {
        text_ += lead + '\n';
        lead.clear();
      }
      lead.append(indent.size() - std::min(indent.size(), DisplayWidth(lead)),
                  ' ');
      Lines(lead, indent, row.text);
    }
    text_ += '\n';
  }

  // Terms that are not wrapped, so that they can be copied, with their texts
  // below them.
  void Entries(std::string_view heading, std::span<const Row> entries) {
    if (entries.empty()) return;
    Heading(heading);
    for (const Row& entry : entries) {
      text_ += fmt::format("  {}\n", entry.term);
      Lines("      ", "      ", entry.text);
    }
    text_ += '\n';
  }

  std::string Take() { return std::move(text_); }

 private:
  void Lines(std::string_view lead, std::string_view indent,
             std::string_view text) {
    std::string_view first = lead;
    const std::size_t room = width_ - std::min(width_ / 2, indent.size());
    for (const std::string& line : Wrapped(text, room)) {
      text_ += std::string(line.empty() ? "" : first) + line + '\n';
      first = indent;
    }
  }

  std::size_t width_;
  std::string text_{};
};

// "-q, --quiet", "--format FORMAT"
std::string TermOf(const CLI::Option& option) {
  std::string term;
  for (const std::string& name : Split(option.get_name(false, true), ','))
    term += (term.empty() ? "" : ", ") + name;
  if (option.get_items_expected_max() == 0) return term;
  std::string type = option.get_type_name();
  return term + " " + type.substr(0, type.find(':'));
}

void AddOptions(const CLI::App& app, bool common, Page& page) {
  std::vector<Row> rows;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional() || option->get_group().empty()) continue;
    if ((option->get_group() == kCommonOptions) != common) continue;
    rows.push_back({TermOf(*option), option->get_description()});
  }
  if (rows.empty()) return;
  page.Heading(common ? kCommonOptions : "Options");
  page.Rows(rows);
}

void AddExamples(std::span<const Example> examples, Page& page) {
  std::vector<Row> rows;
  for (const Example& example : examples)
    rows.push_back({std::string(example.command), std::string(example.says)});
  page.Entries("Examples", rows);
}

std::string ProgramPage(const CLI::App& app, Page page) {
  const Subcommand& help = ProgramHelp();
  page.Paragraphs(help.text);
  page.Usage(fmt::format("rangefinder {}", help.synopsis));
  page.Heading("Commands");
  std::vector<Row> rows;
  for (const Subcommand& command : Subcommands())
    rows.push_back({std::string(command.name), std::string(command.about)});
  page.Rows(rows);
  AddExamples(help.examples, page);
  AddOptions(app, false, page);
  AddOptions(app, true, page);
  page.Paragraphs(
      "What is measured and shown is said by keys of one configuration, as "
      "KEY=VALUE: `rangefinder config` prints them all, `rangefinder config "
      "--explain KEY` says what one means. `rangefinder COMMAND --help` has "
      "the options and examples of a command.");
  return page.Take();
}

// The keys that a command reads, each with its sentence, as plain text.
void AddKeys(std::string_view prefixes, Page& page) {
  std::vector<Row> rows;
  for (const Setting& setting : SettingsTable()) {
    if (!IsBelow(setting.key, prefixes)) continue;
    rows.push_back({std::string(setting.key), std::string(setting.about)});
    std::erase(rows.back().text, '`');
  }
  page.Entries("Keys of the configuration", rows);
}

std::string CommandPage(const CLI::App& app, Page page) {
  const Subcommand& help = *FindSubcommand(app.get_name());
  page.Paragraphs(help.text);
  page.Usage(fmt::format("rangefinder {} {}", app.get_name(), help.synopsis));
  AddOptions(app, false, page);
  AddExamples(help.examples, page);
  AddKeys(help.keys, page);
  AddOptions(app, true, page);
  return page.Take();
}

}  // namespace

std::string HelpText(const CLI::App& app, std::size_t width) {
  Page page(std::clamp(width, kNarrowest, kWidest));
  std::string text = app.get_parent() == nullptr
                         ? ProgramPage(app, std::move(page))
                         : CommandPage(app, std::move(page));
  text.pop_back();  // of two line ends one
  return text;
}

}  // namespace rangefinder
