#include "tests/fuzz/diff_oracles.h"

#include <array>
#include <optional>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/diff_settings.h"
#include "base/file.h"
#include "base/write_file.h"
#include "diff/compare.h"
#include "diff/writers.h"
#include "tests/fuzz/demand.h"
#include "tests/fuzz/dice.h"
#include "tests/fuzz/growth.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/json_schema.h"
#include "tests/fuzz/report_oracles.h"
#include "tests/support/temp_dir.h"
#include "wire/checksum.h"
#include "writers/markdown/fact_sheet_writer.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kFiles = 5;
using Files = std::array<std::string_view, kFiles>;

Files FilesOf(std::string_view input) {
  Files files;
  for (std::string_view& file : files) {
    const std::size_t end = input.find(kNextFile);
    file = input.substr(0, end);
    input.remove_prefix(std::min(
        input.size(), end == input.npos ? end : end + kNextFile.size()));
  }
  return files;
}

// The rules by those of the files that can be read.
DiffRequirements RulesBy(const Files& files) {
  static const TempDir folder;
  constexpr std::array<std::optional<std::string> DiffSettings::*, 3> kKeys = {
      &DiffSettings::match, &DiffSettings::accepted,
      &DiffSettings::calibration};
  const auto read = [](const DiffSettings& settings) {
    return ReadDiffRequirements(Node::Map(), settings, {}, "2026-11-24");
  };
  DiffSettings settings;
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (files[2 + i].empty()) continue;
    const fs::path file = folder / std::to_string(i);
    if (!WriteFile(file, files[2 + i]).ok()) std::exit(1);
    settings.*kKeys[i] = file.string();
    const auto rules = read(settings);
    if (rules.ok()) continue;
    DemandAnError(rules.error());
    (settings.*kKeys[i]).reset();
  }
  return read(settings).value();
}

std::optional<RunFacts> FactsOf(std::string_view report) {
  auto facts = FactsOfDocument(report, "any.json");
  if (facts.ok()) return std::move(facts).value();
  DemandAnError(facts.error());
  return std::nullopt;
}

void DemandCalibrationReadsBack(const std::vector<RunFacts>& runs) {
  const Calibration noise = Calibrate(runs);
  const std::string text = CalibrationText(noise, {"a", "b"});
  const Calibration again = RulesBy({"", "", "", "", text}).rules.calibration;
  Demand(again.size() == noise.size(), "a calibration reads back");
  for (const auto& [path, of] : noise) {
    const auto found = again.find(path);
    Demand(found != again.end() && found->second.runs == of.runs &&
               found->second.deviation == of.deviation,
           "a region of a calibration reads back");
  }
}

void DemandTheSame(const Comparison& comparison) {
  for (const RegionChange& region : comparison.regions) {
    Demand(region.in_base && region.in_other, "equal runs have equal regions");
    Demand(region.verdict == DiffVerdict::kSame ||
               region.verdict == DiffVerdict::kIncomparable ||
               region.verdict == DiffVerdict::kAmbiguous,
           "between equal runs nothing changed");
    Demand(region.facts.empty(), "equal runs have no certain change");
  }
}

void DemandSchema(const std::string& text) {
  static const json schema = json::parse(
      ReadFile(fs::path(RANGEFINDER_SOURCE_DIR) / "docs/diff.schema.json")
          .value());
  const json document = json::parse(text, nullptr, false);
  Demand(!document.is_discarded(), "the document of a diff is JSON");
  const std::string wrong = SchemaViolation(schema, document);
  if (!wrong.empty()) std::fprintf(stderr, "diff.json%s\n", wrong.c_str());
  Demand(wrong.empty(), "the document of a diff keeps its schema");
}

// All documents in a row.
std::string Documents(const Comparison& comparison, const GateRules& gate) {
  const std::vector<Crossing> crossings = CrossingsOf(comparison, gate);
  for (const Crossing& crossing : crossings) {
    Demand(crossing.region < comparison.regions.size() &&
               (crossing.what != "time" ||
                comparison.regions[crossing.region].verdict ==
                    DiffVerdict::kSlower),
           "what is not slower crosses no limit of time");
  }
  UnusedRules(comparison, gate);
  UnusedAcceptances(comparison, gate);
  const DiffView view{.comparison = comparison, .crossings = crossings};
  std::string all;
  const auto add = [&](auto write) {
    std::ostringstream out;
    write(out);
    std::string text = std::move(out).str();
    DemandPlain(text);
    all += text;
    return text;
  };
  const Document document = DiffDocument(view, {});
  add([&](std::ostream& out) { WriteTerminal(document, {}, out); });
  add([&](std::ostream& out) { WriteMarkdown(document, out); });
  add([&](std::ostream& out) { WriteFactSheet(DiffFacts(view), 500, out); });
  add([&](std::ostream& out) { WriteDiffJunit(view, out); });
  add([&](std::ostream& out) { WriteDiffAnnotations(view, out); });
  add([&](std::ostream& out) { WriteDiffHtml(view, out); });
  DemandSchema(add([&](std::ostream& out) { WriteDiffJson(view, out); }));
  return all;
}

std::optional<std::string> Make(const Files& files) {
  const DiffRequirements by = RulesBy(files);
  const auto base = FactsOf(files[0]);
  const auto other = FactsOf(files[1]);
  if (!base || !other) return std::nullopt;
  // As many as a gate asks for, where the input has a calibration.
  const std::size_t runs = files[4].empty() ? 1 : DiffRules().least_runs;
  const std::vector<RunFacts> before(runs, *base);
  const std::vector<RunFacts> after(runs, *other);
  DemandTheSame(Compare(before, before, {}).value());
  DemandCalibrationReadsBack({*base, *other});
  auto comparison = Compare(before, after, by.rules);
  if (!comparison.ok()) {
    Demand(comparison.error().code() == ErrorCode::kUsage,
           "only names that no region has keep reports from a comparison");
    DiffRules rules = by.rules;
    rules.pairing = {};
    comparison = Compare(before, after, rules);
  }
  return Documents(comparison.value(), by.gate);
}

}  // namespace

bool DiffOfAnyBytes(std::string_view input) {
  const Files files = FilesOf(input);
  std::optional<std::string> documents;
  {
    const Growth growth;
    documents = Make(files);
    DemandLinear(input.size(), documents ? documents->size() : 0, growth);
  }
  if (documents && wire::Checksum(input.data(), input.size()) % 4 == 0)
    Demand(Make(files) == documents, "the same input, the same bytes");
  return documents.has_value();
}

std::string ChangedDiff(std::string_view input, std::uint32_t seed) {
  Dice dice(seed);
  const Files files = FilesOf(input);
  const std::size_t changed = dice.Roll(kFiles);
  const bool is_yaml = changed == 2 || changed == 3;
  std::string all;
  for (std::size_t i = 0; i < kFiles; ++i) {
    if (i > 0) all += kNextFile;
    std::string file(files[i]);
    if (i != changed) {
      all += file;
      continue;
    }
    if (i == 1 && dice.OneIn(4)) file = files[0];
    if (!is_yaml) file = ChangedJson(file, seed);
    if (is_yaml && !file.empty()) {
      const std::size_t at = dice.Roll(file.size());
      file.replace(at, dice.Roll(8), dice.Name(file.substr(at, 4)));
    }
    all += file;
  }
  return all;
}

}  // namespace rangefinder::testing
