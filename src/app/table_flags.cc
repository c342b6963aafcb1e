#include "app/table_flags.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "config/override.h"
#include "report/tables.h"

namespace rangefinder {

void AddTableFlags(CLI::App& command, TableFlags& flags) {
  command
      .add_option("--columns", flags.columns,
                  "columns of the table, metrics among them")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B");
  command
      .add_option("--sort", flags.sort, "by which its rows are sorted (time)")
      ->type_name("COLUMN");
  command.add_option("--top", flags.top, "rows at most (40); 0: all")
      ->type_name("N");
  command.add_option("--depth", flags.depth, "levels of the tree at most")
      ->type_name("N");
  command
      .add_option("--min-share", flags.min_share,
                  "leaves out rows below this share of the time")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0).description(""));
  command.add_flag("--flat", flags.flat, "whole paths in the place of a tree");
  command
      .add_option("--scope", flags.scope,
                  "one process and device, or one rank; all: each of them")
      ->type_name("NAME");
  command.add_option("--by", flags.by, "region, name, kernel or rank")
      ->type_name("WHAT");
}

std::vector<std::string> TableOverrides(const TableFlags& flags) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view key, const std::string& value) {
    words.push_back(fmt::format("++report.table.{}={}", key, value));
  };
  const auto text = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) add(key, QuoteOverrideValue(value));
  };
  if (!flags.columns.empty()) {
    std::vector<std::string> quoted;
    for (const std::string& column : flags.columns)
      quoted.push_back(QuoteOverrideValue(column));
    add("columns", fmt::format("[{}]", fmt::join(quoted, ",")));
  }
  text("sort", flags.sort);
  text("by", flags.by);
  text("scope", flags.scope);
  if (flags.top) add("top", fmt::format("{}", *flags.top));
  if (flags.depth) add("depth", fmt::format("{}", *flags.depth));
  if (flags.min_share) add("min_share", fmt::format("{}", *flags.min_share));
  if (flags.flat) add("flat", "true");
  return words;
}

std::string FlagOf(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::size_t dot = word.rfind('.', equals);
  std::string flag = word.substr(dot + 1, equals - dot - 1);
  std::ranges::replace(flag, '_', '-');
  return "--" + flag;
}

Status CheckTableNames(const TableView& view) {
  std::vector<std::string> names = view.columns;
  names.push_back(view.sort);
  for (const std::string& name : names) {
    if (MayBeColumn(name)) continue;
    const std::vector<std::string> own = OwnColumnNames();
    const auto near = Nearest(name, own);
    return Error(
        ErrorCode::kUsage,
        fmt::format(
            "{}: there is no column '{}'; {}",
            &name == &names.back() ? "--sort" : "--columns", Printable(name),
            near ? fmt::format("did you mean '{}'?", *near)
                 : "there are " + JoinedAsList(own, "and") + ", and metrics"));
  }
  return Ok();
}

}  // namespace rangefinder
