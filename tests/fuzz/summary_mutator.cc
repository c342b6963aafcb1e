#include "tests/fuzz/summary_mutator.h"

#include <sstream>
#include <utility>
#include <vector>

#include "summary/sections.h"
#include "tests/fuzz/dice.h"

namespace rangefinder::testing {
namespace {

struct Section {
  std::string kind{};
  std::string head{};
  std::string body{};
};

std::vector<Section> SectionsOf(std::string_view summary) {
  std::vector<Section> sections;
  const auto found = FindSections(summary);
  if (!found.ok()) return sections;
  for (const SummarySection& section : found.value().all) {
    auto body = BodyOf(section);
    sections.push_back({std::string(section.kind), std::string(section.head),
                        body.ok() ? std::move(body).value() : ""});
  }
  return sections;
}

// Bodies are varints and texts: an inserted or removed byte moves all that
// follows, and a changed byte is another number.
void ChangeBytes(std::string& bytes, Dice& dice) {
  if (bytes.empty()) {
    bytes = static_cast<char>(dice.Roll(256));
    return;
  }
  const std::size_t at = dice.Roll(bytes.size());
  switch (dice.Roll(6)) {
    case 0:
      bytes.erase(at, 1 + dice.Roll(4));
      return;
    case 1:
      bytes.insert(at, 1, static_cast<char>(dice.Roll(256)));
      return;
    case 2:  // the largest number, where a small one was
      bytes.replace(at, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
      return;
    case 3:
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << dice.Roll(8));
      return;
    default:
      bytes[at] = static_cast<char>(dice.Roll(16));
      return;
  }
}

}  // namespace

std::string ChangedSummary(std::string_view summary, std::uint32_t seed) {
  std::vector<Section> sections = SectionsOf(summary);
  if (sections.empty()) return std::string(summary);
  Dice dice(seed);
  for (std::size_t i = dice.Roll(3) + 1; i > 0; --i) {
    Section& section = dice.Pick(sections);
    switch (dice.Roll(12)) {
      case 0:
        ChangeList(sections, dice, 64);
        if (sections.empty()) return std::string(summary);
        break;
      case 1:
        ChangeBytes(section.head, dice);
        break;
      default:
        ChangeBytes(section.body, dice);
    }
  }
  std::ostringstream out;
  WriteSummaryMagic(out);
  for (const Section& section : sections)
    WriteSection(out, section.kind, section.head, section.body);
  WriteSection(out, kEndSection, {}, {});
  std::string bytes = std::move(out).str();
  if (dice.OneIn(16)) bytes.resize(dice.Roll(bytes.size() + 1));
  return bytes;
}

}  // namespace rangefinder::testing
