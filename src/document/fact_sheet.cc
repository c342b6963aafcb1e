#include "document/fact_sheet.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/lists.h"

namespace rangefinder {
namespace {

struct FactSection {
  std::string name{};
  List kept{};
  std::size_t all = 0;
};

// Whether each fact is among the `most` facts with the lowest ranks.
std::vector<bool> Chosen(const FactSheet& sheet, std::size_t most) {
  const std::vector<std::size_t> order = NumbersBy(
      sheet.facts.size(), [&](std::size_t i) { return sheet.facts[i].rank; });
  std::vector<bool> chosen(order.size());
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
    chosen[order[i]] = true;
  return chosen;
}

}  // namespace

Document DocumentOf(const FactSheet& sheet, std::size_t most,
                    std::uint64_t all_tokens) {
  const std::vector<bool> chosen = Chosen(sheet, most);
  std::vector<FactSection> sections;
  for (std::size_t i = 0; i < sheet.facts.size(); ++i) {
    const RankedFact& fact = sheet.facts[i];
    auto at = std::ranges::find(sections, fact.section, &FactSection::name);
    if (at == sections.end())
      at = sections.insert(sections.end(), {.name = fact.section});
    ++at->all;
    if (chosen[i]) at->kept.items.push_back(fact.item);
  }
  Document document;
  document.AddHeading(1, sheet.title);
  std::string left_out;
  for (FactSection& section : sections) {
    const std::size_t missing = section.all - section.kept.items.size();
    if (missing > 0)
      left_out += fmt::format("{}{} of {} in {}", left_out.empty() ? "" : ", ",
                              missing, section.all, section.name);
    if (section.kept.items.empty()) continue;
    document.AddHeading(2, section.name);
    document.AddList(std::move(section.kept));
  }
  if (!left_out.empty())
    document.AddParagraph(
        fmt::format("Left out for the budget: {}; --budget {} holds all.",
                    left_out, all_tokens),
        Tone::kQuiet);
  return document;
}

}  // namespace rangefinder
